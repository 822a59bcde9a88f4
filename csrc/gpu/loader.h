/* SPDX-License-Identifier: MIT */
/* What is known of the Vulkan loader, and the messages of the validation layer.
 * Thread-safety: Safe. */
#ifndef DW_GPU_LOADER_H
#define DW_GPU_LOADER_H

#include <stdbool.h>

typedef struct dw_gpu_loader_info {
    bool is_open;         /* false until the first adapters were listed */
    char library[512];    /* the name it was opened by */
    char api_version[24]; /* of the loader */
    bool has_validation;  /* the Khronos validation layer is installed */
} dw_gpu_loader_info;

dw_gpu_loader_info dw_gpu_loader_get_info(void);

/* Destroys the instances that no open device uses, and with them the driver's threads; the next
 * device makes them anew. For the end of the process. */
void dw_gpu_loader_shutdown(void);

#define DW_VALIDATION_TEXT_MAX 1024
#define DW_VALIDATION_KEPT_MAX 64

typedef struct dw_validation_log {
    long long total; /* messages so far in this process, kept or not */
    int count;
    char texts[DW_VALIDATION_KEPT_MAX][DW_VALIDATION_TEXT_MAX]; /* the first ones */
} dw_validation_log;

/* Copies warnings and errors that the validation layer reported; `clear` empties the log. */
void dw_gpu_validation_read(bool clear, dw_validation_log *out);

#endif
