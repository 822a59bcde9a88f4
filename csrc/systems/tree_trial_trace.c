/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "passes/tree_copy.h"
#include "passes/tree_refit_pass.h"
#include "passes/tree_trace_pass.h"
#include "systems/tree_trial.h"

#include <string.h>

/* A scene on the device: the meshes, then the top level. */
typedef struct trial_scene {
    dw_gpu *gpu;
    dw_tree *top; /* made here, where the scene has none */
    dw_gpu_buffer *trees, *vertices;
    dw_tree_mesh *records;
    dw_gpu_binding *reached;
    dw_gpu_buffer meshes, instances, boxes;
    dw_trace_gpu *trace;
    dw_refit_gpu *refit;
    uint32_t tree_count;
} trial_scene;

static void finish(trial_scene *self)
{
    for (uint32_t i = 0; i < self->tree_count; i++) {
        if (self->trees != NULL)
            dw_gpu_buffer_destroy(&self->trees[i]);
        if (self->vertices != NULL)
            dw_gpu_buffer_destroy(&self->vertices[i]);
    }
    dw_gpu_buffer_destroy(&self->meshes);
    dw_gpu_buffer_destroy(&self->instances);
    dw_gpu_buffer_destroy(&self->boxes);
    dw_trace_gpu_destroy(self->trace);
    dw_refit_gpu_destroy(self->refit);
    dw_tree_destroy(self->top);
    dw_free(self->trees);
    dw_free(self->vertices);
    dw_free(self->records);
    dw_free(self->reached);
}

/* A tree over boxes as large as may be, one an instance. */
static dw_status make_top(trial_scene *self, uint32_t count, const dw_run *run, dw_error *err)
{
    const float far = 1.152921504606847e18f; /* 2^60 */
    dw_tree_source source = { .count = count };
    dw_tree_pose pose = { 0 };
    float *boxes = NULL;

    DW_TRY(DW_ALLOC(6 * (size_t)count, &boxes, err));
    for (size_t i = 0; i < 6 * (size_t)count; i++)
        boxes[i] = i % 6 < 3 ? -far : far;
    source.boxes = pose.boxes = boxes;
    DW_TRY(dw_tree_build(&source, DW_TREE_BUILDER_HPLOC, DW_NODE_FORMAT_F32, &self->top, run, err));
    DW_TRY(dw_tree_refit(self->top, &pose, run, err));
    err->code = DW_OK;
fail:
    dw_free(boxes);
    return err->code;
}

static dw_status upload_new(dw_gpu *gpu, dw_gpu_buffer *buffer, const void *data, uint64_t bytes,
                            const char *name, const dw_run *run, dw_error *err)
{
    DW_TRY(dw_gpu_buffer_create_device(gpu, bytes < 4 ? 4 : bytes, name, buffer, err));
    if (bytes > 0)
        DW_TRY(dw_gpu_upload(gpu, buffer, 0, data, bytes, run, err));
    return DW_OK;
fail:
    return err->code;
}

static dw_status place_tree(trial_scene *self, uint32_t i, const dw_tree *tree,
                            const dw_tree_vertices *vertices, const dw_run *run, dw_error *err)
{
    dw_refit_item item = { .tree = &self->trees[i], .vertices = &self->vertices[i] };
    uint64_t floats =
        vertices->count == 0 ? 0 : (vertices->count - 1) * (uint64_t)vertices->stride + 3;

    DW_TRY(dw_tree_gpu_upload(self->gpu, tree, &self->trees[i], &item.mesh, run, err));
    DW_TRY(upload_new(self->gpu, &self->vertices[i], vertices->data, floats * sizeof(float),
                      "trial vertices", run, err));
    item.mesh.vertex_stride = vertices->stride;
    dw_refit_item_set_addresses(&item);
    self->records[i] = item.mesh;
    self->reached[2 * i] = (dw_gpu_binding) { &self->trees[i], 0, 0, DW_USE_COMPUTE_READ };
    self->reached[2 * i + 1] = (dw_gpu_binding) { &self->vertices[i], 0, 0, DW_USE_COMPUTE_READ };
    return DW_OK;
fail:
    return err->code;
}

