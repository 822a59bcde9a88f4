/* SPDX-License-Identifier: MIT */
/* Buffers in device memory. A dw_gpu_buffer is a handle: copy it by value freely, destroy it once.
 * Thread-safety: create and destroy are safe; two threads may not use one handle object at once
 * when one of them destroys it. */
#ifndef DW_GPU_BUFFER_H
#define DW_GPU_BUFFER_H

#include "gpu/device.h"

typedef enum dw_memory {
    DW_MEMORY_DEVICE,   /* fastest for the device; reached by transfers */
    DW_MEMORY_UPLOAD,   /* mapped, written by the host, read once by the device */
    DW_MEMORY_READBACK, /* mapped, written by the device, read by the host after a wait */
} dw_memory;

typedef struct dw_gpu_buffer_def {
    uint64_t size_bytes; /* >= 1 */
    dw_memory memory;
    const char *name; /* for debuggers and messages */
} dw_gpu_buffer_def;

typedef struct dw_resource dw_resource;

typedef struct dw_gpu_buffer {
    dw_gpu *gpu;
    dw_resource *record; /* owned by the device */
    uint64_t size_bytes;
    uint64_t address; /* device address of DW_MEMORY_DEVICE buffers, else 0 */
    void *mapped;     /* host view of UPLOAD and READBACK buffers, else NULL */
} dw_gpu_buffer;

/* The content is undefined. *out is written on success only. */
dw_status dw_gpu_buffer_create(dw_gpu *gpu, const dw_gpu_buffer_def *def, dw_gpu_buffer *out,
                               dw_error *err);

/* The same, of DW_MEMORY_DEVICE. */
dw_status dw_gpu_buffer_create_device(dw_gpu *gpu, uint64_t size_bytes, const char *name,
                                      dw_gpu_buffer *out, dw_error *err);

/* Accepts a zeroed buffer, and one whose device is closed or whose commands still run: the memory
 * goes when its last use has finished. Commands that name the buffer must be submitted first. */
void dw_gpu_buffer_destroy(dw_gpu_buffer *buffer);

#endif
