/* SPDX-License-Identifier: MIT */
/* Storage-buffer bindings, constants and tables that C dispatches and shaders share.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_BINDINGS_H
#define DW_SHARED_BINDINGS_H

#include "shared/atlas.h"

/* ---- the atlas baker: every shader binds all of these ---- */

#define DW_ATLAS_SOURCE          0  /* level 0 as given: 1 (8 bits) or 2 (16 bits) words a texel */
#define DW_ATLAS_TABLES          1  /* colour codes to light and back: DW_ATLAS_TABLE_* */
#define DW_ATLAS_PLACES          2  /* [tile][level_total]; the last tile is the whole image */
#define DW_ATLAS_LEVELS          3  /* [level_total] */
#define DW_ATLAS_BLOCKS          4  /* lists of workgroups, one after another */
#define DW_ATLAS_AXES            5  /* filter taps of all levels */
#define DW_ATLAS_SUMS            6  /* P and A of levels 1 and up */
#define DW_ATLAS_COLORS          7  /* colour and DW_COLOR_* flags of levels 1 and up */
#define DW_ATLAS_ALPHAS          8  /* 16-bit alpha of levels 1 and up */
#define DW_ATLAS_ALPHA_PAIRS     9  /* the same, two to a word */
#define DW_ATLAS_HISTOGRAMS      10 /* [slots][DW_COVERAGE_BINS] */
#define DW_ATLAS_SHARES          11 /* what a tile's cutoffs shall let pass: [tile][cutoff] */
#define DW_ATLAS_REMAPS          12 /* [tile][level_total] */
#define DW_ATLAS_LEVELS_OUT      13 /* finished texels of all levels */
#define DW_ATLAS_ALPHA_OUT       14 /* averaged alpha of all levels */
#define DW_ATLAS_ALPHA_OUT_QUADS 15 /* the same, four to a word */
#define DW_ATLAS_BINDINGS        16

/* Words of the tables: light of 256 codes, one a word; 65537 codes, four a word; light of 65536
 * codes, two a word, for 16-bit sources only. */
#define DW_ATLAS_TABLE_ENCODE    256u
#define DW_ATLAS_TABLE_DECODE_16 (256u + 16385u)

/* Bits of specialization constant 0: each shader is compiled for the case at hand. */
#define DW_ATLAS_IS_16_BIT     1u     /* of the source */
#define DW_ATLAS_IS_WRAPPED    2u     /* indices outside the content wrap around */
#define DW_ATLAS_IS_KEPT       4u     /* fill "keep" */
#define DW_ATLAS_IS_CLEARED    8u     /* gutters get alpha 0 */
#define DW_ATLAS_IS_OPAQUE     16u    /* every texel counts fully, for colours not yet known */
#define DW_ATLAS_IS_BOX        64u    /* exact means; else wide filters, rounded along each axis */
#define DW_ATLAS_FILLS_SUMS    128u   /* gutters of the sums, not of the outputs */
#define DW_ATLAS_COUNTS_SHARES 256u   /* level 0 is counted against the cutoffs */
#define DW_ATLAS_COUNTS_BINS   512u   /* alpha is counted by histogram bins */
#define DW_ATLAS_IS_TRYING     16384u /* remaps of large tiles are corrected by trials */
#define DW_ATLAS_ONLY_SOURCE   1024u  /* level 0 is read and no other */
#define DW_ATLAS_NO_SOURCE     2048u  /* level 0 is not read */
#define DW_ATLAS_HAS_QUADS     4096u  /* the widths of all levels are multiples of four texels */
#define DW_ATLAS_HAS_KNOTS     8192u  /* remaps may be piecewise */

#define DW_ATLAS_NONE 0xffffffffu

#define DW_ATLAS_LANES       256
/* Sides in texels of a workgroup's block: a filter step, many halvings, counting, the finish. The
 * last three are taken by quads of four texels or by columns. */
#define DW_ATLAS_DOWN_SIDE   16
#define DW_ATLAS_HALVE_SIDE  64
#define DW_ATLAS_COUNT_SIDE  64
#define DW_ATLAS_FINISH_SIDE 64
#define DW_ATLAS_GUTTER_RUN  1024 /* gutter texels of a workgroup */
#define DW_ATLAS_HALVINGS    6    /* levels that one workgroup makes of a block of level 0 */
/* Rows below a block of DW_ATLAS_DOWN_SIDE rows: a step is at most 3 of them. */
#define DW_ATLAS_FILTER_ROWS (3 * DW_ATLAS_DOWN_SIDE + DW_FILTER_TAPS)

/* The share of one workgroup. */
#define DW_ATLAS_BLOCK_FIELDS(F)                                           \
    F(uint, place, 0) /* index into the places: the tile and the level */  \
    F(uint, at, 0)    /* block x + 65536 * block y, or a running number */ \
    F(uint, slot, 0)  /* histogram or remap, DW_ATLAS_NONE: none */

struct dw_atlas_block {
    DW_ATLAS_BLOCK_FIELDS(DW_FIELD)
};

/* One level. axis_*: index of [size] first texels in the axes, then [size][taps] weights that sum
 * to sum_* each, of the step to this level. */
#define DW_ATLAS_LEVEL_FIELDS(F)                                                 \
    F(int, width, 0)                                                             \
    F(int, height, 0)                                                            \
    F(uint, first, 0) /* texel in the outputs; less plane_base, in the planes */ \
    F(uint, axis_x, 0)                                                           \
    F(int, taps_x, 0)                                                            \
    F(int, sum_x, 0)                                                             \
    F(uint, axis_y, 0)                                                           \
    F(int, taps_y, 0)                                                            \
    F(int, sum_y, 0)

struct dw_atlas_level {
    DW_ATLAS_LEVEL_FIELDS(DW_FIELD)
};

/* 64-bit numbers in two words: samples that pass a cutoff at level 0, of how many. Behind the
 * shares, DW_CUTOFFS_MAX + 1 rows for each slot whose remap is tried. */
#define DW_ATLAS_SHARE_FIELDS(F) \
    F(uint, passing_low, 0)      \
    F(uint, passing_high, 0)     \
    F(uint, count_low, 0)        \
    F(uint, count_high, 0)

struct dw_atlas_share {
    DW_ATLAS_SHARE_FIELDS(DW_FIELD)
};

/* The constants of a dispatch. */
#define DW_ATLAS_PUSH_FIELDS(F)                                                            \
    F(uint, first_block, 0)                                                                \
    F(uint, block_count, 0)                                                                \
    F(uint, level_total, 0)                                                                \
    F(uint, plane_base, 0) /* texels of level 0 in the outputs: planes begin at level 1 */ \
    F(uint, cutoff_count, 0)                                                               \
    F(uint, strength, 0)                                                                   \
    F(uint, share_stride, 0) /* shares from tile to tile; 0: one for all */                \
    F(uint, share_count, 0)  /* shares; behind them the states of trial remaps */          \
    F(uint, remap_count, 0)  /* remaps; behind them the trial remaps of slots */           \
    F(uint, halvings, 0)     /* levels to make of a block of level 0 */                    \
    F(uint, output_base, 0)  /* texel that the bound part of the outputs begins with */    \
    F(uint, cutoff_samples, 4)                                                             \
    F(uint, cutoff_alpha, 4)

struct dw_atlas_push {
    DW_ATLAS_PUSH_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_atlas_block dw_atlas_block;
typedef struct dw_atlas_level dw_atlas_level;
typedef struct dw_atlas_share dw_atlas_share;
typedef struct dw_atlas_push dw_atlas_push;
#endif

#endif
