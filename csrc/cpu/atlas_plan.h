/* SPDX-License-Identifier: MIT */
/* What an atlas bake is asked for, and the geometry that follows from it: level sizes, where every
 * tile lies at every level, filter taps. Both backends work from one plan.
 * Thread-safety: a plan is constant after init. */
#ifndef DW_CPU_ATLAS_PLAN_H
#define DW_CPU_ATLAS_PLAN_H

#include "base/registry.h"
#include "base/status.h"
#include "cpu/mip_filters.h"
#include "cpu/srgb.h"
#include "shared/atlas.h"

#include <stdbool.h>

typedef struct dw_rect {
    int x, y, width, height; /* texels of level 0 */
} dw_rect;

typedef struct dw_atlas_def {
    dw_color_space color_space;
    dw_mip_filter filter;
    dw_fill_mode fill;
    dw_coverage_mode coverage;
    int cutoff_count; /* 1 to DW_CUTOFFS_MAX, ascending, each inside (0, 1) */
    double cutoffs[DW_CUTOFFS_MAX];
    int gutter;                    /* texels on each side of a tile that hold no content */
    int start_level;               /* first level whose alpha is remapped */
    double strength;               /* 0: averaged alpha, 1: full remap */
    int level_count;               /* levels to write; 0: the whole chain */
    const double *target_coverage; /* [tiles][cutoffs] shares to reach; NULL: level 0's own */
    int kernel_runs;               /* times that a Vulkan device runs the kernels, for measuring */
} dw_atlas_def;

dw_atlas_def dw_atlas_def_default(void);

typedef struct dw_atlas_source {
    int width, height;
    int bits;           /* 8 or 16 per channel */
    const void *texels; /* [height][width][4], straight alpha, rows packed, 4-byte aligned */
} dw_atlas_source;

/* levels[n] is [height_n][width_n][4], alpha[n] is [height_n][width_n]; remaps is
 * [tiles][plan levels]. */
typedef struct dw_atlas_target {
    uint8_t *levels[DW_LEVELS_MAX];
    uint8_t *alpha[DW_LEVELS_MAX];
    dw_alpha_remap *remaps;
} dw_atlas_target;

typedef struct dw_atlas_plan {
    dw_atlas_def def;
    int width, height;
    int tile_count;
    int level_total; /* levels down to 1x1 */
    int write_count; /* levels that are written */
    int level_width[DW_LEVELS_MAX], level_height[DW_LEVELS_MAX];
    dw_filter_axis axis_x[DW_LEVELS_MAX], axis_y[DW_LEVELS_MAX]; /* [n]: from n - 1 to n */
    dw_rect *rects;        /* [tile_count + 1]; the last is the whole image */
    int *tile_levels;      /* [tile_count + 1] levels at which the tile is a texel or more */
    dw_tile_level *places; /* [tile_count + 1][level_total] */
    bool has_background;   /* the whole image is baked under the tiles, from level 0 */
    int merged_level;      /* first level at which a tile is under a texel; level_total: none */
    dw_light_tables *light;
    uint32_t cutoff_samples[DW_CUTOFFS_MAX]; /* a bilinear sample passes at this value or above */
    uint32_t cutoff_alpha[DW_CUTOFFS_MAX];   /* the cutoff as a 16-bit alpha */
    uint32_t strength;                       /* in units of 1/65536 */
} dw_atlas_plan;

/* Checks everything that a caller can get wrong: sizes, tiles, ranges. rects may be NULL: one tile,
 * the whole image. */
dw_status dw_atlas_plan_create(const dw_atlas_def *def, const dw_atlas_source *source,
                               const dw_rect *rects, int tile_count, dw_atlas_plan **out,
                               dw_error *err);
void dw_atlas_plan_destroy(dw_atlas_plan *plan);

/* The least bilinear sample, in units of 1 / DW_SAMPLE_ONE, that passes alpha >= cutoff. */
uint32_t dw_cutoff_sample(double cutoff);

/* Levels of a full chain of this size. */
int dw_level_total(int width, int height);

/* Checks tiles against an image: inside it, not overlapping, with room inside the gutter. */
dw_status dw_check_rects(const dw_rect *rects, int count, int width, int height, int gutter,
                         dw_error *err);

static inline const dw_tile_level *dw_atlas_place(const dw_atlas_plan *plan, int tile, int level)
{
    return &plan->places[(size_t)tile * (size_t)plan->level_total + (size_t)level];
}

/* Bilinear samples of a tile at a level. */
static inline uint64_t dw_sample_count(const dw_tile_level *place)
{
    if (dw_is_even(*place))
        return (uint64_t)dw_even_count(place->even_x0, place->even_x1) *
               (uint64_t)dw_even_count(place->even_y0, place->even_y1);
    return (uint64_t)(place->sample_x1 - place->sample_x0) *
           (uint64_t)(place->sample_y1 - place->sample_y0);
}

#endif
