/* SPDX-License-Identifier: MIT */
/* Commands: recorded on the host by any thread, turned into Vulkan and ordered at submit. Barriers
 * follow from the declared uses; no caller writes one.
 *
 * A recording call that cannot be done (a group count over the limit, a range outside its buffer,
 * no memory) marks the command, and dw_command_submit reports the first such failure: passes need
 * one check at the end.
 * Thread-safety: a command belongs to one thread; submit and wait are safe. */
#ifndef DW_GPU_COMMAND_H
#define DW_GPU_COMMAND_H

#include "base/threads.h"
#include "gpu/buffer.h"
#include "gpu/graphics.h"
#include "gpu/image.h"
#include "gpu/pipeline.h"
#include "gpu/use.h"

typedef struct dw_command dw_command;

/* A point on the device's timeline; zero has always been reached. */
typedef struct dw_ticket {
    uint64_t value;
} dw_ticket;

/* `name` labels the command in debuggers and names a time span over all of it. */
dw_status dw_command_begin(dw_gpu *gpu, const char *name, dw_command **out, dw_error *err);

/* Drops an unsubmitted command. Accepts NULL. */
void dw_command_cancel(dw_command *command);

/* Hands the command to the queue, behind all that was submitted before. The command is gone
 * afterwards, also on failure, when nothing of it runs. */
dw_status dw_command_submit(dw_command *command, dw_ticket *out, dw_error *err);

/* Storage buffer i of set 0 is bindings[i]. */
typedef struct dw_gpu_binding {
    const dw_gpu_buffer *buffer;
    uint64_t offset; /* bytes, a multiple of limits.storage_offset_alignment */
    uint64_t size;   /* bytes, at most limits.max_storage_buffer_bytes; 0: the rest */
    dw_use use;      /* of a dispatch: one of the DW_USE_COMPUTE_*; of a draw: SHADER_READ */
} dw_gpu_binding;

/* Texture i of set 1 is textures[i]. */
typedef struct dw_gpu_texture {
    const dw_gpu_image *image;
    dw_sampler sampler;
} dw_gpu_texture;

/* What a shader is given; the counts are those of the shader. Buffers that it reaches by addresses,
 * which stand in its push constants or in other buffers, are named with their uses too: barriers
 * and lifetimes follow from them as from bindings. Thousands in one dispatch are cheap. */
typedef struct dw_gpu_inputs {
    const dw_gpu_binding *buffers;
    uint32_t buffer_count;
    const dw_gpu_texture *textures;
    uint32_t texture_count;
    const void *push;
    uint32_t push_bytes;
    const dw_gpu_binding *reached; /* DW_MEMORY_DEVICE buffers; any range of any size */
    uint32_t reached_count;
} dw_gpu_inputs;

/* A dispatch whose shader reads textures too, or reaches buffers by address. */
void dw_command_dispatch_inputs(dw_command *command, dw_pipeline *pipeline,
                                const dw_gpu_inputs *inputs, const uint32_t groups[3]);

/* binding_count and push_bytes are those of the shader. Consecutive reads of a buffer, and writes
 * of ranges that do not overlap, run without a barrier between them. */
void dw_command_dispatch(dw_command *command, dw_pipeline *pipeline, const dw_gpu_binding *bindings,
                         uint32_t binding_count, const void *push, uint32_t push_bytes,
                         const uint32_t groups[3]);

/* The same; the device reads the three group counts, a VkDispatchIndirectCommand at `offset`, a
 * multiple of 4. Whoever writes them keeps them within limits.max_group_count. */
void dw_command_dispatch_indirect(dw_command *command, dw_pipeline *pipeline,
                                  const dw_gpu_binding *bindings, uint32_t binding_count,
                                  const void *push, uint32_t push_bytes,
                                  const dw_gpu_buffer *groups, uint64_t offset);

/* Spreads more workgroups than one axis holds over x and y. The shader's linear group index is
 * gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x, and may exceed group_count - 1. */
void dw_groups_linear(const dw_gpu *gpu, uint64_t group_count, uint32_t groups[3]);

/* 32-bit words of `value` over [offset, offset + size); both multiples of 4; size 0: the rest. */
void dw_command_fill(dw_command *command, const dw_gpu_buffer *buffer, uint64_t offset,
                     uint64_t size, uint32_t value);

void dw_command_copy(dw_command *command, const dw_gpu_buffer *source, uint64_t source_offset,
                     const dw_gpu_buffer *target, uint64_t target_offset, uint64_t size);

/* Small data that travels inside the command: at most DW_INLINE_BYTES_MAX, offset and size
 * multiples of 4. `data` is copied at once. */
#define DW_INLINE_BYTES_MAX 65536
void dw_command_write(dw_command *command, const dw_gpu_buffer *buffer, uint64_t offset,
                      const void *data, uint64_t size);

/* Texels of a buffer, tightly packed from `offset` on, a multiple of 16, into one level of one
 * layer. */
void dw_command_copy_to_image(dw_command *command, const dw_gpu_buffer *source, uint64_t offset,
                              const dw_gpu_image *image, uint32_t level, uint32_t layer);

/* The first thing that happens to an image; dw_gpu_image_create does it. */
void dw_command_lay_out(dw_command *command, const dw_gpu_image *image);

/* A target of a render pass. What is not cleared is kept. */
typedef struct dw_gpu_target {
    const dw_gpu_image *image;
    bool is_cleared;
    union {
        float color[4]; /* float formats; depth takes color[0] */
        uint32_t words[4];
    } clear;
    bool is_read_only; /* of the depth: tested, not written, so that draws may read it as a texture
                        */
} dw_gpu_target;

typedef struct dw_render_def {
    dw_gpu_target colors[DW_TARGETS_MAX];
    uint32_t color_count;
    dw_gpu_target depth; /* .image NULL: none */
} dw_render_def;

/* Draws come between begin and end, and nothing but draws and time spans does. All targets have one
 * size and one number of samples; the viewport is all of it. */
void dw_command_render_begin(dw_command *command, const dw_render_def *def);
void dw_command_render_end(dw_command *command);

typedef struct dw_draw {
    dw_graphics_pipeline *pipeline;
    dw_gpu_inputs inputs;
    const dw_gpu_buffer *indices; /* 32-bit; NULL: vertices in order */
    /* VkDrawIndexedIndirectCommand or, without indices, VkDrawIndirectCommand; NULL: the counts
     * below. */
    const dw_gpu_buffer *indirect;
    uint64_t indirect_offset; /* bytes, a multiple of 4 */
    uint32_t count, instance_count, first_index;
    int32_t vertex_offset;
} dw_draw;

void dw_command_draw(dw_command *command, const dw_draw *draw);

/* A named span of device time; spans nest. Runs of one name within a command are added up. */
void dw_command_time_begin(dw_command *command, const char *name);
void dw_command_time_end(dw_command *command);

/* Waits in slices of 50 ms and polls `run` (NULL: nothing to poll) as often, with no lock held. In
 * a long loop of submits wait for an earlier ticket now and then: only waits poll. After
 * DW_ERROR_INTERRUPTED the work goes on and the device stays usable. */
dw_status dw_gpu_wait(dw_gpu *gpu, dw_ticket ticket, const dw_run *run, dw_error *err);

/* Whether the ticket has been reached, at once. True on a lost or closed device, where nothing runs
 * any more. */
bool dw_gpu_is_done(dw_gpu *gpu, dw_ticket ticket);

#endif
