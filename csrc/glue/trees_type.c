/* SPDX-License-Identifier: MIT */
#include "glue/trees_type.h"
#include "glue/arrays.h"
#include "glue/buffer_type.h"
#include "glue/device_type.h"
#include "glue/tree_fn.h"
#include "glue/trees_arguments.h"

/* ---- calls ---- */

int dw_py_trees_begin(dw_trees_call *call, const dw_module_state *state, PyObject *object)
{
    dw_py_trees *self = (dw_py_trees *)object;

    *call = (dw_trees_call) { .state = state, .self = object, .err = { .code = DW_OK } };
    if (state == NULL)
        return -1;
    if (!PyObject_TypeCheck(object, (PyTypeObject *)state->trees_type)) {
        PyErr_Format(PyExc_TypeError, "trees must be a dapplewood.SceneTrees, got %.200s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    if (self->trees == NULL) {
        PyErr_SetString(PyExc_ValueError, "the SceneTrees is closed: make a new one");
        return -1;
    }
    if (self->use_count > 0) {
        PyErr_SetString(PyExc_ValueError,
                        "the SceneTrees is in use by another thread: one thread at a time");
        return -1;
    }
    self->use_count++;
    call->trees = self->trees;
    call->device = dw_py_run_begin(state, self->device, &call->run);
    if (call->device != NULL)
        return 0;
    self->use_count--;
    return -1;
}

int dw_py_trees_end(dw_trees_call *call, dw_status status)
{
    int result = dw_py_run_end(call->state, call->device, &call->run, status, &call->err);

    ((dw_py_trees *)call->self)->use_count--;
    return result;
}

static int begin(dw_trees_call *call, PyObject *self)
{
    return dw_py_trees_begin(call, dw_type_get_state(Py_TYPE(self)), self);
}

static PyObject *end_none(dw_trees_call *call, dw_status status)
{
    return dw_py_trees_end(call, status) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *end_id(dw_trees_call *call, dw_status status, uint32_t id)
{
    return dw_py_trees_end(call, status) < 0 ? NULL : PyLong_FromUnsignedLong(id);
}

/* ---- meshes and instances ---- */

static PyObject *trees_add_mesh(PyObject *self, PyObject *args)
{
    PyObject *positions_object, *indices_object, *bounds_object, *result = NULL;
    PyArrayObject *positions = NULL, *indices = NULL;
    int is_deforming, builder;
    dw_trees_mesh_def def;
    dw_trees_call call;
    dw_status status;
    uint32_t id = 0;
    float bounds[6];
    bool has_bounds;

    if (!PyArg_ParseTuple(args, "OOpOi:_add_mesh", &positions_object, &indices_object,
                          &is_deforming, &bounds_object, &builder))
        return NULL;
    positions = dw_take_rows_of_three(positions_object, NPY_FLOAT32, "positions");
    if (positions == NULL)
        goto done;
    indices = dw_take_rows_of_three(indices_object, NPY_UINT32, "indices");
    if (indices == NULL || dw_take_tree_box(bounds_object, bounds, &has_bounds) < 0)
        goto done;
    def = (dw_trees_mesh_def) { .positions = PyArray_DATA(positions),
                                .vertex_count = (uint32_t)PyArray_DIM(positions, 0),
                                .indices = PyArray_DATA(indices),
                                .triangle_count = (uint32_t)PyArray_DIM(indices, 0),
                                .builder = (dw_tree_builder)builder,
                                .is_deforming = is_deforming != 0,
                                .bounds = has_bounds ? bounds : NULL };
    if (begin(&call, self) < 0)
        goto done;
    status = dw_scene_trees_add_mesh(call.trees, &def, &id, &call.err);
    result = end_id(&call, status, id);
done:
    Py_XDECREF(positions);
    Py_XDECREF(indices);
    return result;
}

static PyObject *trees_remove_mesh(PyObject *self, PyObject *object)
{
    dw_trees_call call;
    uint32_t id;

    if (dw_take_handle(object, "mesh", &id) < 0 || begin(&call, self) < 0)
        return NULL;
    return end_none(&call, dw_scene_trees_remove_mesh(call.trees, id, &call.err));
}

static PyObject *trees_remove_instance(PyObject *self, PyObject *object)
{
    dw_trees_call call;
    uint32_t id;

    if (dw_take_handle(object, "instance", &id) < 0 || begin(&call, self) < 0)
        return NULL;
    return end_none(&call, dw_scene_trees_remove_instance(call.trees, id, &call.err));
}

static PyObject *trees_add_instances(PyObject *self, PyObject *args)
{
    PyObject *mesh_object, *transforms_object, *result = NULL;
    double *transforms = NULL;
    dw_trees_call call;
    dw_status status;
    npy_intp count;
    uint32_t mesh, first = 0;

    if (!PyArg_ParseTuple(args, "OO:_add_instances", &mesh_object, &transforms_object))
        return NULL;
    if (dw_take_handle(mesh_object, "mesh", &mesh) < 0 ||
        dw_take_transforms(transforms_object, &transforms, &count) < 0)
        return NULL;
    if (count > INT32_MAX)
        PyErr_Format(PyExc_ValueError, "transforms: at most %d in one call", INT32_MAX);
    else if (begin(&call, self) == 0) {
        status = dw_scene_trees_add_instances(call.trees, mesh, transforms, (uint32_t)count, &first,
                                              &call.err);
        result = end_id(&call, status, first);
    }
    PyMem_Free(transforms);
    return result;
}

static PyObject *trees_set_transform(PyObject *self, PyObject *args)
{
    PyObject *id_object, *transform_object, *result = NULL;
    double *transform = NULL;
    dw_trees_call call;
    npy_intp count;
    uint32_t id;

    if (!PyArg_ParseTuple(args, "OO:_set_transform", &id_object, &transform_object))
        return NULL;
    if (dw_take_handle(id_object, "instance", &id) < 0 ||
        dw_take_transforms(transform_object, &transform, &count) < 0)
        return NULL;
    if (count != 1)
        PyErr_SetString(PyExc_ValueError, "transform must be one matrix");
    else if (begin(&call, self) == 0)
        result =
            end_none(&call, dw_scene_trees_set_transform(call.trees, id, transform, &call.err));
    PyMem_Free(transform);
    return result;
}

/* ---- poses ---- */

static PyObject *trees_set_pose(PyObject *self, PyObject *args)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(self));
    PyObject *mesh_object, *buffer, *count_object, *stride_object, *offset_object, *dirty_object;
    unsigned long long count, stride, offset;
    uint32_t *dirty = NULL;
    PyObject *result = NULL;
    dw_trees_pose pose;
    dw_trees_call call;
    uint32_t mesh;

    if (state == NULL ||
        !PyArg_ParseTuple(args, "OOOOOO:_set_pose", &mesh_object, &buffer, &count_object,
                          &stride_object, &offset_object, &dirty_object))
        return NULL;
    if (dw_take_handle(mesh_object, "mesh", &mesh) < 0 ||
        dw_take_whole(count_object, "vertex_count", UINT32_MAX, &count) < 0 ||
        dw_take_whole(stride_object, "stride_floats", UINT32_MAX, &stride) < 0 ||
        dw_take_whole(offset_object, "offset_floats", 1ull << 60, &offset) < 0 ||
        dw_take_dirty(dirty_object, count, &dirty) < 0)
        return NULL;
    pose = (dw_trees_pose) {
        .vertex_count = (uint32_t)count, .stride = stride, .offset = offset, .dirty = dirty
    };
    pose.buffer = dw_py_buffer_get(state, buffer, ((dw_py_trees *)self)->device, "buffer");
    if (pose.buffer != NULL) {
        ((dw_py_buffer *)buffer)->use_count++;
        if (begin(&call, self) == 0)
            result = end_none(&call, dw_scene_trees_set_pose(call.trees, mesh, &pose, &call.err));
        ((dw_py_buffer *)buffer)->use_count--;
    }
    PyMem_Free(dirty);
    return result;
}

