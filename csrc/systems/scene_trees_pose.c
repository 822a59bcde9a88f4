/* SPDX-License-Identifier: MIT */
/* Poses, and what is told of a mesh. */
#include "base/alloc.h"
#include "systems/scene_trees_internal.h"

#include <math.h>
#include <string.h>

/* ---- poses ---- */

static dw_trees_mesh *find_deforming(dw_scene_trees *trees, uint32_t id, dw_error *err)
{
    dw_trees_mesh *mesh = dw_trees_find_mesh(trees, id, err);

    if (mesh == NULL || mesh->is_deforming)
        return mesh;
    dw_fail(err, DW_ERROR_ARGUMENT,
            "mesh %u does not deform: add it with deforming=True, or with deforming={\"bounds\": "
            "box}",
            id);
    return NULL;
}

static dw_status check_count(const dw_trees_mesh *mesh, uint32_t count, const char *argument,
                             dw_error *err)
{
    if (count == mesh->vertex_count)
        return DW_OK;
    return dw_fail(err, DW_ERROR_ARGUMENT,
                   "%s: mesh %u has %u vertices, in its own order, got a pose of %u", argument,
                   mesh->id, mesh->vertex_count, count);
}

static dw_status check_pose(const dw_trees_mesh *mesh, const dw_trees_pose *pose, dw_error *err)
{
    uint64_t size = dw_buffer_size(pose->buffer);
    uint64_t floats;

    if (check_count(mesh, pose->vertex_count, "vertex_count", err) != DW_OK)
        return err->code;
    if (pose->stride < 3 || pose->stride > 1u << 20)
        return dw_fail(err, DW_ERROR_ARGUMENT, "stride_floats must be 3 to %u, got %llu", 1u << 20,
                       (unsigned long long)pose->stride);
    if (pose->offset > size / 4)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "offset_floats must lie within the buffer of %llu bytes, got %llu floats",
                       (unsigned long long)size, (unsigned long long)pose->offset);
    floats =
        pose->vertex_count == 0 ? 0 : pose->offset + (pose->vertex_count - 1ull) * pose->stride + 3;
    if (floats * 4 <= size)
        return DW_OK;
    return dw_fail(
        err, DW_ERROR_ARGUMENT,
        "buffer holds %llu bytes, but %u vertices, %llu floats apart from float %llu on, "
        "reach to byte %llu",
        (unsigned long long)size, pose->vertex_count, (unsigned long long)pose->stride,
        (unsigned long long)pose->offset, (unsigned long long)floats * 4);
}

/* Adds to what has moved since the last refit. */
static dw_status note_dirty(dw_trees_mesh *mesh, const uint32_t *dirty, dw_error *err)
{
    uint32_t words = (mesh->vertex_count + 31) / 32;

    if (dirty == NULL || (mesh->is_posed && !mesh->is_partial)) {
        mesh->is_partial = false;
        return DW_OK;
    }
    if (mesh->dirty == NULL && DW_ALLOC_ZEROED(words, &mesh->dirty, err) != DW_OK)
        return err->code;
    if (!mesh->is_partial && words > 0)
        memset(mesh->dirty, 0, words * sizeof *mesh->dirty);
    for (uint32_t i = 0; i < words; i++)
        mesh->dirty[i] |= dirty[i];
    mesh->is_partial = true;
    return DW_OK;
}

static void note_pose(dw_scene_trees *trees, dw_trees_mesh *mesh)
{
    mesh->is_posed = mesh->has_pose = true;
    mesh->pose_number++;
    trees->is_changed = true;
}

dw_status dw_scene_trees_set_pose(dw_scene_trees *trees, uint32_t id, const dw_trees_pose *pose,
                                  dw_error *err)
{
    dw_trees_mesh *mesh = find_deforming(trees, id, err);

    if (mesh == NULL || check_pose(mesh, pose, err) != DW_OK ||
        note_dirty(mesh, pose->dirty, err) != DW_OK)
        return err->code;
    dw_buffer_hold(pose->buffer);
    dw_buffer_destroy(mesh->pose);
    mesh->source = DW_POSE_BUFFER;
    mesh->pose = pose->buffer;
    mesh->pose_offset = pose->offset;
    mesh->pose_stride = pose->stride;
    mesh->pose_version = dw_buffer_version(pose->buffer);
    note_pose(trees, mesh);
    return DW_OK;
}

