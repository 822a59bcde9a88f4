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

/* Row of the next level's colours that a row pulls from. */
typedef struct pull_row {
    const uint32_t *colors; /* NULL at the last level */
    int begin;              /* texel of this level that x = 0 is */
    int parent_begin, parent_end;
} pull_row;

static pull_row find_pull_row(const dw_tile_work *work, int level, int y)
{
    const dw_tile_level *place, *parent;
    int at;

    if (level + 1 >= work->levels)
        return (pull_row) { 0 };
    place = dw_work_place(work, level);
    parent = dw_work_place(work, level + 1);
    at = dw_clamp_index((place->content_y0 + y) >> 1, parent->content_y0, parent->content_y1) -
         parent->content_y0;
    return (pull_row) {
        .colors = work->color[level + 1] + (size_t)at * (size_t)dw_content_width(parent),
        .begin = place->content_x0,
        .parent_begin = parent->content_x0,
        .parent_end = parent->content_x1,
    };
}

static inline uint32_t pull_color(const pull_row *row, int x)
{
    if (row->colors == NULL)
        return 0;
    return row->colors[dw_clamp_index((row->begin + x) >> 1, row->parent_begin, row->parent_end) -
                       row->parent_begin];
}

static void resolve_band(const dw_tile_work *work, int level, int begin, int end, int worker)
{
    int width = dw_content_width(dw_work_place(work, level));

    (void)worker;
    for (int y = begin; y < end; y++) {
        uint32_t *color = work->color[level] + (size_t)y * (size_t)width;
        pull_row pull = find_pull_row(work, level, y);

        for (int x = 0; x < width && pull.colors != NULL; x++) {
            uint32_t pulled = color[x] == 0 ? pull_color(&pull, x) : 0;

            if (pulled != 0)
                color[x] = (pulled & 0xffffff) | DW_COLOR_KNOWN;
        }
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

DW_SIMD static void mark_hidden_words(const uint32_t *restrict words, uint32_t mask,
                                      uint8_t *restrict out, int width)
{
    for (int x = 0; x < width; x++)
        out[x] = (words[x] & mask) != 0 ? 0 : DW_NO_SEED;
}

/* Bytes that are 0 where a texel is visible and DW_NO_SEED where not. */
static void load_seed_row(const dw_tile_work *work, int level, int y, uint8_t *out)
{
    const dw_tile_level *place = dw_work_place(work, level);
    int width = dw_content_width(place);
    size_t first =
        (size_t)(place->content_y0 + y) * (size_t)work->source->width + (size_t)place->content_x0;
    const uint16_t *texels_16 = (const uint16_t *)work->source->texels + 4 * first + 3;

    if (level > 0)
        mark_hidden_words(work->color[level] + (size_t)y * (size_t)width, DW_COLOR_VISIBLE, out,
                          width);
    else if (work->source->bits == 8)
        mark_hidden_words((const uint32_t *)work->source->texels + first, 0xff000000, out, width);
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

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "texels are written as 0xAABBGGRR words"
#endif

/* One row on its way out: content texels [0, width) of `level`. */
typedef struct out_row {
    const dw_tile_work *work;
    int level, y, width;
    size_t source_first;      /* level 0: index of its first texel in the source */
    uint32_t *texels;         /* written words */
    uint8_t *averaged;        /* written averaged alpha */
    const uint8_t *is_hidden; /* 0 where a texel is visible */
} out_row;

/* Colour of a visible content texel. */
static uint32_t seed_color(const out_row *row, int x, int y)
{
    const dw_atlas_source *source = row->work->source;
    const uint16_t *texel;
    uint32_t word;
    size_t at;

    if (row->level > 0)
        return row->work->color[row->level][(size_t)y * (size_t)row->width + (size_t)x] & 0xffffff;
    at = row->source_first + (size_t)x + (size_t)y * (size_t)source->width -
         (size_t)row->y * (size_t)source->width;
    if (source->bits == 8) {
        memcpy(&word, (const uint8_t *)source->texels + 4 * at, 4);
        return word & 0xffffff;
    }
    texel = (const uint16_t *)source->texels + 4 * at;
    return dw_alpha_to_8(texel[0]) | dw_alpha_to_8(texel[1]) << 8 | dw_alpha_to_8(texel[2]) << 16;
}

DW_SIMD static void write_words_16(const uint16_t *restrict source, uint32_t *restrict texels,
                                   uint8_t *restrict averaged, int width)
{
    for (int x = 0; x < width; x++) {
        uint32_t alpha = dw_alpha_to_8(source[4 * x + 3]);

        texels[x] = dw_alpha_to_8(source[4 * x]) | dw_alpha_to_8(source[4 * x + 1]) << 8 |
                    dw_alpha_to_8(source[4 * x + 2]) << 16 | alpha << 24;
        averaged[x] = (uint8_t)alpha;
    }
}

DW_SIMD static void write_words(const uint32_t *restrict color, const uint16_t *restrict alpha,
                                uint32_t *restrict texels, uint8_t *restrict averaged, int width)
{
    for (int x = 0; x < width; x++) {
        uint32_t alpha_8 = dw_alpha_to_8(alpha[x]);

        texels[x] = (color[x] & 0xffffff) | alpha_8 << 24;
        averaged[x] = (uint8_t)alpha_8;
    }
}

DW_SIMD static void extract_alpha(const uint32_t *restrict texels, uint8_t *restrict averaged,
                                  int width)
{
    for (int x = 0; x < width; x++)
        averaged[x] = (uint8_t)(texels[x] >> 24);
}

/* Colours as they are, averaged alpha in both places. */
static void write_plain(const out_row *row)
{
    const dw_tile_work *work = row->work;

    if (row->level > 0) {
        size_t offset = (size_t)row->y * (size_t)row->width;

        write_words(work->color[row->level] + offset, work->alpha[row->level] + offset, row->texels,
                    row->averaged, row->width);
    } else if (work->source->bits == 8) {
        memcpy(row->texels, (const uint8_t *)work->source->texels + 4 * row->source_first,
               4 * (size_t)row->width);
        extract_alpha(row->texels, row->averaged, row->width);
    } else {
        write_words_16((const uint16_t *)work->source->texels + 4 * row->source_first, row->texels,
                       row->averaged, row->width);
    }
}

DW_SIMD static void merge_alpha(const uint16_t *restrict alpha, uint32_t *restrict texels,
                                int count)
{
    for (int x = 0; x < count; x++)
        texels[x] = (texels[x] & 0xffffff) | dw_alpha_to_8(alpha[x]) << 24;
}

#define DW_REMAP_CHUNK 256

/* The tested alpha over the averaged one. */
static void write_tested_alpha(const out_row *row)
{
    const dw_tile_work *work = row->work;
    const dw_alpha_remap *remap = &work->remaps[row->level];
    const uint8_t *texels_8 = (const uint8_t *)work->source->texels + 4 * row->source_first + 3;
    const uint16_t *texels_16 = (const uint16_t *)work->source->texels + 4 * row->source_first + 3;
    const uint16_t *plane = work->alpha[row->level];
    uint16_t alpha[DW_REMAP_CHUNK];

    if (remap->kind == DW_REMAP_IDENTITY)
        return;
    for (int x0 = 0; x0 < row->width; x0 += DW_REMAP_CHUNK) {
        int count = row->width - x0 < DW_REMAP_CHUNK ? row->width - x0 : DW_REMAP_CHUNK;
        size_t first = (size_t)row->y * (size_t)row->width + (size_t)x0;

        for (int x = 0; x < count && row->level == 0; x++)
            alpha[x] = work->source->bits == 8 ? (uint16_t)dw_alpha_from_8(texels_8[4 * (x0 + x)])
                                               : texels_16[4 * (x0 + x)];
        dw_remap_row(remap, row->level == 0 ? alpha : plane + first, alpha, count);
        merge_alpha(alpha, row->texels + x0, count);
    }
}

enum { TEXEL_VISIBLE, TEXEL_NEAR, TEXEL_FAR }; /* hidden near a seed, hidden far from any */

DW_SIMD static void classify_texels(const uint8_t *restrict is_hidden,
                                    const uint16_t *restrict keys, uint8_t *restrict out, int width)
{
    for (int x = 0; x < width; x++)
        out[x] = (uint8_t)(is_hidden[x] == 0 ? TEXEL_VISIBLE
                                             : (keys[x] < DW_KEY_LIMIT ? TEXEL_NEAR : TEXEL_FAR));
}

/* Length of the run of texels of one class from x on, looked at eight at a time. */
static int run_length(const uint8_t *classes, int x, int width)
{
    uint64_t repeated = classes[x] * 0x0101010101010101ull, eight;
    int end = x + 1;

    for (; end + 8 <= width; end += 8) {
        memcpy(&eight, classes + end, 8);
        if (eight != repeated)
            break;
    }
    while (end < width && classes[end] == classes[x])
        end++;
    return end - x;
}

/* A hidden texel's alpha is 0, so that its word is its colour. At level 0 an empty tile, which has
 * no colour to pull, keeps what it has. */
static void pull_run(const out_row *row, const pull_row *pull, int begin, int end)
{
    for (int x = begin; x < end; x++) {
        uint32_t color = pull_color(pull, x);

        if (color != 0 || row->level > 0)
            row->texels[x] = color & 0xffffff;
    }
}

/* The same where two texels share a parent and no index needs holding inside the content. */
static int pull_pairs(const out_row *row, const pull_row *pull, int begin, int end)
{
    int x = begin;

    for (; x + 2 <= end && (pull->begin + x + 1) >> 1 < pull->parent_end; x += 2) {
        uint32_t color = pull->colors[((pull->begin + x) >> 1) - pull->parent_begin];

        if (color == 0 && row->level == 0)
            continue;
        row->texels[x] = row->texels[x + 1] = color & 0xffffff;
    }
    return x;
}

static void fill_far(const out_row *row, const pull_row *pull, int begin, int end)
{
    int x = begin;

    if (pull->colors != NULL) {
        while (x < end &&
               (((pull->begin + x) & 1) != 0 || (pull->begin + x) >> 1 < pull->parent_begin))
            x++;
        pull_run(row, pull, begin, x);
        x = pull_pairs(row, pull, x, end);
    }
    pull_run(row, pull, x, end);
}

/* Colours under alpha 0. */
static void fill_hidden(const out_row *row, const uint16_t *keys, uint8_t *classes)
{
    pull_row pull = find_pull_row(row->work, row->level, row->y);
    int length;

    classify_texels(row->is_hidden, keys, classes, row->width);
    for (int begin = 0; begin < row->width; begin += length) {
        length = run_length(classes, begin, row->width);
        if (classes[begin] == TEXEL_FAR)
            fill_far(row, &pull, begin, begin + length);
        if (classes[begin] != TEXEL_NEAR)
            continue;
        for (int x = begin; x < begin + length; x++)
            row->texels[x] = seed_color(row, x + (keys[x] & 15) - DW_DILATE_RADIUS,
                                        row->y + ((keys[x] >> 4) & 15) - DW_DILATE_RADIUS);
    }
}

static void write_row(const dw_tile_work *work, int level, int y, const seed_rows *rows, int worker)
{
    const dw_atlas_plan *plan = work->plan;
    const dw_tile_level *place = dw_work_place(work, level);
    int width = dw_content_width(place);
    size_t first = (size_t)(place->content_y0 + y) * (size_t)plan->level_width[level] +
                   (size_t)place->content_x0;
    out_row row = {
        .work = work,
        .level = level,
        .y = y,
        .width = width,
        .source_first = level > 0 ? 0 : first,
        .texels = (uint32_t *)(void *)(work->target->levels[level] + 4 * first),
        .averaged = work->target->alpha[level] + first,
        .is_hidden = rows->up + (size_t)(y - rows->first) * (size_t)width,
    };

    write_plain(&row);
    if (plan->def.fill != DW_FILL_MODE_KEEP)
        fill_hidden(&row, find_seed_keys(work, rows, y, worker), work->scratch[worker].class_row);
    write_tested_alpha(&row);
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
