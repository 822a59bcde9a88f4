/* SPDX-License-Identifier: MIT */
/* Terrain of the Python type Renderer: its arrays in, and its part of a frame. */
#include "glue/renderer_type.h"

/* One level of an array, (layers, h, w, 4); NULL with an exception set. */
static PyArrayObject *level_input(PyObject *given, dw_texture_def *def, uint32_t level)
{
    int type = PyArray_Check(given) && PyArray_TYPE((PyArrayObject *)given) == NPY_HALF ? NPY_HALF
                                                                                        : NPY_UINT8;
    PyArrayObject *array = dw_array_input(given, type, 4, 4, "levels");
    uint32_t h, w;

    if (array == NULL)
        return NULL;
    if (level == 0) {
        def->layer_count = (uint32_t)PyArray_DIM(array, 0);
        def->height = (uint32_t)PyArray_DIM(array, 1);
        def->width = (uint32_t)PyArray_DIM(array, 2);
        def->is_half = type == NPY_HALF;
    }
    h = def->height >> level;
    w = def->width >> level;
    if (PyArray_DIM(array, 0) == (npy_intp)def->layer_count &&
        PyArray_DIM(array, 1) == (npy_intp)(h > 0 ? h : 1) &&
        PyArray_DIM(array, 2) == (npy_intp)(w > 0 ? w : 1) && PyArray_DIM(array, 3) == 4 &&
        def->is_half == (type == NPY_HALF) && PyArray_SIZE(array) > 0)
        return array;
    PyErr_Format(PyExc_ValueError, "levels[%u] must be (%u, %u, %u, 4), all of one dtype", level,
                 def->layer_count, h > 0 ? h : 1, w > 0 ? w : 1);
    Py_DECREF(array);
    return NULL;
}

PyObject *dw_py_renderer_add_layers(PyObject *object, PyObject *args)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(object));
    dw_py_renderer *self = (dw_py_renderer *)object;
    PyObject *given, *sequence = NULL, *result = NULL;
    PyArrayObject *kept[DW_PY_LEVELS_MAX] = { NULL };
    const void *levels[DW_PY_LEVELS_MAX];
    dw_texture_def def = { .levels = levels };
    int is_srgb, wrap;
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;
    uint32_t handle = 0;

    if (state == NULL || !PyArg_ParseTuple(args, "Opi:add_layers", &given, &is_srgb, &wrap))
        return NULL;
    sequence = PySequence_Fast(given, "levels must be a sequence of arrays");
    if (sequence == NULL)
        return NULL;
    def.is_srgb = is_srgb != 0;
    def.sampler = (dw_sampler)wrap;
    def.level_count = (uint32_t)PySequence_Fast_GET_SIZE(sequence);
    if (def.level_count < 1 || def.level_count > DW_PY_LEVELS_MAX || wrap < 0 ||
        wrap > DW_SAMPLER_SHARP_LAST) {
        PyErr_Format(PyExc_ValueError, "levels must be 1 to %d arrays and wrap 0 to %d",
                     DW_PY_LEVELS_MAX, DW_SAMPLER_SHARP_LAST);
        goto done;
    }
    for (uint32_t i = 0; i < def.level_count; i++) {
        kept[i] = level_input(PySequence_Fast_GET_ITEM(sequence, i), &def, i);
        if (kept[i] == NULL)
            goto done;
        levels[i] = PyArray_DATA(kept[i]);
    }
    device = dw_py_renderer_begin(state, self, &run);
    if (device == NULL)
        goto done;
    status = dw_renderer_add_texture(self->renderer, &def, &handle, &err);
    if (dw_py_renderer_end(state, self, device, &run, status, &err) == 0)
        result = PyLong_FromUnsignedLong(handle);
done:
    for (int i = 0; i < DW_PY_LEVELS_MAX; i++)
        Py_XDECREF(kept[i]);
    Py_DECREF(sequence);
    return result;
}

