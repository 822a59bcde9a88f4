/* SPDX-License-Identifier: MIT */
/* The end of a tile: colour under alpha 0, tested alpha, gutters.
 *
 * Within DW_DILATE_RADIUS of a visible texel hidden colour is that of the nearest one, exactly (a
 * separable distance search, where jump flooding is approximate); beyond, it is pulled from the
 * first coarser level that has a colour there (push-pull, Gortler et al., The Lumigraph, 1996). */
#include "base/simd.h"
#include "cpu/atlas_tile.h"

#include <string.h>

#define DW_NO_SEED   0xff   /* in seed_rows: none within the radius */
#define DW_KEY_NONE  0xc000 /* in key_row: plus the greatest dx part it stays below 2^16 */
#define DW_KEY_LIMIT ((DW_DILATE_RADIUS * DW_DILATE_RADIUS + 1) << 8)

static int parent_index(int i, int begin, int parent_begin, int parent_end)
{
    return dw_clamp_index((begin + i) >> 1, parent_begin, parent_end) - parent_begin;
}

/* Row of the parent level's colours that row y of `level` pulls from; NULL at the last level. */
static const uint32_t *parent_row(const dw_tile_work *work, int level, int y)
{
    const dw_tile_level *place, *parent;

    if (level + 1 >= work->levels)
        return NULL;
    place = dw_work_place(work, level);
    parent = dw_work_place(work, level + 1);
    return work->color[level + 1] +
           (size_t)parent_index(y, place->content_y0, parent->content_y0, parent->content_y1) *
               (size_t)dw_content_width(parent);
}

static uint32_t pull_color(const dw_tile_work *work, int level, int x, const uint32_t *row)
{
    const dw_tile_level *place, *parent;
    uint32_t color;

    if (row == NULL)
        return 0;
    place = dw_work_place(work, level);
    parent = dw_work_place(work, level + 1);
    color = row[parent_index(x, place->content_x0, parent->content_x0, parent->content_x1)];
    return color == 0 ? 0 : (color & 0xffffff) | DW_COLOR_KNOWN;
}

static void resolve_band(const dw_tile_work *work, int level, int begin, int end, int worker)
{
    int width = dw_content_width(dw_work_place(work, level));

    (void)worker;
    for (int y = begin; y < end; y++) {
        uint32_t *color = work->color[level] + (size_t)y * (size_t)width;
        const uint32_t *pulled = parent_row(work, level, y);

        for (int x = 0; x < width; x++)
            if (color[x] == 0)
                color[x] = pull_color(work, level, x, pulled);
    }
}

dw_status dw_tile_resolve_colors(dw_tile_work *work, dw_error *err)
{
    int first = work->first_level > 0 ? work->first_level : 1;

    if (work->plan->def.fill == DW_FILL_MODE_KEEP)
        return DW_OK;
    for (int level = work->levels - 2; level >= first; level--)
        if (dw_tile_for_bands(work, level, dw_content_height(dw_work_place(work, level)),
                              resolve_band, err) != DW_OK)
            return err->code;
    return DW_OK;
}

/* ---- nearest seeds ---- */

/* Bytes that are 0 where a texel is visible and DW_NO_SEED where not. */
static void load_seed_row(const dw_tile_work *work, int level, int y, uint8_t *out)
{
    const dw_tile_level *place = dw_work_place(work, level);
    int width = dw_content_width(place);

    if (level > 0) {
        const uint32_t *color = work->color[level] + (size_t)y * (size_t)width;

        for (int x = 0; x < width; x++)
            out[x] = (color[x] & DW_COLOR_VISIBLE) != 0 ? 0 : DW_NO_SEED;
        return;
    }
    size_t first =
        (size_t)(place->content_y0 + y) * (size_t)work->source->width + (size_t)place->content_x0;
    const uint8_t *texels_8 = (const uint8_t *)work->source->texels + 4 * first + 3;
    const uint16_t *texels_16 = (const uint16_t *)work->source->texels + 4 * first + 3;

    if (work->source->bits == 8)
        for (int x = 0; x < width; x++)
            out[x] = texels_8[4 * x] != 0 ? 0 : DW_NO_SEED;
    else
        for (int x = 0; x < width; x++)
            out[x] = texels_16[4 * x] != 0 ? 0 : DW_NO_SEED;
}

/* Distances go on by one from the row before; a texel that is a seed stays at 0. */
DW_SIMD static void carry_distances(const uint8_t *restrict before, uint8_t *restrict row,
                                    int width)
{
    for (int x = 0; x < width; x++) {
        uint8_t next = (uint8_t)(before[x] >= DW_DILATE_RADIUS ? DW_NO_SEED : before[x] + 1);

        row[x] = row[x] < next ? row[x] : next;
    }
}

/* Seed distances of rows begin - radius to end + radius: upwards in up, downwards in down. */
typedef struct seed_rows {
    uint8_t *up, *down;
    int first, count, width;
} seed_rows;

