/* SPDX-License-Identifier: MIT */
/* The pyramid of premultiplied light and alpha of one tile, and its colours. */
#include "base/simd.h"
#include "cpu/atlas_tile.h"

#include <string.h>

#define DW_ROW_CHUNK 32 /* texels that are tested for emptiness together */

static bool is_clear_8(const uint8_t *texels, int count)
{
    uint32_t any = 0;

    for (int x = 0; x < count; x++)
        any |= texels[4 * x + 3];
    return any == 0;
}

static void clear_accumulators(dw_accumulators out, int x, int count)
{
    size_t bytes = (size_t)count * sizeof *out.r;

    memset(out.r + x, 0, bytes);
    memset(out.g + x, 0, bytes);
    memset(out.b + x, 0, bytes);
    memset(out.a + x, 0, bytes);
}

/* One level-0 row as accumulators. Foliage is mostly empty: chunks without alpha are cleared. */
static void load_row_8(const dw_light_tables *light, const uint8_t *texels, int count,
                       dw_accumulators out)
{
    const uint16_t *decode = light->decode_8;

    for (int x0 = 0; x0 < count; x0 += DW_ROW_CHUNK) {
        int end = x0 + DW_ROW_CHUNK < count ? x0 + DW_ROW_CHUNK : count;

        if (is_clear_8(texels + 4 * x0, end - x0)) {
            clear_accumulators(out, x0, end - x0);
            continue;
        }
        for (int x = x0; x < end; x++) {
            const uint8_t *t = texels + 4 * x;
            uint32_t alpha = t[3];

            out.r[x] = decode[t[0]] * alpha;
            out.g[x] = decode[t[1]] * alpha;
            out.b[x] = decode[t[2]] * alpha;
            out.a[x] = DW_ALPHA_ONE * alpha;
        }
    }
}

static void load_row_16(const dw_light_tables *light, const uint16_t *texels, int count,
                        dw_accumulators out)
{
    const uint16_t *decode = light->decode_16;

    for (int x = 0; x < count; x++) {
        const uint16_t *t = texels + 4 * x;
        uint32_t alpha = t[3];

        out.r[x] = dw_premultiply(decode[t[0]], alpha);
        out.g[x] = dw_premultiply(decode[t[1]], alpha);
        out.b[x] = dw_premultiply(decode[t[2]], alpha);
        out.a[x] = dw_weight_from_alpha(alpha);
    }
}

/* The same with every texel opaque. */
static void load_row_opaque(const dw_light_tables *light, const dw_atlas_source *source,
                            size_t first, int count, dw_accumulators out)
{
    for (int x = 0; x < count; x++) {
        size_t at = 4 * (first + (size_t)x);
        uint32_t light_rgb[3];

        for (int c = 0; c < 3; c++)
            light_rgb[c] =
                source->bits == 8
                    ? light->decode_8[((const uint8_t *)source->texels)[at + (size_t)c]]
                    : light->decode_16[((const uint16_t *)source->texels)[at + (size_t)c]];
        out.r[x] = dw_premultiply(light_rgb[0], DW_ALPHA_ONE);
        out.g[x] = dw_premultiply(light_rgb[1], DW_ALPHA_ONE);
        out.b[x] = dw_premultiply(light_rgb[2], DW_ALPHA_ONE);
        out.a[x] = DW_WEIGHT_ONE;
    }
}

static void load_row(const dw_tile_work *work, int y, int x0, int count, dw_accumulators out)
{
    const dw_atlas_source *source = work->source;
    const dw_light_tables *light = work->plan->light;
    size_t first = (size_t)y * (size_t)source->width + (size_t)x0;

    if (work->ignore_alpha)
        load_row_opaque(light, source, first, count, out);
    else if (source->bits == 8)
        load_row_8(light, (const uint8_t *)source->texels + 4 * first, count, out);
    else
        load_row_16(light, (const uint16_t *)source->texels + 4 * first, count, out);
}

static dw_accumulators scratch_row(uint32_t *rows, int index, int width)
{
    uint32_t *row = rows + (size_t)index * 4 * (size_t)width;

    return (dw_accumulators) { row, row + width, row + 2 * (size_t)width, row + 3 * (size_t)width };
}

