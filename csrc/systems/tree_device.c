/* SPDX-License-Identifier: MIT */
#include "systems/tree_device.h"

#include "base/alloc.h"
#include "gpu/transfer.h"
#include "passes/tree_build_pass.h"

#include <string.h>

typedef struct device_build {
    dw_gpu *gpu;
    const dw_tree_source *source;
    const dw_tree_device_options *options;
    dw_tree_builder_gpu *builder;
    dw_gpu_buffer indices, vertices;
    dw_tree_gpu_source on_device;
    dw_tree_gpu_built built;
} device_build;

static dw_status upload(dw_gpu *gpu, const void *data, uint64_t bytes, const char *name,
                        dw_gpu_buffer *out, const dw_run *run, dw_error *err)
{
    dw_status status = dw_gpu_buffer_create_device(gpu, bytes == 0 ? 4 : bytes, name, out, err);

    if (status != DW_OK || bytes == 0)
        return status;
    return dw_gpu_upload(gpu, out, 0, data, bytes, run, err);
}

static dw_status upload_source(device_build *build, const dw_run *run, dw_error *err)
{
    const dw_tree_source *source = build->source;
    bool is_over_boxes = source->indices == NULL;
    const dw_tree_vertices *vertices = &source->vertices;
    const void *data = is_over_boxes ? source->boxes : vertices->data;
    uint64_t floats =
        is_over_boxes ? 6 * (uint64_t)source->count : (uint64_t)vertices->count * vertices->stride;

    DW_TRY(upload(build->gpu, data, 4 * floats, "tree vertices", &build->vertices, run, err));
    build->on_device = (dw_tree_gpu_source) { .count = source->count,
                                              .vertices = &build->vertices,
                                              .vertex_count = is_over_boxes ? 0 : vertices->count,
                                              .vertex_stride = vertices->stride };
    if (!is_over_boxes) {
        DW_TRY(upload(build->gpu, source->indices, 12 * (uint64_t)source->count, "tree indices",
                      &build->indices, run, err));
        build->on_device.indices = &build->indices;
    }
    return DW_OK;
fail:
    return err->code;
}

static double time_of(const dw_timing_table *table, const char *name)
{
    for (int i = 0; i < table->count; i++) {
        if (strcmp(table->rows[i].name, name) == 0)
            return table->rows[i].milliseconds;
    }
    return 0.0;
}

static dw_status build_all(device_build *build, double *milliseconds, const dw_run *run,
                           dw_error *err)
{
    dw_timing_table *table = NULL;
    dw_status status = DW_OK;

    if (milliseconds != NULL && DW_ALLOC(1, &table, err) != DW_OK)
        return err->code;
    for (int i = 0; i < build->options->repeat && status == DW_OK; i++) {
        dw_gpu_buffer_destroy(&build->built.buffer);
        status = dw_tree_build_gpu(build->builder, &build->on_device, build->options->builder,
                                   build->options->format, &build->built, run, err);
        if (status != DW_OK || table == NULL)
            continue;
        dw_gpu_get_timings(build->gpu, table);
        milliseconds[2 * i] = time_of(table, "tree_build");
        milliseconds[2 * i + 1] = time_of(table, "tree_build_place");
    }
    dw_free(table);
    return status;
}

static dw_gpu_rows part(const device_build *build, uint64_t offset, void *data, uint64_t bytes)
{
    return (dw_gpu_rows) { &build->built.buffer, offset, data, bytes, 1, (int64_t)bytes };
}

