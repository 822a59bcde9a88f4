/* SPDX-License-Identifier: MIT */
/* Bytes that live on a device: host memory on a native one, a Vulkan buffer otherwise.
 * Thread-safety: concurrent reads, holds and destroys are safe; a write needs the buffer to itself.
 * Every call but hold and destroy happens inside dw_device_begin_use .. dw_device_end_use. */
#ifndef DW_SYSTEMS_BUFFER_H
#define DW_SYSTEMS_BUFFER_H

#include "gpu/buffer.h"
#include "systems/device.h"

typedef struct dw_buffer dw_buffer;

/* Zero-filled. size_bytes is at least 1. */
dw_status dw_buffer_create(dw_device *device, uint64_t size_bytes, dw_buffer **out, dw_error *err);

/* Gives one hold back; the last one frees. Accepts NULL. Also after the device was closed. */
void dw_buffer_destroy(dw_buffer *buffer);

/* One more hold, to be given back by dw_buffer_destroy: for what reads the buffer later. */
void dw_buffer_hold(dw_buffer *buffer);

/* Changes with every write: by dw_buffer_write, and by work that calls mark_written. */
uint64_t dw_buffer_version(const dw_buffer *buffer);
void dw_buffer_mark_written(dw_buffer *buffer);

/* Changes with every write to any buffer. */
uint64_t dw_buffer_write_count(void);

uint64_t dw_buffer_size(const dw_buffer *buffer);

/* The bytes of a native buffer; NULL on a Vulkan device. */
void *dw_buffer_host(dw_buffer *buffer);

/* The Vulkan buffer; NULL on a native device. */
const dw_gpu_buffer *dw_buffer_gpu(const dw_buffer *buffer);

/* Rows of a host array. In the buffer they follow each other without gaps. */
typedef struct dw_rows {
    void *data;
    uint64_t row_bytes;
    uint64_t row_count;
    int64_t pitch_bytes; /* from one row to the next on the host; may be negative */
} dw_rows;

dw_status dw_buffer_write(dw_buffer *buffer, uint64_t offset, const dw_rows *rows,
                          const dw_run *run, dw_error *err);
dw_status dw_buffer_read(dw_buffer *buffer, uint64_t offset, const dw_rows *rows, const dw_run *run,
                         dw_error *err);

#endif
