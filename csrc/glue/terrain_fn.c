/* SPDX-License-Identifier: MIT */
/* Functions of terrain: the law of a transition, and ids by it. */
#include "glue/terrain_fn.h"

#include "cpu/terrain_law.h"
#include "glue/arrays.h"
#include "glue/device_type.h"
#include "systems/terrain.h"

#include <string.h>

int dw_take_terrain_law(PyObject *object, struct dw_terrain_law *law)
{
    if (!PyBytes_Check(object) || PyBytes_GET_SIZE(object) != sizeof *law) {
        PyErr_SetString(PyExc_TypeError, "law must be bytes that terrain_law made");
        return -1;
    }
    memcpy(law, PyBytes_AS_STRING(object), sizeof *law);
    return 0;
}

/* keys: (N,) uint32; priorities: (N,) float64. */
static int take_slots(PyObject *keys_object, PyObject *priorities_object, dw_terrain_def *def)
{
    PyArrayObject *priorities = NULL;
    PyArrayObject *keys = dw_array_input(keys_object, NPY_UINT32, 1, 1, "materials");
    npy_intp count;
    int result = -1;

    if (keys == NULL)
        return -1;
    priorities = dw_array_input(priorities_object, NPY_FLOAT64, 1, 1, "priorities");
    if (priorities == NULL)
        goto done;
    count = PyArray_DIM(keys, 0);
    if (PyArray_DIM(priorities, 0) != count) {
        PyErr_Format(PyExc_ValueError, "priorities must be one for each of %zd materials, got %zd",
                     (Py_ssize_t)count, (Py_ssize_t)PyArray_DIM(priorities, 0));
        goto done;
    }
    if (count < 1 || count > (npy_intp)DW_TERRAIN_MATERIALS) {
        PyErr_Format(PyExc_ValueError, "materials must be 1 to %u, got %zd", DW_TERRAIN_MATERIALS,
                     (Py_ssize_t)count);
        goto done;
    }
    def->count = (uint32_t)count;
    memcpy(def->keys, PyArray_DATA(keys), (size_t)count * sizeof *def->keys);
    memcpy(def->priorities, PyArray_DATA(priorities), (size_t)count * sizeof *def->priorities);
    result = 0;
done:
    Py_XDECREF(priorities);
    Py_DECREF(keys);
    return result;
}

static PyObject *terrain_law(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    dw_terrain_def def = { .mode = 0 };
    struct dw_terrain_law law;
    PyObject *keys, *priorities;
    long long noise_size, seed, quantize, accents, empty_id;
    dw_error err;

    if (!PyArg_ParseTuple(args, "IILLddLd(dd)Ld(dd)(dd)LOO:terrain_law", &def.mode, &def.noise,
                          &noise_size, &seed, &def.strength, &def.cell, &quantize, &def.min_weight,
                          &def.accent[0], &def.accent[1], &accents, &def.depth, &def.fade[0],
                          &def.fade[1], &def.zoom[0], &def.zoom[1], &empty_id, &keys,
                          &priorities) ||
        take_slots(keys, priorities, &def) < 0)
        return NULL;
    def.noise_size = noise_size;
    def.seed = seed;
    def.quantize = quantize;
    def.accents = accents;
    def.empty_id = empty_id;
    if (dw_terrain_law_make(&def, &law, &err) != DW_OK) {
        dw_raise(state, &err);
        return NULL;
    }
    return PyBytes_FromStringAndSize((const char *)&law, sizeof law);
}

/* ---- ids ---- */

static int take_table(PyObject *object, dw_view_arguments *self)
{
    npy_intp side = (npy_intp)self->law.side_mask + 1;

    if (self->law.noise == DW_TERRAIN_NOISE_HASH)
        return 0;
    self->table = dw_array_input(object, NPY_UINT16, 2, 2, "table");
    if (self->table == NULL)
        return -1;
    if (PyArray_DIM(self->table, 0) != side || PyArray_DIM(self->table, 1) != side) {
        PyErr_Format(PyExc_ValueError, "table must have shape (%zd, %zd)", (Py_ssize_t)side,
                     (Py_ssize_t)side);
        return -1;
    }
    self->view.table = PyArray_DATA(self->table);
    return 0;
}

