/* SPDX-License-Identifier: MIT */
/* What the renderer's passes are given: bindings, flags and structs.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_SCENE_H
#define DW_SHARED_SCENE_H

#include "shared/types.h"

/* ---- set 0 of every draw ---- */
#define DW_SCENE_VIEW       0 /* one dw_scene_view */
#define DW_SCENE_MATERIALS  1 /* [materials] */
#define DW_SCENE_VERTICES   2 /* words: DW_VERTEX_WORDS a vertex */
#define DW_SCENE_TRANSFORMS 3 /* [rows] of 12 floats: 3 rows of 4 */
#define DW_SCENE_ROWS       4 /* word of each row: a forest's info, or an object's id */
#define DW_SCENE_LISTS      5 /* a forest's list entries, two words each */
#define DW_SCENE_BUCKETS    6 /* where each list begins and how long it is */
#define DW_SCENE_STATES     7 /* a forest's fade states, four words each */
#define DW_SCENE_RANKS      8 /* 64 x 64 blue ranks, then the forest's own table; two to a word */
#define DW_SCENE_BINDINGS   9

/* ---- set 1 of every draw ---- */
#define DW_SCENE_BASE_TEXTURE   0
#define DW_SCENE_NORMAL_TEXTURE 1
#define DW_SCENE_SHADOW_TEXTURE 2
#define DW_SCENE_TEXTURES       3

/* Position 3 floats, normal octahedral 2 x snorm16, texture coordinates 2 floats, colour 4 x
 * unorm8. */
#define DW_VERTEX_WORDS 7

/* Bits of specialization constant 0. Each pipeline is compiled for its case. */
#define DW_SCENE_IS_FOREST   1u   /* rows come from a forest's lists, not one after another */
#define DW_SCENE_IS_FADING   2u   /* fragments are discarded by rank */
#define DW_SCENE_IS_MASKED   4u   /* alpha cuts out */
#define DW_SCENE_IS_COVERING 8u   /* alpha chooses samples: cutout "a2c" */
#define DW_SCENE_IS_DITHERED 16u  /* alpha is compared with a rank: cutout "dither" */
#define DW_SCENE_IS_SHADOW   32u  /* seen from the sun; depth alone */
#define DW_SCENE_IS_UNLIT    64u  /* base colour as it is */
#define DW_SCENE_HAS_NORMALS 128u /* a normal map */
#define DW_SCENE_IS_IMPOSTER 256u /* a card that turns to the camera and picks a view */
#define DW_SCENE_IS_BLENDED  512u /* alpha is kept for blending */
#define DW_SCENE_HAS_SHADOWS 1024u
#define DW_SCENE_IS_EARLY    4096u /* foliage: lit at its vertices, without a highlight */
#define DW_SCENE_IS_FAR      8192u /* early, its shadow too; alpha is the texture's alone */
#define DW_SCENE_IS_DIRECTED 2048u /* the dissolve runs along the height of the object */

/* Specialization constants. */
#define DW_SCENE_SPEC_FLAGS   0
#define DW_SCENE_SPEC_SAMPLES 1
#define DW_SCENE_SPEC_COUNT   2

/* Of its height: how far wind of strength 1 moves the tip of what sways. */
#define DW_SCENE_SWAY 0.006

/* Light from which on pictures are toned. */
#define DW_SCENE_TONE_KNEE 0.6

/* Side of the blue table that cutouts are decided by. */
#define DW_CUTOUT_SIDE  64u
#define DW_CUTOUT_RANKS 4096u

/* One camera and its surroundings. Colours are linear light. Matrices are rows of 4. */
#define DW_SCENE_VIEW_FIELDS(F)                                                               \
    F(float, view_projection, 16) /* of this sub-frame, jitter included; depth is reversed */ \
    F(float, shadow_projection, 16)                                                           \
    F(float, rays, 12) /* of the sky: corner, across, down, each x y z and a spare */         \
    F(float, position, 4)                                                                     \
    F(float, forward, 4)                                                                      \
    F(float, sun_direction, 4) /* towards the sun; 3: width of the disc, cosine */            \
    F(float, sun_color, 4)     /* 3: strength of the shadow */                                \
    F(float, sky_zenith, 4)                                                                   \
    F(float, sky_horizon, 4) /* 3: exposure */                                                \
    F(float, sky_ground, 4)                                                                   \
    F(float, fog_color, 4)   /* 3: density per metre */                                       \
    F(float, fog_shape, 4)   /* 0: fall per metre of height; 1: base height; 2: most */       \
    F(float, wind, 4)        /* x, z of the direction; 2: strength; 3: seconds */             \
    F(float, highlight, 4)   /* rim colour; 3: strength */                                    \
    F(float, depth_terms, 4) /* distance = x / (depth + y), or x + y * depth; 3: ortho */     \
    F(uint, size, 4)         /* width, height, sub-frame, sub-frames */                       \
    F(uint, shadow_size, 4)  /* side of the map in texels; 1: it is there; 2: light is toned */