static PyObject *trees_set_pose_cpu(PyObject *self, PyObject *args)
{
    PyObject *mesh_object, *positions_object, *dirty_object, *result = NULL;
    PyArrayObject *positions;
    uint32_t *dirty = NULL;
    dw_trees_call call;
    dw_status status;
    uint32_t mesh;

    if (!PyArg_ParseTuple(args, "OOO:_set_pose_cpu", &mesh_object, &positions_object,
                          &dirty_object) ||
        dw_take_handle(mesh_object, "mesh", &mesh) < 0)
        return NULL;
    positions = dw_take_rows_of_three(positions_object, NPY_FLOAT32, "positions");
    if (positions == NULL)
        return NULL;
    if (dw_take_dirty(dirty_object, (unsigned long long)PyArray_DIM(positions, 0), &dirty) == 0 &&
        begin(&call, self) == 0) {
        status = dw_scene_trees_set_pose_cpu(call.trees, mesh, PyArray_DATA(positions),
                                             (uint32_t)PyArray_DIM(positions, 0), dirty, &call.err);
        result = end_none(&call, status);
    }
    PyMem_Free(dirty);
    Py_DECREF(positions);
    return result;
}

static PyObject *trees_set_deform_bounds(PyObject *self, PyObject *args)
{
    PyObject *mesh_object, *box_object;
    dw_trees_call call;
    uint32_t mesh;
    float box[6] = { 0 };
    bool has_box;

    if (!PyArg_ParseTuple(args, "OO:_set_deform_bounds", &mesh_object, &box_object) ||
        dw_take_handle(mesh_object, "mesh", &mesh) < 0 ||
        dw_take_tree_box(box_object, box, &has_box) < 0 || begin(&call, self) < 0)
        return NULL;
    return end_none(&call, dw_scene_trees_set_deform_bounds(call.trees, mesh, box, &call.err));
}

