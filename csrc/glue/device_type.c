/* SPDX-License-Identifier: MIT */
#include "glue/device_type.h"
#include "glue/numbers.h"

#include "systems/driver.h"

dw_device *dw_py_device_begin(const dw_module_state *state, PyObject *object, const char *argument)
{
    dw_device *device;
    dw_error err;

    if (!PyObject_TypeCheck(object, (PyTypeObject *)state->device_type)) {
        PyErr_Format(PyExc_TypeError, "%s must be a dapplewood.Device, got %.200s", argument,
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    device = ((dw_py_device *)object)->device;
    if (dw_device_begin_use(device, &err) != DW_OK) {
        dw_raise(state, &err);
        return NULL;
    }
    return device;
}

int dw_py_device_keep(const dw_module_state *state, PyObject **devices, PyObject *device)
{
    Py_ssize_t count = PyTuple_GET_SIZE(*devices);
    PyObject *more;

    if (!PyObject_TypeCheck(device, (PyTypeObject *)state->device_type))
        return 0;
    for (Py_ssize_t i = 0; i < count; i++)
        if (PyTuple_GET_ITEM(*devices, i) == device)
            return 0;
    more = PyTuple_New(count + 1);
    if (more == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < count; i++)
        PyTuple_SET_ITEM(more, i, Py_NewRef(PyTuple_GET_ITEM(*devices, i)));
    PyTuple_SET_ITEM(more, count, Py_NewRef(device));
    Py_SETREF(*devices, more);
    return 0;
}

dw_device *dw_py_run_begin(const dw_module_state *state, PyObject *object, dw_glue_run *run)
{
    dw_device *device = dw_py_device_begin(state, object, "device");

    if (device != NULL)
        dw_glue_run_begin(run, dw_device_pool(device), NULL);
    return device;
}

int dw_py_run_end(const dw_module_state *state, dw_device *device, dw_glue_run *run,
                  dw_status status, const dw_error *err)
{
    dw_glue_run_end(run);
    dw_device_end_use(device);
    if (status == DW_OK)
        return 0;
    dw_raise(state, err);
    return -1;
}

static PyObject *info_dict(const dw_device_info *info)
{
    return Py_BuildValue("{sissssssssssss"
                         "sK}",
                         "index", info->index, "name", info->name, "kind",
                         dw_device_kind_name(info->kind), "uuid", info->uuid, "driver",
                         info->driver, "api_version", info->api_version, "missing", info->missing,
                         "memory_bytes", (unsigned long long)info->memory_bytes);
}

/* `which` as the core wants it: NULL, or text that lives as long as *keep. */
static int which_text(PyObject *which, PyObject **keep, const char **text)
{
    *keep = NULL;
    *text = NULL;
    if (which == NULL || which == Py_None)
        return 0;
    if (!PyUnicode_Check(which) && (!PyLong_Check(which) || PyBool_Check(which))) {
        PyErr_Format(
            PyExc_TypeError,
            "which must be None, a word such as \"cpu\" or \"gpu\", or an index, got %.200s",
            Py_TYPE(which)->tp_name);
        return -1;
    }
    *keep = PyObject_Str(which);
    if (*keep == NULL)
        return -1;
    *text = PyUnicode_AsUTF8(*keep);
    return *text == NULL ? -1 : 0;
}

static PyObject *device_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "which", "validation", "threads", NULL };
    const dw_module_state *state = dw_type_get_state(type);
    dw_device_def def = dw_device_def_default();
    PyObject *which = NULL;
    PyObject *keep = NULL;
    PyObject *threads = NULL;
    dw_py_device *self = NULL;
    const char *text = NULL;
    int is_validating = def.is_validating;
    dw_status status;
    dw_error err;

    if (state == NULL || !PyArg_ParseTupleAndKeywords(args, kwargs, "|O$pO:Device", names, &which,
                                                      &is_validating, &threads))
        return NULL;
    if (dw_take_int(threads, "threads", &def.thread_count) < 0 ||
        which_text(which, &keep, &text) < 0)
        goto done;
    def.is_validating = is_validating != 0;
    self = (dw_py_device *)type->tp_alloc(type, 0);
    if (self == NULL)
        goto done;

    Py_BEGIN_ALLOW_THREADS
    status = dw_device_open(text, &def, &self->device, &err);
    Py_END_ALLOW_THREADS

    if (status != DW_OK) {
        dw_raise(state, &err);
        Py_CLEAR(self);
    }
done:
    Py_XDECREF(keep);
    return (PyObject *)self;
}

