/* SPDX-License-Identifier: MIT */
#include "glue/forest_type.h"
#include "glue/arrays.h"
#include "glue/device_type.h"
#include "glue/dissolve_type.h"
#include "glue/forest_def.h"

#include <math.h>
#include <string.h>

dw_forest *dw_py_forest_begin(const dw_module_state *state, PyObject *object, const char *argument)
{
    dw_py_forest *self = (dw_py_forest *)object;

    if (!PyObject_TypeCheck(object, (PyTypeObject *)state->forest_type)) {
        PyErr_Format(PyExc_TypeError, "%s must be a dapplewood.Forest, got %.200s", argument,
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    if (self->forest == NULL) {
        PyErr_SetString(PyExc_ValueError, "the forest is closed: make a new Forest");
        return NULL;
    }
    if (self->use_count > 0) {
        PyErr_SetString(PyExc_ValueError,
                        "the forest is in use by another thread: one thread at a time");
        return NULL;
    }
    self->use_count++;
    return self->forest;
}

void dw_py_forest_end(PyObject *object)
{
    ((dw_py_forest *)object)->use_count--;
}

int dw_py_forest_keep_device(const dw_module_state *state, PyObject *object, PyObject *device)
{
    return dw_py_device_keep(state, &((dw_py_forest *)object)->devices, device);
}

/* ---- a call on ids ---- */

/* Arguments and results of a call on ids; begin_ids .. end_ids brackets it. */
typedef struct ids_call {
    const dw_module_state *state;
    PyObject *self;
    dw_forest *forest;
    PyArrayObject *array, *known;
    dw_forest_ids ids;
} ids_call;

static int begin_ids(ids_call *call, PyObject *self, PyObject *ids, int is_strict)
{
    npy_intp count;

    *call = (ids_call) { .state = dw_type_get_state(Py_TYPE(self)), .self = self };
    if (call->state == NULL)
        return -1;
    call->array = dw_array_input(ids, NPY_UINT64, 1, 1, "ids");
    if (call->array == NULL)
        return -1;
    count = PyArray_DIM(call->array, 0);
    if (count > (npy_intp)(UINT32_MAX / 4)) {
        PyErr_Format(PyExc_ValueError, "ids: at most %u in one call, got %zd", UINT32_MAX / 4,
                     (Py_ssize_t)count);
        return -1;
    }
    call->known = (PyArrayObject *)PyArray_ZEROS(1, &count, NPY_BOOL, 0);
    if (call->known == NULL)
        return -1;
    call->ids = (dw_forest_ids) { .ids = PyArray_DATA(call->array),
                                  .count = (uint32_t)count,
                                  .is_strict = is_strict != 0,
                                  .are_known = PyArray_DATA(call->known) };
    call->forest = dw_py_forest_begin(call->state, self, "self");
    return call->forest == NULL ? -1 : 0;
}

/* The known array as the result, or an exception. Also after a failed begin. */
static PyObject *end_ids(ids_call *call, dw_status status, const dw_error *err)
{
    PyObject *result = (PyObject *)call->known;

    if (call->forest != NULL)
        dw_py_forest_end(call->self);
    Py_XDECREF(call->array);
    if (call->forest != NULL && status != DW_OK)
        dw_raise(call->state, err);
    if (call->forest == NULL || status != DW_OK)
        Py_CLEAR(result);
    return result;
}

static int check_length(const ids_call *call, PyArrayObject *array, const char *argument)
{
    if (array == NULL || PyArray_DIM(array, 0) == (npy_intp)call->ids.count)
        return 0;
    PyErr_Format(PyExc_ValueError, "%s must have one row for each of the %u ids, got %zd", argument,
                 call->ids.count, (Py_ssize_t)PyArray_DIM(array, 0));
    return -1;
}

/* An array, or NULL for None. */
static int take_optional(PyObject *object, int type, const char *argument, PyArrayObject **out)
{
    *out = NULL;
    if (object == NULL || object == Py_None)
        return 0;
    *out = dw_array_input(object, type, 1, 1, argument);
    return *out == NULL ? -1 : 0;
}

typedef struct add_arrays {
    PyArrayObject *transforms, *variants, *depleted;
} add_arrays;

static int take_add_arrays(const ids_call *call, PyObject *transforms, PyObject *variants,
                           PyObject *depleted, add_arrays *out)
{
    out->transforms = dw_array_input(transforms, NPY_FLOAT32, 3, 3, "transforms");
    if (out->transforms == NULL ||
        take_optional(variants, NPY_UINT8, "variant", &out->variants) < 0 ||
        take_optional(depleted, NPY_BOOL, "depleted", &out->depleted) < 0)
        return -1;
    if (PyArray_DIM(out->transforms, 1) != 4 || PyArray_DIM(out->transforms, 2) != 4) {
        PyErr_SetString(PyExc_ValueError, "transforms must have shape (N, 4, 4)");
        return -1;
    }
    return check_length(call, out->transforms, "transforms") < 0 ||
                   check_length(call, out->variants, "variant") < 0 ||
                   check_length(call, out->depleted, "depleted") < 0
               ? -1
               : 0;
}

static PyObject *forest_add(PyObject *self, PyObject *args)
{
    PyObject *ids, *transforms, *variants, *depleted;
    add_arrays arrays = { NULL, NULL, NULL };
    dw_status status = DW_ERROR_ARGUMENT;
    PyObject *result = NULL;
    dw_forest_batch batch;
    ids_call call;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OOOO:_add", &ids, &transforms, &variants, &depleted))
        return NULL;
    if (begin_ids(&call, self, ids, 0) < 0)
        return end_ids(&call, status, &err);
    err = (dw_error) { .code = DW_OK };
    if (take_add_arrays(&call, transforms, variants, depleted, &arrays) == 0) {
        batch = (dw_forest_batch) {
            .ids = call.ids.ids,
            .count = call.ids.count,
            .transforms = PyArray_DATA(arrays.transforms),
            .variants = arrays.variants == NULL ? NULL : PyArray_DATA(arrays.variants),
            .are_depleted = arrays.depleted == NULL ? NULL : PyArray_DATA(arrays.depleted),
        };
        Py_BEGIN_ALLOW_THREADS
        status = dw_forest_add(call.forest, &batch, &err);
        Py_END_ALLOW_THREADS
    }
    result = end_ids(&call, status, &err);
    Py_XDECREF(arrays.transforms);
    Py_XDECREF(arrays.variants);
    Py_XDECREF(arrays.depleted);
    Py_XDECREF(result);
    return result == NULL ? NULL : Py_NewRef(Py_None);
}

static PyObject *forest_remove(PyObject *self, PyObject *args)
{
    dw_status status = DW_ERROR_ARGUMENT;
    PyObject *ids;
    ids_call call;
    int is_strict;
    dw_error err;

    if (!PyArg_ParseTuple(args, "Op:_remove", &ids, &is_strict))
        return NULL;
    if (begin_ids(&call, self, ids, is_strict) == 0) {
        Py_BEGIN_ALLOW_THREADS
        status = dw_forest_remove(call.forest, &call.ids, &err);
        Py_END_ALLOW_THREADS
    }
    return end_ids(&call, status, &err);
}

static PyObject *forest_start(PyObject *self, PyObject *args)
{
    dw_dissolve_start start = { 0 };
    dw_status status = DW_ERROR_ARGUMENT;
    int direction, is_instant, is_strict;
    double duration;
    unsigned int easing;
    PyObject *ids;
    ids_call call;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OipdIp:_start", &ids, &direction, &is_instant, &duration, &easing,
                          &is_strict))
        return NULL;
    start.direction = direction;
    start.is_instant = is_instant != 0;
    start.duration = (float)duration;
    start.easing = easing;
    if (begin_ids(&call, self, ids, is_strict) == 0) {
        Py_BEGIN_ALLOW_THREADS
        status = dw_forest_dissolve_start(call.forest, &call.ids, start, &err);
        Py_END_ALLOW_THREADS
    }
    return end_ids(&call, status, &err);
}

