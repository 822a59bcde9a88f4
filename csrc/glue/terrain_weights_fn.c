/* SPDX-License-Identifier: MIT */
/* Functions of terrain weights in few bits, and of their expectation. They run on the host, with
 * the threads of the device given. */
#include "glue/arrays.h"
#include "glue/device_type.h"
#include "glue/module.h"
#include "glue/terrain_fn.h"

#include "cpu/terrain_expect.h"
#include "cpu/terrain_pack.h"
#include "shared/dither.h"

/* (H, W, N) float32 with 2 to most weights a texel. */
static PyArrayObject *take_weights(PyObject *object, uint32_t most)
{
    PyArrayObject *array = dw_array_input(object, NPY_FLOAT32, 3, 3, "weights");

    if (array == NULL)
        return NULL;
    if (PyArray_DIM(array, 2) >= 2 && PyArray_DIM(array, 2) <= (npy_intp)most &&
        PyArray_DIM(array, 0) <= INT32_MAX && PyArray_DIM(array, 1) <= INT32_MAX)
        return array;
    PyErr_Format(PyExc_ValueError,
                 "weights must have shape (H, W, N) with 2 to %u materials, got (%zd, %zd, %zd)",
                 most, (Py_ssize_t)PyArray_DIM(array, 0), (Py_ssize_t)PyArray_DIM(array, 1),
                 (Py_ssize_t)PyArray_DIM(array, 2));
    Py_DECREF(array);
    return NULL;
}

/* A square uint16 table, its side a power of two; or None, which leaves *out NULL. */
static int take_ranks(PyObject *object, PyArrayObject **out, dw_pack_def *def)
{
    npy_intp side;

    *out = NULL;
    if (object == Py_None)
        return 0;
    *out = dw_array_input(object, NPY_UINT16, 2, 2, "ranks");
    if (*out == NULL)
        return -1;
    side = PyArray_DIM(*out, 0);
    def->ranks = PyArray_DATA(*out);
    def->side = (uint32_t)side;
    if (PyArray_DIM(*out, 1) == side && side >= 1 && side <= (npy_intp)DW_DITHER_SIDE_MAX &&
        (side & (side - 1)) == 0)
        return 0;
    PyErr_Format(PyExc_ValueError, "ranks must be square, its side a power of two, got (%zd, %zd)",
                 (Py_ssize_t)side, (Py_ssize_t)PyArray_DIM(*out, 1));
    Py_CLEAR(*out);
    return -1;
}

static PyObject *pack_weights(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *weights_object, *ranks_object, *out = NULL;
    PyArrayObject *weights = NULL, *ranks = NULL;
    dw_pack_def def = { .bits = 0 };
    dw_device *device;
    npy_intp shape[3];
    dw_status status;
    dw_glue_run run;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OOIIOii:pack_weights", &device_object, &weights_object, &def.bits,
                          &def.pitch, &ranks_object, &def.origin_x, &def.origin_y))
        return NULL;
    weights = take_weights(weights_object, DW_PACK_SLOTS_MAX);
    if (weights == NULL || take_ranks(ranks_object, &ranks, &def) < 0)
        goto done;
    def.weights = PyArray_DATA(weights);
    def.height = (uint32_t)PyArray_DIM(weights, 0);
    def.width = (uint32_t)PyArray_DIM(weights, 1);
    def.slots = (uint32_t)PyArray_DIM(weights, 2);
    if ((def.bits != 4 && def.bits != 8) || def.pitch > 16 ||
        def.pitch * 8 < def.slots * def.bits) {
        PyErr_Format(PyExc_ValueError, "bits must be 4 or 8, of %u materials in %u bytes, got %u",
                     def.slots, def.pitch, def.bits);
        goto done;
    }
    shape[0] = def.height;
    shape[1] = def.width;
    shape[2] = def.pitch;
    out = PyArray_SimpleNew(3, shape, NPY_UINT8);
    device = out == NULL ? NULL : dw_py_run_begin(state, device_object, &run);
    if (device == NULL) {
        Py_CLEAR(out);
        goto done;
    }
    status = dw_terrain_pack(&def, PyArray_DATA((PyArrayObject *)out), &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) < 0)
        Py_CLEAR(out);
done:
    Py_XDECREF(weights);
    Py_XDECREF(ranks);
    return out;
}

