/* SPDX-License-Identifier: MIT */
#include "gpu/buffer_internal.h"

#include "base/alloc.h"
#include "gpu/device_internal.h"

static const VkBufferUsageFlags usages[] = {
    [DW_MEMORY_DEVICE] = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                         VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                         VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
    [DW_MEMORY_UPLOAD] = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
    [DW_MEMORY_READBACK] = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
};

static void link_record(dw_buffer_record **list, dw_buffer_record *record)
{
    record->previous = NULL;
    record->next = *list;
    if (*list != NULL)
        (*list)->previous = record;
    *list = record;
}

static void unlink_record(dw_buffer_record **list, dw_buffer_record *record)
{
    if (record->previous != NULL)
        record->previous->next = record->next;
    else
        *list = record->next;
    if (record->next != NULL)
        record->next->previous = record->previous;
}

/* The Vulkan side of a record. Under resource_lock. */
static void release_record(dw_gpu *gpu, dw_buffer_record *record)
{
    if (record->handle != VK_NULL_HANDLE)
        vkDestroyBuffer(gpu->handle, record->handle, NULL);
    record->handle = VK_NULL_HANDLE;
    dw_memory_give(gpu, &record->memory);
}

static dw_status bind_memory(dw_gpu *gpu, dw_buffer_record *record, dw_error *err)
{
    VkMemoryRequirements need;
    VkResult result;

    vkGetBufferMemoryRequirements(gpu->handle, record->handle, &need);
    DW_TRY(dw_memory_take(gpu, &need, record->kind, &record->memory, err));
    result = vkBindBufferMemory(gpu->handle, record->handle, dw_memory_handle(&record->memory),
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

static void publish(dw_gpu *gpu, dw_buffer_record *record, dw_gpu_buffer *out)
{
    VkBufferDeviceAddressInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                       .buffer = record->handle };
    bool is_device = record->kind == DW_MEMORY_DEVICE;

    link_record(&gpu->live, record);
    if (!record->is_internal) {
        gpu->buffer_count++;
        gpu->used_bytes += record->size_bytes;
    }
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
                                /* fills and inline writes work in words of 4 bytes */
                                .size = (def->size_bytes + 3) & ~(uint64_t)3,
                                .usage = usages[def->memory],
                                .sharingMode = VK_SHARING_MODE_EXCLUSIVE };
    dw_buffer_record *record = NULL;

    DW_TRY(dw_gpu_check(gpu, err));
    DW_TRY(check_def(gpu, def, err));
    dw_graveyard_drain(gpu);
    DW_TRY(DW_ALLOC_ZEROED(1, &record, err));
    record->size_bytes = def->size_bytes;
    record->kind = def->memory;
    record->is_internal = is_internal;
    DW_TRY(dw_gpu_vk_check(gpu, vkCreateBuffer(gpu->handle, &info, NULL, &record->handle),
                           "vkCreateBuffer", err));
    dw_gpu_set_name(gpu, VK_OBJECT_TYPE_BUFFER, (uint64_t)record->handle, def->name);
    dw_mutex_lock(&gpu->resource_lock);
    if (bind_memory(gpu, record, err) == DW_OK) {
        publish(gpu, record, out);
        record = NULL;
    } else {
        release_record(gpu, record);
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

dw_status dw_gpu_buffer_create_internal(dw_gpu *gpu, const dw_gpu_buffer_def *def,
                                        dw_gpu_buffer *out, dw_error *err)
{
    return create(gpu, def, true, out, err);
}

void dw_gpu_buffer_destroy(dw_gpu_buffer *buffer)
{
    dw_buffer_record *record = buffer->record;
    dw_gpu *gpu = buffer->gpu;

    *buffer = (dw_gpu_buffer) { .gpu = NULL };
    if (record == NULL)
        return;
    dw_mutex_lock(&gpu->resource_lock);
    unlink_record(&gpu->live, record);
    if (!record->is_internal) {
        gpu->buffer_count--;
        gpu->used_bytes -= record->size_bytes;
    }
    if (record->handle != VK_NULL_HANDLE) {
        link_record(&gpu->retired, record);
        gpu->retired_count++;
        record = NULL;
    }
    dw_mutex_unlock(&gpu->resource_lock);
    dw_free(record); /* the device was closed: nothing but the record is left */
}

void dw_graveyard_drain(dw_gpu *gpu)
{
    uint64_t completed;

    dw_mutex_lock(&gpu->resource_lock);
    completed = gpu->retired == NULL ? 0 : dw_gpu_completed(gpu);
    for (dw_buffer_record *record = gpu->retired, *next; record != NULL; record = next) {
        next = record->next;
        if (atomic_load(&record->ticket) > completed)
            continue;
        unlink_record(&gpu->retired, record);
        gpu->retired_count--;
        release_record(gpu, record);
        dw_free(record);
    }
    dw_mutex_unlock(&gpu->resource_lock);
}

void dw_buffers_finish(dw_gpu *gpu)
{
    dw_mutex_lock(&gpu->resource_lock);
    while (gpu->retired != NULL) {
        dw_buffer_record *record = gpu->retired;

        gpu->retired = record->next;
        release_record(gpu, record);
        dw_free(record);
    }
    gpu->retired_count = 0;
    for (dw_buffer_record *record = gpu->live; record != NULL; record = record->next)
        release_record(gpu, record);
    dw_mutex_unlock(&gpu->resource_lock);
}
