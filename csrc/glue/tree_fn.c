/* SPDX-License-Identifier: MIT */
/* Native trees as arrays, for tests and measurements of builders. */
#include "glue/tree_fn.h"

#include "base/platform.h"
#include "glue/device_type.h"

#include <string.h>

int dw_py_tree_source_init(dw_py_tree_source *self, PyObject *positions, PyObject *indices)
{
    bool is_over_boxes = indices == NULL || indices == Py_None;
    const char *argument = is_over_boxes ? "boxes" : "positions";
    int width = is_over_boxes ? 6 : 3;
    npy_intp rows;

    *self = (dw_py_tree_source) { .indices = NULL };
    self->vertices = dw_array_input(positions, NPY_FLOAT32, 2, 2, argument);
    if (self->vertices == NULL)
        return -1;
    if (!is_over_boxes) {
        self->indices = dw_array_input(indices, NPY_UINT32, 2, 2, "indices");
        if (self->indices == NULL)
            return -1;
        if (PyArray_DIM(self->indices, 1) != 3) {
            PyErr_Format(PyExc_ValueError, "indices must have shape (N, 3), got (%zd, %zd)",
                         (Py_ssize_t)PyArray_DIM(self->indices, 0),
                         (Py_ssize_t)PyArray_DIM(self->indices, 1));
            return -1;
        }
    }
    if (PyArray_DIM(self->vertices, 1) != width) {
        PyErr_Format(PyExc_ValueError, "%s must have shape (N, %d), got (%zd, %zd)", argument,
                     width, (Py_ssize_t)PyArray_DIM(self->vertices, 0),
                     (Py_ssize_t)PyArray_DIM(self->vertices, 1));
        return -1;
    }
    rows = PyArray_DIM(is_over_boxes ? self->vertices : self->indices, 0);
    if (rows > DW_TREE_COUNT_MAX || PyArray_DIM(self->vertices, 0) > (npy_intp)UINT32_MAX / 2) {
        PyErr_Format(PyExc_ValueError, "%s: at most %d rows, got %zd; split the mesh",
                     is_over_boxes ? "boxes" : "indices", DW_TREE_COUNT_MAX, (Py_ssize_t)rows);
        return -1;
    }
    self->source.count = (uint32_t)rows;
    if (is_over_boxes) {
        self->source.boxes = PyArray_DATA(self->vertices);
        return 0;
    }
    self->source.indices = PyArray_DATA(self->indices);
    self->source.vertices = (dw_tree_vertices) { .data = PyArray_DATA(self->vertices),
                                                 .count = (uint32_t)PyArray_DIM(self->vertices, 0),
                                                 .stride = 3 };
    return 0;
}

void dw_py_tree_source_finish(dw_py_tree_source *self)
{
    Py_CLEAR(self->vertices);
    Py_CLEAR(self->indices);
}

/* A fresh uint32 array of rows as they lie in memory. */
static PyObject *words(const void *from, int rank, npy_intp rows, npy_intp columns, npy_intp width)
{
    npy_intp shape[3] = { rows, columns, width };
    PyObject *out = PyArray_SimpleNew(rank, shape, NPY_UINT32);

    if (out != NULL && PyArray_SIZE((PyArrayObject *)out) > 0)
        memcpy(PyArray_DATA((PyArrayObject *)out), from,
               (size_t)PyArray_NBYTES((PyArrayObject *)out));
    return out;
}

PyObject *dw_py_tree_arrays(const dw_tree *tree)
{
    npy_intp child =
        tree->format == DW_NODE_FORMAT_F32 ? sizeof(dw_tree_child_f32) : sizeof(dw_tree_child);
    npy_intp used_words = ((npy_intp)tree->vertex_count + 31) / 32;
    PyObject *used;

    if (tree->used_vertices == NULL)
        used = Py_NewRef(Py_None);
    else
        used = words(tree->used_vertices, 1, used_words, 0, 0);
    return Py_BuildValue("{sNsNsNsNsNsNsN}", "shape",
                         words(&tree->shape, 1, sizeof tree->shape / 4, 0, 0), "frame",
                         words(&tree->frame, 1, sizeof tree->frame / 4, 0, 0), "sums",
                         words(&tree->sums, 1, sizeof tree->sums / 4, 0, 0), "treelets",
                         words(tree->treelets, 2, tree->shape.treelet_count, 4, 0), "nodes",
                         words(tree->nodes, 3, tree->shape.node_count, 2, child / 4), "triangles",
                         words(tree->triangles, 2, tree->shape.triangle_count, 4, 0), "used", used);
}

/* Whether `value` is in a registry. */
static bool is_kind(unsigned int value, dw_registry_id id)
{
    const dw_registry *registry = &dw_registries[id];

    for (int i = 0; i < registry->count; i++)
        if (registry->rows[i].value == (int)value)
            return true;
    PyErr_Format(PyExc_ValueError, "%s must be a %s, got %u", registry->argument, registry->name,
                 value);
    return false;
}

static PyObject *tree_build(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device", "positions", "indices", "builder", "node_format", NULL };
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *positions, *indices, *result = NULL;
    unsigned int builder = DW_TREE_BUILDER_HPLOC, format = DW_NODE_FORMAT_QUANTIZED;
    dw_py_tree_source source;
    dw_tree *tree = NULL;
    dw_device *device;
    dw_status status;
    dw_glue_run run;
    double begin;
    dw_error err;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO|$II:tree_build", names, &device_object,
                                     &positions, &indices, &builder, &format))
        return NULL;
    if (!is_kind(builder, DW_REGISTRY_TREE_BUILDER) || !is_kind(format, DW_REGISTRY_NODE_FORMAT))
        return NULL;
    if (dw_py_tree_source_init(&source, positions, indices) < 0)
        goto done;
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        goto done;

    begin = dw_platform_seconds();
    status = dw_tree_build(&source.source, (dw_tree_builder)builder, (dw_node_format)format, &tree,
                           &run.run, &err);
    dw_device_set_timing(device, "tree_build", 1e3 * (dw_platform_seconds() - begin));
    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        result = dw_py_tree_arrays(tree);
    dw_tree_destroy(tree);
done:
    dw_py_tree_source_finish(&source);
    return result;
}

static PyMethodDef functions[] = {
    { "tree_build", (PyCFunction)(void (*)(void))tree_build, METH_VARARGS | METH_KEYWORDS,
      "tree_build($module, /, device, positions, indices, *, builder=0, node_format=0)\n--\n\n"
      "A tree over triangles, or over boxes where indices is None, built on the device's threads:\n"
      "its parts as arrays of words. Boxes of nodes are empty: a refit fills them." },
    { NULL, NULL, 0, NULL },
};

int dw_tree_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
