/* SPDX-License-Identifier: MIT */
/* Which material each pixel of a terrain map shows, on a Vulkan device.
 * Thread-safety: Safe. */
#ifndef DW_PASSES_TERRAIN_PASS_H
#define DW_PASSES_TERRAIN_PASS_H

#include "cpu/terrain_select.h"
#include "gpu/device.h"

/* As dw_terrain_select. The time is that named "terrain_select". */
dw_status dw_terrain_pass(dw_gpu *gpu, const struct dw_terrain_law *law, const uint16_t *table,
                          const dw_terrain_map *map, const dw_terrain_picture *picture,
                          uint8_t *ids, const dw_run *run, dw_error *err);

#endif
