/* SPDX-License-Identifier: MIT */
#include "glue/buffer_type.h"

#include "glue/arrays.h"

dw_buffer *dw_py_buffer_get(const dw_module_state *state, PyObject *object, PyObject *device_object,
                            const char *argument)
{
    dw_py_buffer *self = (dw_py_buffer *)object;

    if (!PyObject_TypeCheck(object, (PyTypeObject *)state->buffer_type)) {
        PyErr_Format(PyExc_TypeError, "%s must be a dapplewood.Buffer, got %.200s", argument,
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    if (self->buffer == NULL) {
        PyErr_Format(PyExc_ValueError, "%s is closed: make a new Buffer", argument);
        return NULL;
    }
    if (device_object != NULL && self->device != device_object) {
        PyErr_Format(PyExc_ValueError,
                     "%s lies on %R but the work runs on %R: make the Buffer on that device",
                     argument, self->device, device_object);
        return NULL;
    }
    return self->buffer;
}

/* Host rows of an array without a copy where its inner axes are contiguous; *keep is the array that
 * owns the memory. Any dtype but object; foreign byte order is converted by value. */
static int rows_of(PyObject *object, PyArrayObject **keep, dw_rows *rows)
{
    PyArrayObject *array = (PyArrayObject *)PyArray_FROM_O(object);
    PyArray_Descr *native;
    int axis;

    *keep = NULL;
    if (array == NULL)
        return -1;
    if (PyDataType_REFCHK(PyArray_DESCR(array))) {
        PyErr_Format(PyExc_TypeError, "array must hold plain numbers, got dtype %S",
                     PyArray_DESCR(array));
        Py_DECREF(array);
        return -1;
    }
    native = PyArray_DescrNewByteorder(PyArray_DESCR(array), NPY_NATIVE);
    *keep = native == NULL
                ? NULL
                : (PyArrayObject *)PyArray_FromArray(array, native, NPY_ARRAY_NOTSWAPPED);
    Py_DECREF(array);
    if (*keep == NULL)
        return -1;

    axis = PyArray_NDIM(*keep);
    rows->row_bytes = (uint64_t)PyArray_ITEMSIZE(*keep);
    while (axis > 0 && (PyArray_DIM(*keep, axis - 1) == 1 ||
                        PyArray_STRIDE(*keep, axis - 1) == (npy_intp)rows->row_bytes))
        rows->row_bytes *= (uint64_t)PyArray_DIM(*keep, --axis);
    if (axis > 1) { /* more than one gap per row: a packed copy is simpler and no slower */
        PyArrayObject *packed = (PyArrayObject *)PyArray_NewCopy(*keep, NPY_CORDER);

        Py_SETREF(*keep, packed);
        if (packed == NULL)
            return -1;
        rows->row_bytes = (uint64_t)PyArray_NBYTES(packed);
        axis = 0;
    }
    rows->data = PyArray_DATA(*keep);
    rows->row_count = axis == 1 ? (uint64_t)PyArray_DIM(*keep, 0) : 1;
    rows->pitch_bytes = axis == 1 ? PyArray_STRIDE(*keep, 0) : (int64_t)rows->row_bytes;
    return 0;
}

typedef dw_status (*transfer_fn)(dw_buffer *buffer, uint64_t offset, const dw_rows *rows,
                                 const dw_run *run, dw_error *err);

/* One write or read with the GIL released. */
static int transfer(const dw_module_state *state, dw_py_buffer *self, transfer_fn move,
                    uint64_t offset, const dw_rows *rows)
{
    dw_buffer *buffer = dw_py_buffer_get(state, (PyObject *)self, NULL, "buffer");
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;

    if (buffer == NULL)
        return -1;
    device = dw_py_device_begin(state, self->device, "device");
    if (device == NULL)
        return -1;
    self->use_count++;
    dw_glue_run_begin(&run, dw_device_pool(device), NULL);
    status = move(buffer, offset, rows, &run.run, &err);
    dw_glue_run_end(&run);
    self->use_count--;
    dw_device_end_use(device);
    if (status != DW_OK)
        dw_raise(state, &err);
    return status == DW_OK ? 0 : -1;
}

static int allocate(const dw_module_state *state, dw_py_buffer *self, uint64_t size_bytes)
{
    dw_device *device = dw_py_device_begin(state, self->device, "device");
    dw_status status;
    dw_error err;

    if (device == NULL)
        return -1;
    Py_BEGIN_ALLOW_THREADS
    status = dw_buffer_create(device, size_bytes, &self->buffer, &err);
    Py_END_ALLOW_THREADS
    dw_device_end_use(device);
    if (status != DW_OK)
        dw_raise(state, &err);
    return status == DW_OK ? 0 : -1;
}

static int fill_from(const dw_module_state *state, dw_py_buffer *self, PyObject *content)
{
    PyArrayObject *keep = NULL;
    dw_rows rows = { 0 };
    int result = -1;

    if (PyIndex_Check(content) && !PyArray_Check(content) && !PyBool_Check(content)) {
        long long size = PyNumber_AsSsize_t(content, PyExc_OverflowError);

        if (size == -1 && PyErr_Occurred())
            return -1;
        if (size < 1) {
            PyErr_Format(PyExc_ValueError, "array_or_nbytes must be at least 1 byte, got %lld",
                         size);
            return -1;
        }
        return allocate(state, self, (uint64_t)size);
    }
    if (rows_of(content, &keep, &rows) == 0 &&
        allocate(state, self, rows.row_bytes * rows.row_count) == 0)
        result = transfer(state, self, dw_buffer_write, 0, &rows);
    Py_XDECREF(keep);
    return result;
}

static PyObject *buffer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device", "array_or_nbytes", NULL };
    const dw_module_state *state = dw_type_get_state(type);
    PyObject *device, *content;
    dw_py_buffer *self;

    if (state == NULL ||
        !PyArg_ParseTupleAndKeywords(args, kwargs, "O!O:Buffer", names,
                                     (PyTypeObject *)state->device_type, &device, &content))
        return NULL;
    self = (dw_py_buffer *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->device = Py_NewRef(device);
    if (fill_from(state, self, content) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int buffer_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((dw_py_buffer *)self)->device);
    return 0;
}

static void buffer_dealloc(PyObject *object)
{
    dw_py_buffer *self = (dw_py_buffer *)object;
    PyTypeObject *type = Py_TYPE(object);

    PyObject_GC_UnTrack(object);
    dw_buffer_destroy(self->buffer);
    Py_XDECREF(self->device);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *buffer_close(PyObject *object, PyObject *unused)
{
    dw_py_buffer *self = (dw_py_buffer *)object;

    (void)unused;
    if (self->use_count > 0) {
        PyErr_SetString(PyExc_ValueError,
                        "buffer is in use by another thread: close it afterwards");
        return NULL;
    }
    dw_buffer_destroy(self->buffer);
    self->buffer = NULL;
    Py_RETURN_NONE;
}

static PyObject *buffer_write(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "array", "offset", NULL };
    const dw_module_state *state = dw_type_get_state(Py_TYPE(object));
    PyArrayObject *keep = NULL;
    PyObject *array;
    dw_rows rows = { 0 };
    Py_ssize_t offset = 0;
    int result = -1;

    if (state == NULL ||
        !PyArg_ParseTupleAndKeywords(args, kwargs, "O|n:write", names, &array, &offset))
        return NULL;
    if (offset < 0)
        PyErr_Format(PyExc_ValueError, "offset must be at least 0 bytes, got %zd", offset);
    else if (rows_of(array, &keep, &rows) == 0)
        result = transfer(state, (dw_py_buffer *)object, dw_buffer_write, (uint64_t)offset, &rows);
    Py_XDECREF(keep);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *buffer_numpy(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "dtype", "shape", "offset", NULL };
    const dw_module_state *state = dw_type_get_state(Py_TYPE(object));
    PyArray_Descr *dtype = NULL;
    PyArray_Dims shape = { NULL, 0 };
    PyObject *result = NULL;
    Py_ssize_t offset = 0;
    dw_rows rows;

    if (state == NULL ||
        !PyArg_ParseTupleAndKeywords(args, kwargs, "O&O&|n:numpy", names, PyArray_DescrConverter,
                                     &dtype, PyArray_IntpConverter, &shape, &offset))
        goto done;
    if (PyDataType_REFCHK(dtype)) {
        PyErr_Format(PyExc_TypeError, "dtype must be of plain numbers, got %S", dtype);
        goto done;
    }
    if (offset < 0) {
        PyErr_Format(PyExc_ValueError, "offset must be at least 0 bytes, got %zd", offset);
        goto done;
    }
    Py_INCREF(dtype); /* PyArray_NewFromDescr steals it */
    result = PyArray_NewFromDescr(&PyArray_Type, dtype, shape.len, shape.ptr, NULL, NULL, 0, NULL);
    if (result == NULL)
        goto done;
    rows.data = PyArray_DATA((PyArrayObject *)result);
    rows.row_bytes = (uint64_t)PyArray_NBYTES((PyArrayObject *)result);
    rows.row_count = 1;
    rows.pitch_bytes = (int64_t)rows.row_bytes;
    if (transfer(state, (dw_py_buffer *)object, dw_buffer_read, (uint64_t)offset, &rows) < 0)
        Py_CLEAR(result);
done:
    Py_XDECREF(dtype);
    PyDimMem_FREE(shape.ptr);
    return result;
}

static PyObject *buffer_nbytes(PyObject *object, void *unused)
{
    dw_py_buffer *self = (dw_py_buffer *)object;

    (void)unused;
    return PyLong_FromUnsignedLongLong(self->buffer == NULL ? 0 : dw_buffer_size(self->buffer));
}

static PyObject *buffer_device(PyObject *object, void *unused)
{
    (void)unused;
    return Py_NewRef(((dw_py_buffer *)object)->device);
}

static PyObject *buffer_closed(PyObject *object, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((dw_py_buffer *)object)->buffer == NULL);
}

PyDoc_STRVAR(write_doc,
             "write($self, /, array, offset=0)\n--\n\n"
             "Copy an array's bytes into the buffer.\n\n"
             "Parameters\n----------\n"
             "array : array_like\n"
             "    Any shape, strides and dtype but object; its values in C order and native byte "
             "order.\n"
             "offset : int, optional\n"
             "    First byte in the buffer.\n\n"
             "Raises\n------\n"
             "ValueError\n"
             "    The bytes do not fit, or the buffer or its device is closed.\n"
             "TypeError\n"
             "    The dtype holds objects.");

PyDoc_STRVAR(numpy_doc,
             "numpy($self, /, dtype, shape, offset=0)\n--\n\n"
             "Copy bytes of the buffer into a new array, after all work submitted before.\n\n"
             "Parameters\n----------\n"
             "dtype : dtype_like\n"
             "    Of plain numbers; structured ones too.\n"
             "shape : int or tuple of int\n"
             "offset : int, optional\n"
             "    First byte in the buffer.\n\n"
             "Returns\n-------\n"
             "ndarray\n\n"
             "Raises\n------\n"
             "ValueError\n"
             "    The bytes lie beyond the end, or the buffer or its device is closed.\n"
             "TypeError\n"
             "    The dtype holds objects.");

PyDoc_STRVAR(close_doc, "close($self, /)\n--\n\n"
                        "Give the memory back. Closing twice is fine.\n\n"
                        "Raises\n------\n"
                        "ValueError\n"
                        "    Another thread is writing or reading it.");

static PyMethodDef buffer_methods[] = {
    { "write", (PyCFunction)(void (*)(void))buffer_write, METH_VARARGS | METH_KEYWORDS, write_doc },
    { "numpy", (PyCFunction)(void (*)(void))buffer_numpy, METH_VARARGS | METH_KEYWORDS, numpy_doc },
    { "close", buffer_close, METH_NOARGS, close_doc },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef buffer_members[] = {
    { "nbytes", buffer_nbytes, NULL, "Size in bytes; 0 once closed.", NULL },
    { "device", buffer_device, NULL, "The Device that holds the bytes.", NULL },
    { "closed", buffer_closed, NULL, "True once close() was called.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot buffer_slots[] = {
    { Py_tp_doc, "Buffer(device, array_or_nbytes)\n--\n\nBytes on a device of the core." },
    { Py_tp_new, buffer_new },
    { Py_tp_dealloc, buffer_dealloc },
    { Py_tp_traverse, buffer_traverse },
    { Py_tp_methods, buffer_methods },
    { Py_tp_getset, buffer_members },
    { 0, NULL },
};

static PyType_Spec buffer_spec = {
    .name = "dapplewood._core.Buffer",
    .basicsize = sizeof(dw_py_buffer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = buffer_slots,
};

int dw_buffer_exec(PyObject *module)
{
    dw_module_state *state = dw_module_get_state(module);

    state->buffer_type = PyType_FromModuleAndSpec(module, &buffer_spec, NULL);
    if (state->buffer_type == NULL)
        return -1;
    return PyModule_AddType(module, (PyTypeObject *)state->buffer_type);
}
