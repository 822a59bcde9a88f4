/* SPDX-License-Identifier: MIT */
/* Particles of tables given as arrays, for tests and measurements. */
#include "glue/arrays.h"
#include "glue/device_type.h"

#include "base/platform.h"
#include "cpu/particle_effects.h"
#include "systems/particle_trial.h"

#include <string.h>

enum { EMITTERS, PARTS, REGIONS, CURVES, COLORS, POINTS, VIEW, INPUT_COUNT };

static const struct {
    const char *name;
    int type;    /* of plain arrays */
    size_t size; /* of a record; 0: a plain array */
    int columns; /* of a plain array; 0: one-dimensional */
} inputs[INPUT_COUNT] = {
    [EMITTERS] = { "emitters", NPY_VOID, sizeof(dw_particle_emitter), 0 },
    [PARTS] = { "parts", NPY_VOID, sizeof(dw_particle_part), 0 },
    [REGIONS] = { "regions", NPY_VOID, sizeof(dw_particle_region), 0 },
    [CURVES] = { "curves", NPY_FLOAT32, 0, 0 },
    [COLORS] = { "colors", NPY_UINT32, 0, 0 },
    [POINTS] = { "points", NPY_FLOAT32, 0, 3 },
    [VIEW] = { "view", NPY_VOID, sizeof(dw_particle_view), 0 },
};

typedef struct py_tables {
    PyArrayObject *arrays[INPUT_COUNT];
    dw_particle_tables tables;
} py_tables;

static void release(py_tables *self)
{
    for (int i = 0; i < INPUT_COUNT; i++)
        Py_CLEAR(self->arrays[i]);
}

static PyArrayObject *take_records(PyObject *object, size_t size, const char *argument)
{
    PyArrayObject *array = (PyArrayObject *)PyArray_FROM_OF(object, NPY_ARRAY_CARRAY_RO);

    if (array == NULL)
        return NULL;
    if (PyArray_TYPE(array) == NPY_VOID && PyArray_NDIM(array) == 1 &&
        (size_t)PyArray_ITEMSIZE(array) == size && PyArray_DIM(array, 0) <= UINT32_MAX / 2)
        return array;
    PyErr_Format(PyExc_TypeError,
                 "%s must be a one-dimensional array of records of %zu bytes, as "
                 "layouts.record_dtype makes them, got %R",
                 argument, size, PyArray_DESCR(array));
    Py_DECREF(array);
    return NULL;
}

static int take(py_tables *self, int index, PyObject *object)
{
    const char *name = inputs[index].name;
    int rank = inputs[index].columns == 0 ? 1 : 2;

    if (object == NULL || object == Py_None)
        return 0;
    if (inputs[index].size != 0)
        self->arrays[index] = take_records(object, inputs[index].size, name);
    else
        self->arrays[index] = dw_array_input(object, inputs[index].type, rank, rank, name);
    if (self->arrays[index] == NULL)
        return -1;
    if (rank == 1 || PyArray_DIM(self->arrays[index], 1) == inputs[index].columns)
        return 0;
    PyErr_Format(PyExc_ValueError, "%s must have shape (N, %d)", name, inputs[index].columns);
    return -1;
}

static uint32_t rows_of(const py_tables *self, int index)
{
    return self->arrays[index] == NULL ? 0 : (uint32_t)PyArray_DIM(self->arrays[index], 0);
}

static const void *data_of(const py_tables *self, int index)
{
    return self->arrays[index] == NULL ? NULL : PyArray_DATA(self->arrays[index]);
}

