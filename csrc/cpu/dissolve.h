/* SPDX-License-Identifier: MIT */
/* Dissolve animations over arrays: one step of many rows, rates, easings backwards, events in
 * order. Thread-safety: Safe; all state is the caller's. */
#ifndef DW_CPU_DISSOLVE_H
#define DW_CPU_DISSOLVE_H

#include "base/registry.h"

#include <stdbool.h>
#include <stdint.h>

/* Seconds of a full sweep; shorter than half a tick is instant. The longest is half of what the
 * device's 32-bit ticks tell apart. */
#define DW_DISSOLVE_DURATION_MAX   16384.0
#define DW_DISSOLVE_DURATION_LEAST (0.5 / DW_TICKS_PER_SECOND)

/* Progress below this is 0, and ticks of a smaller magnitude are none: no subnormal arises. */
#define DW_DISSOLVE_PROGRESS_LEAST 0x1p-64f
#define DW_DISSOLVE_TICKS_LEAST    0x1p-40

/* Progress a tick, never so small that the last whole tick of the sweep falls short of its end.
 * duration: seconds, DW_DISSOLVE_DURATION_LEAST to _MAX. */
float dw_dissolve_rate(double duration);

/* A progress at which the easing gives `value`, to the rounding of the easing. */
float dw_dissolve_invert(uint32_t easing, float value);

/* True at the end that the rate, not 0, leads to. */
static inline bool dw_dissolve_is_done(float progress, float rate)
{
    return rate > 0.0f ? progress >= 1.0f : rate < 0.0f && progress <= 0.0f;
}

/* dw_dissolve_advance on `count` rows; rate 0 leaves a row as it is. True when a row is done. */
bool dw_dissolve_step_rows(float *progress, const float *rates, uint32_t count, float ticks);

/* dw_dissolve_progress of `count` rows at tick `now`; rates are those of the states. True when a
 * row is done. */
bool dw_dissolve_state_rows(float *progress, const dw_dissolve_state *states, const float *rates,
                            uint32_t count, uint32_t now);

/* dw_ease of each row by its easing; quicker where all are alike. */
void dw_dissolve_ease_rows(float *values, const float *progress, const uint8_t *easings,
                           uint32_t count);

/* The value byte of each colour follows the value; the highlight stays. */
void dw_dissolve_color_rows(uint32_t *colors, const float *values, uint32_t count);

typedef struct dw_dissolve_event_row {
    uint64_t id;
    double time;   /* seconds on the field's clock */
    uint32_t kind; /* dw_dissolve_event */
    uint32_t spare;
} dw_dissolve_event_row;

/* By id; events of one id stay in the order in which they happened. scratch: as long as events. */
void dw_dissolve_sort_events(dw_dissolve_event_row *events, dw_dissolve_event_row *scratch,
                             uint64_t count);

#endif