static PyObject *forest_set_info(PyObject *self, PyObject *args)
{
    dw_status status = DW_ERROR_ARGUMENT;
    PyArrayObject *bits = NULL;
    PyObject *ids, *bits_object, *result;
    unsigned int mask;
    int is_strict;
    ids_call call;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OIOp:_set_info", &ids, &mask, &bits_object, &is_strict))
        return NULL;
    err = (dw_error) { .code = DW_OK };
    if (begin_ids(&call, self, ids, is_strict) == 0) {
        bits = dw_array_input(bits_object, NPY_UINT32, 1, 1, "bits");
        if (bits != NULL && check_length(&call, bits, "bits") == 0) {
            Py_BEGIN_ALLOW_THREADS
            status = dw_forest_set_info(call.forest, &call.ids, mask, PyArray_DATA(bits), &err);
            Py_END_ALLOW_THREADS
        }
    }
    result = end_ids(&call, status, &err);
    Py_XDECREF(bits);
    return result;
}

static PyObject *forest_find(PyObject *self, PyObject *args)
{
    dw_status status = DW_ERROR_ARGUMENT;
    PyObject *ids, *known;
    PyArrayObject *rows = NULL;
    npy_intp count;
    int is_strict;
    ids_call call;
    dw_error err;

    if (!PyArg_ParseTuple(args, "Op:_find", &ids, &is_strict))
        return NULL;
    err = (dw_error) { .code = DW_OK };
    if (begin_ids(&call, self, ids, is_strict) == 0) {
        count = call.ids.count;
        rows = (PyArrayObject *)PyArray_SimpleNew(1, &count, NPY_UINT32);
        if (rows != NULL)
            status = dw_forest_find(call.forest, &call.ids, PyArray_DATA(rows), &err);
    }
    known = end_ids(&call, status, &err);
    if (known == NULL) {
        Py_XDECREF(rows);
        return NULL;
    }
    return Py_BuildValue("(NN)", rows, known);
}

