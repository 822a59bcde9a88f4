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
#define DW_STYLE_IS_LIT    1u /* by sun and sky; else it is light itself */
#define DW_STYLE_IS_LINEAR 2u /* colours are light as they are, not sRGB codes */

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

#define DW_PARTICLE_SPAN_WORDS 8 /* of a layer; the first is its first entry */

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
