/* SPDX-License-Identifier: MIT */
/* Weights of a run of pixels by place, and what becomes of them, in vectors of pixels. Each step
 * does what its namesake of shared/terrain_choose.h does to one pixel.
 * Thread-safety: Safe; a block belongs to one thread. */
#ifndef DW_CPU_TERRAIN_BLOCK_H
#define DW_CPU_TERRAIN_BLOCK_H

#include "shared/terrain_weigh.h"

#include <stdbool.h>

#define DW_TERRAIN_LANES 128

typedef struct dw_terrain_block {
    uint32_t w[DW_TERRAIN_MATERIALS][DW_TERRAIN_LANES];
    uint32_t v[DW_TERRAIN_MATERIALS][DW_TERRAIN_LANES]; /* another weight, or an exponent */
    float f[DW_TERRAIN_MATERIALS][DW_TERRAIN_LANES];
    float heights[DW_TERRAIN_MATERIALS][DW_TERRAIN_LANES];
    uint32_t sum[DW_TERRAIN_LANES], most[DW_TERRAIN_LANES], place[DW_TERRAIN_LANES];
    uint32_t is_empty[DW_TERRAIN_LANES];
    uint32_t noise[DW_TERRAIN_LANES]; /* in 2^-32 */
    float best[DW_TERRAIN_LANES];
    uint32_t count; /* places */
} dw_terrain_block;

/* f, clean, becomes w. */
void dw_terrain_block_whole(dw_terrain_block *b);

/* w is whole already. */
void dw_terrain_block_check(dw_terrain_block *b);

void dw_terrain_block_tidy(dw_terrain_block *b, const struct dw_terrain_law *law);
void dw_terrain_block_weigh(dw_terrain_block *b, const struct dw_terrain_law *law);

/* Into place: by weight, by the noise, and by noise of its own for each place (w is fit by
 * dw_terrain_block_begin_win; then once a place, noise set anew). */
void dw_terrain_block_heaviest(dw_terrain_block *b);
void dw_terrain_block_pick(dw_terrain_block *b);
void dw_terrain_block_begin_win(dw_terrain_block *b);
void dw_terrain_block_win(dw_terrain_block *b, const struct dw_terrain_law *law, uint32_t place);

#endif
