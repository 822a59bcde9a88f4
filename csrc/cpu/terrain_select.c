/* SPDX-License-Identifier: MIT */
#include "base/simd.h"

/* Calls would keep loops from becoming vectors. */
#define DW_INLINE static DW_ALWAYS_INLINE

#include "cpu/terrain_select.h"

#include "base/alloc.h"
#include "cpu/terrain_strip.h"
#include "shared/terrain_choose.h"

#include <math.h>
#include <string.h>

/* ---- where samples lie ---- */

uint32_t dw_terrain_texel_size(const dw_terrain_map *map)
{
    switch (map->form) {
    case DW_TERRAIN_FORM_FLOAT:
        return 4 * map->pitch;
    case DW_TERRAIN_FORM_HALF:
        return 2 * map->pitch;
    case DW_TERRAIN_FORM_BYTE:
        return map->pitch;
    case DW_TERRAIN_FORM_NIBBLE:
        return map->pitch / 2;
    default:
        return 4;
    }
}

static uint32_t clamp_texel(double texel, uint32_t texels)
{
    return texel < 0 ? 0 : texel >= texels ? texels - 1 : (uint32_t)texel;
}

dw_status dw_terrain_step(const dw_terrain_place *place, uint32_t axis, double position,
                          uint32_t texels, uint32_t *table, size_t count, size_t at, dw_error *err)
{
    double local = position - place->origin[axis], cell = floor(position / place->cell);
    double low = floor(place->is_linear ? local - 0.5 : local);
    double fraction = floor((local - 0.5 - low) * DW_TERRAIN_FRACTION + 0.5);

    if (!(cell >= INT32_MIN && cell <= INT32_MAX))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "%s %g lies beyond the 2^31 noise cells of %g map units on either side of 0",
                       axis == 0 ? "x" : "y", position, place->cell);
    table[DW_TERRAIN_STEP_CELL * count + at] = (uint32_t)(int32_t)cell;
    table[DW_TERRAIN_STEP_TEXEL * count + at] = clamp_texel(low, texels);
    table[DW_TERRAIN_STEP_NEXT * count + at] = clamp_texel(low + 1, texels);
    table[DW_TERRAIN_STEP_FRACTION * count + at] = place->is_linear ? (uint32_t)fraction : 0;
    return DW_OK;
}

/* ---- weights of one texel ---- */

static float float_at(const dw_terrain_map *map, size_t index)
{
    if (map->form == DW_TERRAIN_FORM_HALF)
        return dw_float_from_half(((const uint16_t *)map->weights)[index]);
    return ((const float *)map->weights)[index];
}

static uint32_t whole_at(const dw_terrain_map *map, size_t index)
{
    const uint8_t *bytes = map->weights;

    if (map->form == DW_TERRAIN_FORM_NIBBLE)
        return bytes[index / 2] >> (4 * (index & 1)) & 15u;
    return bytes[index];
}

static float clean_at(const dw_terrain_map *map, size_t texel, uint32_t slot)
{
    size_t index = texel * map->pitch + slot;

    if (map->form == DW_TERRAIN_FORM_HALF)
        return dw_terrain_half(((const uint16_t *)map->weights)[index]);
    return dw_terrain_clean(((const float *)map->weights)[index]);
}

static float height_at(const dw_terrain_map *map, size_t texel, uint32_t slot)
{
    return dw_terrain_clean_height(map->heights[texel * map->slots + slot]);
}

int64_t dw_terrain_find_bad(const dw_terrain_map *map)
{
    size_t count = (size_t)map->width * map->height * map->pitch;

    if (map->form != DW_TERRAIN_FORM_FLOAT && map->form != DW_TERRAIN_FORM_HALF)
        return -1;
    for (size_t i = 0; i < count; i++) {
        float w = float_at(map, i);

        if (!dw_is_finite_bits(dw_bits_from_float(w)) || w < 0)
            return (int64_t)i;
    }
    return -1;
}

/* ---- points ---- */

typedef struct corner {
    size_t texel;
    uint32_t part; /* of DW_TERRAIN_FRACTION^2 */
} corner;

