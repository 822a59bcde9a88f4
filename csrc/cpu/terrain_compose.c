/* SPDX-License-Identifier: MIT */
#include "base/simd.h"

#define DW_INLINE static DW_ALWAYS_INLINE

#include "cpu/terrain_compose.h"

#include "base/alloc.h"
#include "cpu/terrain_strip.h"
#include "shared/terrain_choose.h"

#include <string.h>

typedef struct worker {
    dw_terrain_block block;
    uint32_t amounts[DW_TERRAIN_MATERIALS][DW_TERRAIN_LANES]; /* of the expectation, by place */
} worker;

typedef struct painter {
    const struct dw_terrain_law *law;
    const uint16_t *table;
    const dw_terrain_map *map;
    const dw_terrain_painting *painting;
    worker *workers;
    uint32_t *light; /* [workers][width][3] sums over a row's samples */
    uint8_t *out;
} painter;

/* ---- the expectation ---- */

/* PRIORITY_ADDITIVE: w becomes what chances are, as dw_terrain_chances gives them. Neighbours of
 * equal weights, which are most of those of a texel, share one. */
static void take_chances(const dw_terrain_strip *strip, dw_terrain_block *b)
{
    dw_terrain_source from = { strip->law, strip->table };
    uint32_t known[DW_TERRAIN_WIDTH] = { 0 }, own[DW_TERRAIN_WIDTH] = { 0 };
    float chances[DW_TERRAIN_WIDTH] = { 0 };

    memset(b->sum, 0, sizeof b->sum);
    for (uint32_t i = 0; i < strip->count; i++) {
        for (uint32_t p = 0; p < b->count; p++)
            own[p] = b->w[p][i];
        if (i == 0 || memcmp(own, known, sizeof own) != 0)
            dw_terrain_chances(&from, own, chances);
        memcpy(known, own, sizeof known);
        for (uint32_t p = 0; p < b->count; p++) {
            b->w[p][i] = dw_terrain_chance(chances[p]);
            b->sum[i] += b->w[p][i];
        }
    }
}

DW_SIMD static void set_amounts(const dw_terrain_block *restrict b, uint32_t full,
                                uint32_t (*restrict amounts)[DW_TERRAIN_LANES])
{
    uint32_t part[DW_TERRAIN_LANES] = { 0 }, before[DW_TERRAIN_LANES] = { 0 };
    float inverse[DW_TERRAIN_LANES];

    for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
        inverse[i] = dw_terrain_amount_inverse(b->sum[i]);
    for (uint32_t p = 0; p < b->count; p++) {
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
            uint32_t reached;

            part[i] += b->w[p][i];
            reached = dw_terrain_amount(part[i], inverse[i], full);
            amounts[p][i] = b->is_empty[i] != 0 ? 0 : reached - before[i];
            before[i] = reached;
        }
    }
}

/* Places, and amounts where the expectation shows. */
static void weigh(const painter *self, const dw_terrain_strip *strip, worker *own)
{
    const struct dw_terrain_paint *paint = &self->painting->paint;
    dw_terrain_block *b = &own->block;
    bool is_additive = self->law->mode == DW_TERRAIN_MODE_PRIORITY_ADDITIVE;

    dw_terrain_read_block(strip, b);
    if (!is_additive || paint->chosen != 0)
        dw_terrain_choose_block(strip, b);
    if (paint->expected == 0)
        return;
    if (is_additive) {
        uint32_t places[DW_TERRAIN_LANES];

        memcpy(places, b->place, sizeof places);
        dw_terrain_read_block(strip, b); /* choosing fits its weights to noise */
        take_chances(strip, b);
        memcpy(b->place, places, sizeof places);
    }
    set_amounts(b, paint->expected, own->amounts);
}

/* ---- pictures ---- */

typedef struct sample {
    uint32_t light[3]; /* of details, times their amounts */
    uint32_t covered;
} sample;

static DW_ALWAYS_INLINE void read_base(const dw_terrain_painting *painting, uint32_t sx,
                                       uint32_t sy, uint32_t light[3])
{
    const uint16_t *decode = painting->tables->decode_8;
    uint32_t width = painting->paint.base_width, fx = sx & 255, fy = sy & 255;
    const uint32_t *texel = painting->base + (size_t)(sy >> 8) * width + (sx >> 8);
    size_t right = fx != 0, down = fy != 0 ? width : 0;

    for (uint32_t c = 0; c < 3; c++) {
        uint32_t shift = 8 * c, first = decode[texel[0] >> shift & 255];

        light[c] = (fx | fy) == 0
                       ? first
                       : dw_terrain_between(first, decode[texel[right] >> shift & 255],
                                            decode[texel[down] >> shift & 255],
                                            decode[texel[down + right] >> shift & 255], fx, fy);
    }
}