PyObject *dw_py_renderer_add_ground(PyObject *object, PyObject *args)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(object));
    dw_py_renderer *self = (dw_py_renderer *)object;
    PyObject *given[4], *result = NULL;
    PyArrayObject *heights = NULL, *bounds = NULL, *weights = NULL, *ranks = NULL;
    dw_ground_def def = { 0 };
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;
    uint32_t handle = 0;

    if (state == NULL || !PyArg_ParseTuple(args, "OOIOO:add_ground", &given[0], &given[1],
                                           &def.list_capacity, &given[2], &given[3]))
        return NULL;
    heights = dw_array_input(given[0], NPY_FLOAT, 2, 2, "heights");
    bounds = dw_array_input(given[1], NPY_FLOAT, 2, 2, "bounds");
    weights = dw_array_input(given[2], NPY_UINT32, 1, 1, "weights");
    ranks = dw_array_input(given[3], NPY_UINT32, 1, 1, "ranks");
    if (heights == NULL || bounds == NULL || weights == NULL || ranks == NULL)
        goto done;
    if (PyArray_SIZE(heights) == 0 || PyArray_DIM(bounds, 0) == 0 || PyArray_DIM(bounds, 1) != 2 ||
        PyArray_SIZE(weights) == 0 || PyArray_SIZE(ranks) == 0 || def.list_capacity == 0) {
        PyErr_SetString(PyExc_ValueError,
                        "a terrain has heights, (N, 2) bounds, weights and ranks");
        goto done;
    }
    def.heights = PyArray_DATA(heights);
    def.height_count = (uint64_t)PyArray_SIZE(heights);
    def.bounds = PyArray_DATA(bounds);
    def.node_count = (uint32_t)PyArray_DIM(bounds, 0);
    def.weights = PyArray_DATA(weights);
    def.weight_words = (uint64_t)PyArray_SIZE(weights);
    def.ranks = PyArray_DATA(ranks);
    def.rank_words = (uint32_t)PyArray_SIZE(ranks);
    device = dw_py_renderer_begin(state, self, &run);
    if (device == NULL)
        goto done;
    status = dw_renderer_add_ground(self->renderer, &def, &run.run, &handle, &err);
    if (dw_py_renderer_end(state, self, device, &run, status, &err) == 0)
        result = PyLong_FromUnsignedLong(handle);
done:
    Py_XDECREF(heights);
    Py_XDECREF(bounds);
    Py_XDECREF(weights);
    Py_XDECREF(ranks);
    return result;
}

/* ---- a frame ---- */

/* (handle, look, law, surfaces, handles of five textures, six constants, casts) */
static int take_ground(dw_py_grounds *self, PyObject *given, uint32_t at)
{
    dw_renderer_ground *row = &self->rows[at];
    dw_ground_draw *draw = &row->draw;
    uint32_t *textures = draw->textures, *constants = draw->constants;
    npy_intp shape[2] = { 2, DW_GROUND_COMMAND_WORDS };
    PyObject *look, *law, *surfaces;
    int casts;

    if (!PyArg_ParseTuple(given, "IOOO(IIIII)(IIIIII)p", &row->handle, &look, &law, &surfaces,
                          &textures[0], &textures[1], &textures[2], &textures[3], &textures[4],
                          &constants[0], &constants[1], &constants[2], &constants[3], &constants[4],
                          &constants[5], &casts))
        return -1;
    self->looks[at] = dw_py_records_input(look, sizeof(dw_ground_look), "look");
    self->laws[at] = dw_py_records_input(law, sizeof(struct dw_terrain_law), "law");
    self->surfaces[at] = dw_py_records_input(surfaces, sizeof(dw_ground_surface), "surfaces");
    self->commands[at] = (PyArrayObject *)PyArray_SimpleNew(2, shape, NPY_UINT32);
    if (self->looks[at] == NULL || self->laws[at] == NULL || self->surfaces[at] == NULL ||
        self->commands[at] == NULL)
        return -1;
    if (PyArray_DIM(self->looks[at], 0) != 1 || PyArray_DIM(self->laws[at], 0) != 1 ||
        PyArray_DIM(self->surfaces[at], 0) < 1 ||
        PyArray_DIM(self->surfaces[at], 0) > (npy_intp)DW_GROUND_MATERIALS) {
        PyErr_Format(PyExc_ValueError, "a terrain has one look, one law and 1 to %u surfaces",
                     DW_GROUND_MATERIALS);
        return -1;
    }
    draw->look = PyArray_DATA(self->looks[at]);
    draw->law = PyArray_DATA(self->laws[at]);
    draw->surfaces = PyArray_DATA(self->surfaces[at]);
    draw->surface_count = (uint32_t)PyArray_DIM(self->surfaces[at], 0);
    draw->casts_shadow = casts != 0;
    row->commands = PyArray_DATA(self->commands[at]);
    return 0;
}

int dw_py_grounds_take(const dw_module_state *state, dw_py_grounds *self, PyObject *given)
{
    Py_ssize_t count;

    self->sequence = PySequence_Fast(given, "grounds must be a sequence");
    if (self->sequence == NULL)
        return -1;
    count = PySequence_Fast_GET_SIZE(self->sequence);
    if (count > DW_RENDERER_GROUNDS_MAX) {
        PyErr_Format(state->capacity_error, "a scene draws at most %d terrains, got %zd",
                     DW_RENDERER_GROUNDS_MAX, count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (take_ground(self, PySequence_Fast_GET_ITEM(self->sequence, i), (uint32_t)i) < 0)
            return -1;
    }
    self->count = (uint32_t)count;
    return 0;
}

void dw_py_grounds_release(dw_py_grounds *self)
{
    for (int i = 0; i < DW_RENDERER_GROUNDS_MAX; i++) {
        Py_XDECREF(self->looks[i]);
        Py_XDECREF(self->laws[i]);
        Py_XDECREF(self->surfaces[i]);
        Py_XDECREF(self->commands[i]);
    }
    Py_XDECREF(self->sequence);
}