static PyObject *trees_rebuild(PyObject *self, PyObject *object)
{
    dw_trees_call call;
    dw_status status;
    bool is_asked = false;
    uint32_t mesh;

    if (dw_take_handle(object, "mesh", &mesh) < 0 || begin(&call, self) < 0)
        return NULL;
    status = dw_scene_trees_rebuild(call.trees, mesh, &is_asked, &call.err);
    return dw_py_trees_end(&call, status) < 0 ? NULL : PyBool_FromLong(is_asked);
}

/* ---- update ---- */

static PyObject *build_tuple(const dw_trees_build *build)
{
    return Py_BuildValue("(IsIIIId)", build->mesh, dw_trees_cause_name(build->cause),
                         build->shape.triangle_count, build->shape.node_count, build->shape.depth,
                         build->shape.inactive, build->milliseconds);
}

static PyObject *builds_list(const dw_trees_result *result)
{
    PyObject *list = PyList_New((Py_ssize_t)result->build_count);

    for (uint32_t i = 0; list != NULL && i < result->build_count; i++) {
        PyObject *row = build_tuple(&result->builds[i]);

        if (row == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, row);
    }
    return list;
}

static PyObject *trees_update(PyObject *self, PyObject *unused)
{
    dw_trees_result result = { 0 };
    dw_trees_call call;
    dw_status status;

    (void)unused;
    if (begin(&call, self) < 0)
        return NULL;
    status = dw_scene_trees_update(call.trees, &call.run.run, &result, &call.err);
    if (dw_py_trees_end(&call, status) < 0)
        return NULL;
    return Py_BuildValue("(IIIN)", result.refits, result.rebuilds, result.probes,
                         builds_list(&result));
}

/* ---- what is known ---- */

static PyObject *trees_counts(PyObject *self, PyObject *unused)
{
    dw_trees_counts counts = { 0 };
    dw_trees_call call;

    (void)unused;
    if (begin(&call, self) < 0)
        return NULL;
    counts = dw_scene_trees_get_counts(call.trees);
    if (dw_py_trees_end(&call, DW_OK) < 0)
        return NULL;
    return Py_BuildValue(
        "(KKKKKKKK)", (unsigned long long)counts.refits, (unsigned long long)counts.rebuilds,
        (unsigned long long)counts.drift_rebuilds, (unsigned long long)counts.probes,
        (unsigned long long)counts.cpu_poses, (unsigned long long)counts.poses_skipped,
        (unsigned long long)counts.outside_poses, (unsigned long long)counts.inactive);
}

static PyObject *box_tuple(bool has, const float box[6])
{
    if (!has)
        return Py_NewRef(Py_None);
    return Py_BuildValue("(dddddd)", (double)box[0], (double)box[1], (double)box[2], (double)box[3],
                         (double)box[4], (double)box[5]);
}

