/* SPDX-License-Identifier: MIT */
#include "systems/dissolve_field.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define BLOCK       2048u /* rows of a dense step that are looked at again when one is done */
#define ROW_IS_NEW  0x80000000u
#define DENSE_SHARE 4u /* with one row in so many active, all rows are stepped */

/* Arrays by row. F(type, name, encodings): encodings that have the array. */
#define ROW_ARRAYS(F)                                                 \
    F(float, progress, ~0u)                                           \
    F(float, rates, ~0u)                                              \
    F(uint8_t, easings, ~0u)                                          \
    F(uint32_t, stamps, ~0u)       /* the last call that named it */  \
    F(uint32_t, named, ~0u)        /* rows of the ids of this call */ \
    F(uint32_t, active, ~0u)       /* rows in flight, dense */        \
    F(uint32_t, active_slots, ~0u) /* where active has the row */     \
    F(uint32_t, colors, 1u << DW_DISSOLVE_ENCODING_UNORM8)            \
    F(dw_dissolve_state, states, 1u << DW_DISSOLVE_ENCODING_ANALYTIC)

struct dw_dissolve_field {
    dw_dissolve_def def;
    dw_id_map ids;
#define ROW_MEMBER(type, name, encodings) type *name;
    ROW_ARRAYS(ROW_MEMBER)
#undef ROW_MEMBER
    float *values; /* NULL while every easing was linear: progress then */
    uint32_t capacity, active_count, stamp;
    uint32_t dirty_begin, dirty_end;
    dw_dissolve_event_row *events, *scratch;
    uint64_t event_count, event_capacity;
    bool are_events_read; /* a tick has published them: the next change drops them */
    int64_t now;
    double now_rest; /* of a tick, -1/2 to 1/2 */
};

dw_dissolve_def dw_dissolve_def_default(void)
{
    return (dw_dissolve_def) { .duration = 0.3f,
                               .scale = 0.7f,
                               .easing = DW_EASING_LINEAR,
                               .encoding = DW_DISSOLVE_ENCODING_FLOAT32,
                               .direction = DW_DISSOLVE_DIRECTION_UNIFORM,
                               .softness = 0.2f };
}

/* ---- checks ---- */

static dw_status check_kind(uint32_t kind, dw_registry_id registry, dw_error *err)
{
    if (kind >= (uint32_t)dw_registries[registry].count)
        return dw_fail(err, DW_ERROR_ARGUMENT, "%s must be a %s, got %u",
                       dw_registries[registry].argument, dw_registries[registry].name, kind);
    return DW_OK;
}

static dw_status check_range(const char *name, double value, double least, double most,
                             dw_error *err)
{
    if (!(value >= least && value <= most))
        return dw_fail(err, DW_ERROR_ARGUMENT, "%s must lie in [%g, %g], got %g", name, least, most,
                       value);
    return DW_OK;
}

static dw_status check_def(const dw_dissolve_def *def, dw_error *err)
{
    if (check_range("duration", def->duration, 0.0, DW_DISSOLVE_DURATION_MAX, err) != DW_OK ||
        check_range("scale", def->scale, 0.0, 1.0, err) != DW_OK ||
        check_range("softness", def->softness, DW_DISSOLVE_SOFTNESS_MIN, DW_DISSOLVE_SOFTNESS_MAX,
                    err) != DW_OK ||
        check_kind(def->easing, DW_REGISTRY_EASING, err) != DW_OK ||
        check_kind(def->encoding, DW_REGISTRY_DISSOLVE_ENCODING, err) != DW_OK ||
        check_kind(def->direction, DW_REGISTRY_DISSOLVE_DIRECTION, err) != DW_OK)
        return err->code;
    return DW_OK;
}

static dw_status check_values(const char *name, const uint64_t *ids, uint64_t count,
                              const float *values, double most, dw_error *err)
{
    for (uint64_t i = 0; values != NULL && i < count; i++)
        if (!(values[i] >= 0.0f && values[i] <= most))
            return dw_fail(err, DW_ERROR_ARGUMENT, "%s must lie in [0, %g], got %g for id %llu",
                           name, most, (double)values[i], (unsigned long long)ids[i]);
    return DW_OK;
}

