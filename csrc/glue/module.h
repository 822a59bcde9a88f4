/* SPDX-License-Identifier: MIT */
/* Module state and what every glue file shares. glue/ is the only folder that knows Python.h and
 * NumPy. A method is four paragraphs: parse; convert to plain C; release the GIL around one dw_
 * call; convert the result or raise.
 * Thread-safety: the GIL is held unless a function says otherwise. */
#ifndef DW_GLUE_MODULE_H
#define DW_GLUE_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "base/status.h"
#include "base/threads.h"

/* Every object the module owns: the struct, traverse and clear all follow from this list. */
#define DW_STATE_OBJECTS(X)   \
    X(error)                  \
    X(device_not_found_error) \
    X(device_lost_error)      \
    X(capacity_error)         \
    X(format_error)           \
    X(forked_device_error)    \
    X(cancelled_error)        \
    X(device_type)            \
    X(buffer_type)            \
    X(dissolve_type)          \
    X(forest_type)            \
    X(hub_type)               \
    X(skin_type)              \
    X(trees_type)

typedef struct dw_module_state {
#define DW_STATE_MEMBER(name) PyObject *name;
    DW_STATE_OBJECTS(DW_STATE_MEMBER)
#undef DW_STATE_MEMBER
} dw_module_state;

extern struct PyModuleDef dw_module_def;

dw_module_state *dw_module_get_state(PyObject *module);

/* The state of the module that made `type` or a base of it; NULL with an exception set. */
dw_module_state *dw_type_get_state(PyTypeObject *type);

/* Adds `value`, stolen, to the module; -1 with an exception set when it is NULL or on failure. */
int dw_module_add(PyObject *module, const char *name, PyObject *value);

/* Each glue file adds its functions, types and tables; -1 with an exception set on failure. */
int dw_errors_exec(PyObject *module);
int dw_registry_exec(PyObject *module);
int dw_device_exec(PyObject *module);
int dw_buffer_exec(PyObject *module);
int dw_dissolve_exec(PyObject *module);
int dw_dither_exec(PyObject *module);
int dw_renderer_exec(PyObject *module);
int dw_atlas_exec(PyObject *module);
int dw_measure_exec(PyObject *module);
int dw_forest_exec(PyObject *module);
int dw_hub_exec(PyObject *module);
int dw_tree_exec(PyObject *module);
int dw_tree_gpu_exec(PyObject *module);
int dw_skin_exec(PyObject *module);
int dw_tree_refit_exec(PyObject *module);
int dw_tree_gpu_refit_exec(PyObject *module);
int dw_trees_exec(PyObject *module);
int dw_particle_exec(PyObject *module);
int dw_particle_effects_exec(PyObject *module);
int dw_particle_steps_exec(PyObject *module);
int dw_terrain_exec(PyObject *module);
int dw_terrain_compose_exec(PyObject *module);
int dw_terrain_weights_exec(PyObject *module);

/* Sets the exception that belongs to err->code. */
void dw_raise(const dw_module_state *state, const dw_error *err);

/* The GIL-free part of a call: between begin and end no Python API may be used, and the run's poll
 * takes the GIL back by itself to look for signals and to call `progress` (NULL or None: nothing).
 * An exception raised by either stops the work and stays set. */
typedef struct dw_glue_run {
    dw_run run;
    PyThreadState *saved;
    PyObject *progress; /* borrowed from the caller's arguments */
} dw_glue_run;

void dw_glue_run_begin(dw_glue_run *self, dw_pool *pool, PyObject *progress);
void dw_glue_run_end(dw_glue_run *self);

#endif
