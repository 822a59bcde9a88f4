/* SPDX-License-Identifier: MIT */
/* The Python type DissolveField, over a field of its own or one that another object owns.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_DISSOLVE_TYPE_H
#define DW_GLUE_DISSOLVE_TYPE_H

#include "glue/module.h"

#include "systems/dissolve_field.h"

typedef struct dw_py_dissolve {
    PyObject_HEAD dw_dissolve_field *field;
    PyObject *owner;   /* NULL: the field is this object's own */
    int *use_count;    /* calls that work on the field with the GIL released */
    int own_use_count; /* where use_count points while there is no owner */
} dw_py_dissolve;

/* A DissolveField over `field`, which `owner` keeps as long as it lives; it refuses to add and to
 * remove. While *use_count is not 0 it refuses all work, and it counts itself there while it works:
 * the owner does the same. NULL with an exception set on failure. */
PyObject *dw_py_dissolve_wrap(const dw_module_state *state, dw_dissolve_field *field,
                              PyObject *owner, int *use_count);

#endif