static int device_traverse(PyObject *self, visitproc visit, void *arg)
{
    (void)arg;
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void device_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    dw_device_destroy(((dw_py_device *)self)->device);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *device_close(PyObject *self, PyObject *unused)
{
    dw_device *device = ((dw_py_device *)self)->device;

    (void)unused;
    Py_BEGIN_ALLOW_THREADS
    dw_device_close(device);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyObject *device_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(dw_device_is_closed(((dw_py_device *)self)->device));
}

static PyObject *device_info(PyObject *self, PyObject *unused)
{
    (void)unused;
    return info_dict(dw_device_get_info(((dw_py_device *)self)->device));
}

static dw_device *begin_self(PyObject *self)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(self));

    return state == NULL ? NULL : dw_py_device_begin(state, self, "self");
}

static PyObject *device_memory(PyObject *self, PyObject *unused)
{
    dw_device *device = begin_self(self);
    dw_device_memory memory;

    (void)unused;
    if (device == NULL)
        return NULL;
    memory = dw_device_get_memory(device);
    dw_device_end_use(device);
    return Py_BuildValue("{sKsKsKsK}", "used_bytes", (unsigned long long)memory.used_bytes,
                         "reserved_bytes", (unsigned long long)memory.reserved_bytes, "total_bytes",
                         (unsigned long long)memory.total_bytes, "sent_bytes",
                         (unsigned long long)memory.sent_bytes);
}

static PyObject *device_live_counts(PyObject *self, PyObject *unused)
{
    dw_device *device = begin_self(self);
    dw_device_counts counts;

    (void)unused;
    if (device == NULL)
        return NULL;
    counts = dw_device_get_counts(device);
    dw_device_end_use(device);
    return Py_BuildValue("{sLsLsLsLsL}", "buffers", (long long)counts.buffers, "images",
                         (long long)counts.images, "pipelines", (long long)counts.pipelines,
                         "memory_blocks", (long long)counts.memory_blocks, "retired",
                         (long long)counts.retired);
}

static PyObject *timings_dict(const dw_timing_table *table)
{
    PyObject *result = PyDict_New();

    for (int i = 0; result != NULL && i < table->count; i++) {
        PyObject *value = PyFloat_FromDouble(table->rows[i].milliseconds);

        if (value == NULL || PyDict_SetItemString(result, table->rows[i].name, value) < 0)
            Py_CLEAR(result);
        Py_XDECREF(value);
    }
    return result;
}

static PyObject *device_timings(PyObject *self, PyObject *unused)
{
    dw_device *device = begin_self(self);
    dw_timing_table *table;
    PyObject *result;

    (void)unused;
    if (device == NULL)
        return NULL;
    table = PyMem_New(dw_timing_table, 1);
    if (table != NULL)
        dw_device_get_timings(device, table);
    dw_device_end_use(device);
    result = table == NULL ? PyErr_NoMemory() : timings_dict(table);
    PyMem_Free(table);
    return result;
}