/* ---- the whole table ---- */

/* A copy of `data` as a new array. */
static PyObject *copy_out(const void *data, int rank, npy_intp *shape, int type)
{
    PyObject *array = PyArray_SimpleNew(rank, shape, type);

    if (array != NULL && PyArray_NBYTES((PyArrayObject *)array) > 0)
        memcpy(PyArray_DATA((PyArrayObject *)array), data,
               (size_t)PyArray_NBYTES((PyArrayObject *)array));
    return array;
}

/* Records of a struct as bytes, (count, size). */
static PyObject *copy_records(const void *data, size_t count, size_t size)
{
    npy_intp shape[2] = { (npy_intp)count, (npy_intp)size };

    return copy_out(data, 2, shape, NPY_UINT8);
}

/* By row; of live rows only, or with a number for each row. */
static PyObject *copy_ids(dw_forest *forest, bool has_all)
{
    const dw_id_map *map = dw_dissolve_field_ids(dw_forest_field(forest));
    uint32_t rows = dw_forest_row_count(forest);
    npy_intp count = (npy_intp)(has_all ? rows : dw_forest_count(forest));
    PyObject *array = PyArray_SimpleNew(1, &count, NPY_UINT64);
    uint64_t *out;

    if (array == NULL)
        return NULL;
    out = PyArray_DATA((PyArrayObject *)array);
    for (uint32_t row = 0; row < rows; row++)
        if (has_all || dw_id_map_is_live(map, row))
            *out++ = dw_id_map_id(map, row);
    return array;
}

static PyObject *forest_ids(PyObject *self, PyObject *all)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(self));
    dw_forest *forest = state == NULL ? NULL : dw_py_forest_begin(state, self, "self");
    PyObject *result;

    if (forest == NULL)
        return NULL;
    result = copy_ids(forest, all == Py_True);
    dw_py_forest_end(self);
    return result;
}

typedef struct gathered {
    PyArrayObject *rows, *infos, *transforms;
} gathered;

static int make_gathered(npy_intp count, gathered *out)
{
    npy_intp shape[2] = { count, 12 };

    out->rows = (PyArrayObject *)PyArray_SimpleNew(1, shape, NPY_UINT32);
    out->infos = (PyArrayObject *)PyArray_SimpleNew(1, shape, NPY_UINT32);
    out->transforms = (PyArrayObject *)PyArray_SimpleNew(2, shape, NPY_FLOAT32);
    return out->rows == NULL || out->infos == NULL || out->transforms == NULL ? -1 : 0;
}

static void fill_gathered(const dw_forest *forest, uint32_t count, const gathered *out)
{
    const uint32_t *rows = PyArray_DATA(out->rows);
    uint32_t *infos = PyArray_DATA(out->infos);
    float *transforms = PyArray_DATA(out->transforms);

    for (uint32_t i = 0; i < count; i++) {
        infos[i] = dw_forest_infos(forest)[rows[i]];
        memcpy(transforms + 12 * (size_t)i, dw_forest_transforms(forest) + 12 * (size_t)rows[i],
               12 * sizeof(float));
    }
}

