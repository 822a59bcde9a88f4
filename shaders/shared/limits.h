/* SPDX-License-Identifier: MIT */
/* Limits and workgroup sizes: literals, read by C dispatches and GLSL layouts alike.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_LIMITS_H
#define DW_SHARED_LIMITS_H

#define DW_LEVELS_MAX  15        /* mip levels: sides up to 16384 texels */
#define DW_SIDE_MAX    16384     /* texels along one side of an atlas */
#define DW_TILES_MAX   (1 << 20) /* each takes about 3 KiB of places and remaps */
#define DW_CUTOFFS_MAX 4         /* alpha-test references that one bake keeps the coverage for */
#define DW_REMAP_KNOTS 6         /* DW_CUTOFFS_MAX + 2: the ends of the alpha range are knots too */

/* Bilinear samples are in units of 1 / DW_SAMPLE_ONE of a 16-bit alpha: weights are 64ths. */
#define DW_SAMPLE_ONE 4096u

/* Alpha histogram: bins over the 28-bit bilinear samples. 4096 bins place the
 * threshold 16 times finer than an 8-bit alpha step and fit in 16 KiB of shared memory. */
#define DW_COVERAGE_BINS      4096
#define DW_COVERAGE_BIN_SHIFT 16

/* Radius in texels of the nearest-colour dilation around visible texels. 7 keeps distance, dy and
 * dx of a seed in one 16-bit key and covers a 4x4 block plus an 8-tap footprint. */
#define DW_DILATE_RADIUS 7

/* Content sides in texels below which alpha keeps its average: one texel passes whole or not at
 * all, so that no remap can meet a share. */
#define DW_COVERAGE_SIDE_MIN 2

#define DW_SHARE_ONE (1u << 20) /* denominator of a coverage that the caller gives */

/* Content of at most this many texels is sampled evenly between its edges: there a grid of whole
 * quarters of a texel would miss its extent by percents. */
#define DW_EVEN_TEXELS 256

/* Rounds in which a remap is measured on the bytes it gives and corrected: for several cutoffs,
 * where mapping and interpolating do not commute, and for content of at most DW_REFINE_TEXELS,
 * where clamped and rounded alphas weigh most. */
#define DW_REFINE_ROUNDS 4
#define DW_REFINE_TEXELS 4096

/* Greatest alpha gain of a remap, in units of 1/65536: thin cards need far more than 4. */
#define DW_GAIN_MAX (64u << 16)

#define DW_FOREST_LODS_MAX     8 /* 4 bits each in a word */
#define DW_FOREST_VARIANTS_MAX 16
#define DW_FOREST_BUCKETS_MAX  256 /* two lists for each LOD of each variant */

#define DW_TREE_LEAF_MAX   4         /* triangles of a leaf */
#define DW_TREE_TREELET    256       /* triangles and lower treelets of a treelet */
#define DW_TREE_LEVELS_MAX 7         /* levels of treelets: 3 bits with the leaves */
#define DW_TREE_DEPTH_MAX  62        /* nodes from the root down: a walk keeps one child of each */
#define DW_TREE_COUNT_MAX  268435455 /* triangles of a tree: 28 bits */

#define DW_TREE_SUMS_GROUP      64 /* lanes */
#define DW_TREE_SUMS_ROWS       4  /* a lane */
#define DW_TREE_INSTANCES_GROUP 64
#define DW_TREE_RAYS_GROUP      64

#define DW_ALPHA_ONE    65535u    /* opaque as a 16-bit alpha */
#define DW_WEIGHT_ONE   16711425u /* opaque as a 24-bit accumulator: 255 * 65535 */
#define DW_FILTER_ONE   16384     /* sum of the taps of a mip filter */
#define DW_FILTER_SHIFT 14
#define DW_FILTER_TAPS  20 /* most taps of a filter along one axis, odd sizes included */

#endif
