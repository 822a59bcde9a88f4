/* SPDX-License-Identifier: MIT */
/* Islands of visible texels, for atlases that have no grid.
 * Thread-safety: Safe. */
#ifndef DW_CPU_ISLANDS_H
#define DW_CPU_ISLANDS_H

#include "cpu/atlas_plan.h"

/* Joining rects takes a time that grows with the square of their number: seconds at this one. */
#define DW_ISLANDS_MAX (1 << 16)

/* Rects around the islands of alpha > 0, rows packed. Texels nearer than 2 * reach belong to one
 * island; every rect is widened by reach, held inside the image, and overlaps no other. Sorted by
 * y, then x. DW_ERROR_CAPACITY for more than DW_ISLANDS_MAX islands. Release by dw_free_islands. */
dw_status dw_find_islands(const uint8_t *alpha, int width, int height, int reach, dw_rect **rects,
                          int *count, dw_error *err);
void dw_free_islands(dw_rect *rects);

#endif
