/* SPDX-License-Identifier: MIT */
#define DW_IMPORT_NUMPY_HERE
#include "glue/arrays.h"

int dw_arrays_import(void)
{
    import_array1(-1);
    return 0;
}

static int check_rank(PyArrayObject *array, int rank_min, int rank_max, const char *argument)
{
    int rank = PyArray_NDIM(array);

    if (rank >= rank_min && rank <= rank_max)
        return 0;
    if (rank_min == rank_max)
        PyErr_Format(PyExc_ValueError, "%s must have %d dimensions, got %d", argument, rank_min,
                     rank);
    else
        PyErr_Format(PyExc_ValueError, "%s must have %d to %d dimensions, got %d", argument,
                     rank_min, rank_max, rank);
    return -1;
}

PyArrayObject *dw_array_input(PyObject *object, int type_number, int rank_min, int rank_max,
                              const char *argument)
{
    PyArrayObject *array = (PyArrayObject *)PyArray_FROM_O(object);
    PyArrayObject *plain = NULL;
    PyArray_Descr *wanted = NULL;

    if (array == NULL)
        return NULL;
    wanted = PyArray_DescrFromType(type_number);
    if (wanted == NULL)
        goto done;
    if (!PyArray_EquivTypenums(PyArray_TYPE(array), type_number)) {
        PyErr_Format(PyExc_TypeError,
                     "%s must have dtype %S, got %S; convert it with .astype(...) yourself, since "
                     "only you know its range",
                     argument, wanted, PyArray_DESCR(array));
        goto done;
    }
    if (check_rank(array, rank_min, rank_max, argument) < 0)
        goto done;
    Py_INCREF(wanted); /* PyArray_FromArray steals it */
    plain = (PyArrayObject *)PyArray_FromArray(array, wanted,
                                               NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED);
done:
    Py_XDECREF(wanted);
    Py_DECREF(array);
    return plain;
}

void dw_array_pack_flags(PyArrayObject *flags, uint32_t *out)
{
    const npy_bool *flag = PyArray_DATA(flags);
    npy_intp count = PyArray_DIM(flags, 0);

    for (npy_intp i = 0; i < count; i++)
        out[i >> 5] |= (uint32_t)(flag[i] != 0) << (i & 31);
}
