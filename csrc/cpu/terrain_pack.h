/* SPDX-License-Identifier: MIT */
/* Weights of terrain materials in few bits: codes of a texel that sum to all there is, and index
 * maps of two materials a texel.
 * Thread-safety: Safe; concurrent calls need distinct outputs. */
#ifndef DW_CPU_TERRAIN_PACK_H
#define DW_CPU_TERRAIN_PACK_H

#include "base/threads.h"

#include <stdint.h>

#define DW_PACK_SLOTS_MAX  16u
#define DW_INDEX_SLOTS_MAX 32u
#define DW_PACK_SUM_LEAST  1.0e-6 /* texels whose weights sum to no more are empty */

/* Weights that are not finite or below 0 count as 0. Empty texels become zeros. */
typedef struct dw_pack_def {
    const float *weights; /* [height][width][slots] */
    uint32_t width, height, slots;
    uint32_t bits;         /* 4: two codes a byte, the even slot in the low nibble; or 8 */
    uint32_t pitch;        /* bytes of a texel, at least slots * bits / 8 */
    const uint16_t *ranks; /* [side][side], a permutation: codes are rounded up as often as their
                            * fraction says; NULL: by largest remainder */
    uint32_t side;         /* of ranks, a power of two */
    int32_t origin_x, origin_y;
} dw_pack_def;

/* bytes: [height][width][pitch]. The codes of a texel sum to 2^bits - 1. Without ranks each is
 * less than 1 from its share of that, and their largest distance is the least possible; with them
 * the mean over a tile of equal texels is within 2^-bits / side^2 of the share. */
dw_status dw_terrain_pack(const dw_pack_def *def, uint8_t *bytes, const dw_run *run, dw_error *err);

/* Bits of an index map, as those of a control map of Terrain3D. */
#define DW_INDEX_BASE_SHIFT    27u
#define DW_INDEX_OVERLAY_SHIFT 22u
#define DW_INDEX_BLEND_SHIFT   14u
#define DW_INDEX_HOLE          4u

typedef struct dw_index_def {
    const float *weights; /* [height][width][slots] */
    uint32_t width, height, slots;
} dw_index_def;

/* map: [height][width], the heaviest material as base, the next as overlay; a hole where there is
 * no weight. lost: [height], the shares of weight that found no place, summed by row; most:
 * [height], the largest of each row. */
dw_status dw_terrain_index(const dw_index_def *def, uint32_t *map, double *lost, double *most,
                           const dw_run *run, dw_error *err);

#endif
