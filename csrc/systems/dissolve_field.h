/* SPDX-License-Identifier: MIT */
/* Which instances are dissolved how far. Each id has a row for its life; arrays by row are what a
 * device gets. A tick costs as much as there are animations in flight, and allocates nothing.
 *
 * Progress is linear in time, 0 (there) to 1 (dissolved). The value is what is drawn: the easing of
 * the progress; the amount of dithering is value times def.scale. A start always goes on from the
 * value that is there, also when its easing is another.
 * Thread-safety: a field belongs to one thread at a time. */
#ifndef DW_SYSTEMS_DISSOLVE_FIELD_H
#define DW_SYSTEMS_DISSOLVE_FIELD_H

#include "cpu/dissolve.h"
#include "cpu/id_map.h"

typedef struct dw_dissolve_field dw_dissolve_field;

typedef struct dw_dissolve_def {
    float duration;     /* seconds of a full sweep, 0 to DW_DISSOLVE_DURATION_MAX; 0: instant */
    float scale;        /* amount of dithering at value 1, 0 to 1 */
    uint32_t easing;    /* dw_easing */
    uint32_t encoding;  /* dw_dissolve_encoding */
    uint32_t direction; /* dw_dissolve_direction */
    float softness;     /* of the front of a direction, DW_DISSOLVE_SOFTNESS_MIN to _MAX */
} dw_dissolve_def;

#define DW_DISSOLVE_SOFTNESS_MIN 0.001f
#define DW_DISSOLVE_SOFTNESS_MAX 16.0f

dw_dissolve_def dw_dissolve_def_default(void);

dw_status dw_dissolve_field_create(const dw_dissolve_def *def, dw_dissolve_field **out,
                                   dw_error *err);

/* Accepts NULL. */
void dw_dissolve_field_destroy(dw_dissolve_field *field);

const dw_dissolve_def *dw_dissolve_field_def(const dw_dissolve_field *field);

/* initial: values in [0, 1], NULL: 0. rows: NULL, or [count]. An id that is there starts anew in
 * its row, and its animation is interrupted. On failure nothing has changed; an id twice in one
 * call and a value out of range are failures. */
dw_status dw_dissolve_field_add(dw_dissolve_field *field, const uint64_t *ids, uint64_t count,
                                const float *initial, uint32_t *rows, dw_error *err);

/* rows: NULL, or [count]: the rows the ids had; DW_ROW_NONE for one that is not there, which is a
 * failure when is_strict. removed_count: NULL, or how many were there. */
dw_status dw_dissolve_field_remove(dw_dissolve_field *field, const uint64_t *ids, uint64_t count,
                                   bool is_strict, uint32_t *rows, uint64_t *removed_count,
                                   dw_error *err);

typedef struct dw_dissolve_start {
    int direction;          /* +1: dissolve, -1: come back */
    bool is_instant;        /* at the end at once */
    float duration;         /* seconds of a full sweep; NaN: the field's; 0: instant */
    const float *durations; /* [count], in place of duration; NULL: none */
    uint32_t easing;        /* dw_easing; UINT32_MAX: the field's */
} dw_dissolve_start;

/* An id that is not there, or is there twice in the call, is a failure, as for all calls below. */
dw_status dw_dissolve_field_start(dw_dissolve_field *field, const uint64_t *ids, uint64_t count,
                                  const dw_dissolve_start *start, dw_error *err);

/* Values in [0, 1] at once; animations of the ids are interrupted. */
dw_status dw_dissolve_field_set(dw_dissolve_field *field, const uint64_t *ids, uint64_t count,
                                const float *values, dw_error *err);

/* Intensity of the highlight, 0 to 255, in the colours of encoding UNORM8. */
dw_status dw_dissolve_field_set_highlight(dw_dissolve_field *field, const uint64_t *ids,
                                          uint64_t count, const uint8_t *levels, dw_error *err);

/* dt: seconds, finite, at most DW_DISSOLVE_DT_MAX either way. Negative dt runs animations
 * backwards, as far as their beginning at most; they end in their own direction only. */
#define DW_DISSOLVE_DT_MAX 1e9
dw_status dw_dissolve_field_tick(dw_dissolve_field *field, double dt, dw_error *err);

/* What happened up to the last tick and since the one before, by id. Valid until the next call that
 * changes the field. Every STARTED is followed by one COMPLETED or INTERRUPTED. */
const dw_dissolve_event_row *dw_dissolve_field_events(const dw_dissolve_field *field,
                                                      uint64_t *count);

/* Arrays by row, of dw_id_map_row_count rows; removed ids rest at 0. Pointers last until the next
 * add. */
const float *dw_dissolve_field_progress(const dw_dissolve_field *field); /* linear */
const float *dw_dissolve_field_values(const dw_dissolve_field *field);   /* eased: FLOAT32 */
const float *dw_dissolve_field_rates(const dw_dissolve_field *field); /* progress a tick; 0: rest */
const uint32_t *dw_dissolve_field_colors(const dw_dissolve_field *field); /* NULL unless UNORM8 */
const dw_dissolve_state *dw_dissolve_field_states(
    const dw_dissolve_field *field); /* ... ANALYTIC */

/* Rows of the encoded array that changed since the last call; false when none did. */
bool dw_dissolve_field_take_dirty(dw_dissolve_field *field, uint32_t *row_begin, uint32_t *row_end);

uint32_t dw_dissolve_field_row_count(const dw_dissolve_field *field);
uint32_t dw_dissolve_field_active_count(const dw_dissolve_field *field);
int64_t dw_dissolve_field_now_ticks(const dw_dissolve_field *field); /* sum of dt, rounded */
double dw_dissolve_field_now(const dw_dissolve_field *field);        /* in seconds */
const dw_id_map *dw_dissolve_field_ids(const dw_dissolve_field *field);

#endif