/* (H, W, pitch), or (H, W) of an index map; the data lies at a multiple of 4 bytes. */
static int take_weights(PyObject *object, dw_view_arguments *self)
{
    static const struct {
        int type, rank;
        uint32_t per_item;
    } forms[] = { [DW_TERRAIN_FORM_FLOAT] = { NPY_FLOAT32, 3, 1 },
                  [DW_TERRAIN_FORM_HALF] = { NPY_FLOAT16, 3, 1 },
                  [DW_TERRAIN_FORM_BYTE] = { NPY_UINT8, 3, 1 },
                  [DW_TERRAIN_FORM_NIBBLE] = { NPY_UINT8, 3, 2 },
                  [DW_TERRAIN_FORM_INDEX] = { NPY_UINT32, 2, 1 } };
    dw_terrain_map *map = &self->view.map;

    if (map->form >= DW_COUNT_OF(forms)) {
        PyErr_Format(PyExc_ValueError, "form must be below %zu, got %u", DW_COUNT_OF(forms),
                     map->form);
        return -1;
    }
    self->weights = dw_array_input(object, forms[map->form].type, forms[map->form].rank,
                                   forms[map->form].rank, "weights");
    if (self->weights != NULL && (uintptr_t)PyArray_DATA(self->weights) % 4 != 0)
        Py_SETREF(self->weights, (PyArrayObject *)PyArray_NewCopy(self->weights, NPY_CORDER));
    if (self->weights == NULL)
        return -1;
    if (PyArray_SIZE(self->weights) == 0 || PyArray_DIM(self->weights, 0) > INT32_MAX ||
        PyArray_DIM(self->weights, 1) > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "weights must have 1 to 2^31 - 1 rows and columns");
        return -1;
    }
    map->height = (uint32_t)PyArray_DIM(self->weights, 0);
    map->width = (uint32_t)PyArray_DIM(self->weights, 1);
    map->slots = self->law.count;
    map->pitch = forms[map->form].rank == 2
                     ? 1
                     : forms[map->form].per_item * (uint32_t)PyArray_DIM(self->weights, 2);
    map->weights = PyArray_DATA(self->weights);
    if (map->form == DW_TERRAIN_FORM_INDEX
            ? map->slots == DW_TERRAIN_MATERIALS
            : map->slots <= DW_TERRAIN_SLOTS && map->slots <= map->pitch)
        return 0;
    PyErr_Format(PyExc_ValueError, "weights have %u a texel, the law is for %u", map->pitch,
                 map->slots);
    return -1;
}

static int take_heights(PyObject *object, dw_view_arguments *self)
{
    const dw_terrain_map *map = &self->view.map;

    if (object == Py_None)
        return 0;
    self->heights = dw_array_input(object, NPY_FLOAT32, 3, 3, "heights");
    if (self->heights == NULL)
        return -1;
    if (PyArray_DIM(self->heights, 0) != (npy_intp)map->height ||
        PyArray_DIM(self->heights, 1) != (npy_intp)map->width ||
        PyArray_DIM(self->heights, 2) != (npy_intp)map->slots) {
        PyErr_Format(PyExc_ValueError, "heights must have shape (%u, %u, %u), one a weight",
                     map->height, map->width, map->slots);
        return -1;
    }
    self->view.map.heights = PyArray_DATA(self->heights);
    return 0;
}

void dw_view_finish(dw_view_arguments *self)
{
    Py_XDECREF(self->table);
    Py_XDECREF(self->weights);
    Py_XDECREF(self->heights);
}