/* The sections of the tree's buffer into arrays of the host. */
static dw_status fetch(const device_build *build, dw_tree *tree, const dw_run *run, dw_error *err)
{
    const dw_tree_mesh *mesh = &build->built.mesh;
    const dw_tree_shape *shape = &build->built.shape;
    uint64_t node_bytes = 2 * (tree->format == DW_NODE_FORMAT_F32 ? sizeof(dw_tree_child_f32)
                                                                  : sizeof(dw_tree_child));
    uint64_t used_words = ((uint64_t)tree->vertex_count + 31) / 32;
    dw_gpu_rows parts[6];
    uint32_t count = 0;

    DW_TRY(DW_ALLOC((size_t)shape->treelet_count, &tree->treelets, err));
    DW_TRY(dw_alloc_array(shape->node_count, (size_t)node_bytes, "tree nodes", &tree->nodes, err));
    DW_TRY(DW_ALLOC((size_t)shape->triangle_count + 1, &tree->triangles, err));
    DW_TRY(DW_ALLOC((size_t)used_words + 1, &tree->used_vertices, err));
    parts[count++] = part(build, 4 * DW_TREE_HEAD_SHAPE, &tree->shape, sizeof tree->shape);
    parts[count++] = part(build, 4 * DW_TREE_HEAD_FRAME, &tree->frame, sizeof tree->frame);
    parts[count++] = part(build, 16 * (uint64_t)mesh->treelets, tree->treelets,
                          shape->treelet_count * sizeof *tree->treelets);
    parts[count++] =
        part(build, 16 * (uint64_t)mesh->nodes, tree->nodes, shape->node_count * node_bytes);
    if (shape->triangle_count > 0)
        parts[count++] = part(build, 16 * (uint64_t)mesh->triangles, tree->triangles,
                              shape->triangle_count * sizeof *tree->triangles);
    if (used_words > 0)
        parts[count++] =
            part(build, 16 * (uint64_t)mesh->used, tree->used_vertices, 4 * used_words);
    return dw_gpu_download_rows(build->gpu, parts, count, run, err);
fail:
    return err->code;
}

static dw_status take_tree(const device_build *build, dw_tree **out, const dw_run *run,
                           dw_error *err)
{
    dw_tree *tree = NULL;

    DW_TRY(DW_ALLOC_ZEROED(1, &tree, err));
    tree->format = build->options->format;
    tree->is_over_boxes = build->source->indices == NULL;
    tree->vertex_count = tree->is_over_boxes ? 0 : build->source->vertices.count;
    DW_TRY(fetch(build, tree, run, err));
    if (tree->is_over_boxes) {
        dw_free(tree->used_vertices);
        tree->used_vertices = NULL;
    }
    *out = tree;
    return DW_OK;
fail:
    dw_tree_destroy(tree);
    return err->code;
}

static dw_status set_variant(device_build *build, dw_error *err)
{
    const dw_tree_device_options *options = build->options;
    dw_tree_gpu_variant variant = dw_tree_gpu_variant_default(build->gpu);

    if (options->merge_lanes != 0) {
        variant.merge_lanes = (uint32_t)options->merge_lanes;
        variant.is_merge_wide = false;
    }
    if (options->wide >= 0)
        variant.is_merge_wide = variant.is_sort_wide = options->wide > 0;
    if (options->place_lane >= 0)
        variant.is_place_lane = options->place_lane > 0;
    return dw_tree_builder_gpu_set_variant(build->builder, &variant, err);
}

static dw_status check(dw_device *device, const dw_tree_device_options *options, dw_error *err)
{
    if (dw_device_gpu(device) == NULL)
        return dw_fail(err, DW_ERROR_ARGUMENT, "device must be a Vulkan device, got \"%s\"",
                       dw_device_get_info(device)->name);
    if (options->builder != DW_TREE_BUILDER_HPLOC && options->builder != DW_TREE_BUILDER_MORTON)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "builder must be \"hploc\" or \"morton\" on a Vulkan device");
    if (options->repeat < 1)
        return dw_fail(err, DW_ERROR_ARGUMENT, "repeat must be at least 1, got %d",
                       options->repeat);
    return DW_OK;
}

dw_status dw_tree_build_on_device(dw_device *device, const dw_tree_source *source,
                                  const dw_tree_device_options *options, dw_tree **out,
                                  double *milliseconds, const dw_run *run, dw_error *err)
{
    device_build build = { .gpu = dw_device_gpu(device), .source = source, .options = options };
    dw_status status;

    err->code = DW_OK;
    DW_TRY(check(device, options, err));
    DW_TRY(dw_tree_builder_gpu_create(build.gpu, &build.builder, err));
    DW_TRY(set_variant(&build, err));
    DW_TRY(upload_source(&build, run, err));
    DW_TRY(build_all(&build, milliseconds, run, err));
    DW_TRY(take_tree(&build, out, run, err));
fail:
    status = err->code;
    dw_gpu_buffer_destroy(&build.built.buffer);
    dw_gpu_buffer_destroy(&build.indices);
    dw_gpu_buffer_destroy(&build.vertices);
    dw_tree_builder_gpu_destroy(build.builder);
    return status;
}
