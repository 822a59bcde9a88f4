/* SPDX-License-Identifier: MIT */
/* Selection in steps, for those who want more of it than ids.
 * Thread-safety: Safe; a block belongs to one thread. */
#ifndef DW_CPU_TERRAIN_STRIP_H
#define DW_CPU_TERRAIN_STRIP_H

#include "cpu/terrain_block.h"
#include "cpu/terrain_select.h"

/* Pixels [x, x + count) of a row, at most DW_TERRAIN_LANES. */
typedef struct dw_terrain_strip {
    const struct dw_terrain_law *law;
    const uint16_t *table;
    const dw_terrain_map *map;
    const dw_terrain_picture *picture;
    uint32_t x, y, count;
} dw_terrain_strip;

/* Whole, tidy weights, and what is empty. */
void dw_terrain_read_block(const dw_terrain_strip *strip, dw_terrain_block *block);

/* The place of each; of SMOOTH the heaviest. w is then what the noise went by, and sum its sum, but
 * in PRIORITY_ADDITIVE. */
void dw_terrain_choose_block(const dw_terrain_strip *strip, dw_terrain_block *block);

#endif
