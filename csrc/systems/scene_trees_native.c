/* SPDX-License-Identifier: MIT */
/* The native backend: builds, refits and rays on the processor. All is there when a call returns.
 */
#include "base/alloc.h"
#include "base/platform.h"
#include "cpu/tree_wide.h"
#include "systems/scene_trees_background.h"
#include "systems/scene_trees_internal.h"

#include <string.h>

#define AT_ONCE 32768 /* triangles of a rebuild that an update waits for: some milliseconds */

#define BOX_CHUNK  1024 /* instances */
#define WIDE_SHARE 8    /* a wide tree pays from one ray for so many triangles on */

typedef struct dw_trees_native {
    dw_placed_tree built; /* by begin_build, until poll_build */
    bool has_built;
    dw_background_build *background; /* or on its way */
    dw_tree *top;
    float *boxes; /* 6 an instance */
    uint32_t box_capacity;
    dw_trace_mesh *meshes;
    uint32_t mesh_capacity;
    dw_trace_instance *instances;
    uint32_t instance_capacity;
} dw_trees_native;

static dw_status get_native(dw_scene_trees *trees, dw_trees_native **out, dw_error *err)
{
    if (trees->native == NULL && DW_ALLOC_ZEROED(1, &trees->native, err) != DW_OK)
        return err->code;
    *out = trees->native;
    return DW_OK;
}

/* ---- builds ---- */

uint64_t dw_trees_host_bytes(const dw_tree *tree)
{
    const dw_tree_shape *shape = &tree->shape;
    uint64_t child =
        tree->format == DW_NODE_FORMAT_F32 ? sizeof(dw_tree_child_f32) : sizeof(dw_tree_child);
    uint64_t used = tree->used_vertices == NULL ? 0 : (tree->vertex_count + 31ull) / 32 * 4;

    return 2 * child * shape->node_count + sizeof(dw_tree_triangle) * shape->triangle_count +
           sizeof(dw_tree_treelet) * shape->treelet_count + used;
}

static dw_tree_source source_of(const dw_trees_mesh *mesh)
{
    static const uint32_t none[3]; /* no triangles, and no boxes either */

    return (dw_tree_source) { .indices = mesh->indices == NULL ? none : mesh->indices,
                              .count = mesh->triangle_count,
                              .vertices = dw_trees_host_vertices(mesh) };
}

static void take_tree(dw_scene_trees *trees, dw_tree *tree, double milliseconds,
                      dw_placed_tree *out)
{
    *out = (dw_placed_tree) { .native = tree,
                              .shape = tree->shape,
                              .bytes = dw_trees_host_bytes(tree),
                              .milliseconds = milliseconds };
    dw_device_count_host_buffer(trees->device, 1, (int64_t)out->bytes);
    dw_device_set_timing(trees->device, "trees_build", milliseconds);
}

static dw_status native_build(dw_scene_trees *trees, dw_trees_mesh *mesh, dw_tree_builder builder,
                              const dw_run *run, dw_placed_tree *out, dw_error *err)
{
    dw_tree_source source = source_of(mesh);
    double begin = dw_platform_seconds();
    dw_tree *tree = NULL;

    if (dw_tree_build(&source, builder, trees->def.format, &tree, run, err) != DW_OK)
        return err->code;
    take_tree(trees, tree, (dw_platform_seconds() - begin) * 1e3, out);
    return DW_OK;
}

static dw_status native_begin_build(dw_scene_trees *trees, dw_trees_mesh *mesh,
                                    dw_tree_builder builder, const dw_run *run, dw_error *err)
{
    dw_tree_source source = source_of(mesh);
    dw_trees_native *native = NULL;

    DW_TRY(get_native(trees, &native, err));
    if (mesh->triangle_count > AT_ONCE)
        return dw_background_begin(&source, builder, trees->def.format, &native->background, err);
    DW_TRY(native_build(trees, mesh, builder, run, &native->built, err));
    native->has_built = true;
    return DW_OK;
fail:
    return err->code;
}

