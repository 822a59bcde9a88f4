/* SPDX-License-Identifier: MIT */
/* A recorded command, and the ring of Vulkan command buffers that recorded commands are turned
 * into at submit. command.c records, encode.c translates, submit.c orders, waits and times.
 * Thread-safety: a command belongs to one thread until submit; slots are under the device's lock.
 */
#ifndef DW_GPU_COMMAND_INTERNAL_H
#define DW_GPU_COMMAND_INTERNAL_H

#include "gpu/buffer_internal.h"
#include "gpu/command.h"
#include "gpu/descriptors_internal.h"
#include "gpu/graphics_internal.h"
#include "gpu/image_internal.h"
#include "gpu/pipeline_internal.h"

#define DW_SPANS_MAX 64 /* per command; each takes two timestamp queries */

typedef enum dw_op_kind {
    DW_OP_DISPATCH, /* with has_counts: indirect */
    DW_OP_FILL,
    DW_OP_COPY,
    DW_OP_WRITE,
    DW_OP_COPY_TO_IMAGE,
    DW_OP_LAY_OUT,
    DW_OP_RENDER_BEGIN, /* its bindings are the targets, its data a dw_render_clears */
    DW_OP_DRAW,
    DW_OP_RENDER_END,
    DW_OP_TIME_BEGIN,
    DW_OP_TIME_END,
} dw_op_kind;

/* A range of a resource with its use; `record` stays valid until the submit. */
typedef struct dw_op_binding {
    dw_resource *record;
    uint64_t offset, size; /* an image: 0 and 1 */
    dw_use use;
    dw_sampler sampler; /* of a texture */
} dw_op_binding;

/* Bindings: the shader's buffers, its textures, the buffers it reaches by address, a draw's indices
 * and counts. COPY: source, then target. */
typedef struct dw_op {
    dw_op_kind kind;
    uint32_t first_binding, binding_count;
    uint32_t data_offset, data_bytes; /* push constants, inline data or a name */
    uint32_t groups[3];
    uint32_t fill_value;
    const dw_layout *layout; /* of a dispatch or a draw */
    VkPipeline pipeline;
    uint32_t count, instance_count, first_index; /* of a draw */
    int32_t vertex_offset;
    bool has_indices, has_counts; /* the last bindings: indices, then counts */
    uint64_t indirect_offset;
    uint32_t level, layer; /* of a copy to an image */
    VkExtent2D extent;     /* of that level, or of the targets */
} dw_op;

typedef struct dw_render_clears {
    uint32_t color_count;
    bool has_depth, is_depth_read_only;
    bool is_cleared[DW_TARGETS_MAX + 1]; /* the last one is the depth */
    VkClearValue values[DW_TARGETS_MAX + 1];
} dw_render_clears;

/* Growing arrays; reused by later commands, so that steady work allocates nothing. */
struct dw_command {
    dw_gpu *gpu;
    dw_command *next; /* in the device's list of free ones */
    dw_error failure; /* of the first recording call that could not be done */
    uint32_t open_spans;
    dw_op *ops;
    dw_op_binding *bindings;
    uint8_t *data;
    size_t op_count, op_capacity;
    size_t binding_count, binding_capacity;
    size_t data_count, data_capacity;
};

typedef struct dw_span {
    char name[DW_TIMING_NAME_MAX];
    uint32_t parent; /* span that was open when this one began; DW_SPANS_MAX: none */
} dw_span;

/* What the command buffer has bound, so that equal draws in a row bind it once. */
typedef struct dw_bound {
    VkPipeline pipeline;
    const dw_layout *layout;
    const dw_op_binding *inputs; /* as many as the layout has buffers and textures */
    VkBuffer indices;
} dw_bound;

struct dw_command_slot {
    VkCommandPool pool;
    VkCommandBuffer buffer;
    VkQueryPool queries; /* VK_NULL_HANDLE when the queue has no clock */
    dw_descriptors descriptors;
    dw_bound bound;  /* while encoding */
    uint64_t ticket; /* of its last submit; 0: none */
    uint32_t span_count;
    uint32_t open_span;     /* while encoding: innermost timed span; DW_SPANS_MAX: none */
    uint32_t untimed_depth; /* while encoding: open spans inside it without a clock */
    bool has_times;         /* queries not yet read */
    dw_span spans[DW_SPANS_MAX];
};

/* Writes all of the command into the slot's command buffer, barriers included. Under lock. */
dw_status dw_command_encode(dw_command *command, struct dw_command_slot *slot, dw_error *err);

/* Puts a command's memory back for the next one. Takes the lock. */
void dw_command_recycle(dw_command *command);
void dw_command_free(dw_command *command);

/* Reads the clock of every finished command. Under lock. */
void dw_commands_collect_times(dw_gpu *gpu);

/* Destroys slots and spare commands; the device is idle. */
void dw_commands_finish(dw_gpu *gpu);

#endif
