/* SPDX-License-Identifier: MIT */
#include "systems/device.h"

#include "base/alloc.h"
#include "base/platform.h"
#include "systems/device_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dw_device {
    dw_device_info info;
    int64_t process_id;
    dw_pool *pool;
    dw_gpu *gpu;

    dw_mutex lock; /* guards everything below */
    int use_count;
    bool is_closed;
    bool is_torn_down;
    int64_t host_buffers;
    int64_t host_bytes;
    dw_timing_table timings;
};

const char *dw_device_kind_name(dw_device_kind kind)
{
    static const char *const names[] = {
        [DW_DEVICE_NATIVE] = "native",         [DW_DEVICE_DISCRETE] = "discrete",
        [DW_DEVICE_INTEGRATED] = "integrated", [DW_DEVICE_VIRTUAL] = "virtual",
        [DW_DEVICE_SOFTWARE] = "software",
    };

    return names[kind];
}

dw_device_def dw_device_def_default(void)
{
    return (dw_device_def) { .is_validating = false, .thread_count = 0 };
}

static dw_status thread_count_of(const dw_device_def *def, int *out, dw_error *err)
{
    const char *text = dw_platform_environment("DAPPLEWOOD_THREADS");
    char *end = NULL;
    long count;

    *out = def->thread_count;
    if (def->thread_count != 0 || text == NULL)
        return DW_OK;
    count = strtol(text, &end, 10);
    if (*end != '\0' || count < 0 || count > 256)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "DAPPLEWOOD_THREADS must be a whole number in 0..256 (0: one thread per "
                       "processor), got \"%s\"",
                       text);
    *out = (int)count;
    return DW_OK;
}

static bool is_validation_wanted(const dw_device_def *def)
{
    const char *text = dw_platform_environment("DAPPLEWOOD_VALIDATION");

    return def->is_validating || (text != NULL && strcmp(text, "0") != 0);
}

dw_status dw_device_open(const char *which, const dw_device_def *def, dw_device **out,
                         dw_error *err)
{
    dw_device_choice choice;
    dw_device *device = NULL;
    int thread_count = 0;

    *out = NULL;
    DW_TRY(thread_count_of(def, &thread_count, err));
    DW_TRY(dw_device_choose(which, is_validation_wanted(def), &choice, err));
    DW_TRY(DW_ALLOC_ZEROED(1, &device, err));
    device->process_id = dw_platform_process_id();
    device->info = choice.info;
    if (!dw_mutex_init(&device->lock)) {
        dw_fail_memory(err, "device lock", sizeof(dw_mutex));
        goto fail;
    }
    DW_TRY(dw_pool_create(thread_count, &device->pool, err));
    if (!choice.is_native)
        DW_TRY(dw_gpu_create(&choice.adapter, &device->gpu, err));
    *out = device;
    return DW_OK;
fail:
    dw_device_destroy(device);
    return err->code;
}

/* Called once, with no use left and is_torn_down set under the lock. */
static void tear_down(dw_device *device)
{
    if (device->gpu != NULL)
        dw_gpu_close(device->gpu);
    dw_pool_destroy(device->pool);
    device->pool = NULL;
}

void dw_device_close(dw_device *device)
{
    bool is_last;

    if (dw_device_is_forked(device))
        return; /* the threads and the driver's state did not survive the fork */
    dw_mutex_lock(&device->lock);
    device->is_closed = true;
    is_last = device->use_count == 0 && !device->is_torn_down;
    device->is_torn_down = device->is_torn_down || is_last;
    dw_mutex_unlock(&device->lock);
    if (is_last)
        tear_down(device);
}

void dw_device_destroy(dw_device *device)
{
    if (device == NULL || dw_device_is_forked(device))
        return;
    if (device->lock.handle != NULL)
        dw_device_close(device);
    dw_gpu_destroy(device->gpu);
    dw_mutex_finish(&device->lock);
    dw_free(device);
}

