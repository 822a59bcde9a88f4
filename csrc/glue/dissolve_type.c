/* SPDX-License-Identifier: MIT */
#include "glue/dissolve_type.h"

#include "glue/arrays.h"
#include "glue/numbers.h"

#include <math.h>
#include <string.h>

/* ---- the GIL-free part of a method ---- */

/* The field, or NULL with an exception set while another thread works on it. */
static dw_dissolve_field *look(PyObject *object)
{
    dw_py_dissolve *self = (dw_py_dissolve *)object;

    if (*self->use_count == 0)
        return self->field;
    PyErr_SetString(PyExc_ValueError,
                    "the field is in use by another thread: use it from one at a time");
    return NULL;
}

static dw_dissolve_field *begin(dw_py_dissolve *self)
{
    dw_dissolve_field *field = look((PyObject *)self);

    *self->use_count += field != NULL;
    return field;
}

/* 0, or -1 with the exception set. */
static int end(dw_py_dissolve *self, dw_status status, const dw_error *err)
{
    --*self->use_count;
    if (status == DW_OK)
        return 0;
    dw_raise(dw_type_get_state(Py_TYPE(self)), err);
    return -1;
}

static int refuse_owned(const dw_py_dissolve *self, const char *what)
{
    if (self->owner == NULL)
        return 0;
    PyErr_Format(PyExc_ValueError,
                 "this field belongs to %.200s, whose rows it shares: %s trees there",
                 Py_TYPE(self->owner)->tp_name, what);
    return -1;
}

static PyArrayObject *take_ids(PyObject *object)
{
    return dw_array_input(object, NPY_UINT64, 1, 1, "ids");
}

/* One number for each id; NULL with an exception set. */
static PyArrayObject *take_column(PyObject *object, int type, const char *name, PyArrayObject *ids)
{
    PyArrayObject *column = dw_array_input(object, type, 1, 1, name);

    if (column != NULL && PyArray_DIM(column, 0) != PyArray_DIM(ids, 0)) {
        PyErr_Format(PyExc_ValueError, "%s must hold one number for each of %zd ids, got %zd", name,
                     (Py_ssize_t)PyArray_DIM(ids, 0), (Py_ssize_t)PyArray_DIM(column, 0));
        Py_CLEAR(column);
    }
    return column;
}

static PyObject *none_if(int result)
{
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

/* ---- life ---- */

static PyObject *field_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "duration",  "scale",    "easing", "encoding",
                             "direction", "softness", NULL };
    const dw_module_state *state = dw_type_get_state(type);
    dw_dissolve_def def = dw_dissolve_def_default();
    dw_py_dissolve *self;
    dw_error err;

    if (state == NULL || !PyArg_ParseTupleAndKeywords(args, kwargs, "|$ffIIIf:DissolveField", names,
                                                      &def.duration, &def.scale, &def.easing,
                                                      &def.encoding, &def.direction, &def.softness))
        return NULL;
    self = (dw_py_dissolve *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->use_count = &self->own_use_count;
    if (dw_dissolve_field_create(&def, &self->field, &err) != DW_OK) {
        dw_raise(state, &err);
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

PyObject *dw_py_dissolve_wrap(const dw_module_state *state, dw_dissolve_field *field,
                              PyObject *owner, int *use_count)
{
    PyTypeObject *type = (PyTypeObject *)state->dissolve_type;
    dw_py_dissolve *self = (dw_py_dissolve *)type->tp_alloc(type, 0);

    if (self == NULL)
        return NULL;
    self->field = field;
    self->owner = Py_NewRef(owner);
    self->use_count = use_count;
    return (PyObject *)self;
}

static int field_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((dw_py_dissolve *)self)->owner);
    return 0;
}

static void field_dealloc(PyObject *object)
{
    dw_py_dissolve *self = (dw_py_dissolve *)object;
    PyTypeObject *type = Py_TYPE(object);

    PyObject_GC_UnTrack(object);
    if (self->owner == NULL)
        dw_dissolve_field_destroy(self->field);
    Py_XDECREF(self->owner);
    type->tp_free(object);
    Py_DECREF(type);
}

/* ---- changes ---- */