/* The four texels around a sample; all of the first, unless filtering is linear. */
static void find_corners(const dw_terrain_map *map, bool is_linear, const uint32_t *columns,
                         const uint32_t *rows, size_t count, size_t at, corner corners[4])
{
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t sx = DW_TERRAIN_STEP_TEXEL + (k & 1), sy = DW_TERRAIN_STEP_TEXEL + (k >> 1);
        uint32_t fx = columns[DW_TERRAIN_STEP_FRACTION * count + at];
        uint32_t fy = rows[DW_TERRAIN_STEP_FRACTION * count + at];

        corners[k].texel = (size_t)rows[sy * count + at] * map->width + columns[sx * count + at];
        corners[k].part = ((k & 1) != 0 ? fx : DW_TERRAIN_FRACTION - fx) *
                          (k >> 1 != 0 ? fy : DW_TERRAIN_FRACTION - fy);
        if (!is_linear)
            corners[k].part = k == 0;
    }
}

/* Fractions of corners as lerps; exact for weights of 8 bits. */
static float lerp_corners(const float v[4], uint32_t fx, uint32_t fy)
{
    float tx = dw_float(fx) * (1.0f / DW_TERRAIN_FRACTION);
    float ty = dw_float(fy) * (1.0f / DW_TERRAIN_FRACTION);

    return dw_lerp(dw_lerp(v[0], v[1], tx), dw_lerp(v[2], v[3], tx), ty);
}

static uint8_t select_point(const dw_terrain_source *from, const dw_terrain_map *map,
                            bool is_linear, const uint32_t *columns, const uint32_t *rows,
                            size_t count, size_t at)
{
    const struct dw_terrain_law *law = from->law;
    uint32_t fx = columns[DW_TERRAIN_STEP_FRACTION * count + at], place;
    uint32_t fy = rows[DW_TERRAIN_STEP_FRACTION * count + at];
    float weights[DW_TERRAIN_WIDTH] = { 0 }, heights[DW_TERRAIN_WIDTH] = { 0 };
    uint32_t whole[DW_TERRAIN_WIDTH] = { 0 };
    bool is_float = map->form <= DW_TERRAIN_FORM_HALF;
    corner corners[4];

    find_corners(map, is_linear, columns, rows, count, at, corners);
    for (uint32_t p = 0; p < law->count; p++) {
        float f[4] = { 0 }, h[4] = { 0 };

        for (uint32_t k = 0; k < 4; k++) {
            size_t index = corners[k].texel * map->pitch + law->slots[p];

            if (is_float)
                f[k] = clean_at(map, corners[k].texel, law->slots[p]);
            else if (map->form != DW_TERRAIN_FORM_INDEX)
                whole[p] += whole_at(map, index) * corners[k].part;
            else {
                uint32_t word = ((const uint32_t *)map->weights)[corners[k].texel];
                uint32_t blend = dw_terrain_index_blend(word), slot = law->slots[p];

                whole[p] +=
                    (slot == dw_terrain_index_base(word) ? 255u - blend : 0u) * corners[k].part;
                whole[p] += (slot == dw_terrain_index_overlay(word) ? blend : 0u) * corners[k].part;
            }
            if (map->heights != NULL)
                h[k] = height_at(map, corners[k].texel, law->slots[p]);
        }
        weights[p] = is_linear ? lerp_corners(f, fx, fy) : f[0];
        heights[p] = is_linear ? lerp_corners(h, fx, fy) : h[0];
    }
    if (is_float) {
        place =
            dw_terrain_choose(from, weights, heights, columns[DW_TERRAIN_STEP_CELL * count + at],
                              rows[DW_TERRAIN_STEP_CELL * count + at]);
    } else {
        place = dw_terrain_total(whole) == 0
                    ? DW_TERRAIN_NONE
                    : dw_terrain_choose_whole(from, whole, heights,
                                              columns[DW_TERRAIN_STEP_CELL * count + at],
                                              rows[DW_TERRAIN_STEP_CELL * count + at]);
    }
    return (uint8_t)(place == DW_TERRAIN_NONE ? law->empty_id : law->ids[place]);
}

