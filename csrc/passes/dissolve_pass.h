/* SPDX-License-Identifier: MIT */
/* Dissolve state of many rows on a Vulkan device: a step of the float32 form, values of the
 * analytic one. Host arrays go up and come back once; the work between is done `repeat` times, so
 * that it can be timed ("dissolve_tick", "dissolve_value"). Thread-safety: Safe. */
#ifndef DW_PASSES_DISSOLVE_PASS_H
#define DW_PASSES_DISSOLVE_PASS_H

#include "cpu/dissolve.h"
#include "gpu/device.h"

#include "base/threads.h"

/* `repeat` steps, each dw_dissolve_step_rows. */
dw_status dw_dissolve_tick_pass(dw_gpu *gpu, float *progress, const float *rates, uint32_t count,
                                float ticks, uint32_t repeat, const dw_run *run, dw_error *err);

/* dw_dissolve_value of each state at tick `now`. */
dw_status dw_dissolve_value_pass(dw_gpu *gpu, const dw_dissolve_state *states, uint32_t count,
                                 uint32_t now, uint32_t repeat, float *values, const dw_run *run,
                                 dw_error *err);

#endif
