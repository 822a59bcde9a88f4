/* SPDX-License-Identifier: MIT */
#include "glue/particles_type.h"
#include "base/alloc.h"
#include "glue/arrays.h"
#include "glue/device_type.h"
#include "glue/particles_effect.h"
#include "glue/particles_read.h"

#include <math.h>
#include <string.h>

dw_hub *dw_py_hub_begin(const dw_module_state *state, PyObject *object, const char *argument)
{
    dw_py_hub *self = (dw_py_hub *)object;

    if (!PyObject_TypeCheck(object, (PyTypeObject *)state->hub_type)) {
        PyErr_Format(PyExc_TypeError, "%s must be a dapplewood.ParticleManager, got %.200s",
                     argument, Py_TYPE(object)->tp_name);
        return NULL;
    }
    if (self->hub == NULL) {
        PyErr_SetString(PyExc_ValueError,
                        "the ParticleManager is closed: make a new ParticleManager");
        return NULL;
    }
    if (self->use_count > 0) {
        PyErr_SetString(PyExc_ValueError,
                        "the ParticleManager is in use by another thread: one thread at a time");
        return NULL;
    }
    self->use_count++;
    return self->hub;
}

dw_hub *dw_py_hub_self(PyObject *self, const dw_module_state **state)
{
    *state = dw_type_get_state(Py_TYPE(self));
    return *state == NULL ? NULL : dw_py_hub_begin(*state, self, "self");
}

void dw_py_hub_end(PyObject *object)
{
    ((dw_py_hub *)object)->use_count--;
}

int dw_py_hub_keep_device(const dw_module_state *state, PyObject *object, PyObject *device)
{
    return dw_py_device_keep(state, &((dw_py_hub *)object)->devices, device);
}

/* None, or the exception of `err`. */
static PyObject *end(PyObject *self, const dw_module_state *state, dw_status status,
                     const dw_error *err)
{
    dw_py_hub_end(self);
    if (status == DW_OK)
        Py_RETURN_NONE;
    dw_raise(state, err);
    return NULL;
}

/* ---- layers and effects ---- */

static PyObject *hub_add_layer(PyObject *self, PyObject *args)
{
    const dw_module_state *state;
    unsigned long long limit;
    dw_status status;
    uint32_t layer;
    int is_sorted;
    PyObject *done;
    dw_error err;
    dw_hub *hub;

    if (!PyArg_ParseTuple(args, "pK:_add_layer", &is_sorted, &limit))
        return NULL;
    hub = dw_py_hub_self(self, &state);
    if (hub == NULL)
        return NULL;
    status = dw_hub_add_layer(hub, is_sorted != 0, limit, &layer, &err);
    done = end(self, state, status, &err);
    Py_XDECREF(done);
    return done == NULL ? NULL : PyLong_FromUnsignedLong(layer);
}

static PyObject *hub_change_layer(PyObject *self, PyObject *args)
{
    const dw_module_state *state;
    unsigned long long limit;
    unsigned int layer;
    int is_sorted;
    dw_hub *hub;

    if (!PyArg_ParseTuple(args, "IpK:_change_layer", &layer, &is_sorted, &limit))
        return NULL;
    hub = dw_py_hub_self(self, &state);
    if (hub == NULL)
        return NULL;
    if (layer >= dw_hub_layer_count(hub) || dw_hub_get_stats(hub, layer).rows > 0) {
        dw_py_hub_end(self);
        return PyErr_Format(PyExc_ValueError, "layer %u is not there, or holds emitters", layer);
    }
    dw_hub_change_layer(hub, layer, is_sorted != 0, limit);
    return end(self, state, DW_OK, NULL);
}

static PyObject *hub_add_effect(PyObject *self, PyObject *rows)
{
    const dw_module_state *state;
    uint32_t count, effect;
    dw_hub_part *parts;
    dw_status status;
    PyObject *done;
    dw_error err;
    dw_hub *hub;

    if (dw_take_particle_parts(rows, &parts, &count) < 0)
        return NULL;
    hub = dw_py_hub_self(self, &state);
    if (hub == NULL) {
        dw_free(parts);
        return NULL;
    }
    status = dw_hub_add_effect(hub, parts, count, &effect, &err);
    dw_free(parts);
    done = end(self, state, status, &err);
    Py_XDECREF(done);
    return done == NULL ? NULL : PyLong_FromUnsignedLong(effect);
}

