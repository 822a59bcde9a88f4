/* SPDX-License-Identifier: MIT */
/* Terrain in a scene: a heightfield drawn as patches of a quadtree, one grid for all of them.
 *
 * A node of level l covers DW_GROUND_PATCH cells of 2^l heights along each side. It is split while
 * the camera is nearer than the level's range; what is not split, under a parent that is, is drawn.
 * Ranges double from level to level, so that neighbours differ by one level at most, and vertices
 * glide onto those of the next level before a border with it.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_GROUND_H
#define DW_SHARED_GROUND_H

#include "shared/types.h"

#define DW_GROUND_PATCH     16u /* quads along a side of a node */
#define DW_GROUND_LEVELS    16  /* of a quadtree, at most */
#define DW_GROUND_MATERIALS 32u
#define DW_GROUND_LANES     64

/* ---- set 0 of the cull ---- */
#define DW_GROUND_CULL_LOOK     0
#define DW_GROUND_CULL_BOUNDS   1 /* [nodes] lowest and highest y */
#define DW_GROUND_CULL_LIST     2 /* dw_ground_node of the camera's view */
#define DW_GROUND_CULL_SUN_LIST 3
#define DW_GROUND_CULL_COMMANDS 4 /* two indexed draws, five words each */
#define DW_GROUND_CULL_BINDINGS 5

/* ---- set 0 of a draw ---- */
#define DW_GROUND_VIEW     0 /* dw_scene_view */
#define DW_GROUND_LOOK     1 /* dw_ground_look */
#define DW_GROUND_LAW      2 /* dw_terrain_law */
#define DW_GROUND_SURFACES 3 /* [materials] dw_ground_surface */
#define DW_GROUND_HEIGHTS  4 /* floats, y of each height, row by row */
#define DW_GROUND_LIST     5 /* dw_ground_node */
#define DW_GROUND_WEIGHTS  6 /* words */
#define DW_GROUND_RANKS    7 /* of the noise, two to a word */
#define DW_GROUND_BINDINGS 8

/* ---- set 1 of a draw ---- */
#define DW_GROUND_ALBEDO   0 /* array: a layer a material */
#define DW_GROUND_NORMAL   1 /* array */
#define DW_GROUND_MACRO    2 /* colour of the whole map */
#define DW_GROUND_SLOPES   3 /* rise along x, rise along z, openness to the sky */
#define DW_GROUND_SHARES   4 /* array: expected shares, four materials a layer */
#define DW_GROUND_SHADOW   5
#define DW_GROUND_TEXTURES 6

/* Bits of specialization constant 0; HAS_SHADOWS and IS_SHADOW are DW_SCENE_*. */
#define DW_GROUND_IS_SMOOTH   1u /* all materials, by their shares */
#define DW_GROUND_IS_PIXELS   2u /* textures are taken texel by texel */
#define DW_GROUND_HAS_NORMALS 4u /* materials have normal maps */
#define DW_GROUND_IS_LINEAR   8u /* weights are interpolated before the choice */
#define DW_GROUND_IS_UNLIT    16u

/* Specialization constants. */
#define DW_GROUND_SPEC_FLAGS 0
#define DW_GROUND_SPEC_FORM  1 /* DW_GROUND_FORM_* */
#define DW_GROUND_SPEC_COUNT 2 /* of materials */
#define DW_GROUND_SPEC_VIEW  3 /* DW_GROUND_SHOWS_* */
#define DW_GROUND_SPEC_MODE  4
#define DW_GROUND_SPEC_NOISE 5
#define DW_GROUND_SPECS      6

/* How the weights of a texel lie in words. */
#define DW_GROUND_FORM_FLOAT  0u
#define DW_GROUND_FORM_BYTES  1u /* four to a word, the first in the lowest byte */
#define DW_GROUND_FORM_PACKED 2u /* 4 bits each, the first in the lowest four */

/* What is shown. */
#define DW_GROUND_SHOWS_COLOR       0u
#define DW_GROUND_SHOWS_IDS         1u
#define DW_GROUND_SHOWS_WEIGHTS     2u
#define DW_GROUND_SHOWS_EXPECTATION 3u
#define DW_GROUND_SHOWS_CHANNEL     4u

/* Of one frame. Heights' cells are counted from sample (0, 0), whose corner of the map is (0, 0).
 */
#define DW_GROUND_LOOK_FIELDS(F)                                                                   \
    F(float, planes, 24)     /* of the camera, inside positive */                                  \
    F(float, sun_planes, 24) /* of the sun's map; the first four count */                          \
    F(float, origin, 4)      /* x and z of sample (0, 0), spare, metres of a cell */               \
    F(float, camera, 4)      /* x, z, squared height above all of it */                            \
    F(float, ranges, 16)     /* of a level: squared distance within which its nodes split */       \
    F(float, morph, 4)      /* metres where gliding begins at level 0, 1 / length; or 0, 0 and the \
                               share that has been glided everywhere */                            \
    F(float, cell_ratio, 4) /* noise cells per height cell, x and z; map units likewise */         \
    F(float, texel, 4)      /* 1 / width, 1 / height; width and height of the macro image */       \
    F(float, detail, 4)     /* side of the albedo layers in texels; strength of openness */        \
    F(uint, size, 4)        /* samples along x and z, levels, nodes */                             \
    F(uint, first, 16)      /* node of each level */                                               \
    F(uint, columns, 16)    /* nodes along x of each level */                                      \
    F(uint, cell_step, 4)   /* noise cells per height cell in 2^-32: x low, high, z */             \
    F(uint, map_step, 4)    /* map units likewise */                                               \
    F(uint, weights, 4)     /* texels along x and z, words of each */                              \
    F(uint, show, 4)        /* id of the terrain, channel that is shown */

/* One material. */
#define DW_GROUND_SURFACE_FIELDS(F)                                                               \
    F(float, tile, 0)     /* tiles per height cell */                                             \
    F(uint, tile_step, 0) /* the same in 2^-32, whole tiles left out */                           \
    F(float, strength, 0) /* of its detail, 0 to 1 */                                             \
    F(float, roughness, 0)                                                                        \
    F(float, relief, 0) /* multiplies x and y of its normals */                                   \
    F(float, height, 0) /* what it sticks out in mode HEIGHT */                                   \
    F(float, cliff, 0)  /* tiles per metre where steep ground has them from the side; 0: never */ \
    F(float, color, 3)  /* multiplies its albedo, linear */

/* A node that is drawn. */
#define DW_GROUND_NODE_FIELDS(F)                                          \
    F(uint, x, 0) /* heights' cells of its corner */                      \
    F(uint, z, 0)                                                         \
    F(uint, level, 0)                                                     \
    F(uint, spare, 0)                                                     \
    F(int, cell_x, 0) /* noise cell of its corner, and how far into it */ \
    F(int, cell_z, 0)                                                     \
    F(float, cell_fx, 0)                                                  \
    F(float, cell_fz, 0)                                                  \
    F(int, map_x, 0) /* map unit of its corner, and how far into it */    \
    F(int, map_z, 0)                                                      \
    F(float, map_fx, 0)                                                   \
    F(float, map_fz, 0)

struct dw_ground_look {
    DW_GROUND_LOOK_FIELDS(DW_FIELD)
};

struct dw_ground_surface {
    DW_GROUND_SURFACE_FIELDS(DW_FIELD)
};

struct dw_ground_node {
    DW_GROUND_NODE_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_ground_look dw_ground_look;
typedef struct dw_ground_surface dw_ground_surface;
typedef struct dw_ground_node dw_ground_node;
#endif

#endif