static seed_rows find_vertical_seeds(const dw_tile_work *work, int level, int begin, int end,
                                     int worker)
{
    const dw_tile_level *place = dw_work_place(work, level);
    int width = dw_content_width(place), height = dw_content_height(place);
    int first = begin > DW_DILATE_RADIUS ? begin - DW_DILATE_RADIUS : 0;
    int last = end + DW_DILATE_RADIUS < height ? end + DW_DILATE_RADIUS : height;
    seed_rows rows = { .first = first, .count = last - first, .width = width };

    rows.up = work->scratch[worker].seed_rows;
    rows.down = rows.up + (size_t)(DW_BAND_ROWS + 2 * DW_DILATE_RADIUS) * (size_t)width;
    for (int i = 0; i < rows.count; i++)
        load_seed_row(work, level, first + i, rows.up + (size_t)i * (size_t)width);
    memcpy(rows.down, rows.up, (size_t)rows.count * (size_t)width);
    for (int i = 1; i < rows.count; i++)
        carry_distances(rows.up + (size_t)(i - 1) * (size_t)width,
                        rows.up + (size_t)i * (size_t)width, width);
    for (int i = rows.count - 2; i >= 0; i--)
        carry_distances(rows.down + (size_t)(i + 1) * (size_t)width,
                        rows.down + (size_t)i * (size_t)width, width);
    return rows;
}

/* The vertical part of each column's best key: the nearer seed, the upper one of two as near. */
DW_SIMD static void column_keys(const uint8_t *restrict up, const uint8_t *restrict down,
                                uint16_t *restrict out, int width)
{
    for (int x = 0; x < width; x++) {
        int dy = up[x] <= down[x] ? -(int)up[x] : (int)down[x];
        int key = dy * dy * 256 + (dy + DW_DILATE_RADIUS) * 16;

        out[x] = (uint16_t)(up[x] == DW_NO_SEED && down[x] == DW_NO_SEED ? DW_KEY_NONE : key);
    }
}

/* The least of the 15 columns' keys, dx from -radius to radius. columns has that much margin. */
DW_SIMD static void row_keys(const uint16_t *restrict columns, uint16_t *restrict out, int width)
{
    for (int x = 0; x < width; x++)
        out[x] = (uint16_t)(columns[x] + DW_DILATE_RADIUS * DW_DILATE_RADIUS * 256);
    for (int dx = 1 - DW_DILATE_RADIUS; dx <= DW_DILATE_RADIUS; dx++) {
        const uint16_t *shifted = columns + DW_DILATE_RADIUS + dx;
        uint16_t part = (uint16_t)(dx * dx * 256 + dx + DW_DILATE_RADIUS);

        for (int x = 0; x < width; x++) {
            uint16_t key = (uint16_t)(shifted[x] + part);

            out[x] = out[x] < key ? out[x] : key;
        }
    }
}

/* Keys of row y, DW_KEY_LIMIT or above where no seed is near. */
static const uint16_t *find_seed_keys(const dw_tile_work *work, const seed_rows *rows, int y,
                                      int worker)
{
    size_t offset = (size_t)(y - rows->first) * (size_t)rows->width;
    uint16_t *columns = work->scratch[worker].key_row;
    uint16_t *keys = columns + work->plan->width + 2 * DW_DILATE_RADIUS;

    for (int x = 0; x < DW_DILATE_RADIUS; x++)
        columns[x] = columns[rows->width + DW_DILATE_RADIUS + x] = DW_KEY_NONE;
    column_keys(rows->up + offset, rows->down + offset, columns + DW_DILATE_RADIUS, rows->width);
    row_keys(columns, keys, rows->width);
    return keys;
}

/* ---- finished rows ---- */

static uint32_t source_color(const dw_atlas_source *source, int x, int y)
{
    size_t at = 4 * ((size_t)y * (size_t)source->width + (size_t)x);
    uint32_t color = 0;

    for (int c = 0; c < 3; c++) {
        uint32_t value = source->bits == 8
                             ? ((const uint8_t *)source->texels)[at + (size_t)c]
                             : dw_alpha_to_8(((const uint16_t *)source->texels)[at + (size_t)c]);

        color |= value << (8 * c);
    }
    return color;
}

static uint32_t color_at(const dw_tile_work *work, int level, int x, int y)
{
    const dw_tile_level *place = dw_work_place(work, level);

    if (level == 0)
        return source_color(work->source, place->content_x0 + x, place->content_y0 + y);
    return work->color[level][(size_t)y * (size_t)dw_content_width(place) + (size_t)x] & 0xffffff;
}

static uint32_t hidden_color(const dw_tile_work *work, int level, int x, int y, uint16_t key,
                             const uint32_t *pulled)
{
    uint32_t color;

    if (work->plan->def.fill == DW_FILL_MODE_KEEP)
        return color_at(work, level, x, y);
    if (key < DW_KEY_LIMIT)
        return color_at(work, level, x + (key & 15) - DW_DILATE_RADIUS,
                        y + ((key >> 4) & 15) - DW_DILATE_RADIUS);
    color = pull_color(work, level, x, pulled);
    if (color != 0)
        return color & 0xffffff;
    return level == 0 ? color_at(work, level, x, y) : 0;
}

