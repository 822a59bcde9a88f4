/* SPDX-License-Identifier: MIT */
/* The Python type Device and how other glue files get at the device inside one.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_DEVICE_TYPE_H
#define DW_GLUE_DEVICE_TYPE_H

#include "glue/module.h"

#include "systems/device.h"

typedef struct dw_py_device {
    PyObject_HEAD dw_device *device; /* never NULL once the constructor is through */
} dw_py_device;

/* The device of `object`, with a use begun: end it by dw_device_end_use. NULL with an exception
 * set when object is no Device (TypeError names `argument`), closed, lost or from before a fork. */
dw_device *dw_py_device_begin(const dw_module_state *state, PyObject *object, const char *argument);

/* Adds a Device to a tuple of those that an object has buffers on and keeps alive. What is no
 * Device is not kept, but refused when its use begins. -1 with an exception set. */
int dw_py_device_keep(const dw_module_state *state, PyObject **devices, PyObject *device);

/* The third paragraph of a method that takes a `device`. Begin: dw_py_device_begin, then a run on
 * the device's threads with the GIL released; NULL, an exception set and the GIL held on failure.
 * End: the GIL taken back, the use ended; 0, or -1 with the exception of `status` and `err` set. */
dw_device *dw_py_run_begin(const dw_module_state *state, PyObject *object, dw_glue_run *run);
int dw_py_run_end(const dw_module_state *state, dw_device *device, dw_glue_run *run,
                  dw_status status, const dw_error *err);

/* _core.selftest(device, operands, *, float64=False, repeat=1) -> (names, results) */
PyObject *dw_device_copy_function(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *dw_selftest_function(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *dw_selftest_reach_function(PyObject *module, PyObject *args);

#endif
