/* SPDX-License-Identifier: MIT */
/* Barriers by epochs: a barrier orders everything before it against everything after it, so a
 * buffer's earlier accesses are of no concern once the device's epoch has moved on. Within an epoch
 * each buffer keeps the ranges it was used in; a new access that meets one of them, with a write on
 * either side, starts the next epoch. Submission order makes this hold across command buffers. */
#include "gpu/command_internal.h"
#include "gpu/device_internal.h"
#include "gpu/encode_internal.h"
#include "gpu/use_internal.h"

#include <stdio.h>
#include <string.h>

static bool is_hazard(const dw_gpu *gpu, const dw_op_binding *next)
{
    const dw_resource *record = next->record;
    bool is_write = dw_use_get_info(next->use)->writes != 0;

    if (record->epoch != gpu->epoch)
        return false;
    for (int i = 0; i < record->access_count; i++) {
        const dw_access *last = &record->accesses[i];

        if (next->offset < last->end && last->begin < next->offset + next->size &&
            (is_write || last->is_write))
            return true;
    }
    return false;
}

static void begin_epoch(dw_gpu *gpu, VkCommandBuffer buffer, VkPipelineStageFlags2 more_stages)
{
    VkMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
        .srcStageMask = gpu->epoch_stages,
        .srcAccessMask = gpu->epoch_writes,
        .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | more_stages,
        .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
    };
    VkDependencyInfo info = { .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                              .memoryBarrierCount = 1,
                              .pMemoryBarriers = &barrier };

    gpu->pipeline_barrier(buffer, &info);
    gpu->epoch++;
    gpu->epoch_stages = 0;
    gpu->epoch_writes = 0;
}

/* Orders against all earlier work, noted in this epoch or not. */
static void begin_full_epoch(dw_gpu *gpu, VkCommandBuffer buffer, VkPipelineStageFlags2 more_stages)
{
    gpu->epoch_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    gpu->epoch_writes = VK_ACCESS_2_MEMORY_WRITE_BIT;
    begin_epoch(gpu, buffer, more_stages);
}

static void note_access(dw_gpu *gpu, const dw_op_binding *now)
{
    dw_resource *record = now->record;
    const dw_use_info *use = dw_use_get_info(now->use);
    dw_access access;

    memset(&access, 0, sizeof access); /* padding too: accesses are compared as bytes */
    access.begin = now->offset;
    access.end = now->offset + now->size;
    access.is_write = use->writes != 0;

    gpu->epoch_stages |= use->stages;
    gpu->epoch_writes |= use->writes;
    if (record->epoch != gpu->epoch) {
        record->epoch = gpu->epoch;
        record->access_count = 0;
    }
    for (int i = 0; i < record->access_count; i++) { /* draws of one pass share their inputs */
        if (memcmp(&record->accesses[i], &access, sizeof access) == 0)
            return;
    }
    if (record->access_count == DW_ACCESSES_MAX) { /* one range over all: never too little */
        dw_access *all = &record->accesses[0];

        for (int i = 1; i < record->access_count; i++) {
            const dw_access *one = &record->accesses[i];

            all->begin = one->begin < all->begin ? one->begin : all->begin;
            all->end = one->end > all->end ? one->end : all->end;
            all->is_write = all->is_write || one->is_write;
        }
        record->access_count = 1;
    }
    record->accesses[record->access_count++] = access;
}

/* Orders the operation's accesses after those they depend on. */
static void synchronise(dw_gpu *gpu, VkCommandBuffer buffer, const dw_op_binding *bindings,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_hazard(gpu, &bindings[i])) {
            begin_epoch(gpu, buffer, 0);
            break;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        note_access(gpu, &bindings[i]);
}

static void encode_copy(const dw_command_slot *slot, const dw_op_binding *bindings)
{
    VkBufferCopy region = { bindings[0].offset, bindings[1].offset, bindings[0].size };

    vkCmdCopyBuffer(slot->buffer, bindings[0].record->buffer, bindings[1].record->buffer, 1,
                    &region);
}

/* Spans beyond DW_SPANS_MAX are not timed; they still nest. */
static void encode_time_begin(const dw_gpu *gpu, dw_command_slot *slot, const char *name)
{
    VkDebugUtilsLabelEXT label = { .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                   .pLabelName = name };
    uint32_t span = slot->span_count;

    if (gpu->instance->begin_label != NULL)
        gpu->instance->begin_label(slot->buffer, &label);
    if (slot->queries == VK_NULL_HANDLE || span == DW_SPANS_MAX) {
        slot->untimed_depth++;
        return;
    }
    snprintf(slot->spans[span].name, DW_TIMING_NAME_MAX, "%s", name);
    slot->spans[span].parent = slot->open_span;
    slot->open_span = span;
    slot->span_count++;
    gpu->write_timestamp(slot->buffer, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, slot->queries,
                         2 * span);
}

static void encode_time_end(const dw_gpu *gpu, dw_command_slot *slot)
{
    if (slot->untimed_depth > 0) {
        slot->untimed_depth--;
    } else {
        gpu->write_timestamp(slot->buffer, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, slot->queries,
                             2 * slot->open_span + 1);
        slot->open_span = slot->spans[slot->open_span].parent;
    }
    if (gpu->instance->end_label != NULL)
        gpu->instance->end_label(slot->buffer);
}

