/* SPDX-License-Identifier: MIT */
/* One tile on its way through the native baker: its planes, and the scratch that a worker reuses
 * from tile to tile. Planes hold content texels only; gutters follow from them at the end.
 * Thread-safety: a tile belongs to one caller; bands of rows may run on several threads, each with
 * its own scratch. */
#ifndef DW_CPU_ATLAS_TILE_H
#define DW_CPU_ATLAS_TILE_H

#include "base/threads.h"
#include "cpu/atlas_plan.h"

#define DW_BAND_ROWS 32 /* rows of one work item inside a tile */

typedef struct dw_accumulators {
    uint32_t *r, *g, *b, *a; /* row-major, 24-bit values */
} dw_accumulators;

/* What one worker needs for a band of rows. */
typedef struct dw_tile_scratch {
    uint32_t *source_rows; /* two level-0 rows as accumulators: 8 planes of one row */
    int64_t *filter_rows;  /* rows filtered along x: 4 values a texel */
    uint16_t *alpha_rows;  /* two rows of 16-bit alpha with a texel of margin on each side */
    uint8_t *seed_rows;    /* vertical distances to the nearest seed, up and down */
    uint16_t *key_row;     /* seed keys of one row with the dilation radius as margin */
    uint8_t *class_row;    /* one row of texel classes, see atlas_fill.c */
    uint32_t *histogram;   /* [level_total][DW_COVERAGE_BINS] */
    uint64_t passing[DW_CUTOFFS_MAX]; /* bilinear samples of level 0 that pass each cutoff */
} dw_tile_scratch;

typedef struct dw_tile_work {
    const dw_atlas_plan *plan;
    const dw_atlas_source *source;
    const dw_atlas_target *target;
    dw_run run;               /* inside this tile; without a pool when tiles run side by side */
    dw_tile_scratch *scratch; /* [threads of run] */
    int tile;                 /* plan->tile_count: the whole image as one tile */
    int first_level;          /* 0: from the source; else planes of this level are given */
    int levels;               /* levels at which the tile exists */
    bool ignore_alpha;        /* every texel counts fully: colour that fill "keep" keeps */
    uint32_t *seed;           /* receives the accumulators of level merged_level - 1; or NULL */
    uint32_t *planes[2];      /* accumulators of odd and of even levels, 4 planes each */
    uint32_t *color[DW_LEVELS_MAX];
    uint16_t *alpha[DW_LEVELS_MAX];
    dw_alpha_remap remaps[DW_LEVELS_MAX];
    const dw_alpha_remap *trial; /* alpha is counted as this would write it; NULL: as averaged */
} dw_tile_work;

static inline const dw_tile_level *dw_work_place(const dw_tile_work *work, int level)
{
    return dw_atlas_place(work->plan, work->tile, level);
}

static inline int dw_content_width(const dw_tile_level *place)
{
    return place->content_x1 - place->content_x0;
}

static inline int dw_content_height(const dw_tile_level *place)
{
    return place->content_y1 - place->content_y0;
}

static inline size_t dw_content_area(const dw_tile_level *place)
{
    return (size_t)dw_content_width(place) * (size_t)dw_content_height(place);
}

/* Index i of one axis brought into the content, by the fill mode's rule. */
static inline int dw_content_index(const dw_atlas_plan *plan, int i, int begin, int end)
{
    return plan->def.fill == DW_FILL_MODE_WRAP ? dw_wrap_index(i, begin, end)
                                               : dw_clamp_index(i, begin, end);
}

static inline dw_accumulators dw_work_accumulators(const dw_tile_work *work, int level)
{
    size_t area = dw_content_area(dw_work_place(work, level));
    uint32_t *planes = work->planes[level & 1];

    return (dw_accumulators) { planes, planes + area, planes + 2 * area, planes + 3 * area };
}

/* Bytes of planes that a tile needs, and how they are laid out from `memory`. */
size_t dw_tile_work_bytes(const dw_atlas_plan *plan, int tile, int first_level);
void dw_tile_work_place_planes(dw_tile_work *work, void *memory);

dw_status dw_tile_scratch_init(const dw_atlas_plan *plan, dw_tile_scratch *out, dw_error *err);
void dw_tile_scratch_finish(dw_tile_scratch *scratch);

/* A band of rows [begin, end) of one level; worker indexes work->scratch. */
typedef void (*dw_band_fn)(const dw_tile_work *work, int level, int begin, int end, int worker);

/* Runs band_fn over `rows` rows of a level in bands. */
dw_status dw_tile_for_bands(const dw_tile_work *work, int level, int rows, dw_band_fn band_fn,
                            dw_error *err);

/* dw_remap_alpha of a row: out may be in. */
void dw_remap_row(const dw_alpha_remap *remap, const uint16_t *in, uint16_t *out, int count);

/* Steps of a tile, in order. */
dw_status dw_tile_build_pyramid(dw_tile_work *work, dw_error *err);
dw_status dw_tile_count_coverage(dw_tile_work *work, dw_error *err);
void dw_tile_choose_remaps(dw_tile_work *work);
dw_status dw_tile_refine_remaps(dw_tile_work *work, dw_error *err);
dw_status dw_tile_resolve_colors(dw_tile_work *work, dw_error *err);
dw_status dw_tile_write_levels(dw_tile_work *work, dw_error *err);

#endif