static dw_status fail_twice(uint64_t id, dw_error *err)
{
    return dw_fail(err, DW_ERROR_ARGUMENT,
                   "ids must hold each id once in a call, got %llu twice: drop the repetition",
                   (unsigned long long)id);
}

static void next_stamp(dw_dissolve_field *field)
{
    if (++field->stamp != 0)
        return;
    memset(field->stamps, 0, field->capacity * sizeof *field->stamps); /* of 2^32 calls ago */
    field->stamp = 1;
}

/* Every id is there, and once; their rows are field->named then. */
static dw_status find_named(dw_dissolve_field *field, const uint64_t *ids, uint64_t count,
                            dw_error *err)
{
    next_stamp(field);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t row = dw_id_map_find(&field->ids, ids[i]);

        if (row == DW_ROW_NONE)
            return dw_fail(err, DW_ERROR_ARGUMENT, "ids must be in the field, got %llu: add it",
                           (unsigned long long)ids[i]);
        if (field->stamps[row] == field->stamp)
            return fail_twice(ids[i], err);
        field->stamps[row] = field->stamp;
        field->named[i] = row; /* distinct ids are at most as many as rows */
    }
    return DW_OK;
}

/* Gives each id a row, in field->named; on failure all is as before. Needs room. */
static dw_status add_named(dw_dissolve_field *field, const uint64_t *ids, uint64_t count,
                           dw_error *err)
{
    uint64_t done = 0;
    dw_status status = DW_OK;
    bool is_new;

    next_stamp(field);
    for (; done < count; done++) {
        uint32_t row;

        status = dw_id_map_add(&field->ids, ids[done], &row, &is_new, err);
        if (status == DW_OK && field->stamps[row] == field->stamp)
            status = fail_twice(ids[done], err);
        if (status != DW_OK)
            break;
        field->stamps[row] = field->stamp;
        field->named[done] = row | (is_new ? ROW_IS_NEW : 0u);
    }
    while (status != DW_OK && done-- > 0)
        if ((field->named[done] & ROW_IS_NEW) != 0)
            dw_id_map_remove(&field->ids, ids[done]);
    return status;
}

/* ---- memory ---- */

static dw_status grow_array(void **array, size_t size, uint32_t used, uint32_t capacity,
                            const char *what, dw_error *err)
{
    void *next;

    if (dw_alloc_array_zeroed(capacity, size, what, &next, err) != DW_OK)
        return err->code;
    if (used > 0)
        memcpy(next, *array, used * size);
    dw_free(*array);
    *array = next;
    return DW_OK;
}

