/* SPDX-License-Identifier: MIT */
#include "systems/scene_trees.h"

#include "base/alloc.h"
#include "systems/scene_trees_internal.h"

#include <math.h>
#include <string.h>

#define IDS_MAX 0x7fffffffu /* hits hold them as signed numbers */

/* ---- definition ---- */

dw_scene_trees_def dw_scene_trees_def_default(void)
{
    return (dw_scene_trees_def) {
        .format = DW_NODE_FORMAT_QUANTIZED,
        .drift_limit = 1.1,
        .hold_updates = 60,
        .sample_every = 15,
        .is_probing = true,
        .probe_budget = 4.0,
    };
}

static dw_status check_def(const dw_scene_trees_def *def, dw_error *err)
{
    if (!(def->drift_limit > 1.0))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "drift_limit must be a ratio above 1 (1.1: rebuild at 10 %% more cost; "
                       "infinity: never), got "
                       "%g",
                       def->drift_limit);
    if (def->sample_every < 1)
        return dw_fail(err, DW_ERROR_ARGUMENT, "sample_every must be at least 1 update, got %u",
                       def->sample_every);
    if (!(def->probe_budget > 0.0))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "probe_budget must be above 0 ms for an update, got %g; probe=False builds "
                       "no probes",
                       def->probe_budget);
    return DW_OK;
}

dw_status dw_scene_trees_create(dw_device *device, const dw_scene_trees_def *def,
                                dw_scene_trees **out, dw_error *err)
{
    dw_scene_trees *trees = NULL;

    *out = NULL;
    if (check_def(def, err) != DW_OK)
        return err->code;
    DW_TRY(DW_ALLOC_ZEROED(1, &trees, err));
    trees->device = device;
    trees->def = *def;
    trees->backend =
        dw_device_gpu(device) == NULL ? &dw_trees_native_backend : &dw_trees_gpu_backend;
    trees->is_result_taken = true;
    *out = trees;
    return DW_OK;
fail:
    dw_scene_trees_destroy(trees);
    return err->code;
}

const dw_scene_trees_def *dw_scene_trees_get_def(const dw_scene_trees *trees)
{
    return &trees->def;
}

dw_status dw_trees_reserve(void **array, uint64_t count, uint32_t *capacity, size_t size,
                           dw_error *err)
{
    uint64_t wanted = *capacity < 16 ? 16 : 2 * (uint64_t)*capacity;
    void *larger = NULL;

    if (count <= *capacity)
        return DW_OK;
    wanted = wanted < count ? count : wanted;
    if (wanted > UINT32_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "a table of trees holds at most %u rows, %llu "
                       "wanted",
                       UINT32_MAX, (unsigned long long)count);
    if (dw_alloc_array_zeroed(wanted, size, "table of trees", &larger, err) != DW_OK)
        return err->code;
    if (*capacity > 0)
        memcpy(larger, *array, *capacity * size);
    dw_free(*array);
    *array = larger;
    *capacity = (uint32_t)wanted;
    return DW_OK;
}

void dw_trees_drop_tree(dw_scene_trees *trees, dw_placed_tree **tree)
{
    if (*tree == NULL)
        return;
    trees->backend->finish_tree(trees, *tree);
    dw_free(*tree);
    *tree = NULL;
}

/* Frees all that a mesh holds but itself. */
static void finish_mesh(dw_scene_trees *trees, dw_trees_mesh *mesh)
{
    if (trees->flight.mesh == mesh)
        dw_trees_end_flight(trees);
    dw_trees_drop_tree(trees, &mesh->tree);
    trees->backend->finish_mesh(trees, mesh);
    dw_buffer_destroy(mesh->pose);
    mesh->pose = NULL;
    dw_free(mesh->indices);
    dw_free(mesh->positions);
    dw_free(mesh->dirty);
    mesh->indices = mesh->dirty = NULL;
    mesh->positions = NULL;
}

void dw_scene_trees_destroy(dw_scene_trees *trees)
{
    if (trees == NULL || dw_device_is_forked(trees->device))
        return;
    dw_trees_end_flight(trees);
    for (uint32_t i = 0; i < trees->mesh_count; i++) {
        if (!trees->meshes[i]->is_removed)
            finish_mesh(trees, trees->meshes[i]);
        dw_free(trees->meshes[i]);
    }
    trees->backend->destroy(trees);
    dw_free(trees->meshes);
    dw_free(trees->instances);
    dw_free(trees->jobs);
    dw_free(trees->samples);
    dw_free(trees->builds);
    dw_free(trees);
}

/* ---- meshes ---- */

/* The row of an id in the table of instances or meshes; their number when it is not there. */
static uint32_t find_id(const dw_scene_trees *trees, uint32_t id, bool is_instance)
{
    uint32_t low = 0, high = is_instance ? trees->instance_count : trees->mesh_count;
    uint32_t count = high;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t found = is_instance ? trees->instances[middle].id : trees->meshes[middle]->id;

        if (found == id)
            return middle;
        if (found < id)
            low = middle + 1;
        else
            high = middle;
    }
    return count;
}

