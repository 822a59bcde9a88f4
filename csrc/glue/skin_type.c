/* SPDX-License-Identifier: MIT */
/* The Python type Skin of the core: a mesh that takes poses on one device. */
#include "glue/arrays.h"
#include "glue/buffer_type.h"
#include "glue/device_type.h"

#include "systems/skin.h"

#include <math.h>

typedef struct dw_py_skin {
    PyObject_HEAD PyObject *device; /* the Device, strong */
    dw_skin *skin;                  /* NULL once closed */
    int use_count;                  /* calls that run without the GIL */
} dw_py_skin;

/* ---- a mesh ---- */

typedef struct mesh_arrays {
    PyArrayObject *positions, *normals, *joints, *weights, *targets, *target_normals;
} mesh_arrays;

static void drop_mesh_arrays(mesh_arrays *arrays)
{
    Py_XDECREF(arrays->positions);
    Py_XDECREF(arrays->normals);
    Py_XDECREF(arrays->joints);
    Py_XDECREF(arrays->weights);
    Py_XDECREF(arrays->targets);
    Py_XDECREF(arrays->target_normals);
}

/* An array, or NULL for None. */
static int take_array(PyObject *object, int type, int rank, const char *argument,
                      PyArrayObject **out)
{
    *out = NULL;
    if (object == Py_None)
        return 0;
    *out = dw_array_input(object, type, rank, rank, argument);
    return *out == NULL ? -1 : 0;
}

/* Vertices along one axis and numbers along the last; -1 with ValueError set. */
static int check_axes(PyArrayObject *array, const char *argument, int vertex_axis, npy_intp count,
                      npy_intp width)
{
    int rank;

    if (array == NULL)
        return 0;
    rank = PyArray_NDIM(array);
    if (PyArray_DIM(array, vertex_axis) == count && PyArray_DIM(array, rank - 1) == width)
        return 0;
    PyErr_Format(PyExc_ValueError, "%s must have %zd vertices of %zd numbers, got %zd of %zd",
                 argument, (Py_ssize_t)count, (Py_ssize_t)width,
                 (Py_ssize_t)PyArray_DIM(array, vertex_axis),
                 (Py_ssize_t)PyArray_DIM(array, rank - 1));
    return -1;
}

static int check_pairs(const mesh_arrays *arrays)
{
    if ((arrays->joints == NULL) != (arrays->weights == NULL)) {
        PyErr_SetString(PyExc_ValueError, "joints and weights go together: give both or neither");
        return -1;
    }
    if (arrays->target_normals != NULL &&
        (arrays->normals == NULL || arrays->targets == NULL ||
         PyArray_DIM(arrays->targets, 0) != PyArray_DIM(arrays->target_normals, 0))) {
        PyErr_SetString(PyExc_ValueError,
                        "target_normals need normals, and targets of the same number");
        return -1;
    }
    return 0;
}

static int check_mesh_arrays(const mesh_arrays *arrays)
{
    npy_intp count = PyArray_DIM(arrays->positions, 0);
    npy_intp columns = arrays->joints == NULL ? 0 : PyArray_DIM(arrays->joints, 1);

    if (count < 1 || count > (npy_intp)UINT32_MAX / 4) {
        PyErr_Format(PyExc_ValueError, "positions must have 1 to %u rows, got %zd", UINT32_MAX / 4,
                     (Py_ssize_t)count);
        return -1;
    }
    if (check_pairs(arrays) < 0 || check_axes(arrays->positions, "positions", 0, count, 3) < 0 ||
        check_axes(arrays->normals, "normals", 0, count, 3) < 0 ||
        check_axes(arrays->joints, "joints", 0, count, columns) < 0 ||
        check_axes(arrays->weights, "weights", 0, count, columns) < 0 ||
        check_axes(arrays->targets, "targets", 1, count, 3) < 0 ||
        check_axes(arrays->target_normals, "target_normals", 1, count, 3) < 0)
        return -1;
    return 0;
}

static const void *data_of(PyArrayObject *array)
{
    return array == NULL ? NULL : PyArray_DATA(array);
}

static dw_skin_def def_of(const mesh_arrays *arrays)
{
    return (dw_skin_def) {
        .vertex_count = (uint32_t)PyArray_DIM(arrays->positions, 0),
        .influence_count = arrays->joints == NULL ? 0 : (uint32_t)PyArray_DIM(arrays->joints, 1),
        .target_count = arrays->targets == NULL ? 0 : (uint32_t)PyArray_DIM(arrays->targets, 0),
        .positions = data_of(arrays->positions),
        .normals = data_of(arrays->normals),
        .joints = data_of(arrays->joints),
        .weights = data_of(arrays->weights),
        .targets = data_of(arrays->targets),
        .target_normals = data_of(arrays->target_normals),
    };
}

