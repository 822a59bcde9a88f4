/* SPDX-License-Identifier: MIT */
/* Thread-safety: create and destroy need the device to themselves. */
#ifndef DW_GPU_TRANSFER_INTERNAL_H
#define DW_GPU_TRANSFER_INTERNAL_H

#include "gpu/transfer.h"

dw_status dw_staging_create(dw_gpu *gpu, dw_error *err);

/* Accepts a device without one. The device is idle. */
void dw_staging_destroy(dw_gpu *gpu);

#endif
