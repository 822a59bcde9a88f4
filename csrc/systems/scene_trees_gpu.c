/* SPDX-License-Identifier: MIT */
/* The Vulkan backend: builds that land in a later update, refits in one submission, samples that
 * come back when they are done. Nothing here waits but first builds and reads. */
#include "systems/scene_trees_gpu.h"
#include "base/alloc.h"
#include "base/platform.h"
#include "cpu/tree_check.h"

#include <string.h>

#define SCRATCH_KEPT (64ull << 20) /* bytes that builders keep for the next build */

static void gpu_destroy(dw_scene_trees *trees)
{
    dw_trees_gpu *self = trees->gpu;

    if (self == NULL)
        return;
    for (uint32_t i = 0; i < DW_SAMPLE_SLOTS; i++) {
        dw_gpu_buffer_destroy(&self->slots[i].heads);
        dw_free(self->slots[i].rows);
    }
    dw_trees_gpu_finish_top(self);
    dw_refit_gpu_destroy(self->refit);
    dw_refit_gpu_destroy(self->top_refit);
    dw_tree_builder_gpu_destroy(self->builder);
    dw_tree_builder_gpu_destroy(self->at_once);
    dw_free(self->items);
    dw_free(self->parts);
    dw_free(self->reached);
    dw_free(self);
    trees->gpu = NULL;
}

static dw_status get_gpu(dw_scene_trees *trees, dw_trees_gpu **out, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;

    *out = self;
    if (self != NULL)
        return DW_OK;
    DW_TRY(DW_ALLOC_ZEROED(1, &self, err));
    trees->gpu = self;
    self->gpu = dw_device_gpu(trees->device);
    DW_TRY(dw_tree_builder_gpu_create(self->gpu, &self->builder, err));
    DW_TRY(dw_tree_builder_gpu_create(self->gpu, &self->at_once, err));
    DW_TRY(dw_refit_gpu_create(self->gpu, DW_REFIT_BEST, &self->refit, err));
    DW_TRY(dw_refit_gpu_create(self->gpu, DW_REFIT_BEST, &self->top_refit, err));
    *out = self;
    return DW_OK;
fail:
    gpu_destroy(trees);
    return err->code;
}

dw_status dw_trees_gpu_fit(dw_gpu *gpu, dw_gpu_buffer *buffer, uint64_t bytes, const char *name,
                           dw_error *err)
{
    dw_gpu_buffer larger;
    uint64_t size = bytes < 64 ? 64 : bytes;

    if (buffer->record != NULL && buffer->size_bytes >= bytes)
        return DW_OK;
    if (dw_gpu_buffer_create_device(gpu, size, name, &larger, err) != DW_OK)
        return err->code;
    dw_gpu_buffer_destroy(buffer);
    *buffer = larger;
    return DW_OK;
}

/* ---- uploads: gathered, then sent together ---- */

static dw_status add_part(dw_trees_gpu *self, dw_gpu_buffer *buffer, void *data, uint64_t bytes,
                          const char *name, dw_error *err)
{
    DW_TRY(dw_trees_gpu_fit(self->gpu, buffer, bytes, name, err));
    DW_TRY(dw_trees_reserve((void **)&self->parts, self->part_count + 1ull, &self->part_capacity,
                            sizeof *self->parts, err));
    if (bytes > 0)
        self->parts[self->part_count++] =
            (dw_gpu_rows) { buffer, 0, data, bytes, 1, (int64_t)bytes };
    return DW_OK;
fail:
    return err->code;
}

static dw_status send_parts(dw_trees_gpu *self, const dw_run *run, dw_error *err)
{
    uint32_t count = self->part_count;

    self->part_count = 0;
    return count == 0 ? DW_OK : dw_gpu_upload_rows(self->gpu, self->parts, count, run, err);
}

/* The pose that the device reads, where it came from the CPU; then note_sent. */
static dw_status add_pose(dw_scene_trees *trees, dw_trees_mesh *mesh, dw_error *err)
{
    if (mesh->source == DW_POSE_BUFFER || !mesh->is_upload_due)
        return DW_OK;
    return add_part(trees->gpu, &mesh->gpu_vertices, mesh->positions,
                    mesh->vertex_count * 3ull * sizeof(float), "tree vertices", err);
}