static dw_status place_instances(trial_scene *self, const dw_trial_trace *def, const dw_run *run,
                                 dw_error *err)
{
    const dw_trace_scene *scene = def->scene;
    uint32_t count = scene->instance_count;
    dw_tree_instance *rows = NULL;

    DW_TRY(DW_ALLOC_ZEROED(count, &rows, err));
    for (uint32_t i = 0; i < count; i++) {
        memcpy(rows[i].to_object, scene->instances[i].to_object, sizeof rows[i].to_object);
        if (def->to_world != NULL)
            memcpy(rows[i].to_world, def->to_world + 12 * (size_t)i, sizeof rows[i].to_world);
        rows[i].mesh = scene->instances[i].mesh;
        rows[i].id = scene->instances[i].id;
    }
    DW_TRY(upload_new(self->gpu, &self->instances, rows, count * (uint64_t)sizeof *rows,
                      "trial instances", run, err));
    DW_TRY(dw_gpu_buffer_create_device(self->gpu, (count + 1) * 6 * sizeof(float), "trial boxes",
                                       &self->boxes, err));
    err->code = DW_OK;
fail:
    dw_free(rows);
    return err->code;
}

static dw_status place_scene(trial_scene *self, const dw_trial_trace *def, const dw_run *run,
                             dw_error *err)
{
    static const dw_tree_vertices none = { .stride = 3 };
    const dw_trace_scene *scene = def->scene;
    uint32_t top = def->mesh_count;

    self->tree_count = top + 1;
    DW_TRY(DW_ALLOC_ZEROED(self->tree_count, &self->trees, err));
    DW_TRY(DW_ALLOC_ZEROED(self->tree_count, &self->vertices, err));
    DW_TRY(DW_ALLOC_ZEROED(self->tree_count, &self->records, err));
    DW_TRY(DW_ALLOC_ZEROED(2 * (size_t)self->tree_count, &self->reached, err));
    if (scene->top == NULL)
        DW_TRY(make_top(self, scene->instance_count, run, err));
    for (uint32_t i = 0; i < top; i++)
        DW_TRY(place_tree(self, i, scene->meshes[i].tree, &scene->meshes[i].vertices, run, err));
    DW_TRY(place_tree(self, top, scene->top == NULL ? self->top : scene->top, &none, run, err));
    DW_TRY(upload_new(self->gpu, &self->meshes, self->records,
                      self->tree_count * (uint64_t)sizeof *self->records, "trial meshes", run,
                      err));
    DW_TRY(place_instances(self, def, run, err));
    return dw_trace_gpu_create(self->gpu, &self->trace, err);
fail:
    return err->code;
}

static dw_status record_top(trial_scene *self, dw_command *command, uint32_t count, dw_error *err)
{
    const dw_instances_def boxes = { .meshes = &self->meshes,
                                     .instances = &self->instances,
                                     .boxes = &self->boxes,
                                     .count = count,
                                     .trees = self->reached,
                                     .tree_count = 2 * self->tree_count };
    dw_refit_item item = { .mesh = self->records[self->tree_count - 1],
                           .tree = &self->trees[self->tree_count - 1],
                           .vertices = &self->boxes };

    DW_TRY(dw_instances_gpu_record(self->gpu, command, &boxes, err));
    DW_TRY(dw_refit_gpu_record(self->refit, command, &item, 1, err));
    return DW_OK;
fail:
    return err->code;
}

static dw_status refit_top(trial_scene *self, uint32_t count, dw_error *err)
{
    dw_command *command;
    dw_ticket ticket;

    if (dw_refit_gpu_create(self->gpu, DW_REFIT_BEST, &self->refit, err) != DW_OK ||
        dw_command_begin(self->gpu, "tree_trial_top", &command, err) != DW_OK)
        return err->code;
    if (record_top(self, command, count, err) != DW_OK) {
        dw_command_cancel(command);
        return err->code;
    }
    return dw_command_submit(command, &ticket, err);
}

static dw_status run_trial(trial_scene *self, const dw_trial_trace *def, const dw_run *run,
                           dw_error *err)
{
    dw_trace_gpu_scene scene;

    DW_TRY(place_scene(self, def, run, err));
    if (def->to_world != NULL)
        DW_TRY(refit_top(self, def->scene->instance_count, err));
    scene = (dw_trace_gpu_scene) { .meshes = &self->meshes,
                                   .instances = &self->instances,
                                   .top = self->tree_count - 1,
                                   .reached = self->reached,
                                   .reached_count = 2 * self->tree_count };
    if (def->out != NULL)
        return dw_trace_gpu_occluded(self->trace, &scene, def->rays, def->out, run, err);
    return dw_trace_gpu_closest(self->trace, &scene, def->rays, def->hits, run, err);
fail:
    return err->code;
}

dw_status dw_trial_trace_run(dw_device *device, const dw_trial_trace *def, const dw_run *run,
                             dw_error *err)
{
    trial_scene self = { .gpu = dw_device_gpu(device) };
    dw_status status;

    if (self.gpu == NULL)
        return dw_fail(err, DW_ERROR_ARGUMENT, "device is native: trees on a device need Vulkan");
    status = run_trial(&self, def, run, err);
    finish(&self);
    return status;
}
