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
