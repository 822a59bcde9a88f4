/* SPDX-License-Identifier: MIT */
/* Functions of dithering: ranks, blue noise, counts, masks; and of dissolving over arrays. */
#include "glue/arrays.h"
#include "glue/device_type.h"
#include "glue/module.h"

#include "systems/dither.h"

#include <string.h>

/* The (side, side) uint16 table of a blue pattern, or None for the others. */
static int take_table(PyObject *object, dw_dither_def *def, PyArrayObject **keep)
{
    *keep = NULL;
    if (def->pattern != DW_DITHER_PATTERN_BLUE)
        return 0;
    *keep = dw_array_input(object, NPY_UINT16, 2, 2, "table");
    if (*keep == NULL)
        return -1;
    def->side = (uint32_t)PyArray_DIM(*keep, 0);
    def->table = PyArray_DATA(*keep);
    if (PyArray_DIM(*keep, 0) == PyArray_DIM(*keep, 1) && def->side >= DW_DITHER_SIDE_MIN &&
        def->side <= DW_DITHER_SIDE_MAX && (def->side & (def->side - 1)) == 0)
        return 0;
    PyErr_Format(PyExc_ValueError, "table must be square, its side a power of two, got (%zd, %zd)",
                 (Py_ssize_t)PyArray_DIM(*keep, 0), (Py_ssize_t)PyArray_DIM(*keep, 1));
    Py_CLEAR(*keep);
    return -1;
}

static PyObject *dither_ranks(PyObject *module, PyObject *args)
{
    dw_dither_def def = { .rule = 0 };
    PyArrayObject *table = NULL;
    PyObject *table_object, *out = NULL;
    npy_intp shape[2];

    (void)module;
    if (!PyArg_ParseTuple(args, "IIIOIii:dither_ranks", &def.pattern, &def.height, &def.width,
                          &table_object, &def.instance, &def.origin_x, &def.origin_y) ||
        take_table(table_object, &def, &table) < 0)
        return NULL;
    shape[0] = def.height;
    shape[1] = def.width;
    out = PyArray_SimpleNew(2, shape, NPY_UINT16);
    if (out != NULL) {
        Py_BEGIN_ALLOW_THREADS
        dw_dither_ranks(&def, PyArray_DATA((PyArrayObject *)out));
        Py_END_ALLOW_THREADS
    }
    Py_XDECREF(table);
    return out;
}

static PyObject *blue_noise(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    unsigned long long seed;
    unsigned int side;
    npy_intp shape[2];
    PyObject *out = NULL;
    double sigma;
    dw_glue_run run;
    dw_status status;
    dw_error err;

    if (!PyArg_ParseTuple(args, "IdK:blue_noise", &side, &sigma, &seed))
        return NULL;
    shape[0] = shape[1] = side <= DW_DITHER_SIDE_MAX ? side : 1; /* the core refuses the rest */
    out = PyArray_SimpleNew(2, shape, NPY_UINT16);
    if (out == NULL)
        return NULL;
    dw_glue_run_begin(&run, NULL, NULL);
    status =
        dw_blue_noise_make(side, sigma, seed, PyArray_DATA((PyArrayObject *)out), &run.run, &err);
    dw_glue_run_end(&run);
    if (status != DW_OK) {
        dw_raise(state, &err);
        Py_CLEAR(out);
    }
    return out;
}

static PyObject *discard_counts(PyObject *module, PyObject *args)
{
    PyArrayObject *amounts = NULL;
    PyObject *amounts_object, *out = NULL;
    unsigned int ranks, rule;

    (void)module;
    if (!PyArg_ParseTuple(args, "OII:discard_counts", &amounts_object, &ranks, &rule))
        return NULL;
    amounts = dw_array_input(amounts_object, NPY_FLOAT32, 0, 32, "amount");
    if (amounts != NULL)
        out = PyArray_SimpleNew(PyArray_NDIM(amounts), PyArray_DIMS(amounts), NPY_UINT32);
    for (npy_intp i = 0; out != NULL && i < PyArray_SIZE(amounts); i++)
        ((uint32_t *)PyArray_DATA((PyArrayObject *)out))[i] =
            dw_discard_count(rule, ranks, ((const float *)PyArray_DATA(amounts))[i]);
    Py_XDECREF(amounts);
    return out;
}

