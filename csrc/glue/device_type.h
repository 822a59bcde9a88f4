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

/* _core.selftest(device, operands, *, float64=False, repeat=1) -> (names, results) */
PyObject *dw_device_copy_function(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *dw_selftest_function(PyObject *module, PyObject *args, PyObject *kwargs);

#endif
