/* SPDX-License-Identifier: MIT */
/* The Python type SceneTrees of the core, and how other glue files get at the trees inside one.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_TREES_TYPE_H
#define DW_GLUE_TREES_TYPE_H

#include "glue/module.h"

#include "systems/scene_trees.h"

typedef struct dw_py_trees {
    PyObject_HEAD PyObject *device; /* the Device, strong */
    dw_scene_trees *trees;          /* NULL once closed */
    int use_count;                  /* calls that run with the GIL released */
} dw_py_trees;

/* A call on trees: the third paragraph of a method. Begin: -1 with an exception set when `object`
 * is no SceneTrees, closed or in use, or its device cannot be used; else the GIL is released. End:
 * the GIL is taken back; 0, or -1 with the exception of `status` and call->err set. */
typedef struct dw_trees_call {
    const dw_module_state *state;
    PyObject *self;
    dw_scene_trees *trees;
    dw_device *device;
    dw_glue_run run;
    dw_error err;
} dw_trees_call;

int dw_py_trees_begin(dw_trees_call *call, const dw_module_state *state, PyObject *object);
int dw_py_trees_end(dw_trees_call *call, dw_status status);

/* Rays and hits: methods of the type. */
PyObject *dw_trees_trace_method(PyObject *self, PyObject *args);
PyObject *dw_trees_occluded_method(PyObject *self, PyObject *args);

#endif
