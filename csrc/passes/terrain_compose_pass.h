/* SPDX-License-Identifier: MIT */
/* Pictures of terrain on a Vulkan device.
 * Thread-safety: Safe. */
#ifndef DW_PASSES_TERRAIN_COMPOSE_PASS_H
#define DW_PASSES_TERRAIN_COMPOSE_PASS_H

#include "cpu/terrain_compose.h"
#include "gpu/device.h"

/* As dw_terrain_compose. DW_ERROR_CAPACITY where the map, or another input, is larger than a
 * binding. The time is that named "terrain_compose". */
dw_status dw_terrain_compose_pass(dw_gpu *gpu, const struct dw_terrain_law *law,
                                  const uint16_t *table, const dw_terrain_map *map,
                                  const dw_terrain_painting *painting, uint8_t *out,
                                  const dw_run *run, dw_error *err);

#endif
