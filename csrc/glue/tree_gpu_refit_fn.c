/* SPDX-License-Identifier: MIT */
/* Native trees refit on a device, for tests and measurements. */
#include "glue/device_type.h"
#include "glue/tree_arrays.h"

#include "base/alloc.h"
#include "systems/tree_trial.h"

#include <string.h>

/* The arguments in plain C, and what keeps them alive. */
typedef struct refit_batch {
    dw_py_tree *trees;
    dw_tree **tree_list;
    float (*roots)[6];
    dw_trial_pose *poses; /* [step][tree] */
    PyArrayObject **data; /* of the poses */
    uint32_t **dirty;
    Py_ssize_t tree_count, step_count;
} refit_batch;

static void release_batch(refit_batch *batch)
{
    Py_ssize_t pose_count = batch->tree_count * batch->step_count;

    for (Py_ssize_t i = 0; batch->data != NULL && i < pose_count; i++)
        Py_XDECREF(batch->data[i]);
    for (Py_ssize_t i = 0; batch->dirty != NULL && i < pose_count; i++)
        dw_free(batch->dirty[i]);
    for (Py_ssize_t i = 0; batch->trees != NULL && i < batch->tree_count; i++)
        dw_py_tree_release(&batch->trees[i]);
    dw_free(batch->trees);
    dw_free(batch->tree_list);
    dw_free(batch->roots);
    dw_free(batch->poses);
    dw_free(batch->data);
    dw_free(batch->dirty);
}

static int reserve_batch(refit_batch *batch, Py_ssize_t tree_count, Py_ssize_t step_count)
{
    size_t trees = (size_t)tree_count, poses = trees * (size_t)step_count;
    dw_error err;

    batch->tree_count = tree_count;
    batch->step_count = step_count;
    if (DW_ALLOC_ZEROED(trees, &batch->trees, &err) == DW_OK &&
        DW_ALLOC_ZEROED(trees, &batch->tree_list, &err) == DW_OK &&
        DW_ALLOC_ZEROED(trees, &batch->roots, &err) == DW_OK &&
        DW_ALLOC_ZEROED(poses, &batch->poses, &err) == DW_OK &&
        DW_ALLOC_ZEROED(poses, &batch->data, &err) == DW_OK &&
        DW_ALLOC_ZEROED(poses, &batch->dirty, &err) == DW_OK)
        return 0;
    PyErr_NoMemory();
    return -1;
}

static int take_bits(PyObject *object, uint32_t count, uint32_t **out)
{
    PyArrayObject *flags;
    dw_error err;

    if (object == Py_None)
        return 0;
    flags = dw_array_input(object, NPY_BOOL, 1, 1, "dirty");
    if (flags == NULL)
        return -1;
    if (PyArray_DIM(flags, 0) != count)
        PyErr_Format(PyExc_ValueError, "dirty must have %u values, got %zd", count,
                     (Py_ssize_t)PyArray_DIM(flags, 0));
    else if (DW_ALLOC_ZEROED(((size_t)count + 31) / 32 + 1, out, &err) != DW_OK)
        PyErr_NoMemory();
    if (*out != NULL)
        dw_array_pack_flags(flags, *out);
    Py_DECREF(flags);
    return *out == NULL ? -1 : 0;
}

/* (data, offset, stride, dirty, sums) */
static int take_pose(refit_batch *batch, Py_ssize_t at, const dw_tree *tree, PyObject *object)
{
    uint32_t width = tree->is_over_boxes ? 6 : 3;
    dw_trial_pose *pose = &batch->poses[at];
    PyObject *data, *dirty;
    uint64_t needed;
    int wants_sums;

    if (!PyArg_ParseTuple(object, "OIIOp", &data, &pose->offset, &pose->stride, &dirty,
                          &wants_sums))
        return -1;
    batch->data[at] = dw_array_input(data, NPY_FLOAT32, 1, 1, "data");
    if (batch->data[at] == NULL || take_bits(dirty, tree->vertex_count, &batch->dirty[at]) < 0)
        return -1;
    pose->data = PyArray_DATA(batch->data[at]);
    pose->float_count = (uint64_t)PyArray_DIM(batch->data[at], 0);
    pose->dirty = batch->dirty[at];
    pose->wants_sums = wants_sums != 0;
    needed = tree->vertex_count == 0
                 ? 0
                 : pose->offset + (tree->vertex_count - 1) * (uint64_t)pose->stride + width;
    if (pose->stride >= width && needed <= pose->float_count)
        return 0;
    PyErr_Format(PyExc_ValueError, "data must hold %llu floats %u apart, got %llu",
                 (unsigned long long)needed, pose->stride, (unsigned long long)pose->float_count);
    return -1;
}