static PyObject *field_add(PyObject *object, PyObject *args)
{
    dw_py_dissolve *self = (dw_py_dissolve *)object;
    PyArrayObject *ids = NULL, *initial = NULL;
    PyObject *ids_object, *initial_object;
    dw_dissolve_field *field;
    dw_status status;
    int result = -1;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OO:add", &ids_object, &initial_object) ||
        refuse_owned(self, "add") < 0)
        return NULL;
    ids = take_ids(ids_object);
    if (ids != NULL)
        initial = take_column(initial_object, NPY_FLOAT32, "initial", ids);
    field = initial == NULL ? NULL : begin(self);
    if (field == NULL)
        goto done;
    Py_BEGIN_ALLOW_THREADS
    status = dw_dissolve_field_add(field, PyArray_DATA(ids), (uint64_t)PyArray_DIM(ids, 0),
                                   PyArray_DATA(initial), NULL, &err);
    Py_END_ALLOW_THREADS
    result = end(self, status, &err);
done:
    Py_XDECREF(ids);
    Py_XDECREF(initial);
    return none_if(result);
}

static PyObject *field_remove(PyObject *object, PyObject *args)
{
    dw_py_dissolve *self = (dw_py_dissolve *)object;
    dw_dissolve_field *field;
    PyArrayObject *ids;
    PyObject *ids_object;
    uint64_t removed = 0;
    dw_status status;
    int result = -1, is_strict = 0;
    dw_error err;

    if (!PyArg_ParseTuple(args, "O|p:remove", &ids_object, &is_strict) ||
        refuse_owned(self, "remove") < 0)
        return NULL;
    ids = take_ids(ids_object);
    field = ids == NULL ? NULL : begin(self);
    if (field == NULL)
        goto done;
    Py_BEGIN_ALLOW_THREADS
    status = dw_dissolve_field_remove(field, PyArray_DATA(ids), (uint64_t)PyArray_DIM(ids, 0),
                                      is_strict != 0, NULL, &removed, &err);
    Py_END_ALLOW_THREADS
    result = end(self, status, &err);
done:
    Py_XDECREF(ids);
    return result < 0 ? NULL : PyLong_FromUnsignedLongLong(removed);
}

static PyObject *field_start(PyObject *object, PyObject *args)
{
    dw_py_dissolve *self = (dw_py_dissolve *)object;
    dw_dissolve_start start = { .duration = NAN, .easing = UINT32_MAX };
    PyArrayObject *ids = NULL, *durations = NULL;
    PyObject *ids_object, *durations_object, *easing_object;
    int result = -1, is_instant, easing = 0;
    dw_dissolve_field *field = NULL;
    dw_status status;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OipOO:start", &ids_object, &start.direction, &is_instant,
                          &durations_object, &easing_object))
        return NULL;
    if (easing_object != Py_None && dw_take_int(easing_object, "easing", &easing) < 0)
        return NULL;
    start.easing = easing_object == Py_None ? UINT32_MAX : (uint32_t)easing;
    start.is_instant = is_instant != 0;
    ids = take_ids(ids_object);
    if (ids != NULL && durations_object != Py_None) {
        durations = take_column(durations_object, NPY_FLOAT32, "duration", ids);
        start.durations = durations == NULL ? NULL : PyArray_DATA(durations);
    }
    if (ids != NULL && (durations_object == Py_None || durations != NULL))
        field = begin(self);
    if (field == NULL)
        goto done;
    Py_BEGIN_ALLOW_THREADS
    status = dw_dissolve_field_start(field, PyArray_DATA(ids), (uint64_t)PyArray_DIM(ids, 0),
                                     &start, &err);
    Py_END_ALLOW_THREADS
    result = end(self, status, &err);
done:
    Py_XDECREF(ids);
    Py_XDECREF(durations);
    return none_if(result);
}

/* set and highlight: ids and a column. */
static PyObject *change(dw_py_dissolve *self, PyObject *args, bool is_highlight)
{
    const char *name = is_highlight ? "intensity" : "values";
    PyArrayObject *ids = NULL, *column = NULL;
    PyObject *ids_object, *column_object;
    dw_dissolve_field *field;
    dw_status status;
    uint64_t count;
    int result = -1;
    dw_error err;

    if (!PyArg_ParseTuple(args, "OO", &ids_object, &column_object))
        return NULL;
    ids = take_ids(ids_object);
    if (ids != NULL)
        column = take_column(column_object, is_highlight ? NPY_UINT8 : NPY_FLOAT32, name, ids);
    field = column == NULL ? NULL : begin(self);
    if (field == NULL)
        goto done;
    count = (uint64_t)PyArray_DIM(ids, 0);
    Py_BEGIN_ALLOW_THREADS
    if (is_highlight)
        status = dw_dissolve_field_set_highlight(field, PyArray_DATA(ids), count,
                                                 PyArray_DATA(column), &err);
    else
        status = dw_dissolve_field_set(field, PyArray_DATA(ids), count, PyArray_DATA(column), &err);
    Py_END_ALLOW_THREADS
    result = end(self, status, &err);
done:
    Py_XDECREF(ids);
    Py_XDECREF(column);
    return none_if(result);
}