/* Arrays that have grown before a failure stay larger; nothing else changes. */
static dw_status grow_rows(dw_dissolve_field *field, dw_error *err)
{
    uint32_t capacity = field->ids.row_capacity, used = field->capacity;

    if (capacity <= field->capacity)
        return DW_OK;
#define ROW_GROW(type, name, encodings)                                                            \
    if (((encodings) >> field->def.encoding & 1u) != 0 &&                                          \
        grow_array((void **)&field->name, sizeof(type), used, capacity, "dissolve " #name, err) != \
            DW_OK)                                                                                 \
        return err->code;
    ROW_ARRAYS(ROW_GROW)
#undef ROW_GROW
    if (field->values != NULL && grow_array((void **)&field->values, sizeof(float), used, capacity,
                                            "dissolve values", err) != DW_OK)
        return err->code;
    field->capacity = capacity;
    return DW_OK;
}

/* From the first curved easing on, values are an array of their own. */
static dw_status part_values(dw_dissolve_field *field, uint32_t easing, dw_error *err)
{
    if (easing == DW_EASING_LINEAR || field->values != NULL || field->capacity == 0)
        return DW_OK;
    if (DW_ALLOC(field->capacity, &field->values, err) != DW_OK)
        return err->code;
    memcpy(field->values, field->progress, field->capacity * sizeof *field->values);
    return DW_OK;
}

/* Room for `now_count` events at once, and for the end of every animation and of `more` new ones.
 */
static dw_status reserve_events(dw_dissolve_field *field, uint64_t now_count, uint64_t more,
                                dw_error *err)
{
    uint64_t kept = field->are_events_read ? 0 : field->event_count;
    uint64_t wanted = kept + now_count + field->active_count + more;
    uint64_t capacity = wanted + wanted / 2u;
    dw_dissolve_event_row *events, *scratch;

    if (wanted <= field->event_capacity)
        return DW_OK;
    if (DW_ALLOC(capacity, &events, err) != DW_OK)
        return err->code;
    if (DW_ALLOC(capacity, &scratch, err) != DW_OK) {
        dw_free(events);
        return err->code;
    }
    if (field->event_count > 0)
        memcpy(events, field->events, field->event_count * sizeof *events);
    dw_free(field->events);
    dw_free(field->scratch);
    field->events = events;
    field->scratch = scratch;
    field->event_capacity = capacity;
    return DW_OK;
}

dw_status dw_dissolve_field_create(const dw_dissolve_def *def, dw_dissolve_field **out,
                                   dw_error *err)
{
    dw_dissolve_field *field;

    if (check_def(def, err) != DW_OK || DW_ALLOC_ZEROED(1, &field, err) != DW_OK)
        return err->code;
    field->def = *def;
    field->dirty_begin = UINT32_MAX;
    *out = field;
    return DW_OK;
}

void dw_dissolve_field_destroy(dw_dissolve_field *field)
{
    if (field == NULL)
        return;
    dw_id_map_finish(&field->ids);
#define ROW_FREE(type, name, encodings) dw_free(field->name);
    ROW_ARRAYS(ROW_FREE)
#undef ROW_FREE
    dw_free(field->values);
    dw_free(field->events);
    dw_free(field->scratch);
    dw_free(field);
}

/* ---- one row ---- */

static void mark_dirty(dw_dissolve_field *field, uint32_t begin, uint32_t end)
{
    field->dirty_begin = begin < field->dirty_begin ? begin : field->dirty_begin;
    field->dirty_end = end > field->dirty_end ? end : field->dirty_end;
}

static void drop_read_events(dw_dissolve_field *field)
{
    if (field->are_events_read)
        field->event_count = 0;
    field->are_events_read = false;
}

static void push_event(dw_dissolve_field *field, uint32_t row, uint32_t kind)
{
    DW_ASSERT(field->event_count < field->event_capacity);
    field->events[field->event_count++] = (dw_dissolve_event_row) {
        .id = dw_id_map_id(&field->ids, row), .time = dw_dissolve_field_now(field), .kind = kind
    };
}

/* Progress, easing and rate of the row are as they shall be from now on: the other arrays follow.
 */
static void publish_row(dw_dissolve_field *field, uint32_t row)
{
    float value = dw_ease(field->easings[row], field->progress[row]);

    if (field->values != NULL)
        field->values[row] = value;
    if (field->colors != NULL)
        field->colors[row] = dw_dissolve_color(value, field->colors[row]);
    mark_dirty(field, row, row + 1);
}

/* The analytic state begins anew at this moment. */
static void restate_row(dw_dissolve_field *field, uint32_t row)
{
    if (field->states == NULL)
        return;
    field->states[row] =
        (dw_dissolve_state) { .t0 = (uint32_t)field->now,
                              .rate = field->rates[row],
                              .bits = dw_dissolve_bits(field->progress[row], field->easings[row],
                                                       field->def.direction) };
    /* what the state can say is what the progress is */
    field->progress[row] = dw_dissolve_progress(field->states[row], (uint32_t)field->now);
    mark_dirty(field, row, row + 1);
}

static void activate(dw_dissolve_field *field, uint32_t row, float rate)
{
    field->rates[row] = rate;
    field->active_slots[row] = field->active_count;
    field->active[field->active_count++] = row;
}

static void deactivate(dw_dissolve_field *field, uint32_t row)
{
    uint32_t slot = field->active_slots[row];
    uint32_t last = field->active[--field->active_count];

    field->active[slot] = last;
    field->active_slots[last] = slot;
    field->rates[row] = 0.0f;
}

static bool is_active(const dw_dissolve_field *field, uint32_t row)
{
    return field->rates[row] != 0.0f;
}

static void interrupt(dw_dissolve_field *field, uint32_t row)
{
    if (!is_active(field, row))
        return;
    deactivate(field, row);
    push_event(field, row, DW_DISSOLVE_EVENT_INTERRUPTED);
}

/* At rest at a value. */
static void rest_row(dw_dissolve_field *field, uint32_t row, float value)
{
    bool is_end = value < DW_DISSOLVE_PROGRESS_LEAST || value >= 1.0f;

    /* at the ends all easings are alike: rows of one easing are stepped faster */
    field->progress[row] = value < DW_DISSOLVE_PROGRESS_LEAST ? 0.0f : value;
    field->easings[row] = is_end ? (uint8_t)field->def.easing : DW_EASING_LINEAR;
    restate_row(field, row);
    publish_row(field, row);
}

static void complete(dw_dissolve_field *field, uint32_t row)
{
    deactivate(field, row);
    restate_row(field, row);
    push_event(field, row, DW_DISSOLVE_EVENT_COMPLETED);
}

/* ---- changes ---- */

dw_status dw_dissolve_field_add(dw_dissolve_field *field, const uint64_t *ids, uint64_t count,
                                const float *initial, uint32_t *rows, dw_error *err)
{
    uint64_t running = field->active_count < count ? field->active_count : count;

    if (check_values("initial", ids, count, initial, 1.0, err) != DW_OK ||
        dw_id_map_reserve(&field->ids, count, err) != DW_OK || grow_rows(field, err) != DW_OK ||
        reserve_events(field, running, 0, err) != DW_OK ||
        add_named(field, ids, count, err) != DW_OK)
        return err->code;

    drop_read_events(field);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t row = field->named[i] & ~ROW_IS_NEW;

        interrupt(field, row);
        if (field->colors != NULL)
            field->colors[row] = 0;
        rest_row(field, row, initial == NULL ? 0.0f : initial[i]);
        if (rows != NULL)
            rows[i] = row;
    }
    return DW_OK;
}

