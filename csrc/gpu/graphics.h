/* SPDX-License-Identifier: MIT */
/* Graphics pipelines: vertices are pulled from storage buffers, targets are given at draw time.
 * Built on first use and kept by the device.
 * Thread-safety: Safe. */
#ifndef DW_GPU_GRAPHICS_H
#define DW_GPU_GRAPHICS_H

#include "gpu/image.h"
#include "gpu/pipeline.h"

#define DW_TARGETS_MAX 4          /* colour targets of one pass */
#define DW_NO_SHADER   UINT32_MAX /* no fragment shader: depth alone is drawn */

typedef enum dw_depth_mode {
    DW_DEPTH_OFF,   /* no test, no write */
    DW_DEPTH_TEST,  /* drawn where not farther than what is there */
    DW_DEPTH_WRITE, /* tested and written; depth is reversed: 1 is near, 0 is far */
} dw_depth_mode;

typedef enum dw_blend_mode {
    DW_BLEND_NONE,
    DW_BLEND_ALPHA, /* premultiplied colour over what is there; the first target alone is written */
    DW_BLEND_ADD,   /* likewise, light on top: coverage grows as if it lay over what is there */
} dw_blend_mode;

typedef struct dw_graphics_def {
    uint32_t vertex_shader;   /* DW_SHADER_*_VERT */
    uint32_t fragment_shader; /* DW_SHADER_*_FRAG or DW_NO_SHADER */
    uint32_t spec_count;      /* both stages see the same constants, 0..spec_count-1 */
    uint32_t spec_constants[DW_SPECIALIZATIONS_MAX];
    uint32_t color_count;
    dw_image_format colors[DW_TARGETS_MAX];
    bool has_depth; /* a DW_FORMAT_DEPTH32_FLOAT target */
    bool is_strip;  /* triangles share edges with the ones before; else three vertices each */
    uint32_t samples;
    dw_depth_mode depth;
    dw_blend_mode blend;
    bool culls_back;  /* front faces are counter-clockwise on the screen as seen */
    bool is_mirrored; /* they are clockwise */
    float depth_bias; /* in units of the depth's step, and as much again per unit of slope */
} dw_graphics_def;

typedef struct dw_graphics_pipeline dw_graphics_pipeline;

/* The same definition, zeroed before it is filled, gives the same pipeline; the device owns it. */
dw_status dw_graphics_get(dw_gpu *gpu, const dw_graphics_def *def, dw_graphics_pipeline **out,
                          dw_error *err);

#endif
