/* SPDX-License-Identifier: MIT */
/* A ray on its way through a wide tree. On processors with AVX2 a node's eight boxes and a block's
 * four triangles go through vector instructions; elsewhere through loops. The hits are the same.
 * Thread-safety: Safe on distinct rays. */
#ifndef DW_CPU_TREE_WIDE_WALK_H
#define DW_CPU_TREE_WIDE_WALK_H

#include "cpu/tree_trace_one.h"
#include "cpu/tree_wide.h"

/* The ray and its direction are those of the mesh. */
void dw_wide_walk(dw_trace_one *one, const dw_wide_tree *wide);

#endif
