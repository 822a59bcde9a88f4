/* SPDX-License-Identifier: MIT */
/* Compute pipelines, built from the embedded SPIR-V on first use and kept by the device.
 * Thread-safety: Safe. */
#ifndef DW_GPU_PIPELINE_H
#define DW_GPU_PIPELINE_H

#include "gpu/device.h"
#include "gpu/shader.h"

#define DW_SPECIALIZATIONS_MAX 16

typedef struct dw_pipeline dw_pipeline;

/* shader_id: a DW_SHADER_* of "generated/spirv.h". spec_constants sets the 32-bit specialization
 * constants 0..spec_count-1 (a float's bits, a bool as 0 or 1); the rest keep their defaults. The
 * same arguments give the same pipeline; the device owns it. */
dw_status dw_pipeline_get(dw_gpu *gpu, uint32_t shader_id, const uint32_t *spec_constants,
                          uint32_t spec_count, dw_pipeline **out, dw_error *err);

#endif
