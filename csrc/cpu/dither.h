/* SPDX-License-Identifier: MIT */
/* Ranks of dither patterns, and masks of what an amount discards, in native C.
 * Thread-safety: Safe; concurrent calls need distinct outputs. */
#ifndef DW_CPU_DITHER_H
#define DW_CPU_DITHER_H

#include "base/registry.h"
#include "base/threads.h"

#include <stdint.h>

/* Texels; larger is more even in all directions, and a little less blue. */
#define DW_BLUE_SIGMA     1.9
#define DW_BLUE_SIGMA_MIN 0.5
#define DW_BLUE_SIGMA_MAX 8.0

/* Void and cluster (Ulichney 1993) on a torus: a permutation of 0 .. side^2 - 1, each rank far from
 * those next to it. side: a power of two, DW_DITHER_SIDE_MIN to _MAX. Energies are integers: the
 * same arguments give the same ranks on every machine. */
dw_status dw_blue_noise_make(uint32_t side, double sigma, uint64_t seed, uint16_t *ranks,
                             const dw_run *run, dw_error *err);

/* A window of a pattern that covers the plane. */
typedef struct dw_dither_def {
    uint32_t pattern;      /* dw_dither_pattern */
    uint32_t rule;         /* dw_dither_rule */
    uint32_t side;         /* of the table, for BLUE */
    const uint16_t *table; /* [side][side], for BLUE; else NULL */
    uint32_t width, height;
    int32_t origin_x, origin_y; /* pixel at the first column and row */
    uint32_t instance;          /* for HASH */
} dw_dither_def;

/* ranks: [height][width]. */
void dw_dither_ranks(const dw_dither_def *def, uint16_t *ranks);

/* masks: [count][height][width], 1 where a fragment is discarded. amounts: finite. */
dw_status dw_discard_masks(const dw_dither_def *def, const float *amounts, uint32_t count,
                           uint8_t *masks, const dw_run *run, dw_error *err);

#endif
