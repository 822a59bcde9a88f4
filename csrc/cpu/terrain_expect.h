/* SPDX-License-Identifier: MIT */
/* How often each material is chosen where weights are these: the expectation over noise.
 * Thread-safety: Safe; concurrent calls need distinct outputs. */
#ifndef DW_CPU_TERRAIN_EXPECT_H
#define DW_CPU_TERRAIN_EXPECT_H

#include "base/threads.h"
#include "shared/terrain.h"

#include <stdint.h>

typedef struct dw_expect_def {
    const struct dw_terrain_law *law;
    const float *weights; /* [height][width][law.count], by slot */
    const float *heights; /* the same, or [law.count] where each material has one; NULL: all 0 */
    bool has_height_each; /* a height for each texel */
    uint32_t width, height;
} dw_expect_def;

/* chances: [height][width][law.count], by slot; all 0 where no material is. Those of a texel sum
 * to 1 within rounding. Weights are taken as selection takes them, to 2^-27 of the largest; chances
 * of PRIORITY_ADDITIVE are integrals of polynomials by Gauss-Legendre pieces, exact but for
 * rounding. At most DW_TERRAIN_SLOTS weights of a texel may be above 0. */
dw_status dw_terrain_expect(const dw_expect_def *def, float *chances, const dw_run *run,
                            dw_error *err);

#endif