static PyObject *field_set(PyObject *object, PyObject *args)
{
    return change((dw_py_dissolve *)object, args, false);
}

static PyObject *field_highlight(PyObject *object, PyObject *args)
{
    return change((dw_py_dissolve *)object, args, true);
}

/* (ids, kinds, times) of the events, or None. */
static PyObject *make_events(const dw_dissolve_field *field)
{
    uint64_t count;
    const dw_dissolve_event_row *events = dw_dissolve_field_events(field, &count);
    npy_intp size = (npy_intp)count;
    PyObject *ids, *kinds, *times;

    if (count == 0)
        Py_RETURN_NONE;
    ids = PyArray_SimpleNew(1, &size, NPY_UINT64);
    kinds = PyArray_SimpleNew(1, &size, NPY_UINT8);
    times = PyArray_SimpleNew(1, &size, NPY_FLOAT64);
    if (ids == NULL || kinds == NULL || times == NULL) {
        Py_XDECREF(ids);
        Py_XDECREF(kinds);
        Py_XDECREF(times);
        return NULL;
    }
    for (npy_intp i = 0; i < size; i++) {
        ((uint64_t *)PyArray_DATA((PyArrayObject *)ids))[i] = events[i].id;
        ((uint8_t *)PyArray_DATA((PyArrayObject *)kinds))[i] = (uint8_t)events[i].kind;
        ((double *)PyArray_DATA((PyArrayObject *)times))[i] = events[i].time;
    }
    return Py_BuildValue("(NNN)", ids, kinds, times);
}

