/* SPDX-License-Identifier: MIT */
/* The top level of the Vulkan backend, and rays through it. */
#include "base/alloc.h"
#include "systems/scene_trees_gpu.h"

#include <string.h>

/* ---- tables ---- */

static void finish_table(dw_trees_table *table)
{
    dw_free(table->rows);
    dw_free(table->sent);
    dw_gpu_buffer_destroy(&table->buffer);
    *table = (dw_trees_table) { 0 };
}

/* Uploads what differs from what the device has. */
static dw_status send_table(dw_gpu *gpu, dw_trees_table *table, uint64_t bytes, const char *name,
                            const dw_run *run, dw_error *err)
{
    if (table->buffer.record != NULL && table->sent_bytes == bytes &&
        (bytes == 0 || memcmp(table->sent, table->rows, bytes) == 0))
        return DW_OK;
    table->sent_bytes = 0;
    DW_TRY(dw_trees_gpu_fit(gpu, &table->buffer, bytes, name, err));
    DW_TRY(dw_trees_reserve(&table->sent, bytes, &table->sent_capacity, 1, err));
    if (bytes > 0) {
        DW_TRY(dw_gpu_upload(gpu, &table->buffer, 0, table->rows, bytes, run, err));
        memcpy(table->sent, table->rows, bytes);
    }
    table->sent_bytes = bytes;
    return DW_OK;
fail:
    return err->code;
}

static void add_row(dw_trees_gpu *self, uint32_t row, const dw_refit_item *item)
{
    dw_refit_item placed = *item;

    dw_refit_item_set_addresses(&placed);
    ((dw_tree_mesh *)self->meshes.rows)[row] = placed.mesh;
    self->reached[self->reached_count++] =
        (dw_gpu_binding) { item->tree, 0, 0, DW_USE_COMPUTE_READ };
    if (item->vertices != NULL)
        self->reached[self->reached_count++] =
            (dw_gpu_binding) { item->vertices, 0, 0, DW_USE_COMPUTE_READ };
}

static void top_item(const dw_scene_trees *trees, dw_refit_item *out)
{
    dw_trees_gpu *self = trees->gpu;

    *out = (dw_refit_item) { .mesh = self->top.mesh,
                             .tree = &self->top.buffer,
                             .vertices = trees->instance_count == 0 ? NULL : &self->boxes };
    out->mesh.vertex_stride = 6;
}

static dw_status fill_meshes(dw_scene_trees *trees, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;
    dw_refit_item item;

    DW_TRY(dw_trees_reserve(&self->meshes.rows, trees->mesh_count + 1ull, &self->meshes.capacity,
                            sizeof(dw_tree_mesh), err));
    DW_TRY(dw_trees_reserve((void **)&self->reached, 2ull * trees->mesh_count + 2,
                            &self->reached_capacity, sizeof *self->reached, err));
    self->reached_count = 0;
    for (uint32_t i = 0; i < trees->mesh_count; i++) {
        dw_trees_gpu_item(trees->meshes[i], trees->meshes[i]->tree, &item);
        add_row(self, i, &item);
    }
    memset((dw_tree_mesh *)self->meshes.rows + trees->mesh_count, 0, sizeof(dw_tree_mesh));
    if (self->has_top) {
        top_item(trees, &item);
        add_row(self, trees->mesh_count, &item);
    }
    return DW_OK;
fail:
    return err->code;
}

static dw_status fill_instances(dw_scene_trees *trees, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;
    dw_tree_instance *rows;

    if (dw_trees_reserve(&self->instances.rows, trees->instance_count, &self->instances.capacity,
                         sizeof *rows, err) != DW_OK)
        return err->code;
    rows = self->instances.rows;
    for (uint32_t i = 0; i < trees->instance_count; i++) {
        const dw_trees_instance *instance = &trees->instances[i];

        rows[i] = (dw_tree_instance) { .mesh = instance->mesh->row, .id = instance->id };
        memcpy(rows[i].to_object, instance->placement.to_object, sizeof rows[i].to_object);
        for (int j = 0; j < 12; j++)
            rows[i].to_world[j] = (float)instance->placement.to_world[j];
    }
    return DW_OK;
}

dw_status dw_trees_gpu_send_tables(dw_scene_trees *trees, const dw_run *run, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;

    DW_TRY(dw_trees_gpu_fit(self->gpu, &self->boxes, trees->instance_count * 6ull * sizeof(float),
                            "tree boxes", err));
    DW_TRY(fill_meshes(trees, err));
    DW_TRY(send_table(self->gpu, &self->meshes, (trees->mesh_count + 1ull) * sizeof(dw_tree_mesh),
                      "tree meshes", run, err));
    if (trees->are_instances_changed || trees->are_instances_moved) {
        DW_TRY(fill_instances(trees, err));
        DW_TRY(send_table(self->gpu, &self->instances,
                          trees->instance_count * sizeof(dw_tree_instance), "tree instances", run,
                          err));
    }
    return DW_OK;
fail:
    return err->code;
}