static void note_sent(dw_trees_mesh *mesh)
{
    if (mesh->source != DW_POSE_BUFFER)
        mesh->is_upload_due = false;
}

static const dw_gpu_buffer *vertices_of(const dw_trees_mesh *mesh, uint64_t *offset,
                                        uint32_t *stride)
{
    *offset = mesh->source == DW_POSE_BUFFER ? mesh->pose_offset * sizeof(float) : 0;
    *stride = mesh->source == DW_POSE_BUFFER ? (uint32_t)mesh->pose_stride : 3;
    if (mesh->vertex_count == 0)
        return NULL;
    return mesh->source == DW_POSE_BUFFER ? dw_buffer_gpu(mesh->pose) : &mesh->gpu_vertices;
}

/* ---- builds ---- */

static dw_status send_source(dw_scene_trees *trees, dw_trees_mesh *mesh, const dw_run *run,
                             dw_tree_gpu_source *out, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;

    self->part_count = 0;
    DW_TRY(add_pose(trees, mesh, err));
    if (mesh->gpu_indices.record == NULL)
        DW_TRY(add_part(self, &mesh->gpu_indices, mesh->indices,
                        mesh->triangle_count * 3ull * sizeof(uint32_t), "tree indices", err));
    if (send_parts(self, run, err) != DW_OK) {
        dw_gpu_buffer_destroy(&mesh->gpu_indices); /* its content is not known */
        goto fail;
    }
    note_sent(mesh);
    *out = (dw_tree_gpu_source) { .indices = &mesh->gpu_indices,
                                  .count = mesh->triangle_count,
                                  .vertex_count = mesh->vertex_count };
    out->vertices = vertices_of(mesh, &out->vertices_offset, &out->vertex_stride);
    return DW_OK;
fail:
    return err->code;
}

static void trim(dw_tree_builder_gpu *builder)
{
    if (dw_tree_builder_gpu_scratch_bytes(builder) > SCRATCH_KEPT)
        dw_tree_builder_gpu_trim(builder);
}

static void take_built(const dw_tree_gpu_built *built, dw_placed_tree *out)
{
    out->shape = built->shape;
    out->buffer = built->buffer;
    out->bytes = built->buffer.size_bytes;
    out->record = built->mesh;
}

/* What the device has not, and what takes it longer than the processor that it runs on. */
static bool is_built_on_host(const dw_trees_gpu *self, dw_tree_builder builder)
{
    return builder == DW_TREE_BUILDER_SAH ||
           (builder == DW_TREE_BUILDER_HPLOC && dw_gpu_get_limits(self->gpu)->is_software);
}

static dw_status build_on_host(dw_scene_trees *trees, dw_trees_mesh *mesh, dw_tree_builder builder,
                               const dw_run *run, dw_tree_gpu_built *out, dw_error *err)
{
    static const uint32_t none[3];
    dw_tree_source source = { .indices = mesh->indices == NULL ? none : mesh->indices,
                              .count = mesh->triangle_count,
                              .vertices = { NULL, mesh->vertex_count, 3 } };
    float *positions = NULL;
    dw_tree *tree = NULL;

    DW_TRY(DW_ALLOC(mesh->vertex_count * (size_t)3, &positions, err));
    DW_TRY(dw_scene_trees_read_vertices(trees, mesh->id, positions, run, err));
    source.vertices.data = positions;
    DW_TRY(dw_tree_build(&source, builder, trees->def.format, &tree, run, err));
    DW_TRY(dw_tree_gpu_upload(trees->gpu->gpu, tree, &out->buffer, &out->mesh, run, err));
    out->shape = tree->shape;
    dw_tree_destroy(tree);
    dw_free(positions);
    return DW_OK;
fail:
    dw_tree_destroy(tree);
    dw_free(positions);
    return err->code;
}