static uint32_t remove_one(dw_dissolve_field *field, uint64_t id)
{
    uint32_t row = dw_id_map_find(&field->ids, id);

    if (row == DW_ROW_NONE)
        return row;
    interrupt(field, row);
    if (field->colors != NULL)
        field->colors[row] = 0;
    rest_row(field, row, 0.0f);
    return dw_id_map_remove(&field->ids, id);
}

dw_status dw_dissolve_field_remove(dw_dissolve_field *field, const uint64_t *ids, uint64_t count,
                                   bool is_strict, uint32_t *rows, uint64_t *removed_count,
                                   dw_error *err)
{
    uint64_t running = field->active_count < count ? field->active_count : count;
    uint64_t removed = 0;

    if ((is_strict && find_named(field, ids, count, err) != DW_OK) ||
        reserve_events(field, running, 0, err) != DW_OK)
        return err->code;

    drop_read_events(field);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t row = remove_one(field, ids[i]);

        removed += row != DW_ROW_NONE;
        if (rows != NULL)
            rows[i] = row;
    }
    if (removed_count != NULL)
        *removed_count = removed;
    return DW_OK;
}

static void start_one(dw_dissolve_field *field, uint32_t row, bool is_up, double duration,
                      uint32_t easing)
{
    interrupt(field, row);
    push_event(field, row, DW_DISSOLVE_EVENT_STARTED);
    if (duration < DW_DISSOLVE_DURATION_LEAST) {
        rest_row(field, row, is_up ? 1.0f : 0.0f);
        push_event(field, row, DW_DISSOLVE_EVENT_COMPLETED);
        return;
    }
    if (field->easings[row] != easing) {
        float value = dw_ease(field->easings[row], field->progress[row]);

        field->progress[row] = dw_dissolve_invert(easing, value);
        field->easings[row] = (uint8_t)easing;
    }
    activate(field, row, is_up ? dw_dissolve_rate(duration) : -dw_dissolve_rate(duration));
    restate_row(field, row);
    publish_row(field, row);
}

dw_status dw_dissolve_field_start(dw_dissolve_field *field, const uint64_t *ids, uint64_t count,
                                  const dw_dissolve_start *start, dw_error *err)
{
    uint32_t easing = start->easing == UINT32_MAX ? field->def.easing : start->easing;
    double duration = isnan(start->duration) ? field->def.duration : start->duration;

    if (start->direction != 1 && start->direction != -1)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "direction must be +1 (dissolve) or -1 (come back), got %d",
                       start->direction);
    if (check_kind(easing, DW_REGISTRY_EASING, err) != DW_OK ||
        check_range("duration", duration, 0.0, DW_DISSOLVE_DURATION_MAX, err) != DW_OK ||
        check_values("duration", ids, count, start->durations, DW_DISSOLVE_DURATION_MAX, err) !=
            DW_OK ||
        find_named(field, ids, count, err) != DW_OK || part_values(field, easing, err) != DW_OK ||
        reserve_events(field, 2 * count, count, err) != DW_OK)
        return err->code;

    drop_read_events(field);
    for (uint64_t i = 0; i < count; i++) {
        if (start->durations != NULL)
            duration = start->durations[i];
        start_one(field, field->named[i], start->direction > 0, start->is_instant ? 0.0 : duration,
                  easing);
    }
    return DW_OK;
}

