/* SPDX-License-Identifier: MIT */
#include "systems/dither.h"

#include "passes/dissolve_pass.h"
#include "passes/dither_pass.h"

static dw_gpu *gpu_of(dw_device *device)
{
    return device == NULL ? NULL : dw_device_gpu(device);
}

dw_status dw_dither_check_size(const dw_dither_def *def, uint64_t count, dw_error *err)
{
    uint64_t plane = (uint64_t)def->width * def->height;

    if (plane > 0 && count > DW_DITHER_PIXELS_MAX / plane)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "shape: %llu masks of %u x %u pixels are more than %u in all: make them in "
                       "parts, with origin",
                       (unsigned long long)count, def->width, def->height, DW_DITHER_PIXELS_MAX);
    return DW_OK;
}

dw_status dw_dither_masks(dw_device *device, const dw_dither_def *def, const float *amounts,
                          uint32_t count, uint8_t *masks, const dw_run *run, dw_error *err)
{
    if (def->width == 0 || def->height == 0 || count == 0)
        return DW_OK;
    if (gpu_of(device) != NULL)
        return dw_dither_pass(gpu_of(device), def, amounts, count, masks, run, err);
    return dw_discard_masks(def, amounts, count, masks, run, err);
}

static dw_status check_counts(uint32_t count, uint32_t repeat, dw_error *err)
{
    if (count < 1 || repeat < 1)
        return dw_fail(err, DW_ERROR_ARGUMENT, "rows and repeat must be at least 1, got %u and %u",
                       count, repeat);
    return DW_OK;
}

dw_status dw_dissolve_tick_rows(dw_device *device, float *progress, const float *rates,
                                uint32_t count, float ticks, uint32_t repeat, const dw_run *run,
                                dw_error *err)
{
    if (check_counts(count, repeat, err) != DW_OK)
        return err->code;
    if (gpu_of(device) != NULL)
        return dw_dissolve_tick_pass(gpu_of(device), progress, rates, count, ticks, repeat, run,
                                     err);
    for (uint32_t i = 0; i < repeat; i++)
        dw_dissolve_step_rows(progress, rates, count, ticks);
    return DW_OK;
}

dw_status dw_dissolve_value_rows(dw_device *device, const dw_dissolve_state *states, uint32_t count,
                                 uint32_t now, uint32_t repeat, float *values, const dw_run *run,
                                 dw_error *err)
{
    if (check_counts(count, repeat, err) != DW_OK)
        return err->code;
    if (gpu_of(device) != NULL)
        return dw_dissolve_value_pass(gpu_of(device), states, count, now, repeat, values, run, err);
    for (uint32_t n = 0; n < repeat; n++)
        for (uint32_t i = 0; i < count; i++)
            values[i] = dw_dissolve_value(states[i], now);
    return DW_OK;
}
