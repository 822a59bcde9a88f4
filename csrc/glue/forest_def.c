/* SPDX-License-Identifier: MIT */
#include "glue/forest_def.h"

/* (begin, end), or None. */
static int take_fade(PyObject *object, const char *argument, bool *has, double fade[2])
{
    if (object == NULL)
        return 0;
    *has = object != Py_None;
    if (!*has)
        return 0;
    if (PyTuple_Check(object) && PyArg_ParseTuple(object, "dd", &fade[0], &fade[1]))
        return 0;
    PyErr_Format(PyExc_ValueError, "%s must be (begin, end) in metres or None, got %R", argument,
                 object);
    return -1;
}

static int take_distances(PyObject *object, dw_forest_def *out)
{
    Py_ssize_t count = PyTuple_GET_SIZE(object);

    out->lod_count = count > DW_FOREST_LODS_MAX ? DW_FOREST_LODS_MAX + 1 : (int)count;
    for (Py_ssize_t i = 0; i < count && i < DW_FOREST_LODS_MAX; i++) {
        out->distances[i] = PyFloat_AsDouble(PyTuple_GET_ITEM(object, i));
        if (out->distances[i] == -1.0 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

static int take_variants(PyObject *object, dw_forest_def *out)
{
    Py_ssize_t count = PyTuple_GET_SIZE(object);

    out->variant_count = count > DW_FOREST_VARIANTS_MAX ? DW_FOREST_VARIANTS_MAX + 1 : (int)count;
    for (Py_ssize_t i = 0; i < count && i < DW_FOREST_VARIANTS_MAX; i++) {
        dw_forest_variant *variant = &out->variants[i];
        unsigned int mask;

        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(object, i), "I(ffff)f", &mask, &variant->sphere[0],
                              &variant->sphere[1], &variant->sphere[2], &variant->sphere[3],
                              &variant->size))
            return -1;
        variant->mesh_mask = mask;
    }
    return 0;
}

int dw_take_forest_def(PyObject *args, PyObject *kwargs, dw_forest_def *out)
{
    static char *names[] = { "distances",  "variants",     "fade",     "near_fade", "crossfade",
                             "hysteresis", "size_scaling", "pattern",  "blue_size", "rule",
                             "combine",    "capacity",     "duration", "scale",     "easing",
                             "encoding",   "direction",    "softness", NULL };
    dw_dissolve_def *dissolve = &out->dissolve;
    PyObject *distances, *variants, *fade = NULL, *near_fade = NULL;
    unsigned long long capacity = out->capacity;
    int is_size_scaled = out->is_size_scaled;

    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "O!O!|$OOddpIIIIKffIIIf:Forest", names, &PyTuple_Type, &distances,
            &PyTuple_Type, &variants, &fade, &near_fade, &out->crossfade, &out->hysteresis,
            &is_size_scaled, &out->pattern, &out->table_side, &out->rule, &out->combine, &capacity,
            &dissolve->duration, &dissolve->scale, &dissolve->easing, &dissolve->encoding,
            &dissolve->direction, &dissolve->softness))
        return -1;
    out->capacity = capacity;
    out->is_size_scaled = is_size_scaled != 0;
    return take_fade(fade, "fade", &out->has_fade, out->fade) < 0 ||
                   take_fade(near_fade, "near_fade", &out->has_near_fade, out->near_fade) < 0 ||
                   take_distances(distances, out) < 0 || take_variants(variants, out) < 0
               ? -1
               : 0;
}