static PyObject *index_weights(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *weights_object, *made[3] = { NULL }, *out = NULL;
    PyArrayObject *weights;
    dw_index_def def;
    dw_device *device;
    npy_intp shape[2];
    dw_status status;
    dw_glue_run run;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OO:index_weights", &device_object, &weights_object))
        return NULL;
    weights = take_weights(weights_object, DW_INDEX_SLOTS_MAX);
    if (weights == NULL)
        return NULL;
    def = (dw_index_def) { .weights = PyArray_DATA(weights),
                           .height = (uint32_t)PyArray_DIM(weights, 0),
                           .width = (uint32_t)PyArray_DIM(weights, 1),
                           .slots = (uint32_t)PyArray_DIM(weights, 2) };
    shape[0] = def.height;
    shape[1] = def.width;
    made[0] = PyArray_SimpleNew(2, shape, NPY_UINT32);
    made[1] = PyArray_SimpleNew(1, shape, NPY_FLOAT64);
    made[2] = PyArray_SimpleNew(1, shape, NPY_FLOAT64);
    if (made[0] == NULL || made[1] == NULL || made[2] == NULL)
        goto done;
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        goto done;
    status = dw_terrain_index(&def, PyArray_DATA((PyArrayObject *)made[0]),
                              PyArray_DATA((PyArrayObject *)made[1]),
                              PyArray_DATA((PyArrayObject *)made[2]), &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        out = PyTuple_Pack(3, made[0], made[1], made[2]);
done:
    Py_DECREF(weights);
    for (int i = 0; i < 3; i++)
        Py_XDECREF(made[i]);
    return out;
}

/* None; (N,) float32; or float32 of the shape of weights. */
static int take_heights(PyObject *object, PyArrayObject *weights, PyArrayObject **out,
                        dw_expect_def *def)
{
    *out = NULL;
    if (object == Py_None)
        return 0;
    *out = dw_array_input(object, NPY_FLOAT32, 1, 3, "heights");
    if (*out == NULL)
        return -1;
    def->heights = PyArray_DATA(*out);
    def->has_height_each = PyArray_NDIM(*out) == 3;
    if (PyArray_SAMESHAPE(*out, weights) ||
        (PyArray_NDIM(*out) == 1 && PyArray_DIM(*out, 0) == PyArray_DIM(weights, 2)))
        return 0;
    PyErr_Format(PyExc_ValueError,
                 "heights must have the shape of weights, (%zd, %zd, %zd), or its last number",
                 (Py_ssize_t)PyArray_DIM(weights, 0), (Py_ssize_t)PyArray_DIM(weights, 1),
                 (Py_ssize_t)PyArray_DIM(weights, 2));
    Py_CLEAR(*out);
    return -1;
}

static PyObject *expected_coverage(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *weights_object, *heights_object, *law_object, *out = NULL;
    PyArrayObject *weights = NULL, *heights = NULL;
    dw_expect_def def = { .heights = NULL };
    struct dw_terrain_law law;
    dw_device *device;
    dw_status status;
    dw_glue_run run;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OOOO:expected_coverage", &device_object, &weights_object,
                          &heights_object, &law_object) ||
        dw_take_terrain_law(law_object, &law) < 0)
        return NULL;
    weights = take_weights(weights_object, DW_TERRAIN_MATERIALS);
    if (weights == NULL || take_heights(heights_object, weights, &heights, &def) < 0)
        goto done;
    if ((npy_intp)law.count != PyArray_DIM(weights, 2)) {
        PyErr_Format(PyExc_ValueError, "law is of %u materials, weights of %zd", law.count,
                     (Py_ssize_t)PyArray_DIM(weights, 2));
        goto done;
    }
    def.law = &law;
    def.weights = PyArray_DATA(weights);
    def.height = (uint32_t)PyArray_DIM(weights, 0);
    def.width = (uint32_t)PyArray_DIM(weights, 1);
    out = PyArray_SimpleNew(3, PyArray_DIMS(weights), NPY_FLOAT32);
    device = out == NULL ? NULL : dw_py_run_begin(state, device_object, &run);
    if (device == NULL) {
        Py_CLEAR(out);
        goto done;
    }
    status = dw_terrain_expect(&def, PyArray_DATA((PyArrayObject *)out), &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) < 0)
        Py_CLEAR(out);
done:
    Py_XDECREF(weights);
    Py_XDECREF(heights);
    return out;
}

static PyMethodDef functions[] = {
    { "pack_weights", pack_weights, METH_VARARGS,
      "pack_weights($module, device, weights, bits, pitch, ranks, x, y, /)\n--\n\n"
      "(H, W, pitch) uint8 codes." },
    { "index_weights", index_weights, METH_VARARGS,
      "index_weights($module, device, weights, /)\n--\n\n"
      "The (H, W) uint32 map, and the lost shares of rows: (H,) sums and (H,) maxima." },
    { "expected_coverage", expected_coverage, METH_VARARGS,
      "expected_coverage($module, device, weights, heights, law, /)\n--\n\n"
      "(H, W, N) float32 chances." },
    { NULL, NULL, 0, NULL },
};

int dw_terrain_weights_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
