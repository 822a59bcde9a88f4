/* SPDX-License-Identifier: MIT */
/* Functions of terrain: the law of a transition. */
#include "glue/terrain_fn.h"

#include "cpu/terrain_law.h"
#include "glue/arrays.h"

#include <string.h>

int dw_take_terrain_law(PyObject *object, struct dw_terrain_law *law)
{
    if (!PyBytes_Check(object) || PyBytes_GET_SIZE(object) != sizeof *law) {
        PyErr_SetString(PyExc_TypeError, "law must be bytes that terrain_law made");
        return -1;
    }
    memcpy(law, PyBytes_AS_STRING(object), sizeof *law);
    return 0;
}

/* keys: (N,) uint32; priorities: (N,) float64. */
static int take_slots(PyObject *keys_object, PyObject *priorities_object, dw_terrain_def *def)
{
    PyArrayObject *priorities = NULL;
    PyArrayObject *keys = dw_array_input(keys_object, NPY_UINT32, 1, 1, "materials");
    npy_intp count;
    int result = -1;

    if (keys == NULL)
        return -1;
    priorities = dw_array_input(priorities_object, NPY_FLOAT64, 1, 1, "priorities");
    if (priorities == NULL)
        goto done;
    count = PyArray_DIM(keys, 0);
    if (PyArray_DIM(priorities, 0) != count) {
        PyErr_Format(PyExc_ValueError, "priorities must be one for each of %zd materials, got %zd",
                     (Py_ssize_t)count, (Py_ssize_t)PyArray_DIM(priorities, 0));
        goto done;
    }
    if (count < 1 || count > (npy_intp)DW_TERRAIN_MATERIALS) {
        PyErr_Format(PyExc_ValueError, "materials must be 1 to %u, got %zd", DW_TERRAIN_MATERIALS,
                     (Py_ssize_t)count);
        goto done;
    }
    def->count = (uint32_t)count;
    memcpy(def->keys, PyArray_DATA(keys), (size_t)count * sizeof *def->keys);
    memcpy(def->priorities, PyArray_DATA(priorities), (size_t)count * sizeof *def->priorities);
    result = 0;
done:
    Py_XDECREF(priorities);
    Py_DECREF(keys);
    return result;
}

static PyObject *terrain_law(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    dw_terrain_def def = { .mode = 0 };
    struct dw_terrain_law law;
    PyObject *keys, *priorities;
    long long noise_size, seed, quantize, accents, empty_id;
    dw_error err;

    if (!PyArg_ParseTuple(args, "IILLddLd(dd)Ld(dd)(dd)LOO:terrain_law", &def.mode, &def.noise,
                          &noise_size, &seed, &def.strength, &def.cell, &quantize, &def.min_weight,
                          &def.accent[0], &def.accent[1], &accents, &def.depth, &def.fade[0],
                          &def.fade[1], &def.zoom[0], &def.zoom[1], &empty_id, &keys,
                          &priorities) ||
        take_slots(keys, priorities, &def) < 0)
        return NULL;
    def.noise_size = noise_size;
    def.seed = seed;
    def.quantize = quantize;
    def.accents = accents;
    def.empty_id = empty_id;
    if (dw_terrain_law_make(&def, &law, &err) != DW_OK) {
        dw_raise(state, &err);
        return NULL;
    }
    return PyBytes_FromStringAndSize((const char *)&law, sizeof law);
}

static PyMethodDef functions[] = {
    { "terrain_law", terrain_law, METH_VARARGS,
      "terrain_law($module, mode, noise, noise_size, seed, strength, cell, quantize, min_weight, "
      "accent, accents, depth, fade, zoom, empty_id, materials, priorities, /)\n--\n\n"
      "A dw_terrain_law, checked." },
    { NULL, NULL, 0, NULL },
};

int dw_terrain_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
