/* SPDX-License-Identifier: MIT */
#include "cpu/terrain_expect.h"
#include "cpu/terrain_law.h"
#include "cpu/terrain_pack.h"

#include "check.h"

#include <math.h>
#include <string.h>

#define SIDE 24

static uint64_t random_state = 88172645463325252u;

static float random_share(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (float)(random_state >> 40) * 0x1p-24f;
}

static float weights[SIDE][SIDE][DW_TERRAIN_MATERIALS], chances[SIDE][SIDE][DW_TERRAIN_MATERIALS];
static const float strange[] = { NAN,   INFINITY, -INFINITY, -1.0f,  -0.0f,
                                 3e38f, 1e-45f,   1e-38f,    1e-20f, 1.0f };

/* Weights of every size, one in four out of the ordinary, at most `most` of a texel above 0. */
static void fill_weights(uint32_t slots, uint32_t most)
{
    float *weight = weights[0][0];

    for (uint32_t i = 0; i < SIDE * SIDE * slots; i++) {
        bool is_strange = random_share() < 0.25f;
        uint32_t pick = (uint32_t)(random_share() * (float)(sizeof strange / sizeof *strange));
        float plain = random_share() < 0.3f ? 0.0f : random_share();

        weight[i] = i % slots >= most ? 0.0f : is_strange ? strange[pick] : plain;
    }
}

/* Whether texel i has a weight that counts. */
static bool has_weight(uint32_t i, uint32_t slots)
{
    const float *weight = weights[0][0] + (size_t)i * slots;
    double sum = 0.0;

    for (uint32_t k = 0; k < slots; k++)
        sum += isfinite(weight[k]) && weight[k] > 0.0f ? (double)weight[k] : 0.0;
    return sum > DW_PACK_SUM_LEAST;
}

static void check_packing(uint32_t slots, uint32_t bits, const uint16_t *ranks)
{
    static uint8_t bytes[SIDE * SIDE * DW_PACK_SLOTS_MAX];
    uint32_t pitch = (slots * bits + 31) / 32 * 4;
    dw_pack_def def = { .weights = weights[0][0],
                        .width = SIDE,
                        .height = SIDE,
                        .slots = slots,
                        .bits = bits,
                        .pitch = pitch,
                        .ranks = ranks,
                        .side = 8,
                        .origin_x = -5,
                        .origin_y = INT32_MAX };
    const dw_run run = { NULL, NULL, NULL, 0.0, 0.0 };
    dw_error err;

    CHECK(dw_terrain_pack(&def, bytes, &run, &err) == DW_OK);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        uint32_t sum = 0;

        for (uint32_t k = 0; k < pitch; k++) {
            uint32_t byte = bytes[i * pitch + k];

            sum += bits == 8 ? byte : (byte & 15u) + (byte >> 4);
        }
        CHECK(sum == (has_weight(i, slots) ? (1u << bits) - 1u : 0u));
    }
}

static void check_index(uint32_t slots)
{
    static uint32_t map[SIDE * SIDE];
    double lost[SIDE], most[SIDE];
    dw_index_def def = { weights[0][0], SIDE, SIDE, slots };
    const dw_run run = { NULL, NULL, NULL, 0.0, 0.0 };
    dw_error err;

    CHECK(dw_terrain_index(&def, map, lost, most, &run, &err) == DW_OK);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        bool is_hole = (map[i] & DW_INDEX_HOLE) != 0;

        CHECK(is_hole == !has_weight(i, slots));
        CHECK(map[i] >> DW_INDEX_BASE_SHIFT < slots);
        CHECK((map[i] >> DW_INDEX_OVERLAY_SHIFT & 31u) < slots);
        CHECK((map[i] >> DW_INDEX_BLEND_SHIFT & 255u) <= 128u); /* the base is the heavier */
    }
    for (int y = 0; y < SIDE; y++)
        CHECK(lost[y] >= 0.0 && most[y] >= 0.0 && most[y] < 1.0 && lost[y] <= SIDE * most[y]);
}

static void check_chances(uint32_t slots, uint32_t mode, double strength)
{
    const dw_run run = { NULL, NULL, NULL, 0.0, 0.0 };
    float heights[DW_TERRAIN_MATERIALS];
    dw_terrain_def def = { .mode = mode,
                           .noise_size = 8,
                           .strength = strength,
                           .cell = 1.0,
                           .quantize = slots % 3 == 0 ? 15 : 0,
                           .min_weight = 0.01,
                           .accent = { 0.1, 0.6 },
                           .accents = 3,
                           .depth = 0.2,
                           .fade = { 0.5, 1.0 },
                           .zoom = { 4.0, 16.0 },
                           .count = slots };
    struct dw_terrain_law law;
    dw_expect_def expect = {
        .law = &law, .weights = weights[0][0], .heights = heights, .width = SIDE, .height = SIDE
    };
    dw_error err;

    for (uint32_t i = 0; i < slots; i++) {
        def.keys[i] = i;
        def.priorities[i] = (double)random_share() - 0.5;
        heights[i] = strange[i % (sizeof strange / sizeof *strange)];
    }
    CHECK(dw_terrain_law_make(&def, &law, &err) == DW_OK);
    CHECK(dw_terrain_expect(&expect, chances[0][0], &run, &err) == DW_OK);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const float *chance = chances[0][0] + (size_t)i * slots;
        double sum = 0.0;

        for (uint32_t k = 0; k < slots; k++) {
            CHECK(chance[k] >= 0.0f && chance[k] <= 1.000001f);
            sum += (double)chance[k];
        }
        CHECK(fabs(sum - 1.0) < 1e-5 || (sum == 0.0 && !has_weight(i, slots)));
    }
}

int main(void)
{
    static const double strengths[] = { 0.0, 1e-9, 0.3, 1.0 };
    uint16_t ranks[64];

    for (uint32_t i = 0; i < 64; i++)
        ranks[i] = (uint16_t)((i * 37u) & 63u);
    for (uint32_t slots = 2; slots <= DW_PACK_SLOTS_MAX; slots++) {
        fill_weights(slots, slots);
        for (uint32_t bits = 4; bits <= 8; bits += 4) {
            check_packing(slots, bits, NULL);
            check_packing(slots, bits, ranks);
        }
        check_index(slots);
        for (uint32_t mode = 0; mode <= DW_TERRAIN_MODE_HEIGHT; mode++)
            for (int i = 0; i < 4; i++)
                check_chances(slots, mode, strengths[i]);
    }
    fill_weights(DW_TERRAIN_MATERIALS, DW_TERRAIN_SLOTS);
    check_index(DW_TERRAIN_MATERIALS);
    for (uint32_t mode = 0; mode <= DW_TERRAIN_MODE_HEIGHT; mode++)
        check_chances(DW_TERRAIN_MATERIALS, mode, 1.0);
    return 0;
}
