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
    device = dw_py_device_begin(state, device_object, "device");
    if (device == NULL)
        return NULL;

    dw_glue_run_begin(&run, dw_device_pool(device), NULL);
    status = dw_device_copy(device, size_bytes, &run.run, &err);
    dw_glue_run_end(&run);
    dw_device_end_use(device);

    if (status != DW_OK) {
        dw_raise(state, &err);
        return NULL;
    }
    Py_RETURN_NONE;
}