static PyObject *forest_gather(PyObject *self, PyObject *ids)
{
    gathered out = { NULL, NULL, NULL };
    dw_status status = DW_ERROR_ARGUMENT;
    PyObject *known, *result = NULL;
    ids_call call;
    dw_error err;

    err = (dw_error) { .code = DW_OK };
    if (begin_ids(&call, self, ids, 1) == 0 && make_gathered(call.ids.count, &out) == 0)
        status = dw_forest_find(call.forest, &call.ids, PyArray_DATA(out.rows), &err);
    if (status == DW_OK)
        fill_gathered(call.forest, call.ids.count, &out);
    known = end_ids(&call, status, &err);
    if (known != NULL)
        result = Py_BuildValue("(OOO)", out.rows, out.infos, out.transforms);
    Py_XDECREF(known);
    Py_XDECREF(out.rows);
    Py_XDECREF(out.infos);
    Py_XDECREF(out.transforms);
    return result;
}

static PyObject *forest_bounds(PyObject *self, PyObject *unused)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(self));
    dw_forest *forest = state == NULL ? NULL : dw_py_forest_begin(state, self, "self");
    bool has_any;
    float box[6];

    (void)unused;
    if (forest == NULL)
        return NULL;
    has_any = dw_forest_bounds(forest, box);
    dw_py_forest_end(self);
    if (!has_any)
        Py_RETURN_NONE;
    return Py_BuildValue("(dddddd)", (double)box[0], (double)box[1], (double)box[2], (double)box[3],
                         (double)box[4], (double)box[5]);
}

static PyObject *forest_dissolve(PyObject *object, PyObject *unused)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(object));
    dw_forest *forest = state == NULL ? NULL : dw_py_forest_begin(state, object, "self");
    dw_py_forest *self = (dw_py_forest *)object;

    (void)unused;
    if (forest == NULL)
        return NULL;
    dw_py_forest_end(object);
    self->has_dissolve = true;
    return dw_py_dissolve_wrap(state, dw_forest_field(forest), object, &self->use_count);
}

static PyObject *forest_table(PyObject *self, PyObject *unused)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(self));
    dw_forest *forest = state == NULL ? NULL : dw_py_forest_begin(state, self, "self");
    PyObject *result = NULL;
    npy_intp rows, shape[2];

    (void)unused;
    if (forest == NULL)
        return NULL;
    rows = (npy_intp)dw_forest_row_count(forest);
    shape[0] = rows;
    shape[1] = 12;
    result = Py_BuildValue(
        "(NNNN)", copy_ids(forest, true),
        copy_records(dw_forest_records(forest), (size_t)rows, sizeof(dw_forest_record)),
        copy_out(dw_forest_infos(forest), 1, shape, NPY_UINT32),
        copy_out(dw_forest_transforms(forest), 2, shape, NPY_FLOAT32));
    dw_py_forest_end(self);
    return result;
}

static PyObject *forest_params(PyObject *self, PyObject *unused)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(self));
    dw_forest *forest = state == NULL ? NULL : dw_py_forest_begin(state, self, "self");
    const dw_forest_params *params;
    PyObject *result;
    npy_intp variants = DW_FOREST_VARIANTS_MAX;

    (void)unused;
    if (forest == NULL)
        return NULL;
    params = dw_forest_get_params(forest);
    result = Py_BuildValue("(NNN)", copy_records(&params->rules, 1, sizeof params->rules),
                           copy_records(params->cuts, DW_FOREST_LODS_MAX, sizeof params->cuts[0]),
                           copy_out(params->meshes, 1, &variants, NPY_UINT32));
    dw_py_forest_end(self);
    return result;
}

static PyObject *forest_set_draws(PyObject *self, PyObject *args)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(self));
    PyArrayObject *draws;
    dw_forest *forest;
    PyObject *object;
    dw_status status;
    dw_error err;

    if (state == NULL || !PyArg_ParseTuple(args, "O:_set_draws", &object))
        return NULL;
    draws = dw_array_input(object, NPY_UINT32, 2, 2, "draws");
    if (draws == NULL)
        return NULL;
    forest = PyArray_DIM(draws, 1) == 4 ? dw_py_forest_begin(state, self, "self") : NULL;
    if (PyArray_DIM(draws, 1) != 4)
        PyErr_SetString(PyExc_ValueError, "draws must have shape (N, 4)");
    if (forest == NULL) {
        Py_DECREF(draws);
        return NULL;
    }
    status =
        dw_forest_set_draws(forest, PyArray_DATA(draws), (uint32_t)PyArray_DIM(draws, 0), &err);
    dw_py_forest_end(self);
    Py_DECREF(draws);
    if (status != DW_OK) {
        dw_raise(state, &err);
        return NULL;
    }
    Py_RETURN_NONE;
}