/* One surface. */
#define DW_SCENE_MATERIAL_FIELDS(F)                                                             \
    F(float, base_color, 4)                                                                     \
    F(float, emissive, 4) /* 3: normal scale */                                                 \
    F(float, surface, 4)  /* metallic, roughness, cutoff, translucency */                       \
    F(float, extent, 4)   /* of the object: lowest y, 1 / height, 1 / radius; 3: wind */        \
    F(float, card, 4)     /* of an imposter: views; 1: 1 if it also tilts; width, height of the \
                             base texture's level 0 */

/* The constants of a draw. */
#define DW_SCENE_PUSH_FIELDS(F)                                              \
    F(uint, material, 0)                                                     \
    F(uint, first_row, 0) /* of objects */                                   \
    F(uint, bucket, 0)    /* of a forest */                                  \
    F(uint, id_base, 0)   /* added to rows, or to objects' words, for ids */ \
    F(uint, pattern, 0)   /* DW_DITHER_PATTERN_* of the fades */             \
    F(uint, rank_side, 0) /* of its table; 0: none */                        \
    F(uint, rank_count, 0)                                                   \
    F(uint, rank_first, 0) /* of its table in the ranks */                   \
    F(uint, rule, 0)                                                         \
    F(uint, dissolve, 0) /* DW_DISSOLVE_DIRECTION_* */                       \
    F(float, softness, 0)                                                    \
    F(float, scale, 0) /* of dissolve values */                              \
    F(float, sway, 0)  /* strength of the wind */                            \
    F(float, rim, 3)

/* ---- what the host hands to the renderer; not read by shaders ---- */

#define DW_SCENE_NONE 0xffffffffu

#define DW_SCENE_STAGE_SOLID   0u /* no fragment is ever discarded */
#define DW_SCENE_STAGE_CUT     1u /* fragments may be discarded */
#define DW_SCENE_STAGE_BLENDED 2u /* behind all others, drawn in the order given */

/* One draw call, and another one for the shadow map where it casts. */
#define DW_SCENE_ITEM_FIELDS(F)                                       \
    F(uint, mesh, 0)                                                  \
    F(uint, base_texture, 0)                                          \
    F(uint, normal_texture, 0)                                        \
    F(uint, stage, 0)                                                 \
    F(uint, flags, 0) /* DW_SCENE_IS_* and HAS_* of its pipeline */   \
    F(uint, is_two_sided, 0)                                          \
    F(uint, is_mirrored, 0) /* transforms turn its triangles round */ \
    F(uint, casts_shadow, 0)                                          \
    F(uint, is_in_view, 0)     /* 0: seen by the sun alone */         \
    F(uint, forest, 0)         /* or DW_SCENE_NONE */                 \
    F(uint, command, 0)        /* of a forest: which of its draws */  \
    F(uint, instance_count, 0) /* of objects */                       \
    DW_SCENE_PUSH_FIELDS(F)

struct dw_scene_view {
    DW_SCENE_VIEW_FIELDS(DW_FIELD)
};

struct dw_scene_material {
    DW_SCENE_MATERIAL_FIELDS(DW_FIELD)
};

struct dw_scene_push {
    DW_SCENE_PUSH_FIELDS(DW_FIELD)
};

struct dw_scene_item {
    DW_SCENE_ITEM_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_scene_item dw_scene_item;
typedef struct dw_scene_view dw_scene_view;
typedef struct dw_scene_material dw_scene_material;
typedef struct dw_scene_push dw_scene_push;
#endif

#endif
