/* SPDX-License-Identifier: MIT */
#include "gpu/command_internal.h"

#include "base/alloc.h"
#include "gpu/device_internal.h"

#include <inttypes.h>
#include <string.h>

dw_status dw_command_begin(dw_gpu *gpu, const char *name, dw_command **out, dw_error *err)
{
    dw_command *command;

    *out = NULL;
    DW_TRY(dw_gpu_check(gpu, err));
    dw_mutex_lock(&gpu->lock);
    command = gpu->free_commands;
    if (command != NULL)
        gpu->free_commands = command->next;
    dw_mutex_unlock(&gpu->lock);
    if (command == NULL)
        DW_TRY(DW_ALLOC_ZEROED(1, &command, err));
    command->gpu = gpu;
    command->failure.code = DW_OK;
    command->open_spans = 0;
    command->op_count = command->binding_count = command->data_count = 0;
    dw_command_time_begin(command, name);
    *out = command;
    return DW_OK;
fail:
    return err->code;
}

void dw_command_recycle(dw_command *command)
{
    dw_gpu *gpu = command->gpu;

    dw_mutex_lock(&gpu->lock);
    command->next = gpu->free_commands;
    gpu->free_commands = command;
    dw_mutex_unlock(&gpu->lock);
}

void dw_command_free(dw_command *command)
{
    dw_free(command->ops);
    dw_free(command->bindings);
    dw_free(command->data);
    dw_free(command);
}

void dw_command_cancel(dw_command *command)
{
    if (command != NULL)
        dw_command_recycle(command);
}

/* Room for `more` elements behind *count; the first failure is kept in the command. */
static bool reserve(dw_command *command, void **array, size_t count, size_t *capacity, size_t more,
                    size_t element_size)
{
    size_t wanted = *capacity < 16 ? 16 : *capacity;
    void *larger = NULL;

    if (count + more <= *capacity)
        return true;
    while (wanted < count + more)
        wanted *= 2;
    if (dw_alloc_array(wanted, element_size, "command", &larger, &command->failure) != DW_OK)
        return false;
    if (count > 0)
        memcpy(larger, *array, count * element_size);
    dw_free(*array);
    *array = larger;
    *capacity = wanted;
    return true;
}

static bool has_failed(const dw_command *command)
{
    return command->failure.code != DW_OK;
}

/* A new operation with room for its bindings and a copy of its data; NULL once the command has
 * failed. */
static dw_op *add_op(dw_command *command, dw_op_kind kind, uint32_t binding_count, const void *data,
                     uint32_t data_bytes)
{
    dw_op *op;

    if (has_failed(command) ||
        !reserve(command, (void **)&command->ops, command->op_count, &command->op_capacity, 1,
                 sizeof *command->ops) ||
        !reserve(command, (void **)&command->bindings, command->binding_count,
                 &command->binding_capacity, binding_count, sizeof *command->bindings) ||
        !reserve(command, (void **)&command->data, command->data_count, &command->data_capacity,
                 data_bytes, 1))
        return NULL;
    op = &command->ops[command->op_count++];
    *op = (dw_op) { .kind = kind,
                    .first_binding = (uint32_t)command->binding_count,
                    .data_offset = (uint32_t)command->data_count,
                    .data_bytes = data_bytes };
    if (data_bytes > 0)
        memcpy(command->data + command->data_count, data, data_bytes);
    command->data_count += data_bytes;
    return op;
}

static bool is_aligned(uint64_t value, uint64_t alignment)
{
    return value % alignment == 0;
}

/* Adds a checked binding to the operation added last. */
static void add_binding(dw_command *command, const dw_gpu_binding *from, const char *what)
{
    const dw_gpu_buffer *buffer = from->buffer;
    uint64_t size = from->size;

    if (has_failed(command))
        return;
    if (buffer == NULL || buffer->record == NULL || buffer->gpu != command->gpu) {
        dw_fail(&command->failure, DW_ERROR_ARGUMENT,
                "%s: a buffer is destroyed or belongs to another device", what);
        return;
    }
    if (from->offset > buffer->size_bytes || size > buffer->size_bytes - from->offset) {
        dw_fail(&command->failure, DW_ERROR_ARGUMENT,
                "%s: offset %" PRIu64 " + %" PRIu64 " bytes must lie within the buffer of %" PRIu64
                " bytes",
                what, from->offset, size, buffer->size_bytes);
        return;
    }
    if (size == 0)
        size = buffer->size_bytes - from->offset;
    command->bindings[command->binding_count++] =
        (dw_op_binding) { buffer->record, from->offset, size, from->use, DW_SAMPLER_NEAREST };
    command->ops[command->op_count - 1].binding_count++;
}

