/* SPDX-License-Identifier: MIT */
/* Thread-safety: a pipeline is constant once made; finish needs the device to itself. */
#ifndef DW_GPU_GRAPHICS_INTERNAL_H
#define DW_GPU_GRAPHICS_INTERNAL_H

#include "gpu/graphics.h"
#include "gpu/layout_internal.h"

struct dw_graphics_pipeline {
    dw_graphics_pipeline *next;
    dw_graphics_def def;
    const char *name;
    dw_layout layout;
    VkPipeline handle;
};

void dw_graphics_pipelines_finish(dw_gpu *gpu);

#endif
