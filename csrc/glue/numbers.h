/* SPDX-License-Identifier: MIT */
/* Numbers among a call's arguments. The parser of Python's C API does not name what it refuses.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_NUMBERS_H
#define DW_GLUE_NUMBERS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* -1 with TypeError (no number of that kind) or ValueError (beyond 32 bits) set that names
 * `argument`. *out stays as it is where object is NULL: the argument was left out. */
int dw_take_int(PyObject *object, const char *argument, int *out);
int dw_take_double(PyObject *object, const char *argument, double *out);

#endif
