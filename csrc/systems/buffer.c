/* SPDX-License-Identifier: MIT */
#include "systems/buffer.h"

#include "base/alloc.h"
#include "gpu/command.h"
#include "gpu/transfer.h"

#include <stdatomic.h>
#include <string.h>

struct dw_buffer {
    atomic_int holds;
    atomic_uint_fast64_t version;
    dw_device *device; /* set once the buffer is counted */
    uint64_t size_bytes;
    uint8_t *host;     /* native */
    dw_gpu_buffer gpu; /* Vulkan */
};

static atomic_uint_fast64_t write_count;

static dw_status create_gpu(dw_gpu *gpu, dw_buffer *buffer, dw_error *err)
{
    dw_command *command = NULL;
    dw_ticket ticket;

    DW_TRY(dw_gpu_buffer_create_device(gpu, buffer->size_bytes, "Buffer", &buffer->gpu, err));
    DW_TRY(dw_command_begin(gpu, "buffer_clear", &command, err));
    dw_command_fill(command, &buffer->gpu, 0, 0, 0);
    return dw_command_submit(command, &ticket, err);
fail:
    return err->code;
}

dw_status dw_buffer_create(dw_device *device, uint64_t size_bytes, dw_buffer **out, dw_error *err)
{
    dw_buffer *buffer = NULL;

    *out = NULL;
    if (size_bytes == 0)
        return dw_fail(err, DW_ERROR_ARGUMENT, "a buffer needs at least 1 byte, got 0");
    DW_TRY(DW_ALLOC_ZEROED(1, &buffer, err));
    buffer->size_bytes = size_bytes;
    atomic_init(&buffer->holds, 1);
    if (dw_device_gpu(device) != NULL) {
        DW_TRY(create_gpu(dw_device_gpu(device), buffer, err));
    } else {
        DW_TRY(dw_alloc_array_zeroed(size_bytes, 1, "buffer", (void **)&buffer->host, err));
        dw_device_count_host_buffer(device, 1, (int64_t)size_bytes);
    }
    buffer->device = device;
    *out = buffer;
    return DW_OK;
fail:
    dw_buffer_destroy(buffer);
    return err->code;
}

void dw_buffer_destroy(dw_buffer *buffer)
{
    if (buffer == NULL)
        return;
    if (buffer->device != NULL && dw_device_is_forked(buffer->device))
        return;
    if (atomic_fetch_sub(&buffer->holds, 1) > 1)
        return;
    if (buffer->host != NULL && buffer->device != NULL)
        dw_device_count_host_buffer(buffer->device, -1, -(int64_t)buffer->size_bytes);
    dw_gpu_buffer_destroy(&buffer->gpu);
    dw_free(buffer->host);
    dw_free(buffer);
}

void dw_buffer_hold(dw_buffer *buffer)
{
    atomic_fetch_add(&buffer->holds, 1);
}

uint64_t dw_buffer_version(const dw_buffer *buffer)
{
    return atomic_load(&buffer->version);
}

void dw_buffer_mark_written(dw_buffer *buffer)
{
    atomic_fetch_add(&buffer->version, 1);
    atomic_fetch_add(&write_count, 1);
}

uint64_t dw_buffer_write_count(void)
{
    return atomic_load(&write_count);
}

uint64_t dw_buffer_size(const dw_buffer *buffer)
{
    return buffer->size_bytes;
}

void *dw_buffer_host(dw_buffer *buffer)
{
    return buffer->host;
}

const dw_gpu_buffer *dw_buffer_gpu(const dw_buffer *buffer)
{
    return buffer->host == NULL ? &buffer->gpu : NULL;
}

static dw_status check_range(const dw_buffer *buffer, uint64_t offset, const dw_rows *rows,
                             dw_error *err)
{
    uint64_t bytes = rows->row_bytes * rows->row_count;

    if (offset <= buffer->size_bytes && bytes <= buffer->size_bytes - offset)
        return DW_OK;
    return dw_fail(err, DW_ERROR_ARGUMENT,
                   "offset %llu + %llu bytes must lie within the buffer of %llu bytes",
                   (unsigned long long)offset, (unsigned long long)bytes,
                   (unsigned long long)buffer->size_bytes);
}

static dw_gpu_rows gpu_rows(const dw_buffer *buffer, uint64_t offset, const dw_rows *rows)
{
    return (dw_gpu_rows) { &buffer->gpu,    offset,          rows->data,
                           rows->row_bytes, rows->row_count, rows->pitch_bytes };
}

dw_status dw_buffer_write(dw_buffer *buffer, uint64_t offset, const dw_rows *rows,
                          const dw_run *run, dw_error *err)
{
    dw_gpu_rows parts = gpu_rows(buffer, offset, rows);
    const uint8_t *source = rows->data;

    if (check_range(buffer, offset, rows, err) != DW_OK)
        return err->code;
    dw_buffer_mark_written(buffer);
    if (buffer->host == NULL)
        return dw_gpu_upload_rows(buffer->gpu.gpu, &parts, 1, run, err);
    for (uint64_t row = 0; row < rows->row_count; row++)
        memcpy(buffer->host + offset + row * rows->row_bytes,
               source + (int64_t)row * rows->pitch_bytes, rows->row_bytes);
    return DW_OK;
}

dw_status dw_buffer_read(dw_buffer *buffer, uint64_t offset, const dw_rows *rows, const dw_run *run,
                         dw_error *err)
{
    dw_gpu_rows parts = gpu_rows(buffer, offset, rows);
    uint8_t *target = rows->data;

    if (check_range(buffer, offset, rows, err) != DW_OK)
        return err->code;
    if (buffer->host == NULL)
        return dw_gpu_download_rows(buffer->gpu.gpu, &parts, 1, run, err);
    for (uint64_t row = 0; row < rows->row_count; row++)
        memcpy(target + (int64_t)row * rows->pitch_bytes,
               buffer->host + offset + row * rows->row_bytes, rows->row_bytes);
    return DW_OK;
}