static dw_status fail_missing(const char *what, uint32_t id, uint32_t next, dw_error *err)
{
    if (id < next)
        return dw_fail(err, DW_ERROR_ARGUMENT, "%s %u was removed: its handle is not used again",
                       what, id);
    return dw_fail(err, DW_ERROR_ARGUMENT, "%s %u is not there: none has been added under it", what,
                   id);
}

dw_trees_mesh *dw_trees_find_mesh(const dw_scene_trees *trees, uint32_t id, dw_error *err)
{
    uint32_t row = find_id(trees, id, false);

    if (row < trees->mesh_count && !trees->meshes[row]->is_removed)
        return trees->meshes[row];
    fail_missing("mesh", id, trees->next_mesh, err);
    return NULL;
}

static dw_trees_instance *find_instance(const dw_scene_trees *trees, uint32_t id, dw_error *err)
{
    uint32_t row = find_id(trees, id, true);

    if (row < trees->instance_count && !trees->instances[row].is_removed)
        return &trees->instances[row];
    fail_missing("instance", id, trees->next_instance, err);
    return NULL;
}

dw_status dw_trees_check_bounds(const float bounds[6], dw_error *err)
{
    for (int i = 0; i < 3; i++)
        if (!(bounds[i] <= bounds[3 + i]) || !isfinite(bounds[i]) || !isfinite(bounds[3 + i]))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "bounds must be finite, the low corner (x0, y0, z0) first, then the "
                           "high one, got %g to %g along %c",
                           (double)bounds[i], (double)bounds[3 + i], "xyz"[i]);
    return DW_OK;
}

static dw_status check_mesh(const dw_scene_trees *trees, const dw_trees_mesh_def *def,
                            dw_error *err)
{
    const uint32_t *indices = def->indices;

    if (trees->next_mesh >= IDS_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "a SceneTrees takes %u meshes in its life: make a "
                       "new one",
                       IDS_MAX);
    if (def->triangle_count > DW_TREE_COUNT_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "indices: a tree holds at most %d triangles, got %u; add the mesh in parts",
                       DW_TREE_COUNT_MAX, def->triangle_count);
    for (uint64_t i = 0; i < 3 * (uint64_t)def->triangle_count; i++)
        if (indices[i] >= def->vertex_count)
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "indices[%llu] names vertex %u, but there are %u positions",
                           (unsigned long long)(i / 3), indices[i], def->vertex_count);
    return def->bounds == NULL ? DW_OK : dw_trees_check_bounds(def->bounds, err);
}

/* Of the vertices in range; all zero when there are none. */
static void rest_bounds(const dw_trees_mesh_def *def, float out[6])
{
    bool has_any = false;

    memset(out, 0, 6 * sizeof *out);
    for (uint64_t i = 0; i < def->vertex_count; i++) {
        const float *p = def->positions + 3 * i;

        if (!(fabsf(p[0]) <= 0x1p60f && fabsf(p[1]) <= 0x1p60f && fabsf(p[2]) <= 0x1p60f))
            continue;
        for (int j = 0; j < 3; j++) {
            out[j] = has_any && out[j] < p[j] ? out[j] : p[j];
            out[3 + j] = has_any && out[3 + j] > p[j] ? out[3 + j] : p[j];
        }
        has_any = true;
    }
}

static dw_status copy_words(const void *data, uint64_t count, void **out, dw_error *err)
{
    if (dw_alloc_array(count, sizeof(uint32_t), "mesh of trees", out, err) != DW_OK)
        return err->code;
    if (count > 0)
        memcpy(*out, data, count * sizeof(uint32_t));
    return DW_OK;
}

dw_status dw_scene_trees_add_mesh(dw_scene_trees *trees, const dw_trees_mesh_def *def, uint32_t *id,
                                  dw_error *err)
{
    dw_trees_mesh *mesh = NULL;

    DW_TRY(check_mesh(trees, def, err));
    DW_TRY(dw_trees_reserve((void **)&trees->meshes, trees->mesh_count + 1ull,
                            &trees->mesh_capacity, sizeof *trees->meshes, err));
    DW_TRY(DW_ALLOC_ZEROED(1, &mesh, err));
    DW_TRY(copy_words(def->positions, 3 * (uint64_t)def->vertex_count, (void **)&mesh->positions,
                      err));
    DW_TRY(
        copy_words(def->indices, 3 * (uint64_t)def->triangle_count, (void **)&mesh->indices, err));
    mesh->id = trees->next_mesh++;
    mesh->is_deforming = def->is_deforming;
    mesh->builder = def->builder;
    mesh->vertex_count = def->vertex_count;
    mesh->triangle_count = def->triangle_count;
    mesh->is_upload_due = true;
    if (def->bounds != NULL)
        memcpy(mesh->bounds, def->bounds, sizeof mesh->bounds);
    else
        rest_bounds(def, mesh->bounds);
    trees->meshes[trees->mesh_count++] = mesh;
    trees->mesh_live++;
    trees->is_changed = true;
    *id = mesh->id;
    return DW_OK;
fail:
    if (mesh != NULL) {
        dw_free(mesh->positions);
        dw_free(mesh->indices);
    }
    dw_free(mesh);
    return err->code;
}

