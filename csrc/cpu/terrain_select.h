/* SPDX-License-Identifier: MIT */
/* Which material each pixel of a terrain map shows, in native C.
 * Thread-safety: Safe; concurrent calls need distinct outputs. */
#ifndef DW_CPU_TERRAIN_SELECT_H
#define DW_CPU_TERRAIN_SELECT_H

#include "base/threads.h"
#include "shared/terrain.h"

#include <stdbool.h>
#include <stdint.h>

/* Weights of a map. INDEX has 32 slots and a pitch of 1. BYTE and NIBBLE begin at a multiple of 4
 * bytes. */
typedef struct dw_terrain_map {
    uint32_t form; /* DW_TERRAIN_FORM_* */
    uint32_t slots;
    uint32_t pitch;         /* weights of a texel in memory, slots or more */
    uint32_t width, height; /* texels, 1 or more */
    const void *weights;    /* [height][width][pitch] */
    const float *heights;   /* [height][width][slots], for the HEIGHT mode; NULL: all 0 */
} dw_terrain_map;

/* Where samples lie: a map unit is a texel. */
typedef struct dw_terrain_place {
    double origin[2]; /* x, y of the corner of texel (0, 0), in map units */
    double scale;     /* pixels per map unit */
    double cell;      /* map units of a noise cell */
    bool is_linear;   /* weights are filtered between the centres of texels */
} dw_terrain_place;

/* Pixels of a picture; its rows and columns in tables [4][count], as DW_TERRAIN_STEP_*. */
typedef struct dw_terrain_picture {
    uint32_t width, height;
    const uint32_t *columns, *rows;
    bool is_linear;
    bool is_plain; /* column i shows texel i */
} dw_terrain_picture;

/* Bytes of a texel. */
uint32_t dw_terrain_texel_size(const dw_terrain_map *map);

/* Entry `at` of tables of `count` entries: position, in map units, along an axis with that many
 * texels. DW_ERROR_ARGUMENT when the cell has no 32-bit number. */
dw_status dw_terrain_step(const dw_terrain_place *place, uint32_t axis, double position,
                          uint32_t texels, uint32_t *table, size_t count, size_t at, dw_error *err);

/* The first weight that is negative or not finite, as an index into all; -1: none. */
int64_t dw_terrain_find_bad(const dw_terrain_map *map);

/* ids: [height][width]. table: ranks, NULL of HASH. */
dw_status dw_terrain_select(const struct dw_terrain_law *law, const uint16_t *table,
                            const dw_terrain_map *map, const dw_terrain_picture *picture,
                            uint8_t *ids, const dw_run *run, dw_error *err);

/* The same one by one: ids[i] at tables [4][count] of columns and rows. */
void dw_terrain_select_points(const struct dw_terrain_law *law, const uint16_t *table,
                              const dw_terrain_map *map, bool is_linear, const uint32_t *columns,
                              const uint32_t *rows, size_t count, uint8_t *ids);

#endif