/* ---- views ---- */

static PyObject *result_tuple(const dw_forest *forest, const dw_forest_result *result)
{
    size_t buckets = dw_forest_get_params(forest)->rules.bucket_count + DW_FOREST_COUNTERS;

    return Py_BuildValue(
        "(NNNN)", copy_records(result->buckets, buckets, sizeof(dw_forest_bucket)),
        copy_records(result->entries, result->entry_count, sizeof(dw_forest_entry)),
        copy_records(result->states, dw_forest_row_count(forest), sizeof(dw_forest_state)),
        copy_records(result->commands, result->draw_count, sizeof(dw_forest_command)));
}

static PyObject *forest_see(PyObject *self, PyObject *args)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(self));
    PyObject *device_object, *planes_object, *result = NULL;
    PyArrayObject *planes = NULL;
    double camera[3];
    dw_forest_result lists;
    dw_forest *forest = NULL;
    dw_device *device;
    unsigned int flags;
    int is_fetched;
    dw_glue_run run;
    dw_status status;
    dw_error err;

    if (state == NULL || !PyArg_ParseTuple(args, "OO(ddd)Ip:_see", &device_object, &planes_object,
                                           &camera[0], &camera[1], &camera[2], &flags, &is_fetched))
        return NULL;
    planes = dw_array_input(planes_object, NPY_DOUBLE, 2, 2, "planes");
    if (planes == NULL)
        return NULL;
    if (PyArray_DIM(planes, 0) != 6 || PyArray_DIM(planes, 1) != 4) {
        PyErr_SetString(PyExc_ValueError, "planes must have shape (6, 4)");
        goto done;
    }
    forest = dw_py_forest_begin(state, self, "self");
    if (forest == NULL || dw_py_forest_keep_device(state, self, device_object) < 0)
        goto done;
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        goto done;

    status = dw_forest_see(forest, device, PyArray_DATA(planes), camera, flags, &run.run,
                           is_fetched ? &lists : NULL, &err);

    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        result = is_fetched ? result_tuple(forest, &lists) : Py_NewRef(Py_None);
done:
    if (forest != NULL)
        dw_py_forest_end(self);
    Py_DECREF(planes);
    return result;
}

static PyObject *forest_states(PyObject *self, PyObject *device_object)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(self));
    dw_forest *forest = state == NULL ? NULL : dw_py_forest_begin(state, self, "self");
    const dw_forest_state *states = NULL;
    PyObject *result = NULL;
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;

    if (forest == NULL)
        return NULL;
    if (dw_py_forest_keep_device(state, self, device_object) < 0)
        goto done;
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        goto done;

    status = dw_forest_read_states(forest, device, &run.run, &states, &err);

    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        result = copy_records(states, dw_forest_row_count(forest), sizeof *states);
done:
    dw_py_forest_end(self);
    return result;
}

/* ---- the type ---- */

static PyObject *forest_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const dw_module_state *state = dw_type_get_state(type);
    dw_forest_def def = dw_forest_def_default();
    dw_py_forest *self;
    dw_status status;
    dw_error err;

    if (state == NULL || dw_take_forest_def(args, kwargs, &def) < 0)
        return NULL;
    self = (dw_py_forest *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->devices = PyTuple_New(0);
    if (self->devices == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    status = dw_forest_create(&def, &self->forest, &err);
    if (status != DW_OK) {
        dw_raise(state, &err);
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static int forest_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((dw_py_forest *)self)->devices);
    return 0;
}

static void forest_dealloc(PyObject *object)
{
    dw_py_forest *self = (dw_py_forest *)object;
    PyTypeObject *type = Py_TYPE(object);

    PyObject_GC_UnTrack(object);
    dw_forest_destroy(self->forest);
    dw_dissolve_field_destroy(self->kept);
    Py_XDECREF(self->devices);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *forest_close(PyObject *object, PyObject *unused)
{
    dw_py_forest *self = (dw_py_forest *)object;
    PyObject *none;

    (void)unused;
    if (self->use_count > 0) {
        PyErr_SetString(PyExc_ValueError,
                        "the forest is in use by another thread: close it afterwards");
        return NULL;
    }
    if (self->forest != NULL && self->has_dissolve)
        self->kept = dw_forest_release_field(self->forest);
    dw_forest_destroy(self->forest);
    self->forest = NULL;
    none = PyTuple_New(0);
    if (none == NULL)
        return NULL;
    Py_SETREF(self->devices, none);
    Py_RETURN_NONE;
}

static Py_ssize_t forest_length(PyObject *self)
{
    const dw_forest *forest = ((dw_py_forest *)self)->forest;

    return forest == NULL ? 0 : (Py_ssize_t)dw_forest_count(forest);
}

static PyObject *forest_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((dw_py_forest *)self)->forest == NULL);
}