static int create_skin(const dw_module_state *state, dw_py_skin *self, const mesh_arrays *arrays)
{
    dw_skin_def def = def_of(arrays);
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;

    device = dw_py_run_begin(state, self->device, &run);
    if (device == NULL)
        return -1;
    status = dw_skin_create(device, &def, &run.run, &self->skin, &err);
    return dw_py_run_end(state, device, &run, status, &err);
}

static PyObject *skin_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device",  "positions", "normals",        "joints",
                             "weights", "targets",   "target_normals", NULL };
    const dw_module_state *state = dw_type_get_state(type);
    PyObject *device, *positions, *normals, *joints, *weights, *targets, *target_normals;
    mesh_arrays arrays = { .positions = NULL };
    dw_py_skin *self = NULL;

    if (state == NULL || !PyArg_ParseTupleAndKeywords(
                             args, kwargs, "O!OOOOOO:Skin", names, state->device_type, &device,
                             &positions, &normals, &joints, &weights, &targets, &target_normals))
        return NULL;
    arrays.positions = dw_array_input(positions, NPY_FLOAT32, 2, 2, "positions");
    if (arrays.positions == NULL ||
        take_array(normals, NPY_FLOAT32, 2, "normals", &arrays.normals) < 0 ||
        take_array(joints, NPY_UINT16, 2, "joints", &arrays.joints) < 0 ||
        take_array(weights, NPY_FLOAT32, 2, "weights", &arrays.weights) < 0 ||
        take_array(targets, NPY_FLOAT32, 3, "targets", &arrays.targets) < 0 ||
        take_array(target_normals, NPY_FLOAT32, 3, "target_normals", &arrays.target_normals) < 0 ||
        check_mesh_arrays(&arrays) < 0)
        goto done;
    self = (dw_py_skin *)type->tp_alloc(type, 0);
    if (self == NULL)
        goto done;
    self->device = Py_NewRef(device);
    if (create_skin(state, self, &arrays) < 0)
        Py_CLEAR(self);
done:
    drop_mesh_arrays(&arrays);
    return (PyObject *)self;
}

/* ---- a pose ---- */

/* Finite numbers of any float or integer dtype as float64; NULL with an exception set. */
static PyArrayObject *take_numbers(PyObject *object, int rank, const char *argument)
{
    PyArrayObject *array = (PyArrayObject *)PyArray_FROM_O(object), *wide = NULL;
    const double *values;

    if (array == NULL)
        return NULL;
    if (!PyArray_ISFLOAT(array) && !PyArray_ISINTEGER(array))
        PyErr_Format(PyExc_TypeError, "%s must hold numbers, got dtype %S", argument,
                     PyArray_DESCR(array));
    else if (PyArray_NDIM(array) != rank)
        PyErr_Format(PyExc_ValueError, "%s must have %d dimensions, got %d", argument, rank,
                     PyArray_NDIM(array));
    else
        wide = (PyArrayObject *)PyArray_FromArray(array, PyArray_DescrFromType(NPY_DOUBLE),
                                                  NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED |
                                                      NPY_ARRAY_FORCECAST);
    Py_DECREF(array);
    if (wide == NULL)
        return NULL;
    values = PyArray_DATA(wide);
    for (npy_intp i = 0; i < PyArray_SIZE(wide); i++) {
        if (isfinite(values[i]))
            continue;
        PyErr_Format(PyExc_ValueError, "%s must be finite: number %zd in C order is not", argument,
                     (Py_ssize_t)i);
        Py_CLEAR(wide);
        break;
    }
    return wide;
}

static int take_matrices(PyObject *object, PyArrayObject **keep, dw_skin_pose *pose)
{
    if (object == Py_None)
        return 0;
    *keep = take_numbers(object, 3, "matrices");
    if (*keep == NULL)
        return -1;
    if (PyArray_DIM(*keep, 1) != 4 || PyArray_DIM(*keep, 2) != 4) {
        PyErr_Format(PyExc_ValueError, "matrices must be (J, 4, 4), got (%zd, %zd, %zd)",
                     (Py_ssize_t)PyArray_DIM(*keep, 0), (Py_ssize_t)PyArray_DIM(*keep, 1),
                     (Py_ssize_t)PyArray_DIM(*keep, 2));
        return -1;
    }
    pose->matrices = PyArray_DATA(*keep);
    pose->matrix_count = PyArray_DIM(*keep, 0) > (npy_intp)DW_SKIN_JOINTS_MAX
                             ? DW_SKIN_JOINTS_MAX
                             : (uint32_t)PyArray_DIM(*keep, 0);
    return 0;
}

