/* SPDX-License-Identifier: MIT */
/* Loops over the lanes of a group that compilers turn into vectors.
 * Thread-safety: Safe on distinct blocks. */
#ifndef DW_CPU_PARTICLES_KERNELS_H
#define DW_CPU_PARTICLES_KERNELS_H

#include "cpu/particles_block.h"

/* Lanes [lane, lane + count) of one part; count is a multiple of DW_BLOCK_STEP. */
typedef struct dw_block_lanes {
    dw_particle_block *block;
    const dw_particle_part *part;
    size_t lane, count;
} dw_block_lanes;

/* Each reads what the ones before have written. */
void dw_block_live(dw_block_lanes lanes, const struct dw_block_group *group);
void dw_block_share(dw_block_lanes lanes);
void dw_block_curves(dw_block_lanes lanes, const float *curves);
void dw_block_points(dw_block_lanes lanes, const float *points, uint32_t needs);
void dw_block_move(dw_block_lanes lanes, const float *camera);
void dw_block_color(dw_block_lanes lanes, const uint32_t *colors);
void dw_block_place(dw_block_lanes lanes, uint32_t needs);
void dw_block_frames(dw_block_lanes lanes);

#endif
