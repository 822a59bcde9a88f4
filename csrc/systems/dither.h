/* SPDX-License-Identifier: MIT */
/* Discard masks and dissolve state, each on the backend of a device: for tests, tools and benches.
 * Thread-safety: Safe; inside dw_device_begin_use .. dw_device_end_use. */
#ifndef DW_SYSTEMS_DITHER_H
#define DW_SYSTEMS_DITHER_H

#include "cpu/dissolve.h"
#include "cpu/dither.h"
#include "systems/device.h"

/* DW_ERROR_CAPACITY when `count` masks have more than DW_DITHER_PIXELS_MAX pixels in all. */
#define DW_DITHER_PIXELS_MAX 0x7ffffff0u
dw_status dw_dither_check_size(const dw_dither_def *def, uint64_t count, dw_error *err);

/* As dw_discard_masks, of a size that has been checked. device: NULL for native with the threads of
 * the run. */
dw_status dw_dither_masks(dw_device *device, const dw_dither_def *def, const float *amounts,
                          uint32_t count, uint8_t *masks, const dw_run *run, dw_error *err);

/* `repeat` times dw_dissolve_step_rows. */
dw_status dw_dissolve_tick_rows(dw_device *device, float *progress, const float *rates,
                                uint32_t count, float ticks, uint32_t repeat, const dw_run *run,
                                dw_error *err);

/* dw_dissolve_value of each state, `repeat` times the same. */
dw_status dw_dissolve_value_rows(dw_device *device, const dw_dissolve_state *states, uint32_t count,
                                 uint32_t now, uint32_t repeat, float *values, const dw_run *run,
                                 dw_error *err);

#endif
