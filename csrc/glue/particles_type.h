/* SPDX-License-Identifier: MIT */
/* The Python type ParticleHub of the core, and how other glue files get at the hub inside one.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_PARTICLES_TYPE_H
#define DW_GLUE_PARTICLES_TYPE_H

#include "glue/module.h"

#include "systems/particle_hub.h"

typedef struct dw_py_hub {
    PyObject_HEAD dw_hub *hub; /* NULL once closed */
    PyObject *devices;         /* tuple of the Devices it has buffers on: a collector cannot empty
                                  it before the hub, as it would a list */
    PyObject *home;            /* Device that simulated particles live on, or NULL */
    int use_count;             /* calls that run with the GIL released */
} dw_py_hub;

/* The hub of `object`, for one call at a time: end it by dw_py_hub_end. NULL with an exception set
 * when object is no ParticleHub (TypeError names `argument`), closed or in use. */
dw_hub *dw_py_hub_begin(const dw_module_state *state, PyObject *object, const char *argument);
void dw_py_hub_end(PyObject *object);

/* Likewise of a method's self; *state is that of its module. */
dw_hub *dw_py_hub_self(PyObject *self, const dw_module_state **state);

/* Before dw_hub_prepare: the hub keeps the Device alive. -1 with an exception set. */
int dw_py_hub_keep_device(const dw_module_state *state, PyObject *object, PyObject *device);

#endif