/* objects: by the enumerators above; NULL or None: none. 0, or -1 with an exception set. */
static int take_tables(py_tables *self, PyObject *const objects[INPUT_COUNT])
{
    for (int i = 0; i < INPUT_COUNT; i++)
        if (take(self, i, objects[i]) < 0)
            return -1;
    self->tables = (dw_particle_tables) {
        .emitters = data_of(self, EMITTERS),
        .parts = data_of(self, PARTS),
        .regions = data_of(self, REGIONS),
        .curves = data_of(self, CURVES),
        .colors = data_of(self, COLORS),
        .points = data_of(self, POINTS),
        .row_count = rows_of(self, EMITTERS),
        .part_count = rows_of(self, PARTS),
        .layer_count =
            self->arrays[REGIONS] == NULL ? DW_PARTICLE_LAYERS_MAX : rows_of(self, REGIONS),
        .curve_count = rows_of(self, CURVES),
        .color_count = rows_of(self, COLORS),
        .point_count = rows_of(self, POINTS),
    };
    return 0;
}

/* A fresh (rows, columns) uint32 array of records as they lie in memory; from NULL: not filled. */
static PyObject *words(const void *from, uint64_t rows, size_t size)
{
    npy_intp shape[2] = { (npy_intp)rows, (npy_intp)(size / 4) };
    PyObject *out = PyArray_SimpleNew(2, shape, NPY_UINT32);

    if (out != NULL && from != NULL && rows > 0)
        memcpy(PyArray_DATA((PyArrayObject *)out), from, (size_t)rows * size);
    return out;
}

static int take_camera(PyObject *object, float camera[3])
{
    PyArrayObject *array;
    int result = -1;

    if (object == Py_None)
        return 0;
    array = dw_array_input(object, NPY_FLOAT32, 1, 1, "camera");
    if (array != NULL && PyArray_DIM(array, 0) == 3) {
        memcpy(camera, PyArray_DATA(array), 3 * sizeof *camera);
        result = 1;
    } else if (array != NULL) {
        PyErr_SetString(PyExc_ValueError, "camera must have shape (3,)");
    }
    Py_XDECREF(array);
    return result;
}

static PyObject *first_rows(PyObject *array, uint64_t rows)
{
    PyObject *slice = array == NULL ? NULL : PySequence_GetSlice(array, 0, (Py_ssize_t)rows);

    Py_XDECREF(array);
    return slice;
}

static dw_status native_state(dw_device *device, const dw_particle_tables *tables,
                              uint32_t first_row, uint32_t row_count, uint64_t now,
                              const float *camera, const dw_run *run, dw_particle *out,
                              uint64_t *out_count, dw_error *err)
{
    (void)device;
    return dw_particles_state(tables, first_row, row_count, now, camera, run, out, out_count, err);
}

static PyObject *particle_state(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device", "emitters", "parts", "curves", "colors", "points", "now",
                             "camera", "first",    "count", "plain",  "repeat", NULL };
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *objects[INPUT_COUNT] = { NULL }, *device_object, *camera_object = Py_None;
    PyObject *out = NULL, *count_object = Py_None;
    unsigned long long now = 0;
    unsigned int first = 0, row_count, repeat = 1;
    py_tables self = { 0 };
    uint64_t out_count = 0;
    dw_device *device;
    dw_status status;
    dw_glue_run run;
    float camera[3];
    double begin;
    int has_camera, is_plain = 0;
    dw_error err;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO|$OOOKOIOpI:particle_state", names,
                                     &device_object, &objects[EMITTERS], &objects[PARTS],
                                     &objects[CURVES], &objects[COLORS], &objects[POINTS], &now,
                                     &camera_object, &first, &count_object, &is_plain, &repeat))
        return NULL;
    has_camera = take_camera(camera_object, camera);
    if (has_camera < 0 || take_tables(&self, objects) < 0)
        goto done;
    self.tables.is_plain = is_plain != 0;
    row_count = self.tables.row_count - first;
    if (count_object != Py_None) {
        row_count = (unsigned int)PyLong_AsUnsignedLongMask(count_object);
        if (PyErr_Occurred())
            goto done;
    }
    status = dw_particles_check(&self.tables, &err);
    if (status == DW_OK && first <= self.tables.row_count &&
        row_count <= self.tables.row_count - first)
        out = words(NULL, dw_particles_slot_total(&self.tables, first, row_count),
                    sizeof(dw_particle));
    else if (status == DW_OK)
        out = words(NULL, 0, sizeof(dw_particle));
    if (status == DW_OK && out == NULL)
        goto done;
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL) {
        Py_CLEAR(out);
        goto done;
    }
    for (unsigned int i = 0; i < repeat && status == DW_OK; i++) {
        begin = dw_platform_seconds();
        status = (dw_device_gpu(device) == NULL ? native_state : dw_trial_particle_state)(
            device, &self.tables, first, row_count, now, has_camera ? camera : NULL, &run.run,
            PyArray_DATA((PyArrayObject *)out), &out_count, &err);
        dw_device_set_timing(device, "particle_state", 1e3 * (dw_platform_seconds() - begin));
    }
    if (dw_py_run_end(state, device, &run, status, &err) < 0)
        Py_CLEAR(out);
    out = first_rows(out, out_count);