static dw_status gpu_build(dw_scene_trees *trees, dw_trees_mesh *mesh, dw_tree_builder builder,
                           const dw_run *run, dw_placed_tree *out, dw_error *err)
{
    double begin = dw_platform_seconds();
    dw_tree_gpu_built built = { 0 };
    dw_tree_gpu_source source;
    dw_trees_gpu *self;

    if (get_gpu(trees, &self, err) != DW_OK)
        return err->code;
    if (is_built_on_host(self, builder))
        DW_TRY(build_on_host(trees, mesh, builder, run, &built, err));
    else {
        DW_TRY(send_source(trees, mesh, run, &source, err));
        DW_TRY(dw_tree_build_gpu(self->at_once, &source, builder, trees->def.format, &built, run,
                                 err));
    }
    trim(self->at_once);
    if (!mesh->is_deforming)
        dw_gpu_buffer_destroy(&mesh->gpu_indices);
    take_built(&built, out);
    out->milliseconds = (dw_platform_seconds() - begin) * 1e3;
    return DW_OK;
fail:
    return err->code;
}

static dw_status record_build(dw_scene_trees *trees, dw_trees_mesh *mesh, dw_tree_builder kind,
                              const dw_run *run, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;
    dw_tree_gpu_source source;
    dw_command *command = NULL;

    DW_TRY(send_source(trees, mesh, run, &source, err));
    DW_TRY(dw_command_begin(self->gpu, "trees_build", &command, err));
    DW_TRY(dw_tree_builder_gpu_begin(self->builder, command, &source, kind, err));
    self->build_kind = kind;
    return dw_command_submit(command, &self->build_ticket, err);
fail:
    dw_command_cancel(command);
    return err->code;
}

static dw_status gpu_begin_build(dw_scene_trees *trees, dw_trees_mesh *mesh,
                                 dw_tree_builder builder, const dw_run *run, dw_error *err)
{
    dw_trees_gpu *self;

    if (get_gpu(trees, &self, err) != DW_OK)
        return err->code;
    self->build_begin = dw_platform_seconds();
    if (record_build(trees, mesh, builder, run, err) != DW_OK)
        return err->code;
    self->build_mesh = mesh;
    return DW_OK;
}

/* The device's own time where it is known: the host only looks once an update. */
static double build_milliseconds(const dw_trees_gpu *self)
{
    dw_timing_table table = { 0 };

    dw_gpu_get_timings(self->gpu, &table);
    for (int i = 0; i < table.count; i++)
        if (strcmp(table.rows[i].name, "trees_build") == 0)
            return table.rows[i].milliseconds;
    return (dw_platform_seconds() - self->build_begin) * 1e3;
}

/* Part 2, into a buffer that fits. */
static dw_status finish_build(dw_scene_trees *trees, const dw_tree_shape *shape,
                              dw_placed_tree *out, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;
    dw_command *command = NULL;
    dw_placed_tree made = { .shape = *shape };
    dw_ticket ticket;

    made.bytes = dw_tree_gpu_layout(shape, trees->def.format, false, self->build_mesh->vertex_count,
                                    &made.record);
    DW_TRY(dw_gpu_buffer_create_device(self->gpu, made.bytes, "tree", &made.buffer, err));
    DW_TRY(dw_command_begin(self->gpu, "trees_place", &command, err));
    dw_tree_builder_gpu_finish(self->builder, command, &made.buffer, &made.record);
    DW_TRY(dw_command_submit(command, &ticket, err));
    trim(self->builder);
    made.milliseconds = build_milliseconds(self);
    *out = made;
    return DW_OK;
fail:
    dw_gpu_buffer_destroy(&made.buffer);
    return err->code;
}

static dw_status gpu_poll_build(dw_scene_trees *trees, dw_placed_tree *out, bool *is_done,
                                dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;
    const dw_tree_shape *shape;

    *is_done = dw_gpu_is_done(self->gpu, self->build_ticket);
    if (!*is_done)
        return DW_OK;
    if (dw_gpu_check(self->gpu, err) != DW_OK)
        return err->code;
    shape = dw_tree_builder_gpu_shape(self->builder);
    if (shape->faults != 0 && self->build_kind != DW_TREE_BUILDER_MORTON) {
        *is_done = false;
        return record_build(trees, self->build_mesh, DW_TREE_BUILDER_MORTON, NULL, err);
    }
    if (shape->faults != 0)
        return dw_fail(err, DW_ERROR_CAPACITY, "mesh %u: its tree would be deeper than %d nodes",
                       self->build_mesh->id, DW_TREE_DEPTH_MAX);
    if (finish_build(trees, shape, out, err) != DW_OK)
        return err->code;
    self->build_mesh = NULL;
    return DW_OK;
}

