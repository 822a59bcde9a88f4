/* SPDX-License-Identifier: MIT */
/* Pictures of terrain on the backend of a device.
 * Thread-safety: Safe; inside dw_device_begin_use .. dw_device_end_use. */
#ifndef DW_SYSTEMS_TERRAIN_COMPOSE_H
#define DW_SYSTEMS_TERRAIN_COMPOSE_H

#include "cpu/terrain_compose.h"
#include "systems/terrain.h"

typedef struct dw_composition {
    dw_terrain_window window;
    const uint8_t *base; /* [height][width][channels] sRGB codes; spans the map */
    uint32_t base_width, base_height, base_channels;
    dw_terrain_tile tiles[DW_TERRAIN_MATERIALS]; /* by slot */
    uint32_t width, height;                      /* pixels of the picture */
} dw_composition;

/* out: [height][width][3] sRGB codes. ids: [height][width], of pixels' centres; NULL: not asked
 * for. */
dw_status dw_terrain_view_compose(dw_device *device, const dw_terrain_view *view,
                                  const dw_composition *composition, uint8_t *out, uint8_t *ids,
                                  const dw_run *run, dw_error *err);

#endif