dw_status dw_device_begin_use(dw_device *device, dw_error *err)
{
    dw_status status = DW_OK;

    if (dw_device_is_forked(device))
        return dw_fail(err, DW_ERROR_FORKED,
                       "device \"%s\" was made by process %lld and cannot be used in its forked "
                       "child %lld: make a Device in the child, or start processes with "
                       "multiprocessing.get_context(\"spawn\") or \"forkserver\"",
                       device->info.name, (long long)device->process_id,
                       (long long)dw_platform_process_id());
    dw_mutex_lock(&device->lock);
    if (device->is_closed)
        status = dw_fail(err, DW_ERROR_CLOSED, "device \"%s\" is closed: make a new Device",
                         device->info.name);
    else if (device->gpu != NULL)
        status = dw_gpu_check(device->gpu, err);
    if (status == DW_OK)
        device->use_count++;
    dw_mutex_unlock(&device->lock);
    return status;
}

void dw_device_end_use(dw_device *device)
{
    bool is_last;

    dw_mutex_lock(&device->lock);
    device->use_count--;
    is_last = device->use_count == 0 && device->is_closed && !device->is_torn_down;
    device->is_torn_down = device->is_torn_down || is_last;
    dw_mutex_unlock(&device->lock);
    if (is_last)
        tear_down(device);
}

bool dw_device_is_closed(dw_device *device)
{
    bool is_closed;

    if (dw_device_is_forked(device))
        return false;
    dw_mutex_lock(&device->lock);
    is_closed = device->is_closed;
    dw_mutex_unlock(&device->lock);
    return is_closed;
}

bool dw_device_is_forked(const dw_device *device)
{
    return device->process_id != dw_platform_process_id();
}

dw_status dw_device_mark_lost(dw_device *device, const char *cause, dw_error *err)
{
    if (device->gpu == NULL)
        return dw_fail(err, DW_ERROR_ARGUMENT, "a native device cannot be lost");
    dw_gpu_mark_lost(device->gpu, cause);
    return DW_OK;
}

dw_pool *dw_device_pool(dw_device *device)
{
    return device->pool;
}

dw_gpu *dw_device_gpu(dw_device *device)
{
    return device->gpu;
}

const dw_device_info *dw_device_get_info(const dw_device *device)
{
    return &device->info;
}

dw_device_memory dw_device_get_memory(dw_device *device)
{
    dw_device_memory memory = { .total_bytes = device->info.memory_bytes };

    if (device->gpu != NULL) {
        dw_gpu_counts counts = dw_gpu_get_counts(device->gpu);

        memory.used_bytes = counts.used_bytes;
        memory.reserved_bytes = counts.reserved_bytes;
        memory.sent_bytes = counts.sent_bytes;
        return memory;
    }
    dw_mutex_lock(&device->lock);
    memory.used_bytes = memory.reserved_bytes = (uint64_t)device->host_bytes;
    dw_mutex_unlock(&device->lock);
    return memory;
}

dw_device_counts dw_device_get_counts(dw_device *device)
{
    dw_device_counts counts = { 0 };

    if (device->gpu != NULL) {
        dw_gpu_counts of_gpu = dw_gpu_get_counts(device->gpu);

        counts.buffers = of_gpu.buffers;
        counts.images = of_gpu.images;
        counts.pipelines = of_gpu.pipelines;
        counts.memory_blocks = of_gpu.memory_blocks;
        counts.retired = of_gpu.retired;
        return counts;
    }
    dw_mutex_lock(&device->lock);
    counts.buffers = device->host_buffers;
    dw_mutex_unlock(&device->lock);
    return counts;
}

void dw_device_get_timings(dw_device *device, dw_timing_table *out)
{
    out->count = 0;
    if (device->gpu != NULL)
        dw_gpu_get_timings(device->gpu, out);
    dw_mutex_lock(&device->lock);
    for (int i = 0; i < device->timings.count; i++)
        dw_timing_set(out, device->timings.rows[i].name, device->timings.rows[i].milliseconds);
    dw_mutex_unlock(&device->lock);
}

void dw_device_set_timing(dw_device *device, const char *name, double milliseconds)
{
    dw_mutex_lock(&device->lock);
    dw_timing_set(&device->timings, name, milliseconds);
    dw_mutex_unlock(&device->lock);
}

void dw_device_count_host_buffer(dw_device *device, int64_t buffers, int64_t bytes)
{
    dw_mutex_lock(&device->lock);
    device->host_buffers += buffers;
    device->host_bytes += bytes;
    dw_mutex_unlock(&device->lock);
}
