/* SPDX-License-Identifier: MIT */
/* Thread-safety: a pipeline is constant once made; finish needs the device to itself. */
#ifndef DW_GPU_PIPELINE_INTERNAL_H
#define DW_GPU_PIPELINE_INTERNAL_H

#include "gpu/layout_internal.h"
#include "gpu/pipeline.h"

struct dw_pipeline {
    dw_pipeline *next;
    const dw_shader *shader;
    uint32_t shader_id;
    uint32_t spec_count;
    uint32_t spec_constants[DW_SPECIALIZATIONS_MAX];
    dw_layout layout;
    VkPipeline handle;
};

void dw_pipelines_finish(dw_gpu *gpu);

#endif
