/* SPDX-License-Identifier: MIT */
/* A Vulkan device: one queue, one lock, and the owner of everything made on it.
 * Thread-safety: Safe, except that close and destroy need the device to themselves. */
#ifndef DW_GPU_DEVICE_H
#define DW_GPU_DEVICE_H

#include "base/status.h"
#include "gpu/adapter.h"
#include "gpu/timing.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct dw_gpu dw_gpu;

typedef struct dw_gpu_limits {
    uint64_t max_storage_buffer_bytes; /* of one binding; lavapipe: 128 MiB */
    uint64_t max_buffer_bytes;         /* of one buffer */
    uint32_t storage_offset_alignment; /* bytes; binding offsets are multiples of it, <= 256 */
    uint32_t max_push_constant_bytes;  /* >= 128 */
    uint32_t max_group_count[3];       /* >= 65535 each */
    uint32_t max_group_size[3];
    uint32_t max_group_invocations;
    uint32_t max_shared_bytes;  /* per workgroup */
    uint32_t subgroup_size;     /* 4, 8, 32, 64: never assumed */
    bool has_wide_subgroups;    /* 32 lanes in compute, with votes, ballots, shuffles, arithmetic */
    uint64_t memory_bytes;      /* device-local heaps */
    uint64_t image_granularity; /* bytes that keep buffers and images apart in memory */
    uint32_t max_image_side;    /* texels */
    uint32_t max_image_layers;
    uint32_t sample_counts; /* sum of the sample counts that every kind of target has */
    float max_anisotropy;   /* 1: none */
    bool has_anisotropy;
    bool has_float64; /* shaderFloat64 */
    bool is_software; /* runs on the processor */
} dw_gpu_limits;

/* adapter comes from dw_gpu_adapters_list and has nothing missing. */
dw_status dw_gpu_create(const dw_gpu_adapter *adapter, dw_gpu **out, dw_error *err);

/* Waits until the device is idle and destroys every Vulkan object made on it. Only the shell is
 * left, so that buffers may still be destroyed; every other call fails with DW_ERROR_CLOSED. */
void dw_gpu_close(dw_gpu *gpu);

/* Closes and frees. Accepts NULL. No buffer of this device may be destroyed afterwards. */
void dw_gpu_destroy(dw_gpu *gpu);

/* Fails when the device is closed or lost, with the first cause. */
dw_status dw_gpu_check(dw_gpu *gpu, dw_error *err);

/* Every later call fails with DW_ERROR_DEVICE_LOST and this text; the first cause is kept. */
void dw_gpu_mark_lost(dw_gpu *gpu, const char *cause);

const dw_gpu_limits *dw_gpu_get_limits(const dw_gpu *gpu);

typedef struct dw_gpu_counts {
    int64_t buffers;
    int64_t images;
    int64_t pipelines;
    int64_t memory_blocks;
    int64_t retired; /* in the graveyard: their last use may still run */
    uint64_t used_bytes;
    uint64_t reserved_bytes;
    uint64_t sent_bytes; /* from the host, ever: uploads, inline data, push constants */
} dw_gpu_counts;

/* Frees what finished work has left, then counts. */
dw_gpu_counts dw_gpu_get_counts(dw_gpu *gpu);

/* A copy of the times of the last finished run of every named span. */
void dw_gpu_get_timings(dw_gpu *gpu, dw_timing_table *out);

#endif