static void gpu_cancel_build(dw_scene_trees *trees)
{
    if (trees->gpu != NULL)
        trees->gpu->build_mesh = NULL; /* the scratch is not read before the next build */
}

static void gpu_finish_tree(dw_scene_trees *trees, dw_placed_tree *tree)
{
    (void)trees;
    dw_gpu_buffer_destroy(&tree->buffer);
}

static void gpu_finish_mesh(dw_scene_trees *trees, dw_trees_mesh *mesh)
{
    (void)trees;
    dw_gpu_buffer_destroy(&mesh->gpu_vertices);
    dw_gpu_buffer_destroy(&mesh->gpu_indices);
    dw_gpu_buffer_destroy(&mesh->gpu_dirty);
}

/* ---- refits ---- */

void dw_trees_gpu_item(const dw_trees_mesh *mesh, const dw_placed_tree *tree, dw_refit_item *out)
{
    uint32_t stride;

    *out = (dw_refit_item) { .mesh = tree->record, .tree = &tree->buffer };
    out->vertices = vertices_of(mesh, &out->vertices_offset, &stride);
    out->mesh.vertex_stride = stride;
    out->mesh.flags &= ~(uint32_t)DW_TREE_WANTS_SUMS;
}

static dw_status add_job(dw_scene_trees *trees, const dw_trees_job *job, dw_refit_item *item,
                         dw_error *err)
{
    dw_trees_mesh *mesh = job->mesh;
    uint64_t bytes = (mesh->vertex_count + 31ull) / 32 * sizeof(uint32_t);

    dw_trees_gpu_item(mesh, job->tree, item);
    if (job->wants_sums)
        item->mesh.flags |= DW_TREE_WANTS_SUMS;
    if (job->dirty == NULL)
        return DW_OK;
    item->dirty = &mesh->gpu_dirty;
    return add_part(trees->gpu, &mesh->gpu_dirty, mesh->dirty, bytes, "tree dirty bits", err);
}

static dw_status send_jobs(dw_scene_trees *trees, const dw_trees_job *jobs, uint32_t count,
                           const dw_run *run, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;

    self->part_count = 0;
    DW_TRY(dw_trees_reserve((void **)&self->items, count, &self->item_capacity, sizeof *self->items,
                            err));
    for (uint32_t i = 0; i < count; i++) {
        if (jobs[i].tree == jobs[i].mesh->tree) /* a probe's tree takes the same pose */
            DW_TRY(add_pose(trees, jobs[i].mesh, err));
        DW_TRY(add_job(trees, &jobs[i], &self->items[i], err));
    }
    DW_TRY(send_parts(self, run, err));
    for (uint32_t i = 0; i < count; i++)
        note_sent(jobs[i].mesh);
    return DW_OK;
fail:
    return err->code;
}

/* ---- samples ---- */

/* Slots are taken in turn, from the first one on where none is busy. */
static dw_sample_slot *free_slot(dw_trees_gpu *self)
{
    if (!self->slots[self->first_slot].is_busy)
        self->first_slot = 0;
    for (uint32_t i = 0; i < DW_SAMPLE_SLOTS; i++) {
        dw_sample_slot *slot = &self->slots[(self->first_slot + i) % DW_SAMPLE_SLOTS];

        if (!slot->is_busy)
            return slot;
    }
    return NULL;
}

/* A slot for what the jobs want; *out NULL where they want nothing. */
static dw_status prepare_slot(dw_scene_trees *trees, const dw_trees_job *jobs, uint32_t count,
                              const dw_run *run, dw_sample_slot **out, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;
    dw_sample_slot *slot = free_slot(self);
    dw_gpu_buffer_def def = { .memory = DW_MEMORY_READBACK, .name = "tree heads" };
    uint32_t wanted = trees->top.wants_sums;

    *out = NULL;
    for (uint32_t i = 0; i < count; i++)
        wanted += jobs[i].wants_sums;
    if (wanted == 0)
        return DW_OK;
    if (slot == NULL) { /* the device lags behind by as many batches */
        slot = &self->slots[self->first_slot];
        DW_TRY(dw_gpu_wait(self->gpu, slot->ticket, run, err));
        DW_TRY(trees->backend->take_samples(trees, err));
    }
    DW_TRY(
        dw_trees_reserve((void **)&slot->rows, wanted, &slot->capacity, sizeof *slot->rows, err));
    def.size_bytes = slot->capacity * DW_HEAD_BYTES;
    if (slot->heads.size_bytes < def.size_bytes) {
        dw_gpu_buffer_destroy(&slot->heads);
        DW_TRY(dw_gpu_buffer_create(self->gpu, &def, &slot->heads, err));
    }
    slot->count = 0;
    *out = slot;
    return DW_OK;
fail:
    return err->code;
}

