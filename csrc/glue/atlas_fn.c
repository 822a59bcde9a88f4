/* SPDX-License-Identifier: MIT */
/* atlas_bake and what belongs to it. */
#include "glue/atlas_fn.h"
#include "glue/arrays.h"
#include "glue/device_type.h"
#include "glue/module.h"
#include "glue/numbers.h"

#include "cpu/islands.h"
#include "systems/atlas.h"

#include <math.h>
#include <string.h>

/* Arguments of a bake as plain C; the arrays own the memory. */
typedef struct bake_arguments {
    PyArrayObject *image, *rects, *targets;
    dw_atlas_def def;
    dw_atlas_source source;
    double cutoffs[DW_CUTOFFS_MAX];
} bake_arguments;

static void release_arguments(bake_arguments *arguments)
{
    Py_CLEAR(arguments->image);
    Py_CLEAR(arguments->rects);
    Py_CLEAR(arguments->targets);
}

/* The core reads 8-bit texels as words; NumPy's own memory suits them, a slice of bytes may not. */
static int align_texels(PyArrayObject **image)
{
    if ((uintptr_t)PyArray_DATA(*image) % sizeof(uint32_t) != 0)
        Py_SETREF(*image, (PyArrayObject *)PyArray_NewCopy(*image, NPY_CORDER));
    return *image == NULL ? -1 : 0;
}

static int take_image(PyObject *object, bake_arguments *out)
{
    PyArrayObject *array = (PyArrayObject *)PyArray_FROM_O(object);
    int type;

    if (array == NULL)
        return -1;
    type = PyArray_TYPE(array);
    if (type != NPY_UINT8 && type != NPY_UINT16) {
        PyErr_Format(PyExc_TypeError,
                     "image must have dtype uint8 or uint16, got %S; floats in [0, 1] become "
                     "uint16 by (image * 65535 + 0.5).astype(\"uint16\")",
                     PyArray_DESCR(array));
        Py_DECREF(array);
        return -1;
    }
    out->image = dw_array_input((PyObject *)array, type, 3, 3, "image");
    Py_DECREF(array);
    if (out->image == NULL || align_texels(&out->image) < 0)
        return -1;
    if (PyArray_DIM(out->image, 2) != 4) {
        PyErr_Format(PyExc_ValueError, "image must have shape (height, width, 4), got %zd channels",
                     (Py_ssize_t)PyArray_DIM(out->image, 2));
        return -1;
    }
    if (PyArray_DIM(out->image, 0) > INT_MAX || PyArray_DIM(out->image, 1) > INT_MAX) {
        PyErr_SetString(PyExc_ValueError, "image has more rows or columns than 2**31 - 1");
        return -1;
    }
    out->source = (dw_atlas_source) { .width = (int)PyArray_DIM(out->image, 1),
                                      .height = (int)PyArray_DIM(out->image, 0),
                                      .bits = type == NPY_UINT8 ? 8 : 16,
                                      .texels = PyArray_DATA(out->image) };
    return 0;
}

int dw_take_rects(PyObject *object, PyArrayObject **out)
{
    *out = NULL;
    if (object == NULL || object == Py_None)
        return 0;
    *out = dw_array_input(object, NPY_INT32, 2, 2, "tiles");
    if (*out == NULL)
        return -1;
    if (PyArray_DIM(*out, 1) != 4) {
        PyErr_Format(PyExc_ValueError,
                     "tiles must have shape (count, 4): x, y, width, height; got %zd columns",
                     (Py_ssize_t)PyArray_DIM(*out, 1));
        return -1;
    }
    if (PyArray_DIM(*out, 0) > DW_TILES_MAX) {
        PyErr_Format(PyExc_ValueError, "tiles holds %zd rects; at most %d, join some of them",
                     (Py_ssize_t)PyArray_DIM(*out, 0), DW_TILES_MAX);
        return -1;
    }
    return 0;
}