static PyObject *trees_status(PyObject *self, PyObject *object)
{
    dw_trees_mesh_status status;
    dw_trees_call call;
    dw_status code;
    uint32_t mesh;

    if (dw_take_handle(object, "mesh", &mesh) < 0 || begin(&call, self) < 0)
        return NULL;
    code = dw_scene_trees_get_status(call.trees, mesh, &call.run.run, &status, &call.err);
    if (dw_py_trees_end(&call, code) < 0)
        return NULL;
    return Py_BuildValue(
        "{sN sN sN sN sN sN si sI sI sI sI sI sI sI sK sK sK ss sN sN}", "deforming",
        PyBool_FromLong(status.is_deforming), "built", PyBool_FromLong(status.is_built), "building",
        PyBool_FromLong(status.is_building), "posed", PyBool_FromLong(status.is_posed),
        "outside_bounds", PyBool_FromLong(status.is_outside), "degenerate",
        PyBool_FromLong(status.is_degenerate), "builder", (int)status.builder, "vertices",
        status.vertices, "triangles", status.triangles, "inactive", status.inactive, "instances",
        status.instances, "nodes", status.shape.node_count, "depth", status.shape.depth, "treelets",
        status.shape.treelet_count, "bytes", (unsigned long long)status.bytes, "refits",
        (unsigned long long)status.refits, "builds", (unsigned long long)status.builds, "pose",
        status.pose, "bounds", box_tuple(status.has_box, status.box), "deform_bounds",
        box_tuple(status.is_deforming, status.bounds));
}

static PyObject *trees_drift(PyObject *self, PyObject *object)
{
    dw_trees_drift drift = { 0 };
    dw_trees_call call;
    dw_status status;
    uint32_t mesh;

    if (dw_take_handle(object, "mesh", &mesh) < 0 || begin(&call, self) < 0)
        return NULL;
    status = dw_scene_trees_get_drift(call.trees, mesh, &drift, &call.err);
    if (dw_py_trees_end(&call, status) < 0)
        return NULL;
    return Py_BuildValue("(dddK)", drift.ratio, drift.fresh_ratio, drift.cost,
                         (unsigned long long)drift.samples);
}

static PyObject *trees_vertices(PyObject *self, PyObject *object)
{
    PyObject *array = NULL;
    dw_trees_call call;
    dw_status status;
    npy_intp shape[2] = { 0, 3 };
    uint32_t mesh, count = 0;

    if (dw_take_handle(object, "mesh", &mesh) < 0 || begin(&call, self) < 0)
        return NULL;
    status = dw_scene_trees_vertex_count(call.trees, mesh, &count, &call.err);
    if (dw_py_trees_end(&call, status) < 0)
        return NULL;
    shape[0] = count;
    array = PyArray_SimpleNew(2, shape, NPY_FLOAT32);
    if (array == NULL || begin(&call, self) < 0) {
        Py_XDECREF(array);
        return NULL;
    }
    status = dw_scene_trees_read_vertices(call.trees, mesh, PyArray_DATA((PyArrayObject *)array),
                                          &call.run.run, &call.err);
    if (dw_py_trees_end(&call, status) < 0)
        Py_CLEAR(array);
    return array;
}

static PyObject *trees_layout(PyObject *self, PyObject *object)
{
    dw_tree *tree = NULL;
    PyObject *result;
    dw_trees_call call;
    dw_status status;
    uint32_t mesh;

    if (dw_take_handle(object, "mesh", &mesh) < 0 || begin(&call, self) < 0)
        return NULL;
    status = dw_scene_trees_read_tree(call.trees, mesh, &call.run.run, &tree, &call.err);
    if (dw_py_trees_end(&call, status) < 0)
        return NULL;
    result = dw_py_tree_arrays(tree);
    dw_tree_destroy(tree);
    return result;
}

static PyObject *trees_bounds(PyObject *self, PyObject *unused)
{
    float box[6] = { 0 };
    bool has_any = false;
    dw_trees_call call;
    dw_status status;

    (void)unused;
    if (begin(&call, self) < 0)
        return NULL;
    status = dw_scene_trees_get_bounds(call.trees, &call.run.run, &has_any, box, &call.err);
    return dw_py_trees_end(&call, status) < 0 ? NULL : box_tuple(has_any, box);
}

/* What is read while the GIL is held. NULL with an exception set when closed or in use. */
static const dw_scene_trees *peek(PyObject *self)
{
    const dw_py_trees *trees = (const dw_py_trees *)self;

    if (trees->trees == NULL)
        PyErr_SetString(PyExc_ValueError, "the SceneTrees is closed: make a new one");
    else if (trees->use_count > 0)
        PyErr_SetString(PyExc_ValueError,
                        "the SceneTrees is in use by another thread: one thread at a time");
    else
        return trees->trees;
    return NULL;
}