void dw_terrain_select_points(const struct dw_terrain_law *law, const uint16_t *table,
                              const dw_terrain_map *map, bool is_linear, const uint32_t *columns,
                              const uint32_t *rows, size_t count, uint8_t *ids)
{
    dw_terrain_source from = { law, table };

    for (size_t i = 0; i < count; i++)
        ids[i] = select_point(&from, map, is_linear, columns, rows, count, i);
}

/* ---- pictures ---- */

typedef struct frame {
    const struct dw_terrain_law *law;
    const uint16_t *table;
    const dw_terrain_map *map;
    const dw_terrain_picture *picture;
    uint8_t *ids;
    dw_terrain_block *blocks; /* one a thread */
    bool is_identity;         /* ids are places */
} frame;

/* Pixels [x, x + count) of a row. What lies beyond count in a block is left over, and harmless. */
typedef struct run_of {
    const frame *of;
    dw_terrain_block *block;
    uint32_t x, y, count;
} run_of;

static uint32_t column(const run_of *run, uint32_t table, uint32_t i)
{
    return run->of->picture->columns[table * run->of->picture->width + run->x + i];
}

static uint32_t row(const run_of *run, uint32_t table)
{
    return run->of->picture->rows[table * run->of->picture->height + run->y];
}

/* The index of a texel's first weight: corner 0 to 3. */
static size_t texel(const run_of *run, uint32_t k, uint32_t i)
{
    return (size_t)row(run, DW_TERRAIN_STEP_TEXEL + (k >> 1)) * run->of->map->width +
           column(run, DW_TERRAIN_STEP_TEXEL + (k & 1), i);
}

DW_SIMD static void split_words(const uint32_t *restrict words, uint32_t stride, uint32_t shift,
                                uint32_t mask, uint32_t count, uint32_t *restrict w)
{
    if (stride == 1) {
        for (uint32_t i = 0; i < count; i++)
            w[i] = words[i] >> shift & mask;
    } else {
        for (uint32_t i = 0; i < count; i++)
            w[i] = words[(size_t)i * stride] >> shift & mask;
    }
}

/* Column i shows texel i, and texels are words. */
static void read_words(const run_of *run)
{
    const frame *of = run->of;
    uint32_t bits = of->map->form == DW_TERRAIN_FORM_NIBBLE ? 4 : 8, each = 32 / bits;
    uint32_t stride = of->map->pitch / each;
    const uint32_t *words = (const uint32_t *)of->map->weights + texel(run, 0, 0) * stride;

    for (uint32_t p = 0; p < run->block->count; p++) {
        uint32_t slot = of->law->slots[p];

        split_words(words + slot / each, stride, slot % each * bits, (1u << bits) - 1, run->count,
                    run->block->w[p]);
    }
}

static void read_wholes(const run_of *run)
{
    const dw_terrain_map *map = run->of->map;
    bool is_linear = run->of->picture->is_linear;
    uint32_t fy = row(run, DW_TERRAIN_STEP_FRACTION);

    for (uint32_t p = 0; p < run->block->count; p++) {
        uint32_t slot = run->of->law->slots[p];

        for (uint32_t i = 0; i < run->count; i++) {
            uint32_t fx = column(run, DW_TERRAIN_STEP_FRACTION, i), sum = 0;

            for (uint32_t k = 0; is_linear && k < 4; k++)
                sum += whole_at(map, texel(run, k, i) * map->pitch + slot) *
                       ((k & 1) != 0 ? fx : DW_TERRAIN_FRACTION - fx) *
                       (k >> 1 != 0 ? fy : DW_TERRAIN_FRACTION - fy);
            run->block->w[p][i] =
                is_linear ? sum : whole_at(map, texel(run, 0, i) * map->pitch + slot);
        }
    }
}