static void check_storage(dw_command *command, const dw_gpu_binding *binding, const char *what)
{
    const dw_gpu_limits *limits = &command->gpu->limits;
    const dw_op_binding *added;

    if (has_failed(command))
        return;
    added = &command->bindings[command->binding_count - 1];
    DW_ASSERT(binding->use <= DW_USE_SHADER_READ);
    if (!is_aligned(binding->offset, limits->storage_offset_alignment))
        dw_fail(&command->failure, DW_ERROR_ARGUMENT,
                "%s: binding offset %" PRIu64 " must be a multiple of %u bytes", what,
                binding->offset, limits->storage_offset_alignment);
    else if (added->size == 0)
        dw_fail(&command->failure, DW_ERROR_ARGUMENT, "%s: a binding is empty", what);
    else if (added->size > limits->max_storage_buffer_bytes)
        dw_fail(&command->failure, DW_ERROR_CAPACITY,
                "%s: a binding of %" PRIu64 " bytes exceeds the device's limit of %" PRIu64
                " bytes: split the work, or use Device(\"cpu\")",
                what, added->size, limits->max_storage_buffer_bytes);
}

static void check_reached(dw_command *command, const dw_gpu_binding *binding, const char *what)
{
    DW_ASSERT(binding->use <= DW_USE_SHADER_READ);
    if (!has_failed(command) && binding->buffer->address == 0)
        dw_fail(&command->failure, DW_ERROR_ARGUMENT,
                "%s: a buffer reached by address must be in device memory", what);
}

static void check_groups(dw_command *command, const uint32_t groups[3], const char *what)
{
    const uint32_t *limit = command->gpu->limits.max_group_count;

    for (int axis = 0; axis < 3; axis++) {
        if (groups[axis] > limit[axis])
            dw_fail(&command->failure, DW_ERROR_CAPACITY,
                    "%s: %u workgroups along axis %d exceed the device's limit of %u", what,
                    groups[axis], axis, limit[axis]);
    }
}

static void add_image(dw_command *command, const dw_gpu_image *image, dw_use use,
                      dw_sampler sampler, const char *what)
{
    if (has_failed(command))
        return;
    if (image == NULL || image->record == NULL || image->gpu != command->gpu) {
        dw_fail(&command->failure, DW_ERROR_ARGUMENT,
                "%s: an image is destroyed or belongs to another device", what);
        return;
    }
    command->bindings[command->binding_count++] =
        (dw_op_binding) { image->record, 0, 1, use, sampler };
    command->ops[command->op_count - 1].binding_count++;
}

static void add_inputs(dw_command *command, const dw_gpu_inputs *inputs, dw_use texture_use,
                       const char *what)
{
    for (uint32_t i = 0; i < inputs->buffer_count; i++) {
        add_binding(command, &inputs->buffers[i], what);
        check_storage(command, &inputs->buffers[i], what);
    }
    for (uint32_t i = 0; i < inputs->texture_count; i++)
        add_image(command, inputs->textures[i].image, texture_use, inputs->textures[i].sampler,
                  what);
    for (uint32_t i = 0; i < inputs->reached_count; i++) {
        add_binding(command, &inputs->reached[i], what);
        check_reached(command, &inputs->reached[i], what);
    }
}

static uint32_t input_count(const dw_gpu_inputs *inputs)
{
    return inputs->buffer_count + inputs->texture_count + inputs->reached_count;
}

/* The operation of a dispatch with its inputs, and room for `more` bindings; NULL after a failure.
 */
static dw_op *add_dispatch(dw_command *command, dw_pipeline *pipeline, const dw_gpu_inputs *inputs,
                           uint32_t more)
{
    const dw_shader *shader = pipeline->shader;
    dw_op *op;

    DW_ASSERT(inputs->buffer_count == shader->binding_count);
    DW_ASSERT(inputs->texture_count == shader->texture_count);
    DW_ASSERT(inputs->push_bytes == shader->push_constant_bytes);
    op = add_op(command, DW_OP_DISPATCH, input_count(inputs) + more, inputs->push,
                inputs->push_bytes);
    if (op == NULL)
        return NULL;
    op->layout = &pipeline->layout;
    op->pipeline = pipeline->handle;
    add_inputs(command, inputs, DW_USE_COMPUTE_READ, shader->name);
    return op;
}

void dw_command_dispatch_inputs(dw_command *command, dw_pipeline *pipeline,
                                const dw_gpu_inputs *inputs, const uint32_t groups[3])
{
    dw_op *op;

    if (has_failed(command) || groups[0] == 0 || groups[1] == 0 || groups[2] == 0)
        return;
    check_groups(command, groups, pipeline->shader->name);
    op = add_dispatch(command, pipeline, inputs, 0);
    if (op != NULL)
        memcpy(op->groups, groups, sizeof op->groups);
}