dw_status dw_scene_trees_set_pose_cpu(dw_scene_trees *trees, uint32_t id, const float *positions,
                                      uint32_t vertex_count, const uint32_t *dirty, dw_error *err)
{
    dw_trees_mesh *mesh = find_deforming(trees, id, err);

    if (mesh == NULL || check_count(mesh, vertex_count, "positions", err) != DW_OK ||
        note_dirty(mesh, dirty, err) != DW_OK)
        return err->code;
    if (vertex_count > 0)
        memcpy(mesh->positions, positions, vertex_count * 3 * sizeof *positions);
    dw_buffer_destroy(mesh->pose);
    mesh->pose = NULL;
    mesh->source = DW_POSE_CPU;
    mesh->is_upload_due = true;
    trees->counts.cpu_poses++;
    note_pose(trees, mesh);
    return DW_OK;
}

bool dw_trees_note_writes(dw_scene_trees *trees)
{
    uint64_t count = dw_buffer_write_count();
    bool has_any = false;

    if (count == trees->write_count)
        return false;
    for (uint32_t i = 0; i < trees->mesh_count; i++) {
        dw_trees_mesh *mesh = trees->meshes[i];

        if (mesh->is_removed || mesh->pose == NULL ||
            dw_buffer_version(mesh->pose) == mesh->pose_version)
            continue;
        mesh->pose_version = dw_buffer_version(mesh->pose);
        mesh->is_partial = false; /* nobody said which vertices it was that were written */
        note_pose(trees, mesh);
        has_any = true;
    }
    trees->write_count = count;
    return has_any;
}

dw_status dw_scene_trees_set_deform_bounds(dw_scene_trees *trees, uint32_t id,
                                           const float bounds[6], dw_error *err)
{
    dw_trees_mesh *mesh = find_deforming(trees, id, err);

    if (mesh == NULL || dw_trees_check_bounds(bounds, err) != DW_OK)
        return err->code;
    memcpy(mesh->bounds, bounds, sizeof mesh->bounds);
    mesh->is_looked_at = false;
    return DW_OK;
}

dw_status dw_scene_trees_rebuild(dw_scene_trees *trees, uint32_t id, bool *is_asked, dw_error *err)
{
    dw_trees_mesh *mesh = dw_trees_find_mesh(trees, id, err);

    if (mesh == NULL)
        return err->code;
    *is_asked = mesh->is_deforming && mesh->has_pose && mesh->tree != NULL;
    if (*is_asked && mesh->asked_at == 0) {
        mesh->asked_at = ++trees->next_wish;
        trees->watched++;
    }
    return DW_OK;
}

dw_tree_vertices dw_trees_host_vertices(const dw_trees_mesh *mesh)
{
    dw_tree_vertices vertices = { mesh->positions, mesh->vertex_count, 3 };

    if (mesh->source == DW_POSE_BUFFER) {
        vertices.data = (const float *)dw_buffer_host(mesh->pose) + mesh->pose_offset;
        vertices.stride = (uint32_t)mesh->pose_stride;
    }
    return vertices;
}

/* ---- what is known ---- */

dw_trees_counts dw_scene_trees_get_counts(const dw_scene_trees *trees)
{
    dw_trees_counts counts = trees->counts;

    counts.inactive = 0;
    for (uint32_t i = 0; i < trees->mesh_count; i++)
        if (!trees->meshes[i]->is_removed)
            counts.inactive += trees->meshes[i]->inactive;
    return counts;
}

void dw_trees_look_at_box(dw_scene_trees *trees, dw_trees_mesh *mesh, const dw_tree_frame *frame,
                          bool has_box, const float box[6])
{
    mesh->has_box = has_box;
    mesh->is_outside = false;
    if (!has_box)
        return;
    memcpy(mesh->box, box, sizeof mesh->box);
    for (int i = 0; i < 3; i++) {
        float slack = trees->def.format == DW_NODE_FORMAT_QUANTIZED ? frame->step[i] : 0.0f;

        if (box[i] + slack < mesh->bounds[i] || box[3 + i] - slack > mesh->bounds[3 + i])
            mesh->is_outside = true;
    }
}

static const char *pose_name(const dw_trees_mesh *mesh)
{
    static const char *const names[] = {
        [DW_POSE_REST] = "rest",
        [DW_POSE_CPU] = "cpu",
        [DW_POSE_BUFFER] = "buffer",
    };

    return names[mesh->source];
}