static void read_indices(const run_of *run)
{
    const uint32_t *words = run->of->map->weights;
    bool is_linear = run->of->picture->is_linear;
    uint32_t fy = row(run, DW_TERRAIN_STEP_FRACTION);

    memset(run->block->w, 0, sizeof run->block->w);
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t fx = column(run, DW_TERRAIN_STEP_FRACTION, i);

        for (uint32_t k = 0; k < (is_linear ? 4u : 1u); k++) {
            uint32_t word = words[texel(run, k, i)], blend = dw_terrain_index_blend(word);
            uint32_t part = is_linear ? ((k & 1) != 0 ? fx : DW_TERRAIN_FRACTION - fx) *
                                            (k >> 1 != 0 ? fy : DW_TERRAIN_FRACTION - fy)
                                      : 1;

            run->block->w[run->of->law->places[dw_terrain_index_base(word)]][i] +=
                (255 - blend) * part;
            run->block->w[run->of->law->places[dw_terrain_index_overlay(word)]][i] += blend * part;
        }
    }
}

/* Of weights or heights. */
static void read_linear(const run_of *run, float (*value)(const dw_terrain_map *, size_t, uint32_t),
                        uint32_t slot, float *out)
{
    const dw_terrain_map *map = run->of->map;
    uint32_t fy = row(run, DW_TERRAIN_STEP_FRACTION);

    for (uint32_t i = 0; i < run->count; i++) {
        float v[4];

        for (uint32_t k = 0; k < 4; k++)
            v[k] = value(map, texel(run, k, i), slot);
        out[i] = lerp_corners(v, column(run, DW_TERRAIN_STEP_FRACTION, i), fy);
    }
}

static void read_floats(const run_of *run)
{
    const dw_terrain_map *map = run->of->map;

    for (uint32_t p = 0; p < run->block->count; p++) {
        uint32_t slot = run->of->law->slots[p];
        float *f = run->block->f[p];

        if (run->of->picture->is_linear) {
            read_linear(run, clean_at, slot, f);
            continue;
        }
        for (uint32_t i = 0; i < run->count; i++)
            f[i] = clean_at(map, texel(run, 0, i), slot);
    }
}

static void read_heights(const run_of *run)
{
    const dw_terrain_map *map = run->of->map;

    for (uint32_t p = 0; p < run->block->count; p++) {
        uint32_t slot = run->of->law->slots[p];
        float *heights = run->block->heights[p];

        if (run->of->picture->is_linear) {
            read_linear(run, height_at, slot, heights);
            continue;
        }
        for (uint32_t i = 0; i < run->count; i++)
            heights[i] = height_at(map, texel(run, 0, i), slot);
    }
}

static void read_run(const run_of *run)
{
    const frame *of = run->of;
    uint32_t form = of->map->form;
    bool is_words =
        form == DW_TERRAIN_FORM_NIBBLE || (form == DW_TERRAIN_FORM_BYTE && of->map->pitch % 4 == 0);

    if (form == DW_TERRAIN_FORM_INDEX)
        read_indices(run);
    else if (form <= DW_TERRAIN_FORM_HALF)
        read_floats(run);
    else if (is_words && of->picture->is_plain)
        read_words(run);
    else
        read_wholes(run);
    if (of->law->mode == DW_TERRAIN_MODE_HEIGHT && of->map->heights != NULL)
        read_heights(run);
}

DW_SIMD static void hash_noise(const uint32_t *restrict cells, uint32_t seed, uint32_t y,
                               uint32_t count, uint32_t *restrict noise)
{
    uint32_t base = dw_hash(y + dw_hash(seed));

    for (uint32_t i = 0; i < count; i++)
        noise[i] = dw_terrain_noise_of(dw_hash(cells[i] + base) >> (32 - DW_DITHER_HASH_BITS),
                                       DW_DITHER_HASH_BITS);
}

/* offset: as dw_terrain_noise_at takes it; seed: of HASH. */
static void set_noise(const run_of *run, uint32_t seed, uint32_t offset)
{
    const struct dw_terrain_law *law = run->of->law;
    const uint32_t *cells = &run->of->picture->columns[run->x];
    uint32_t y = row(run, DW_TERRAIN_STEP_CELL), mask = law->side_mask;

    if (law->noise == DW_TERRAIN_NOISE_HASH) {
        hash_noise(cells, seed, y, run->count, run->block->noise);
    } else {
        const uint16_t *line = run->of->table + (size_t)((y + (offset >> 16)) & mask) * (mask + 1);

        for (uint32_t i = 0; i < run->count; i++)
            run->block->noise[i] =
                dw_terrain_noise_of(line[(cells[i] + (offset & 0xffff)) & mask], law->rank_bits);
    }
}

