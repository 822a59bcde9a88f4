/* SPDX-License-Identifier: MIT */
/* Meshes in a pose on a Vulkan device, with the bytes of cpu/skin.h.
 * Thread-safety: a dw_skin_gpu is only read once it is made, and may be used by several threads; a
 * dw_skin_slot belongs to one at a time. */
#ifndef DW_PASSES_SKIN_PASS_H
#define DW_PASSES_SKIN_PASS_H

#include "cpu/skin.h"
#include "gpu/buffer.h"
#include "gpu/command.h"

/* What a device keeps of a mesh. */
typedef struct dw_skin_gpu {
    dw_gpu *gpu;
    dw_gpu_buffer positions, normals, joints, weights, deltas;
} dw_skin_gpu;

/* What one pose at a time needs, and where vertices lie on their way to the host. */
typedef struct dw_skin_slot {
    dw_gpu_buffer matrices, targets;
    dw_gpu_buffer positions, normals; /* made at first use */
} dw_skin_slot;

/* Uploads the arrays of a mesh. DW_ERROR_CAPACITY when a binding of the device cannot hold one. */
dw_status dw_skin_gpu_init(dw_skin_gpu *skin, dw_gpu *gpu, const dw_skin_rest *rest,
                           const dw_run *run, dw_error *err);

/* Accept zeroed ones; also after the device was closed. */
void dw_skin_gpu_finish(dw_skin_gpu *skin);
void dw_skin_slot_finish(dw_skin_slot *slot);

dw_status dw_skin_slot_init(dw_skin_slot *slot, dw_gpu *gpu, const dw_skin_rest *rest,
                            dw_error *err);

/* Rows of three floats in a device buffer. */
typedef struct dw_skin_place {
    const dw_gpu_buffer *buffer; /* NULL: not wanted */
    uint64_t first, stride;      /* floats; all rows lie within the buffer */
} dw_skin_place;

/* A buffer of the slot with rows of three for every vertex. */
dw_status dw_skin_slot_place(dw_gpu *gpu, const dw_skin_rest *rest, dw_gpu_buffer *buffer,
                             dw_skin_place *out, dw_error *err);

/* Submits the vertices of a pose, behind all work so far. */
dw_status dw_skin_pass(const dw_skin_gpu *skin, dw_skin_slot *slot, const dw_skin_rest *rest,
                       const dw_skin_table *table, dw_skin_place positions, dw_skin_place normals,
                       const dw_run *run, dw_error *err);

#endif
