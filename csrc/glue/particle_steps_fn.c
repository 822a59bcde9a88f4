/* SPDX-License-Identifier: MIT */
/* Steps of particles with state, of tables given as arrays, for tests and measurements. */
#include "glue/arrays.h"
#include "glue/device_type.h"

#include "systems/particle_steps_trial.h"

#include <string.h>

enum { EMITTERS, PARTS, LAWS, COLLIDERS, HEIGHTS, ROWS, TICKS, INPUT_COUNT };

static const struct {
    const char *name;
    int type; /* of plain arrays; NPY_VOID: records of `size` bytes */
    size_t size;
    int rank;
} inputs[INPUT_COUNT] = {
    [EMITTERS] = { "emitters", NPY_VOID, sizeof(dw_particle_emitter), 1 },
    [PARTS] = { "parts", NPY_VOID, sizeof(dw_particle_part), 1 },
    [LAWS] = { "laws", NPY_VOID, sizeof(dw_particle_law), 1 },
    [COLLIDERS] = { "colliders", NPY_VOID, sizeof(dw_particle_collider), 1 },
    [HEIGHTS] = { "heights", NPY_FLOAT32, 0, 1 },
    [ROWS] = { "rows", NPY_UINT32, 0, 2 },
    [TICKS] = { "ticks", NPY_UINT64, 0, 1 },
};

static PyArrayObject *take(PyObject *object, int index)
{
    PyArrayObject *array;

    if (inputs[index].type != NPY_VOID)
        return dw_array_input(object, inputs[index].type, inputs[index].rank, inputs[index].rank,
                              inputs[index].name);
    array = (PyArrayObject *)PyArray_FROM_OF(object, NPY_ARRAY_CARRAY_RO);
    if (array == NULL || (PyArray_TYPE(array) == NPY_VOID && PyArray_NDIM(array) == 1 &&
                          (size_t)PyArray_ITEMSIZE(array) == inputs[index].size))
        return array;
    PyErr_Format(PyExc_TypeError,
                 "%s must be a one-dimensional array of records of %zu bytes, as "
                 "layouts.record_dtype makes them, got %R",
                 inputs[index].name, inputs[index].size, PyArray_DESCR(array));
    Py_DECREF(array);
    return NULL;
}

static uint32_t rows_of(PyArrayObject *array)
{
    return (uint32_t)PyArray_DIM(array, 0);
}

/* A fresh array for what is shown, or None. */
static PyObject *shown_array(const dw_steps_trial *trial, bool is_shown)
{
    npy_intp shape[3] = { trial->tick_count, DW_SHOWN_WORDS,
                          (npy_intp)dw_steps_trial_slots(trial) };

    return is_shown ? PyArray_ZEROS(3, shape, NPY_UINT32, 0) : Py_NewRef(Py_None);
}

static PyObject *simulate(const dw_module_state *state, PyObject *device_object,
                          const dw_steps_trial *trial, bool is_shown)
{
    PyObject *shown = shown_array(trial, is_shown);
    dw_device *device;
    uint64_t skipped = 0;
    dw_status status;
    dw_glue_run run;
    dw_error err;

    if (shown == NULL)
        return NULL;
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL) {
        Py_DECREF(shown);
        return NULL;
    }
    status =
        dw_steps_trial_run(device, trial, is_shown ? PyArray_DATA((PyArrayObject *)shown) : NULL,
                           &skipped, &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) < 0) {
        Py_DECREF(shown);
        return NULL;
    }
    return Py_BuildValue("(NK)", shown, (unsigned long long)skipped);
}

static PyObject *particle_steps(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device",  "emitters", "parts", "laws",  "colliders",
                             "heights", "rows",     "ticks", "shown", NULL };
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *objects[INPUT_COUNT], *device, *emitters = NULL, *result = NULL;
    PyArrayObject *arrays[INPUT_COUNT] = { NULL };
    int is_shown = 1, taken = 0;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOOO|$p:particle_steps", names, &device,
                                     &objects[0], &objects[1], &objects[2], &objects[3],
                                     &objects[4], &objects[5], &objects[6], &is_shown))
        return NULL;
    for (; taken < INPUT_COUNT; taken++) {
        arrays[taken] = take(objects[taken], taken);
        if (arrays[taken] == NULL)
            goto done;
    }
    if (PyArray_DIM(arrays[ROWS], 1) != DW_STEPS_TRIAL_ROW_WORDS) {
        PyErr_Format(PyExc_ValueError, "rows must have shape (N, %d)", DW_STEPS_TRIAL_ROW_WORDS);
        goto done;
    }
    emitters = PyArray_NewCopy(arrays[EMITTERS], NPY_CORDER);
    if (emitters == NULL)
        goto done;
    {
        const dw_steps_trial trial = {
            .emitters = PyArray_DATA((PyArrayObject *)emitters),
            .parts = PyArray_DATA(arrays[PARTS]),
            .laws = PyArray_DATA(arrays[LAWS]),
            .colliders = PyArray_DATA(arrays[COLLIDERS]),
            .heights = PyArray_DATA(arrays[HEIGHTS]),
            .rows = PyArray_DATA(arrays[ROWS]),
            .ticks = PyArray_DATA(arrays[TICKS]),
            .emitter_count = rows_of(arrays[EMITTERS]),
            .part_count = rows_of(arrays[PARTS]),
            .law_count = rows_of(arrays[LAWS]),
            .collider_count = rows_of(arrays[COLLIDERS]),
            .height_count = rows_of(arrays[HEIGHTS]),
            .row_count = rows_of(arrays[ROWS]),
            .tick_count = rows_of(arrays[TICKS]),
        };

        result = simulate(state, device, &trial, is_shown != 0);
    }
done:
    for (int i = 0; i < INPUT_COUNT; i++)
        Py_XDECREF(arrays[i]);
    Py_XDECREF(emitters);
    return result;
}

static PyMethodDef functions[] = {
    { "particle_steps", (PyCFunction)(void (*)(void))particle_steps, METH_VARARGS | METH_KEYWORDS,
      "particle_steps($module, device, emitters, parts, laws, colliders, heights, rows, ticks, *, "
      "shown=True)\n--\n\n"
      "What rows (row, law, count, parent, is_parent) with state show at ticks, one after another: "
      "((ticks, words, slots) uint32, steps that were skipped)." },
    { NULL, NULL, 0, NULL },
};

int dw_particle_steps_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