/* The masks into a new (count, height, width) array of bools; device_object None: this thread. */
static PyObject *make_masks(const dw_module_state *state, PyObject *device_object,
                            const dw_dither_def *def, PyArrayObject *amounts)
{
    npy_intp shape[3] = { PyArray_DIM(amounts, 0), def->height, def->width };
    dw_device *device = NULL;
    PyObject *out;
    dw_status status;
    dw_glue_run run;
    dw_error err;

    if (dw_dither_check_size(def, (uint64_t)shape[0], &err) != DW_OK) {
        dw_raise(state, &err);
        return NULL;
    }
    out = PyArray_SimpleNew(3, shape, NPY_BOOL);
    if (out == NULL)
        return NULL;
    if (device_object == Py_None) {
        dw_glue_run_begin(&run, NULL, NULL);
    } else {
        device = dw_py_run_begin(state, device_object, &run);
        if (device == NULL) {
            Py_DECREF(out);
            return NULL;
        }
    }
    status = dw_dither_masks(device, def, PyArray_DATA(amounts), (uint32_t)shape[0],
                             PyArray_DATA((PyArrayObject *)out), &run.run, &err);
    if (device != NULL) {
        if (dw_py_run_end(state, device, &run, status, &err) < 0)
            Py_CLEAR(out);
        return out;
    }
    dw_glue_run_end(&run);
    if (status != DW_OK) {
        dw_raise(state, &err);
        Py_CLEAR(out);
    }
    return out;
}

static PyObject *discard_masks(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    dw_dither_def def = { .rule = 0 };
    PyArrayObject *amounts = NULL, *table = NULL;
    PyObject *device, *amounts_object, *table_object, *out = NULL;

    if (!PyArg_ParseTuple(args, "OOIIIIOiiI:discard_masks", &device, &amounts_object, &def.height,
                          &def.width, &def.pattern, &def.rule, &table_object, &def.origin_x,
                          &def.origin_y, &def.instance) ||
        take_table(table_object, &def, &table) < 0)
        return NULL;
    amounts = dw_array_input(amounts_object, NPY_FLOAT32, 1, 1, "amount");
    if (amounts != NULL)
        out = make_masks(state, device, &def, amounts);
    Py_XDECREF(amounts);
    Py_XDECREF(table);
    return out;
}

/* ---- dissolving over arrays ---- */

static PyObject *ease(PyObject *module, PyObject *args)
{
    PyArrayObject *progress = NULL;
    PyObject *progress_object, *out = NULL;
    unsigned int easing;

    (void)module;
    if (!PyArg_ParseTuple(args, "IO:ease", &easing, &progress_object))
        return NULL;
    progress = dw_array_input(progress_object, NPY_FLOAT32, 0, 32, "progress");
    if (progress != NULL)
        out = PyArray_SimpleNew(PyArray_NDIM(progress), PyArray_DIMS(progress), NPY_FLOAT32);
    for (npy_intp i = 0; out != NULL && i < PyArray_SIZE(progress); i++)
        ((float *)PyArray_DATA((PyArrayObject *)out))[i] =
            dw_ease(easing, ((const float *)PyArray_DATA(progress))[i]);
    Py_XDECREF(progress);
    return out;
}