int dw_take_cutoffs(PyObject *object, double *cutoffs, int *count)
{
    PyObject *items = PySequence_Fast(object, "cutoffs must be a sequence of numbers");
    Py_ssize_t length;

    if (items == NULL)
        return -1;
    length = PySequence_Fast_GET_SIZE(items);
    *count = length > DW_CUTOFFS_MAX ? DW_CUTOFFS_MAX + 1 : (int)length;
    for (Py_ssize_t i = 0; i < length && i < DW_CUTOFFS_MAX; i++) {
        cutoffs[i] = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(items, i));
        if (cutoffs[i] == -1.0 && PyErr_Occurred()) {
            Py_DECREF(items);
            return -1;
        }
    }
    Py_DECREF(items);
    return 0;
}

/* target_coverage: (tiles, cutoffs) shares in [0, 1]. */
static int take_targets(PyObject *object, bake_arguments *out)
{
    npy_intp tiles = out->rects == NULL ? 1 : PyArray_DIM(out->rects, 0);
    const double *shares;

    if (object == NULL || object == Py_None)
        return 0;
    out->targets = dw_array_input(object, NPY_FLOAT64, 2, 2, "target_coverage");
    if (out->targets == NULL)
        return -1;
    if (PyArray_DIM(out->targets, 0) != tiles ||
        PyArray_DIM(out->targets, 1) != out->def.cutoff_count) {
        PyErr_Format(PyExc_ValueError, "target_coverage must have shape (%zd, %d), got (%zd, %zd)",
                     (Py_ssize_t)tiles, out->def.cutoff_count,
                     (Py_ssize_t)PyArray_DIM(out->targets, 0),
                     (Py_ssize_t)PyArray_DIM(out->targets, 1));
        return -1;
    }
    shares = PyArray_DATA(out->targets);
    for (npy_intp i = 0; i < PyArray_SIZE(out->targets); i++)
        if (!(shares[i] >= 0.0 && shares[i] <= 1.0)) {
            PyErr_SetString(PyExc_ValueError, "target_coverage must lie in [0, 1]");
            return -1;
        }
    out->def.target_coverage = shares;
    return 0;
}

static int check_kind(int value, dw_registry_id id)
{
    const dw_registry *registry = &dw_registries[id];

    if (value >= 0 && value < registry->count)
        return 0;
    PyErr_Format(PyExc_ValueError, "%s must be a %s, got %d", registry->argument, registry->name,
                 value);
    return -1;
}

static int check_kinds(const dw_atlas_def *def)
{
    return check_kind((int)def->color_space, DW_REGISTRY_COLOR_SPACE) < 0 ||
                   check_kind((int)def->filter, DW_REGISTRY_MIP_FILTER) < 0 ||
                   check_kind((int)def->fill, DW_REGISTRY_FILL_MODE) < 0 ||
                   check_kind((int)def->coverage, DW_REGISTRY_COVERAGE_MODE) < 0
               ? -1
               : 0;
}

/* One fresh array a level: RGBA where channels is 4, alpha alone where it is 0. */
static PyObject *make_levels(const dw_atlas_plan *plan, int channels, uint8_t **pointers)
{
    PyObject *levels = PyTuple_New(plan->write_count);

    for (int n = 0; levels != NULL && n < plan->write_count; n++) {
        npy_intp shape[3] = { plan->level_height[n], plan->level_width[n], channels };
        PyObject *array = PyArray_SimpleNew(channels > 0 ? 3 : 2, shape, NPY_UINT8);

        if (array == NULL) {
            Py_CLEAR(levels);
            break;
        }
        pointers[n] = PyArray_DATA((PyArrayObject *)array);
        PyTuple_SET_ITEM(levels, n, array);
    }
    return levels;
}

/* (tiles, levels, struct size) bytes that Python views as records. */
static PyObject *make_records(const dw_atlas_plan *plan, size_t size, const void *data)
{
    npy_intp shape[3] = { plan->tile_count, plan->level_total, (npy_intp)size };
    PyObject *array = PyArray_ZEROS(3, shape, NPY_UINT8, 0);

    if (array != NULL && data != NULL)
        memcpy(PyArray_DATA((PyArrayObject *)array), data,
               (size_t)shape[0] * (size_t)shape[1] * size);
    return array;
}

static PyObject *make_tile_levels(const dw_atlas_plan *plan)
{
    npy_intp count = plan->tile_count;
    PyObject *array = PyArray_SimpleNew(1, &count, NPY_INT32);

    if (array != NULL)
        memcpy(PyArray_DATA((PyArrayObject *)array), plan->tile_levels,
               (size_t)count * sizeof(int32_t));
    return array;
}

