/* SPDX-License-Identifier: MIT */
/* Measurements of finished chains, and whole-image steps around the baker. They run on the host,
 * with the threads of the device given. */
#include "glue/arrays.h"
#include "glue/atlas_fn.h"
#include "glue/device_type.h"
#include "glue/module.h"

#include "cpu/atlas_measure.h"
#include "cpu/image_ops.h"

#include <string.h>

/* Texels along one side of what is measured: the layers of an array stand under each other in one
 * image, far longer than an atlas. Four samples a texel can still be counted in an int. */
#define DW_MEASURED_SIDE_MAX (1 << 28)

/* A two-dimensional alpha array, read in place where its strides allow. */
static PyArrayObject *take_alpha(PyObject *object, const char *argument, dw_alpha_view *out)
{
    PyArrayObject *array =
        (PyArrayObject *)PyArray_FROM_OF(object, NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED);
    int type;
    npy_intp size;

    if (array == NULL)
        return NULL;
    type = PyArray_TYPE(array);
    if (type != NPY_UINT8 && type != NPY_UINT16) {
        PyErr_Format(PyExc_TypeError, "%s must have dtype uint8 or uint16, got %S", argument,
                     PyArray_DESCR(array));
        goto fail;
    }
    if (PyArray_NDIM(array) != 2 || PyArray_SIZE(array) == 0) {
        PyErr_Format(PyExc_ValueError,
                     "%s must have two dimensions, (height, width), and not be empty", argument);
        goto fail;
    }
    if (PyArray_DIM(array, 0) > DW_MEASURED_SIDE_MAX ||
        PyArray_DIM(array, 1) > DW_MEASURED_SIDE_MAX) {
        PyErr_Format(PyExc_ValueError,
                     "%s has %zd x %zd texels; at most %d a side, cut it in parts", argument,
                     (Py_ssize_t)PyArray_DIM(array, 1), (Py_ssize_t)PyArray_DIM(array, 0),
                     DW_MEASURED_SIDE_MAX);
        goto fail;
    }
    size = PyArray_ITEMSIZE(array);
    *out = (dw_alpha_view) { .data = PyArray_DATA(array),
                             .bits = (int)(8 * size),
                             .width = (int)PyArray_DIM(array, 1),
                             .height = (int)PyArray_DIM(array, 0),
                             .row_stride = PyArray_STRIDE(array, 0) / size,
                             .texel_stride = PyArray_STRIDE(array, 1) / size };
    return array;
fail:
    Py_DECREF(array);
    return NULL;
}

/* An (height, width, 4) image of 8 or 16 bits. */
static PyArrayObject *take_texels(PyObject *object, const char *argument, dw_atlas_source *out)
{
    PyArrayObject *array = (PyArrayObject *)PyArray_FROM_O(object), *plain;
    int type;

    if (array == NULL)
        return NULL;
    type = PyArray_TYPE(array) == NPY_UINT16 ? NPY_UINT16 : NPY_UINT8;
    plain = dw_array_input((PyObject *)array, type, 3, 3, argument);
    Py_DECREF(array);
    if (plain == NULL)
        return NULL;
    if (PyArray_DIM(plain, 2) != 4 || PyArray_SIZE(plain) == 0 ||
        PyArray_DIM(plain, 0) > DW_MEASURED_SIDE_MAX ||
        PyArray_DIM(plain, 1) > DW_MEASURED_SIDE_MAX) {
        PyErr_Format(PyExc_ValueError,
                     "%s must have shape (height, width, 4) with sides of 1 to %d", argument,
                     DW_MEASURED_SIDE_MAX);
        Py_DECREF(plain);
        return NULL;
    }
    *out = (dw_atlas_source) { .width = (int)PyArray_DIM(plain, 1),
                               .height = (int)PyArray_DIM(plain, 0),
                               .bits = type == NPY_UINT8 ? 8 : 16,
                               .texels = PyArray_DATA(plain) };
    return plain;
}

/* rects: as dw_take_rects gave them. */
static int check_inside(PyArrayObject *rects, int width, int height)
{
    const dw_rect *rect;

    if (rects == NULL) {
        PyErr_SetString(PyExc_TypeError, "tiles must be an (N, 4) int32 array, got None");
        return -1;
    }
    rect = PyArray_DATA(rects);
    for (npy_intp i = 0; i < PyArray_DIM(rects, 0); i++, rect++)
        if (rect->x < 0 || rect->y < 0 || rect->width < 1 || rect->height < 1 ||
            rect->width > width - rect->x || rect->height > height - rect->y) {
            PyErr_Format(PyExc_ValueError,
                         "tiles: rect %zd (x %d, y %d, %d x %d) reaches outside the image of "
                         "%d x %d texels or is empty",
                         (Py_ssize_t)i, rect->x, rect->y, rect->width, rect->height, width, height);
            return -1;
        }
    return 0;
}

