/* SPDX-License-Identifier: MIT */
/* Methods of the Python type ParticleHub that read it.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_PARTICLES_READ_H
#define DW_GLUE_PARTICLES_READ_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

PyObject *dw_py_hub_rows(PyObject *self, PyObject *layer);
PyObject *dw_py_hub_stats(PyObject *self, PyObject *unused);
PyObject *dw_py_hub_simulation(PyObject *self, PyObject *unused);
PyObject *dw_py_hub_state(PyObject *self, PyObject *args);
PyObject *dw_py_hub_see(PyObject *self, PyObject *args);

#endif
