/* SPDX-License-Identifier: MIT */
/* Taps of one mip step along one axis, as integers that both backends read.
 * Thread-safety: Safe; axes belong to their owner. */
#ifndef DW_CPU_MIP_FILTERS_H
#define DW_CPU_MIP_FILTERS_H

#include "base/registry.h"
#include "base/status.h"

#include <stdint.h>

typedef struct dw_filter_axis {
    int source_size, size; /* texels of the larger and of the smaller level */
    int taps;
    int denominator;  /* sum of the weights of each texel */
    int32_t *start;   /* [size] first source texel; may lie outside 0..source_size - 1 */
    int16_t *weights; /* [size][taps] */
} dw_filter_axis;

/* size is source_size / 2 rounded down, or 1. A box has the exact polyphase weights of odd sizes
 * (NVIDIA, Non-Power-of-Two Mipmapping, 2005); other filters sum to DW_FILTER_ONE. */
dw_status dw_filter_axis_init(dw_mip_filter filter, int source_size, dw_filter_axis *out,
                              dw_error *err);
void dw_filter_axis_finish(dw_filter_axis *axis);

/* The continuous weight at x texels of the smaller level from the centre. */
double dw_mip_filter_weight(dw_mip_filter filter, double x);

#endif