static dw_accumulators plane_row(dw_accumulators planes, int y, int width)
{
    size_t offset = (size_t)y * (size_t)width;

    return (dw_accumulators) { planes.r + offset, planes.g + offset, planes.b + offset,
                               planes.a + offset };
}

/* Row y of the content of a level, in content coordinates; level 0 is converted into row `slot` of
 * the worker's scratch. */
static dw_accumulators source_row(const dw_tile_work *work, int level, int y, int slot, int worker)
{
    const dw_tile_level *place = dw_work_place(work, level);
    int width = dw_content_width(place);
    dw_accumulators row;

    if (level > 0)
        return plane_row(dw_work_accumulators(work, level), y, width);
    row = scratch_row(work->scratch[worker].source_rows, slot, work->plan->width);
    load_row(work, place->content_y0 + y, place->content_x0, width, row);
    return row;
}

DW_SIMD static void reduce_plane(const uint32_t *restrict upper, const uint32_t *restrict lower,
                                 uint32_t *restrict out, int count)
{
    for (int x = 0; x < count; x++)
        out[x] = (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 2u) >> 2;
}

/* The same for alpha; false when nothing is visible: the colours are 0 then, as P never exceeds A.
 */
DW_SIMD static bool reduce_alpha(const uint32_t *restrict upper, const uint32_t *restrict lower,
                                 uint32_t *restrict out, int count)
{
    uint32_t any = 0;

    for (int x = 0; x < count; x++) {
        out[x] = (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 2u) >> 2;
        any |= out[x];
    }
    return any != 0;
}

/* Whether a level is the mean of exactly 2 x 2 texels of the one below, none outside the content.
 */
static bool is_plain_halving(const dw_tile_work *work, int level)
{
    const dw_atlas_plan *plan = work->plan;
    const dw_tile_level *to = dw_work_place(work, level);
    const dw_tile_level *from = dw_work_place(work, level - 1);

    return plan->def.filter == DW_MIP_FILTER_BOX && plan->axis_x[level].taps == 2 &&
           plan->axis_y[level].taps == 2 && 2 * to->content_x0 >= from->content_x0 &&
           2 * to->content_y0 >= from->content_y0 && 2 * to->content_x1 <= from->content_x1 &&
           2 * to->content_y1 <= from->content_y1;
}

static void halve_row(const dw_tile_work *work, int level, int y, int worker)
{
    const dw_tile_level *to = dw_work_place(work, level);
    const dw_tile_level *from = dw_work_place(work, level - 1);
    int width = dw_content_width(to);
    int sx = 2 * to->content_x0 - from->content_x0;
    int sy = 2 * (to->content_y0 + y) - from->content_y0;
    dw_accumulators upper = source_row(work, level - 1, sy, 0, worker);
    dw_accumulators lower = source_row(work, level - 1, sy + 1, 1, worker);
    dw_accumulators out = plane_row(dw_work_accumulators(work, level), y, width);

    for (int x = 0; x < width; x += DW_ROW_CHUNK) {
        int count = width - x < DW_ROW_CHUNK ? width - x : DW_ROW_CHUNK, from = sx + 2 * x;

        if (!reduce_alpha(upper.a + from, lower.a + from, out.a + x, count)) {
            clear_accumulators(out, x, count);
            continue;
        }
        reduce_plane(upper.r + from, lower.r + from, out.r + x, count);
        reduce_plane(upper.g + from, lower.g + from, out.g + x, count);
        reduce_plane(upper.b + from, lower.b + from, out.b + x, count);
    }
}

/* One row filtered along x: 4 sums a texel, rounded to 24 bits unless the filter is a box. */
static void filter_row_x(const dw_tile_work *work, int level, dw_accumulators row, int64_t *out)
{
    const dw_filter_axis *axis = &work->plan->axis_x[level];
    const dw_tile_level *to = dw_work_place(work, level);
    const dw_tile_level *from = dw_work_place(work, level - 1);
    bool is_box = work->plan->def.filter == DW_MIP_FILTER_BOX;

    for (int x = to->content_x0; x < to->content_x1; x++, out += 4) {
        const int16_t *weights = axis->weights + (size_t)x * (size_t)axis->taps;
        int64_t sum[4] = { 0 };

        for (int k = 0; k < axis->taps; k++) {
            int at = dw_content_index(work->plan, axis->start[x] + k, from->content_x0,
                                      from->content_x1) -
                     from->content_x0;

            sum[0] += (int64_t)weights[k] * row.r[at];
            sum[1] += (int64_t)weights[k] * row.g[at];
            sum[2] += (int64_t)weights[k] * row.b[at];
            sum[3] += (int64_t)weights[k] * row.a[at];
        }
        for (int c = 0; c < 4; c++)
            out[c] = is_box ? sum[c] : (sum[c] + DW_FILTER_ONE / 2) >> DW_FILTER_SHIFT;
    }
}

