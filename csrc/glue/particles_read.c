/* SPDX-License-Identifier: MIT */
#include "glue/particles_read.h"
#include "glue/arrays.h"
#include "glue/device_type.h"
#include "glue/particles_type.h"

#include <string.h>

/* A layer's index among `hub`'s; -1 with an exception set. */
static long take_layer(const dw_hub *hub, PyObject *object)
{
    long layer = PyLong_AsLong(object);

    if (layer == -1 && PyErr_Occurred())
        return -1;
    if (layer >= 0 && layer < (long)dw_hub_layer_count(hub))
        return layer;
    PyErr_Format(PyExc_ValueError, "layer must be 0 to %u, got %ld", dw_hub_layer_count(hub) - 1,
                 layer);
    return -1;
}

PyObject *dw_py_hub_rows(PyObject *self, PyObject *object)
{
    const dw_module_state *state;
    dw_hub *hub = dw_py_hub_self(self, &state);
    PyObject *array = NULL;
    npy_intp count;
    long layer;

    if (hub == NULL)
        return NULL;
    layer = take_layer(hub, object);
    if (layer >= 0) {
        count = (npy_intp)dw_hub_row_count(hub, (uint32_t)layer);
        array = PyArray_SimpleNew(1, &count, NPY_UINT32);
        if (array != NULL)
            dw_hub_read_rows(hub, (uint32_t)layer, PyArray_DATA((PyArrayObject *)array));
    }
    dw_py_hub_end(self);
    return array;
}

PyObject *dw_py_hub_stats(PyObject *self, PyObject *unused)
{
    const dw_module_state *state;
    dw_hub *hub = dw_py_hub_self(self, &state);
    npy_intp shape[2] = { 0, 4 };
    PyObject *array;
    uint64_t *out;

    (void)unused;
    if (hub == NULL)
        return NULL;
    dw_hub_forget_shots(hub);
    shape[0] = (npy_intp)dw_hub_layer_count(hub);
    array = PyArray_SimpleNew(2, shape, NPY_UINT64);
    for (npy_intp i = 0; array != NULL && i < shape[0]; i++) {
        dw_hub_layer_stats stats = dw_hub_get_stats(hub, (uint32_t)i);

        out = (uint64_t *)PyArray_DATA((PyArrayObject *)array) + 4 * i;
        out[0] = stats.requested;
        out[1] = stats.allocated;
        out[2] = stats.rows;
        out[3] = stats.limit;
    }
    dw_py_hub_end(self);
    return array;
}

PyObject *dw_py_hub_simulation(PyObject *self, PyObject *unused)
{
    const dw_module_state *state;
    dw_hub *hub = dw_py_hub_self(self, &state);
    dw_hub_simulation_stats stats;

    (void)unused;
    if (hub == NULL)
        return NULL;
    stats = dw_hub_get_simulation_stats(hub);
    dw_py_hub_end(self);
    return Py_BuildValue("(KKKKK)", (unsigned long long)stats.rows, (unsigned long long)stats.slots,
                         (unsigned long long)stats.capacity, (unsigned long long)stats.looks,
                         (unsigned long long)stats.steps_skipped);
}

/* The first `count` records of an array that has room for more. */
static PyObject *shorten(PyObject *array, npy_intp count)
{
    npy_intp shape[2] = { count, sizeof(dw_particle) };
    PyArray_Dims dims = { shape, 2 };
    PyObject *none;

    if (array == NULL || PyArray_DIM((PyArrayObject *)array, 0) == count)
        return array;
    none = PyArray_Resize((PyArrayObject *)array, &dims, 0, NPY_CORDER);
    Py_XDECREF(none);
    if (none == NULL)
        Py_CLEAR(array);
    return array;
}

