/* SPDX-License-Identifier: MIT */
/* Rays of a SceneTrees. */
#include "glue/arrays.h"
#include "glue/trees_type.h"

typedef struct ray_arrays {
    PyArrayObject *origins, *directions;
    dw_trace_rays rays;
} ray_arrays;

static void drop_rays(ray_arrays *arrays)
{
    Py_XDECREF(arrays->origins);
    Py_XDECREF(arrays->directions);
}

/* (N, 3) float32 each. */
static int take_rays(PyObject *origins, PyObject *directions, double t_min, double t_max,
                     ray_arrays *out)
{
    *out = (ray_arrays) { .rays = { .t_min = (float)t_min, .t_max = (float)t_max } };
    out->origins = dw_array_input(origins, NPY_FLOAT32, 2, 2, "origins");
    if (out->origins == NULL)
        return -1;
    out->directions = dw_array_input(directions, NPY_FLOAT32, 2, 2, "directions");
    if (out->directions == NULL)
        return -1;
    out->rays.count = PyArray_DIM(out->origins, 0);
    if (PyArray_DIM(out->origins, 1) != 3 || PyArray_DIM(out->directions, 1) != 3 ||
        PyArray_DIM(out->directions, 0) != out->rays.count) {
        PyErr_SetString(PyExc_ValueError,
                        "origins and directions must have three numbers a ray, and as many rays");
        return -1;
    }
    out->rays.origins = PyArray_DATA(out->origins);
    out->rays.directions = PyArray_DATA(out->directions);
    return 0;
}

typedef struct hit_arrays {
    PyObject *t, *instance, *primitive, *u, *v, *steps;
} hit_arrays;

static void *data_of(PyObject *array)
{
    return array == NULL ? NULL : PyArray_DATA((PyArrayObject *)array);
}

static int make_hits(npy_intp count, int has_steps, hit_arrays *out)
{
    *out = (hit_arrays) { 0 };
    out->t = PyArray_SimpleNew(1, &count, NPY_FLOAT32);
    out->instance = PyArray_SimpleNew(1, &count, NPY_INT32);
    out->primitive = PyArray_SimpleNew(1, &count, NPY_INT32);
    out->u = PyArray_SimpleNew(1, &count, NPY_FLOAT32);
    out->v = PyArray_SimpleNew(1, &count, NPY_FLOAT32);
    out->steps = has_steps ? PyArray_SimpleNew(1, &count, NPY_UINT32) : Py_NewRef(Py_None);
    return out->t == NULL || out->instance == NULL || out->primitive == NULL || out->u == NULL ||
                   out->v == NULL || out->steps == NULL
               ? -1
               : 0;
}

static void drop_hits(hit_arrays *hits)
{
    Py_XDECREF(hits->t);
    Py_XDECREF(hits->instance);
    Py_XDECREF(hits->primitive);
    Py_XDECREF(hits->u);
    Py_XDECREF(hits->v);
    Py_XDECREF(hits->steps);
}

PyObject *dw_trees_trace_method(PyObject *self, PyObject *args)
{
    PyObject *origins, *directions, *result = NULL;
    ray_arrays arrays = { 0 };
    hit_arrays made = { 0 };
    dw_trace_hits hits;
    dw_trees_call call;
    dw_status status;
    double t_min, t_max;
    int has_steps;

    if (!PyArg_ParseTuple(args, "OOddp:_trace", &origins, &directions, &t_min, &t_max, &has_steps))
        return NULL;
    if (take_rays(origins, directions, t_min, t_max, &arrays) < 0 ||
        make_hits(arrays.rays.count, has_steps, &made) < 0)
        goto done;
    hits = (dw_trace_hits) { .t = data_of(made.t),
                             .instance = data_of(made.instance),
                             .primitive = data_of(made.primitive),
                             .u = data_of(made.u),
                             .v = data_of(made.v),
                             .steps = has_steps ? data_of(made.steps) : NULL };
    if (dw_py_trees_begin(&call, dw_type_get_state(Py_TYPE(self)), self) < 0)
        goto done;
    status = dw_scene_trees_trace(call.trees, &arrays.rays, &hits, &call.run.run, &call.err);
    if (dw_py_trees_end(&call, status) == 0)
        result = Py_BuildValue("(OOOOOO)", made.t, made.instance, made.primitive, made.u, made.v,
                               made.steps);
done:
    drop_rays(&arrays);
    drop_hits(&made);
    return result;
}

PyObject *dw_trees_occluded_method(PyObject *self, PyObject *args)
{
    PyObject *origins, *directions, *result = NULL;
    ray_arrays arrays = { 0 };
    dw_trees_call call;
    dw_status status;
    double t_min, t_max;
    npy_intp count;

    if (!PyArg_ParseTuple(args, "OOdd:_occluded", &origins, &directions, &t_min, &t_max))
        return NULL;
    if (take_rays(origins, directions, t_min, t_max, &arrays) < 0)
        goto done;
    count = arrays.rays.count;
    result = PyArray_SimpleNew(1, &count, NPY_BOOL);
    if (result == NULL)
        goto done;
    if (dw_py_trees_begin(&call, dw_type_get_state(Py_TYPE(self)), self) < 0) {
        Py_CLEAR(result);
        goto done;
    }
    status = dw_scene_trees_occluded(call.trees, &arrays.rays, data_of(result), &call.run.run,
                                     &call.err);
    if (dw_py_trees_end(&call, status) < 0)
        Py_CLEAR(result);
done:
    drop_rays(&arrays);
    return result;
}
