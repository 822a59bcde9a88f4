/* SPDX-License-Identifier: MIT */
/* Which material terrain shows, on the backend of a device.
 * Thread-safety: Safe; inside dw_device_begin_use .. dw_device_end_use. */
#ifndef DW_SYSTEMS_TERRAIN_H
#define DW_SYSTEMS_TERRAIN_H

#include "cpu/terrain_select.h"
#include "systems/device.h"

/* A map and how it is looked at. table: ranks of the law's noise; NULL of HASH. */
typedef struct dw_terrain_view {
    const struct dw_terrain_law *law;
    const uint16_t *table;
    dw_terrain_map map;
    dw_terrain_place place;
    bool is_strict; /* DW_ERROR_ARGUMENT where a weight is negative or not finite */
} dw_terrain_view;

/* Whether weights are as strictness asks. */
dw_status dw_terrain_view_check(const dw_terrain_view *view, dw_error *err);

/* ids: [height][width]. Pixel (x, y) shows origin + ((x, y) + 1/2) / scale. */
dw_status dw_terrain_view_select(dw_device *device, const dw_terrain_view *view, uint32_t width,
                                 uint32_t height, uint8_t *ids, const dw_run *run, dw_error *err);

/* ids[i] at (x[i], y[i]) in map units; beyond the map as at its edge. Native. */
dw_status dw_terrain_view_select_at(const dw_terrain_view *view, const double *x, const double *y,
                                    size_t count, uint8_t *ids, dw_error *err);

#endif