static PyObject *dissolve_tick(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyArrayObject *progress = NULL, *rates = NULL;
    PyObject *device_object, *progress_object, *rates_object, *out = NULL;
    unsigned int repeat;
    dw_device *device;
    dw_status status;
    dw_glue_run run;
    float ticks;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OOOfI:dissolve_tick", &device_object, &progress_object,
                          &rates_object, &ticks, &repeat))
        return NULL;
    progress = dw_array_input(progress_object, NPY_FLOAT32, 1, 1, "progress");
    if (progress != NULL)
        rates = dw_array_input(rates_object, NPY_FLOAT32, 1, 1, "rates");
    if (rates == NULL)
        goto done;
    if (PyArray_DIM(rates, 0) != PyArray_DIM(progress, 0)) {
        PyErr_SetString(PyExc_ValueError, "rates must be as long as progress");
        goto done;
    }
    out = PyArray_NewCopy(progress, NPY_CORDER);
    device = out == NULL ? NULL : dw_py_run_begin(state, device_object, &run);
    if (device == NULL) {
        Py_CLEAR(out);
        goto done;
    }
    status =
        dw_dissolve_tick_rows(device, PyArray_DATA((PyArrayObject *)out), PyArray_DATA(rates),
                              (uint32_t)PyArray_DIM(progress, 0), ticks, repeat, &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) < 0)
        Py_CLEAR(out);
done:
    Py_XDECREF(progress);
    Py_XDECREF(rates);
    return out;
}

static PyObject *dissolve_values(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *states_object, *out = NULL;
    PyArrayObject *states = NULL;
    unsigned int now, repeat;
    dw_device *device;
    dw_status status;
    dw_glue_run run;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OOII:dissolve_values", &device_object, &states_object, &now,
                          &repeat))
        return NULL;
    states = dw_array_input(states_object, NPY_UINT32, 2, 2, "states");
    if (states == NULL)
        return NULL;
    if (PyArray_DIM(states, 1) * (npy_intp)sizeof(uint32_t) != sizeof(dw_dissolve_state)) {
        PyErr_SetString(PyExc_ValueError, "states must have shape (N, 3)");
        goto done;
    }
    out = PyArray_SimpleNew(1, PyArray_DIMS(states), NPY_FLOAT32);
    device = out == NULL ? NULL : dw_py_run_begin(state, device_object, &run);
    if (device == NULL) {
        Py_CLEAR(out);
        goto done;
    }
    status =
        dw_dissolve_value_rows(device, PyArray_DATA(states), (uint32_t)PyArray_DIM(states, 0), now,
                               repeat, PyArray_DATA((PyArrayObject *)out), &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) < 0)
        Py_CLEAR(out);
done:
    Py_DECREF(states);
    return out;
}

static PyMethodDef functions[] = {
    { "dither_ranks", dither_ranks, METH_VARARGS,
      "dither_ranks($module, pattern, height, width, table, instance, x, y, /)\n--\n\n"
      "(height, width) uint16 ranks." },
    { "blue_noise", blue_noise, METH_VARARGS,
      "blue_noise($module, size, sigma, seed, /)\n--\n\n(size, size) uint16 ranks." },
    { "discard_counts", discard_counts, METH_VARARGS,
      "discard_counts($module, amounts, ranks, rule, /)\n--\n\nuint32 counts." },
    { "discard_masks", discard_masks, METH_VARARGS,
      "discard_masks($module, device, amounts, height, width, pattern, rule, table, x, y, "
      "instance, /)\n--\n\n(amounts, height, width) bools." },
    { "ease", ease, METH_VARARGS, "ease($module, easing, progress, /)\n--\n\nfloat32 values." },
    { "dissolve_tick", dissolve_tick, METH_VARARGS,
      "dissolve_tick($module, device, progress, rates, ticks, repeat, /)\n--\n\n"
      "Progress after `repeat` steps." },
    { "dissolve_values", dissolve_values, METH_VARARGS,
      "dissolve_values($module, device, states, now, repeat, /)\n--\n\n"
      "What is drawn at tick `now` of analytic states." },
    { NULL, NULL, 0, NULL },
};

int dw_dither_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