static PyObject *device_lose(PyObject *self, PyObject *args)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(self));
    dw_device *device;
    const char *cause;
    dw_status status;
    dw_error err;

    if (!PyArg_ParseTuple(args, "s:_lose", &cause))
        return NULL;
    device = begin_self(self);
    if (device == NULL)
        return NULL;
    status = dw_device_mark_lost(device, cause, &err);
    dw_device_end_use(device);
    if (status != DW_OK) {
        dw_raise(state, &err);
        return NULL;
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(close_doc, "close($self, /)\n--\n\n"
                        "Give back all that the device holds.\n\n"
                        "Calls that run on other threads end first; later ones raise ValueError. "
                        "Closing twice is fine.");

PyDoc_STRVAR(memory_doc,
             "memory($self, /)\n--\n\n"
             "Tell how much memory the device's buffers take, and how much was sent to it.\n\n"
             "Returns\n-------\n"
             "dict of str to int\n"
             "    Bytes: ``used_bytes`` in live buffers, ``reserved_bytes`` taken from the driver "
             "or the\n    system, ``total_bytes`` of the device's own memory, and ``sent_bytes`` "
             "from the host to the\n    device since it was opened (both 0 for native).");

PyDoc_STRVAR(
    live_counts_doc,
    "live_counts($self, /)\n--\n\n"
    "Count the objects that are alive, so that a leak shows.\n\n"
    "Returns\n-------\n"
    "dict of str to int\n"
    "    ``buffers``, ``images``, ``pipelines``, ``memory_blocks``, and ``retired``: buffers and "
    "images\n    that were closed while their last use may still run.");

PyDoc_STRVAR(timings_doc,
             "timings($self, /)\n--\n\n"
             "Tell how long each pass took when it last ran.\n\n"
             "Returns\n-------\n"
             "dict of str to float\n"
             "    Milliseconds by pass name, on the device's own clock for Vulkan passes and on "
             "the\n    host's for native ones. Runs of one name within one submission are added "
             "up.");

PyDoc_STRVAR(lose_doc,
             "_lose($self, cause, /)\n--\n\n"
             "Fail later calls as a loss by the driver would, to test what copes with it.");

static PyMethodDef device_methods[] = {
    { "close", device_close, METH_NOARGS, close_doc },
    { "_lose", device_lose, METH_VARARGS, lose_doc },
    { "_info", device_info, METH_NOARGS, "_info($self, /)\n--\n\nThe fields of DeviceInfo." },
    { "memory", device_memory, METH_NOARGS, memory_doc },
    { "live_counts", device_live_counts, METH_NOARGS, live_counts_doc },
    { "timings", device_timings, METH_NOARGS, timings_doc },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef device_members[] = {
    { "closed", device_closed, NULL, "True once close() was called.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot device_slots[] = {
    { Py_tp_doc,
      "Device(which=None, *, validation=False, threads=0)\n--\n\nA device of the core." },
    { Py_tp_new, device_new },
    { Py_tp_dealloc, device_dealloc },
    { Py_tp_traverse, device_traverse },
    { Py_tp_methods, device_methods },
    { Py_tp_getset, device_members },
    { 0, NULL },
};

static PyType_Spec device_spec = {
    .name = "dapplewood._core.Device",
    .basicsize = sizeof(dw_py_device),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = device_slots,
};

static PyObject *module_devices(PyObject *module, PyObject *unused)
{
    dw_device_list *list = PyMem_New(dw_device_list, 1);
    PyObject *rows;
    PyObject *result;

    (void)module;
    (void)unused;
    if (list == NULL)
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS
    dw_device_list_all(list);
    Py_END_ALLOW_THREADS

    rows = PyList_New(0);
    for (int i = 0; rows != NULL && i < list->count; i++) {
        PyObject *row = info_dict(&list->infos[i]);

        if (row == NULL || PyList_Append(rows, row) < 0)
            Py_CLEAR(rows);
        Py_XDECREF(row);
    }
    result = rows == NULL ? NULL
                          : Py_BuildValue("(Nz)", rows,
                                          list->vulkan.code == DW_OK ? NULL : list->vulkan.text);
    PyMem_Free(list);
    return result;
}

static PyObject *module_validation(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "clear", NULL };
    dw_validation_log *log;
    PyObject *texts;
    long long total;
    int clear = 0;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p:validation_messages", names, &clear))
        return NULL;
    log = PyMem_New(dw_validation_log, 1);
    if (log == NULL)
        return PyErr_NoMemory();
    dw_driver_read_messages(clear != 0, log);
    total = log->total;
    texts = PyList_New(log->count);
    for (int i = 0; texts != NULL && i < log->count; i++) {
        PyObject *text =
            PyUnicode_DecodeUTF8(log->texts[i], (Py_ssize_t)strlen(log->texts[i]), "replace");

        if (text == NULL)
            Py_CLEAR(texts);
        else
            PyList_SET_ITEM(texts, i, text);
    }
    PyMem_Free(log);
    return texts == NULL ? NULL : Py_BuildValue("(LN)", total, texts);
}

static PyObject *module_loader(PyObject *module, PyObject *unused)
{
    dw_gpu_loader_info info = dw_driver_get_loader();

    (void)module;
    (void)unused;
    if (!info.is_open)
        Py_RETURN_NONE;
    return Py_BuildValue("{sssssO}", "library", info.library, "api_version", info.api_version,
                         "has_validation", info.has_validation ? Py_True : Py_False);
}

static PyObject *module_before_fork(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    Py_BEGIN_ALLOW_THREADS
    dw_driver_before_fork();
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyObject *module_after_fork(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    dw_driver_after_fork();
    Py_RETURN_NONE;
}

static PyObject *module_shutdown(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    Py_BEGIN_ALLOW_THREADS
    dw_driver_shutdown();
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyMethodDef device_functions[] = {
    { "devices", module_devices, METH_NOARGS,
      "devices($module, /)\n--\n\nRows of DeviceInfo, and why there is no Vulkan (or None)." },
    { "validation_messages", (PyCFunction)(void (*)(void))module_validation,
      METH_VARARGS | METH_KEYWORDS,
      "validation_messages($module, /, clear=False)\n--\n\n"
      "How many messages the validation layer gave, and the first ones." },
    { "loader", module_loader, METH_NOARGS,
      "loader($module, /)\n--\n\nThe Vulkan loader in use, or None before its first use." },
    { "before_fork", module_before_fork, METH_NOARGS,
      "before_fork($module, /)\n--\n\nHolds off device creation for the fork to come." },
    { "after_fork", module_after_fork, METH_NOARGS,
      "after_fork($module, /)\n--\n\nLets device creation go on, in parent and child." },
    { "device_copy", (PyCFunction)(void (*)(void))dw_device_copy_function,
      METH_VARARGS | METH_KEYWORDS,
      "device_copy($module, /, device, nbytes)\n--\n\n"
      "Copies within a Vulkan device's memory; timings() tells how long \"device_copy\" took." },
    { "selftest", (PyCFunction)(void (*)(void))dw_selftest_function, METH_VARARGS | METH_KEYWORDS,
      "selftest($module, /, device, operands, *, float64=False, repeat=1)\n--\n\n"
      "Column names and results of the exact operations on (N, 3) uint32 operand bits." },
    { "selftest_reach", dw_selftest_reach_function, METH_VARARGS,
      "selftest_reach($module, device, count, rounds, /)\n--\n\n"
      "Words of `count` buffers that a shader reached by their addresses in `rounds` dispatches, "
      "and "
      "whether the work's point in time, and the next one, have been reached after the wait." },
    { "shutdown", module_shutdown, METH_NOARGS,
      "shutdown($module, /)\n--\n\nGives back Vulkan instances that no open device uses." },
    { NULL, NULL, 0, NULL },
};

int dw_device_exec(PyObject *module)
{
    dw_module_state *state = dw_module_get_state(module);

    if (PyModule_AddFunctions(module, device_functions) < 0)
        return -1;
    state->device_type = PyType_FromModuleAndSpec(module, &device_spec, NULL);
    if (state->device_type == NULL)
        return -1;
    return PyModule_AddType(module, (PyTypeObject *)state->device_type);
}
