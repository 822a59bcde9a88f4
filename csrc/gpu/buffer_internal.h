/* SPDX-License-Identifier: MIT */
/* What stands behind a buffer handle, and the graveyard of those whose last use may still run.
 * Thread-safety: the record's use state is under the device's lock, the lists under its resource
 * lock. */
#ifndef DW_GPU_BUFFER_INTERNAL_H
#define DW_GPU_BUFFER_INTERNAL_H

#include "gpu/buffer.h"
#include "gpu/memory_internal.h"
#include "gpu/use.h"

#include <stdatomic.h>
#include <stdbool.h>

#define DW_ACCESSES_MAX 8

/* A range used since the last barrier. */
typedef struct dw_access {
    uint64_t begin, end; /* bytes */
    bool is_write;
} dw_access;

struct dw_buffer_record {
    dw_buffer_record *previous, *next; /* in the live or the retired list */
    VkBuffer handle;                   /* VK_NULL_HANDLE once the device is closed */
    dw_memory_range memory;
    uint64_t size_bytes;
    dw_memory kind;
    bool is_internal;            /* staging: left out of the counts */
    atomic_uint_fast64_t ticket; /* of the last submit that names the buffer */

    uint64_t epoch; /* accesses of an older epoch than the device's are ordered already */
    int access_count;
    dw_access accesses[DW_ACCESSES_MAX];
};

/* A staging buffer: not counted as live. */
dw_status dw_gpu_buffer_create_internal(dw_gpu *gpu, const dw_gpu_buffer_def *def,
                                        dw_gpu_buffer *out, dw_error *err);

/* Frees the retired buffers whose last use has finished. */
void dw_graveyard_drain(dw_gpu *gpu);

/* Destroys the Vulkan side of every buffer, live or retired; the device is idle. */
void dw_buffers_finish(dw_gpu *gpu);

#endif