void dw_command_dispatch(dw_command *command, dw_pipeline *pipeline, const dw_gpu_binding *bindings,
                         uint32_t binding_count, const void *push, uint32_t push_bytes,
                         const uint32_t groups[3])
{
    dw_gpu_inputs inputs = {
        .buffers = bindings, .buffer_count = binding_count, .push = push, .push_bytes = push_bytes
    };

    dw_command_dispatch_inputs(command, pipeline, &inputs, groups);
}

void dw_command_dispatch_indirect(dw_command *command, dw_pipeline *pipeline,
                                  const dw_gpu_binding *bindings, uint32_t binding_count,
                                  const void *push, uint32_t push_bytes,
                                  const dw_gpu_buffer *groups, uint64_t offset)
{
    const dw_gpu_inputs inputs = {
        .buffers = bindings, .buffer_count = binding_count, .push = push, .push_bytes = push_bytes
    };
    const dw_gpu_binding counts = { groups, offset, 3 * sizeof(uint32_t), DW_USE_INDIRECT_READ };
    dw_op *op = add_dispatch(command, pipeline, &inputs, 1);

    DW_ASSERT(is_aligned(offset, 4));
    if (op == NULL)
        return;
    op->has_counts = true;
    op->indirect_offset = offset;
    add_binding(command, &counts, pipeline->shader->name);
}

void dw_groups_linear(const dw_gpu *gpu, uint64_t group_count, uint32_t groups[3])
{
    uint64_t limit = gpu->limits.max_group_count[0];
    uint64_t rows = (group_count + limit - 1) / limit;
    uint64_t columns = rows == 0 ? 0 : (group_count + rows - 1) / rows;

    groups[0] = (uint32_t)columns;
    groups[1] = (uint32_t)(rows < UINT32_MAX ? rows : UINT32_MAX);
    groups[2] = 1;
}

void dw_command_fill(dw_command *command, const dw_gpu_buffer *buffer, uint64_t offset,
                     uint64_t size, uint32_t value)
{
    dw_gpu_binding target = { buffer, offset, size, DW_USE_COPY_TARGET };
    dw_op *op;

    if (!is_aligned(offset, 4) || !is_aligned(size, 4)) {
        if (!has_failed(command))
            dw_fail(&command->failure, DW_ERROR_ARGUMENT,
                    "fill: offset %" PRIu64 " and size %" PRIu64 " must be multiples of 4 bytes",
                    offset, size);
        return;
    }
    op = add_op(command, DW_OP_FILL, 1, NULL, 0);
    if (op == NULL)
        return;
    op->fill_value = value;
    add_binding(command, &target, "fill");
}

void dw_command_copy(dw_command *command, const dw_gpu_buffer *source, uint64_t source_offset,
                     const dw_gpu_buffer *target, uint64_t target_offset, uint64_t size)
{
    dw_gpu_binding from = { source, source_offset, size, DW_USE_COPY_SOURCE };
    dw_gpu_binding to = { target, target_offset, size, DW_USE_COPY_TARGET };

    if (size == 0 || add_op(command, DW_OP_COPY, 2, NULL, 0) == NULL)
        return;
    add_binding(command, &from, "copy source");
    add_binding(command, &to, "copy target");
}

void dw_command_write(dw_command *command, const dw_gpu_buffer *buffer, uint64_t offset,
                      const void *data, uint64_t size)
{
    dw_gpu_binding target = { buffer, offset, size, DW_USE_COPY_TARGET };

    if (size == 0)
        return;
    if (!is_aligned(offset, 4) || !is_aligned(size, 4) || size > DW_INLINE_BYTES_MAX) {
        if (!has_failed(command))
            dw_fail(&command->failure, DW_ERROR_ARGUMENT,
                    "write: offset %" PRIu64 " and size %" PRIu64
                    " must be multiples of 4 bytes, and size at most %d",
                    offset, size, DW_INLINE_BYTES_MAX);
        return;
    }
    if (add_op(command, DW_OP_WRITE, 1, data, (uint32_t)size) != NULL)
        add_binding(command, &target, "write");
}

void dw_command_copy_to_image(dw_command *command, const dw_gpu_buffer *source, uint64_t offset,
                              const dw_gpu_image *image, uint32_t level, uint32_t layer)
{
    dw_gpu_binding from = { source, offset, dw_gpu_image_level_bytes(image, level),
                            DW_USE_COPY_SOURCE };
    dw_op *op;

    DW_ASSERT(is_aligned(offset, 16) && level < image->levels && layer < image->layers);
    op = add_op(command, DW_OP_COPY_TO_IMAGE, 2, NULL, 0);
    if (op == NULL)
        return;
    op->level = level;
    op->layer = layer;
    op->extent = (VkExtent2D) { dw_image_level_side(image->width, level),
                                dw_image_level_side(image->height, level) };
    add_binding(command, &from, "copy source");
    add_image(command, image, DW_USE_COPY_TARGET, DW_SAMPLER_NEAREST, "copy target");
}

