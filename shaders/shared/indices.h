/* SPDX-License-Identifier: MIT */
/* Whole numbers brought into a range, for C and GLSL.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_INDICES_H
#define DW_SHARED_INDICES_H

#include "shared/types.h"

/* Index i brought into [begin, end): the nearest, or the same one modulo the length. */
DW_INLINE int dw_clamp_index(int i, int begin, int end)
{
    return i < begin ? begin : (i >= end ? end - 1 : i);
}

DW_INLINE int dw_wrap_index(int i, int begin, int end)
{
    /* Of whole numbers below zero GLSL leaves the remainder undefined. */
    uint length = DW_UINT(end - begin);
    uint steps = DW_UINT(i < begin ? begin - 1 - i : i - begin) % length;

    return i < begin ? end - 1 - DW_INT(steps) : begin + DW_INT(steps);
}

#endif
