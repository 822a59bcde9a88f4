/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "gpu/command_internal.h"
#include "gpu/device_internal.h"

#include <string.h>

#define WAIT_SLICE_NANOSECONDS ((uint64_t)50000000)
#define POLL_SECONDS           0.05

static VkResult wait_once(dw_gpu *gpu, uint64_t value)
{
    VkSemaphoreWaitInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                 .semaphoreCount = 1,
                                 .pSemaphores = &gpu->timeline,
                                 .pValues = &value };

    return vkWaitSemaphores(gpu->handle, &info, WAIT_SLICE_NANOSECONDS);
}

static void destroy_slot(dw_gpu *gpu, dw_command_slot *slot)
{
    if (slot == NULL)
        return;
    dw_descriptors_finish(gpu, &slot->descriptors);
    vkDestroyQueryPool(gpu->handle, slot->queries, NULL);
    vkDestroyCommandPool(gpu->handle, slot->pool, NULL);
    dw_free(slot);
}

static dw_status create_slot(dw_gpu *gpu, dw_command_slot **out, dw_error *err)
{
    VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                     .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                     .queueFamilyIndex = gpu->queue_family };
    VkCommandBufferAllocateInfo buffer = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1 };
    VkQueryPoolCreateInfo queries = { .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                      .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                      .queryCount = 2 * DW_SPANS_MAX };
    dw_command_slot *slot = NULL;

    DW_TRY(DW_ALLOC_ZEROED(1, &slot, err));
    DW_TRY(dw_gpu_vk_check(gpu, vkCreateCommandPool(gpu->handle, &pool, NULL, &slot->pool),
                           "vkCreateCommandPool", err));
    buffer.commandPool = slot->pool;
    DW_TRY(dw_gpu_vk_check(gpu, vkAllocateCommandBuffers(gpu->handle, &buffer, &slot->buffer),
                           "vkAllocateCommandBuffers", err));
    if (gpu->timestamp_bits > 0)
        DW_TRY(dw_gpu_vk_check(gpu, vkCreateQueryPool(gpu->handle, &queries, NULL, &slot->queries),
                               "vkCreateQueryPool", err));
    *out = slot;
    return DW_OK;
fail:
    destroy_slot(gpu, slot);
    return err->code;
}

static dw_command_slot *oldest_slot(const dw_gpu *gpu)
{
    dw_command_slot *oldest = gpu->slot_count > 0 ? gpu->slots[0] : NULL;

    for (int i = 1; i < gpu->slot_count; i++) {
        if (gpu->slots[i]->ticket < oldest->ticket)
            oldest = gpu->slots[i];
    }
    return oldest;
}

/* A slot whose last command has finished, reset: the oldest one, or a new one. Only with all slots
 * busy does the caller wait here. */
static dw_status take_slot(dw_gpu *gpu, dw_command_slot **out, dw_error *err)
{
    dw_command_slot *slot = oldest_slot(gpu);
    VkResult result = VK_SUCCESS;

    if (slot == NULL || slot->ticket > dw_gpu_completed(gpu)) {
        if (gpu->slot_count < DW_COMMAND_SLOTS_MAX) {
            DW_TRY(create_slot(gpu, &slot, err));
            gpu->slots[gpu->slot_count++] = slot;
        }
        do
            result = wait_once(gpu, slot->ticket);
        while (result == VK_TIMEOUT);
        DW_TRY(dw_gpu_vk_check(gpu, result, "vkWaitSemaphores", err));
    }
    dw_commands_collect_times(gpu);
    DW_TRY(dw_gpu_vk_check(gpu, vkResetCommandPool(gpu->handle, slot->pool, 0),
                           "vkResetCommandPool", err));
    dw_descriptors_reset(gpu, &slot->descriptors);
    *out = slot;
    return DW_OK;
fail:
    return err->code;
}

static dw_status queue_slot(dw_gpu *gpu, dw_command_slot *slot, uint64_t ticket, dw_error *err)
{
    VkCommandBufferSubmitInfo buffer = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                         .commandBuffer = slot->buffer };
    VkSemaphoreSubmitInfo signal = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                     .semaphore = gpu->timeline,
                                     .value = ticket,
                                     .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT };
    VkSubmitInfo2 info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                           .commandBufferInfoCount = 1,
                           .pCommandBufferInfos = &buffer,
                           .signalSemaphoreInfoCount = 1,
                           .pSignalSemaphoreInfos = &signal };

    DW_TRY(dw_gpu_vk_check(gpu, gpu->queue_submit(gpu->queue, 1, &info, VK_NULL_HANDLE),
                           "vkQueueSubmit2", err));
    return DW_OK;
fail:
    return err->code;
}

