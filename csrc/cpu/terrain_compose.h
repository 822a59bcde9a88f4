/* SPDX-License-Identifier: MIT */
/* Pictures of terrain: the detail of chosen materials over a base colour, in native C.
 * Thread-safety: Safe; concurrent calls need distinct outputs. */
#ifndef DW_CPU_TERRAIN_COMPOSE_H
#define DW_CPU_TERRAIN_COMPOSE_H

#include "cpu/srgb.h"
#include "cpu/terrain_select.h"
#include "shared/terrain_compose.h"

/* A material's picture as it comes, sRGB codes. */
typedef struct dw_terrain_tile {
    const uint8_t *pixels; /* [height][width][channels] */
    uint32_t width, height;
    uint32_t channels; /* 3, or 4 with alpha: how much it covers */
    double units;      /* map units that its width spans; its texels are square */
    double strength;   /* 0 to 1 */
} dw_terrain_tile;

/* Where samples of a picture lie, and how it is read. */
typedef struct dw_terrain_window {
    double corner[2];       /* of the picture, in map units */
    double pixels_per_unit; /* map units to pixels */
    uint32_t samples;       /* along each side of a pixel */
    bool is_photo;          /* pictures are filtered between texels, else read by the nearest */
} dw_terrain_window;

typedef struct dw_terrain_painting {
    struct dw_terrain_paint paint;
    dw_terrain_picture picture; /* of samples; tables: those of shared/terrain_compose.h, too */
    const uint32_t *base;       /* [.][paint.base_width] R, G, B, from the low byte */
    uint64_t base_texels;
    const uint16_t *details; /* [.][4] light times alpha, alpha */
    uint64_t detail_texels;
    const dw_light_tables *tables;
    uint32_t width, height; /* pixels */
    bool is_detailed;       /* any detail shows */
} dw_terrain_painting;

/* Map position of a sample along an axis. */
double dw_terrain_sample_at(const dw_terrain_window *window, uint32_t axis, uint32_t sample);

/* How large a tile is when samples see no more than a texel of it each. */
void dw_terrain_tile_size(const dw_terrain_tile *tile, const dw_terrain_window *window,
                          uint32_t *width, uint32_t *height);

/* Means over areas of a tile, in light: texels[height][width][4] of the painting's details. */
dw_status dw_terrain_tile_reduce(const dw_terrain_tile *tile, const dw_light_tables *tables,
                                 uint32_t width, uint32_t height, uint16_t *texels,
                                 const dw_run *run, dw_error *err);

/* Entries of tables, from positions in texels of a picture of that many: the edge goes on, or the
 * tile is repeated. */
uint32_t dw_terrain_base_step(double position, uint32_t texels, bool is_photo);
uint32_t dw_terrain_detail_step(double position, uint32_t texels, bool is_photo);

/* out: [height][width][3] sRGB codes. table: ranks, NULL of HASH. */
dw_status dw_terrain_compose(const struct dw_terrain_law *law, const uint16_t *table,
                             const dw_terrain_map *map, const dw_terrain_painting *painting,
                             uint8_t *out, const dw_run *run, dw_error *err);

#endif