static int take_weights(PyObject *object, const dw_skin *skin, PyArrayObject **keep,
                        dw_skin_pose *pose)
{
    npy_intp count = dw_skin_target_count(skin);

    if (object == Py_None)
        return 0;
    *keep = take_numbers(object, 1, "morph_weights");
    if (*keep == NULL)
        return -1;
    if (PyArray_DIM(*keep, 0) != count) {
        PyErr_Format(PyExc_ValueError,
                     "morph_weights must be (%zd,), one for each morph target, got (%zd,)",
                     (Py_ssize_t)count, (Py_ssize_t)PyArray_DIM(*keep, 0));
        return -1;
    }
    pose->weights = PyArray_DATA(*keep);
    return 0;
}

/* ---- where vertices go ---- */

static int refuse_array(PyObject *array, const char *argument, npy_intp count)
{
    PyObject *shape = PyObject_GetAttrString(array, "shape");
    PyObject *strides = PyObject_GetAttrString(array, "strides");
    bool is_fixed = !PyArray_ISWRITEABLE((PyArrayObject *)array);

    if (shape != NULL && strides != NULL)
        PyErr_Format(PyExc_ValueError,
                     "%s must be a writable float32 array of shape (%zd, 3) with rows of three "
                     "adjacent numbers that do not overlap, got dtype %S, shape %S and strides "
                     "%S%s",
                     argument, (Py_ssize_t)count, PyArray_DESCR((PyArrayObject *)array), shape,
                     strides, is_fixed ? ", read-only" : "");
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    return -1;
}

static int take_host(PyObject *object, const char *argument, npy_intp count, dw_skin_output *out)
{
    PyArrayObject *array = (PyArrayObject *)object;
    npy_intp pitch;

    if (!PyArray_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be a NumPy array or a dapplewood.Buffer, got %.200s",
                     argument, Py_TYPE(object)->tp_name);
        return -1;
    }
    if (PyArray_TYPE(array) != NPY_FLOAT32 || PyArray_NDIM(array) != 2 ||
        PyArray_DIM(array, 0) != count || PyArray_DIM(array, 1) != 3 || !PyArray_ISBEHAVED(array) ||
        PyArray_STRIDE(array, 1) != (npy_intp)sizeof(float))
        return refuse_array(object, argument, count);
    pitch = PyArray_STRIDE(array, 0);
    if (count > 1 && (pitch % (npy_intp)sizeof(float) != 0 ||
                      (pitch < 0 ? -pitch : pitch) < 3 * (npy_intp)sizeof(float)))
        return refuse_array(object, argument, count);
    out->host = (dw_skin_rows) { PyArray_DATA(array), pitch / (npy_intp)sizeof(float) };
    return 0;
}

/* place: (array or Buffer, stride, offset), both in floats and of a Buffer; None: not wanted. */
static int take_output(const dw_module_state *state, const dw_py_skin *self, PyObject *place,
                       const char *argument, dw_skin_output *out, dw_py_buffer **buffer)
{
    Py_ssize_t stride, offset;
    PyObject *object;

    if (!PyArg_ParseTuple(place, "Onn", &object, &stride, &offset))
        return -1;
    if (!PyObject_TypeCheck(object, (PyTypeObject *)state->buffer_type)) {
        if (stride != 3 || offset != 0) {
            PyErr_Format(PyExc_ValueError,
                         "%s is no Buffer, which alone has a stride and an offset: give a slice of "
                         "an array instead",
                         argument);
            return -1;
        }
        return take_host(object, argument, dw_skin_vertex_count(self->skin), out);
    }
    if (stride < 3 || offset < 0) {
        PyErr_Format(PyExc_ValueError,
                     "%s: the stride must be at least 3 floats and the offset 0 or more, got %zd "
                     "and %zd",
                     argument, stride, offset);
        return -1;
    }
    out->buffer = dw_py_buffer_get(state, object, self->device, argument);
    out->stride = (uint64_t)stride;
    out->first = (uint64_t)offset;
    if (out->buffer == NULL)
        return -1;
    *buffer = (dw_py_buffer *)object;
    return 0;
}

/* ---- calls ---- */

typedef struct apply_call {
    PyArrayObject *matrices, *weights;
    dw_skin_pose pose;
    dw_skin_output positions, normals;
    dw_py_buffer *buffers[2]; /* borrowed from the arguments; may be NULL */
    bool has_normals;
} apply_call;