static dw_status submit_locked(dw_command *command, dw_ticket *out, dw_error *err)
{
    dw_gpu *gpu = command->gpu;
    uint64_t ticket = gpu->submitted + 1;
    dw_command_slot *slot = NULL;

    DW_TRY(dw_gpu_check(gpu, err));
    DW_TRY(take_slot(gpu, &slot, err));
    DW_TRY(dw_command_encode(command, slot, err));
    DW_TRY(queue_slot(gpu, slot, ticket, err));
    gpu->is_order_unknown = false;
    gpu->submitted = ticket;
    slot->ticket = ticket;
    slot->has_times = slot->span_count > 0;
    for (size_t i = 0; i < command->binding_count; i++)
        atomic_store(&command->bindings[i].record->ticket, ticket);
    out->value = ticket;
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_command_submit(dw_command *command, dw_ticket *out, dw_error *err)
{
    dw_gpu *gpu = command->gpu;
    dw_status status;

    while (command->open_spans > 0 && command->failure.code == DW_OK)
        dw_command_time_end(command);
    if (command->failure.code != DW_OK) {
        *err = command->failure;
        dw_command_recycle(command);
        return err->code;
    }
    dw_mutex_lock(&gpu->lock);
    status = submit_locked(command, out, err);
    dw_mutex_unlock(&gpu->lock);
    dw_command_recycle(command);
    dw_graveyard_drain(gpu);
    return status;
}

/* Polls when this thread's last poll is 50 ms past, however short the single waits are. */
static bool poll(const dw_run *run)
{
    static _Thread_local double next_poll;
    double now;

    if (run == NULL || run->poll == NULL)
        return true;
    now = dw_platform_seconds();
    if (now < next_poll)
        return true;
    next_poll = now + POLL_SECONDS;
    return run->poll(run->poll_user, run->fraction_begin);
}

dw_status dw_gpu_wait(dw_gpu *gpu, dw_ticket ticket, const dw_run *run, dw_error *err)
{
    for (;;) {
        VkResult result;

        if (dw_gpu_check(gpu, err) != DW_OK)
            return err->code;
        if (!poll(run))
            return dw_fail(err, DW_ERROR_INTERRUPTED, "interrupted");
        result = wait_once(gpu, ticket.value);
        if (result != VK_TIMEOUT)
            return dw_gpu_vk_check(gpu, result, "vkWaitSemaphores", err);
    }
}

bool dw_gpu_is_done(dw_gpu *gpu, dw_ticket ticket)
{
    return ticket.value == 0 || atomic_load(&gpu->is_closed) ||
           dw_gpu_completed(gpu) >= ticket.value;
}

static double elapsed_milliseconds(const dw_gpu *gpu, const uint64_t ticks[2])
{
    uint64_t mask =
        gpu->timestamp_bits >= 64 ? UINT64_MAX : ((uint64_t)1 << gpu->timestamp_bits) - 1;

    return (double)((ticks[1] - ticks[0]) & mask) * gpu->timestamp_nanoseconds * 1e-6;
}

static void collect_slot(dw_gpu *gpu, dw_command_slot *slot)
{
    uint64_t ticks[DW_SPANS_MAX][2];
    VkResult result =
        vkGetQueryPoolResults(gpu->handle, slot->queries, 0, 2 * slot->span_count, sizeof ticks,
                              ticks, sizeof ticks[0][0], VK_QUERY_RESULT_64_BIT);

    slot->has_times = false;
    if (result != VK_SUCCESS)
        return;
    for (uint32_t i = 0; i < slot->span_count; i++)
        dw_timing_set(&gpu->timings, slot->spans[i].name, 0.0);
    for (uint32_t i = 0; i < slot->span_count; i++)
        dw_timing_add(&gpu->timings, slot->spans[i].name, elapsed_milliseconds(gpu, ticks[i]));
}

/* In order of submission, so that the last run of a name is the one that stays. */
void dw_commands_collect_times(dw_gpu *gpu)
{
    uint64_t completed = dw_gpu_completed(gpu);

    for (;;) {
        dw_command_slot *next = NULL;

        for (int i = 0; i < gpu->slot_count; i++) {
            dw_command_slot *slot = gpu->slots[i];

            if (slot->has_times && slot->ticket <= completed &&
                (next == NULL || slot->ticket < next->ticket))
                next = slot;
        }
        if (next == NULL)
            return;
        collect_slot(gpu, next);
    }
}

void dw_commands_finish(dw_gpu *gpu)
{
    while (gpu->slot_count > 0)
        destroy_slot(gpu, gpu->slots[--gpu->slot_count]);
    while (gpu->free_commands != NULL) {
        dw_command *command = gpu->free_commands;

        gpu->free_commands = command->next;
        dw_command_free(command);
    }
}
