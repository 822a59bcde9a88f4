/* SPDX-License-Identifier: MIT */
/* Thread-safety: Safe. */
#ifndef DW_GPU_BUFFER_INTERNAL_H
#define DW_GPU_BUFFER_INTERNAL_H

#include "gpu/resource_internal.h"

/* A staging buffer: not counted as live. */
dw_status dw_gpu_buffer_create_internal(dw_gpu *gpu, const dw_gpu_buffer_def *def,
                                        dw_gpu_buffer *out, dw_error *err);

#endif
