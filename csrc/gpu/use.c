/* SPDX-License-Identifier: MIT */
#include "gpu/use_internal.h"

static const dw_use_info use_infos[DW_USE_COUNT] = {
    [DW_USE_COMPUTE_READ] = { VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                              VK_ACCESS_2_SHADER_STORAGE_READ_BIT, 0 },
    [DW_USE_COMPUTE_WRITE] = { VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, 0,
                               VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT },
    [DW_USE_COMPUTE_READ_WRITE] = { VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                    VK_ACCESS_2_SHADER_STORAGE_READ_BIT,
                                    VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT },
    [DW_USE_SHADER_READ] = { VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT |
                                 VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                             VK_ACCESS_2_SHADER_READ_BIT, 0 },
    [DW_USE_INDEX_READ] = { VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT, VK_ACCESS_2_INDEX_READ_BIT, 0 },
    [DW_USE_INDIRECT_READ] = { VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                               VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, 0 },
    [DW_USE_TARGET] = { VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT |
                            VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
                            VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
                        VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT |
                            VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT,
                        VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT |
                            VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT },
    [DW_USE_DEPTH_READ] = { VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
                                VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
                            VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT, 0 },
    [DW_USE_COPY_SOURCE] = { VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_READ_BIT,
                             0 },
    [DW_USE_COPY_TARGET] = { VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, 0,
                             VK_ACCESS_2_TRANSFER_WRITE_BIT },
    [DW_USE_HOST_READ] = { VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT, 0 },
};

const dw_use_info *dw_use_get_info(dw_use use)
{
    return &use_infos[use];
}