static int begin_apply(const dw_module_state *state, const dw_py_skin *self, PyObject *args,
                       apply_call *call)
{
    PyObject *matrices, *weights, *positions, *normals;

    if (!PyArg_ParseTuple(args, "OOOO:apply", &matrices, &weights, &positions, &normals))
        return -1;
    if (self->skin == NULL) {
        PyErr_SetString(PyExc_ValueError, "the skin is closed: make a new one");
        return -1;
    }
    call->has_normals = normals != Py_None;
    if (call->has_normals && !dw_skin_has_normals(self->skin)) {
        PyErr_SetString(PyExc_ValueError, "normals: the mesh has none");
        return -1;
    }
    if (take_matrices(matrices, &call->matrices, &call->pose) < 0 ||
        take_weights(weights, self->skin, &call->weights, &call->pose) < 0 ||
        take_output(state, self, positions, "out", &call->positions, &call->buffers[0]) < 0)
        return -1;
    return call->has_normals
               ? take_output(state, self, normals, "normals", &call->normals, &call->buffers[1])
               : 0;
}

/* Neither the skin nor a buffer may be closed while the GIL is released. */
static void hold(dw_py_skin *self, const apply_call *call, int step)
{
    self->use_count += step;
    for (int i = 0; i < 2; i++)
        if (call->buffers[i] != NULL)
            call->buffers[i]->use_count += step;
}

static PyObject *skin_apply(PyObject *object, PyObject *args)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(object));
    dw_py_skin *self = (dw_py_skin *)object;
    apply_call call = { .matrices = NULL };
    PyObject *result = NULL;
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;

    if (state == NULL || begin_apply(state, self, args, &call) < 0)
        goto done;
    hold(self, &call, 1);
    device = dw_py_run_begin(state, self->device, &run);
    if (device != NULL) {
        status = dw_skin_apply(self->skin, &call.pose, &call.positions,
                               call.has_normals ? &call.normals : NULL, &run.run, &err);
        if (dw_py_run_end(state, device, &run, status, &err) == 0)
            result = Py_NewRef(Py_None);
    }
    hold(self, &call, -1);
done:
    Py_XDECREF(call.matrices);
    Py_XDECREF(call.weights);
    return result;
}

static PyObject *skin_close(PyObject *object, PyObject *unused)
{
    dw_py_skin *self = (dw_py_skin *)object;

    (void)unused;
    if (self->use_count > 0) {
        PyErr_SetString(PyExc_ValueError,
                        "the skin is in use by another thread: close it afterwards");
        return NULL;
    }
    dw_skin_destroy(self->skin);
    self->skin = NULL;
    Py_RETURN_NONE;
}

static PyObject *skin_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((dw_py_skin *)self)->skin == NULL);
}

static PyObject *skin_device(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((dw_py_skin *)self)->device);
}

/* ---- the type ---- */

static int skin_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((dw_py_skin *)self)->device);
    return 0;
}

static void skin_dealloc(PyObject *object)
{
    dw_py_skin *self = (dw_py_skin *)object;
    PyTypeObject *type = Py_TYPE(object);

    PyObject_GC_UnTrack(object);
    dw_skin_destroy(self->skin);
    Py_XDECREF(self->device);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMethodDef skin_methods[] = {
    { "apply", skin_apply, METH_VARARGS,
      "apply($self, matrices, weights, positions, normals, /)\n--\n\n"
      "(J, 4, 4) and (M,) numbers or None; (array or Buffer, stride, offset) each, or None for "
      "normals." },
    { "close", skin_close, METH_NOARGS,
      "close($self, /)\n--\n\nGive the memory back. Closing twice is fine." },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef skin_members[] = {
    { "closed", skin_closed, NULL, "True once close() was called.", NULL },
    { "device", skin_device, NULL, "The Device that poses.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot skin_slots[] = {
    { Py_tp_doc, "Skin(device, positions, normals, joints, weights, targets, target_normals)\n"
                 "--\n\nA mesh that takes poses on a device; None for what it has not." },
    { Py_tp_new, skin_new },
    { Py_tp_dealloc, skin_dealloc },
    { Py_tp_traverse, skin_traverse },
    { Py_tp_methods, skin_methods },
    { Py_tp_getset, skin_members },
    { 0, NULL },
};

static PyType_Spec skin_spec = {
    .name = "dapplewood._core.Skin",
    .basicsize = sizeof(dw_py_skin),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = skin_slots,
};

int dw_skin_exec(PyObject *module)
{
    dw_module_state *state = dw_module_get_state(module);

    state->skin_type = PyType_FromModuleAndSpec(module, &skin_spec, NULL);
    if (state->skin_type == NULL)
        return -1;
    return PyModule_AddType(module, (PyTypeObject *)state->skin_type);
}
