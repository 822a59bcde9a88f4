/* SPDX-License-Identifier: MIT */
#include "glue/arrays.h"
#include "glue/device_type.h"

#include "systems/selftest.h"

static PyObject *column_names(bool is_float64)
{
    int count = dw_selftest_column_count(is_float64);
    PyObject *names = PyTuple_New(count);

    for (int i = 0; names != NULL && i < count; i++) {
        PyObject *name = PyUnicode_FromString(dw_selftest_column_name(is_float64, i));

        if (name == NULL)
            Py_CLEAR(names);
        else
            PyTuple_SET_ITEM(names, i, name);
    }
    return names;
}

/* Runs the self-test into a new (rows, columns) array. */
static PyObject *run_selftest(const dw_module_state *state, PyObject *device_object,
                              PyArrayObject *operands, bool is_float64, int repeat)
{
    npy_intp shape[2] = { PyArray_DIM(operands, 0), dw_selftest_column_count(is_float64) };
    PyObject *results = PyArray_SimpleNew(2, shape, NPY_UINT32);
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;

    if (results == NULL)
        return NULL;
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL) {
        Py_DECREF(results);
        return NULL;
    }

    status = dw_selftest_run(device, is_float64, PyArray_DATA(operands), shape[0], repeat,
                             PyArray_DATA((PyArrayObject *)results), &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) < 0)
        Py_CLEAR(results);
    return results;
}

PyObject *dw_selftest_function(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device", "operands", "float64", "repeat", NULL };
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device, *operands_argument;
    PyArrayObject *operands = NULL;
    PyObject *results = NULL;
    int is_float64 = 0, repeat = 1;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$pi:selftest", names, &device,
                                     &operands_argument, &is_float64, &repeat))
        return NULL;
    operands = dw_array_input(operands_argument, NPY_UINT32, 2, 2, "operands");
    if (operands == NULL)
        return NULL;
    if (PyArray_DIM(operands, 1) != 3)
        PyErr_Format(PyExc_ValueError, "operands must have shape (N, 3), got (%zd, %zd)",
                     PyArray_DIM(operands, 0), PyArray_DIM(operands, 1));
    else
        results = run_selftest(state, device, operands, is_float64 != 0, repeat);
    Py_DECREF(operands);
    return results == NULL ? NULL : Py_BuildValue("(NN)", column_names(is_float64 != 0), results);
}

PyObject *dw_selftest_reach_function(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *results;
    unsigned int count, rounds;
    bool is_done[2] = { false, false };
    npy_intp length;
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OII:selftest_reach", &device_object, &count, &rounds))
        return NULL;
    length = count;
    results = PyArray_ZEROS(1, &length, NPY_UINT32, 0);
    device = results == NULL ? NULL : dw_py_run_begin(state, device_object, &run);
    if (device == NULL) {
        Py_XDECREF(results);
        return NULL;
    }
    status = dw_selftest_reach(device, count, rounds, PyArray_DATA((PyArrayObject *)results),
                               is_done, &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) < 0) {
        Py_DECREF(results);
        return NULL;
    }
    return Py_BuildValue("(NNN)", results, PyBool_FromLong(is_done[0]),
                         PyBool_FromLong(is_done[1]));
}