static uint32_t clamp_to(int64_t value, uint32_t most)
{
    return value < 0 ? 0 : (value > (int64_t)most ? most : (uint32_t)value);
}

/* Rows filtered along x combined along y. first: the source row that rows[0] holds. */
static void filter_row_y(const dw_tile_work *work, int level, int y, const int64_t *rows, int first)
{
    const dw_tile_level *to = dw_work_place(work, level);
    const dw_filter_axis *axis = &work->plan->axis_y[level];
    int width = dw_content_width(to), at_y = to->content_y0 + y;
    const int16_t *weights = axis->weights + (size_t)at_y * (size_t)axis->taps;
    dw_accumulators out = plane_row(dw_work_accumulators(work, level), y, width);
    bool is_box = work->plan->def.filter == DW_MIP_FILTER_BOX;
    int64_t denominator =
        is_box ? (int64_t)axis->denominator * work->plan->axis_x[level].denominator : 0;

    for (int x = 0; x < width; x++) {
        int64_t sum[4] = { 0 };

        for (int k = 0; k < axis->taps; k++) {
            const int64_t *texel =
                rows + 4 * ((size_t)(axis->start[at_y] + k - first) * (size_t)width + (size_t)x);

            for (int c = 0; c < 4; c++)
                sum[c] += weights[k] * texel[c];
        }
        for (int c = 0; c < 4; c++)
            sum[c] = is_box ? (sum[c] + denominator / 2) / denominator
                            : (sum[c] + DW_FILTER_ONE / 2) >> DW_FILTER_SHIFT;
        out.a[x] = clamp_to(sum[3], DW_WEIGHT_ONE);
        out.r[x] = clamp_to(sum[0], out.a[x]);
        out.g[x] = clamp_to(sum[1], out.a[x]);
        out.b[x] = clamp_to(sum[2], out.a[x]);
    }
}

static void filter_band(const dw_tile_work *work, int level, int begin, int end, int worker)
{
    const dw_tile_level *to = dw_work_place(work, level);
    const dw_tile_level *from = dw_work_place(work, level - 1);
    const dw_filter_axis *axis = &work->plan->axis_y[level];
    int first = axis->start[to->content_y0 + begin];
    int last = axis->start[to->content_y0 + end - 1] + axis->taps;
    int width = dw_content_width(to);
    int64_t *rows = work->scratch[worker].filter_rows;

    for (int y = first; y < last; y++) {
        int at = dw_content_index(work->plan, y, from->content_y0, from->content_y1);
        dw_accumulators row = source_row(work, level - 1, at - from->content_y0, 0, worker);

        filter_row_x(work, level, row, rows + 4 * (size_t)(y - first) * (size_t)width);
    }
    for (int y = begin; y < end; y++)
        filter_row_y(work, level, y, rows, first);
}

/* round(65536 * P / A) of three colours, as dw_unpremultiply does it. A quotient of 24-bit numbers
 * lies 2^-25 or more from the next whole number, or on it, and the double product errs by 2^-36 at
 * most: 2^-30 decides. */
DW_SIMD static void unpremultiply_row(dw_accumulators row, uint32_t *restrict r,
                                      uint32_t *restrict g, uint32_t *restrict b, int count)
{
    for (int x = 0; x < count; x++) {
        double weight = (double)(int32_t)(row.a[x] > 0 ? row.a[x] : 1);
        double scale = 1.0 / (2.0 * weight);

        r[x] = (uint32_t)(int32_t)((131072.0 * (int32_t)row.r[x] + weight) * scale + 0x1p-30);
        g[x] = (uint32_t)(int32_t)((131072.0 * (int32_t)row.g[x] + weight) * scale + 0x1p-30);
        b[x] = (uint32_t)(int32_t)((131072.0 * (int32_t)row.b[x] + weight) * scale + 0x1p-30);
    }
}

