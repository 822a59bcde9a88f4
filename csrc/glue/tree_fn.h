/* SPDX-License-Identifier: MIT */
/* Trees as arrays.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_TREE_FN_H
#define DW_GLUE_TREE_FN_H

#include "glue/arrays.h"
#include "glue/module.h"

#include "cpu/tree.h"

/* What a tree is over, and the arrays that hold it. */
typedef struct dw_py_tree_source {
    dw_tree_source source;
    PyArrayObject *vertices, *indices;
} dw_py_tree_source;

/* (N, 3) float32 positions with (T, 3) uint32 indices, or (N, 6) float32 boxes and None. 0, or -1
 * with an exception set; either way dw_py_tree_source_finish lets the arrays go. */
int dw_py_tree_source_init(dw_py_tree_source *self, PyObject *positions, PyObject *indices);
void dw_py_tree_source_finish(dw_py_tree_source *self);

/* Copies of a tree's parts, rows of 32-bit words: shape, frame and sums (one row), treelets (N, 4),
 * nodes (N, 2, 4) or (N, 2, 8), triangles (N, 4), used (words of bits, or None). */
PyObject *dw_py_tree_arrays(const dw_tree *tree);

#endif
