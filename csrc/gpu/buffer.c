/* SPDX-License-Identifier: MIT */
#include "gpu/buffer_internal.h"

#include "base/alloc.h"
#include "gpu/device_internal.h"

static const VkBufferUsageFlags usages[] = {
    [DW_MEMORY_DEVICE] = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                         VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                         VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                         VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
    [DW_MEMORY_UPLOAD] = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
    [DW_MEMORY_READBACK] = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
};

static dw_status bind_memory(dw_gpu *gpu, dw_resource *record, dw_error *err)
{
    VkMemoryRequirements need;
    VkResult result;

    vkGetBufferMemoryRequirements(gpu->handle, record->buffer, &need);
    DW_TRY(dw_memory_take(gpu, &need, record->kind, &record->memory, err));
    result = vkBindBufferMemory(gpu->handle, record->buffer, dw_memory_handle(&record->memory),
                                record->memory.offset);
    DW_TRY(dw_gpu_vk_check(gpu, result, "vkBindBufferMemory", err));
    return DW_OK;
fail:
    return err->code;
}

static dw_status check_def(const dw_gpu *gpu, const dw_gpu_buffer_def *def, dw_error *err)
{
    if (def->size_bytes == 0)
        return dw_fail(err, DW_ERROR_ARGUMENT, "buffer \"%s\" needs at least 1 byte, got 0",
                       def->name);
    if (def->size_bytes > gpu->limits.max_buffer_bytes)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "buffer \"%s\" of %llu bytes exceeds the device's limit of %llu bytes: "
                       "split the work, or use Device(\"cpu\")",
                       def->name, (unsigned long long)def->size_bytes,
                       (unsigned long long)gpu->limits.max_buffer_bytes);
    return DW_OK;
}

static void publish(dw_gpu *gpu, dw_resource *record, dw_gpu_buffer *out)
{
    VkBufferDeviceAddressInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                       .buffer = record->buffer };
    bool is_device = record->kind == DW_MEMORY_DEVICE;

    dw_resource_publish(gpu, record);
    *out = (dw_gpu_buffer) {
        .gpu = gpu,
        .record = record,
        .size_bytes = record->size_bytes,
        .address = is_device ? vkGetBufferDeviceAddress(gpu->handle, &info) : 0,
        .mapped = is_device ? NULL : dw_memory_mapped(&record->memory),
    };
}

static dw_status create(dw_gpu *gpu, const dw_gpu_buffer_def *def, bool is_internal,
                        dw_gpu_buffer *out, dw_error *err)
{
    VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                /* fills work in words of 4 bytes, and shaders read pairs */
                                .size = (def->size_bytes + 7) & ~(uint64_t)7,
                                .usage = usages[def->memory],
                                .sharingMode = VK_SHARING_MODE_EXCLUSIVE };
    dw_resource *record = NULL;

    DW_TRY(dw_gpu_check(gpu, err));
    DW_TRY(check_def(gpu, def, err));
    dw_graveyard_drain(gpu);
    DW_TRY(DW_ALLOC_ZEROED(1, &record, err));
    record->size_bytes = def->size_bytes;
    record->kind = def->memory;
    record->is_internal = is_internal;
    DW_TRY(dw_gpu_vk_check(gpu, vkCreateBuffer(gpu->handle, &info, NULL, &record->buffer),
                           "vkCreateBuffer", err));
    dw_gpu_set_name(gpu, VK_OBJECT_TYPE_BUFFER, (uint64_t)record->buffer, def->name);
    dw_mutex_lock(&gpu->resource_lock);
    if (bind_memory(gpu, record, err) == DW_OK) {
        publish(gpu, record, out);
        record = NULL;
    } else {
        dw_resource_release(gpu, record);
    }
    dw_mutex_unlock(&gpu->resource_lock);
    if (record == NULL)
        return DW_OK;
fail:
    dw_free(record);
    return err->code;
}

dw_status dw_gpu_buffer_create(dw_gpu *gpu, const dw_gpu_buffer_def *def, dw_gpu_buffer *out,
                               dw_error *err)
{
    return create(gpu, def, false, out, err);
}

dw_status dw_gpu_buffer_create_device(dw_gpu *gpu, uint64_t size_bytes, const char *name,
                                      dw_gpu_buffer *out, dw_error *err)
{
    dw_gpu_buffer_def def = { size_bytes, DW_MEMORY_DEVICE, name };

    return create(gpu, &def, false, out, err);
}

dw_status dw_gpu_buffer_create_internal(dw_gpu *gpu, const dw_gpu_buffer_def *def,
                                        dw_gpu_buffer *out, dw_error *err)
{
    return create(gpu, def, true, out, err);
}

void dw_gpu_buffer_destroy(dw_gpu_buffer *buffer)
{
    dw_gpu_buffer old = *buffer;

    *buffer = (dw_gpu_buffer) { .gpu = NULL };
    dw_resource_retire(old.gpu, old.record);
}