static PyObject *forest_ticks(PyObject *self, void *unused)
{
    dw_forest *forest = ((dw_py_forest *)self)->forest;

    (void)unused;
    return PyLong_FromLongLong(
        forest == NULL ? 0 : dw_dissolve_field_now_ticks(dw_forest_field(forest)));
}

PyDoc_STRVAR(close_doc, "close($self, /)\n--\n\n"
                        "Give back all memory, also on devices. Closing twice is fine.\n\n"
                        "Raises\n------\n"
                        "ValueError\n"
                        "    Another thread is using it.");

static PyMethodDef forest_methods[] = {
    { "close", forest_close, METH_NOARGS, close_doc },
    { "_add", forest_add, METH_VARARGS,
      "_add($self, ids, transforms, variants, depleted, /)\n--\n\n"
      "uint64 (N,), float32 (N, 4, 4), uint8 (N,) or None, bool (N,) or None." },
    { "_remove", forest_remove, METH_VARARGS,
      "_remove($self, ids, strict, /)\n--\n\nWhich ids were there." },
    { "_start", forest_start, METH_VARARGS,
      "_start($self, ids, direction, instant, duration, easing, strict, /)\n--\n\n"
      "Which ids were there. duration NaN and easing 2**32 - 1: the forest's." },
    { "_set_info", forest_set_info, METH_VARARGS,
      "_set_info($self, ids, mask, bits, strict, /)\n--\n\nWhich ids were there." },
    { "_find", forest_find, METH_VARARGS,
      "_find($self, ids, strict, /)\n--\n\nRows, 2**32 - 1 where unknown, and which are known." },
    { "_ids", forest_ids, METH_O,
      "_ids($self, all, /)\n--\n\nBy row: all ids, those of empty rows too, or only live ones." },
    { "_gather", forest_gather, METH_O,
      "_gather($self, ids, /)\n--\n\nRows, info words and (N, 12) transforms of known ids." },
    { "_bounds", forest_bounds, METH_NOARGS,
      "_bounds($self, /)\n--\n\nSix numbers, the lower corner first, or None." },
    { "_dissolve", forest_dissolve, METH_NOARGS,
      "_dissolve($self, /)\n--\n\nThe DissolveField whose rows are the forest's." },
    { "_table", forest_table, METH_NOARGS,
      "_table($self, /)\n--\n\nBy row: ids, records as bytes, info words, (N, 12) transforms." },
    { "_params", forest_params, METH_NOARGS,
      "_params($self, /)\n--\n\nRules and cuts as bytes, mesh words." },
    { "_set_draws", forest_set_draws, METH_VARARGS,
      "_set_draws($self, draws, /)\n--\n\nuint32 (N, 4), as dw_forest_draw." },
    { "_see", forest_see, METH_VARARGS,
      "_see($self, device, planes, position, flags, fetch, /)\n--\n\n"
      "Buckets, entries, states and commands as bytes, or None." },
    { "_states", forest_states, METH_O,
      "_states($self, device, /)\n--\n\nStates by row as bytes." },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef forest_members[] = {
    { "closed", forest_closed, NULL, "True once close() was called.", NULL },
    { "_ticks", forest_ticks, NULL, "The time of the forest in steps of 2**-16 s.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot forest_slots[] = {
    { Py_tp_doc, DW_FOREST_NEW_DOC },  { Py_tp_new, forest_new },
    { Py_tp_dealloc, forest_dealloc }, { Py_tp_traverse, forest_traverse },
    { Py_tp_methods, forest_methods }, { Py_tp_getset, forest_members },
    { Py_sq_length, forest_length },   { 0, NULL },
};

static PyType_Spec forest_spec = {
    .name = "dapplewood._core.Forest",
    .basicsize = sizeof(dw_py_forest),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = forest_slots,
};

int dw_forest_exec(PyObject *module)
{
    dw_module_state *state = dw_module_get_state(module);

    state->forest_type = PyType_FromModuleAndSpec(module, &forest_spec, NULL);
    if (state->forest_type == NULL)
        return -1;
    return PyModule_AddType(module, (PyTypeObject *)state->forest_type);
}
