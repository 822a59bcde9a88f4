/* SPDX-License-Identifier: MIT */
/* Rays on their way through a wide tree. On processors with AVX2 a node's eight boxes and a block's
 * four triangles go through vector instructions; elsewhere through loops. The hits are the same.
 * Thread-safety: Safe on distinct rays. */
#ifndef DW_CPU_TREE_WIDE_WALK_H
#define DW_CPU_TREE_WIDE_WALK_H

#include "cpu/tree_trace_one.h"
#include "cpu/tree_wide.h"

/* Rays of one mesh: `ray` and `object_direction` of each are set. */
void dw_wide_walk(dw_trace_one *ones, uint32_t count, const dw_wide_tree *wide);

#endif
