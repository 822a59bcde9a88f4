/* SPDX-License-Identifier: MIT */
#include "glue/numbers.h"

static int refuse_type(PyObject *object, const char *argument, const char *wanted)
{
    if (PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError, "%s must be %s, got %.200s", argument, wanted,
                     Py_TYPE(object)->tp_name);
    return -1;
}

int dw_take_int(PyObject *object, const char *argument, int *out)
{
    PyObject *index;
    long value;
    int overflow;

    if (object == NULL)
        return 0;
    index = PyNumber_Index(object);
    if (index == NULL)
        return refuse_type(object, argument, "an int");
    value = PyLong_AsLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (overflow != 0 || value < INT_MIN || value > INT_MAX) {
        PyErr_Format(PyExc_ValueError, "%s must fit in 32 bits, got %R", argument, object);
        return -1;
    }
    *out = (int)value;
    return 0;
}

int dw_take_double(PyObject *object, const char *argument, double *out)
{
    double value;

    if (object == NULL)
        return 0;
    value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred())
        return refuse_type(object, argument, "a number");
    *out = value;
    return 0;
}