/* ---- the top level ---- */

dw_status dw_trees_gpu_record_boxes(dw_scene_trees *trees, dw_command *command, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;
    dw_instances_def def = { .meshes = &self->meshes.buffer,
                             .instances = &self->instances.buffer,
                             .boxes = &self->boxes,
                             .count = trees->instance_count,
                             .trees = self->reached,
                             .tree_count = self->reached_count };

    return dw_instances_gpu_record(self->gpu, command, &def, err);
}

dw_status dw_trees_gpu_record_top(dw_scene_trees *trees, dw_command *command, dw_error *err)
{
    dw_refit_item item;

    top_item(trees, &item);
    if (trees->top.wants_sums)
        item.mesh.flags |= DW_TREE_WANTS_SUMS;
    return dw_refit_gpu_record(trees->gpu->top_refit, command, &item, 1, err);
}

static dw_status refit_new_top(dw_scene_trees *trees, dw_error *err)
{
    dw_command *command = NULL;
    dw_ticket ticket;

    DW_TRY(dw_command_begin(trees->gpu->gpu, "trees_top", &command, err));
    if (dw_trees_gpu_record_top(trees, command, err) != DW_OK) {
        dw_command_cancel(command);
        goto fail;
    }
    DW_TRY(dw_command_submit(command, &ticket, err));
    return DW_OK;
fail:
    dw_refit_gpu_forget(trees->gpu->top_refit);
    return err->code;
}

dw_status dw_trees_gpu_build_top(dw_scene_trees *trees, const dw_run *run, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;
    dw_tree_gpu_source source = { .count = trees->instance_count,
                                  .vertices = trees->instance_count == 0 ? NULL : &self->boxes };
    dw_tree_gpu_built built = { 0 };

    if (dw_tree_build_gpu(self->at_once, &source, DW_TREE_BUILDER_HPLOC, DW_NODE_FORMAT_F32, &built,
                          run, err) != DW_OK)
        return err->code;
    dw_gpu_buffer_destroy(&self->top.buffer);
    self->top = built;
    self->has_top = true;
    if (refit_new_top(trees, err) != DW_OK)
        return err->code;
    return dw_trees_gpu_send_tables(trees, run, err); /* the top level's row */
}

void dw_trees_gpu_finish_top(dw_trees_gpu *self)
{
    dw_gpu_buffer_destroy(&self->top.buffer);
    dw_gpu_buffer_destroy(&self->boxes);
    finish_table(&self->meshes);
    finish_table(&self->instances);
    dw_trace_gpu_destroy(self->trace);
    self->trace = NULL;
}

dw_status dw_trees_gpu_get_bounds(dw_scene_trees *trees, const dw_run *run, bool *has_any,
                                  float out[6], dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;
    uint32_t head[DW_TREE_HEAD_WORDS];

    if (dw_gpu_download(self->gpu, &self->top.buffer, 0, head, sizeof head, run, err) != DW_OK)
        return err->code;
    *has_any = dw_tree_head_box(head, out, out + 3);
    return DW_OK;
}

/* ---- rays ---- */

static dw_status get_scene(dw_scene_trees *trees, dw_trace_gpu_scene *out, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;

    *out = (dw_trace_gpu_scene) { .meshes = &self->meshes.buffer,
                                  .instances = &self->instances.buffer,
                                  .top = trees->mesh_count,
                                  .reached = self->reached,
                                  .reached_count = self->reached_count };
    return self->trace != NULL ? DW_OK : dw_trace_gpu_create(self->gpu, &self->trace, err);
}

dw_status dw_trees_gpu_trace(dw_scene_trees *trees, const dw_trace_rays *rays,
                             const dw_trace_hits *hits, const dw_run *run, dw_error *err)
{
    dw_trace_gpu_scene scene;

    if (get_scene(trees, &scene, err) != DW_OK)
        return err->code;
    return dw_trace_gpu_closest(trees->gpu->trace, &scene, rays, hits, run, err);
}

dw_status dw_trees_gpu_occluded(dw_scene_trees *trees, const dw_trace_rays *rays, uint8_t *out,
                                const dw_run *run, dw_error *err)
{
    dw_trace_gpu_scene scene;

    if (get_scene(trees, &scene, err) != DW_OK)
        return err->code;
    return dw_trace_gpu_occluded(trees->gpu->trace, &scene, rays, out, run, err);
}
