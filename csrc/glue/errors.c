/* SPDX-License-Identifier: MIT */
#include "glue/module.h"

/* The only place that maps status codes to exceptions. */
static PyObject *exception_of(const dw_module_state *state, dw_status code)
{
    switch (code) {
    case DW_ERROR_ARGUMENT:
    case DW_ERROR_CLOSED:
        return PyExc_ValueError;
    case DW_ERROR_TYPE:
        return PyExc_TypeError;
    case DW_ERROR_MEMORY:
        return PyExc_MemoryError;
    case DW_ERROR_INTERRUPTED:
        return state->cancelled_error;
    case DW_ERROR_DEVICE_NOT_FOUND:
        return state->device_not_found_error;
    case DW_ERROR_DEVICE_LOST:
        return state->device_lost_error;
    case DW_ERROR_CAPACITY:
        return state->capacity_error;
    case DW_ERROR_FORMAT:
        return state->format_error;
    case DW_ERROR_FORKED:
        return state->forked_device_error;
    case DW_ERROR_DEVICE:
    case DW_OK:
        break;
    }
    return state->error;
}

void dw_raise(const dw_module_state *state, const dw_error *err)
{
    if (PyErr_Occurred()) /* raised by a signal handler or by the progress callback */
        return;
    PyErr_SetString(exception_of(state, err->code), err->text);
}

static int add_exception(PyObject *module, PyObject **slot, const char *name, PyObject *base,
                         const char *doc)
{
    char qualified[64];

    PyOS_snprintf(qualified, sizeof qualified, "dapplewood.%s", name);
    *slot = PyErr_NewExceptionWithDoc(qualified, doc, base, NULL);
    return *slot == NULL ? -1 : PyModule_AddObjectRef(module, name, *slot);
}

int dw_errors_exec(PyObject *module)
{
    dw_module_state *state = dw_module_get_state(module);

    if (add_exception(module, &state->error, "Error", NULL,
                      "Base of the errors that only this package raises.") < 0)
        return -1;
    if (add_exception(module, &state->device_not_found_error, "DeviceNotFound", state->error,
                      "No Vulkan loader, no driver, or no device that will do.") < 0 ||
        add_exception(module, &state->device_lost_error, "DeviceLost", state->error,
                      "The driver gave the device up; make a new Device.") < 0 ||
        add_exception(module, &state->capacity_error, "CapacityError", state->error,
                      "A fixed limit of the device or of an object is exceeded.") < 0 ||
        add_exception(module, &state->format_error, "FormatError", state->error,
                      "A file or pixel format that cannot be read or written.") < 0 ||
        add_exception(module, &state->forked_device_error, "ForkedDeviceError", state->error,
                      "A device made before fork() was used in the child process.") < 0 ||
        add_exception(module, &state->cancelled_error, "Cancelled", state->error,
                      "The progress callback returned False.") < 0)
        return -1;
    return 0;
}

static bool poll_python(void *user, double fraction)
{
    dw_glue_run *self = user;
    bool go_on;

    PyEval_RestoreThread(self->saved);
    go_on = PyErr_CheckSignals() == 0;
    if (go_on && self->progress != NULL && self->progress != Py_None) {
        PyObject *answer = PyObject_CallFunction(self->progress, "d", fraction);

        go_on = answer != NULL && answer != Py_False;
        Py_XDECREF(answer);
    }
    self->saved = PyEval_SaveThread();
    return go_on;
}

void dw_glue_run_begin(dw_glue_run *self, dw_pool *pool, PyObject *progress)
{
    *self = (dw_glue_run) { .progress = progress };
    self->run = (dw_run) { .pool = pool,
                           .poll = poll_python,
                           .poll_user = self,
                           .fraction_begin = 0.0,
                           .fraction_end = 1.0 };
    self->saved = PyEval_SaveThread();
}

void dw_glue_run_end(dw_glue_run *self)
{
    PyEval_RestoreThread(self->saved);
    self->saved = NULL;
}
