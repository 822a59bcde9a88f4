/* SPDX-License-Identifier: MIT */
/* Trees whose nodes, triangles and treelets lie in NumPy arrays, as a layout holds them.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_TREE_ARRAYS_H
#define DW_GLUE_TREE_ARRAYS_H

#include "glue/arrays.h"

#include "cpu/tree.h"

/* A tree over arrays that it keeps alive. Zeroed: empty. */
typedef struct dw_py_tree {
    dw_tree tree;
    PyArrayObject *nodes; /* a copy of its own: a refit may write it */
    PyArrayObject *triangles, *treelets, *positions;
} dw_py_tree;

/* `layout`: a dict with "nodes", "triangles", "treelets", "shape" and, where it was refit, "frame".
 * `positions`: (V, 3) float32, or (N, 6) boxes of a tree over boxes. All is checked. -1 with an
 * exception set on failure; then nothing is to be released. */
int dw_py_tree_take(PyObject *module, PyObject *layout, PyObject *positions, dw_py_tree *out);

void dw_py_tree_release(dw_py_tree *tree);

dw_tree_vertices dw_py_tree_vertices(const dw_py_tree *tree);

/* Adds the functions that trace such trees; -1 with an exception set on failure. */
int dw_tree_trace_exec(PyObject *module);

#endif
