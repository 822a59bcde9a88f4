/* SPDX-License-Identifier: MIT */
/* The device that work runs on: native (threads alone, no Vulkan needed) or a Vulkan device beside
 * the same threads. Says which devices there are, chooses one, opens and closes it.
 * Thread-safety: Safe. Work brackets itself with begin_use and end_use, so that a close on another
 * thread takes effect when the last of them ends. */
#ifndef DW_SYSTEMS_DEVICE_H
#define DW_SYSTEMS_DEVICE_H

#include "base/status.h"
#include "base/threads.h"
#include "gpu/device.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct dw_device dw_device;

typedef enum dw_device_kind {
    DW_DEVICE_NATIVE,
    DW_DEVICE_DISCRETE,
    DW_DEVICE_INTEGRATED,
    DW_DEVICE_VIRTUAL,
    DW_DEVICE_SOFTWARE,
} dw_device_kind;

/* The word for a kind, as Python shows it. */
const char *dw_device_kind_name(dw_device_kind kind);

#define DW_DEVICE_NATIVE_INDEX (-1)
#define DW_DEVICES_MAX         64

typedef struct dw_device_info {
    int index; /* place among the Vulkan devices, best first; DW_DEVICE_NATIVE_INDEX for native */
    dw_device_kind kind;
    char name[256];
    char uuid[40];         /* 8-4-4-4-12 in lower case; empty for native */
    char driver[288];      /* name and version */
    char api_version[24];  /* "1.3.230"; empty for native */
    uint64_t memory_bytes; /* device-local heaps; 0 for native */
    char missing[512];     /* what the device lacks to be usable; empty when it will do */
} dw_device_info;

typedef struct dw_device_def {
    bool is_validating; /* run under the Khronos validation layer */
    int thread_count;   /* native threads; 0: DAPPLEWOOD_THREADS, else one per processor */
} dw_device_def;

dw_device_def dw_device_def_default(void);

typedef struct dw_device_list {
    int count; /* at least 1: the native device is the last one */
    dw_device_info infos[DW_DEVICES_MAX];
    dw_error vulkan; /* why no Vulkan device is listed; code DW_OK when Vulkan answered */
} dw_device_list;

/* Never fails: without Vulkan the list holds the native device and the reason. */
void dw_device_list_all(dw_device_list *out);

/* which: NULL (DAPPLEWOOD_DEVICE, else the best GPU, else native), "cpu", "gpu", "software", an
 * index, "uuid:...", "name:...". DW_ERROR_DEVICE_NOT_FOUND says what was missing and how to mend
 * it; DW_ERROR_ARGUMENT means that `which` is no such word. */
dw_status dw_device_open(const char *which, const dw_device_def *def, dw_device **out,
                         dw_error *err);

/* Later begin_use calls fail with DW_ERROR_CLOSED; what the device owns goes as soon as no use is
 * left. The object itself stays until dw_device_destroy, so that resources may outlive it. */
void dw_device_close(dw_device *device);

/* Closes and frees. Accepts NULL. No resource of the device may exist any more. */
void dw_device_destroy(dw_device *device);

/* Fails when the device is closed, lost, or was made before a fork(). */
dw_status dw_device_begin_use(dw_device *device, dw_error *err);
void dw_device_end_use(dw_device *device);

bool dw_device_is_closed(dw_device *device);

/* True in a child process that inherited the device: nothing of it may be touched then. */
bool dw_device_is_forked(const dw_device *device);

/* Later uses fail as after a loss by the driver: for tests of code that must cope with one. A
 * native device cannot be lost: DW_ERROR_ARGUMENT. */
dw_status dw_device_mark_lost(dw_device *device, const char *cause, dw_error *err);

/* Inside begin_use .. end_use only. dw_device_gpu is NULL on a native device. */
dw_pool *dw_device_pool(dw_device *device);
dw_gpu *dw_device_gpu(dw_device *device);

const dw_device_info *dw_device_get_info(const dw_device *device);

typedef struct dw_device_memory {
    uint64_t used_bytes;     /* in live buffers */
    uint64_t reserved_bytes; /* taken from the driver or the system, >= used_bytes */
    uint64_t total_bytes;    /* device-local heaps; 0 for native */
    uint64_t sent_bytes;     /* from the host to the device, ever; 0 for native */
} dw_device_memory;

dw_device_memory dw_device_get_memory(dw_device *device);

typedef struct dw_device_counts {
    int64_t buffers;
    int64_t images;
    int64_t pipelines;
    int64_t memory_blocks;
    int64_t retired; /* handed to the graveyard and not yet freed */
} dw_device_counts;

dw_device_counts dw_device_get_counts(dw_device *device);

/* The last run of every named pass. */
void dw_device_get_timings(dw_device *device, dw_timing_table *out);

/* Native work reports its own time: a device clock exists for Vulkan passes alone. */
void dw_device_set_timing(dw_device *device, const char *name, double milliseconds);

/* Bookkeeping for host buffers of a native device. */
void dw_device_count_host_buffer(dw_device *device, int64_t buffers, int64_t bytes);

#endif