static int check_cutoffs(const double *cutoffs, int count)
{
    if (count < 1 || count > DW_CUTOFFS_MAX) {
        PyErr_Format(PyExc_ValueError, "cutoffs must hold 1 to %d values", DW_CUTOFFS_MAX);
        return -1;
    }
    for (int i = 0; i < count; i++)
        if (!(cutoffs[i] > 0.0 && cutoffs[i] < 1.0)) {
            PyErr_SetString(PyExc_ValueError, "cutoffs must lie inside (0, 1)");
            return -1;
        }
    return 0;
}

PyDoc_STRVAR(coverage_doc, "coverage($module, device, alpha, tiles, cutoffs, bilinear=True)\n--\n\n"
                           "Share of samples that pass each cutoff, (tiles, cutoffs) float64.");

static PyObject *measure_coverage(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device", "alpha", "tiles", "cutoffs", "bilinear", NULL };
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *alpha_object, *rects_object, *cutoffs_object, *out = NULL;
    PyArrayObject *alpha = NULL, *rects = NULL;
    double cutoffs[DW_CUTOFFS_MAX];
    int cutoff_count, bilinear = 1;
    dw_device *device = NULL;
    dw_alpha_view view;
    npy_intp shape[2];
    dw_status status;
    dw_glue_run run;
    dw_error err = { 0 };

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO|p:coverage", names, &device_object,
                                     &alpha_object, &rects_object, &cutoffs_object, &bilinear))
        return NULL;
    if (dw_take_cutoffs(cutoffs_object, cutoffs, &cutoff_count) < 0 ||
        check_cutoffs(cutoffs, cutoff_count) < 0 || dw_take_rects(rects_object, &rects) < 0)
        goto done;
    alpha = take_alpha(alpha_object, "alpha", &view);
    if (alpha == NULL || check_inside(rects, view.width, view.height) < 0)
        goto done;
    shape[0] = PyArray_DIM(rects, 0);
    shape[1] = cutoff_count;
    out = PyArray_SimpleNew(2, shape, NPY_FLOAT64);
    device = out == NULL ? NULL : dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        goto fail;

    status =
        dw_coverage_measure(&view, PyArray_DATA(rects), (int)shape[0], cutoffs, cutoff_count,
                            bilinear ? DW_COVERAGE_SAMPLING_BILINEAR : DW_COVERAGE_SAMPLING_TEXEL,
                            &run.run, PyArray_DATA((PyArrayObject *)out), &err);
    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        goto done;
fail:
    Py_CLEAR(out);
done:
    Py_XDECREF(alpha);
    Py_XDECREF(rects);
    return out;
}

/* (count, 4) float64 areas that lie inside a level. */
static PyArrayObject *take_areas(PyObject *object, const dw_alpha_view *view, npy_intp count,
                                 const char *argument)
{
    PyArrayObject *areas = dw_array_input(object, NPY_FLOAT64, 2, 2, argument);
    const double *area;

    if (areas == NULL)
        return NULL;
    area = PyArray_DATA(areas);
    if (PyArray_DIM(areas, 1) != 4 || (count >= 0 && PyArray_DIM(areas, 0) != count)) {
        PyErr_Format(PyExc_ValueError, "%s must have shape (tiles, 4)", argument);
        Py_DECREF(areas);
        return NULL;
    }
    for (npy_intp i = 0; i < PyArray_DIM(areas, 0); i++, area += 4)
        if (!(area[0] >= 0.0 && area[1] >= 0.0 && area[0] < area[2] && area[1] < area[3] &&
              area[2] <= view->width && area[3] <= view->height)) {
            PyErr_Format(PyExc_ValueError, "%s: area %zd is empty or reaches outside the level",
                         argument, (Py_ssize_t)i);
            Py_DECREF(areas);
            return NULL;
        }
    return areas;
}

PyDoc_STRVAR(trilinear_doc,
             "coverage_trilinear($module, device, fine, coarse, fine_areas, coarse_areas,\n"
             "                   fraction, cutoffs)\n--\n\n"
             "Share of trilinear samples that pass each cutoff, (areas, cutoffs) float64.");

