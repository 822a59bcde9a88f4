/* SPDX-License-Identifier: MIT */
/* Arguments that several atlas functions take.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_ATLAS_FN_H
#define DW_GLUE_ATLAS_FN_H

#include "glue/arrays.h"

/* (count, 4) int32 rects, or NULL for None. -1 with an exception set. */
int dw_take_rects(PyObject *object, PyArrayObject **out);

/* At most DW_CUTOFFS_MAX numbers; *count is one more when there were more. */
int dw_take_cutoffs(PyObject *object, double *cutoffs, int *count);

#endif