static void record_sample(dw_command *command, dw_sample_slot *slot, uint32_t mesh, uint64_t serial,
                          const dw_gpu_buffer *tree)
{
    slot->rows[slot->count] = (dw_trees_sample) { .mesh = mesh, .serial = serial };
    dw_command_copy(command, tree, 0, &slot->heads, slot->count * DW_HEAD_BYTES, DW_HEAD_BYTES);
    slot->count++;
}

static void record_samples(const dw_scene_trees *trees, dw_command *command, dw_sample_slot *slot,
                           const dw_trees_job *jobs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (jobs[i].wants_sums)
            record_sample(command, slot, jobs[i].mesh->id, jobs[i].tree->serial,
                          &jobs[i].tree->buffer);
    if (trees->top.wants_sums)
        record_sample(command, slot, DW_SAMPLE_TOP, trees->top.serial, &trees->gpu->top.buffer);
}

static void parse_head(const uint32_t *head, dw_trees_sample *out)
{
    memcpy(&out->frame, head + DW_TREE_HEAD_FRAME, sizeof out->frame);
    memcpy(&out->sums, head + DW_TREE_HEAD_SUMS, sizeof out->sums);
    memset(out->box, 0, sizeof out->box);
    out->has_box = dw_tree_head_box(head, out->box, out->box + 3);
}

