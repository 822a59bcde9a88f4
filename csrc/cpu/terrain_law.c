/* SPDX-License-Identifier: MIT */
#include "cpu/terrain_law.h"

#include "base/registry.h"

#include <math.h>
#include <string.h>

#define LOG2_E        1.4426950408889634
#define EXPONENT_MOST 65536.0 /* 2 / strength: beyond, float32 logarithms hold too few digits */
#define SPAN_LEAST    1e-3    /* of a fade */

static const struct {
    size_t offset;
    const char *name;
    double least, most;
} ranges[] = {
    { offsetof(dw_terrain_def, strength), "strength", 0, 1 },
    { offsetof(dw_terrain_def, cell), "cell", 1.0 / 32, 64 },
    { offsetof(dw_terrain_def, min_weight), "min_weight", 0, 0.5 },
    { offsetof(dw_terrain_def, depth), "depth", SPAN_LEAST, 1 },
};

static const struct {
    size_t offset;
    const char *name;
    int64_t least, most;
} whole_ranges[] = {
    { offsetof(dw_terrain_def, seed), "seed", 0, UINT32_MAX },
    { offsetof(dw_terrain_def, quantize), "quantize", 0, 255 },
    { offsetof(dw_terrain_def, accents), "accents", 1, 3 },
    { offsetof(dw_terrain_def, empty_id), "empty_id", 0, 255 },
};

static const struct {
    size_t offset;
    const char *name;
    double most;
} spans[] = {
    { offsetof(dw_terrain_def, accent), "accent", 1 },
    { offsetof(dw_terrain_def, fade), "fade", 1e6 },
    { offsetof(dw_terrain_def, zoom), "zoom", 1e6 },
};

static dw_status check_ranges(const dw_terrain_def *def, dw_error *err)
{
    const char *base = (const char *)def;

    for (size_t i = 0; i < DW_COUNT_OF(ranges); i++) {
        double value = *(const double *)(base + ranges[i].offset);

        if (!(value >= ranges[i].least && value <= ranges[i].most))
            return dw_fail(err, DW_ERROR_ARGUMENT, "%s must lie in [%g, %g], got %g",
                           ranges[i].name, ranges[i].least, ranges[i].most, value);
    }
    for (size_t i = 0; i < DW_COUNT_OF(whole_ranges); i++) {
        int64_t value = *(const int64_t *)(base + whole_ranges[i].offset);

        if (value < whole_ranges[i].least || value > whole_ranges[i].most)
            return dw_fail(err, DW_ERROR_ARGUMENT, "%s must lie in [%lld, %lld], got %lld",
                           whole_ranges[i].name, (long long)whole_ranges[i].least,
                           (long long)whole_ranges[i].most, (long long)value);
    }
    for (size_t i = 0; i < DW_COUNT_OF(spans); i++) {
        const double *span = (const double *)(base + spans[i].offset);

        if (!(span[0] >= 0 && span[1] - span[0] >= SPAN_LEAST && span[1] <= spans[i].most))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "%s must be two numbers from 0 to %g, the second the larger by %g or "
                           "more, got (%g, %g)",
                           spans[i].name, spans[i].most, SPAN_LEAST, span[0], span[1]);
    }
    return DW_OK;
}

static dw_status check_slots(const dw_terrain_def *def, dw_error *err)
{
    if (def->count < 1 || def->count > DW_TERRAIN_MATERIALS)
        return dw_fail(err, DW_ERROR_ARGUMENT, "materials must be 1 to %u, got %u",
                       DW_TERRAIN_MATERIALS, def->count);
    for (uint32_t i = 0; i < def->count; i++) {
        if (!(fabs(def->priorities[i]) <= 0.5))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "priorities must lie in [-0.5, 0.5], got %g for slot %u",
                           def->priorities[i], i);
        if (def->keys[i] > 255)
            return dw_fail(err, DW_ERROR_ARGUMENT, "materials must lie in [0, 255], got %u",
                           def->keys[i]);
        for (uint32_t j = 0; j < i; j++)
            if (def->keys[j] == def->keys[i])
                return dw_fail(err, DW_ERROR_ARGUMENT,
                               "materials must differ, got %u for slots %u and %u: add the weights "
                               "of the two",
                               def->keys[i], j, i);
    }
    return DW_OK;
}