static int parse_bake(PyObject *args, PyObject *kwargs, PyObject **device, PyObject **progress,
                      bake_arguments *out)
{
    static char *names[] = { "device",          "image",       "tiles",    "color_space",
                             "filter",          "fill",        "coverage", "cutoffs",
                             "gutter",          "start_level", "strength", "level_count",
                             "target_coverage", "kernel_runs", "progress", NULL };
    PyObject *image, *rects, *cutoffs = NULL, *targets = NULL, *start_level = NULL;
    PyObject *strength = NULL;
    dw_atlas_def def = dw_atlas_def_default();
    int color_space = (int)def.color_space, filter = (int)def.filter, fill = (int)def.fill,
        coverage = (int)def.coverage;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO|$iiiiOiOOiOiO:atlas_bake", names, device,
                                     &image, &rects, &color_space, &filter, &fill, &coverage,
                                     &cutoffs, &def.gutter, &start_level, &strength,
                                     &def.level_count, &targets, &def.kernel_runs, progress))
        return -1;
    if (dw_take_int(start_level, "start_level", &def.start_level) < 0 ||
        dw_take_double(strength, "strength", &def.strength) < 0)
        return -1;
    def.color_space = (dw_color_space)color_space;
    def.filter = (dw_mip_filter)filter;
    def.fill = (dw_fill_mode)fill;
    def.coverage = (dw_coverage_mode)coverage;
    if (cutoffs != NULL && dw_take_cutoffs(cutoffs, def.cutoffs, &def.cutoff_count) < 0)
        return -1;
    out->def = def;
    if (check_kinds(&out->def) < 0 || take_image(image, out) < 0 ||
        dw_take_rects(rects, &out->rects) < 0 || take_targets(targets, out) < 0)
        return -1;
    return 0;
}

/* dw_atlas_plan_create without the GIL: many tiles take a while. */
static int make_plan(const dw_module_state *state, const dw_atlas_def *def,
                     const dw_atlas_source *source, PyArrayObject *rects, dw_atlas_plan **out)
{
    const dw_rect *data = rects == NULL ? NULL : PyArray_DATA(rects);
    int count = rects == NULL ? 0 : (int)PyArray_DIM(rects, 0);
    dw_status status;
    dw_error err;

    Py_BEGIN_ALLOW_THREADS
    status = dw_atlas_plan_create(def, source, data, count, out, &err);
    Py_END_ALLOW_THREADS

    if (status != DW_OK)
        dw_raise(state, &err);
    return status == DW_OK ? 0 : -1;
}

PyDoc_STRVAR(atlas_bake_doc,
             "atlas_bake($module, device, image, tiles, *, color_space=0, filter=0, fill=0,\n"
             "           coverage=1, cutoffs=(0.5,), gutter=0, start_level=1, strength=1.0,\n"
             "           level_count=0, target_coverage=None, kernel_runs=1,\n"
             "           progress=None)\n--\n\n"
             "Bakes the mip chain of an atlas: (levels, alpha, remaps, places, tile_levels,\n"
             "is_native).");

static PyObject *atlas_bake(PyObject *module, PyObject *args, PyObject *kwargs)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object = NULL, *progress = NULL, *levels = NULL, *alpha = NULL;
    PyObject *remaps = NULL, *result = NULL;
    bake_arguments arguments = { 0 };
    dw_atlas_target target = { 0 };
    dw_atlas_plan *plan = NULL;
    dw_device *device = NULL;
    dw_glue_run run;
    dw_status status;
    dw_error err = { 0 };

    if (parse_bake(args, kwargs, &device_object, &progress, &arguments) < 0)
        goto done;
    device = dw_py_device_begin(state, device_object, "device");
    if (device == NULL)
        goto done;
    if (make_plan(state, &arguments.def, &arguments.source, arguments.rects, &plan) < 0)
        goto done;
    levels = make_levels(plan, 4, target.levels);
    alpha = levels == NULL ? NULL : make_levels(plan, 0, target.alpha);
    remaps = alpha == NULL ? NULL : make_records(plan, sizeof(dw_alpha_remap), NULL);
    if (remaps == NULL)
        goto done;
    target.remaps = PyArray_DATA((PyArrayObject *)remaps);

    dw_glue_run_begin(&run, dw_device_pool(device), progress);
    status = dw_atlas_bake(device, plan, &arguments.source, &target, &run.run, &err);
    dw_glue_run_end(&run);

    if (status != DW_OK)
        dw_raise(state, &err);
    else
        result = Py_BuildValue("(OOONNN)", levels, alpha, remaps,
                               make_records(plan, sizeof(dw_tile_level), plan->places),
                               make_tile_levels(plan),
                               PyBool_FromLong(dw_atlas_is_native(device, plan)));