/* 16-bit alpha of a content texel as averaged. */
static uint32_t alpha_of(const dw_tile_work *work, int level, int x, int y)
{
    const dw_tile_level *place = dw_work_place(work, level);
    size_t at;

    if (level > 0)
        return work->alpha[level][(size_t)y * (size_t)dw_content_width(place) + (size_t)x];
    at = 4 * ((size_t)(place->content_y0 + y) * (size_t)work->source->width +
              (size_t)(place->content_x0 + x)) +
         3;
    return work->source->bits == 8 ? dw_alpha_from_8(((const uint8_t *)work->source->texels)[at])
                                   : ((const uint16_t *)work->source->texels)[at];
}

static void write_row(const dw_tile_work *work, int level, int y, const seed_rows *rows, int worker)
{
    const dw_atlas_plan *plan = work->plan;
    const dw_tile_level *place = dw_work_place(work, level);
    int width = dw_content_width(place);
    size_t first = (size_t)(place->content_y0 + y) * (size_t)plan->level_width[level] +
                   (size_t)place->content_x0;
    uint8_t *texels = work->target->levels[level] + 4 * first;
    uint8_t *averaged = work->target->alpha[level] + first;
    const uint8_t *is_seed = rows->up + (size_t)(y - rows->first) * (size_t)width;
    const uint16_t *keys = find_seed_keys(work, rows, y, worker);
    const uint32_t *pulled = parent_row(work, level, y);

    for (int x = 0; x < width; x++) {
        uint32_t alpha = alpha_of(work, level, x, y);
        uint32_t color = is_seed[x] == 0 ? color_at(work, level, x, y)
                                         : hidden_color(work, level, x, y, keys[x], pulled);

        texels[4 * x] = (uint8_t)color;
        texels[4 * x + 1] = (uint8_t)(color >> 8);
        texels[4 * x + 2] = (uint8_t)(color >> 16);
        texels[4 * x + 3] = (uint8_t)dw_alpha_to_8(dw_remap_alpha(work->remaps[level], alpha));
        averaged[x] = (uint8_t)dw_alpha_to_8(alpha);
    }
}

static void write_band(const dw_tile_work *work, int level, int begin, int end, int worker)
{
    seed_rows rows = find_vertical_seeds(work, level, begin, end, worker);

    for (int y = begin; y < end; y++)
        write_row(work, level, y, &rows, worker);
}

/* ---- gutters ---- */

static void copy_texel(const dw_tile_work *work, int level, int to_x, int to_y, int from_x,
                       int from_y)
{
    size_t width = (size_t)work->plan->level_width[level];
    size_t to = (size_t)to_y * width + (size_t)to_x;
    size_t from = (size_t)from_y * width + (size_t)from_x;
    uint8_t *levels = work->target->levels[level], *alpha = work->target->alpha[level];

    memcpy(levels + 4 * to, levels + 4 * from, 4);
    alpha[to] = alpha[from];
    if (work->plan->def.fill == DW_FILL_MODE_CLEAR)
        levels[4 * to + 3] = alpha[to] = 0;
}

/* Rows of the tile, from the tile's own top. */
static void extrude_band(const dw_tile_work *work, int level, int begin, int end, int worker)
{
    const dw_tile_level *place = dw_work_place(work, level);

    (void)worker;
    for (int y = place->y0 + begin; y < place->y0 + end; y++) {
        int from_y = dw_content_index(work->plan, y, place->content_y0, place->content_y1);
        bool is_inside = from_y == y;

        for (int x = place->x0; x < place->x1; x++) {
            if (is_inside && x == place->content_x0)
                x = place->content_x1;
            if (x >= place->x1)
                break;
            copy_texel(work, level, x, y,
                       dw_content_index(work->plan, x, place->content_x0, place->content_x1),
                       from_y);
        }
    }
}

dw_status dw_tile_write_levels(dw_tile_work *work, dw_error *err)
{
    int count = work->levels < work->plan->write_count ? work->levels : work->plan->write_count;

    /* The level that a seeded pyramid starts from is already written by its tiles. */
    for (int level = work->first_level > 0 ? work->first_level + 1 : 0; level < count; level++) {
        const dw_tile_level *place = dw_work_place(work, level);
        int rows = dw_content_height(place);

        if (dw_tile_for_bands(work, level, rows, write_band, err) != DW_OK)
            return err->code;
        if (dw_content_width(place) == place->x1 - place->x0 && rows == place->y1 - place->y0)
            continue;
        if (dw_tile_for_bands(work, level, place->y1 - place->y0, extrude_band, err) != DW_OK)
            return err->code;
    }
    return DW_OK;
}