static PyObject *trees_mesh_ids(PyObject *self, PyObject *unused)
{
    const dw_scene_trees *trees = peek(self);
    PyObject *array;
    npy_intp count;

    (void)unused;
    if (trees == NULL)
        return NULL;
    count = dw_scene_trees_mesh_count(trees);
    array = PyArray_SimpleNew(1, &count, NPY_UINT32);
    if (array != NULL)
        dw_scene_trees_mesh_ids(trees, PyArray_DATA((PyArrayObject *)array));
    return array;
}

static PyObject *trees_instance_rows(PyObject *self, PyObject *unused)
{
    const dw_scene_trees *trees = peek(self);
    npy_intp shape[2] = { 0, (npy_intp)sizeof(dw_trees_instance_row) };
    PyObject *array;

    (void)unused;
    if (trees == NULL)
        return NULL;
    shape[0] = dw_scene_trees_instance_count(trees);
    array = PyArray_SimpleNew(2, shape, NPY_UINT8);
    if (array != NULL)
        dw_scene_trees_instance_rows(trees, PyArray_DATA((PyArrayObject *)array));
    return array;
}

/* ---- the type ---- */

static PyObject *trees_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device",       "node_format", "drift_limit",  "hold_updates",
                             "sample_every", "probe",       "probe_budget", NULL };
    const dw_module_state *state = dw_type_get_state(type);
    dw_scene_trees_def def = dw_scene_trees_def_default();
    int format = (int)def.format, is_probing = def.is_probing;
    PyObject *device_object;
    dw_py_trees *self;
    dw_device *device;
    dw_status status;
    dw_error err;

    if (state == NULL ||
        !PyArg_ParseTupleAndKeywords(args, kwargs, "O|$idIIpd:SceneTrees", names, &device_object,
                                     &format, &def.drift_limit, &def.hold_updates,
                                     &def.sample_every, &is_probing, &def.probe_budget))
        return NULL;
    def.format = (dw_node_format)format;
    def.is_probing = is_probing != 0;
    device = dw_py_device_begin(state, device_object, "device");
    if (device == NULL)
        return NULL;
    self = (dw_py_trees *)type->tp_alloc(type, 0);
    if (self == NULL) {
        dw_device_end_use(device);
        return NULL;
    }
    self->device = Py_NewRef(device_object);
    status = dw_scene_trees_create(device, &def, &self->trees, &err);
    dw_device_end_use(device);
    if (status != DW_OK) {
        dw_raise(state, &err);
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static int trees_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((dw_py_trees *)self)->device);
    return 0;
}

static void trees_dealloc(PyObject *object)
{
    dw_py_trees *self = (dw_py_trees *)object;
    PyTypeObject *type = Py_TYPE(object);

    PyObject_GC_UnTrack(object);
    dw_scene_trees_destroy(self->trees);
    Py_XDECREF(self->device);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *trees_close(PyObject *object, PyObject *unused)
{
    dw_py_trees *self = (dw_py_trees *)object;
    dw_scene_trees *trees = self->trees;

    (void)unused;
    if (self->use_count > 0) {
        PyErr_SetString(PyExc_ValueError,
                        "the SceneTrees is in use by another thread: close it afterwards");
        return NULL;
    }
    self->trees = NULL;
    Py_BEGIN_ALLOW_THREADS /* a build under way is waited for */
    dw_scene_trees_destroy(trees);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyObject *trees_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((dw_py_trees *)self)->trees == NULL);
}

static PyObject *trees_device(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((dw_py_trees *)self)->device);
}

static PyObject *trees_is_current(PyObject *self, void *unused)
{
    const dw_scene_trees *trees = ((dw_py_trees *)self)->trees;

    (void)unused;
    return PyBool_FromLong(trees != NULL && dw_scene_trees_is_current(trees));
}

PyDoc_STRVAR(close_doc, "close($self, /)\n--\n\n"
                        "Give back all memory, also on the device. Closing twice is fine.\n\n"
                        "Raises\n------\n"
                        "ValueError\n"
                        "    Another thread is using it.");

