/* SPDX-License-Identifier: MIT */
/* Rays through trees given as arrays, for tests and measurements of native walks. */
#include "glue/device_type.h"
#include "glue/tree_arrays.h"

#include "base/alloc.h"
#include "base/platform.h"
#include "cpu/tree_trace.h"
#include "cpu/tree_wide.h"
#include "systems/tree_trial.h"

#include <string.h>

typedef struct dw_py_scene {
    dw_py_tree *trees; /* the meshes, then the top where there is one */
    Py_ssize_t mesh_count, tree_count;
    dw_trace_mesh *meshes;
    dw_trace_instance *instances;
    dw_wide_tree **wides; /* by mesh */
    dw_trace_scene scene;
    double trace_seconds, refresh_seconds;
} dw_py_scene;

static void release_scene(dw_py_scene *self)
{
    for (Py_ssize_t i = 0; i < self->tree_count; i++)
        dw_py_tree_release(&self->trees[i]);
    for (Py_ssize_t i = 0; i < self->mesh_count && self->wides != NULL; i++)
        dw_wide_destroy(self->wides[i]);
    dw_free(self->wides);
    dw_free(self->trees);
    dw_free(self->meshes);
    dw_free(self->instances);
}

/* rows: a sequence of (layout, positions) pairs. */
static int take_meshes(PyObject *module, PyObject *rows, PyObject *top, dw_py_scene *self)
{
    Py_ssize_t count = PyTuple_GET_SIZE(rows);
    dw_error err;

    if (DW_ALLOC_ZEROED((size_t)count + 1, &self->trees, &err) != DW_OK ||
        DW_ALLOC_ZEROED((size_t)count + 1, &self->wides, &err) != DW_OK ||
        DW_ALLOC_ZEROED((size_t)count + 1, &self->meshes, &err) != DW_OK) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count + (top != Py_None); i++) {
        PyObject *row = i < count ? PyTuple_GET_ITEM(rows, i) : top;
        dw_py_tree *tree = &self->trees[i];

        if (!PyTuple_Check(row) || PyTuple_GET_SIZE(row) != 2) {
            PyErr_SetString(PyExc_TypeError, "meshes and top must be (layout, positions) pairs");
            return -1;
        }
        if (dw_py_tree_take(module, PyTuple_GET_ITEM(row, 0), PyTuple_GET_ITEM(row, 1), tree) < 0)
            return -1;
        self->tree_count = i + 1;
        if (tree->tree.is_over_boxes != (i == count)) {
            PyErr_SetString(PyExc_ValueError, "meshes are over triangles, top is over boxes");
            return -1;
        }
        self->meshes[i] =
            (dw_trace_mesh) { .tree = &tree->tree, .vertices = dw_py_tree_vertices(tree) };
    }
    self->mesh_count = count;
    self->scene.meshes = self->meshes;
    self->scene.top = top != Py_None ? &self->trees[count].tree : NULL;
    return 0;
}

static int take_instances(PyObject *rows_object, PyObject *matrices_object, dw_py_scene *self)
{
    PyArrayObject *rows = dw_array_input(rows_object, NPY_INT32, 1, 1, "instances");
    PyArrayObject *matrices =
        rows == NULL ? NULL : dw_array_input(matrices_object, NPY_FLOAT32, 2, 2, "to_object");
    npy_intp count = rows == NULL ? 0 : PyArray_DIM(rows, 0);
    dw_error err;
    int result = -1;

    if (matrices == NULL)
        goto done;
    if (PyArray_DIM(matrices, 0) != count || PyArray_DIM(matrices, 1) != 12 ||
        (self->scene.top != NULL && self->scene.top->shape.triangle_count != count)) {
        PyErr_SetString(PyExc_ValueError, "to_object must have shape (instances, 12), and top as "
                                          "many boxes");
        goto done;
    }
    if (DW_ALLOC((size_t)count, &self->instances, &err) != DW_OK) {
        PyErr_NoMemory();
        goto done;
    }
    for (npy_intp i = 0; i < count; i++) {
        int32_t mesh = ((const int32_t *)PyArray_DATA(rows))[i];

        if (mesh < 0 || mesh >= self->mesh_count) {
            PyErr_Format(PyExc_ValueError, "instances: row %zd names mesh %d of %zd", (Py_ssize_t)i,
                         mesh, self->mesh_count);
            goto done;
        }
        self->instances[i] = (dw_trace_instance) { .mesh = (uint32_t)mesh, .id = (uint32_t)i };
        memcpy(self->instances[i].to_object, (const float *)PyArray_DATA(matrices) + 12 * i,
               sizeof self->instances[i].to_object);
    }
    self->scene.instances = self->instances;
    self->scene.instance_count = (uint32_t)count;
    result = 0;
done:
    Py_XDECREF(rows);
    Py_XDECREF(matrices);
    return result;
}