dw_status dw_dissolve_field_set(dw_dissolve_field *field, const uint64_t *ids, uint64_t count,
                                const float *values, dw_error *err)
{
    uint64_t running = field->active_count < count ? field->active_count : count;

    if (check_values("values", ids, count, values, 1.0, err) != DW_OK ||
        find_named(field, ids, count, err) != DW_OK ||
        reserve_events(field, running, 0, err) != DW_OK)
        return err->code;

    drop_read_events(field);
    for (uint64_t i = 0; i < count; i++) {
        interrupt(field, field->named[i]);
        rest_row(field, field->named[i], values[i]);
    }
    return DW_OK;
}

dw_status dw_dissolve_field_set_highlight(dw_dissolve_field *field, const uint64_t *ids,
                                          uint64_t count, const uint8_t *levels, dw_error *err)
{
    if (field->def.encoding != DW_DISSOLVE_ENCODING_UNORM8)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "encoding must be unorm8 to hold a highlight, got %s: make the field with "
                       "encoding=\"unorm8\"",
                       dw_registries[DW_REGISTRY_DISSOLVE_ENCODING].rows[field->def.encoding].name);
    if (find_named(field, ids, count, err) != DW_OK)
        return err->code;
    for (uint64_t i = 0; i < count; i++) {
        field->colors[field->named[i]] = levels[i];
        publish_row(field, field->named[i]);
    }
    return DW_OK;
}

/* ---- ticks ---- */

/* Ticks of this step with their fraction. The clock sums what it is given, so that any splitting of
 * a time ends at the same tick. */
static double advance_clock(dw_dissolve_field *field, double dt)
{
    double ticks = dt * DW_TICKS_PER_SECOND;
    double sum = field->now_rest + ticks;
    double whole = floor(sum + 0.5);

    field->now += (int64_t)whole;
    field->now_rest = sum - whole;
    return fabs(ticks) < DW_DISSOLVE_TICKS_LEAST ? 0.0 : ticks;
}

/* Backwards, so that a row that is done can be taken out of the list. */
static void tick_active(dw_dissolve_field *field, float ticks)
{
    for (uint32_t i = field->active_count; i-- > 0;) {
        uint32_t row = field->active[i];
        float rate = field->rates[row];

        field->progress[row] = dw_dissolve_advance(field->progress[row], rate, ticks);
        publish_row(field, row);
        if (dw_dissolve_is_done(field->progress[row], rate))
            complete(field, row);
    }
}

static void publish_rows(dw_dissolve_field *field, uint32_t begin, uint32_t count)
{
    const float *values = field->progress + begin;

    if (field->values != NULL) {
        dw_dissolve_ease_rows(field->values + begin, values, field->easings + begin, count);
        values = field->values + begin;
    }
    if (field->colors != NULL)
        dw_dissolve_color_rows(field->colors + begin, values, count);
}

/* Many are active: rows in their order, those at rest too, which stay as they are. */
static void tick_rows(dw_dissolve_field *field, float ticks)
{
    uint32_t row_count = dw_id_map_row_count(&field->ids);

    for (uint32_t begin = 0; begin < row_count; begin += BLOCK) {
        uint32_t count = row_count - begin < BLOCK ? row_count - begin : BLOCK;
        float *progress = field->progress + begin, *rates = field->rates + begin;
        bool is_any_done = field->states != NULL
                               ? dw_dissolve_state_rows(progress, field->states + begin, rates,
                                                        count, (uint32_t)field->now)
                               : dw_dissolve_step_rows(progress, rates, count, ticks);

        publish_rows(field, begin, count);
        for (uint32_t i = 0; is_any_done && i < count; i++)
            if (dw_dissolve_is_done(progress[i], rates[i]))
                complete(field, begin + i);
    }
    if (field->states == NULL)
        mark_dirty(field, 0, row_count);
}