static PyObject *measure_trilinear(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *objects[6], *out = NULL;
    PyArrayObject *arrays[4] = { NULL };
    dw_alpha_view fine, coarse;
    double cutoffs[DW_CUTOFFS_MAX], fraction;
    int cutoff_count;
    dw_device *device = NULL;
    npy_intp shape[2];
    dw_status status;
    dw_glue_run run;
    dw_error err = { 0 };

    if (!PyArg_ParseTuple(args, "OOOOOdO:coverage_trilinear", &objects[0], &objects[1], &objects[2],
                          &objects[3], &objects[4], &fraction, &objects[5]))
        return NULL;
    if (!(fraction >= 0.0 && fraction <= 1.0)) {
        PyErr_SetString(PyExc_ValueError, "fraction must lie in [0, 1]");
        return NULL;
    }
    if (dw_take_cutoffs(objects[5], cutoffs, &cutoff_count) < 0 ||
        check_cutoffs(cutoffs, cutoff_count) < 0)
        return NULL;
    if ((arrays[0] = take_alpha(objects[1], "fine", &fine)) == NULL ||
        (arrays[1] = take_alpha(objects[2], "coarse", &coarse)) == NULL ||
        (arrays[2] = take_areas(objects[3], &fine, -1, "fine_areas")) == NULL ||
        (arrays[3] = take_areas(objects[4], &coarse, PyArray_DIM(arrays[2], 0), "coarse_areas")) ==
            NULL)
        goto done;
    shape[0] = PyArray_DIM(arrays[2], 0);
    shape[1] = cutoff_count;
    out = PyArray_SimpleNew(2, shape, NPY_FLOAT64);
    device = out == NULL ? NULL : dw_py_run_begin(state, objects[0], &run);
    if (device == NULL)
        goto fail;

    status = dw_coverage_trilinear(&fine, &coarse, PyArray_DATA(arrays[2]), PyArray_DATA(arrays[3]),
                                   (int)shape[0], fraction, cutoffs, cutoff_count, &run.run,
                                   PyArray_DATA((PyArrayObject *)out), &err);
    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        goto done;
fail:
    Py_CLEAR(out);
done:
    for (int i = 0; i < 4; i++)
        Py_XDECREF(arrays[i]);
    return out;
}

PyDoc_STRVAR(fringe_doc,
             "fringe($module, device, image, color_space, level, sources, tiles, cutoff)\n--\n\n"
             "Colour error of the visible texels of a level, in 8-bit steps: (mean absolute,\n"
             "mean signed, worst, texels).");

static PyObject *measure_fringe(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *image_object, *level_object, *sources_object, *rects_object;
    PyObject *result = NULL;
    PyArrayObject *image = NULL, *level = NULL, *sources = NULL, *rects = NULL;
    dw_atlas_source source, level_source;
    dw_device *device = NULL;
    int color_space;
    double cutoff;
    dw_fringe fringe;
    dw_status status;
    dw_glue_run run;
    dw_error err = { 0 };

    if (!PyArg_ParseTuple(args, "OOiOOOd:fringe", &device_object, &image_object, &color_space,
                          &level_object, &sources_object, &rects_object, &cutoff) ||
        check_cutoffs(&cutoff, 1) < 0)
        return NULL;
    if (dw_take_rects(sources_object, &sources) < 0 || dw_take_rects(rects_object, &rects) < 0 ||
        (image = take_texels(image_object, "image", &source)) == NULL ||
        (level = take_texels(level_object, "level", &level_source)) == NULL ||
        check_inside(sources, source.width, source.height) < 0 ||
        check_inside(rects, level_source.width, level_source.height) < 0)
        goto done;
    if (PyArray_DIM(sources, 0) != PyArray_DIM(rects, 0) || level_source.bits != 8 ||
        color_space < 0 || color_space >= dw_registries[DW_REGISTRY_COLOR_SPACE].count) {
        PyErr_SetString(PyExc_ValueError, "sources and tiles must be equally many, level of dtype "
                                          "uint8, color_space a ColorSpace");
        goto done;
    }
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        goto done;

    status = dw_measure_fringe(&source, (dw_color_space)color_space, level_source.texels,
                               level_source.width, level_source.height, PyArray_DATA(sources),
                               PyArray_DATA(rects), (int)PyArray_DIM(rects, 0), cutoff, &run.run,
                               &fringe, &err);
    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        result = Py_BuildValue("(dddL)", fringe.mean_absolute, fringe.mean_signed, fringe.worst,
                               (long long)fringe.texels);
done:
    Py_XDECREF(image);
    Py_XDECREF(level);
    Py_XDECREF(sources);
    Py_XDECREF(rects);
    return result;
}

