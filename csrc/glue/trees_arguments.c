/* SPDX-License-Identifier: MIT */
#include "glue/trees_arguments.h"

#include <math.h>
#include <string.h>

int dw_take_whole(PyObject *object, const char *argument, unsigned long long most,
                  unsigned long long *out)
{
    PyObject *index = PyBool_Check(object) ? NULL : PyNumber_Index(object);
    int is_negative;

    if (index == NULL) {
        PyErr_Format(PyExc_TypeError, "%s must be a whole number, got %.200s", argument,
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    *out = PyLong_AsUnsignedLongLong(index);
    is_negative = PyErr_Occurred() != NULL;
    if (is_negative)
        PyErr_Clear();
    Py_DECREF(index);
    if (!is_negative && *out <= most)
        return 0;
    PyErr_Format(PyExc_ValueError, "%s must be 0 to %llu, got %R", argument, most, object);
    return -1;
}

int dw_take_handle(PyObject *object, const char *argument, uint32_t *out)
{
    unsigned long long value;

    if (dw_take_whole(object, argument, INT32_MAX, &value) < 0)
        return -1;
    *out = (uint32_t)value;
    return 0;
}

int dw_take_transforms(PyObject *object, double **out, npy_intp *count)
{
    PyArrayObject *array = dw_array_input(object, NPY_DOUBLE, 3, 3, "transform");
    const double *from;
    npy_intp rows;

    *out = NULL;
    if (array == NULL)
        return -1;
    *count = PyArray_DIM(array, 0);
    rows = PyArray_DIM(array, 1);
    from = PyArray_DATA(array);
    if (PyArray_DIM(array, 2) != 4 || (rows != 3 && rows != 4)) {
        PyErr_SetString(PyExc_ValueError, "transform must be a (4, 4) or (3, 4) matrix");
        goto fail;
    }
    *out = PyMem_Malloc(sizeof(double) * 12 * (size_t)(*count > 0 ? *count : 1));
    if (*out == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    for (npy_intp i = 0; i < *count; i++, from += 4 * rows) {
        memcpy(*out + 12 * i, from, 12 * sizeof *from);
        for (int j = 0; j < 12; j++)
            if (!isfinite(from[j])) {
                PyErr_Format(PyExc_ValueError,
                             "transform must be finite, but row %d, column %d of matrix %zd is not",
                             j / 4, j % 4, (Py_ssize_t)i);
                goto fail;
            }
        if (rows == 4 &&
            (from[12] != 0.0 || from[13] != 0.0 || from[14] != 0.0 || from[15] != 1.0)) {
            PyErr_Format(PyExc_ValueError,
                         "transform must be affine: the last row of matrix %zd is not 0 0 0 1; "
                         "matrices act on column vectors",
                         (Py_ssize_t)i);
            goto fail;
        }
    }
    Py_DECREF(array);
    return 0;
fail:
    PyMem_Free(*out);
    *out = NULL;
    Py_DECREF(array);
    return -1;
}

int dw_take_tree_box(PyObject *object, float box[6], bool *has)
{
    PyArrayObject *array;

    *has = object != Py_None;
    if (!*has)
        return 0;
    array = dw_array_input(object, NPY_FLOAT32, 1, 1, "bounds");
    if (array == NULL)
        return -1;
    if (PyArray_DIM(array, 0) != 6) {
        PyErr_Format(PyExc_ValueError, "bounds must be 6 numbers, x0 y0 z0 x1 y1 z1, got %zd",
                     (Py_ssize_t)PyArray_DIM(array, 0));
        Py_DECREF(array);
        return -1;
    }
    memcpy(box, PyArray_DATA(array), 6 * sizeof *box);
    Py_DECREF(array);
    return 0;
}

int dw_take_dirty(PyObject *object, unsigned long long vertex_count, uint32_t **out)
{
    PyArrayObject *array;

    *out = NULL;
    if (object == Py_None)
        return 0;
    array = dw_array_input(object, NPY_BOOL, 1, 1, "dirty");
    if (array == NULL)
        return -1;
    if ((unsigned long long)PyArray_DIM(array, 0) != vertex_count) {
        PyErr_Format(PyExc_ValueError,
                     "dirty must have one flag for each of %llu vertices, got %zd", vertex_count,
                     (Py_ssize_t)PyArray_DIM(array, 0));
        Py_DECREF(array);
        return -1;
    }
    *out = PyMem_Calloc((size_t)(vertex_count / 32 + 1), sizeof **out);
    if (*out == NULL) {
        Py_DECREF(array);
        PyErr_NoMemory();
        return -1;
    }
    dw_array_pack_flags(array, *out);
    Py_DECREF(array);
    return 0;
}

PyArrayObject *dw_take_rows_of_three(PyObject *object, int type, const char *argument)
{
    PyArrayObject *array = dw_array_input(object, type, 2, 2, argument);

    if (array == NULL)
        return NULL;
    if (PyArray_DIM(array, 1) == 3 && PyArray_DIM(array, 0) <= (npy_intp)UINT32_MAX / 4)
        return array;
    PyErr_Format(PyExc_ValueError, "%s must have shape (N, 3), N up to %u, got (%zd, %zd)",
                 argument, UINT32_MAX / 4, (Py_ssize_t)PyArray_DIM(array, 0),
                 (Py_ssize_t)PyArray_DIM(array, 1));
    Py_DECREF(array);
    return NULL;
}
