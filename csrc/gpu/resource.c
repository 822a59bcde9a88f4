/* SPDX-License-Identifier: MIT */
#include "gpu/resource_internal.h"

#include "base/alloc.h"
#include "gpu/device_internal.h"

static void link_resource(dw_resource **list, dw_resource *resource)
{
    resource->previous = NULL;
    resource->next = *list;
    if (*list != NULL)
        (*list)->previous = resource;
    *list = resource;
}

static void unlink_resource(dw_resource **list, dw_resource *resource)
{
    if (resource->previous != NULL)
        resource->previous->next = resource->next;
    else
        *list = resource->next;
    if (resource->next != NULL)
        resource->next->previous = resource->previous;
}

static bool has_handle(const dw_resource *resource)
{
    return resource->buffer != VK_NULL_HANDLE || resource->image != VK_NULL_HANDLE;
}

static void count(dw_gpu *gpu, const dw_resource *resource, int64_t sign)
{
    if (resource->is_internal)
        return;
    if (resource->image != VK_NULL_HANDLE || resource->aspect != 0)
        gpu->image_count += sign;
    else
        gpu->buffer_count += sign;
    gpu->used_bytes += (uint64_t)sign * resource->size_bytes;
}

void dw_resource_publish(dw_gpu *gpu, dw_resource *resource)
{
    link_resource(&gpu->live, resource);
    count(gpu, resource, 1);
}

void dw_resource_release(dw_gpu *gpu, dw_resource *resource)
{
    if (resource->buffer != VK_NULL_HANDLE)
        vkDestroyBuffer(gpu->handle, resource->buffer, NULL);
    if (resource->view != VK_NULL_HANDLE)
        vkDestroyImageView(gpu->handle, resource->view, NULL);
    if (resource->image != VK_NULL_HANDLE)
        vkDestroyImage(gpu->handle, resource->image, NULL);
    resource->buffer = VK_NULL_HANDLE;
    resource->view = VK_NULL_HANDLE;
    resource->image = VK_NULL_HANDLE;
    dw_memory_give(gpu, &resource->memory);
}

void dw_resource_retire(dw_gpu *gpu, dw_resource *resource)
{
    if (resource == NULL)
        return;
    dw_mutex_lock(&gpu->resource_lock);
    unlink_resource(&gpu->live, resource);
    count(gpu, resource, -1);
    if (has_handle(resource)) {
        link_resource(&gpu->retired, resource);
        gpu->retired_count++;
        resource = NULL;
    }
    dw_mutex_unlock(&gpu->resource_lock);
    dw_free(resource); /* the device was closed: nothing but the record is left */
}

void dw_graveyard_drain(dw_gpu *gpu)
{
    uint64_t completed;

    dw_mutex_lock(&gpu->resource_lock);
    completed = gpu->retired == NULL ? 0 : dw_gpu_completed(gpu);
    for (dw_resource *resource = gpu->retired, *next; resource != NULL; resource = next) {
        next = resource->next;
        if (atomic_load(&resource->ticket) > completed)
            continue;
        unlink_resource(&gpu->retired, resource);
        gpu->retired_count--;
        dw_resource_release(gpu, resource);
        dw_free(resource);
    }
    dw_mutex_unlock(&gpu->resource_lock);
}

void dw_resources_finish(dw_gpu *gpu)
{
    dw_mutex_lock(&gpu->resource_lock);
    while (gpu->retired != NULL) {
        dw_resource *resource = gpu->retired;

        gpu->retired = resource->next;
        dw_resource_release(gpu, resource);
        dw_free(resource);
    }
    gpu->retired_count = 0;
    for (dw_resource *resource = gpu->live; resource != NULL; resource = resource->next)
        dw_resource_release(gpu, resource);
    dw_mutex_unlock(&gpu->resource_lock);
}