static dw_status native_poll_build(dw_scene_trees *trees, dw_placed_tree *out, bool *is_done,
                                   dw_error *err)
{
    dw_trees_native *native = trees->native;
    dw_background_build *background = native->background;
    double milliseconds = 0.0;
    dw_tree *tree = NULL;

    *is_done = background == NULL || dw_background_is_done(background);
    if (!*is_done)
        return DW_OK;
    native->background = NULL;
    if (background == NULL) {
        *out = native->built;
        native->has_built = false;
        return DW_OK;
    }
    if (dw_background_take(background, &tree, &milliseconds, err) != DW_OK)
        return err->code;
    take_tree(trees, tree, milliseconds, out);
    return DW_OK;
}

static void native_finish_tree(dw_scene_trees *trees, dw_placed_tree *tree)
{
    if (tree->native == NULL)
        return;
    dw_device_count_host_buffer(trees->device, -1, -(int64_t)tree->bytes);
    dw_tree_destroy(tree->native);
    dw_wide_destroy(tree->wide);
    tree->native = NULL;
    tree->wide = NULL;
}

static void native_cancel_build(dw_scene_trees *trees)
{
    dw_trees_native *native = trees->native;

    if (native == NULL)
        return;
    if (native->has_built)
        native_finish_tree(trees, &native->built);
    dw_background_cancel(native->background);
    native->has_built = false;
    native->background = NULL;
}

static void native_finish_mesh(dw_scene_trees *trees, dw_trees_mesh *mesh)
{
    (void)trees;
    (void)mesh;
}

/* ---- refits ---- */

static dw_status refit_job(const dw_trees_job *job, const dw_run *run, dw_error *err)
{
    dw_tree_pose pose = { .vertices = dw_trees_host_vertices(job->mesh),
                          .dirty = job->dirty,
                          .wants_sums = job->wants_sums };

    job->tree->is_wide_current = false;
    job->tree->rays = 0;
    return dw_tree_refit(job->tree->native, &pose, run, err);
}

static void refit_item(void *user, int64_t item, int worker)
{
    static const dw_run alone;
    dw_error err;

    (void)worker;
    /* Alone it is neither interrupted nor out of anything. */
    (void)refit_job((const dw_trees_job *)user + item, &alone, &err);
}

/* Many trees: a thread each. Few: all threads for each. */
static dw_status refit_jobs(dw_trees_job *jobs, uint32_t count, const dw_run *run, dw_error *err)
{
    if (count >= 2u * (uint32_t)dw_run_thread_count(run))
        return dw_parallel_for(run, count, refit_item, jobs, err);
    for (uint32_t i = 0; i < count; i++)
        if (refit_job(&jobs[i], run, err) != DW_OK)
            return err->code;
    return DW_OK;
}

static dw_status add_sample(dw_scene_trees *trees, uint32_t mesh, uint64_t serial,
                            const dw_tree *tree, dw_error *err)
{
    dw_trees_sample *sample;

    if (dw_trees_reserve((void **)&trees->samples, trees->sample_count + 1ull,
                         &trees->sample_capacity, sizeof *trees->samples, err) != DW_OK)
        return err->code;
    sample = &trees->samples[trees->sample_count++];
    *sample = (dw_trees_sample) {
        .mesh = mesh, .serial = serial, .frame = tree->frame, .sums = tree->sums
    };
    sample->has_box = dw_tree_root_box(tree, sample->box, sample->box + 3);
    return DW_OK;
}

/* ---- the top level ---- */

static void instance_box(const dw_trees_mesh *mesh, const dw_trees_instance *instance, float *out)
{
    static const float none[6] = { 1.0f, 1.0f, 1.0f, -1.0f, -1.0f, -1.0f };
    float box[6];

    if (dw_tree_root_box(mesh->tree->native, box, box + 3))
        dw_tree_placed_box(&instance->placement, box, box + 3, out);
    else
        memcpy(out, none, sizeof none);
}

static void box_chunk(void *user, int64_t item, int worker)
{
    const dw_scene_trees *trees = user;
    uint32_t begin = (uint32_t)item * BOX_CHUNK, end = begin + BOX_CHUNK;

    (void)worker;
    for (uint32_t i = begin; i < end && i < trees->instance_count; i++)
        instance_box(trees->instances[i].mesh, &trees->instances[i],
                     trees->native->boxes + 6 * (size_t)i);
}

static void fill_instances(const dw_scene_trees *trees, dw_trees_native *native)
{
    for (uint32_t i = 0; i < trees->instance_count; i++) {
        const dw_trees_instance *instance = &trees->instances[i];

        native->instances[i].mesh = instance->mesh->row;
        native->instances[i].id = instance->id;
        memcpy(native->instances[i].to_object, instance->placement.to_object,
               sizeof native->instances[i].to_object);
    }
}