/* Progress and ends of analytic states, which themselves change only when they end. A step longer
 * than 32 bits of ticks is one from the age before it. */
static void tick_states(dw_dissolve_field *field, int64_t step)
{
    uint32_t before = (uint32_t)(field->now - step);

    for (uint32_t i = field->active_count; i-- > 0;) {
        uint32_t row = field->active[i];
        dw_dissolve_state *state = &field->states[row];
        int64_t age = (int64_t)(int32_t)(before - state->t0) + step;
        float begin = (float)(state->bits & DW_DISSOLVE_PROGRESS_MASK) * 0x1p-22f;

        field->progress[row] = dw_dissolve_advance(begin, state->rate, (float)age);
        if (field->values != NULL)
            field->values[row] = dw_ease(field->easings[row], field->progress[row]);
        if (dw_dissolve_is_done(field->progress[row], state->rate))
            complete(field, row);
        else if (age < 0) /* run backwards: so that no age grows over the years */
            restate_row(field, row);
    }
}

static void step_all(dw_dissolve_field *field, float ticks, int64_t step)
{
    bool is_dense = field->active_count >= dw_id_map_row_count(&field->ids) / DENSE_SHARE;

    if (field->active_count == 0)
        return;
    if (field->states != NULL && (!is_dense || step < 0 || step > INT32_MAX / 2))
        tick_states(field, step);
    else if (is_dense)
        tick_rows(field, ticks);
    else
        tick_active(field, ticks);
}

dw_status dw_dissolve_field_tick(dw_dissolve_field *field, double dt, dw_error *err)
{
    int64_t before = field->now;
    double ticks;

    if (!(dt >= -DW_DISSOLVE_DT_MAX && dt <= DW_DISSOLVE_DT_MAX))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "dt must be finite seconds, at most %g either way, got %g",
                       DW_DISSOLVE_DT_MAX, dt);
    drop_read_events(field);
    ticks = advance_clock(field, dt);
    step_all(field, (float)ticks, field->now - before);
    dw_dissolve_sort_events(field->events, field->scratch, field->event_count);
    field->are_events_read = true;
    return DW_OK;
}

/* ---- what is there ---- */

const dw_dissolve_event_row *dw_dissolve_field_events(const dw_dissolve_field *field,
                                                      uint64_t *count)
{
    *count = field->are_events_read ? field->event_count : 0;
    return field->events;
}

bool dw_dissolve_field_take_dirty(dw_dissolve_field *field, uint32_t *row_begin, uint32_t *row_end)
{
    *row_begin = field->dirty_begin;
    *row_end = field->dirty_end;
    field->dirty_begin = UINT32_MAX;
    field->dirty_end = 0;
    return *row_begin < *row_end;
}

const dw_dissolve_def *dw_dissolve_field_def(const dw_dissolve_field *field)
{
    return &field->def;
}

const float *dw_dissolve_field_progress(const dw_dissolve_field *field)
{
    return field->progress;
}

const float *dw_dissolve_field_values(const dw_dissolve_field *field)
{
    return field->values != NULL ? field->values : field->progress;
}

const float *dw_dissolve_field_rates(const dw_dissolve_field *field)
{
    return field->rates;
}

const uint32_t *dw_dissolve_field_colors(const dw_dissolve_field *field)
{
    return field->colors;
}

const dw_dissolve_state *dw_dissolve_field_states(const dw_dissolve_field *field)
{
    return field->states;
}

uint32_t dw_dissolve_field_row_count(const dw_dissolve_field *field)
{
    return dw_id_map_row_count(&field->ids);
}

uint32_t dw_dissolve_field_active_count(const dw_dissolve_field *field)
{
    return field->active_count;
}

int64_t dw_dissolve_field_now_ticks(const dw_dissolve_field *field)
{
    return field->now;
}

double dw_dissolve_field_now(const dw_dissolve_field *field)
{
    return ((double)field->now + field->now_rest) / DW_TICKS_PER_SECOND;
}

const dw_id_map *dw_dissolve_field_ids(const dw_dissolve_field *field)
{
    return &field->ids;
}
