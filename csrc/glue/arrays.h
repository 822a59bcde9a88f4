/* SPDX-License-Identifier: MIT */
/* The NumPy C API, included one way everywhere.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_ARRAYS_H
#define DW_GLUE_ARRAYS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API  NPY_1_22_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL dw_numpy_api
#ifndef DW_IMPORT_NUMPY_HERE
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

int dw_arrays_import(void);

/* A C-contiguous, aligned, native-endian read-only view or copy of `object` with exactly this
 * dtype and rank; any strides and either byte order come in. NULL with TypeError (dtype) or
 * ValueError (rank) set that names `argument`. A dtype is never changed silently. */
PyArrayObject *dw_array_input(PyObject *object, int type_number, int rank_min, int rank_max,
                              const char *argument);

/* A bool a row of a one-dimensional array becomes a bit, the first in bit 0 of the first word.
 * `out` holds zeros. */
void dw_array_pack_flags(PyArrayObject *flags, uint32_t *out);

#endif