static dw_status take_slot(dw_scene_trees *trees, dw_sample_slot *slot, dw_error *err)
{
    const uint32_t *heads = slot->heads.mapped;

    if (dw_trees_reserve((void **)&trees->samples, trees->sample_count + (uint64_t)slot->count,
                         &trees->sample_capacity, sizeof *trees->samples, err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < slot->count; i++) {
        dw_trees_sample sample = slot->rows[i];

        parse_head(heads + (size_t)i * DW_TREE_HEAD_WORDS, &sample);
        trees->samples[trees->sample_count++] = sample;
    }
    slot->is_busy = false;
    trees->samples_under_way--;
    return DW_OK;
}

static dw_status gpu_take_samples(dw_scene_trees *trees, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;

    while (self != NULL && self->slots[self->first_slot].is_busy) {
        dw_sample_slot *slot = &self->slots[self->first_slot];

        if (!dw_gpu_is_done(self->gpu, slot->ticket))
            return DW_OK;
        if (dw_gpu_check(self->gpu, err) != DW_OK || take_slot(trees, slot, err) != DW_OK)
            return err->code;
        self->first_slot = (self->first_slot + 1) % DW_SAMPLE_SLOTS;
    }
    return DW_OK;
}

/* ---- one submission ---- */

static dw_status record(dw_scene_trees *trees, dw_command *command, const dw_trees_job *jobs,
                        uint32_t count, dw_top_work top, dw_sample_slot *slot, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;

    if (count > 0)
        DW_TRY(dw_refit_gpu_record(self->refit, command, self->items, count, err));
    if (top != DW_TOP_KEEP)
        DW_TRY(dw_trees_gpu_record_boxes(trees, command, err));
    if (top == DW_TOP_REFIT)
        DW_TRY(dw_trees_gpu_record_top(trees, command, err));
    if (slot != NULL)
        record_samples(trees, command, slot, jobs, count);
    return DW_OK;
fail:
    return err->code;
}

static dw_status submit(dw_scene_trees *trees, const dw_trees_job *jobs, uint32_t count,
                        dw_top_work top, dw_sample_slot *slot, dw_error *err)
{
    dw_trees_gpu *self = trees->gpu;
    dw_command *command = NULL;
    dw_ticket ticket;

    if (dw_command_begin(self->gpu, "trees_update", &command, err) != DW_OK)
        return err->code;
    if (record(trees, command, jobs, count, top, slot, err) != DW_OK) {
        dw_command_cancel(command);
        goto fail;
    }
    if (dw_command_submit(command, &ticket, err) != DW_OK)
        goto fail;
    if (slot != NULL) {
        slot->ticket = ticket;
        slot->is_busy = true;
        trees->samples_under_way++;
    }
    return DW_OK;
fail:
    dw_refit_gpu_forget(self->refit);
    dw_refit_gpu_forget(self->top_refit);
    return err->code;
}

static dw_status gpu_commit(dw_scene_trees *trees, const dw_trees_job *jobs, uint32_t count,
                            dw_top_work top, const dw_run *run, dw_error *err)
{
    dw_sample_slot *slot = NULL;
    dw_trees_gpu *self;

    DW_TRY(get_gpu(trees, &self, err));
    DW_TRY(send_jobs(trees, jobs, count, run, err));
    DW_TRY(prepare_slot(trees, jobs, count, run, &slot, err));
    if (top != DW_TOP_KEEP)
        DW_TRY(dw_trees_gpu_send_tables(trees, run, err));
    DW_TRY(submit(trees, jobs, count, top, slot, err));
    return top == DW_TOP_BUILD ? dw_trees_gpu_build_top(trees, run, err) : DW_OK;
fail:
    return err->code;
}

/* ---- what is known ---- */

static dw_status gpu_look(dw_scene_trees *trees, dw_trees_mesh *mesh, const dw_run *run,
                          dw_error *err)
{
    uint32_t head[DW_TREE_HEAD_WORDS];
    dw_trees_sample found;

    if (dw_gpu_download(trees->gpu->gpu, &mesh->tree->buffer, 0, head, sizeof head, run, err) !=
        DW_OK)
        return err->code;
    parse_head(head, &found);
    dw_trees_look_at_box(trees, mesh, &found.frame, found.has_box, found.box);
    mesh->is_looked_at = true;
    return DW_OK;
}

static dw_status gpu_read_tree(dw_scene_trees *trees, dw_trees_mesh *mesh, const dw_run *run,
                               dw_tree **out, dw_error *err)
{
    const dw_placed_tree *placed = mesh->tree;
    dw_tree *tree = NULL;

    DW_TRY(dw_tree_create(&placed->shape, trees->def.format, mesh->vertex_count, &tree, err));
    DW_TRY(dw_tree_gpu_download(&placed->buffer, &placed->record, tree, run, err));
    if (tree->used_vertices != NULL)
        dw_tree_mark_used(tree, tree->used_vertices);
    *out = tree;
    return DW_OK;
fail:
    dw_tree_destroy(tree);
    return err->code;
}

static dw_status gpu_read_vertices(dw_scene_trees *trees, dw_trees_mesh *mesh, float *out,
                                   const dw_run *run, dw_error *err)
{
    dw_gpu *gpu = dw_device_gpu(trees->device);
    const dw_gpu_buffer *buffer;
    float *rows = NULL;
    uint64_t offset, floats;
    uint32_t stride;

    buffer = vertices_of(mesh, &offset, &stride);
    if (buffer == NULL)
        return DW_OK;
    floats = (mesh->vertex_count - 1ull) * stride + 3;
    DW_TRY(DW_ALLOC(floats, &rows, err));
    DW_TRY(dw_gpu_download(gpu, buffer, offset, rows, floats * sizeof *rows, run, err));
    for (uint64_t i = 0; i < mesh->vertex_count; i++)
        memcpy(out + 3 * i, rows + i * stride, 3 * sizeof *out);
    dw_free(rows);
    return DW_OK;
fail:
    dw_free(rows);
    return err->code;
}

const dw_trees_backend dw_trees_gpu_backend = {
    .is_immediate = false,
    .build = gpu_build,
    .begin_build = gpu_begin_build,
    .poll_build = gpu_poll_build,
    .cancel_build = gpu_cancel_build,
    .finish_tree = gpu_finish_tree,
    .finish_mesh = gpu_finish_mesh,
    .commit = gpu_commit,
    .take_samples = gpu_take_samples,
    .look = gpu_look,
    .read_tree = gpu_read_tree,
    .read_vertices = gpu_read_vertices,
    .get_bounds = dw_trees_gpu_get_bounds,
    .trace = dw_trees_gpu_trace,
    .occluded = dw_trees_gpu_occluded,
    .destroy = gpu_destroy,
};