static void choose(const run_of *run)
{
    const struct dw_terrain_law *law = run->of->law;

    if (law->mode == DW_TERRAIN_MODE_SMOOTH) {
        dw_terrain_block_heaviest(run->block);
    } else if (law->mode == DW_TERRAIN_MODE_PRIORITY_ADDITIVE) {
        dw_terrain_block_begin_win(run->block);
        for (uint32_t p = 0; p < run->block->count; p++) {
            set_noise(run, law->offsets[p], law->offsets[p]);
            dw_terrain_block_win(run->block, law, p);
        }
    } else {
        dw_terrain_block_weigh(run->block, law);
        set_noise(run, law->seed, 0);
        dw_terrain_block_pick(run->block);
    }
}

DW_SIMD static void write_places(const dw_terrain_block *restrict b, uint32_t count,
                                 uint8_t empty_id, uint8_t *restrict ids)
{
    for (uint32_t i = 0; i < count; i++)
        ids[i] = b->is_empty[i] != 0 ? empty_id : (uint8_t)b->place[i];
}

static void write_ids(const run_of *run)
{
    const frame *of = run->of;
    const dw_terrain_block *b = run->block;
    uint8_t *ids = of->ids + (size_t)run->y * of->picture->width + run->x;
    uint8_t empty_id = (uint8_t)of->law->empty_id;

    if (of->is_identity) {
        write_places(b, run->count, empty_id, ids);
        return;
    }
    for (uint32_t i = 0; i < run->count; i++)
        ids[i] = b->is_empty[i] != 0 ? empty_id : (uint8_t)of->law->ids[b->place[i]];
}

static void read_tidy(const run_of *run)
{
    read_run(run);
    if (run->of->map->form <= DW_TERRAIN_FORM_HALF)
        dw_terrain_block_whole(run->block);
    else
        dw_terrain_block_check(run->block);
    dw_terrain_block_tidy(run->block, run->of->law);
}

void dw_terrain_read_block(const dw_terrain_strip *strip, dw_terrain_block *block)
{
    frame of = { .law = strip->law, .map = strip->map, .picture = strip->picture };
    run_of run = { &of, block, strip->x, strip->y, strip->count };

    block->count = strip->law->count;
    read_tidy(&run);
}

void dw_terrain_choose_block(const dw_terrain_strip *strip, dw_terrain_block *block)
{
    frame of = { .law = strip->law, .table = strip->table, .picture = strip->picture };
    run_of run = { &of, block, strip->x, strip->y, strip->count };

    choose(&run);
}

static void select_row(void *user, int64_t y, int worker)
{
    const frame *of = user;
    uint32_t width = of->picture->width;
    run_of run = { of, &of->blocks[worker], 0, (uint32_t)y, 0 };

    for (run.x = 0; run.x < width; run.x += DW_TERRAIN_LANES) {
        run.count = width - run.x < DW_TERRAIN_LANES ? width - run.x : DW_TERRAIN_LANES;
        read_tidy(&run);
        choose(&run);
        write_ids(&run);
    }
}

dw_status dw_terrain_select(const struct dw_terrain_law *law, const uint16_t *table,
                            const dw_terrain_map *map, const dw_terrain_picture *picture,
                            uint8_t *ids, const dw_run *run, dw_error *err)
{
    frame self = { .law = law, .table = table, .map = map, .picture = picture, .ids = ids };
    size_t threads = (size_t)dw_run_thread_count(run);
    dw_status status;

    self.is_identity = true;
    for (uint32_t p = 0; p < law->count; p++) {
        self.is_identity = self.is_identity && law->ids[p] == p;
    }
    if (DW_ALLOC_ZEROED(threads, &self.blocks, err) != DW_OK)
        return err->code;
    for (size_t i = 0; i < threads; i++)
        self.blocks[i].count = law->count;
    status = dw_parallel_for(run, picture->height, select_row, &self, err);
    dw_free(self.blocks);
    return status;
}