PyDoc_STRVAR(unpremultiply_doc,
             "unpremultiply($module, device, image)\n--\n\n"
             "(straight image, channel values that lay above their alpha and were clipped).");

static PyObject *unpremultiply(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *image_object, *out = NULL, *result = NULL;
    PyArrayObject *image = NULL;
    dw_atlas_source source;
    dw_device *device;
    int64_t clipped = 0;
    dw_status status;
    dw_glue_run run;
    dw_error err = { 0 };

    if (!PyArg_ParseTuple(args, "OO:unpremultiply", &device_object, &image_object))
        return NULL;
    image = take_texels(image_object, "image", &source);
    out = image == NULL ? NULL : PyArray_SimpleNew(3, PyArray_DIMS(image), PyArray_TYPE(image));
    device = out == NULL ? NULL : dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        goto done;

    status = dw_image_unpremultiply(&source, PyArray_DATA((PyArrayObject *)out), &clipped, &run.run,
                                    &err);
    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        result = Py_BuildValue("(OL)", out, (long long)clipped);
done:
    Py_XDECREF(image);
    Py_XDECREF(out);
    return result;
}

PyDoc_STRVAR(resample_doc,
             "resample_rects($module, device, image, color_space, tiles, width, height)\n--\n\n"
             "Each rect area-averaged to (height, width): (tiles, height, width, 4) uint16.");

static PyObject *resample_rects(PyObject *module, PyObject *args)
{
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *image_object, *rects_object, *out = NULL;
    PyArrayObject *image = NULL, *rects = NULL;
    int color_space, width, height;
    dw_atlas_source source;
    dw_device *device = NULL;
    npy_intp shape[4];
    dw_status status;
    dw_glue_run run;
    dw_error err = { 0 };

    if (!PyArg_ParseTuple(args, "OOiOii:resample_rects", &device_object, &image_object,
                          &color_space, &rects_object, &width, &height))
        return NULL;
    if (color_space < 0 || color_space >= dw_registries[DW_REGISTRY_COLOR_SPACE].count) {
        PyErr_Format(PyExc_ValueError, "color_space must be a ColorSpace, got %d", color_space);
        return NULL;
    }
    if (width < 1 || height < 1 || width > DW_SIDE_MAX || height > DW_SIDE_MAX) {
        PyErr_Format(PyExc_ValueError, "width and height must lie in 1..%d, got %d and %d",
                     DW_SIDE_MAX, width, height);
        return NULL;
    }
    if ((image = take_texels(image_object, "image", &source)) == NULL ||
        dw_take_rects(rects_object, &rects) < 0 ||
        check_inside(rects, source.width, source.height) < 0)
        goto done;
    shape[0] = PyArray_DIM(rects, 0);
    shape[1] = height;
    shape[2] = width;
    shape[3] = 4;
    out = PyArray_SimpleNew(4, shape, NPY_UINT16);
    device = out == NULL ? NULL : dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        goto fail;

    status = dw_image_resample_rects(&source, (dw_color_space)color_space, PyArray_DATA(rects),
                                     (int)shape[0], width, height, &run.run,
                                     PyArray_DATA((PyArrayObject *)out), &err);
    if (dw_py_run_end(state, device, &run, status, &err) == 0)
        goto done;
fail:
    Py_CLEAR(out);
done:
    Py_XDECREF(image);
    Py_XDECREF(rects);
    return out;
}

static PyMethodDef measure_functions[] = {
    { "coverage", (PyCFunction)(void (*)(void))measure_coverage, METH_VARARGS | METH_KEYWORDS,
      coverage_doc },
    { "coverage_trilinear", measure_trilinear, METH_VARARGS, trilinear_doc },
    { "fringe", measure_fringe, METH_VARARGS, fringe_doc },
    { "unpremultiply", unpremultiply, METH_VARARGS, unpremultiply_doc },
    { "resample_rects", resample_rects, METH_VARARGS, resample_doc },
    { NULL, NULL, 0, NULL },
};

int dw_measure_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, measure_functions);
}