static DW_ALWAYS_INLINE void add_detail(const dw_terrain_painting *painting, uint32_t slot,
                                        uint32_t sx, uint32_t sy, uint32_t amount, sample *sum)
{
    const struct dw_terrain_paint *paint = &painting->paint;
    uint32_t fx = sx & 255, fy = sy & 255, x = sx >> 8, y = sy >> 8;
    uint32_t width = paint->widths[slot];
    size_t next_x = x + 1 < width ? x + 1 : 0, next_y = y + 1 < paint->heights[slot] ? y + 1 : 0;
    const uint16_t *tile = painting->details + (size_t)paint->firsts[slot] * 4;
    const uint16_t *v00 = tile + ((size_t)y * width + x) * 4;
    const uint16_t *v10 = tile + ((size_t)y * width + next_x) * 4;
    const uint16_t *v01 = tile + (next_y * width + x) * 4;
    const uint16_t *v11 = tile + (next_y * width + next_x) * 4;
    uint32_t v[4];

    for (uint32_t c = 0; c < 4; c++)
        v[c] = (fx | fy) == 0 ? v00[c] : dw_terrain_between(v00[c], v10[c], v01[c], v11[c], fx, fy);
    for (uint32_t c = 0; c < 3; c++)
        sum->light[c] += amount * v[c];
    sum->covered += dw_terrain_cover(amount, v[3]);
}

static void add_slot(const painter *self, uint32_t slot, const dw_terrain_strip *strip, uint32_t i,
                     uint32_t amount, sample *sum)
{
    const dw_terrain_picture *picture = strip->picture;
    uint32_t part = DW_TERRAIN_STEP_DETAIL + slot;
    uint32_t scaled = dw_terrain_part(amount, self->painting->paint.strengths[slot]);

    if (scaled != 0)
        add_detail(self->painting, slot,
                   picture->columns[(size_t)part * picture->width + strip->x + i],
                   picture->rows[(size_t)part * picture->height + strip->y], scaled, sum);
}

static void add_sample(const painter *self, const dw_terrain_strip *strip, const worker *own,
                       uint32_t i, uint32_t *light)
{
    const dw_terrain_painting *painting = self->painting;
    const dw_terrain_picture *picture = strip->picture;
    const size_t base = DW_TERRAIN_STEP_BASE;
    uint32_t chosen = painting->paint.chosen, under[3];
    sample sum = { .covered = 0 };

    read_base(painting, picture->columns[base * picture->width + strip->x + i],
              picture->rows[base * picture->height + strip->y], under);
    if (painting->is_detailed && own->block.is_empty[i] == 0) {
        uint32_t place = own->block.place[i];

        if (painting->paint.expected == 0)
            add_slot(self, self->law->slots[place], strip, i, chosen, &sum);
        for (uint32_t p = 0; painting->paint.expected != 0 && p < own->block.count; p++)
            add_slot(self, self->law->slots[p], strip, i,
                     own->amounts[p][i] + (p == place ? chosen : 0), &sum);
    }
    for (uint32_t c = 0; c < 3; c++)
        light[c] += dw_terrain_over(under[c], sum.covered, sum.light[c]);
}

static void compose_row(void *user, int64_t y, int index)
{
    const painter *self = user;
    const dw_terrain_painting *painting = self->painting;
    uint32_t samples = painting->paint.samples, width = painting->picture.width;
    worker *own = &self->workers[index];
    uint32_t *light = self->light + (size_t)index * painting->width * 3;
    uint8_t *out = self->out + (size_t)y * painting->width * 3;
    dw_terrain_strip strip = { self->law, self->table, self->map, &painting->picture, 0, 0, 0 };

    memset(light, 0, (size_t)painting->width * 3 * sizeof *light);
    for (uint32_t s = 0; s < samples; s++) {
        strip.y = (uint32_t)y * samples + s;
        for (strip.x = 0; strip.x < width; strip.x += DW_TERRAIN_LANES) {
            strip.count = width - strip.x < DW_TERRAIN_LANES ? width - strip.x : DW_TERRAIN_LANES;
            if (painting->is_detailed)
                weigh(self, &strip, own);
            for (uint32_t i = 0; i < strip.count; i++)
                add_sample(self, &strip, own, i, light + (size_t)((strip.x + i) / samples) * 3);
        }
    }
    for (size_t i = 0; i < (size_t)painting->width * 3; i++)
        out[i] = painting->tables->encode[dw_terrain_code_at(light[i], samples * samples)];
}

dw_status dw_terrain_compose(const struct dw_terrain_law *law, const uint16_t *table,
                             const dw_terrain_map *map, const dw_terrain_painting *painting,
                             uint8_t *out, const dw_run *run, dw_error *err)
{
    painter self = { .law = law, .table = table, .map = map, .painting = painting, .out = out };
    size_t threads = (size_t)dw_run_thread_count(run);

    DW_TRY(DW_ALLOC_ZEROED(threads, &self.workers, err));
    DW_TRY(DW_ALLOC(threads * painting->width * 3, &self.light, err));
    DW_TRY(dw_parallel_for(run, painting->height, compose_row, &self, err));
    err->code = DW_OK;
fail:
    dw_free(self.workers);
    dw_free(self.light);
    return err->code;
}