static PyObject *field_tick(PyObject *object, PyObject *dt_object)
{
    dw_py_dissolve *self = (dw_py_dissolve *)object;
    dw_dissolve_field *field;
    dw_status status;
    double dt;
    dw_error err;

    if (dw_take_double(dt_object, "dt", &dt) < 0)
        return NULL;
    field = begin(self);
    if (field == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = dw_dissolve_field_tick(field, dt, &err);
    Py_END_ALLOW_THREADS
    return end(self, status, &err) < 0 ? NULL : make_events(field);
}

/* ---- what is there ---- */

/* Rows of the ids; NULL with an exception set when one is not there. */
static PyObject *field_rows(PyObject *object, PyObject *ids_object)
{
    const dw_dissolve_field *field = look(object);
    PyArrayObject *ids = field == NULL ? NULL : take_ids(ids_object);
    PyObject *rows = NULL;

    if (ids != NULL)
        rows = PyArray_SimpleNew(1, PyArray_DIMS(ids), NPY_UINT32);
    for (npy_intp i = 0; rows != NULL && i < PyArray_DIM(ids, 0); i++) {
        uint64_t id = ((const uint64_t *)PyArray_DATA(ids))[i];
        uint32_t row = dw_id_map_find(dw_dissolve_field_ids(field), id);

        ((uint32_t *)PyArray_DATA((PyArrayObject *)rows))[i] = row;
        if (row == DW_ROW_NONE) {
            PyErr_Format(PyExc_ValueError, "ids must be in the field, got %llu: add it",
                         (unsigned long long)id);
            Py_CLEAR(rows);
        }
    }
    Py_XDECREF(ids);
    return rows;
}

typedef const float *(*column_fn)(const dw_dissolve_field *field);

static PyObject *gather(PyObject *object, PyObject *ids, column_fn column_of)
{
    PyObject *rows = field_rows(object, ids), *out = NULL;

    if (rows != NULL)
        out = PyArray_SimpleNew(1, PyArray_DIMS((PyArrayObject *)rows), NPY_FLOAT32);
    for (npy_intp i = 0; out != NULL && i < PyArray_DIM((PyArrayObject *)rows, 0); i++)
        ((float *)PyArray_DATA((PyArrayObject *)out))[i] =
            column_of(((dw_py_dissolve *)object)
                          ->field)[((const uint32_t *)PyArray_DATA((PyArrayObject *)rows))[i]];
    Py_XDECREF(rows);
    return out;
}

static PyObject *field_value(PyObject *object, PyObject *ids)
{
    return gather(object, ids, dw_dissolve_field_values);
}

static PyObject *field_progress(PyObject *object, PyObject *ids)
{
    return gather(object, ids, dw_dissolve_field_progress);
}

static PyObject *field_ids(PyObject *object, PyObject *unused)
{
    const dw_dissolve_field *field = look(object);
    const dw_id_map *map = field == NULL ? NULL : dw_dissolve_field_ids(field);
    npy_intp count = map == NULL ? 0 : (npy_intp)dw_id_map_count(map), at = 0;
    PyObject *ids = map == NULL ? NULL : PyArray_SimpleNew(1, &count, NPY_UINT64);

    (void)unused;
    for (uint32_t row = 0; ids != NULL && row < dw_id_map_row_count(map); row++)
        if (dw_id_map_is_live(map, row))
            ((uint64_t *)PyArray_DATA((PyArrayObject *)ids))[at++] = dw_id_map_id(map, row);
    return ids;
}

static PyObject *copy_out(const void *data, int type, int rank, npy_intp *shape)
{
    PyObject *out = PyArray_SimpleNew(rank, shape, type);

    if (out != NULL && data != NULL)
        memcpy(PyArray_DATA((PyArrayObject *)out), data,
               (size_t)PyArray_NBYTES((PyArrayObject *)out));
    return out;
}

static PyObject *field_encoded(PyObject *object, PyObject *unused)
{
    const dw_dissolve_field *field = look(object);
    npy_intp shape[2] = { 0, 0 };

    (void)unused;
    if (field == NULL)
        return NULL;
    shape[0] = (npy_intp)dw_dissolve_field_row_count(field);
    switch ((dw_dissolve_encoding)dw_dissolve_field_def(field)->encoding) {
    case DW_DISSOLVE_ENCODING_FLOAT32:
        return copy_out(dw_dissolve_field_values(field), NPY_FLOAT32, 1, shape);
    case DW_DISSOLVE_ENCODING_UNORM8:
        shape[1] = 4;
        return copy_out(dw_dissolve_field_colors(field), NPY_UINT8, 2, shape);
    case DW_DISSOLVE_ENCODING_ANALYTIC:
        shape[1] = sizeof(dw_dissolve_state);
        return copy_out(dw_dissolve_field_states(field), NPY_UINT8, 2, shape);
    }
    dw_unreachable();
    return NULL;
}

static PyObject *field_rates(PyObject *object, PyObject *unused)
{
    const dw_dissolve_field *field = look(object);
    npy_intp count = field == NULL ? 0 : (npy_intp)dw_dissolve_field_row_count(field);

    (void)unused;
    return field == NULL ? NULL : copy_out(dw_dissolve_field_rates(field), NPY_FLOAT32, 1, &count);
}

static PyObject *field_take_dirty(PyObject *object, PyObject *unused)
{
    dw_dissolve_field *field = look(object);
    uint32_t begin_row, end_row;

    (void)unused;
    if (field == NULL)
        return NULL;
    if (!dw_dissolve_field_take_dirty(field, &begin_row, &end_row))
        Py_RETURN_NONE;
    return Py_BuildValue("(II)", begin_row, end_row);
}

static Py_ssize_t field_length(PyObject *object)
{
    const dw_dissolve_field *field = look(object);

    return field == NULL ? -1 : (Py_ssize_t)dw_id_map_count(dw_dissolve_field_ids(field));
}

static int field_contains(PyObject *object, PyObject *id)
{
    const dw_dissolve_field *field = look(object);
    PyObject *index = field == NULL ? NULL : PyNumber_Index(id);
    uint64_t value = index == NULL ? 0 : PyLong_AsUnsignedLongLong(index);

    Py_XDECREF(index);
    if (field == NULL)
        return -1;
    if (PyErr_Occurred()) { /* nothing that could be an id */
        PyErr_Clear();
        return 0;
    }
    return dw_id_map_find(dw_dissolve_field_ids(field), value) != DW_ROW_NONE;
}

static PyObject *field_active(PyObject *object, void *unused)
{
    const dw_dissolve_field *field = look(object);

    (void)unused;
    return field == NULL ? NULL : PyLong_FromUnsignedLong(dw_dissolve_field_active_count(field));
}

static PyObject *field_now(PyObject *object, void *unused)
{
    const dw_dissolve_field *field = look(object);

    (void)unused;
    return field == NULL ? NULL : PyFloat_FromDouble(dw_dissolve_field_now(field));
}

static PyObject *field_now_ticks(PyObject *object, void *unused)
{
    const dw_dissolve_field *field = look(object);

    (void)unused;
    return field == NULL ? NULL : PyLong_FromLongLong(dw_dissolve_field_now_ticks(field));
}

static PyObject *field_definition(PyObject *object, void *unused)
{
    const dw_dissolve_def *def = dw_dissolve_field_def(((dw_py_dissolve *)object)->field);

    (void)unused;
    return Py_BuildValue("{s:f,s:f,s:I,s:I,s:I,s:f}", "duration", def->duration, "scale",
                         def->scale, "easing", def->easing, "encoding", def->encoding, "direction",
                         def->direction, "softness", def->softness);
}

static PyMethodDef field_methods[] = {
    { "add", field_add, METH_VARARGS, "add($self, ids, initial, /)\n--\n\nNew rows." },
    { "remove", field_remove, METH_VARARGS,
      "remove($self, ids, strict=False, /)\n--\n\nHow many of them were there." },
    { "start", field_start, METH_VARARGS,
      "start($self, ids, direction, instant, durations, easing, /)\n--\n\nStart animations." },
    { "set", field_set, METH_VARARGS, "set($self, ids, values, /)\n--\n\nSet values." },
    { "highlight", field_highlight, METH_VARARGS,
      "highlight($self, ids, intensity, /)\n--\n\nSet the highlight of unorm8 colours." },
    { "tick", field_tick, METH_O,
      "tick($self, dt, /)\n--\n\nGo on; ids, kinds and times of events, or None." },
    { "rows", field_rows, METH_O, "rows($self, ids, /)\n--\n\nRows in the arrays." },
    { "value", field_value, METH_O, "value($self, ids, /)\n--\n\nWhat is drawn." },
    { "progress", field_progress, METH_O, "progress($self, ids, /)\n--\n\nLinear in time." },
    { "ids", field_ids, METH_NOARGS, "ids($self, /)\n--\n\nAll ids, by row." },
    { "encoded", field_encoded, METH_NOARGS, "encoded($self, /)\n--\n\nWhat a device gets." },
    { "rates", field_rates, METH_NOARGS, "rates($self, /)\n--\n\nProgress a tick, by row." },
    { "take_dirty", field_take_dirty, METH_NOARGS,
      "take_dirty($self, /)\n--\n\nFirst row and end of what changed since the last call." },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef field_members[] = {
    { "active", field_active, NULL, "Animations in flight.", NULL },
    { "now", field_now, NULL, "Sum of all dt, in seconds.", NULL },
    { "now_ticks", field_now_ticks, NULL, "Sum of all dt, in whole ticks of 2^-16 s.", NULL },
    { "definition", field_definition, NULL, "What the field was made with.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot field_slots[] = {
    { Py_tp_doc, "DissolveField(*, duration=..., scale=..., easing=..., encoding=..., "
                 "direction=..., softness=...)\n--\n\nDissolve animations by id." },
    { Py_tp_new, field_new },
    { Py_tp_dealloc, field_dealloc },
    { Py_tp_traverse, field_traverse },
    { Py_tp_methods, field_methods },
    { Py_tp_getset, field_members },
    { Py_sq_length, field_length },
    { Py_sq_contains, field_contains },
    { 0, NULL },
};

static PyType_Spec field_spec = {
    .name = "dapplewood._core.DissolveField",
    .basicsize = sizeof(dw_py_dissolve),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = field_slots,
};

int dw_dissolve_exec(PyObject *module)
{
    dw_module_state *state = dw_module_get_state(module);

    state->dissolve_type = PyType_FromModuleAndSpec(module, &field_spec, NULL);
    if (state->dissolve_type == NULL)
        return -1;
    return PyModule_AddType(module, (PyTypeObject *)state->dissolve_type);
}