static int take_rays(PyObject *origins, PyObject *directions, PyArrayObject *arrays[2],
                     dw_trace_rays *rays)
{
    arrays[0] = dw_array_input(origins, NPY_FLOAT32, 2, 2, "origins");
    arrays[1] =
        arrays[0] == NULL ? NULL : dw_array_input(directions, NPY_FLOAT32, 2, 2, "directions");
    if (arrays[1] == NULL)
        return -1;
    if (PyArray_DIM(arrays[0], 1) != 3 || PyArray_DIM(arrays[1], 1) != 3 ||
        PyArray_DIM(arrays[0], 0) != PyArray_DIM(arrays[1], 0)) {
        PyErr_SetString(PyExc_ValueError, "origins and directions must both have shape (rays, 3)");
        return -1;
    }
    rays->origins = PyArray_DATA(arrays[0]);
    rays->directions = PyArray_DATA(arrays[1]);
    rays->count = PyArray_DIM(arrays[0], 0);
    return 0;
}

/* (t, instance, primitive, u, v, steps), or one array of bytes for occlusion. */
static PyObject *make_outputs(npy_intp count, bool is_occlusion, dw_trace_hits *hits,
                              uint8_t **bytes)
{
    static const int types[6] = { NPY_FLOAT32, NPY_INT32,   NPY_INT32,
                                  NPY_FLOAT32, NPY_FLOAT32, NPY_UINT32 };
    PyObject *result = PyTuple_New(is_occlusion ? 1 : 6);
    void *data[6] = { NULL };

    for (Py_ssize_t i = 0; result != NULL && i < PyTuple_GET_SIZE(result); i++) {
        PyObject *array = PyArray_SimpleNew(1, &count, is_occlusion ? NPY_BOOL : types[i]);

        if (array == NULL) {
            Py_CLEAR(result);
            break;
        }
        data[i] = PyArray_DATA((PyArrayObject *)array);
        PyTuple_SET_ITEM(result, i, array);
    }
    *bytes = data[0];
    *hits = (dw_trace_hits) { .t = data[0],
                              .instance = data[1],
                              .primitive = data[2],
                              .u = data[3],
                              .v = data[4],
                              .steps = data[5] };
    return result;
}

#define DW_TRACE_BRUTE    1u
#define DW_TRACE_OCCLUDED 2u
#define DW_TRACE_WIDE     4u
#define DW_TRACE_PLAIN    8u
#define DW_TRACE_TWICE    16u /* the second time counts: outputs lie in memory then */

static dw_status make_wides(dw_py_scene *self, bool is_plain, const dw_run *run, dw_error *err)
{
    double begin = 0.0;

    for (Py_ssize_t i = 0; i < self->mesh_count; i++) {
        dw_trace_mesh *mesh = &self->meshes[i];

        DW_TRY(dw_wide_create(mesh->tree, &self->wides[i], err));
        mesh->wide = self->wides[i];
        if (mesh->wide == NULL)
            continue;
        self->wides[i]->is_plain = is_plain;
        DW_TRY(dw_wide_refresh(self->wides[i], mesh->tree, &mesh->vertices, run, err));
        begin = dw_platform_seconds(); /* again, in memory that is there */
        DW_TRY(dw_wide_refresh(self->wides[i], mesh->tree, &mesh->vertices, run, err));
        self->refresh_seconds += dw_platform_seconds() - begin;
    }
    return DW_OK;
fail:
    return err->code;
}

static dw_status trace_once(const dw_py_scene *self, unsigned int way, const dw_trace_rays *rays,
                            const dw_trace_hits *hits, uint8_t *bytes, const dw_run *run,
                            dw_error *err)
{
    if ((way & DW_TRACE_OCCLUDED) != 0u)
        return dw_trace_occluded(&self->scene, rays, bytes, run, err);
    if ((way & DW_TRACE_BRUTE) != 0u)
        return dw_trace_without_tree(&self->scene, rays, hits, run, err);
    return dw_trace(&self->scene, rays, hits, run, err);
}

static dw_status trace_scene(dw_py_scene *self, unsigned int way, const dw_trace_rays *rays,
                             const dw_trace_hits *hits, uint8_t *bytes, const dw_run *run,
                             dw_error *err)
{
    double begin;

    if ((way & DW_TRACE_WIDE) != 0u)
        DW_TRY(make_wides(self, (way & DW_TRACE_PLAIN) != 0u, run, err));
    if ((way & DW_TRACE_TWICE) != 0u)
        DW_TRY(trace_once(self, way, rays, hits, bytes, run, err));
    begin = dw_platform_seconds();
    DW_TRY(trace_once(self, way, rays, hits, bytes, run, err));
    self->trace_seconds = dw_platform_seconds() - begin;
    return DW_OK;
fail:
    return err->code;
}

