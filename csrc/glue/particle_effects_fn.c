/* SPDX-License-Identifier: MIT */
/* What Python knows of the built-in effects: PARTICLE_EFFECTS, PARTICLE_PARAMS, PARTICLE_PALETTES,
 * PARTICLE_VARIANTS, PARTICLE_SEED_COLORS. */
#include "glue/arrays.h"
#include "glue/module.h"

#include "cpu/particle_effects.h"

#include <string.h>

static const char *word_of(dw_registry_id registry, uint32_t value)
{
    return dw_registries[registry].rows[value].name;
}

/* {word: value} of the params of a kind. */
static PyObject *params_dict(const dw_particle_recipe *part)
{
    const char *word = dw_particle_param_words(part->kind);
    PyObject *dict = PyDict_New();

    for (int i = 0; dict != NULL && *word != '\0'; i++) {
        size_t length = strcspn(word, " ");
        PyObject *name = PyUnicode_FromStringAndSize(word, (Py_ssize_t)length);
        PyObject *value = PyFloat_FromDouble(part->params[i]);

        if (name == NULL || value == NULL || PyDict_SetItem(dict, name, value) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(name);
        Py_XDECREF(value);
        word += length;
        word += strspn(word, " ");
    }
    return dict;
}

/* float32 values at the knots, or None. */
static PyObject *curve_array(const dw_curve *curve)
{
    npy_intp count = DW_PARTICLE_KNOTS;
    PyObject *array;

    if (curve->shape == DW_CURVE_NONE)
        Py_RETURN_NONE;
    array = PyArray_SimpleNew(1, &count, NPY_FLOAT32);
    if (array == NULL)
        return NULL;
    dw_particle_curve_fill(curve, PyArray_DATA((PyArrayObject *)array));
    PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
    return array;
}

/* (n, 4) uint8, or None. */
static PyObject *ramp_array(const dw_particle_recipe *part)
{
    npy_intp shape[2] = { part->ramp_count, 4 };
    uint8_t *bytes;
    PyObject *array;

    if (part->ramp_count == 0)
        Py_RETURN_NONE;
    array = PyArray_SimpleNew(2, shape, NPY_UINT8);
    if (array == NULL)
        return NULL;
    bytes = PyArray_DATA((PyArrayObject *)array);
    for (uint32_t i = 0; i < part->ramp_count; i++)
        for (uint32_t channel = 0; channel < 4; channel++)
            bytes[4 * i + channel] = (uint8_t)(part->ramp[i] >> (24 - 8 * channel));
    PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
    return array;
}

/* (a, b), or None where the second is 0. */
static PyObject *pair_or_none(double a, double b)
{
    if (b == 0.0)
        Py_RETURN_NONE;
    return Py_BuildValue("(dd)", a, b);
}

static PyObject *part_dict(const dw_particle_recipe *p)
{
    bool is_burst = (p->flags & DW_PART_IS_BURST) != 0;
    PyObject *frames =
        p->frames[1] == 0 ? Py_NewRef(Py_None) : Py_BuildValue("(II)", p->frames[0], p->frames[1]);

    return Py_BuildValue(
        "{s:s,s:s,s:I,s:(dd),s:N,s:f,s:f,s:f,s:N,s:N,s:N,s:N,s:I,s:N,s:N,s:N,s:(dd),s:N,s:f,s:N,"
        "s:(fff)}",
        "kind", word_of(DW_REGISTRY_PARTICLE_KIND, p->kind), "layer",
        word_of(DW_REGISTRY_PARTICLE_LAYER, p->layer), "count", p->count, "lifetime", p->life[0],
        p->life[1], "params", params_dict(p), "opacity", p->opacity, "rise", p->rise, "fall",
        p->fall, "opacity_curve", curve_array(&p->fade), "size_curve", curve_array(&p->swell),
        "ramp", ramp_array(p), "over_life", PyBool_FromLong(p->flags & DW_PART_IS_RAMPED), "tone",
        p->tone, "burst", pair_or_none(p->gap[0], is_burst ? p->gap[1] : 0.0), "once",
        PyBool_FromLong(p->flags & DW_PART_IS_ONCE), "even",
        PyBool_FromLong(p->flags & DW_PART_IS_EVEN), "delay", p->delay[0], p->delay[1], "frames",
        frames, "frame_rate", p->frame_rate, "lod", pair_or_none(p->detail[0], p->detail[1]),
        "offset", p->offset[0], p->offset[1], p->offset[2]);
}

static PyObject *effect_row(const dw_particle_effect *effect)
{
    PyObject *parts = PyTuple_New((Py_ssize_t)effect->part_count);

    for (uint32_t i = 0; parts != NULL && i < effect->part_count; i++) {
        PyObject *part = part_dict(&effect->parts[i]);

        if (part == NULL)
            Py_CLEAR(parts);
        else
            PyTuple_SET_ITEM(parts, (Py_ssize_t)i, part);
    }
    return parts == NULL ? NULL : Py_BuildValue("(ssN)", effect->doc, effect->palette, parts);
}

/* Takes `value`; -1 and no dict on failure. */
static int put(PyObject **dict, const char *name, PyObject *value)
{
    if (value == NULL || *dict == NULL || PyDict_SetItemString(*dict, name, value) < 0)
        Py_CLEAR(*dict);
    Py_XDECREF(value);
    return *dict == NULL ? -1 : 0;
}

static PyObject *effects_dict(void)
{
    PyObject *all = PyDict_New();

    for (uint32_t i = 0; all != NULL && i < dw_particle_effect_count; i++)
        put(&all, dw_particle_effects[i].name, effect_row(&dw_particle_effects[i]));
    return all;
}

/* {kind: (word, ...)} */
static PyObject *param_words_dict(void)
{
    const dw_registry *registry = &dw_registries[DW_REGISTRY_PARTICLE_KIND];
    PyObject *all = PyDict_New();

    for (int i = 0; all != NULL && i < registry->count; i++) {
        PyObject *text = PyUnicode_FromString(dw_particle_param_words((uint32_t)i));
        PyObject *list = text == NULL ? NULL : PyUnicode_Split(text, NULL, -1);

        put(&all, registry->rows[i].name, list == NULL ? NULL : PyList_AsTuple(list));
        Py_XDECREF(list);
        Py_XDECREF(text);
    }
    return all;
}

static PyObject *palettes_dict(void)
{
    PyObject *all = PyDict_New();

    for (uint32_t i = 0; all != NULL && i < dw_particle_palette_count; i++) {
        const uint32_t *colors = dw_particle_palettes[i].colors;

        put(&all, dw_particle_palettes[i].name,
            Py_BuildValue("(III)", colors[0], colors[1], colors[2]));
    }
    return all;
}

static PyObject *variants_tuple(void)
{
    PyObject *all = PyTuple_New((Py_ssize_t)DW_COUNT_OF(dw_particle_variants));

    for (size_t i = 0; all != NULL && i < DW_COUNT_OF(dw_particle_variants); i++) {
        PyObject *row =
            Py_BuildValue("(ss)", dw_particle_variants[i].word, dw_particle_variants[i].effect);

        if (row == NULL)
            Py_CLEAR(all);
        else
            PyTuple_SET_ITEM(all, (Py_ssize_t)i, row);
    }
    return all;
}

static PyObject *seed_colors_dict(void)
{
    PyObject *all = PyDict_New();

    for (size_t i = 0; all != NULL && i < DW_COUNT_OF(dw_particle_seed_colors); i++)
        put(&all, word_of(DW_REGISTRY_PARTICLE_LAYER, dw_particle_seed_colors[i].layer),
            PyLong_FromUnsignedLong(dw_particle_seed_colors[i].color));
    return all;
}

int dw_particle_effects_exec(PyObject *module)
{
    return dw_module_add(module, "PARTICLE_EFFECTS", effects_dict()) < 0 ||
                   dw_module_add(module, "PARTICLE_PARAMS", param_words_dict()) < 0 ||
                   dw_module_add(module, "PARTICLE_PALETTES", palettes_dict()) < 0 ||
                   dw_module_add(module, "PARTICLE_VARIANTS", variants_tuple()) < 0 ||
                   dw_module_add(module, "PARTICLE_SEED_COLORS", seed_colors_dict()) < 0
               ? -1
               : 0;
}
