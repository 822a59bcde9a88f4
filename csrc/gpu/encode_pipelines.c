/* SPDX-License-Identifier: MIT */
#include "gpu/encode_internal.h"

#include "gpu/device_internal.h"

#include <string.h>

static dw_status write_buffers(dw_gpu *gpu, dw_command_slot *slot, const dw_layout *layout,
                               const dw_op_binding *bindings, VkDescriptorSet *out, dw_error *err)
{
    VkDescriptorBufferInfo buffers[DW_BINDINGS_MAX];
    VkWriteDescriptorSet writes[DW_BINDINGS_MAX];

    if (dw_descriptors_take(gpu, &slot->descriptors, layout->sets[0], out, err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < layout->buffer_count; i++) {
        buffers[i] = (VkDescriptorBufferInfo) { bindings[i].record->buffer, bindings[i].offset,
                                                bindings[i].size };
        writes[i] = (VkWriteDescriptorSet) { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                             .dstSet = *out,
                                             .dstBinding = i,
                                             .descriptorCount = 1,
                                             .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                             .pBufferInfo = &buffers[i] };
    }
    vkUpdateDescriptorSets(gpu->handle, layout->buffer_count, writes, 0, NULL);
    return DW_OK;
}

static dw_status write_textures(dw_gpu *gpu, dw_command_slot *slot, const dw_layout *layout,
                                const dw_op_binding *bindings, VkDescriptorSet *out, dw_error *err)
{
    VkDescriptorImageInfo images[DW_TEXTURES_MAX];
    VkWriteDescriptorSet writes[DW_TEXTURES_MAX];

    if (dw_descriptors_take(gpu, &slot->descriptors, layout->sets[1], out, err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < layout->texture_count; i++) {
        images[i] = (VkDescriptorImageInfo) { .imageView = bindings[i].record->view,
                                              .imageLayout = VK_IMAGE_LAYOUT_GENERAL };
        if (dw_sampler_get(gpu, bindings[i].sampler, &images[i].sampler, err) != DW_OK)
            return err->code;
        writes[i] =
            (VkWriteDescriptorSet) { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .dstSet = *out,
                                     .dstBinding = i,
                                     .descriptorCount = 1,
                                     .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                     .pImageInfo = &images[i] };
    }
    vkUpdateDescriptorSets(gpu->handle, layout->texture_count, writes, 0, NULL);
    return DW_OK;
}

static bool is_equal(const dw_op_binding *a, const dw_op_binding *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].record != b[i].record || a[i].offset != b[i].offset || a[i].size != b[i].size ||
            a[i].sampler != b[i].sampler)
            return false;
    }
    return true;
}

/* Binds the sets that differ from what the last operation of this layout has bound. */
static dw_status bind_inputs(dw_gpu *gpu, dw_command_slot *slot, const dw_op *op,
                             const dw_op_binding *bindings, VkPipelineBindPoint point,
                             dw_error *err)
{
    const dw_layout *layout = op->layout;
    const dw_op_binding *textures = bindings + layout->buffer_count;
    const dw_op_binding *last = slot->bound.layout == layout ? slot->bound.inputs : NULL;
    VkDescriptorSet set = VK_NULL_HANDLE;

    if (layout->buffer_count > 0 &&
        (last == NULL || !is_equal(last, bindings, layout->buffer_count))) {
        if (write_buffers(gpu, slot, layout, bindings, &set, err) != DW_OK)
            return err->code;
        vkCmdBindDescriptorSets(slot->buffer, point, layout->handle, 0, 1, &set, 0, NULL);
    }
    if (layout->texture_count > 0 &&
        (last == NULL || !is_equal(last + layout->buffer_count, textures, layout->texture_count))) {
        if (write_textures(gpu, slot, layout, textures, &set, err) != DW_OK)
            return err->code;
        vkCmdBindDescriptorSets(slot->buffer, point, layout->handle, 1, 1, &set, 0, NULL);
    }
    slot->bound.layout = layout;
    slot->bound.inputs = bindings;
    return DW_OK;
}