static PyMethodDef trees_methods[] = {
    { "close", trees_close, METH_NOARGS, close_doc },
    { "_add_mesh", trees_add_mesh, METH_VARARGS,
      "_add_mesh($self, positions, indices, deforming, bounds, builder, /)\n--\n\n"
      "float32 (V, 3), uint32 (T, 3), bool, float32 (6,) or None, int: the id." },
    { "_remove_mesh", trees_remove_mesh, METH_O, "_remove_mesh($self, mesh, /)\n--\n\n" },
    { "_add_instances", trees_add_instances, METH_VARARGS,
      "_add_instances($self, mesh, transforms, /)\n--\n\nfloat64 (N, 4, 4): the first id." },
    { "_set_transform", trees_set_transform, METH_VARARGS,
      "_set_transform($self, instance, transform, /)\n--\n\nfloat64 (1, 4, 4)." },
    { "_remove_instance", trees_remove_instance, METH_O,
      "_remove_instance($self, instance, /)\n--\n\n" },
    { "_set_pose", trees_set_pose, METH_VARARGS,
      "_set_pose($self, mesh, buffer, vertex_count, stride_floats, offset_floats, dirty, /)\n--"
      "\n\n" },
    { "_set_pose_cpu", trees_set_pose_cpu, METH_VARARGS,
      "_set_pose_cpu($self, mesh, positions, dirty, /)\n--\n\nfloat32 (V, 3), bool (V,) or None." },
    { "_set_deform_bounds", trees_set_deform_bounds, METH_VARARGS,
      "_set_deform_bounds($self, mesh, bounds, /)\n--\n\nfloat32 (6,)." },
    { "_rebuild", trees_rebuild, METH_O, "_rebuild($self, mesh, /)\n--\n\n" },
    { "_update", trees_update, METH_NOARGS,
      "_update($self, /)\n--\n\nRefits, rebuilds, probes, and rows of builds." },
    { "_counts", trees_counts, METH_NOARGS, "_counts($self, /)\n--\n\n" },
    { "_status", trees_status, METH_O, "_status($self, mesh, /)\n--\n\n" },
    { "_drift", trees_drift, METH_O, "_drift($self, mesh, /)\n--\n\n" },
    { "_vertices", trees_vertices, METH_O, "_vertices($self, mesh, /)\n--\n\nfloat32 (V, 3)." },
    { "_layout", trees_layout, METH_O,
      "_layout($self, mesh, /)\n--\n\nA dict of the tree's parts, as tree_build gives it." },
    { "_bounds", trees_bounds, METH_NOARGS, "_bounds($self, /)\n--\n\nSix numbers or None." },
    { "_mesh_ids", trees_mesh_ids, METH_NOARGS, "_mesh_ids($self, /)\n--\n\n" },
    { "_instance_rows", trees_instance_rows, METH_NOARGS,
      "_instance_rows($self, /)\n--\n\nBytes: id, mesh, 12 floats." },
    { "_trace", dw_trees_trace_method, METH_VARARGS,
      "_trace($self, origins, directions, t_min, t_max, steps, /)\n--\n\nfloat32 (N, 3) each." },
    { "_occluded", dw_trees_occluded_method, METH_VARARGS,
      "_occluded($self, origins, directions, t_min, t_max, /)\n--\n\nfloat32 (N, 3) each." },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef trees_members[] = {
    { "closed", trees_closed, NULL, "True once close() was called.", NULL },
    { "device", trees_device, NULL, "The Device that builds, refits and traces.", NULL },
    { "is_current", trees_is_current, NULL,
      "Whether rays are taken: an update has been made and nothing has changed since.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot trees_slots[] = {
    { Py_tp_doc,
      "SceneTrees(device, *, node_format=0, drift_limit=1.1, hold_updates=60, sample_every=15, "
      "probe=True, probe_budget=4.0)\n--\n\nTrees of meshes and instances." },
    { Py_tp_new, trees_new },
    { Py_tp_dealloc, trees_dealloc },
    { Py_tp_traverse, trees_traverse },
    { Py_tp_methods, trees_methods },
    { Py_tp_getset, trees_members },
    { 0, NULL },
};

static PyType_Spec trees_spec = {
    .name = "dapplewood._core.SceneTrees",
    .basicsize = sizeof(dw_py_trees),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = trees_slots,
};

int dw_trees_exec(PyObject *module)
{
    dw_module_state *state = dw_module_get_state(module);

    state->trees_type = PyType_FromModuleAndSpec(module, &trees_spec, NULL);
    if (state->trees_type == NULL)
        return -1;
    return PyModule_AddType(module, (PyTypeObject *)state->trees_type);
}
