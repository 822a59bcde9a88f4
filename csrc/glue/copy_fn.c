/* SPDX-License-Identifier: MIT */
#include "glue/device_type.h"

#include "systems/copy_speed.h"

PyObject *dw_device_copy_function(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device", "nbytes", NULL };
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object;
    long long size_bytes;
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OL:device_copy", names, &device_object,
                                     &size_bytes))
        return NULL;
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        return NULL;

    status = dw_device_copy(device, size_bytes, &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) < 0)
        return NULL;
    Py_RETURN_NONE;
}