dw_status dw_scene_trees_get_status(dw_scene_trees *trees, uint32_t id, const dw_run *run,
                                    dw_trees_mesh_status *out, dw_error *err)
{
    dw_trees_mesh *mesh = dw_trees_find_mesh(trees, id, err);

    if (mesh == NULL)
        return err->code;
    if (mesh->tree != NULL && !mesh->is_looked_at && !mesh->needs_boxes &&
        trees->backend->look(trees, mesh, run, err) != DW_OK)
        return err->code;
    *out = (dw_trees_mesh_status) {
        .builder = mesh->builder,
        .is_deforming = mesh->is_deforming,
        .is_built = mesh->tree != NULL,
        .is_building = trees->flight.mesh == mesh,
        .is_posed = mesh->is_posed,
        .is_outside = mesh->is_outside,
        .is_degenerate = mesh->is_degenerate,
        .has_box = mesh->has_box,
        .vertices = mesh->vertex_count,
        .triangles = mesh->triangle_count,
        .inactive = mesh->inactive,
        .instances = mesh->instance_count,
        .refits = mesh->refits,
        .builds = mesh->builds,
        .pose = pose_name(mesh),
    };
    memcpy(out->box, mesh->box, sizeof out->box);
    memcpy(out->bounds, mesh->bounds, sizeof out->bounds);
    if (mesh->tree != NULL) {
        out->shape = mesh->tree->shape;
        out->bytes = mesh->tree->bytes;
    }
    return DW_OK;
}

static dw_trees_mesh *find_built(const dw_scene_trees *trees, uint32_t id, dw_error *err)
{
    dw_trees_mesh *mesh = dw_trees_find_mesh(trees, id, err);

    if (mesh == NULL || (mesh->tree != NULL && !mesh->needs_boxes))
        return mesh;
    dw_fail(err, DW_ERROR_ARGUMENT, "mesh %u has no tree yet: call update() first", id);
    return NULL;
}

dw_status dw_scene_trees_read_tree(dw_scene_trees *trees, uint32_t id, const dw_run *run,
                                   dw_tree **out, dw_error *err)
{
    dw_trees_mesh *mesh = find_built(trees, id, err);

    return mesh == NULL ? err->code : trees->backend->read_tree(trees, mesh, run, out, err);
}

dw_status dw_scene_trees_vertex_count(const dw_scene_trees *trees, uint32_t id, uint32_t *out,
                                      dw_error *err)
{
    const dw_trees_mesh *mesh = dw_trees_find_mesh(trees, id, err);

    if (mesh == NULL)
        return err->code;
    *out = mesh->vertex_count;
    return DW_OK;
}

dw_status dw_scene_trees_read_vertices(dw_scene_trees *trees, uint32_t id, float *out,
                                       const dw_run *run, dw_error *err)
{
    dw_trees_mesh *mesh = dw_trees_find_mesh(trees, id, err);

    if (mesh == NULL)
        return err->code;
    if (mesh->source != DW_POSE_BUFFER) {
        if (mesh->vertex_count > 0)
            memcpy(out, mesh->positions, mesh->vertex_count * 3 * sizeof *out);
        return DW_OK;
    }
    return trees->backend->read_vertices(trees, mesh, out, run, err);
}

/* ---- rays ---- */

bool dw_scene_trees_is_current(const dw_scene_trees *trees)
{
    return trees->has_committed && !trees->is_changed;
}

static dw_status check_current(dw_scene_trees *trees, dw_error *err)
{
    dw_trees_note_writes(trees);
    if (dw_scene_trees_is_current(trees))
        return DW_OK;
    if (!trees->has_committed)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "nothing is committed yet: call update() before rays are traced");
    return dw_fail(err, DW_ERROR_ARGUMENT,
                   "a mesh, instance or pose has changed since the last update(): call update() "
                   "first, so that rays meet all of the change");
}

dw_status dw_scene_trees_get_bounds(dw_scene_trees *trees, const dw_run *run, bool *has_any,
                                    float out[6], dw_error *err)
{
    if (check_current(trees, err) != DW_OK)
        return err->code;
    return trees->backend->get_bounds(trees, run, has_any, out, err);
}

static dw_status check_rays(dw_scene_trees *trees, const dw_trace_rays *rays, dw_error *err)
{
    if (!(rays->t_min >= 0.0f) || !(rays->t_max >= rays->t_min) || !isfinite(rays->t_min))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "t_min and t_max must be 0 <= t_min <= t_max, t_min finite, got %g and %g",
                       (double)rays->t_min, (double)rays->t_max);
    return check_current(trees, err);
}

dw_status dw_scene_trees_trace(dw_scene_trees *trees, const dw_trace_rays *rays,
                               const dw_trace_hits *hits, const dw_run *run, dw_error *err)
{
    if (check_rays(trees, rays, err) != DW_OK)
        return err->code;
    return trees->backend->trace(trees, rays, hits, run, err);
}

dw_status dw_scene_trees_occluded(dw_scene_trees *trees, const dw_trace_rays *rays, uint8_t *out,
                                  const dw_run *run, dw_error *err)
{
    if (check_rays(trees, rays, err) != DW_OK)
        return err->code;
    return trees->backend->occluded(trees, rays, out, run, err);
}