static PyObject *hub_free_effects(PyObject *self, PyObject *unused)
{
    const dw_module_state *state;
    dw_hub *hub = dw_py_hub_self(self, &state);
    PyObject *array;
    npy_intp count;

    (void)unused;
    if (hub == NULL)
        return NULL;
    count = (npy_intp)dw_hub_effect_count(hub);
    array = PyArray_SimpleNew(1, &count, NPY_BOOL);
    if (array != NULL)
        dw_hub_free_effects(hub, PyArray_DATA((PyArrayObject *)array));
    dw_py_hub_end(self);
    return array;
}

/* ---- emitters ---- */

/* Arrays of a call that takes several; freed by drop_arrays. */
typedef struct batch_arrays {
    PyArrayObject *uids, *positions, *replaced, *points, *emitters, *slots;
} batch_arrays;

static void drop_arrays(batch_arrays *arrays)
{
    Py_XDECREF(arrays->uids);
    Py_XDECREF(arrays->positions);
    Py_XDECREF(arrays->replaced);
    Py_XDECREF(arrays->points);
    Py_XDECREF(arrays->emitters);
    Py_XDECREF(arrays->slots);
}

static int check_rows(PyArrayObject *array, npy_intp count, const char *argument)
{
    if (PyArray_DIM(array, 0) == count)
        return 0;
    PyErr_Format(PyExc_ValueError, "%s must have one row for each of the %zd ids, got %zd",
                 argument, (Py_ssize_t)count, (Py_ssize_t)PyArray_DIM(array, 0));
    return -1;
}

/* (N, 3) float32. */
static PyArrayObject *take_points(PyObject *object, const char *argument)
{
    PyArrayObject *array = dw_array_input(object, NPY_FLOAT32, 2, 2, argument);

    if (array != NULL && PyArray_DIM(array, 1) != 3) {
        PyErr_Format(PyExc_ValueError, "%s must have shape (N, 3), got (%zd, %zd)", argument,
                     (Py_ssize_t)PyArray_DIM(array, 0), (Py_ssize_t)PyArray_DIM(array, 1));
        Py_CLEAR(array);
    }
    return array;
}

/* Numbers of emitters that the hub knows, or DW_HUB_NONE. */
static PyArrayObject *take_emitters(const dw_hub *hub, PyObject *object)
{
    PyArrayObject *array = dw_array_input(object, NPY_UINT32, 1, 1, "emitters");

    if (array == NULL)
        return NULL;
    if (!dw_hub_are_known(hub, PyArray_DATA(array), (uint32_t)PyArray_DIM(array, 0))) {
        PyErr_SetString(PyExc_ValueError, "emitters holds a number that the hub does not know");
        Py_CLEAR(array);
    }
    return array;
}

static int take_batch(const dw_hub *hub, PyObject *const objects[4], batch_arrays *arrays,
                      dw_hub_batch *batch)
{
    npy_intp count;

    arrays->uids = dw_array_input(objects[0], NPY_UINT64, 1, 1, "uids");
    if (arrays->uids == NULL)
        return -1;
    count = PyArray_DIM(arrays->uids, 0);
    if (count > (npy_intp)(UINT32_MAX / 4)) {
        PyErr_Format(PyExc_ValueError, "ids: at most %u in one call, got %zd", UINT32_MAX / 4,
                     (Py_ssize_t)count);
        return -1;
    }
    arrays->positions = take_points(objects[1], "positions");
    if (arrays->positions == NULL || check_rows(arrays->positions, count, "positions") < 0)
        return -1;
    arrays->replaced = take_emitters(hub, objects[2]);
    if (arrays->replaced == NULL || check_rows(arrays->replaced, count, "replaced") < 0)
        return -1;
    if (objects[3] != Py_None) {
        arrays->points = take_points(objects[3], "surface");
        if (arrays->points == NULL)
            return -1;
        batch->points = PyArray_DATA(arrays->points);
        batch->point_count = (uint32_t)PyArray_DIM(arrays->points, 0);
    }
    arrays->emitters = (PyArrayObject *)PyArray_SimpleNew(1, &count, NPY_UINT32);
    arrays->slots = (PyArrayObject *)PyArray_SimpleNew(1, &count, NPY_UINT32);
    batch->count = (uint32_t)count;
    batch->uids = PyArray_DATA(arrays->uids);
    batch->positions = PyArray_DATA(arrays->positions);
    batch->replaced = PyArray_DATA(arrays->replaced);
    return arrays->emitters == NULL || arrays->slots == NULL ? -1 : 0;
}