static dw_status bind_pipeline(dw_command *command, dw_command_slot *slot, const dw_op *op,
                               VkPipelineBindPoint point, dw_error *err)
{
    const dw_op_binding *bindings = command->bindings + op->first_binding;

    if (slot->bound.pipeline != op->pipeline)
        vkCmdBindPipeline(slot->buffer, point, op->pipeline);
    slot->bound.pipeline = op->pipeline;
    if (bind_inputs(command->gpu, slot, op, bindings, point, err) != DW_OK)
        return err->code;
    if (op->data_bytes > 0)
        vkCmdPushConstants(slot->buffer, op->layout->handle, op->layout->stages, 0, op->data_bytes,
                           command->data + op->data_offset);
    return DW_OK;
}

dw_status dw_encode_dispatch(dw_command *command, dw_command_slot *slot, const dw_op *op,
                             dw_error *err)
{
    const dw_op_binding *end = command->bindings + op->first_binding + op->binding_count;

    if (bind_pipeline(command, slot, op, VK_PIPELINE_BIND_POINT_COMPUTE, err) != DW_OK)
        return err->code;
    if (op->has_counts)
        vkCmdDispatchIndirect(slot->buffer, end[-1].record->buffer, op->indirect_offset);
    else
        vkCmdDispatch(slot->buffer, op->groups[0], op->groups[1], op->groups[2]);
    return DW_OK;
}

static void bind_indices(dw_command_slot *slot, VkBuffer indices)
{
    if (slot->bound.indices != indices)
        vkCmdBindIndexBuffer(slot->buffer, indices, 0, VK_INDEX_TYPE_UINT32);
    slot->bound.indices = indices;
}

dw_status dw_encode_draw(dw_command *command, dw_command_slot *slot, const dw_op *op, dw_error *err)
{
    const dw_op_binding *end = command->bindings + op->first_binding + op->binding_count;
    VkBuffer counts = op->has_counts ? end[-1].record->buffer : VK_NULL_HANDLE;

    if (bind_pipeline(command, slot, op, VK_PIPELINE_BIND_POINT_GRAPHICS, err) != DW_OK)
        return err->code;
    if (op->has_indices)
        bind_indices(slot, end[op->has_counts ? -2 : -1].record->buffer);
    if (op->has_counts && op->has_indices)
        vkCmdDrawIndexedIndirect(slot->buffer, counts, op->indirect_offset, 1, 0);
    else if (op->has_counts)
        vkCmdDrawIndirect(slot->buffer, counts, op->indirect_offset, 1, 0);
    else if (op->has_indices)
        vkCmdDrawIndexed(slot->buffer, op->count, op->instance_count, op->first_index,
                         op->vertex_offset, 0);
    else
        vkCmdDraw(slot->buffer, op->count, op->instance_count, op->first_index, 0);
    return DW_OK;
}

static VkRenderingAttachmentInfo attachment(const dw_op_binding *binding,
                                            const dw_render_clears *clears, uint32_t at)
{
    return (VkRenderingAttachmentInfo) {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = binding->record->view,
        .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .loadOp = clears->is_cleared[at] ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .clearValue = clears->values[at],
    };
}

void dw_encode_render_begin(const dw_command *command, dw_command_slot *slot, const dw_op *op)
{
    const dw_op_binding *bindings = command->bindings + op->first_binding;
    VkRenderingAttachmentInfo colors[DW_TARGETS_MAX], depth;
    VkViewport viewport = { 0.0f, 0.0f, (float)op->extent.width, (float)op->extent.height, 0, 1 };
    VkRect2D area = { { 0, 0 }, op->extent };
    VkRenderingInfo info = { .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = area,
                             .layerCount = 1,
                             .pColorAttachments = colors };
    dw_render_clears clears;

    memcpy(&clears, command->data + op->data_offset, sizeof clears);
    info.colorAttachmentCount = clears.color_count;
    for (uint32_t i = 0; i < clears.color_count; i++)
        colors[i] = attachment(&bindings[i], &clears, i);
    if (clears.has_depth) {
        depth = attachment(&bindings[clears.color_count], &clears, DW_TARGETS_MAX);
        if (clears.is_depth_read_only) /* a store is a write, which no draw of the pass may read */
            depth.storeOp = VK_ATTACHMENT_STORE_OP_NONE;
        info.pDepthAttachment = &depth;
    }
    command->gpu->begin_rendering(slot->buffer, &info);
    vkCmdSetViewport(slot->buffer, 0, 1, &viewport);
    vkCmdSetScissor(slot->buffer, 0, 1, &area);
}