/* (layout, positions, steps) */
static int take_mesh(PyObject *module, refit_batch *batch, Py_ssize_t i, PyObject *object)
{
    PyObject *layout, *positions, *steps;

    if (!PyArg_ParseTuple(object, "O!OO!", &PyDict_Type, &layout, &positions, &PyTuple_Type,
                          &steps))
        return -1;
    if (PyTuple_GET_SIZE(steps) != batch->step_count) {
        PyErr_SetString(PyExc_ValueError, "meshes must have equally many steps");
        return -1;
    }
    if (dw_py_tree_take(module, layout, positions, &batch->trees[i]) < 0)
        return -1;
    batch->tree_list[i] = &batch->trees[i].tree;
    for (Py_ssize_t step = 0; step < batch->step_count; step++)
        if (take_pose(batch, step * batch->tree_count + i, batch->tree_list[i],
                      PyTuple_GET_ITEM(steps, step)) < 0)
            return -1;
    return 0;
}

static int take_batch(PyObject *module, PyObject *meshes, refit_batch *batch)
{
    Py_ssize_t count = PyTuple_GET_SIZE(meshes);
    PyObject *layout, *positions, *steps;

    if (count == 0 || !PyTuple_Check(PyTuple_GET_ITEM(meshes, 0)) ||
        !PyArg_ParseTuple(PyTuple_GET_ITEM(meshes, 0), "OOO!", &layout, &positions, &PyTuple_Type,
                          &steps)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "meshes must be (layout, positions, steps) each");
        return -1;
    }
    if (reserve_batch(batch, count, PyTuple_GET_SIZE(steps)) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < count; i++)
        if (take_mesh(module, batch, i, PyTuple_GET_ITEM(meshes, i)) < 0)
            return -1;
    return 0;
}

static PyObject *words_of(const void *data, npy_intp count)
{
    PyObject *array = PyArray_SimpleNew(1, &count, NPY_UINT32);

    if (array != NULL)
        memcpy(PyArray_DATA((PyArrayObject *)array), data, (size_t)count * sizeof(uint32_t));
    return array;
}

static PyObject *make_results(const refit_batch *batch)
{
    PyObject *results = PyTuple_New(batch->tree_count);

    for (Py_ssize_t i = 0; results != NULL && i < batch->tree_count; i++) {
        const dw_tree *tree = batch->tree_list[i];
        PyObject *one = Py_BuildValue("{sOsNsNsN}", "nodes", batch->trees[i].nodes, "frame",
                                      words_of(&tree->frame, sizeof tree->frame / 4), "sums",
                                      words_of(&tree->sums, sizeof tree->sums / 4), "root",
                                      words_of(batch->roots[i], 6));

        if (one == NULL)
            Py_CLEAR(results);
        else
            PyTuple_SET_ITEM(results, i, one);
    }
    return results;
}

static PyObject *tree_gpu_refit(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device", "meshes", "variant", "repeat", NULL };
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *meshes, *times = NULL, *result = NULL;
    refit_batch batch = { .trees = NULL };
    dw_trial_refit trial = { .repeat = 1 };
    dw_device *device;
    dw_status status;
    dw_glue_run run;
    npy_intp repeat;
    dw_error err;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!|$iI:tree_gpu_refit", names, &device_object,
                                     &PyTuple_Type, &meshes, &trial.variant, &trial.repeat))
        return NULL;
    repeat = trial.repeat;
    times = PyArray_ZEROS(1, &repeat, NPY_FLOAT64, 0);
    if (times == NULL || take_batch(module, meshes, &batch) < 0)
        goto done;
    trial.milliseconds = PyArray_DATA((PyArrayObject *)times);
    trial.trees = batch.tree_list;
    trial.roots = batch.roots;
    trial.tree_count = (uint32_t)batch.tree_count;
    trial.poses = batch.poses;
    trial.step_count = (uint32_t)batch.step_count;
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        goto done;

    status = dw_trial_refit_run(device, &trial, &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        result = Py_BuildValue("(NO)", make_results(&batch), times);
done:
    Py_XDECREF(times);
    release_batch(&batch);
    return result;
}

static PyMethodDef functions[] = {
    { "tree_gpu_refit", (PyCFunction)(void (*)(void))tree_gpu_refit, METH_VARARGS | METH_KEYWORDS,
      "tree_gpu_refit($module, /, device, meshes, *, variant=0, repeat=1)\n--\n\n"
      "Layouts with the boxes of poses, made on a Vulkan device. meshes: a tuple of (layout,\n"
      "positions, steps); steps: a tuple of (data, offset, stride, dirty or None, sums). Each "
      "step\n"
      "is one batch over all meshes; the last one is done `repeat` times, in as many milliseconds\n"
      "of the device's time." },
    { NULL, NULL, 0, NULL },
};

int dw_tree_gpu_refit_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
