/* SPDX-License-Identifier: MIT */
/* Functions of terrain: pictures. */
#include "glue/terrain_fn.h"

#include "glue/device_type.h"
#include "systems/terrain_compose.h"

#include <string.h>

#define SIDE_MAX 65536 /* texels of a picture: tables hold positions in 24 bits */

typedef struct compose_arguments {
    dw_view_arguments seen;
    dw_composition composition;
    PyArrayObject *base, *tiles[DW_TERRAIN_MATERIALS];
} compose_arguments;

static PyArrayObject *take_picture(PyObject *object, const char *name)
{
    PyArrayObject *array = dw_array_input(object, NPY_UINT8, 3, 3, name);

    if (array == NULL)
        return NULL;
    if ((PyArray_DIM(array, 2) == 3 || PyArray_DIM(array, 2) == 4) && PyArray_SIZE(array) > 0 &&
        PyArray_DIM(array, 0) <= SIDE_MAX && PyArray_DIM(array, 1) <= SIDE_MAX)
        return array;
    PyErr_Format(PyExc_ValueError,
                 "%s must have shape (h, w, 3) or (h, w, 4) with 1 to %d texels a side, got "
                 "(%zd, %zd, %zd)",
                 name, SIDE_MAX, (Py_ssize_t)PyArray_DIM(array, 0),
                 (Py_ssize_t)PyArray_DIM(array, 1), (Py_ssize_t)PyArray_DIM(array, 2));
    Py_DECREF(array);
    return NULL;
}

static int take_base(PyObject *object, compose_arguments *self)
{
    self->base = take_picture(object, "base");
    if (self->base == NULL)
        return -1;
    self->composition.base = PyArray_DATA(self->base);
    self->composition.base_height = (uint32_t)PyArray_DIM(self->base, 0);
    self->composition.base_width = (uint32_t)PyArray_DIM(self->base, 1);
    self->composition.base_channels = (uint32_t)PyArray_DIM(self->base, 2);
    return 0;
}

/* ((h, w, 3 or 4) uint8, map units, strength) of each slot. */
static int take_tiles(PyObject *tuple, compose_arguments *self)
{
    Py_ssize_t count = PyTuple_GET_SIZE(tuple);

    if (count != (Py_ssize_t)self->seen.law.count) {
        PyErr_Format(PyExc_ValueError, "details must be one for each of %u materials, got %zd",
                     self->seen.law.count, count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        dw_terrain_tile *tile = &self->composition.tiles[i];
        PyObject *pixels, *item = PyTuple_GET_ITEM(tuple, i);
        char name[32];

        if (!PyTuple_Check(item)) {
            PyErr_SetString(PyExc_TypeError, "details must be tuples of (pixels, units, strength)");
            return -1;
        }
        if (!PyArg_ParseTuple(item, "Odd:detail", &pixels, &tile->units, &tile->strength))
            return -1;
        PyOS_snprintf(name, sizeof name, "details[%d]", (int)i);
        self->tiles[i] = take_picture(pixels, name);
        if (self->tiles[i] == NULL)
            return -1;
        tile->pixels = PyArray_DATA(self->tiles[i]);
        tile->height = (uint32_t)PyArray_DIM(self->tiles[i], 0);
        tile->width = (uint32_t)PyArray_DIM(self->tiles[i], 1);
        tile->channels = (uint32_t)PyArray_DIM(self->tiles[i], 2);
    }
    return 0;
}

static void finish(compose_arguments *self)
{
    dw_view_finish(&self->seen);
    Py_XDECREF(self->base);
    for (uint32_t i = 0; i < DW_TERRAIN_MATERIALS; i++)
        Py_XDECREF(self->tiles[i]);
}

/* The outputs; ids: None unless asked for. 0, or -1 with an exception set. */
static int make_outputs(const compose_arguments *self, int has_ids, PyObject **out, PyObject **ids)
{
    npy_intp shape[3] = { self->composition.height, self->composition.width, 3 };

    *out = PyArray_SimpleNew(3, shape, NPY_UINT8);
    if (*out == NULL)
        return -1;
    *ids = has_ids ? PyArray_SimpleNew(2, shape, NPY_UINT8) : Py_NewRef(Py_None);
    return *ids == NULL ? -1 : 0;
}

static PyObject *terrain_compose(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *view, *base, *tiles, *out = NULL, *ids = NULL, *result = NULL;
    compose_arguments self = { .base = NULL };
    dw_composition *made = &self.composition;
    int is_photo, has_ids;
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OO!OO!dddIIIpp:terrain_compose", &device_object, &PyTuple_Type,
                          &view, &base, &PyTuple_Type, &tiles, &made->window.corner[0],
                          &made->window.corner[1], &made->window.pixels_per_unit,
                          &made->window.samples, &made->height, &made->width, &is_photo, &has_ids))
        return NULL;
    made->window.is_photo = is_photo != 0;
    if (dw_view_init(&self.seen, view) < 0 || take_base(base, &self) < 0 ||
        take_tiles(tiles, &self) < 0 || make_outputs(&self, has_ids, &out, &ids) < 0)
        goto done;
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        goto done;
    status = dw_terrain_view_compose(
        device, &self.seen.view, made, PyArray_DATA((PyArrayObject *)out),
        has_ids ? PyArray_DATA((PyArrayObject *)ids) : NULL, &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        result = PyTuple_Pack(2, out, ids);
done:
    Py_XDECREF(out);
    Py_XDECREF(ids);
    finish(&self);
    return result;
}

static PyMethodDef functions[] = {
    { "terrain_compose", terrain_compose, METH_VARARGS,
      "terrain_compose($module, device, view, base, details, x, y, pixels_per_unit, samples, "
      "height, width, photo, ids, /)\n--\n\n((height, width, 3) uint8, (height, width) uint8 or "
      "None). details: (pixels, map units, strength) of each slot." },
    { NULL, NULL, 0, NULL },
};

int dw_terrain_compose_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
