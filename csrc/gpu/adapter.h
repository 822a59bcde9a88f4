/* SPDX-License-Identifier: MIT */
/* The Vulkan devices of this machine, seen without opening one.
 * Thread-safety: Safe. */
#ifndef DW_GPU_ADAPTER_H
#define DW_GPU_ADAPTER_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* In order of preference. */
typedef enum dw_gpu_kind {
    DW_GPU_DISCRETE,
    DW_GPU_INTEGRATED,
    DW_GPU_VIRTUAL,
    DW_GPU_SOFTWARE,
} dw_gpu_kind;

#define DW_GPU_ADAPTERS_MAX   63
#define DW_GPU_VENDOR_NVIDIA  0x10deu
#define DW_GPU_UUID_TEXT_SIZE 40

typedef struct dw_gpu_adapter {
    void *handle; /* VkPhysicalDevice, of the instance below */
    bool is_validating;
    dw_gpu_kind kind;
    uint32_t vendor_id; /* PCI vendor */
    char name[256];
    char uuid[DW_GPU_UUID_TEXT_SIZE]; /* 8-4-4-4-12, lower case */
    char driver[288];                 /* name and version */
    char api_version[24];
    uint64_t memory_bytes; /* device-local heaps */
    char missing[512];     /* what the device lacks to be usable, comma separated; "" if nothing */
} dw_gpu_adapter;

typedef struct dw_gpu_adapters {
    int count;
    dw_gpu_adapter rows[DW_GPU_ADAPTERS_MAX]; /* in the driver's order */
} dw_gpu_adapters;

/* DW_ERROR_DEVICE_NOT_FOUND tells "no loader" from "no driver" and carries the line that mends it;
 * DW_ERROR_FORKED: a parent process had started a hardware driver.
 * With is_validating the adapters belong to an instance under the validation layer. */
dw_status dw_gpu_adapters_list(bool is_validating, dw_gpu_adapters *out, dw_error *err);

#endif
