/* SPDX-License-Identifier: MIT */
/* Trees built on a Vulkan device as arrays, for tests and measurements of builders. */
#include "glue/device_type.h"
#include "glue/tree_fn.h"

#include "systems/tree_device.h"

#define REPEAT_MAX 10000

/* The tree's arrays, and the device times of its builds as (repeat, 2) "milliseconds". */
static PyObject *arrays_with_times(const dw_tree *tree, PyObject *times)
{
    PyObject *result = dw_py_tree_arrays(tree);

    if (result != NULL && PyDict_SetItemString(result, "milliseconds", times) < 0)
        Py_CLEAR(result);
    return result;
}

static PyObject *build(const dw_module_state *state, PyObject *device_object,
                       const dw_tree_source *source, const dw_tree_device_options *options)
{
    npy_intp shape[2] = { options->repeat, 2 };
    PyObject *times = PyArray_ZEROS(2, shape, NPY_DOUBLE, 0), *result = NULL;
    dw_tree *tree = NULL;
    dw_device *device;
    dw_status status;
    dw_glue_run run;
    dw_error err;

    device = times == NULL ? NULL : dw_py_run_begin(state, device_object, &run);
    if (device == NULL) {
        Py_XDECREF(times);
        return NULL;
    }
    status = dw_tree_build_on_device(device, source, options, &tree,
                                     PyArray_DATA((PyArrayObject *)times), &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        result = arrays_with_times(tree, times);
    dw_tree_destroy(tree);
    Py_DECREF(times);
    return result;
}

static PyObject *tree_build_device(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device",      "positions", "indices",    "builder", "node_format",
                             "merge_lanes", "wide",      "place_lane", "repeat",  NULL };
    unsigned int builder = DW_TREE_BUILDER_HPLOC, format = DW_NODE_FORMAT_QUANTIZED;
    dw_tree_device_options options = { .wide = -1, .place_lane = -1, .repeat = 1 };
    PyObject *device, *positions, *indices, *result = NULL;
    dw_py_tree_source source;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO|$IIiiii:tree_build_device", names, &device,
                                     &positions, &indices, &builder, &format, &options.merge_lanes,
                                     &options.wide, &options.place_lane, &options.repeat))
        return NULL;
    options.builder = (dw_tree_builder)builder;
    options.format = (dw_node_format)format;
    if (options.repeat < 1 || options.repeat > REPEAT_MAX)
        return PyErr_Format(PyExc_ValueError, "repeat must be 1 to %d, got %d", REPEAT_MAX,
                            options.repeat);
    if (dw_py_tree_source_init(&source, positions, indices) == 0)
        result = build(dw_module_get_state(module), device, &source.source, &options);
    dw_py_tree_source_finish(&source);
    return result;
}

static PyMethodDef functions[] = {
    { "tree_build_device", (PyCFunction)(void (*)(void))tree_build_device,
      METH_VARARGS | METH_KEYWORDS,
      "tree_build_device($module, /, device, positions, indices, *, builder=0, node_format=0,\n"
      "                  merge_lanes=0, wide=-1, place_lane=-1, repeat=1)\n--\n\n"
      "As tree_build, on a Vulkan device: the same bytes, whatever the variant. \"milliseconds\"\n"
      "holds the device's times of both parts of each of the `repeat` builds." },
    { NULL, NULL, 0, NULL },
};

int dw_tree_gpu_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
