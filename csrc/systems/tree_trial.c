/* SPDX-License-Identifier: MIT */
#include "systems/tree_trial.h"

#include "base/alloc.h"
#include "passes/tree_copy.h"
#include "passes/tree_refit_pass.h"

#include <string.h>

typedef struct trial_tree {
    dw_gpu_buffer tree, vertices, dirty;
    dw_tree_mesh mesh;
} trial_tree;

typedef struct trial {
    dw_gpu *gpu;
    dw_refit_gpu *refit;
    trial_tree *trees;
    dw_refit_item *items;
    uint32_t tree_count;
} trial;

static void finish(trial *self)
{
    for (uint32_t i = 0; self->trees != NULL && i < self->tree_count; i++) {
        dw_gpu_buffer_destroy(&self->trees[i].tree);
        dw_gpu_buffer_destroy(&self->trees[i].vertices);
        dw_gpu_buffer_destroy(&self->trees[i].dirty);
    }
    dw_refit_gpu_destroy(self->refit);
    dw_free(self->trees);
    dw_free(self->items);
}

static dw_status begin(trial *self, dw_gpu *gpu, const dw_trial_refit *def, const dw_run *run,
                       dw_error *err)
{
    *self = (trial) { .gpu = gpu, .tree_count = def->tree_count };
    DW_TRY(DW_ALLOC_ZEROED(def->tree_count, &self->trees, err));
    DW_TRY(DW_ALLOC_ZEROED(def->tree_count, &self->items, err));
    DW_TRY(dw_refit_gpu_create(gpu, (dw_refit_variant)def->variant, &self->refit, err));
    for (uint32_t i = 0; i < def->tree_count; i++)
        DW_TRY(dw_tree_gpu_upload(gpu, def->trees[i], &self->trees[i].tree, &self->trees[i].mesh,
                                  run, err));
    return DW_OK;
fail:
    return err->code;
}

/* A new buffer each time: addresses, and so tables, change. */
static dw_status replace(dw_gpu *gpu, dw_gpu_buffer *buffer, const void *data, uint64_t bytes,
                         const char *name, const dw_run *run, dw_error *err)
{
    dw_gpu_buffer_destroy(buffer);
    DW_TRY(dw_gpu_buffer_create_device(gpu, bytes < 4 ? 4 : bytes, name, buffer, err));
    if (bytes > 0)
        DW_TRY(dw_gpu_upload(gpu, buffer, 0, data, bytes, run, err));
    return DW_OK;
fail:
    return err->code;
}

static dw_status place_pose(trial *self, uint32_t i, const dw_tree *tree, const dw_trial_pose *pose,
                            const dw_run *run, dw_error *err)
{
    uint64_t dirty_bytes = ((uint64_t)tree->vertex_count + 31) / 32 * sizeof(uint32_t);
    trial_tree *placed = &self->trees[i];
    dw_refit_item *item = &self->items[i];

    DW_TRY(replace(self->gpu, &placed->vertices, pose->data, pose->float_count * sizeof(float),
                   "trial vertices", run, err));
    if (pose->dirty != NULL)
        DW_TRY(replace(self->gpu, &placed->dirty, pose->dirty, dirty_bytes, "trial dirty bits", run,
                       err));
    *item = (dw_refit_item) { .mesh = placed->mesh,
                              .tree = &placed->tree,
                              .vertices = &placed->vertices,
                              .vertices_offset = pose->offset * sizeof(float),
                              .dirty = pose->dirty == NULL ? NULL : &placed->dirty };
    item->mesh.vertex_stride = pose->stride;
    item->mesh.flags |= pose->wants_sums ? DW_TREE_WANTS_SUMS : 0;
    return DW_OK;
fail:
    return err->code;
}

static dw_status refit_once(trial *self, const dw_run *run, dw_error *err)
{
    dw_command *command;
    dw_ticket ticket;

    if (dw_command_begin(self->gpu, "tree_trial", &command, err) != DW_OK)
        return err->code;
    if (dw_refit_gpu_record(self->refit, command, self->items, self->tree_count, err) != DW_OK) {
        dw_command_cancel(command);
        return err->code;
    }
    if (dw_command_submit(command, &ticket, err) != DW_OK)
        return err->code;
    return dw_gpu_wait(self->gpu, ticket, run, err);
}

static double refit_milliseconds(dw_gpu *gpu)
{
    dw_timing_table table;

    dw_gpu_get_timings(gpu, &table);
    for (int i = 0; i < table.count; i++)
        if (strcmp(table.rows[i].name, "tree_refit") == 0)
            return table.rows[i].milliseconds;
    return 0.0;
}

static dw_status read_back(const trial *self, const dw_trial_refit *def, const dw_run *run,
                           dw_error *err)
{
    for (uint32_t i = 0; i < self->tree_count; i++) {
        const trial_tree *placed = &self->trees[i];

        if (dw_tree_gpu_download(&placed->tree, &placed->mesh, def->trees[i], run, err) != DW_OK ||
            dw_gpu_download(self->gpu, &placed->tree, DW_TREE_HEAD_ROOT * sizeof(uint32_t),
                            def->roots[i], sizeof def->roots[i], run, err) != DW_OK)
            return err->code;
    }
    return DW_OK;
}

static dw_status run_steps(trial *self, const dw_trial_refit *def, const dw_run *run, dw_error *err)
{
    for (uint32_t step = 0; step < def->step_count; step++) {
        bool is_last = step + 1 == def->step_count;
        uint32_t times = is_last ? def->repeat : 1;

        for (uint32_t i = 0; i < self->tree_count; i++)
            DW_TRY(place_pose(self, i, def->trees[i], &def->poses[step * self->tree_count + i], run,
                              err));
        for (uint32_t i = 0; i < times; i++) {
            DW_TRY(refit_once(self, run, err));
            if (is_last)
                def->milliseconds[i] = refit_milliseconds(self->gpu);
        }
    }
    return read_back(self, def, run, err);
fail:
    return err->code;
}

dw_status dw_trial_refit_run(dw_device *device, const dw_trial_refit *def, const dw_run *run,
                             dw_error *err)
{
    dw_gpu *gpu = dw_device_gpu(device);
    dw_status status;
    trial self;

    if (gpu == NULL)
        return dw_fail(err, DW_ERROR_ARGUMENT, "device is native: trees on a device need Vulkan");
    status = begin(&self, gpu, def, run, err);
    if (status == DW_OK)
        status = run_steps(&self, def, run, err);
    finish(&self);
    return status;
}
