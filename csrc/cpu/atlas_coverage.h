/* SPDX-License-Identifier: MIT */
/* Alpha coverage: the share of bilinear samples, or of texels, that pass an alpha test, and the
 * remap that restores it (after Castano, Computing Alpha Mipmaps, 2010, but by rank from one
 * histogram instead of a search).
 * Thread-safety: Safe; callers own all memory. */
#ifndef DW_CPU_ATLAS_COVERAGE_H
#define DW_CPU_ATLAS_COVERAGE_H

#include "base/threads.h"
#include "cpu/atlas_plan.h"

/* From begin up to, not including, end. */
typedef struct dw_span {
    int begin, end;
} dw_span;

/* Samples of one cell row: the bilinear samples between two rows of texels under clamp (or wrap)
 * addressing, 4 x 4 to a texel. */
typedef struct dw_cell_row {
    const uint16_t *upper, *lower; /* 16-bit alpha with a texel of margin on each side */
    dw_span samples;               /* counted from the first texel's first one */
    dw_span sub_rows;              /* within [0, 4) */
    int phase_x, phase_y;          /* see dw_tile_level */
} dw_cell_row;

/* Adds the samples to their bins. */
void dw_coverage_add_row(const dw_cell_row *row, uint32_t *histogram);

/* The number of samples that are at or above `cutoff_sample`. */
uint64_t dw_coverage_count_row(const dw_cell_row *row, uint32_t cutoff_sample);

/* The histogram bin, 1 to DW_COVERAGE_BINS - 1, at which a threshold passes the share of samples
 * nearest to target / target_count (see dw_coverage_miss), placed among the bins that pass the same
 * samples by dw_place_threshold. */
uint32_t dw_coverage_choose_bin(const uint64_t *passing, uint64_t count, uint64_t target,
                                uint64_t target_count, uint32_t cutoff_alpha);

/* passing[b]: samples in bin b or above. */
void dw_coverage_suffix_sums(const uint32_t *histogram, uint64_t *passing);

/* The remap of a level with this histogram: cutoff i shall let pass target[i] of target_count[i].
 */
dw_alpha_remap dw_coverage_choose_remap(const dw_atlas_plan *plan, const uint32_t *histogram,
                                        const uint64_t *target, const uint64_t *target_count);

/* Alpha as measured: 8 or 16 bits, with strides in elements, so that a channel of RGBA will do. */
typedef struct dw_alpha_view {
    const void *data;
    int bits;
    int width, height;
    ptrdiff_t row_stride, texel_stride;
} dw_alpha_view;

typedef enum dw_coverage_sampling {
    DW_COVERAGE_SAMPLING_BILINEAR,
    DW_COVERAGE_SAMPLING_TEXEL,
} dw_coverage_sampling;

/* out[i]: the share of samples inside area i that pass cutoff i % cutoff_count ... of area
 * i / cutoff_count. */
dw_status dw_coverage_measure(const dw_alpha_view *alpha, const dw_rect *areas, int area_count,
                              const double *cutoffs, int cutoff_count,
                              dw_coverage_sampling sampling, const dw_run *run, double *out,
                              dw_error *err);

#endif