static dw_status check_noise(const dw_terrain_def *def, dw_error *err)
{
    if (def->noise_size < DW_DITHER_SIDE_MIN || def->noise_size > DW_DITHER_SIDE_MAX ||
        (def->noise_size & (def->noise_size - 1)) != 0)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "noise_size must be a power of two from %u to %u, got %lld",
                       DW_DITHER_SIDE_MIN, DW_DITHER_SIDE_MAX, (long long)def->noise_size);
    return DW_OK;
}

static uint32_t fixed(double value, double one)
{
    return (uint32_t)floor(value * one + 0.5);
}

static void set_noise(const dw_terrain_def *def, struct dw_terrain_law *law)
{
    uint32_t side =
        def->noise == DW_TERRAIN_NOISE_BLUE ? (uint32_t)def->noise_size : DW_TERRAIN_BAYER;

    law->noise = def->noise;
    law->seed = (uint32_t)def->seed;
    law->side_mask = side - 1;
    law->rank_bits = DW_DITHER_HASH_BITS;
    if (def->noise != DW_TERRAIN_NOISE_HASH)
        for (law->rank_bits = 0; 1u << law->rank_bits < side * side; law->rank_bits += 2)
            continue;
}

/* Whether slot a comes before b in the global order. */
static bool precedes(const dw_terrain_def *def, uint32_t a, uint32_t b)
{
    if (def->priorities[a] != def->priorities[b])
        return def->priorities[a] > def->priorities[b];
    return def->keys[a] < def->keys[b];
}

/* The noise of a place of its own: the table moved along a sequence that fills the square evenly
 * (Roberts 2018), or another hash. */
static uint32_t own_noise(const struct dw_terrain_law *law, uint32_t key)
{
    double side = law->side_mask + 1.0, x = (key + 1) * 0.75488, y = (key + 1) * 0.56984;

    if (law->noise == DW_TERRAIN_NOISE_HASH)
        return dw_hash(law->seed + dw_hash(key + 1u));
    return (uint32_t)(side * (x - floor(x))) | (uint32_t)(side * (y - floor(y))) << 16;
}

static void set_places(const dw_terrain_def *def, struct dw_terrain_law *law)
{
    law->count = def->count;
    for (uint32_t slot = 0; slot < def->count; slot++) {
        uint32_t place = 0;
        double priority = def->priorities[slot];

        for (uint32_t other = 0; other < def->count; other++)
            place += other != slot && precedes(def, other, slot);
        law->places[slot] = place;
        law->slots[place] = slot;
        law->ids[place] = def->keys[slot];
        law->lifts[place] = (float)(2 * LOG2_E * priority);
        law->levels[place] = fixed(1 + priority, 0x1p30) - law->swing / 2;
        law->offsets[place] = own_noise(law, def->keys[slot]);
    }
}

dw_status dw_terrain_law_make(const dw_terrain_def *def, struct dw_terrain_law *law, dw_error *err)
{
    if (check_ranges(def, err) != DW_OK || check_noise(def, err) != DW_OK ||
        check_slots(def, err) != DW_OK)
        return err->code;
    memset(law, 0, sizeof *law);
    law->mode = def->mode;
    law->empty_id = (uint32_t)def->empty_id;
    law->quantize = (uint32_t)def->quantize;
    /* A weight that is the least to within 2^-32 is kept, whatever the rounding of the two. */
    law->least = def->min_weight > 0 ? (uint32_t)(ceil(def->min_weight * 0x1p32) - 1) : 0;
    law->share = def->strength < 1 ? (uint32_t)fmin(def->strength * 0x1p32, 0xfffffffe) : ~0u;
    law->swing = fixed(def->strength, 0x1p30);
    law->depth = fixed(def->depth, 0x1p30);
    law->accents = (uint32_t)def->accents;
    law->exponent = def->strength > 0 ? (float)fmin(2 / def->strength, EXPONENT_MOST) : 0;
    law->accent_begin = (float)def->accent[0];
    law->accent_scale = (float)(1 / (def->accent[1] - def->accent[0]));
    law->cell = (float)def->cell;
    law->fade_begin = (float)def->fade[0];
    law->fade_scale = (float)(1 / (def->fade[1] - def->fade[0]));
    law->zoom_begin = (float)def->zoom[0];
    law->zoom_scale = (float)(1 / (def->zoom[1] - def->zoom[0]));
    set_noise(def, law);
    set_places(def, law);
    return DW_OK;
}
