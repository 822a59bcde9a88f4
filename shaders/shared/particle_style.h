/* SPDX-License-Identifier: MIT */
/* How layers of particles look, and what their draws are given.
 *
 * A quad is `size` wide and size times aspect high. Its picture has u to the right and v up, both
 * from 0 to 1; rho is the distance from the centre, 1 at the middle of an edge.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_STYLE_H
#define DW_SHARED_PARTICLE_STYLE_H

#include "shared/particle.h"

/* Flags of a style. */
#define DW_STYLE_IS_LIT    1u  /* by sun and sky; else it is light itself */
#define DW_STYLE_IS_LINEAR 2u  /* colours are light as they are, not sRGB codes */
#define DW_STYLE_IS_SPECKS 8u  /* specks are added without raster, also in small layers */
#define DW_STYLE_NO_SPECKS 16u /* never */
/* Quads without a picture, to measure draws against: sharpness and stretch are half their width and
 * height, of half the picture's. */
#define DW_STYLE_IS_BARE   4u

/* How a layer looks. */
#define DW_PARTICLE_STYLE_FIELDS(F)                                                       \
    F(uint, blend, 0)                                                                     \
    F(uint, face, 0)                                                                      \
    F(uint, image, 0)                                                                     \
    F(uint, texture, 0) /* the renderer's, of DW_PARTICLE_IMAGE_TEXTURE */                \
    F(uint, columns, 0) /* of its frames */                                               \
    F(uint, rows, 0)                                                                      \
    F(uint, flags, 0)                                                                     \
    F(float, sharpness, 0) /* of a glow */                                                \
    F(float, aspect, 0)                                                                   \
    F(float, soft, 0)    /* m in front of surfaces over which it fades; 0: a hard edge */ \
    F(float, stretch, 0) /* of a streak: its length in widths */                          \
    F(float, glow, 0)    /* what its light is times */

struct dw_particle_style {
    DW_PARTICLE_STYLE_FIELDS(DW_FIELD)
};

/* ---- bindings of the draw ---- */
#define DW_PARTICLE_DRAW_VIEW     0 /* DW_SCENE_VIEW */
#define DW_PARTICLE_DRAW_SPRITES  1
#define DW_PARTICLE_DRAW_LIST     2 /* sprites in the order of drawing, layer by layer */
#define DW_PARTICLE_DRAW_SPANS    3 /* where each layer begins in the list */
#define DW_PARTICLE_DRAW_BINDINGS 4

#define DW_PARTICLE_DRAW_DEPTH    0 /* of the surfaces */
#define DW_PARTICLE_DRAW_SHADOW   1
#define DW_PARTICLE_DRAW_IMAGE    2
#define DW_PARTICLE_DRAW_TEXTURES 3

/* Specialization constants of the draw: the style's blend, face, image and flags, what the picture
 * has, and its samples. */
#define DW_PARTICLE_SPEC_BLEND   0
#define DW_PARTICLE_SPEC_FACE    1
#define DW_PARTICLE_SPEC_IMAGE   2
#define DW_PARTICLE_SPEC_FLAGS   3
#define DW_PARTICLE_SPEC_SAMPLES 4
#define DW_PARTICLE_SPEC_COUNT   5

/* More flags of the draw. */
#define DW_STYLE_IS_SOFT     0x100u
#define DW_STYLE_HAS_SHADOWS 0x200u

/* A flame's two layers of noise rise by 3 and 4.2 cells a second. Both are at a whole number of
 * cells after this many seconds, so that the clock can begin anew there. */
#define DW_PARTICLE_FLAME_SECONDS 1280u

/* ---- specks: particles whose glow is less than a pixel ----
 * Added to the picture by atomics instead of being rastered, each with the light that its glow has
 * over its area, spread over four pixels. The glow is half as bright at 0.3 of its radius: what is
 * spread is as wide as the glow of 1.8 pixels seen through a pixel's area. Sums are whole numbers,
 * so that their order is of no concern. */
#define DW_SPECK_PIXELS 1.5f   /* particles that are at least so high or wide are rastered */
#define DW_SPECK_LEAST  65536u /* particles of a layer from which on it is worth it */
#define DW_SPECK_GROUPS 1024u  /* workgroups, which share the list evenly */
#define DW_SPECK_LANES  256u
#define DW_SPECK_WORDS  6 /* of a pixel: red, green, blue, each in 2^-24, low word first */

#define DW_SPECK_SUMS     4 /* behind the bindings of a draw */
#define DW_SPECK_FLAGS    5 /* a bit for each entry of the list that is rastered */
#define DW_SPECK_COUNTS   6 /* of those, by workgroup */
#define DW_SPECK_BINDINGS 7

#define DW_SPECK_LIST_LIST     0
#define DW_SPECK_LIST_SPANS    1
#define DW_SPECK_LIST_FLAGS    2
#define DW_SPECK_LIST_COUNTS   3
#define DW_SPECK_LIST_RASTERED 4 /* their own list, each layer where it is in the whole one */
#define DW_SPECK_LIST_COMMANDS 5
#define DW_SPECK_LIST_BINDINGS 6

/* The constants of a draw. */
#define DW_PARTICLE_PUSH_FIELDS(F)                                                         \
    F(float, right, 3) /* of the picture */                                                \
    F(uint, layer, 0)                                                                      \
    F(float, up, 3)                                                                        \
    F(float, sharpness, 0)                                                                 \
    F(float, aspect, 0)                                                                    \
    F(float, soft, 0) /* 1 / m */                                                          \
    F(float, stretch, 0)                                                                   \
    F(float, glow, 0)                                                                      \
    F(float, pixels, 0) /* that a metre has where w is 1 */                                \
    F(uint, columns, 0)                                                                    \
    F(uint, rows, 0)                                                                       \
    F(float, risen, 0) /* cells that the first noise of flames has risen, in its period */ \
    F(float, risen_fine, 0)                                                                \
    F(uint, period, 0) /* cells after which it repeats */                                  \
    F(uint, period_fine, 0)

struct dw_particle_push {
    DW_PARTICLE_PUSH_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_particle_style dw_particle_style;
typedef struct dw_particle_push dw_particle_push;
#endif

#endif
