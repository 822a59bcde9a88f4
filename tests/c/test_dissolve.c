/* SPDX-License-Identifier: MIT */
#include "cpu/dissolve.h"
#include "cpu/dither.h"

#include "base/alloc.h"

#include "check.h"

#include <string.h>

static void rates_reach_the_end_in_their_time(void)
{
    for (double duration = DW_DISSOLVE_DURATION_LEAST; duration <= DW_DISSOLVE_DURATION_MAX;
         duration *= 1.37) {
        double ticks = duration * DW_TICKS_PER_SECOND;
        float rate = dw_dissolve_rate(duration);
        uint32_t last = (uint32_t)ticks + ((double)(uint32_t)ticks < ticks);
        dw_dissolve_state state = { 7u, rate, dw_dissolve_bits(0.0f, 0, 0) };

        CHECK(rate > 0.0f && rate <= 1.0f);
        CHECK(dw_dissolve_progress(state, 7u + last) == 1.0f);
        if (last > 16)
            CHECK(dw_dissolve_progress(state, 7u + last - last / 8) < 1.0f);
        state.rate = -rate;
        state.bits = dw_dissolve_bits(1.0f, 0, 0);
        CHECK(dw_dissolve_progress(state, 7u + last) == 0.0f);
    }
}

static void easings_run_backwards(void)
{
    for (uint32_t easing = 0; easing < (uint32_t)dw_registries[DW_REGISTRY_EASING].count; easing++)
        for (int i = 0; i <= 1000; i++) {
            float value = (float)i / 1000.0f;
            float p = dw_dissolve_invert(easing, value);

            CHECK(p >= 0.0f && p <= 1.0f);
            CHECK(dw_ease(easing, p) >= value - 1e-6f && dw_ease(easing, p) <= value + 2e-5f);
        }
}

static void colors_keep_their_highlight(void)
{
    uint32_t colors[3] = { 17u, 0u, 255u };
    float values[3] = { 0.0f, 1.0f, 0.5f };

    dw_dissolve_color_rows(colors, values, 3);
    CHECK(colors[0] == (17u | 17u << 8 | 255u << 16 | 255u << 24));
    CHECK(colors[1] == 255u << 24);
    CHECK((colors[2] & 0xffffu) == 0xffffu && (colors[2] >> 16 & 255u) == 128u);
    for (uint32_t level = 0; level < 256; level++) {
        float value = dw_dissolve_color_value(level << 16);

        CHECK((dw_dissolve_color(value, 0) >> 16 & 255u) == level);
    }
    CHECK(dw_dissolve_color_value(0) == 1.0f && dw_dissolve_color_value(255u << 16) == 0.0f);
}

static void directions_have_their_ends(void)
{
    for (uint32_t direction = 0; direction < 4; direction++)
        for (int i = 0; i <= 64; i++) {
            float place = (float)i / 64.0f, before = 0.0f;

            CHECK(dw_dissolve_amount_at(direction, place, 0.0f, 0.2f, 5.0f) == 0.0f);
            CHECK(dw_dissolve_amount_at(direction, place, 1.0f, 0.2f, 5.0f) == 1.0f);
            for (int k = 0; k <= 64; k++) {
                float amount =
                    dw_dissolve_amount_at(direction, place, (float)k / 64.0f, 0.2f, 5.0f);

                CHECK(amount >= before && amount <= 1.0f);
                before = amount;
            }
        }
    CHECK(dw_dissolve_amount_at(DW_DISSOLVE_DIRECTION_UP, 0.0f, 0.3f, 0.2f, 5.0f) == 1.0f);
    CHECK(dw_dissolve_amount_at(DW_DISSOLVE_DIRECTION_UP, 1.0f, 0.3f, 0.2f, 5.0f) == 0.0f);
    CHECK(dw_dissolve_amount_at(DW_DISSOLVE_DIRECTION_DOWN, 1.0f, 0.3f, 0.2f, 5.0f) == 1.0f);
    CHECK(dw_dissolve_amount_at(DW_DISSOLVE_DIRECTION_DOWN, 0.0f, 0.3f, 0.2f, 5.0f) == 0.0f);
}

static void events_are_sorted_and_stable(void)
{
    enum { COUNT = 5000 };
    static dw_dissolve_event_row events[COUNT], scratch[COUNT];
    uint64_t state = 1;

    for (uint64_t count = 0; count <= COUNT; count = count < 100 ? count + 1 : count * 3) {
        for (uint32_t i = 0; i < count; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            events[i] =
                (dw_dissolve_event_row) { .id = (state >> 59) << (state >> 33 & 48u), .kind = i };
        }
        dw_dissolve_sort_events(events, scratch, count);
        for (uint64_t i = 1; i < count; i++)
            CHECK(events[i - 1].id < events[i].id ||
                  (events[i - 1].id == events[i].id && events[i - 1].kind < events[i].kind));
    }
}

static void masks_are_what_they_say(void)
{
    uint16_t table[64], ranks[7 * 9];
    uint8_t masks[2 * 7 * 9];
    const float amounts[2] = { 0.3f, 1.0f };
    dw_dither_def def = { .pattern = DW_DITHER_PATTERN_BLUE,
                          .side = 8,
                          .table = table,
                          .width = 9,
                          .height = 7,
                          .origin_x = -3,
                          .origin_y = 5 };
    dw_run run = { 0 };
    dw_error err;

    CHECK(dw_blue_noise_make(8, DW_BLUE_SIGMA, 2, table, NULL, &err) == DW_OK);
    dw_dither_ranks(&def, ranks);
    CHECK(dw_discard_masks(&def, amounts, 2, masks, &run, &err) == DW_OK);
    for (uint32_t y = 0; y < 7; y++)
        for (uint32_t x = 0; x < 9; x++) {
            uint16_t rank = table[((y + 5u) & 7u) * 8u + ((x - 3u) & 7u)];

            CHECK(ranks[y * 9 + x] == rank);
            CHECK(masks[y * 9 + x] == (rank < 19)); /* ceil(0.3 * 64 - 0.5) */
            CHECK(masks[63 + y * 9 + x] == 1);
        }
}

static bool stop(void *user, double fraction)
{
    (void)user;
    return fraction < 0.5;
}

static void blue_noise_can_be_stopped(void)
{
    static uint16_t ranks[64 * 64];
    dw_run run = { .poll = stop, .fraction_end = 1.0 };
    dw_error err;

    CHECK(dw_blue_noise_make(64, 1.9, 0, ranks, &run, &err) == DW_ERROR_INTERRUPTED);
    CHECK(dw_blue_noise_make(65, 1.9, 0, ranks, NULL, &err) == DW_ERROR_ARGUMENT);
    CHECK(dw_blue_noise_make(64, 0.0, 0, ranks, NULL, &err) == DW_ERROR_ARGUMENT);
    CHECK(strstr(err.text, "sigma") != NULL);
}

int main(void)
{
    rates_reach_the_end_in_their_time();
    easings_run_backwards();
    colors_keep_their_highlight();
    directions_have_their_ends();
    events_are_sorted_and_stable();
    masks_are_what_they_say();
    blue_noise_can_be_stopped();
    CHECK(dw_alloc_live_count() == 0);
    return 0;
}