DW_SIMD static void alpha_row(const uint32_t *restrict a, uint16_t *restrict out, int count)
{
    for (int x = 0; x < count; x++)
        out[x] = (uint16_t)dw_weight_to_alpha(a[x]);
}

#define DW_ENCODE_CHUNK 64

/* Colours of one row. With ignore_alpha they only fill texels that had none. */
static void encode_row(const dw_tile_work *work, dw_accumulators row, uint32_t *color, int count)
{
    const uint8_t *encode = work->plan->light->encode;
    uint32_t r[DW_ENCODE_CHUNK], g[DW_ENCODE_CHUNK], b[DW_ENCODE_CHUNK];

    for (int x0 = 0; x0 < count; x0 += DW_ENCODE_CHUNK) {
        int n = count - x0 < DW_ENCODE_CHUNK ? count - x0 : DW_ENCODE_CHUNK;
        uint32_t any = 0;

        for (int x = 0; x < n; x++)
            any |= row.a[x0 + x];
        if (any == 0) {
            memset(color + x0, 0, (size_t)n * sizeof *color);
            continue;
        }
        unpremultiply_row((dw_accumulators) { row.r + x0, row.g + x0, row.b + x0, row.a + x0 }, r,
                          g, b, n);
        for (int x = 0; x < n; x++) {
            uint32_t rgb =
                encode[r[x]] | (uint32_t)encode[g[x]] << 8 | (uint32_t)encode[b[x]] << 16;

            if (!work->ignore_alpha)
                color[x0 + x] = row.a[x0 + x] > 0 ? rgb | DW_COLOR_VISIBLE : 0;
            else if (color[x0 + x] == 0)
                color[x0 + x] = rgb | DW_COLOR_KNOWN;
        }
    }
}

static void finish_rows(const dw_tile_work *work, int level, int begin, int end, int worker)
{
    int width = dw_content_width(dw_work_place(work, level));

    (void)worker;
    for (int y = begin; y < end; y++) {
        dw_accumulators row = plane_row(dw_work_accumulators(work, level), y, width);
        size_t offset = (size_t)y * (size_t)width;

        encode_row(work, row, work->color[level] + offset, width);
        if (!work->ignore_alpha)
            alpha_row(row.a, work->alpha[level] + offset, width);
    }
}

static void halve_band(const dw_tile_work *work, int level, int begin, int end, int worker)
{
    for (int y = begin; y < end; y++) {
        halve_row(work, level, y, worker);
        finish_rows(work, level, y, y + 1, worker);
    }
}

static void filter_and_finish_band(const dw_tile_work *work, int level, int begin, int end,
                                   int worker)
{
    filter_band(work, level, begin, end, worker);
    finish_rows(work, level, begin, end, worker);
}

/* Puts a level's accumulators, gutters included, where the merged levels start from. */
static void save_seed(const dw_tile_work *work, int level)
{
    const dw_tile_level *place = dw_work_place(work, level);
    int width = work->plan->level_width[level];
    size_t area = (size_t)width * (size_t)work->plan->level_height[level];
    size_t content_area = dw_content_area(place);

    for (int y = place->y0; y < place->y1; y++)
        for (int x = place->x0; x < place->x1; x++) {
            int cx = dw_content_index(work->plan, x, place->content_x0, place->content_x1);
            int cy = dw_content_index(work->plan, y, place->content_y0, place->content_y1);
            size_t at = (size_t)(cy - place->content_y0) * (size_t)dw_content_width(place) +
                        (size_t)(cx - place->content_x0);

            for (size_t c = 0; c < 4; c++)
                work->seed[c * area + (size_t)y * (size_t)width + (size_t)x] =
                    work->planes[level & 1][c * content_area + at];
        }
}

dw_status dw_tile_build_pyramid(dw_tile_work *work, dw_error *err)
{
    int first = work->first_level;

    if (first > 0)
        finish_rows(work, first, 0, dw_content_height(dw_work_place(work, first)), 0);
    for (int level = first + 1; level < work->levels; level++) {
        int rows = dw_content_height(dw_work_place(work, level));
        dw_band_fn band = is_plain_halving(work, level) ? halve_band : filter_and_finish_band;

        if (dw_tile_for_bands(work, level, rows, band, err) != DW_OK)
            return err->code;
        if (work->seed != NULL && level == work->plan->merged_level - 1)
            save_seed(work, level);
    }
    return DW_OK;
}