done:
    release(&self);
    return out;
}

/* One number a layer. */
static PyObject *layer_row(const uint64_t *from, uint32_t count)
{
    npy_intp shape = count;
    PyObject *out = PyArray_SimpleNew(1, &shape, NPY_UINT64);

    if (out != NULL && count > 0)
        memcpy(PyArray_DATA((PyArrayObject *)out), from, count * sizeof *from);
    return out;
}

static PyObject *seen_dict(const dw_particle_seen *seen, uint32_t layers, PyObject *frames)
{
    uint64_t rows[DW_PARTICLE_LAYERS_MAX];

    for (uint32_t i = 0; i < layers; i++)
        rows[i] = seen->rows_in_view[i];
    return Py_BuildValue("{sNsNsNsNsNsO}", "sprites",
                         words(seen->sprites, seen->sprite_count, sizeof *seen->sprites), "first",
                         layer_row(seen->layer_first, layers), "count",
                         layer_row(seen->layer_count, layers), "candidates",
                         layer_row(seen->layer_candidates, layers), "rows", layer_row(rows, layers),
                         "frames", frames);
}

static dw_status native_see(dw_device *device, const dw_particle_tables *tables,
                            const dw_particle_view *view, unsigned int repeat, const dw_run *run,
                            dw_particle_seen *seen, dw_error *err)
{
    for (unsigned int i = 0; i < repeat; i++) {
        double begin = dw_platform_seconds();

        if (dw_particles_see(tables, view, run, seen, err) != DW_OK)
            return err->code;
        dw_device_set_timing(device, "particle_see", 1e3 * (dw_platform_seconds() - begin));
    }
    return DW_OK;
}

/* A row of numbers for each frame. */
static PyObject *make_frames(unsigned int repeat)
{
    npy_intp shape[2] = { repeat, sizeof(dw_trial_frame) / sizeof(double) };

    return PyArray_ZEROS(2, shape, NPY_FLOAT64, 0);
}

static PyObject *particle_see(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device", "view",   "emitters",      "parts",  "regions", "curves",
                             "colors", "points", "sorted_layers", "repeat", "mode",    NULL };
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *objects[INPUT_COUNT] = { NULL }, *device_object, *frames = NULL, *result = NULL;
    unsigned long long sorted_layers = 0;
    dw_particle_seen seen = { 0 };
    unsigned int repeat = 1;
    int mode = DW_TRIAL_PLAIN;
    py_tables self = { 0 };
    dw_device *device;
    dw_status status;
    dw_glue_run run;
    dw_error err;

    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "OOOOO|$OOOKIi:particle_see", names, &device_object, &objects[VIEW],
            &objects[EMITTERS], &objects[PARTS], &objects[REGIONS], &objects[CURVES],
            &objects[COLORS], &objects[POINTS], &sorted_layers, &repeat, &mode))
        return NULL;
    if (take_tables(&self, objects) < 0)
        goto done;
    if (rows_of(&self, VIEW) != 1) {
        PyErr_SetString(PyExc_ValueError, "view must hold one record");
        goto done;
    }
    frames = make_frames(repeat);
    if (frames == NULL)
        goto done;
    self.tables.sorted_layers = sorted_layers;
    status = dw_particles_check(&self.tables, &err);
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        goto done;
    if (status == DW_OK && dw_device_gpu(device) == NULL)
        status =
            native_see(device, &self.tables, data_of(&self, VIEW), repeat, &run.run, &seen, &err);
    else if (status == DW_OK)
        status = dw_trial_particle_see(device, &self.tables, data_of(&self, VIEW),
                                       (dw_trial_mode)mode, repeat, &run.run, &seen,
                                       PyArray_DATA((PyArrayObject *)frames), &err);
    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        result = seen_dict(&seen, self.tables.layer_count, frames);