static dw_status place_instances(dw_scene_trees *trees, dw_trees_native *native, const dw_run *run,
                                 dw_error *err)
{
    DW_TRY(dw_trees_reserve((void **)&native->boxes, trees->instance_count, &native->box_capacity,
                            6 * sizeof *native->boxes, err));
    DW_TRY(dw_trees_reserve((void **)&native->instances, trees->instance_count,
                            &native->instance_capacity, sizeof *native->instances, err));
    if (trees->are_instances_changed || trees->are_instances_moved)
        fill_instances(trees, native);
    return dw_parallel_for(run, (trees->instance_count + BOX_CHUNK - 1) / BOX_CHUNK, box_chunk,
                           trees, err);
fail:
    return err->code;
}

static dw_status work_on_top(dw_scene_trees *trees, dw_top_work work, const dw_run *run,
                             dw_error *err)
{
    dw_trees_native *native = trees->native;
    static const float none[6];
    dw_tree_source source = { .count = trees->instance_count };
    dw_tree_pose pose = { .wants_sums = trees->top.wants_sums };
    dw_tree *top = NULL;

    if (place_instances(trees, native, run, err) != DW_OK)
        return err->code;
    source.boxes = pose.boxes = native->boxes == NULL ? none : native->boxes;
    if (work == DW_TOP_BUILD || native->top == NULL) {
        if (dw_tree_build(&source, DW_TREE_BUILDER_HPLOC, DW_NODE_FORMAT_F32, &top, run, err) !=
            DW_OK)
            return err->code;
        dw_tree_destroy(native->top);
        native->top = top;
    }
    DW_TRY(dw_tree_refit(native->top, &pose, run, err));
    if (pose.wants_sums)
        DW_TRY(add_sample(trees, DW_SAMPLE_TOP, trees->top.serial, native->top, err));
    return DW_OK;
fail:
    return err->code;
}

static dw_status native_commit(dw_scene_trees *trees, const dw_trees_job *jobs, uint32_t count,
                               dw_top_work top, const dw_run *run, dw_error *err)
{
    double begin = dw_platform_seconds();
    dw_trees_native *native = NULL;

    DW_TRY(get_native(trees, &native, err));
    DW_TRY(refit_jobs(trees->jobs, count, run, err));
    if (count > 0)
        dw_device_set_timing(trees->device, "trees_refit", (dw_platform_seconds() - begin) * 1e3);
    for (uint32_t i = 0; i < count; i++)
        if (jobs[i].wants_sums)
            DW_TRY(add_sample(trees, jobs[i].mesh->id, jobs[i].tree->serial, jobs[i].tree->native,
                              err));
    return top == DW_TOP_KEEP ? DW_OK : work_on_top(trees, top, run, err);
fail:
    return err->code;
}

static dw_status native_take_samples(dw_scene_trees *trees, dw_error *err)
{
    (void)trees;
    (void)err;
    return DW_OK;
}

/* ---- what is known ---- */

static dw_status native_look(dw_scene_trees *trees, dw_trees_mesh *mesh, const dw_run *run,
                             dw_error *err)
{
    const dw_tree *tree = mesh->tree->native;
    float box[6] = { 0 };
    bool has_box = dw_tree_root_box(tree, box, box + 3);

    (void)run;
    (void)err;
    dw_trees_look_at_box(trees, mesh, &tree->frame, has_box, box);
    mesh->is_looked_at = true;
    return DW_OK;
}

static dw_status native_read_tree(dw_scene_trees *trees, dw_trees_mesh *mesh, const dw_run *run,
                                  dw_tree **out, dw_error *err)
{
    (void)trees;
    (void)run;
    return dw_tree_copy(mesh->tree->native, out, err);
}

static dw_status native_read_vertices(dw_scene_trees *trees, dw_trees_mesh *mesh, float *out,
                                      const dw_run *run, dw_error *err)
{
    dw_tree_vertices vertices = dw_trees_host_vertices(mesh);

    (void)trees;
    (void)run;
    (void)err;
    for (uint64_t i = 0; i < vertices.count; i++)
        memcpy(out + 3 * i, vertices.data + i * vertices.stride, 3 * sizeof *out);
    return DW_OK;
}

