/* SPDX-License-Identifier: MIT */
#include "glue/particles_effect.h"

#include "base/alloc.h"

#include <string.h>

/* The bytes of `object`, or NULL for None; -1 when they are not `wanted` long, a multiple of
 * `unit`. wanted 0: any length above 0. */
static int take_bytes(PyObject *object, Py_ssize_t wanted, Py_ssize_t unit, const char *argument,
                      const void **out, Py_ssize_t *size)
{
    *out = NULL;
    *size = 0;
    if (object == Py_None)
        return 0;
    if (!PyBytes_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be bytes or None, got %.200s", argument,
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    *size = PyBytes_GET_SIZE(object);
    *out = PyBytes_AS_STRING(object);
    if ((wanted == 0 || *size == wanted) && *size > 0 && *size % unit == 0)
        return 0;
    PyErr_Format(PyExc_ValueError, "%s has %zd bytes", argument, *size);
    return -1;
}

static int take_colors(PyObject *object, bool is_ramped, dw_hub_part *out)
{
    Py_ssize_t wanted = is_ramped ? DW_PARTICLE_KNOTS * 4 : 0, size;
    const void *colors;

    if (take_bytes(object, wanted, 4, "ramp", &colors, &size) < 0)
        return -1;
    out->colors = colors;
    out->color_count = (uint32_t)(size / 4);
    return 0;
}

/* Laws and solids have the records of layouts.record_dtype. */
static int take_simulation(PyObject *object, dw_hub_simulation *out)
{
    PyObject *law, *colliders, *heights;
    const void *bytes;
    Py_ssize_t size;

    if (!PyArg_ParseTuple(object, "OOOII:simulation", &law, &colliders, &heights, &out->parent,
                          &out->burst) ||
        take_bytes(law, sizeof out->law, 1, "law", &bytes, &size) < 0)
        return -1;
    if (bytes == NULL) {
        PyErr_SetString(PyExc_TypeError, "law must be bytes");
        return -1;
    }
    memcpy(&out->law, bytes, sizeof out->law);
    if (take_bytes(colliders, 0, sizeof *out->colliders, "colliders",
                   (const void **)&out->colliders, &size) < 0)
        return -1;
    out->collider_count = (uint32_t)(size / (Py_ssize_t)sizeof *out->colliders);
    if (take_bytes(heights, 0, sizeof *out->heights, "heights", (const void **)&out->heights,
                   &size) < 0)
        return -1;
    out->height_count = (uint32_t)(size / (Py_ssize_t)sizeof *out->heights);
    return 0;
}

/* simulation: room for that of the part. */
static int take_part(PyObject *row, dw_hub_part *out, dw_hub_simulation *simulation)
{
    dw_particle_recipe *r = &out->recipe;
    PyObject *params, *opacity_curve, *size_curve, *colors, *simulated;
    Py_ssize_t size, curve_bytes = DW_PARTICLE_KNOTS * (Py_ssize_t)sizeof(float);
    const void *bytes;

    memset(out, 0, sizeof *out);
    if (!PyArg_ParseTuple(row, "IIII(dd)(dd)(dd)(dd)(ffff)(II)I(fff)OOOOO:part", &r->kind,
                          &r->layer, &r->count, &r->flags, &r->life[0], &r->life[1], &r->gap[0],
                          &r->gap[1], &r->delay[0], &r->delay[1], &r->detail[0], &r->detail[1],
                          &r->opacity, &r->rise, &r->fall, &r->frame_rate, &r->frames[0],
                          &r->frames[1], &r->tone, &r->offset[0], &r->offset[1], &r->offset[2],
                          &params, &opacity_curve, &size_curve, &colors, &simulated) ||
        take_bytes(params, sizeof r->params, sizeof r->params, "params", &bytes, &size) < 0)
        return -1;
    if (bytes != NULL)
        memcpy(r->params, bytes, sizeof r->params);
    if (take_bytes(opacity_curve, curve_bytes, 4, "opacity_curve",
                   (const void **)&out->opacity_curve, &size) < 0 ||
        take_bytes(size_curve, curve_bytes, 4, "size_curve", (const void **)&out->size_curve,
                   &size) < 0)
        return -1;
    if (simulated != Py_None) {
        if (!PyTuple_Check(simulated)) {
            PyErr_SetString(PyExc_TypeError, "simulation must be a tuple or None");
            return -1;
        }
        if (take_simulation(simulated, simulation) < 0)
            return -1;
        out->simulation = simulation;
    }
    return take_colors(colors, (r->flags & DW_PART_IS_RAMPED) != 0, out);
}

int dw_take_particle_parts(PyObject *rows, dw_hub_part **out, uint32_t *count)
{
    dw_hub_simulation *simulations;
    Py_ssize_t size;
    dw_error err;

    if (!PyTuple_Check(rows)) {
        PyErr_SetString(PyExc_TypeError, "parts must be a tuple of tuples");
        return -1;
    }
    size = PyTuple_GET_SIZE(rows);
    if (dw_alloc_array((size_t)size, sizeof **out + sizeof *simulations, "parts", (void **)out,
                       &err) != DW_OK) {
        PyErr_NoMemory();
        return -1;
    }
    *count = (uint32_t)size;
    simulations = (dw_hub_simulation *)(*out + size); /* of all, behind the parts */
    for (Py_ssize_t i = 0; i < size; i++)
        if (!PyTuple_Check(PyTuple_GET_ITEM(rows, i)) ||
            take_part(PyTuple_GET_ITEM(rows, i), &(*out)[i], &simulations[i]) < 0) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "parts must be a tuple of tuples");
            dw_free(*out);
            *out = NULL;
            return -1;
        }
    return 0;
}
