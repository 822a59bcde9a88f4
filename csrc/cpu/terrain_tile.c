/* SPDX-License-Identifier: MIT */
#include "cpu/terrain_compose.h"

#include <math.h>

double dw_terrain_sample_at(const dw_terrain_window *window, uint32_t axis, uint32_t sample)
{
    return window->corner[axis] + (sample + 0.5) / (window->pixels_per_unit * window->samples);
}

static uint32_t reduced(uint32_t texels, double times)
{
    double made = floor(texels / fmax(times, 1) + 0.5);

    return made < 1 ? 1 : (uint32_t)made;
}

void dw_terrain_tile_size(const dw_terrain_tile *tile, const dw_terrain_window *window,
                          uint32_t *width, uint32_t *height)
{
    double texels_per_sample =
        tile->width / (tile->units * window->pixels_per_unit * window->samples);

    *width = reduced(tile->width, texels_per_sample);
    *height = reduced(tile->height, texels_per_sample);
}

typedef struct reduction {
    const dw_terrain_tile *tile;
    const dw_light_tables *tables;
    uint32_t width, height;
    uint16_t *texels;
} reduction;

/* Texels of a side, [begin, end), that the part `at` of `parts` touches. Texel k of `texels` spans
 * parts k to k + 1 of length `parts`, part i spans `texels`: overlaps are whole. */
static void span_of(uint64_t at, uint64_t texels, uint64_t parts, uint64_t *begin, uint64_t *end)
{
    *begin = at * texels / parts;
    *end = ((at + 1) * texels + parts - 1) / parts;
}

static uint64_t overlap(uint64_t at, uint64_t texels, uint64_t parts, uint64_t texel)
{
    uint64_t low = at * texels > texel * parts ? at * texels : texel * parts;
    uint64_t part_end = (at + 1) * texels, texel_end = (texel + 1) * parts;

    return (part_end < texel_end ? part_end : texel_end) - low;
}

static void add_texel(const reduction *self, uint64_t x, uint64_t y, uint64_t weight,
                      uint64_t *sums)
{
    const dw_terrain_tile *tile = self->tile;
    const uint8_t *codes = tile->pixels + (y * tile->width + x) * tile->channels;
    uint64_t alpha = tile->channels == 4 ? codes[3] : 255;

    for (int c = 0; c < 3; c++)
        sums[c] += weight * ((self->tables->decode_8[codes[c]] * alpha + 127) / 255);
    sums[3] += weight * alpha * 257;
}

static void reduce_row(void *user, int64_t row, int worker)
{
    const reduction *self = user;
    uint64_t width = self->tile->width, height = self->tile->height, area = width * height;
    uint64_t top, bottom, left, right, y = (uint64_t)row;

    (void)worker;
    span_of(y, height, self->height, &top, &bottom);
    for (uint64_t x = 0; x < self->width; x++) {
        uint16_t *out = self->texels + (y * self->width + x) * 4;
        uint64_t sums[4] = { 0 };

        span_of(x, width, self->width, &left, &right);
        for (uint64_t ty = top; ty < bottom; ty++)
            for (uint64_t tx = left; tx < right; tx++)
                add_texel(self, tx, ty,
                          overlap(x, width, self->width, tx) * overlap(y, height, self->height, ty),
                          sums);
        for (int c = 0; c < 4; c++)
            out[c] = (uint16_t)((sums[c] + area / 2) / area);
    }
}

dw_status dw_terrain_tile_reduce(const dw_terrain_tile *tile, const dw_light_tables *tables,
                                 uint32_t width, uint32_t height, uint16_t *texels,
                                 const dw_run *run, dw_error *err)
{
    reduction self = { tile, tables, width, height, texels };

    return dw_parallel_for(run, height, reduce_row, &self, err);
}

/* In 2^-8 texels; a filter is centred on texels' centres. */
static double step_of(double position, bool is_photo)
{
    if (!is_photo)
        return floor(position) * DW_TERRAIN_STEP_ONE;
    return floor((position - 0.5) * DW_TERRAIN_STEP_ONE + 0.5);
}

uint32_t dw_terrain_base_step(double position, uint32_t texels, bool is_photo)
{
    double step = step_of(position, is_photo), most = (texels - 1.0) * DW_TERRAIN_STEP_ONE;

    return (uint32_t)fmin(fmax(step, 0), most);
}

uint32_t dw_terrain_detail_step(double position, uint32_t texels, bool is_photo)
{
    double side = (double)texels * DW_TERRAIN_STEP_ONE, step = step_of(position, is_photo);
    double local = step - floor(step / side) * side; /* the quotient may round up to a whole one */

    return (uint32_t)(local < 0 ? 0 : local < side ? local : 0);
}
