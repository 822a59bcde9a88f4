/* SPDX-License-Identifier: MIT */
/* How a resource is used next. One table in use.c turns each into pipeline stages and accesses; no
 * other file writes a Vulkan mask. A new use is one row there.
 * Thread-safety: Safe; constants only. */
#ifndef DW_GPU_USE_H
#define DW_GPU_USE_H

typedef enum dw_use {
    DW_USE_COMPUTE_READ,
    DW_USE_COMPUTE_WRITE,      /* also for atomics whose result is not read by this dispatch */
    DW_USE_COMPUTE_READ_WRITE, /* reads what earlier work wrote, and writes */
    DW_USE_SHADER_READ,        /* read by the shaders of a draw: buffers and textures */
    DW_USE_INDEX_READ,         /* a draw's indices */
    DW_USE_INDIRECT_READ,      /* a draw's or a dispatch's counts */
    DW_USE_TARGET,             /* drawn into: colour or depth, loaded and stored */
    DW_USE_DEPTH_READ,         /* a depth target that is tested and never written */
    DW_USE_COPY_SOURCE,
    DW_USE_COPY_TARGET, /* copies, fills and inline data */
    DW_USE_HOST_READ,   /* after a wait; commands add it for READBACK buffers by themselves */
    DW_USE_COUNT,
} dw_use;

#endif
