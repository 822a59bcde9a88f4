/* SPDX-License-Identifier: MIT */
#include "glue/device_type.h"
#include "glue/tree_arrays.h"

#include "base/alloc.h"
#include "base/platform.h"

#include <string.h>

/* A bool a row to a bit a row, little end first. NULL with an exception set, or for None. */
static int take_dirty(PyObject *object, const dw_py_tree *tree, uint32_t **out)
{
    npy_intp count = tree->tree.vertex_count;
    PyArrayObject *flags;
    dw_error err;

    *out = NULL;
    if (object == Py_None)
        return 0;
    flags = dw_array_input(object, NPY_BOOL, 1, 1, "dirty");
    if (flags == NULL)
        return -1;
    if (PyArray_DIM(flags, 0) != count) {
        PyErr_Format(PyExc_ValueError,
                     "dirty must have a value for each of the %zd rows of "
                     "positions, got %zd",
                     (Py_ssize_t)count, (Py_ssize_t)PyArray_DIM(flags, 0));
        goto fail;
    }
    if (DW_ALLOC_ZEROED(((size_t)count + 31) / 32 + 1, out, &err) != DW_OK) {
        PyErr_NoMemory();
        goto fail;
    }
    dw_array_pack_flags(flags, *out);
    Py_DECREF(flags);
    return 0;
fail:
    Py_DECREF(flags);
    return -1;
}

static PyObject *bytes_array(const void *data, npy_intp size)
{
    PyObject *array = PyArray_SimpleNew(1, &size, NPY_UINT8);

    if (array != NULL)
        memcpy(PyArray_DATA((PyArrayObject *)array), data, (size_t)size);
    return array;
}

static PyObject *box_or_none(const dw_tree *tree)
{
    float low[3], high[3];

    if (!dw_tree_root_box(tree, low, high))
        Py_RETURN_NONE;
    return Py_BuildValue("(ffffff)", low[0], low[1], low[2], high[0], high[1], high[2]);
}

static PyObject *make_result(PyObject *layout, const dw_py_tree *self, bool has_sums,
                             double seconds)
{
    const dw_tree *tree = &self->tree;
    dw_tree_cost cost = has_sums ? dw_tree_get_cost(tree) : (dw_tree_cost) { 0 };
    PyObject *result = Py_BuildValue(
        "{sOsOsOsOsNsNsNs(ddd)sd}", "nodes", self->nodes, "triangles", self->triangles, "treelets",
        self->treelets, "shape", PyDict_GetItemString(layout, "shape"), "frame",
        bytes_array(&tree->frame, sizeof tree->frame), "sums",
        bytes_array(&tree->sums, sizeof tree->sums), "box", box_or_none(tree), "cost", cost.inner,
        cost.leaves, cost.root_area, "seconds", seconds);

    return result;
}

PyDoc_STRVAR(
    refit_doc,
    "tree_refit($module, /, layout, positions, dirty=None, sums=False, device=None, "
    "repeat=1)\n--\n\n"
    "A layout (dict of arrays) with the boxes of a pose, on the threads of a device or on "
    "the\ncaller's alone. Adds \"frame\", \"sums\", \"box\", \"cost\" and \"seconds\", of the "
    "fastest of the repeats.");

static PyObject *tree_refit(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "layout", "positions", "dirty", "sums", "device", "repeat", NULL };
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *layout, *positions, *dirty_object = Py_None, *device_object = Py_None;
    PyObject *result = NULL;
    uint32_t *dirty = NULL;
    dw_device *device = NULL;
    int wants_sums = 0, repeat = 1;
    double seconds = 1e30;
    dw_py_tree tree;
    dw_tree_pose pose;
    dw_glue_run run;
    dw_status status;
    dw_error err = { 0 };

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|OpOi:tree_refit", names, &layout, &positions,
                                     &dirty_object, &wants_sums, &device_object, &repeat) ||
        dw_py_tree_take(module, layout, positions, &tree) < 0)
        return NULL;
    if (take_dirty(dirty_object, &tree, &dirty) < 0)
        goto done;
    pose = (dw_tree_pose) { .vertices = dw_py_tree_vertices(&tree),
                            .boxes = PyArray_DATA(tree.positions),
                            .dirty = dirty,
                            .wants_sums = wants_sums != 0 };
    if (device_object == Py_None)
        dw_glue_run_begin(&run, NULL, NULL);
    else if ((device = dw_py_run_begin(state, device_object, &run)) == NULL)
        goto done;

    do {
        double begin = dw_platform_seconds(), end;

        status = dw_tree_refit(&tree.tree, &pose, &run.run, &err);
        end = dw_platform_seconds();
        seconds = end - begin < seconds ? end - begin : seconds;
    } while (status == DW_OK && --repeat > 0);

    dw_glue_run_end(&run);
    if (device != NULL)
        dw_device_end_use(device);
    if (status == DW_OK)
        result = make_result(layout, &tree, wants_sums != 0, seconds);
    else
        dw_raise(state, &err);
done:
    dw_free(dirty);
    dw_py_tree_release(&tree);
    return result;
}

static PyMethodDef refit_functions[] = {
    { "tree_refit", (PyCFunction)(void (*)(void))tree_refit, METH_VARARGS | METH_KEYWORDS,
      refit_doc },
    { NULL, NULL, 0, NULL },
};

int dw_tree_refit_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, refit_functions) < 0 ? -1 : dw_tree_trace_exec(module);
}