static PyObject *hub_register(PyObject *self, PyObject *args)
{
    PyObject *objects[4], *result = NULL, *done;
    dw_status status = DW_ERROR_ARGUMENT;
    batch_arrays arrays = { NULL, NULL, NULL, NULL, NULL, NULL };
    const dw_module_state *state;
    dw_hub_batch batch = { 0 };
    dw_error err;
    dw_hub *hub;

    if (!PyArg_ParseTuple(args, "OOOIdf(III)(fff)OI:_register_core", &objects[0], &objects[1],
                          &objects[2], &batch.effect, &batch.share, &batch.scale, &batch.colors[0],
                          &batch.colors[1], &batch.colors[2], &batch.extent[0], &batch.extent[1],
                          &batch.extent[2], &objects[3], &batch.flags))
        return NULL;
    hub = dw_py_hub_self(self, &state);
    if (hub == NULL)
        return NULL;
    if (take_batch(hub, objects, &arrays, &batch) < 0) {
        dw_py_hub_end(self);
        goto done;
    }

    Py_BEGIN_ALLOW_THREADS
    status = dw_hub_register(hub, &batch, PyArray_DATA(arrays.emitters), PyArray_DATA(arrays.slots),
                             &err);
    Py_END_ALLOW_THREADS

    done = end(self, state, status, &err);
    Py_XDECREF(done);
    if (done != NULL)
        result = Py_BuildValue("(OO)", arrays.emitters, arrays.slots);
done:
    drop_arrays(&arrays);
    return result;
}

static PyObject *hub_unregister(PyObject *self, PyObject *object)
{
    const dw_module_state *state;
    dw_hub *hub = dw_py_hub_self(self, &state);
    PyArrayObject *emitters;

    if (hub == NULL)
        return NULL;
    emitters = take_emitters(hub, object);
    if (emitters != NULL) {
        Py_BEGIN_ALLOW_THREADS
        dw_hub_unregister(hub, PyArray_DATA(emitters), (uint32_t)PyArray_DIM(emitters, 0));
        Py_END_ALLOW_THREADS
    }
    dw_py_hub_end(self);
    Py_XDECREF(emitters);
    return emitters == NULL ? NULL : Py_NewRef(Py_None);
}

static PyObject *hub_move(PyObject *self, PyObject *args)
{
    PyArrayObject *emitters = NULL, *positions = NULL;
    PyObject *objects[2], *result = NULL;
    const dw_module_state *state;
    dw_status status;
    dw_error err;
    int is_trail;
    dw_hub *hub;

    if (!PyArg_ParseTuple(args, "OOp:_move", &objects[0], &objects[1], &is_trail))
        return NULL;
    hub = dw_py_hub_self(self, &state);
    if (hub == NULL)
        return NULL;
    emitters = take_emitters(hub, objects[0]);
    positions = emitters == NULL ? NULL : take_points(objects[1], "positions");
    if (positions == NULL || check_rows(positions, PyArray_DIM(emitters, 0), "positions") < 0) {
        dw_py_hub_end(self);
        goto done;
    }

    Py_BEGIN_ALLOW_THREADS
    status = dw_hub_move(hub, PyArray_DATA(emitters), (uint32_t)PyArray_DIM(emitters, 0),
                         PyArray_DATA(positions), is_trail != 0, &err);
    Py_END_ALLOW_THREADS

    result = end(self, state, status, &err);
done:
    Py_XDECREF(emitters);
    Py_XDECREF(positions);
    return result;
}

static PyObject *hub_apply(PyObject *self, PyObject *args)
{
    const dw_module_state *state;
    PyArrayObject *emitters;
    PyObject *object;
    dw_hub *hub;
    int what;

    if (!PyArg_ParseTuple(args, "Oi:_apply", &object, &what))
        return NULL;
    hub = dw_py_hub_self(self, &state);
    if (hub == NULL)
        return NULL;
    emitters = take_emitters(hub, object);
    if (emitters != NULL)
        dw_hub_apply(hub, PyArray_DATA(emitters), (uint32_t)PyArray_DIM(emitters, 0),
                     (dw_hub_change)what);
    dw_py_hub_end(self);
    Py_XDECREF(emitters);
    return emitters == NULL ? NULL : Py_NewRef(Py_None);
}

