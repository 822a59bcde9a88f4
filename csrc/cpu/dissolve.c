/* SPDX-License-Identifier: MIT */
#include "cpu/dissolve.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

#define FEW_EVENTS 48 /* below this an insertion sort is quicker */

float dw_dissolve_rate(double duration)
{
    double ticks = duration * DW_TICKS_PER_SECOND;
    float last = (float)ceil(ticks);
    float rate = (float)(1.0 / ticks);

    while (last * rate < 1.0f)
        rate = nextafterf(rate, 2.0f);
    return rate < 1.0f ? rate : 1.0f;
}

float dw_dissolve_invert(uint32_t easing, float value)
{
    uint32_t low = 0, high = 1u << 20; /* the easing gives less than value at low, or low is 0 */

    if (easing == DW_EASING_LINEAR || value <= 0.0f || value >= 1.0f)
        return value;
    while (high - low > 1u) {
        uint32_t middle = (low + high) / 2u;

        if (dw_ease(easing, (float)middle * 0x1p-20f) < value)
            low = middle;
        else
            high = middle;
    }
    return (float)high * 0x1p-20f;
}

/* As dw_dissolve_is_done, 1 or 0, by bits, which is what compilers turn into vectors: a rate above
 * 0 leads to the bits of 1, one below 0 to those of 0. */
static inline uint32_t done_bit(float progress, float rate)
{
    uint32_t bits = dw_bits_from_float(rate);
    uint32_t end = (bits >> 31) != 0 ? 0u : 0x3f800000u;

    return (uint32_t)(dw_bits_from_float(progress) == end) & (uint32_t)(bits != 0);
}

DW_SIMD bool dw_dissolve_step_rows(float *progress, const float *rates, uint32_t count, float ticks)
{
    uint32_t done = 0;

    for (uint32_t i = 0; i < count; i++) {
        float next = dw_dissolve_advance(progress[i], rates[i], ticks);

        progress[i] = next;
        done |= done_bit(next, rates[i]);
    }
    return done != 0;
}

DW_SIMD bool dw_dissolve_state_rows(float *progress, const dw_dissolve_state *states,
                                    const float *rates, uint32_t count, uint32_t now)
{
    uint32_t done = 0;

    for (uint32_t i = 0; i < count; i++) {
        float next = dw_dissolve_progress(states[i], now);

        progress[i] = next;
        done |= done_bit(next, rates[i]);
    }
    return done != 0;
}

typedef void (*ease_fn)(float *values, const float *progress, uint32_t count);

#define DW_EASING(value, NAME, name, doc)                                                 \
    DW_SIMD static void ease_##name(float *values, const float *progress, uint32_t count) \
    {                                                                                     \
        for (uint32_t i = 0; i < count; i++)                                              \
            values[i] = dw_ease(DW_EASING_##NAME, progress[i]);                           \
    }
#include "shared/easings.def"
#undef DW_EASING

static const ease_fn ease_fns[] = {
#define DW_EASING(value, NAME, name, doc) [value] = ease_##name,
#include "shared/easings.def"
#undef DW_EASING
};

void dw_dissolve_ease_rows(float *values, const float *progress, const uint8_t *easings,
                           uint32_t count)
{
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && easings[end] == easings[begin])
            end++;
        ease_fns[easings[begin]](values + begin, progress + begin, end - begin);
    }
}

DW_SIMD void dw_dissolve_color_rows(uint32_t *colors, const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        colors[i] = dw_dissolve_color(values[i], colors[i]);
}

static void insert_each(dw_dissolve_event_row *events, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        dw_dissolve_event_row one = events[i];
        uint64_t at = i;

        for (; at > 0 && events[at - 1].id > one.id; at--)
            events[at] = events[at - 1];
        events[at] = one;
    }
}

/* One pass of a radix sort by 8 bits of the id. */
static void scatter(const dw_dissolve_event_row *from, dw_dissolve_event_row *to, uint64_t count,
                    int shift)
{
    uint64_t begins[256] = { 0 }, sum = 0;

    for (uint64_t i = 0; i < count; i++)
        begins[from[i].id >> shift & 255u]++;
    for (int i = 0; i < 256; i++) {
        uint64_t size = begins[i];

        begins[i] = sum;
        sum += size;
    }
    for (uint64_t i = 0; i < count; i++)
        to[begins[from[i].id >> shift & 255u]++] = from[i];
}

void dw_dissolve_sort_events(dw_dissolve_event_row *events, dw_dissolve_event_row *scratch,
                             uint64_t count)
{
    dw_dissolve_event_row *from = events, *to = scratch;
    uint64_t varying = 0;
    bool is_sorted = true;

    for (uint64_t i = 1; i < count; i++) {
        is_sorted &= events[i - 1].id <= events[i].id;
        varying |= events[i - 1].id ^ events[i].id;
    }
    if (is_sorted)
        return;
    if (count < FEW_EVENTS) {
        insert_each(events, count);
        return;
    }
    for (int shift = 0; shift < 64; shift += 8) {
        dw_dissolve_event_row *swap = from;

        if ((varying >> shift & 255u) == 0)
            continue;
        scatter(from, to, count, shift);
        from = to;
        to = swap;
    }
    if (from != events)
        memcpy(events, from, count * sizeof *events);
}
