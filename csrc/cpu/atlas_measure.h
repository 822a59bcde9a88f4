/* SPDX-License-Identifier: MIT */
/* What a finished mip chain is worth: coverage between levels, colour fringes. Floats are fine
 * here: these are measurements, made on the host alone.
 * Thread-safety: Safe; callers own all memory. */
#ifndef DW_CPU_ATLAS_MEASURE_H
#define DW_CPU_ATLAS_MEASURE_H

#include "base/threads.h"
#include "cpu/atlas_coverage.h"

/* An area of a level in texels of that level; fractions allowed. Samples clamp to its texels. */
typedef struct dw_area {
    double x0, y0, x1, y1;
} dw_area;

/* Coverage of areas as a trilinear sampler sees them: levels `fine` and `coarse` mixed by
 * `fraction` (0: fine alone). Areas i of both levels are the same piece of the image. 4 x 4
 * samples a fine texel, or, in an area of more than 8192 texels, about 131072 of them, but no fewer
 * than one to 2 x 2 texels.
 * out: [area_count][cutoff_count] shares. */
dw_status dw_coverage_trilinear(const dw_alpha_view *fine, const dw_alpha_view *coarse,
                                const dw_area *fine_areas, const dw_area *coarse_areas,
                                int area_count, double fraction, const double *cutoffs,
                                int cutoff_count, const dw_run *run, double *out, dw_error *err);

typedef struct dw_fringe {
    double mean_absolute; /* 8-bit steps, mean over passing texels and channels */
    double mean_signed;   /* negative: darker than it should be */
    double worst;         /* greatest absolute difference of one channel */
    int64_t texels;       /* that passed */
} dw_fringe;

/* Colour of the texels of `level` ([height][width][4], 8 bits) whose alpha passes `cutoff`,
 * against the alpha-weighted mean light of the level-0 texels under each, taken within the area
 * that holds it. Areas are those of level 0 (sources) and the texel rects of the level (rects). */
dw_status dw_measure_fringe(const dw_atlas_source *source, dw_color_space space,
                            const uint8_t *level, int width, int height, const dw_rect *sources,
                            const dw_rect *rects, int area_count, double cutoff, const dw_run *run,
                            dw_fringe *out, dw_error *err);

#endif