static PyObject *hub_set_rate(PyObject *self, PyObject *args)
{
    const dw_module_state *state;
    PyArrayObject *emitters;
    dw_status status;
    PyObject *object, *result;
    unsigned int rate;
    dw_error err;
    dw_hub *hub;

    if (!PyArg_ParseTuple(args, "OI:_set_rate", &object, &rate))
        return NULL;
    hub = dw_py_hub_self(self, &state);
    if (hub == NULL)
        return NULL;
    emitters = take_emitters(hub, object);
    if (emitters == NULL) {
        dw_py_hub_end(self);
        return NULL;
    }
    status = dw_hub_set_rate(hub, PyArray_DATA(emitters), (uint32_t)PyArray_DIM(emitters, 0), rate,
                             &err);
    result = end(self, state, status, &err);
    Py_DECREF(emitters);
    return result;
}

static PyObject *hub_emit(PyObject *self, PyObject *args)
{
    unsigned int emitter, count;
    const dw_module_state *state;
    dw_status status;
    uint32_t slots;
    PyObject *done;
    dw_error err;
    dw_hub *hub;

    if (!PyArg_ParseTuple(args, "II:_emit", &emitter, &count))
        return NULL;
    hub = dw_py_hub_self(self, &state);
    if (hub == NULL)
        return NULL;
    if (emitter == DW_HUB_NONE || !dw_hub_are_known(hub, &emitter, 1))
        status = dw_fail(&err, DW_ERROR_ARGUMENT, "the hub does not know emitter %u", emitter);
    else
        status = dw_hub_emit(hub, emitter, count, &slots, &err);
    done = end(self, state, status, &err);
    Py_XDECREF(done);
    return done == NULL ? NULL : PyLong_FromUnsignedLong(slots);
}

/* ---- time ---- */

static int take_seconds(PyObject *object, const char *argument, double *out)
{
    *out = PyFloat_AsDouble(object);
    if (*out == -1.0 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "%s must be a number of seconds, got %.200s", argument,
                         Py_TYPE(object)->tp_name);
        return -1;
    }
    if (isfinite(*out))
        return 0;
    PyErr_Format(PyExc_ValueError, "%s must be a finite number of seconds, got %R", argument,
                 object);
    return -1;
}

typedef dw_status (*time_function)(dw_hub *hub, double seconds, const dw_run *run, dw_error *err);