/* (instances, 12) float32, or NULL for None. */
static int take_to_world(PyObject *object, npy_intp count, PyArrayObject **out)
{
    *out = NULL;
    if (object == Py_None)
        return 0;
    *out = dw_array_input(object, NPY_FLOAT32, 2, 2, "to_world");
    if (*out == NULL)
        return -1;
    if (PyArray_DIM(*out, 0) == count && PyArray_DIM(*out, 1) == 12)
        return 0;
    PyErr_SetString(PyExc_ValueError, "to_world must have shape (instances, 12)");
    return -1;
}

static dw_status trace_on(dw_device *device, dw_py_scene *self, unsigned int way,
                          PyArrayObject *to_world, const dw_trace_rays *rays,
                          const dw_trace_hits *hits, uint8_t *bytes, const dw_run *run,
                          dw_error *err)
{
    dw_trial_trace trial = { .scene = &self->scene,
                             .mesh_count = (uint32_t)self->mesh_count,
                             .to_world = to_world == NULL ? NULL : PyArray_DATA(to_world),
                             .rays = rays,
                             .hits = hits,
                             .out = (way & DW_TRACE_OCCLUDED) != 0u ? bytes : NULL };

    if (dw_device_gpu(device) == NULL || (way & DW_TRACE_BRUTE) != 0u)
        return trace_scene(self, way, rays, hits, bytes, run, err);
    return dw_trial_trace_run(device, &trial, run, err);
}

PyDoc_STRVAR(
    trace_doc,
    "tree_trace($module, /, device, meshes, instances, to_object, top, origins,\n"
    "           directions, t_min, t_max, way, to_world=None)\n--\n\n"
    "Rays through (layout, positions) pairs, in ways: 1 no trees, 2 occlusion, 4 wide trees,\n"
    "8 these by loops, 16 twice: the second time counts. ((t, instance, primitive, u, v, steps) or "
    "(occluded,), seconds, seconds\n"
    "of a refresh). A Vulkan device walks by itself, and makes the boxes of instances where it\n"
    "has to_world.");

static PyObject *tree_trace(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device", "meshes",  "instances",  "to_object",
                             "top",    "origins", "directions", "t_min",
                             "t_max",  "way",     "to_world",   NULL };
    const dw_module_state *state = dw_module_get_state(module);
    PyObject *device_object, *meshes, *instances, *matrices, *top, *origins, *directions;
    PyObject *to_world_object = Py_None;
    PyArrayObject *arrays[2] = { NULL }, *to_world = NULL;
    PyObject *result = NULL;
    dw_py_scene self = { 0 };
    dw_trace_rays rays = { 0 };
    dw_trace_hits hits;
    dw_device *device = NULL;
    dw_glue_run run;
    dw_status status;
    dw_error err = { 0 };
    uint8_t *bytes;
    unsigned int way;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!OOOOOffI|O:tree_trace", names,
                                     &device_object, &PyTuple_Type, &meshes, &instances, &matrices,
                                     &top, &origins, &directions, &rays.t_min, &rays.t_max, &way,
                                     &to_world_object))
        return NULL;
    if (take_meshes(module, meshes, top, &self) < 0 ||
        take_instances(instances, matrices, &self) < 0 ||
        take_rays(origins, directions, arrays, &rays) < 0 ||
        take_to_world(to_world_object, self.scene.instance_count, &to_world) < 0 ||
        (result = make_outputs(rays.count, (way & DW_TRACE_OCCLUDED) != 0u, &hits, &bytes)) == NULL)
        goto done;
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL)
        goto fail;

    status = trace_on(device, &self, way, to_world, &rays, &hits, bytes, &run.run, &err);
    if (dw_py_run_end(state, device, &run, status, &err) < 0)
        goto fail;
    result = Py_BuildValue("(Ndd)", result, self.trace_seconds, self.refresh_seconds);
    goto done;
fail:
    Py_CLEAR(result);
done:
    Py_XDECREF(arrays[0]);
    Py_XDECREF(arrays[1]);
    Py_XDECREF(to_world);
    release_scene(&self);
    return result;
}

static PyMethodDef trace_functions[] = {
    { "tree_trace", (PyCFunction)(void (*)(void))tree_trace, METH_VARARGS | METH_KEYWORDS,
      trace_doc },
    { NULL, NULL, 0, NULL },
};

int dw_tree_trace_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, trace_functions);
}