PyObject *dw_py_hub_state(PyObject *self, PyObject *args)
{
    PyObject *device_object, *layer_object, *array = NULL;
    npy_intp shape[2] = { 0, sizeof(dw_particle) };
    const dw_module_state *state;
    dw_device *device;
    dw_glue_run run;
    uint64_t count = 0;
    dw_status status;
    dw_error err;
    dw_hub *hub;
    long layer;

    if (!PyArg_ParseTuple(args, "OO:_state", &device_object, &layer_object))
        return NULL;
    hub = dw_py_hub_self(self, &state);
    if (hub == NULL)
        return NULL;
    layer = take_layer(hub, layer_object);
    if (layer < 0 || dw_py_hub_keep_device(state, self, device_object) < 0)
        goto done;
    shape[0] = (npy_intp)dw_hub_slot_total(hub, (uint32_t)layer);
    array = PyArray_SimpleNew(2, shape, NPY_UINT8);
    device = array == NULL ? NULL : dw_py_run_begin(state, device_object, &run);
    if (device == NULL) {
        Py_CLEAR(array);
        goto done;
    }

    status = dw_hub_state(hub, device, (uint32_t)layer, &run.run,
                          PyArray_DATA((PyArrayObject *)array), &count, &err);

    if (dw_py_run_end(state, device, &run, status, &err) < 0)
        Py_CLEAR(array);
done:
    dw_py_hub_end(self);
    return shorten(array, (npy_intp)count);
}

static PyObject *seen_result(uint32_t layer_count, const dw_hub_seen *seen,
                             const dw_particle_sprite *sprites, bool is_fetched)
{
    npy_intp shape[2] = { (npy_intp)layer_count, 3 }, bytes[2] = { 0, sizeof *sprites };
    PyObject *table = PyArray_SimpleNew(2, shape, NPY_INT64), *array;

    for (uint32_t i = 0; i < layer_count; i++)
        bytes[0] += (npy_intp)seen[i].count;
    if (table == NULL)
        return NULL;
    array = !is_fetched ? Py_NewRef(Py_None) : PyArray_SimpleNew(2, bytes, NPY_UINT8);
    for (npy_intp i = 0, at = 0; array != NULL && i < shape[0]; i++) {
        int64_t *row = (int64_t *)PyArray_DATA((PyArrayObject *)table) + 3 * i;

        row[0] = at;
        row[1] = (int64_t)seen[i].count;
        row[2] = (int64_t)seen[i].candidates;
        if (is_fetched && seen[i].count > 0)
            memcpy((char *)PyArray_DATA((PyArrayObject *)array) + at * (npy_intp)sizeof *sprites,
                   sprites + seen[i].first, seen[i].count * sizeof *sprites);
        at += (npy_intp)seen[i].count;
    }
    return array == NULL ? (Py_DECREF(table), NULL) : Py_BuildValue("(NN)", table, array);
}

PyObject *dw_py_hub_see(PyObject *self, PyObject *args)
{
    dw_hub_seen seen[DW_PARTICLE_LAYERS_MAX];
    const dw_particle_sprite *sprites = NULL;
    PyObject *device_object, *planes_object, *result = NULL;
    const dw_module_state *state;
    PyArrayObject *planes;
    dw_hub *hub = NULL;
    dw_device *device;
    double camera[3];
    dw_glue_run run;
    dw_status status;
    int is_fetched;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OO(ddd)p:_see", &device_object, &planes_object, &camera[0],
                          &camera[1], &camera[2], &is_fetched))
        return NULL;
    planes = dw_array_input(planes_object, NPY_DOUBLE, 2, 2, "planes");
    if (planes == NULL)
        return NULL;
    if (PyArray_DIM(planes, 0) != 6 || PyArray_DIM(planes, 1) != 4) {
        PyErr_SetString(PyExc_ValueError, "planes must have shape (6, 4)");
        goto done;
    }
    hub = dw_py_hub_self(self, &state);
    if (hub == NULL || dw_py_hub_keep_device(state, self, device_object) < 0)
        goto done;
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        goto done;

    status = dw_hub_see(hub, device, PyArray_DATA(planes), camera, &run.run, seen,
                        is_fetched ? &sprites : NULL, &err);

    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        result = seen_result(dw_hub_layer_count(hub), seen, sprites, is_fetched != 0);
done:
    if (hub != NULL)
        dw_py_hub_end(self);
    Py_DECREF(planes);
    return result;
}