static dw_status native_get_bounds(dw_scene_trees *trees, const dw_run *run, bool *has_any,
                                   float out[6], dw_error *err)
{
    (void)run;
    (void)err;
    *has_any = dw_tree_root_box(trees->native->top, out, out + 3);
    return DW_OK;
}

/* ---- rays ---- */

/* The wide form of a mesh's tree, once as many rays have come as make up for its making. */
static dw_status prepare_wide(dw_placed_tree *tree, const dw_tree_vertices *vertices,
                              int64_t ray_count, const dw_run *run, dw_error *err)
{
    tree->rays += (uint64_t)ray_count;
    if (tree->is_wide_current || tree->rays * WIDE_SHARE < tree->shape.triangle_count)
        return DW_OK;
    if (tree->wide == NULL)
        DW_TRY(dw_wide_create(tree->native, &tree->wide, err));
    if (tree->wide != NULL)
        DW_TRY(dw_wide_refresh(tree->wide, tree->native, vertices, run, err));
    tree->is_wide_current = true;
    return DW_OK;
fail:
    return err->code;
}

static dw_status add_mesh(dw_scene_trees *trees, uint32_t row, int64_t ray_count, const dw_run *run,
                          dw_error *err)
{
    dw_trees_mesh *mesh = trees->meshes[row];
    dw_trace_mesh *out = &trees->native->meshes[row];

    *out = (dw_trace_mesh) { .tree = mesh->tree->native, .vertices = dw_trees_host_vertices(mesh) };
    if (ray_count == 0 || mesh->instance_count == 0)
        return DW_OK;
    if (prepare_wide(mesh->tree, &out->vertices, ray_count, run, err) != DW_OK)
        return err->code;
    out->wide = mesh->tree->is_wide_current ? mesh->tree->wide : NULL;
    return DW_OK;
}

/* ray_count 0: the binary trees are walked, whose nodes are counted as steps. */
static dw_status get_scene(dw_scene_trees *trees, int64_t ray_count, const dw_run *run,
                           dw_trace_scene *out, dw_error *err)
{
    dw_trees_native *native = trees->native;

    if (dw_trees_reserve((void **)&native->meshes, trees->mesh_count, &native->mesh_capacity,
                         sizeof *native->meshes, err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < trees->mesh_count; i++)
        if (add_mesh(trees, i, ray_count, run, err) != DW_OK)
            return err->code;
    *out = (dw_trace_scene) { .top = native->top,
                              .meshes = native->meshes,
                              .instances = native->instances,
                              .instance_count = trees->instance_count };
    return DW_OK;
}

static dw_status native_trace(dw_scene_trees *trees, const dw_trace_rays *rays,
                              const dw_trace_hits *hits, const dw_run *run, dw_error *err)
{
    dw_trace_scene scene;

    if (get_scene(trees, hits->steps != NULL ? 0 : rays->count, run, &scene, err) != DW_OK)
        return err->code;
    return dw_trace(&scene, rays, hits, run, err);
}

static dw_status native_occluded(dw_scene_trees *trees, const dw_trace_rays *rays, uint8_t *out,
                                 const dw_run *run, dw_error *err)
{
    dw_trace_scene scene;

    if (get_scene(trees, rays->count, run, &scene, err) != DW_OK)
        return err->code;
    return dw_trace_occluded(&scene, rays, out, run, err);
}

static void native_destroy(dw_scene_trees *trees)
{
    dw_trees_native *native = trees->native;

    if (native == NULL)
        return;
    native_cancel_build(trees);
    dw_tree_destroy(native->top);
    dw_free(native->boxes);
    dw_free(native->meshes);
    dw_free(native->instances);
    dw_free(native);
    trees->native = NULL;
}

const dw_trees_backend dw_trees_native_backend = {
    .is_immediate = true,
    .build = native_build,
    .begin_build = native_begin_build,
    .poll_build = native_poll_build,
    .cancel_build = native_cancel_build,
    .finish_tree = native_finish_tree,
    .finish_mesh = native_finish_mesh,
    .commit = native_commit,
    .take_samples = native_take_samples,
    .look = native_look,
    .read_tree = native_read_tree,
    .read_vertices = native_read_vertices,
    .get_bounds = native_get_bounds,
    .trace = native_trace,
    .occluded = native_occluded,
    .destroy = native_destroy,
};
