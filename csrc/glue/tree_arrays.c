/* SPDX-License-Identifier: MIT */
#include "glue/tree_arrays.h"

#include "base/alloc.h"
#include "cpu/tree_check.h"
#include "glue/module.h"

#include <string.h>

/* The bytes of layout[name], of whole records; NULL with an exception set. */
static PyArrayObject *take_records(PyObject *layout, const char *name, size_t record_size,
                                   bool is_copied)
{
    PyObject *object = PyDict_GetItemString(layout, name);
    int flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | (is_copied ? NPY_ARRAY_ENSURECOPY : 0);
    PyArrayObject *array;

    if (object == NULL) {
        PyErr_Format(PyExc_ValueError, "layout has no %s", name);
        return NULL;
    }
    array = (PyArrayObject *)PyArray_FROM_OF(object, flags);
    if (array == NULL)
        return NULL;
    if (PyArray_ISOBJECT(array) || PyDataType_REFCHK(PyArray_DESCR(array)) ||
        (size_t)PyArray_NBYTES(array) % record_size != 0) {
        PyErr_Format(PyExc_TypeError, "layout: %s must hold records of %zu bytes, got dtype %S",
                     name, record_size, PyArray_DESCR(array));
        Py_DECREF(array);
        return NULL;
    }
    return array;
}

/* One record of the layout, by its bytes. */
static int take_record(PyObject *layout, const char *name, void *out, size_t size)
{
    PyArrayObject *array = take_records(layout, name, size, false);

    if (array == NULL)
        return -1;
    if ((size_t)PyArray_NBYTES(array) != size) {
        PyErr_Format(PyExc_ValueError, "layout: %s must be one record", name);
        Py_DECREF(array);
        return -1;
    }
    memcpy(out, PyArray_DATA(array), size);
    Py_DECREF(array);
    return 0;
}

static size_t rows_of(PyArrayObject *array, size_t record_size)
{
    return (size_t)PyArray_NBYTES(array) / record_size;
}

static int take_positions(PyObject *object, dw_py_tree *out)
{
    npy_intp columns;

    out->positions = dw_array_input(object, NPY_FLOAT32, 2, 2, "positions");
    if (out->positions == NULL)
        return -1;
    columns = PyArray_DIM(out->positions, 1);
    if ((columns != 3 && columns != 6) || PyArray_DIM(out->positions, 0) > UINT32_MAX) {
        PyErr_Format(PyExc_ValueError,
                     "positions must have shape (vertices, 3), or (boxes, 6) for a tree over "
                     "boxes, got %zd columns",
                     (Py_ssize_t)columns);
        return -1;
    }
    out->tree.is_over_boxes = columns == 6;
    out->tree.vertex_count = (uint32_t)PyArray_DIM(out->positions, 0);
    return 0;
}

static int check_rows(const dw_py_tree *self)
{
    const dw_tree *tree = &self->tree;
    size_t nodes = rows_of(self->nodes, tree->format == DW_NODE_FORMAT_F32 ? 64 : 32);
    size_t triangles = rows_of(self->triangles, sizeof(dw_tree_triangle));

    if (nodes == tree->shape.node_count && nodes > 0 && triangles == tree->shape.triangle_count &&
        triangles <= DW_TREE_COUNT_MAX && (!tree->is_over_boxes || triangles == tree->vertex_count))
        return 0;
    PyErr_Format(PyExc_ValueError,
                 "layout: shape says %u nodes and %u triangles, the arrays hold %zu and %zu, "
                 "positions %u rows",
                 tree->shape.node_count, tree->shape.triangle_count, nodes, triangles,
                 tree->vertex_count);
    return -1;
}

/* The format shows in the bytes a node. */
static int take_tables(PyObject *layout, dw_py_tree *out)
{
    dw_tree *tree = &out->tree;

    tree->frame.is_empty = 1u;
    if (take_record(layout, "shape", &tree->shape, sizeof tree->shape) < 0 ||
        (PyDict_GetItemString(layout, "frame") != NULL &&
         take_record(layout, "frame", &tree->frame, sizeof tree->frame) < 0))
        return -1;
    out->nodes = take_records(layout, "nodes", 32, true);
    out->triangles = take_records(layout, "triangles", sizeof(dw_tree_triangle), false);
    out->treelets = take_records(layout, "treelets", sizeof(dw_tree_treelet), false);
    if (out->nodes == NULL || out->triangles == NULL || out->treelets == NULL)
        return -1;
    tree->format = (size_t)PyArray_NBYTES(out->nodes) == 64 * (size_t)tree->shape.node_count
                       ? DW_NODE_FORMAT_F32
                       : DW_NODE_FORMAT_QUANTIZED;
    tree->nodes = PyArray_DATA(out->nodes);
    tree->triangles = PyArray_DATA(out->triangles);
    tree->treelets = PyArray_DATA(out->treelets);
    return check_rows(out);
}

static dw_status check_and_mark(dw_py_tree *self, dw_error *err)
{
    size_t rows = rows_of(self->treelets, sizeof(dw_tree_treelet));

    DW_TRY(dw_tree_check(&self->tree, rows > UINT32_MAX ? 0 : (uint32_t)rows, err));
    if (self->tree.is_over_boxes)
        return DW_OK;
    DW_TRY(DW_ALLOC_ZEROED(((size_t)self->tree.vertex_count + 31) / 32, &self->tree.used_vertices,
                           err));
    dw_tree_mark_used(&self->tree, self->tree.used_vertices);
    return DW_OK;
fail:
    return err->code;
}

int dw_py_tree_take(PyObject *module, PyObject *layout, PyObject *positions, dw_py_tree *out)
{
    dw_error err = { 0 };

    *out = (dw_py_tree) { 0 };
    if (!PyDict_Check(layout)) {
        PyErr_SetString(PyExc_TypeError, "layout must be a dict of arrays");
        return -1;
    }
    if (take_positions(positions, out) < 0 || take_tables(layout, out) < 0)
        goto fail;
    if (check_and_mark(out, &err) != DW_OK) {
        dw_raise(dw_module_get_state(module), &err);
        goto fail;
    }
    return 0;
fail:
    dw_py_tree_release(out);
    return -1;
}

void dw_py_tree_release(dw_py_tree *tree)
{
    dw_free(tree->tree.used_vertices);
    Py_CLEAR(tree->nodes);
    Py_CLEAR(tree->triangles);
    Py_CLEAR(tree->treelets);
    Py_CLEAR(tree->positions);
    tree->tree = (dw_tree) { 0 };
}

dw_tree_vertices dw_py_tree_vertices(const dw_py_tree *tree)
{
    return (dw_tree_vertices) { .data = PyArray_DATA(tree->positions),
                                .count = tree->tree.vertex_count,
                                .stride = 3 };
}