/* Simulated particles go with the clock, on the device that they live on. */
static PyObject *set_time(PyObject *self, PyObject *object, const char *argument,
                          time_function function)
{
    const dw_module_state *state;
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    double seconds;
    dw_error err;
    dw_hub *hub;
    int result;

    if (take_seconds(object, argument, &seconds) < 0)
        return NULL;
    hub = dw_py_hub_self(self, &state);
    if (hub == NULL)
        return NULL;
    if (!dw_hub_is_simulating(hub)) {
        status = function(hub, seconds, NULL, &err);
        return end(self, state, status, &err);
    }
    device = dw_py_run_begin(state, ((dw_py_hub *)self)->home, &run);
    if (device == NULL) {
        dw_py_hub_end(self);
        return NULL;
    }

    status = function(hub, seconds, &run.run, &err);

    result = dw_py_run_end(state, device, &run, status, &err);
    dw_py_hub_end(self);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *hub_advance(PyObject *self, PyObject *object)
{
    return set_time(self, object, "dt", dw_hub_advance);
}

static PyObject *hub_seek(PyObject *self, PyObject *object)
{
    return set_time(self, object, "time", dw_hub_seek);
}

static PyObject *hub_set_home(PyObject *self, PyObject *object)
{
    const dw_module_state *state;
    dw_hub *hub = dw_py_hub_self(self, &state);
    dw_py_hub *own = (dw_py_hub *)self;
    dw_device *device = NULL;
    dw_status status;
    dw_error err;

    if (hub == NULL)
        return NULL;
    if (own->home == NULL && dw_py_hub_keep_device(state, self, object) == 0)
        device = dw_py_device_begin(state, object, "device");
    if (device == NULL) {
        dw_py_hub_end(self);
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    }
    status = dw_hub_set_home(hub, device, &err);
    dw_device_end_use(device);
    if (status == DW_OK)
        own->home = Py_NewRef(object);
    return end(self, state, status, &err);
}

static PyObject *hub_set_paused(PyObject *self, PyObject *object)
{
    const dw_module_state *state;
    int is_paused = PyObject_IsTrue(object);
    dw_hub *hub = is_paused < 0 ? NULL : dw_py_hub_self(self, &state);

    if (hub == NULL)
        return NULL;
    dw_hub_set_paused(hub, is_paused != 0);
    return end(self, state, DW_OK, NULL);
}

/* ---- reading ---- */

static PyObject *hub_set_camera(PyObject *self, PyObject *object)
{
    const dw_module_state *state;
    float camera[3] = { 0 };
    dw_hub *hub;

    if (object != Py_None &&
        !PyArg_ParseTuple(object, "fff:_set_camera", &camera[0], &camera[1], &camera[2]))
        return NULL;
    hub = dw_py_hub_self(self, &state);
    if (hub == NULL)
        return NULL;
    dw_hub_set_camera(hub, object == Py_None ? NULL : camera);
    return end(self, state, DW_OK, NULL);
}

/* ---- the type ---- */

static PyObject *hub_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "seed", "capacity", "loop", "is_seed", "limits", NULL };
    const dw_module_state *state = dw_type_get_state(type);
    dw_hub_def def = dw_hub_def_default();
    unsigned long long seed = 0, limit;
    int capacity = 0, is_seed = 0, layer;
    PyObject *limits = NULL, *key, *value;
    unsigned int loop = 0;
    Py_ssize_t at = 0;
    dw_py_hub *self;
    dw_error err;

    if (state == NULL ||
        !PyArg_ParseTupleAndKeywords(args, kwargs, "|$KiIpO!:ParticleHub", names, &seed, &capacity,
                                     &loop, &is_seed, &PyDict_Type, &limits))
        return NULL;
    while (limits != NULL && PyDict_Next(limits, &at, &key, &value)) {
        layer = (int)PyLong_AsLong(key);
        limit = PyLong_AsUnsignedLongLong(value);
        if (PyErr_Occurred())
            return NULL;
        if (layer >= 0 && layer < DW_PARTICLE_LAYERS_MAX)
            def.limits[layer] = limit;
    }
    def.seed = seed;
    def.capacity = (dw_hub_capacity)capacity;
    def.loop = loop;
    def.is_seed = is_seed != 0;
    self = (dw_py_hub *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->devices = PyTuple_New(0);
    if (self->devices == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    if (dw_hub_create(&def, &self->hub, &err) != DW_OK) {
        dw_raise(state, &err);
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static int hub_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((dw_py_hub *)self)->devices);
    Py_VISIT(((dw_py_hub *)self)->home);
    return 0;
}

static void hub_dealloc(PyObject *object)
{
    dw_py_hub *self = (dw_py_hub *)object;
    PyTypeObject *type = Py_TYPE(object);

    PyObject_GC_UnTrack(object);
    dw_hub_destroy(self->hub);
    Py_XDECREF(self->devices);
    Py_XDECREF(self->home);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *hub_close(PyObject *object, PyObject *unused)
{
    dw_py_hub *self = (dw_py_hub *)object;
    PyObject *none;

    (void)unused;
    if (self->use_count > 0) {
        PyErr_SetString(PyExc_ValueError,
                        "the ParticleManager is in use by another thread: close it afterwards");
        return NULL;
    }
    none = PyTuple_New(0);
    if (none == NULL)
        return NULL;
    dw_hub_destroy(self->hub);
    self->hub = NULL;
    Py_SETREF(self->devices, none);
    Py_CLEAR(self->home);
    Py_RETURN_NONE;
}

static Py_ssize_t hub_length(PyObject *self)
{
    const dw_hub *hub = ((dw_py_hub *)self)->hub;

    return hub == NULL ? 0 : (Py_ssize_t)dw_hub_emitter_count(hub);
}

static PyObject *hub_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((dw_py_hub *)self)->hub == NULL);
}

static PyObject *hub_tick(PyObject *self, void *unused)
{
    const dw_hub *hub = ((dw_py_hub *)self)->hub;

    (void)unused;
    return PyLong_FromUnsignedLongLong(hub == NULL ? 0 : dw_hub_tick(hub));
}

static PyObject *hub_paused(PyObject *self, void *unused)
{
    const dw_hub *hub = ((dw_py_hub *)self)->hub;

    (void)unused;
    return PyBool_FromLong(hub != NULL && dw_hub_is_paused(hub));
}

PyDoc_STRVAR(close_doc, "close($self, /)\n--\n\n"
                        "Give back all memory, also on devices. Closing twice is fine.\n\n"
                        "Raises\n------\n"
                        "ValueError\n"
                        "    Another thread is using it.");