int dw_view_init(dw_view_arguments *self, PyObject *arguments)
{
    PyObject *law, *table, *weights, *heights;
    dw_terrain_view *view = &self->view;
    int is_linear, is_strict;

    memset(self, 0, sizeof *self);
    if (!PyArg_ParseTuple(arguments, "OOIOOddddpp:view", &law, &table, &view->map.form, &weights,
                          &heights, &view->place.origin[0], &view->place.origin[1],
                          &view->place.scale, &view->place.cell, &is_linear, &is_strict) ||
        dw_take_terrain_law(law, &self->law) < 0)
        return -1;
    view->law = &self->law;
    view->place.is_linear = is_linear != 0;
    view->is_strict = is_strict != 0;
    return take_table(table, self) < 0 || take_weights(weights, self) < 0 ||
                   take_heights(heights, self) < 0
               ? -1
               : 0;
}

static PyObject *terrain_select(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *arguments, *out = NULL;
    unsigned int width, height;
    dw_view_arguments self;
    npy_intp shape[2];
    dw_device *device = NULL;
    dw_glue_run run;
    dw_status status;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OO!II:terrain_select", &device_object, &PyTuple_Type, &arguments,
                          &height, &width))
        return NULL;
    if (dw_view_init(&self, arguments) < 0)
        goto done;
    shape[0] = height;
    shape[1] = width;
    out = PyArray_SimpleNew(2, shape, NPY_UINT8);
    device = out == NULL ? NULL : dw_py_run_begin(state, device_object, &run);
    if (device == NULL) {
        Py_CLEAR(out);
        goto done;
    }
    status = dw_terrain_view_select(device, &self.view, width, height,
                                    PyArray_DATA((PyArrayObject *)out), &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) < 0)
        Py_CLEAR(out);
done:
    dw_view_finish(&self);
    return out;
}

static PyObject *terrain_select_at(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *arguments, *x_object, *y_object, *out = NULL;
    PyArrayObject *x = NULL, *y = NULL;
    dw_view_arguments self;
    dw_status status = DW_OK;
    dw_error err;

    if (!PyArg_ParseTuple(args, "O!OO:terrain_select_at", &PyTuple_Type, &arguments, &x_object,
                          &y_object))
        return NULL;
    if (dw_view_init(&self, arguments) < 0)
        goto done;
    x = dw_array_input(x_object, NPY_FLOAT64, 1, 1, "x");
    y = x == NULL ? NULL : dw_array_input(y_object, NPY_FLOAT64, 1, 1, "y");
    if (y == NULL)
        goto done;
    if (PyArray_DIM(x, 0) != PyArray_DIM(y, 0)) {
        PyErr_SetString(PyExc_ValueError, "x and y must have the same length");
        goto done;
    }
    out = PyArray_SimpleNew(1, PyArray_DIMS(x), NPY_UINT8);
    if (out == NULL)
        goto done;
    Py_BEGIN_ALLOW_THREADS
    status = dw_terrain_view_select_at(&self.view, PyArray_DATA(x), PyArray_DATA(y),
                                       (size_t)PyArray_DIM(x, 0),
                                       PyArray_DATA((PyArrayObject *)out), &err);
    Py_END_ALLOW_THREADS
    if (status != DW_OK) {
        dw_raise(state, &err);
        Py_CLEAR(out);
    }
done:
    Py_XDECREF(x);
    Py_XDECREF(y);
    dw_view_finish(&self);
    return out;
}

static PyMethodDef functions[] = {
    { "terrain_law", terrain_law, METH_VARARGS,
      "terrain_law($module, mode, noise, noise_size, seed, strength, cell, quantize, min_weight, "
      "accent, accents, depth, fade, zoom, empty_id, materials, priorities, /)\n--\n\n"
      "A dw_terrain_law, checked." },
    { "terrain_select", terrain_select, METH_VARARGS,
      "terrain_select($module, device, view, height, width, /)\n--\n\n(height, width) uint8 ids. "
      "view: (law, table, form, weights, heights, x, y, scale, cell, linear, strict)." },
    { "terrain_select_at", terrain_select_at, METH_VARARGS,
      "terrain_select_at($module, view, x, y, /)\n--\n\n(N,) uint8 ids at map positions." },
    { NULL, NULL, 0, NULL },
};

int dw_terrain_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
