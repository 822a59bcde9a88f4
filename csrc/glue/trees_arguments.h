/* SPDX-License-Identifier: MIT */
/* Arguments of the methods of SceneTrees. Each gives 0, or -1 with an exception set that names the
 * argument.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_TREES_ARGUMENTS_H
#define DW_GLUE_TREES_ARGUMENTS_H

#include "glue/arrays.h"

#include <stdbool.h>
#include <stdint.h>

/* A whole number of 0..most. */
int dw_take_whole(PyObject *object, const char *argument, unsigned long long most,
                  unsigned long long *out);

/* A handle's number. */
int dw_take_handle(PyObject *object, const char *argument, uint32_t *out);

/* Three rows of each of N finite matrices. (N, 3, 4) or (N, 4, 4) float64 comes in; a last row is
 * 0 0 0 1. *out is freed by PyMem_Free. */
int dw_take_transforms(PyObject *object, double **out, npy_intp *count);

/* Six float32; *has is false for None. */
int dw_take_tree_box(PyObject *object, float box[6], bool *has);

/* (V,) bool as bits, freed by PyMem_Free; NULL for None. */
int dw_take_dirty(PyObject *object, unsigned long long vertex_count, uint32_t **out);

/* (N, 3); NULL with an exception set. */
PyArrayObject *dw_take_rows_of_three(PyObject *object, int type, const char *argument);

#endif