static PyMethodDef hub_methods[] = {
    { "close", hub_close, METH_NOARGS, close_doc },
    { "_add_layer", hub_add_layer, METH_VARARGS,
      "_add_layer($self, is_sorted, limit, /)\n--\n\nIts index." },
    { "_change_layer", hub_change_layer, METH_VARARGS,
      "_change_layer($self, layer, is_sorted, limit, /)\n--\n\nOf a layer without emitters." },
    { "_add_effect", hub_add_effect, METH_O,
      "_add_effect($self, rows, /)\n--\n\nThe index of an effect of such parts." },
    { "_free_effects", hub_free_effects, METH_NOARGS,
      "_free_effects($self, /)\n--\n\nFree effects without emitters; which of all are free." },
    { "_register_core", hub_register, METH_VARARGS,
      "_register_core($self, uids, positions, replaced, effect, share, scale, colors, extent, "
      "points, "
      "flags, /)\n--\n\nNumbers of emitters, and how many particles each has." },
    { "_unregister", hub_unregister, METH_O,
      "_unregister($self, emitters, /)\n--\n\nNumbers; 2**32 - 1 is left alone, here and below." },
    { "_move", hub_move, METH_VARARGS,
      "_move($self, emitters, positions, is_trail, /)\n--\n\nfloat32 (N, 3)." },
    { "_apply", hub_apply, METH_VARARGS,
      "_apply($self, emitters, what, /)\n--\n\n0 stop, 1 kill, 2 pause, 3 resume." },
    { "_set_rate", hub_set_rate, METH_VARARGS,
      "_set_rate($self, emitters, rate, /)\n--\n\nIn 2**-16." },
    { "_emit", hub_emit, METH_VARARGS,
      "_emit($self, emitter, count, /)\n--\n\nParticles that there are; count 2**32 - 1: the "
      "effect's." },
    { "_advance", hub_advance, METH_O, "_advance($self, dt, /)\n--\n\nLet seconds pass." },
    { "_seek", hub_seek, METH_O, "_seek($self, time, /)\n--\n\nSet the clock." },
    { "_set_home", hub_set_home, METH_O,
      "_set_home($self, device, /)\n--\n\nWhere simulated particles live, from the first call "
      "on." },
    { "_set_paused", hub_set_paused, METH_O,
      "_set_paused($self, is_paused, /)\n--\n\nStop the clock, or let it go on." },
    { "_set_camera", hub_set_camera, METH_O,
      "_set_camera($self, position, /)\n--\n\nThree numbers in a tuple, or None." },
    { "_rows_of", dw_py_hub_rows, METH_O,
      "_rows_of($self, layer, /)\n--\n\nThe emitter of each row, 2**32 - 1 for free ones." },
    { "_stats", dw_py_hub_stats, METH_NOARGS,
      "_stats($self, /)\n--\n\nuint64 (layers, 4): requested, allocated, rows, limit." },
    { "_simulation", dw_py_hub_simulation, METH_NOARGS,
      "_simulation($self, /)\n--\n\nRows and slots with state, slots that there is room for, looks "
      "at free places, steps skipped." },
    { "_state", dw_py_hub_state, METH_VARARGS,
      "_state($self, device, layer, /)\n--\n\nLiving particles as bytes." },
    { "_see", dw_py_hub_see, METH_VARARGS,
      "_see($self, device, planes, camera, is_fetched, /)\n--\n\n"
      "int64 (layers, 3): first, count, candidates; sprites as bytes, or None." },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef hub_members[] = {
    { "closed", hub_closed, NULL, "True once close() was called.", NULL },
    { "tick", hub_tick, NULL, "The time in steps of 2**-16 s.", NULL },
    { "paused", hub_paused, NULL, "True while the clock stands still.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot hub_slots[] = {
    { Py_tp_doc, "ParticleHub(*, seed=0, capacity=0, loop=0, is_seed=False, limits={})\n--\n\n"
                 "Emitters by number. limits: {layer: particles}." },
    { Py_tp_new, hub_new },
    { Py_tp_dealloc, hub_dealloc },
    { Py_tp_traverse, hub_traverse },
    { Py_tp_methods, hub_methods },
    { Py_tp_getset, hub_members },
    { Py_sq_length, hub_length },
    { 0, NULL },
};

static PyType_Spec hub_spec = {
    .name = "dapplewood._core.ParticleHub",
    .basicsize = sizeof(dw_py_hub),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = hub_slots,
};

int dw_hub_exec(PyObject *module)
{
    dw_module_state *state = dw_module_get_state(module);

    state->hub_type = PyType_FromModuleAndSpec(module, &hub_spec, NULL);
    if (state->hub_type == NULL)
        return -1;
    return PyModule_AddType(module, (PyTypeObject *)state->hub_type);
}
