/* SPDX-License-Identifier: MIT */
/* Host arrays to and from DEVICE buffers, through mapped staging memory, in slices so that the
 * host's copy of one overlaps the device's copy of the next.
 * Thread-safety: Safe. */
#ifndef DW_GPU_TRANSFER_H
#define DW_GPU_TRANSFER_H

#include "base/threads.h"
#include "gpu/buffer.h"

/* Rows of a host array; in the buffer they follow each other without gaps from `offset` on. */
typedef struct dw_gpu_rows {
    const dw_gpu_buffer *buffer;
    uint64_t offset; /* bytes */
    void *data;      /* only read by uploads */
    uint64_t row_bytes;
    uint64_t row_count;
    int64_t pitch_bytes; /* from one row to the next on the host; may be negative */
} dw_gpu_rows;

/* On return the data was taken; the device's copy may still run, ordered before later commands. */
dw_status dw_gpu_upload(dw_gpu *gpu, const dw_gpu_buffer *buffer, uint64_t offset, const void *data,
                        uint64_t size, const dw_run *run, dw_error *err);
dw_status dw_gpu_upload_rows(dw_gpu *gpu, const dw_gpu_rows *parts, uint32_t part_count,
                             const dw_run *run, dw_error *err);

/* Waits for all work submitted before. On failure the host arrays are unspecified. */
dw_status dw_gpu_download(dw_gpu *gpu, const dw_gpu_buffer *buffer, uint64_t offset, void *data,
                          uint64_t size, const dw_run *run, dw_error *err);
dw_status dw_gpu_download_rows(dw_gpu *gpu, const dw_gpu_rows *parts, uint32_t part_count,
                               const dw_run *run, dw_error *err);

#endif
