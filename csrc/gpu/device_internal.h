/* SPDX-License-Identifier: MIT */
/* What the files of gpu/ know of an open device.
 *
 * Two locks, always taken in this order: `lock` for all that is ordered on the queue (submits,
 * uses, pipelines, command slots, timings); `resource_lock`, held shortly, for memory and the lists
 * of buffers, so that a destructor never waits for a submit.
 * Thread-safety: see each member. */
#ifndef DW_GPU_DEVICE_INTERNAL_H
#define DW_GPU_DEVICE_INTERNAL_H

#include "base/platform.h"
#include "gpu/device.h"
#include "gpu/image.h"
#include "gpu/loader_internal.h"
#include "gpu/memory_internal.h"

#include <stdatomic.h>

#define DW_COMMAND_SLOTS_MAX 64

typedef struct dw_command_slot dw_command_slot;
typedef struct dw_staging dw_staging;
typedef struct dw_pipeline dw_pipeline;
typedef struct dw_graphics_pipeline dw_graphics_pipeline;
typedef struct dw_command dw_command;
typedef struct dw_resource dw_resource;

struct dw_gpu {
    /* Constant after create. */
    dw_gpu_limits limits;
    dw_vk_instance *instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    VkQueue queue;
    uint32_t queue_family;
    uint32_t timestamp_bits;      /* 0: the queue has no clock */
    double timestamp_nanoseconds; /* per tick */
    VkSemaphore timeline;         /* counts submits */
    PFN_vkCmdPipelineBarrier2 pipeline_barrier;
    PFN_vkCmdWriteTimestamp2 write_timestamp;
    PFN_vkQueueSubmit2 queue_submit;
    PFN_vkCmdBeginRendering begin_rendering;
    PFN_vkCmdEndRendering end_rendering;
    dw_mutex lock;
    dw_mutex resource_lock;
    dw_condition slice_freed; /* with resource_lock: a staging slice came free */

    atomic_bool is_closed;
    atomic_bool is_lost;
    dw_mutex lost_lock;  /* innermost of all */
    char lost_text[512]; /* under lost_lock */

    /* Under lock. */
    uint64_t submitted; /* timeline value of the last submit */
    uint64_t epoch;     /* one more for every barrier: earlier accesses are ordered */
    VkPipelineStageFlags2 epoch_stages; /* of all accesses since the last barrier */
    VkAccessFlags2 epoch_writes;
    bool is_order_unknown; /* a command was encoded and then not submitted */
    int slot_count;
    dw_command_slot *slots[DW_COMMAND_SLOTS_MAX];
    dw_command *free_commands;
    dw_pipeline *pipelines;
    dw_graphics_pipeline *graphics_pipelines;
    VkSampler samplers[DW_SAMPLER_COUNT]; /* made at first use */
    int64_t pipeline_count;
    VkPipelineCache pipeline_cache;
    dw_timing_table timings;
    uint64_t sent_bytes; /* from the host, ever */

    /* Under resource_lock. */
    dw_memory_pool memory;
    dw_resource *live;
    dw_resource *retired;
    int64_t buffer_count; /* live, staging left out */
    int64_t image_count;
    int64_t retired_count;
    uint64_t used_bytes; /* in live buffers and images, staging left out */
    dw_staging *staging;
};

/* As dw_vk_check; a lost device is marked so with this call as the first cause. */
dw_status dw_gpu_vk_check(dw_gpu *gpu, VkResult result, const char *what, dw_error *err);

/* Gives the object a name for debuggers and validation messages. */
void dw_gpu_set_name(const dw_gpu *gpu, VkObjectType type, uint64_t handle, const char *name);

/* Timeline value that the device has reached; UINT64_MAX when it is lost, as nothing runs then. */
uint64_t dw_gpu_completed(dw_gpu *gpu);

#endif