done:
    if (device != NULL)
        dw_device_end_use(device);
    dw_atlas_plan_destroy(plan);
    release_arguments(&arguments);
    Py_XDECREF(levels);
    Py_XDECREF(alpha);
    Py_XDECREF(remaps);
    return result;
}

PyDoc_STRVAR(atlas_places_doc,
             "atlas_places($module, width, height, tiles, *, gutter=0, fill=0)\n--\n\n"
             "Where each tile of an atlas lies at each level: (places, tile_levels).");

static PyObject *atlas_places(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "width", "height", "tiles", "gutter", "fill", NULL };
    dw_atlas_def def = dw_atlas_def_default();
    dw_atlas_source source = { .bits = 8 };
    PyObject *rects_object, *result = NULL;
    PyArrayObject *rects = NULL;
    dw_atlas_plan *plan = NULL;
    int fill = (int)def.fill;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "iiO|$ii:atlas_places", names, &source.width,
                                     &source.height, &rects_object, &def.gutter, &fill))
        return NULL;
    def.fill = (dw_fill_mode)fill;
    if (check_kinds(&def) < 0 || dw_take_rects(rects_object, &rects) < 0 ||
        make_plan(dw_module_get_state(module), &def, &source, rects, &plan) < 0)
        goto done;
    result = Py_BuildValue("(NN)", make_records(plan, sizeof(dw_tile_level), plan->places),
                           make_tile_levels(plan));
done:
    dw_atlas_plan_destroy(plan);
    Py_XDECREF(rects);
    return result;
}

PyDoc_STRVAR(atlas_islands_doc,
             "atlas_islands($module, alpha, *, reach=4)\n--\n\n"
             "Rects (count, 4) around the islands of alpha > 0, joined where they are nearer than\n"
             "2 * reach texels, and widened by reach.");

static PyObject *atlas_islands(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "alpha", "reach", NULL };
    PyObject *object, *result = NULL;
    PyArrayObject *alpha = NULL;
    dw_rect *rects = NULL;
    int reach = 4, count = 0;
    dw_status status;
    npy_intp shape[2] = { 0, 4 };
    dw_error err;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$i:atlas_islands", names, &object, &reach))
        return NULL;
    alpha = dw_array_input(object, NPY_UINT8, 2, 2, "alpha");
    if (alpha == NULL)
        return NULL;

    Py_BEGIN_ALLOW_THREADS
    status = dw_find_islands(PyArray_DATA(alpha), (int)PyArray_DIM(alpha, 1),
                             (int)PyArray_DIM(alpha, 0), reach, &rects, &count, &err);
    Py_END_ALLOW_THREADS

    if (status != DW_OK) {
        dw_raise(dw_module_get_state(module), &err);
        goto done;
    }
    shape[0] = count;
    result = PyArray_SimpleNew(2, shape, NPY_INT32);
    if (result != NULL && count > 0)
        memcpy(PyArray_DATA((PyArrayObject *)result), rects, (size_t)count * sizeof *rects);
done:
    dw_free_islands(rects);
    Py_DECREF(alpha);
    return result;
}

static PyMethodDef atlas_functions[] = {
    { "atlas_bake", (PyCFunction)(void (*)(void))atlas_bake, METH_VARARGS | METH_KEYWORDS,
      atlas_bake_doc },
    { "atlas_places", (PyCFunction)(void (*)(void))atlas_places, METH_VARARGS | METH_KEYWORDS,
      atlas_places_doc },
    { "atlas_islands", (PyCFunction)(void (*)(void))atlas_islands, METH_VARARGS | METH_KEYWORDS,
      atlas_islands_doc },
    { NULL, NULL, 0, NULL },
};

int dw_atlas_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, atlas_functions);
}
