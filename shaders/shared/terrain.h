/* SPDX-License-Identifier: MIT */
/* Which material a cell of terrain shows. Weights become whole numbers at once: the largest fills
 * 28 bits, so that sums, comparisons with noise and shares are exact, in whatever order and on
 * whatever device they are taken.
 *
 * Everything here works on places: slots in the global order, higher priority first, then lower
 * material key. Ties go to the first place. weights[place] comes from slot law.slots[place] of the
 * map; ids[place] is what is written. A slot beyond law.count has weight 0 and never wins.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_TERRAIN_H
#define DW_SHARED_TERRAIN_H

#include "shared/dither.h"

#ifdef GL_core_profile
#define DW_TERRAIN_MODE(value, NAME, name, doc) const uint DW_TERRAIN_MODE_##NAME = value;
#include "shared/terrain_modes.def"
#undef DW_TERRAIN_MODE
#define DW_TERRAIN_NOISE(value, NAME, name, doc) const uint DW_TERRAIN_NOISE_##NAME = value;
#include "shared/terrain_noises.def"
#undef DW_TERRAIN_NOISE
#else
typedef enum dw_terrain_mode {
#define DW_TERRAIN_MODE(value, NAME, name, doc) DW_TERRAIN_MODE_##NAME = value,
#include "shared/terrain_modes.def"
#undef DW_TERRAIN_MODE
} dw_terrain_mode;

typedef enum dw_terrain_noise {
#define DW_TERRAIN_NOISE(value, NAME, name, doc) DW_TERRAIN_NOISE_##NAME = value,
#include "shared/terrain_noises.def"
#undef DW_TERRAIN_NOISE
} dw_terrain_noise;
#endif

#define DW_TERRAIN_SLOTS     16u /* weights of a texel */
#define DW_TERRAIN_MATERIALS 32u /* of an index map */
#define DW_TERRAIN_BAYER     8u  /* side of the ordered pattern */

/* How a map holds its weights. */
#define DW_TERRAIN_FORM_FLOAT  0u
#define DW_TERRAIN_FORM_HALF   1u
#define DW_TERRAIN_FORM_BYTE   2u
#define DW_TERRAIN_FORM_NIBBLE 3u   /* two a byte, the even slot in the low half; 8 or 16 slots */
#define DW_TERRAIN_FORM_INDEX  4u   /* a word: base 5 bits, overlay 5, blend 8 from the top */
#define DW_TERRAIN_FRACTION    256u /* of a texel: what linear filtering goes by */

/* Rows and columns of a picture have four tables, one after the other. */
#define DW_TERRAIN_STEP_CELL     0u
#define DW_TERRAIN_STEP_TEXEL    1u
#define DW_TERRAIN_STEP_NEXT     2u /* the other texel of linear filtering */
#define DW_TERRAIN_STEP_FRACTION 3u /* how much of that, of DW_TERRAIN_FRACTION */

DW_INLINE uint dw_terrain_index_base(uint word)
{
    return word >> 27;
}

DW_INLINE uint dw_terrain_index_overlay(uint word)
{
    return word >> 22 & 31u;
}

/* How much of the overlay, of 255. */
DW_INLINE uint dw_terrain_index_blend(uint word)
{
    return word >> 14 & 255u;
}

/* A transition as backends read it. Fractions of 2^-32 are at most 1 - 2^-32, which counts as 1. */
#define DW_TERRAIN_LAW_FIELDS(F)                                                             \
    F(uint, mode, 0)                                                                         \
    F(uint, noise, 0)                                                                        \
    F(uint, count, 0)     /* slots; 32 of an index map */                                    \
    F(uint, side_mask, 0) /* the noise table's side, a power of two, less one */             \
    F(uint, rank_bits, 0) /* there are 2^rank_bits ranks, 6 to 16 */                         \
    F(uint, seed, 0)      /* of HASH */                                                      \
    F(uint, empty_id, 0)  /* where all weights are 0 */                                      \
    F(uint, quantize, 0)  /* steps that weights are rounded to, 0: none */                   \
    F(uint, least, 0)     /* weights of that many 2^-32 of the sum, or fewer, are dropped */ \
    F(uint, share, 0)     /* strength in 2^-32; all bits set: 1 */                           \
    F(uint, swing, 0)     /* strength in 2^-30 */                                            \
    F(uint, depth, 0)     /* of HEIGHT, in 2^-30 of the sum of weights */                    \
    F(uint, accents, 0)   /* 1 to 3 */                                                       \
    F(float, exponent, 0) /* 2 / strength, of PRIORITY; 0: the largest alone */              \
    F(float, accent_begin, 0)                                                                \
    F(float, accent_scale, 0) /* 1 / (end - begin) */                                        \
    F(float, cell, 0)         /* map units of a noise cell */                                \
    F(float, fade_begin, 0)   /* noise cells per pixel */                                    \
    F(float, fade_scale, 0)                                                                  \
    F(float, zoom_begin, 0) /* pixels per map unit */                                        \
    F(float, zoom_scale, 0)                                                                  \
    F(uint, places, 32) /* by slot */                                                        \
    F(uint, slots, 32)  /* by place, as all that follow */                                   \
    F(uint, ids, 32)                                                                         \
    F(float, lifts, 32)  /* 2 priority log2(e) */                                            \
    F(uint, levels, 32)  /* 1 + priority - strength / 2 in 2^-30 */                          \
    F(uint, offsets, 32) /* the place's own noise: x | y << 16, or its instance of a hash */

struct dw_terrain_law {
    DW_TERRAIN_LAW_FIELDS(DW_FIELD)
};

/* ---- what a dispatch over pixels is given ---- */

#define DW_TERRAIN_GROUP 64 /* invocations */

/* Bits of specialization constant 3. */
#define DW_TERRAIN_IS_LINEAR    1u
#define DW_TERRAIN_IS_QUADS     2u /* column i shows texel i, rows are whole words of ids */
#define DW_TERRAIN_IS_ORDERED   4u /* place i is slot i and has id i */
#define DW_TERRAIN_IS_QUANTIZED 8u
#define DW_TERRAIN_IS_DROPPING  16u /* small weights */
#define DW_TERRAIN_IS_SHARED    32u /* with the heaviest: strength below 1 */
#define DW_TERRAIN_HAS_HEIGHTS  64u

#define DW_TERRAIN_PUSH_FIELDS(F)                              \
    F(uint, width, 0) /* of the picture */                     \
    F(uint, height, 0)                                         \
    F(uint, row, 0)         /* the first one */                \
    F(uint, rows, 0)        /* of this dispatch */             \
    F(uint, pitch, 0)       /* weights of a texel */           \
    F(uint, slots, 0)       /* heights of a texel */           \
    F(uint, texels, 0)      /* of a row */                     \
    F(uint, texel_row, 0)   /* the first one in the buffers */ \
    F(uint, weight_base, 0) /* bytes before it */              \
    F(uint, height_base, 0) /* floats */

struct dw_terrain_push {
    DW_TERRAIN_PUSH_FIELDS(DW_FIELD)
};

#endif