static void remove_instance(dw_scene_trees *trees, dw_trees_instance *instance)
{
    instance->mesh->instance_count--;
    instance->is_removed = true;
    trees->instance_live--;
    trees->has_removed = trees->is_changed = trees->are_instances_changed = true;
}

dw_status dw_scene_trees_remove_mesh(dw_scene_trees *trees, uint32_t id, dw_error *err)
{
    dw_trees_mesh *mesh = dw_trees_find_mesh(trees, id, err);

    if (mesh == NULL)
        return err->code;
    for (uint32_t i = 0; i < trees->instance_count && mesh->instance_count > 0; i++)
        if (trees->instances[i].mesh == mesh && !trees->instances[i].is_removed)
            remove_instance(trees, &trees->instances[i]);
    finish_mesh(trees, mesh);
    mesh->is_removed = true;
    trees->mesh_live--;
    trees->are_instances_moved = true; /* rows of the other meshes change */
    trees->has_removed = trees->is_changed = true;
    return DW_OK;
}

/* ---- instances ---- */

static dw_status place_instance(const double transform[12], dw_tree_placement *out, dw_error *err)
{
    if (dw_tree_place_instance(transform, out))
        return DW_OK;
    return dw_fail(err, DW_ERROR_ARGUMENT,
                   "transform must have an inverse; its columns (%g, %g, %g), (%g, %g, %g), (%g, "
                   "%g, %g) span no volume, or are too small or too large for float32",
                   transform[0], transform[4], transform[8], transform[1], transform[5],
                   transform[9], transform[2], transform[6], transform[10]);
}

dw_status dw_scene_trees_add_instances(dw_scene_trees *trees, uint32_t mesh_id,
                                       const double *transforms, uint32_t count, uint32_t *first,
                                       dw_error *err)
{
    dw_trees_mesh *mesh = dw_trees_find_mesh(trees, mesh_id, err);

    if (mesh == NULL)
        return err->code;
    if (count > IDS_MAX - trees->next_instance)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "a SceneTrees takes %u instances in its life: make a new one", IDS_MAX);
    DW_TRY(dw_trees_reserve((void **)&trees->instances, trees->instance_count + (uint64_t)count,
                            &trees->instance_capacity, sizeof *trees->instances, err));
    for (uint32_t i = 0; i < count; i++) {
        dw_trees_instance *instance = &trees->instances[trees->instance_count + i];

        DW_TRY(place_instance(transforms + 12 * (uint64_t)i, &instance->placement, err));
        instance->id = trees->next_instance + i;
        instance->mesh = mesh;
        instance->is_removed = false;
    }
    *first = trees->next_instance;
    trees->next_instance += count;
    trees->instance_count += count;
    trees->instance_live += count;
    mesh->instance_count += count;
    trees->is_changed = trees->are_instances_changed = trees->is_changed || count > 0;
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_scene_trees_set_transform(dw_scene_trees *trees, uint32_t id,
                                       const double transform[12], dw_error *err)
{
    dw_trees_instance *instance = find_instance(trees, id, err);

    if (instance == NULL || place_instance(transform, &instance->placement, err) != DW_OK)
        return err->code;
    trees->is_changed = trees->are_instances_moved = true;
    return DW_OK;
}

dw_status dw_scene_trees_remove_instance(dw_scene_trees *trees, uint32_t id, dw_error *err)
{
    dw_trees_instance *instance = find_instance(trees, id, err);

    if (instance == NULL)
        return err->code;
    remove_instance(trees, instance);
    return DW_OK;
}

uint32_t dw_scene_trees_mesh_count(const dw_scene_trees *trees)
{
    return trees->mesh_live;
}

uint32_t dw_scene_trees_instance_count(const dw_scene_trees *trees)
{
    return trees->instance_live;
}

void dw_scene_trees_mesh_ids(const dw_scene_trees *trees, uint32_t *out)
{
    for (uint32_t i = 0; i < trees->mesh_count; i++)
        if (!trees->meshes[i]->is_removed)
            *out++ = trees->meshes[i]->id;
}

void dw_scene_trees_instance_rows(const dw_scene_trees *trees, dw_trees_instance_row *out)
{
    for (uint32_t i = 0; i < trees->instance_count; i++) {
        const dw_trees_instance *instance = &trees->instances[i];

        if (instance->is_removed)
            continue;
        out->id = instance->id;
        out->mesh = instance->mesh->id;
        for (int j = 0; j < 12; j++)
            out->to_world[j] = (float)instance->placement.to_world[j];
        out++;
    }
}
