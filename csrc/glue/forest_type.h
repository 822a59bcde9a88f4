/* SPDX-License-Identifier: MIT */
/* The Python type Forest of the core, and how other glue files get at the forest inside one.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_FOREST_TYPE_H
#define DW_GLUE_FOREST_TYPE_H

#include "glue/module.h"

#include "systems/forest.h"

typedef struct dw_py_forest {
    PyObject_HEAD dw_forest *forest; /* NULL once closed */
    PyObject *devices;       /* tuple of the Devices it has buffers on: a collector cannot empty it
                                before the forest, as it would a list */
    int use_count;           /* calls that run with the GIL released */
    dw_dissolve_field *kept; /* of a closed forest, while its DissolveField may be used */
    bool has_dissolve;       /* a DissolveField was handed out */
} dw_py_forest;

/* The forest of `object`, for one call at a time: end it by dw_py_forest_end. NULL with an
 * exception set when object is no Forest (TypeError names `argument`), closed or in use. */
dw_forest *dw_py_forest_begin(const dw_module_state *state, PyObject *object, const char *argument);
void dw_py_forest_end(PyObject *object);

/* Before dw_forest_prepare: the forest keeps the Device alive. -1 with an exception set. */
int dw_py_forest_keep_device(const dw_module_state *state, PyObject *object, PyObject *device);

#endif
