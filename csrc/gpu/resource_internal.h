/* SPDX-License-Identifier: MIT */
/* What stands behind a buffer or image handle, and the graveyard of those whose last use may still
 * run.
 * Thread-safety: the use state is under the device's lock, the lists under its resource lock. */
#ifndef DW_GPU_RESOURCE_INTERNAL_H
#define DW_GPU_RESOURCE_INTERNAL_H

#include "gpu/buffer.h"
#include "gpu/memory_internal.h"
#include "gpu/use.h"

#include <stdatomic.h>
#include <stdbool.h>

#define DW_ACCESSES_MAX 8

/* A range used since the last barrier. */
typedef struct dw_access {
    uint64_t begin, end; /* bytes; an image is one range */
    bool is_write;
} dw_access;

struct dw_resource {
    dw_resource *previous, *next; /* in the live or the retired list */
    VkBuffer buffer;              /* a buffer's; all handles are null once the device is closed */
    VkImage image;                /* an image's; its layout is GENERAL for good */
    VkImageView view;
    VkImageAspectFlags aspect;
    dw_memory_range memory;
    uint64_t size_bytes;
    dw_memory kind;
    bool is_internal;            /* staging: left out of the counts */
    atomic_uint_fast64_t ticket; /* of the last submit that names the resource */

    uint64_t epoch; /* accesses of an older epoch than the device's are ordered already */
    int access_count;
    dw_access accesses[DW_ACCESSES_MAX];
};

/* Puts a new resource among the live ones and counts it. Under resource_lock. */
void dw_resource_publish(dw_gpu *gpu, dw_resource *resource);

/* Destroys the Vulkan side and gives the memory back. Under resource_lock. */
void dw_resource_release(dw_gpu *gpu, dw_resource *resource);

/* From the live ones to the graveyard; only its record is left when the device is closed. Takes
 * resource_lock. Accepts NULL. */
void dw_resource_retire(dw_gpu *gpu, dw_resource *resource);

/* Frees the retired resources whose last use has finished. */
void dw_graveyard_drain(dw_gpu *gpu);

/* Destroys the Vulkan side of every resource, live or retired; the device is idle. */
void dw_resources_finish(dw_gpu *gpu);

#endif