void dw_command_lay_out(dw_command *command, const dw_gpu_image *image)
{
    if (add_op(command, DW_OP_LAY_OUT, 1, NULL, 0) != NULL)
        add_image(command, image, DW_USE_COPY_TARGET, DW_SAMPLER_NEAREST, "layout");
}

static void note_clear(dw_render_clears *clears, uint32_t at, const dw_gpu_target *target)
{
    clears->is_cleared[at] = target->is_cleared;
    if (target->image->format == DW_FORMAT_DEPTH32_FLOAT)
        clears->values[at].depthStencil.depth = target->clear.color[0];
    else
        memcpy(&clears->values[at].color, &target->clear, sizeof target->clear);
}

void dw_command_render_begin(dw_command *command, const dw_render_def *def)
{
    bool has_depth = def->depth.image != NULL;
    const dw_gpu_image *first = has_depth ? def->depth.image : def->colors[0].image;
    bool is_read_only = has_depth && def->depth.is_read_only;
    dw_render_clears clears = { .color_count = def->color_count,
                                .has_depth = has_depth,
                                .is_depth_read_only = is_read_only };
    dw_op *op;

    for (uint32_t i = 0; i < def->color_count; i++) {
        DW_ASSERT(def->colors[i].image->width == first->width &&
                  def->colors[i].image->height == first->height &&
                  def->colors[i].image->samples == first->samples);
        note_clear(&clears, i, &def->colors[i]);
    }
    if (has_depth)
        note_clear(&clears, DW_TARGETS_MAX, &def->depth);
    op = add_op(command, DW_OP_RENDER_BEGIN, def->color_count + 1, &clears, sizeof clears);
    if (op == NULL)
        return;
    op->extent = (VkExtent2D) { first->width, first->height };
    for (uint32_t i = 0; i < def->color_count; i++)
        add_image(command, def->colors[i].image, DW_USE_TARGET, DW_SAMPLER_NEAREST, "target");
    if (has_depth)
        add_image(command, def->depth.image, is_read_only ? DW_USE_DEPTH_READ : DW_USE_TARGET,
                  DW_SAMPLER_NEAREST, "depth target");
}

void dw_command_render_end(dw_command *command)
{
    add_op(command, DW_OP_RENDER_END, 0, NULL, 0);
}

void dw_command_draw(dw_command *command, const dw_draw *draw)
{
    const dw_gpu_inputs *inputs = &draw->inputs;
    const dw_graphics_pipeline *pipeline = draw->pipeline;
    dw_op *op;

    if (draw->indirect == NULL && (draw->count == 0 || draw->instance_count == 0))
        return;
    DW_ASSERT(inputs->buffer_count == pipeline->layout.buffer_count);
    DW_ASSERT(inputs->texture_count == pipeline->layout.texture_count);
    DW_ASSERT(inputs->push_bytes == pipeline->layout.push_bytes);
    op = add_op(command, DW_OP_DRAW, input_count(inputs) + 2, inputs->push, inputs->push_bytes);
    if (op == NULL)
        return;
    op->layout = &pipeline->layout;
    op->pipeline = pipeline->handle;
    op->count = draw->count;
    op->instance_count = draw->instance_count;
    op->first_index = draw->first_index;
    op->vertex_offset = draw->vertex_offset;
    op->indirect_offset = draw->indirect_offset;
    op->has_indices = draw->indices != NULL;
    op->has_counts = draw->indirect != NULL;
    add_inputs(command, inputs, DW_USE_SHADER_READ, pipeline->name);
    if (draw->indices != NULL)
        add_binding(command, &(dw_gpu_binding) { draw->indices, 0, 0, DW_USE_INDEX_READ },
                    pipeline->name);
    if (draw->indirect != NULL)
        add_binding(command, &(dw_gpu_binding) { draw->indirect, 0, 0, DW_USE_INDIRECT_READ },
                    pipeline->name);
}

void dw_command_time_begin(dw_command *command, const char *name)
{
    if (add_op(command, DW_OP_TIME_BEGIN, 0, name, (uint32_t)strlen(name) + 1) != NULL)
        command->open_spans++;
}

void dw_command_time_end(dw_command *command)
{
    if (add_op(command, DW_OP_TIME_END, 0, NULL, 0) == NULL)
        return;
    DW_ASSERT(command->open_spans > 0);
    command->open_spans--;
}