static void encode_copy_to_image(const dw_command_slot *slot, const dw_op *op,
                                 const dw_op_binding *bindings)
{
    VkBufferImageCopy region = {
        .bufferOffset = bindings[0].offset,
        .imageSubresource = { bindings[1].record->aspect, op->level, op->layer, 1 },
        .imageExtent = { op->extent.width, op->extent.height, 1 },
    };

    vkCmdCopyBufferToImage(slot->buffer, bindings[0].record->buffer, bindings[1].record->image,
                           VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

/* Images stay in the general layout: one barrier orders buffers and images alike. */
static void encode_lay_out(const dw_gpu *gpu, const dw_command_slot *slot,
                           const dw_op_binding *bindings)
{
    const dw_resource *image = bindings[0].record;
    VkImageMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
        .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
        .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
        .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
        .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->image,
        .subresourceRange = { image->aspect, 0, VK_REMAINING_MIP_LEVELS, 0,
                              VK_REMAINING_ARRAY_LAYERS },
    };
    VkDependencyInfo info = { .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                              .imageMemoryBarrierCount = 1,
                              .pImageMemoryBarriers = &barrier };

    gpu->pipeline_barrier(slot->buffer, &info);
}

/* Bindings of the operation; of a pass's begin also those of its draws, which follow it. */
static uint32_t bindings_through(const dw_command *command, const dw_op *op)
{
    const dw_op *end = command->ops + command->op_count;
    const dw_op *last = op;

    if (op->kind == DW_OP_RENDER_BEGIN) {
        while (last + 1 < end && last->kind != DW_OP_RENDER_END)
            last++;
    }
    return last->first_binding + last->binding_count - op->first_binding;
}

/* Bytes that the operation takes from the host. */
static uint64_t sent_bytes(const dw_op *op, const dw_op_binding *bindings)
{
    switch (op->kind) {
    case DW_OP_DISPATCH:
    case DW_OP_DRAW:
    case DW_OP_WRITE:
        return op->data_bytes;
    case DW_OP_COPY:
    case DW_OP_COPY_TO_IMAGE:
        return bindings[0].record->kind == DW_MEMORY_UPLOAD ? bindings[0].size : 0;
    default:
        return 0;
    }
}

static dw_status encode_op(dw_command *command, dw_command_slot *slot, const dw_op *op,
                           dw_error *err)
{
    const dw_op_binding *bindings = command->bindings + op->first_binding;
    const uint8_t *data = command->data + op->data_offset;
    dw_gpu *gpu = command->gpu;

    gpu->sent_bytes += sent_bytes(op, bindings);
    if (op->kind != DW_OP_DRAW) /* no barrier may come inside a pass: its begin orders all of it */
        synchronise(gpu, slot->buffer, bindings, bindings_through(command, op));
    switch (op->kind) {
    case DW_OP_DISPATCH:
        return dw_encode_dispatch(command, slot, op, err);
    case DW_OP_DRAW:
        return dw_encode_draw(command, slot, op, err);
    case DW_OP_RENDER_BEGIN:
        dw_encode_render_begin(command, slot, op);
        return DW_OK;
    case DW_OP_RENDER_END:
        gpu->end_rendering(slot->buffer);
        return DW_OK;
    case DW_OP_COPY_TO_IMAGE:
        encode_copy_to_image(slot, op, bindings);
        return DW_OK;
    case DW_OP_LAY_OUT:
        encode_lay_out(gpu, slot, bindings);
        return DW_OK;
    case DW_OP_FILL:
        /* the buffer's own size is rounded up to words, and so may the rest be */
        vkCmdFillBuffer(slot->buffer, bindings->record->buffer, bindings->offset,
                        (bindings->size + 3) & ~(uint64_t)3, op->fill_value);
        return DW_OK;
    case DW_OP_COPY:
        encode_copy(slot, bindings);
        return DW_OK;
    case DW_OP_WRITE:
        vkCmdUpdateBuffer(slot->buffer, bindings->record->buffer, bindings->offset, op->data_bytes,
                          data);
        return DW_OK;
    case DW_OP_TIME_BEGIN:
        encode_time_begin(gpu, slot, (const char *)data);
        return DW_OK;
    case DW_OP_TIME_END:
        encode_time_end(gpu, slot);
        return DW_OK;
    }
    dw_unreachable();
    return DW_OK;
}

static bool writes_to_host(const dw_command *command)
{
    for (size_t i = 0; i < command->binding_count; i++) {
        const dw_op_binding *binding = &command->bindings[i];

        if (binding->record->kind == DW_MEMORY_READBACK &&
            dw_use_get_info(binding->use)->writes != 0)
            return true;
    }
    return false;
}

dw_status dw_command_encode(dw_command *command, dw_command_slot *slot, dw_error *err)
{
    VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                       .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };
    dw_gpu *gpu = command->gpu;

    slot->span_count = slot->untimed_depth = 0;
    slot->bound = (dw_bound) { .layout = NULL };
    slot->open_span = DW_SPANS_MAX;
    DW_TRY(dw_gpu_vk_check(gpu, vkBeginCommandBuffer(slot->buffer, &begin), "vkBeginCommandBuffer",
                           err));
    if (slot->queries != VK_NULL_HANDLE)
        vkCmdResetQueryPool(slot->buffer, slot->queries, 0, 2 * DW_SPANS_MAX);
    if (gpu->is_order_unknown)
        begin_full_epoch(gpu, slot->buffer, 0);
    gpu->is_order_unknown = true; /* until this command is on the queue */
    for (size_t i = 0; i < command->op_count; i++)
        DW_TRY(encode_op(command, slot, &command->ops[i], err));
    if (writes_to_host(command)) /* visible to the host after the wait */
        begin_full_epoch(gpu, slot->buffer, dw_use_get_info(DW_USE_HOST_READ)->stages);
    DW_TRY(dw_gpu_vk_check(gpu, vkEndCommandBuffer(slot->buffer), "vkEndCommandBuffer", err));
    return DW_OK;
fail:
    return err->code;
}
