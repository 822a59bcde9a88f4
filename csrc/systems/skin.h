/* SPDX-License-Identifier: MIT */
/* A mesh that takes poses on one device: what does not change is uploaded once, and a pose costs
 * its matrices and weights. Once warm no call allocates.
 * Thread-safety: Safe, inside dw_device_begin_use .. dw_device_end_use; calls at the same time each
 * have room of their own, made for the occasion. */
#ifndef DW_SYSTEMS_SKIN_H
#define DW_SYSTEMS_SKIN_H

#include "cpu/skin.h"
#include "systems/buffer.h"

typedef struct dw_skin dw_skin;

dw_status dw_skin_create(dw_device *device, const dw_skin_def *def, const dw_run *run,
                         dw_skin **out, dw_error *err);

/* Accepts NULL. Also after the device was closed, but not after it was destroyed. */
void dw_skin_destroy(dw_skin *skin);

uint32_t dw_skin_vertex_count(const dw_skin *skin);
uint32_t dw_skin_target_count(const dw_skin *skin);
bool dw_skin_has_normals(const dw_skin *skin);

/* Where rows of three floats go: a buffer of the device, or host memory. */
typedef struct dw_skin_output {
    dw_buffer *buffer;
    uint64_t first, stride; /* of a buffer, in floats */
    dw_skin_rows host;      /* without a buffer; .data NULL: not wanted */
} dw_skin_output;

/* Vertices of a pose. normals: NULL, or of a mesh that has them. On a Vulkan device what goes into
 * a buffer is ordered before later commands and not waited for. DW_ERROR_ARGUMENT for a pose that
 * does not fit and a buffer that is too small. */
dw_status dw_skin_apply(dw_skin *skin, const dw_skin_pose *pose, const dw_skin_output *positions,
                        const dw_skin_output *normals, const dw_run *run, dw_error *err);

#endif