done:
    Py_XDECREF(frames);
    dw_particle_seen_finish(&seen);
    release(&self);
    return result;
}

static PyObject *particle_bounds(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "emitters", "parts", "curves", "colors", "points", NULL };
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *objects[INPUT_COUNT] = { NULL }, *out = NULL;
    py_tables self = { 0 };
    npy_intp shape[2];
    float *bounds;
    dw_error err;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$OOO:particle_bounds", names,
                                     &objects[EMITTERS], &objects[PARTS], &objects[CURVES],
                                     &objects[COLORS], &objects[POINTS]))
        return NULL;
    if (take_tables(&self, objects) < 0)
        goto done;
    if (dw_particles_check(&self.tables, &err) != DW_OK) {
        dw_raise(state, &err);
        goto done;
    }
    shape[0] = self.tables.row_count;
    shape[1] = 2;
    out = PyArray_ZEROS(2, shape, NPY_FLOAT32, 0);
    bounds = out == NULL ? NULL : PyArray_DATA((PyArrayObject *)out);
    for (uint32_t i = 0; bounds != NULL && i < self.tables.row_count; i++) {
        dw_particle_emitter e = self.tables.emitters[i];

        if (e.part == DW_PARTICLE_NONE)
            continue;
        dw_particle_bound(&self.tables.parts[DW_EMITTER_PART(e.part)], self.tables.points,
                          self.tables.curves, &e);
        bounds[2 * i] = e.bound_y;
        bounds[2 * i + 1] = e.bound_radius;
    }
done:
    release(&self);
    return out;
}

static PyMethodDef functions[] = {
    { "particle_bounds", (PyCFunction)(void (*)(void))particle_bounds, METH_VARARGS | METH_KEYWORDS,
      "particle_bounds($module, /, emitters, parts, *, curves=None, colors=None,\n"
      "                points=None)\n--\n\n"
      "bound_y and bound_radius of each row, from closed forms: (N, 2) float32." },
    { "particle_see", (PyCFunction)(void (*)(void))particle_see, METH_VARARGS | METH_KEYWORDS,
      "particle_see($module, /, device, view, emitters, parts, regions, *, curves=None,\n"
      "             colors=None, points=None, sorted_layers=0, repeat=1, mode=0)\n--\n\n"
      "What a view shows of tables: sprites (N, 8) as words, and for each layer its first sprite,\n"
      "count, candidates and rows. mode: 1 does without subgroup operations, 2 makes tables grow.\n"
      "On a Vulkan device `frames` has for each repeat the times of\n"
      "emitters, scan, expand, totals, list, sort and host in milliseconds, the bytes sent, blocks "
      "of\n"
      "memory taken, bytes of the device's memory in use, and the time of a fill of all sprites." },
    { "particle_state", (PyCFunction)(void (*)(void))particle_state, METH_VARARGS | METH_KEYWORDS,
      "particle_state($module, /, device, emitters, parts, *, curves=None, colors=None,\n"
      "               points=None, now=0, camera=None, first=0, count=None,\n"
      "               plain=False, repeat=1)\n--\n\n"
      "The living particles of tables at a tick: (N, 14) words. plain: slot by slot, without\n"
      "vectors, on the native device." },
    { NULL, NULL, 0, NULL },
};

int dw_particle_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
