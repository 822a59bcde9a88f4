/* SPDX-License-Identifier: MIT */
#include "passes/tree_build_pass.h"

#include "base/alloc.h"
#include "generated/spirv.h"
#include "passes/tree_layout.h"
#include "shared/tree_scratch.h"

#include <float.h>
#include <string.h>

/* How work is shared out where one invocation does a run of it. Runs have an upper end too: drivers
 * for processors leave a shader's loops after 65,535 rounds. */
#define SORT_PARTS       1024u
#define SORT_PART_MIN    256u
#define SORT_PART_MAX    16384u
#define MERGE_CHUNKS     4096u
#define MERGE_CHUNK_MIN  32u
#define MERGE_CHUNK_MAX  256u
#define BOUNDS_GROUPS    1024u /* on a card; else as few as lanes are */
#define BOUNDS_FEW       64u
#define BOUNDS_ITEMS_MAX 1024u

typedef enum build_step {
    STEP_BOUNDS,
    STEP_CODES,
    STEP_COUNT_DIGITS,
    STEP_SCAN,
    STEP_SCATTER,
    STEP_MERGE,
    STEP_MORTON,
    STEP_LEVELS,
    STEP_LIST,
    STEP_PLACE,
    STEPS,
} build_step;

struct dw_tree_builder_gpu {
    dw_gpu *gpu;
    dw_tree_gpu_variant variant;
    dw_pipeline *pipelines[STEPS];
    dw_gpu_buffer scratch, readback;
    dw_tree_gpu_source source; /* of the build under way; its buffers are the two below */
    dw_gpu_buffer indices, vertices;
    dw_tree_shape shape;
    uint32_t bad_row, root;
};

/* ---- objects ---- */

dw_tree_gpu_variant dw_tree_gpu_variant_default(const dw_gpu *gpu)
{
    const dw_gpu_limits *limits = dw_gpu_get_limits(gpu);

    return (dw_tree_gpu_variant) { .merge_lanes = limits->is_software ? 1 : 32,
                                   .is_merge_wide = limits->has_wide_subgroups,
                                   .is_sort_wide = limits->has_wide_subgroups,
                                   .is_place_lane = limits->is_software };
}

static uint32_t merge_shader(const dw_tree_gpu_variant *variant)
{
    if (variant->is_merge_wide)
        return DW_SHADER_TREE_BUILD_MERGE_WIDE_COMP;
    return variant->merge_lanes == 1 ? DW_SHADER_TREE_BUILD_MERGE_LANE_COMP
                                     : DW_SHADER_TREE_BUILD_MERGE_COMP;
}

static dw_status get_pipelines(dw_tree_builder_gpu *builder, const dw_tree_gpu_variant *variant,
                               dw_error *err)
{
    const uint32_t shaders[STEPS] = {
        [STEP_BOUNDS] = DW_SHADER_TREE_BUILD_BOUNDS_COMP,
        [STEP_CODES] = DW_SHADER_TREE_BUILD_CODES_COMP,
        [STEP_COUNT_DIGITS] = variant->is_sort_wide ? DW_SHADER_TREE_BUILD_COUNT_WIDE_COMP
                                                    : DW_SHADER_TREE_BUILD_COUNT_COMP,
        [STEP_SCAN] = DW_SHADER_TREE_BUILD_SCAN_COMP,
        [STEP_SCATTER] = variant->is_sort_wide ? DW_SHADER_TREE_BUILD_SCATTER_WIDE_COMP
                                               : DW_SHADER_TREE_BUILD_SCATTER_COMP,
        [STEP_MERGE] = merge_shader(variant),
        [STEP_MORTON] = DW_SHADER_TREE_BUILD_MORTON_COMP,
        [STEP_LEVELS] = DW_SHADER_TREE_BUILD_LEVELS_COMP,
        [STEP_LIST] = DW_SHADER_TREE_BUILD_LIST_COMP,
        [STEP_PLACE] = variant->is_place_lane ? DW_SHADER_TREE_BUILD_PLACE_LANE_COMP
                                              : DW_SHADER_TREE_BUILD_PLACE_COMP,
    };
    const uint32_t constants[2] = { !dw_gpu_get_limits(builder->gpu)->is_software,
                                    variant->merge_lanes };

    for (int step = 0; step < STEPS; step++) {
        bool has_fences = step == STEP_MERGE || step == STEP_MORTON;
        bool has_width = shaders[step] == DW_SHADER_TREE_BUILD_MERGE_COMP;

        DW_TRY(dw_pipeline_get(builder->gpu, shaders[step], constants, has_width ? 2 : has_fences,
                               &builder->pipelines[step], err));
    }
    builder->variant = *variant;
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_tree_builder_gpu_create(dw_gpu *gpu, dw_tree_builder_gpu **out, dw_error *err)
{
    const dw_gpu_buffer_def readback = { DW_TREE_BUILD_READ * sizeof(uint32_t), DW_MEMORY_READBACK,
                                         "tree shape" };
    const dw_tree_gpu_variant variant = dw_tree_gpu_variant_default(gpu);
    dw_tree_builder_gpu *builder = NULL;

    *out = NULL;
    DW_TRY(DW_ALLOC_ZEROED(1, &builder, err));
    builder->gpu = gpu;
    DW_TRY(get_pipelines(builder, &variant, err));
    DW_TRY(dw_gpu_buffer_create(gpu, &readback, &builder->readback, err));
    *out = builder;
    return DW_OK;
fail:
    dw_tree_builder_gpu_destroy(builder);
    return err->code;
}

void dw_tree_builder_gpu_destroy(dw_tree_builder_gpu *builder)
{
    if (builder == NULL)
        return;
    dw_gpu_buffer_destroy(&builder->scratch);
    dw_gpu_buffer_destroy(&builder->readback);
    dw_free(builder);
}

dw_status dw_tree_builder_gpu_set_variant(dw_tree_builder_gpu *builder,
                                          const dw_tree_gpu_variant *variant, dw_error *err)
{
    uint32_t lanes = variant->merge_lanes;

    if (lanes == 0 || lanes > DW_TREE_LANES || (lanes & (lanes - 1)) != 0 || lanes == 2)
        return dw_fail(err, DW_ERROR_ARGUMENT, "merge lanes must be 1, 4, 8, 16, 32 or 64, got %u",
                       lanes);
    if ((variant->is_merge_wide || variant->is_sort_wide) &&
        !dw_gpu_get_limits(builder->gpu)->has_wide_subgroups)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "wide variants need subgroups of 32 lanes, the device has %u",
                       dw_gpu_get_limits(builder->gpu)->subgroup_size);
    return get_pipelines(builder, variant, err);
}

void dw_tree_builder_gpu_trim(dw_tree_builder_gpu *builder)
{
    dw_gpu_buffer_destroy(&builder->scratch);
}

uint64_t dw_tree_builder_gpu_scratch_bytes(const dw_tree_builder_gpu *builder)
{
    return builder->scratch.size_bytes;
}

/* ---- recording ---- */

/* A build whose dispatches are being recorded. */
typedef struct build_record {
    dw_tree_builder_gpu *builder;
    dw_command *command;
    const dw_gpu_buffer *tree; /* NULL in part 1 */
    dw_tree_build_push push;
} build_record;

static void set_address(uint32_t *low, uint32_t *high, uint64_t address)
{
    *low = (uint32_t)address;
    *high = (uint32_t)(address >> 32);
}

/* Of `count` items cut into `runs`. */
static uint32_t run_of(uint32_t count, uint32_t runs, uint32_t least, uint32_t most)
{
    uint32_t run = (count + runs - 1) / runs;

    return run < least ? least : run > most ? most : run;
}

static uint32_t parts_of(const dw_tree_builder_gpu *builder, uint32_t count, uint32_t *items)
{
    *items = run_of(count, SORT_PARTS, SORT_PART_MIN, SORT_PART_MAX);
    if (builder->variant.is_sort_wide)
        *items = DW_TREE_WIDE_LANES * DW_TREE_WIDE_ROUNDS;
    return count == 0 ? 1 : (count - 1) / *items + 1;
}

static build_record start_record(dw_tree_builder_gpu *builder, dw_command *command)
{
    const dw_tree_gpu_source *source = &builder->source;
    build_record record = { .builder = builder, .command = command };
    dw_tree_build_push *push = &record.push;

    set_address(&push->scratch_low, &push->scratch_high, builder->scratch.address);
    if (source->indices != NULL)
        set_address(&push->indices_low, &push->indices_high,
                    source->indices->address + source->indices_offset);
    if (source->vertices != NULL)
        set_address(&push->vertices_low, &push->vertices_high,
                    source->vertices->address + source->vertices_offset);
    push->count = source->count;
    push->vertex_count = source->vertex_count;
    push->vertex_stride = source->vertex_stride;
    push->flags = source->indices == NULL ? DW_TREE_IS_OVER_BOXES : 0;
    push->part_count = parts_of(builder, source->count, &push->part_items);
    return record;
}

static void dispatch(build_record *record, build_step step, uint64_t group_count)
{
    const dw_tree_builder_gpu *builder = record->builder;
    dw_gpu_binding reached[4] = { { &builder->scratch, 0, 0, DW_USE_COMPUTE_READ_WRITE } };
    dw_gpu_inputs inputs = { .push = &record->push,
                             .push_bytes = sizeof record->push,
                             .reached = reached,
                             .reached_count = 1 };
    uint32_t groups[3];

    if (builder->source.indices != NULL)
        reached[inputs.reached_count++] =
            (dw_gpu_binding) { builder->source.indices, 0, 0, DW_USE_COMPUTE_READ };
    if (builder->source.vertices != NULL && record->tree == NULL)
        reached[inputs.reached_count++] =
            (dw_gpu_binding) { builder->source.vertices, 0, 0, DW_USE_COMPUTE_READ };
    if (record->tree != NULL)
        reached[inputs.reached_count++] =
            (dw_gpu_binding) { record->tree, 0, 0, DW_USE_COMPUTE_READ_WRITE };
    dw_groups_linear(builder->gpu, group_count, groups);
    dw_command_dispatch_inputs(record->command, builder->pipelines[step], &inputs, groups);
}

static uint64_t groups_of(uint64_t invocations, uint32_t lanes)
{
    return (invocations + lanes - 1) / lanes;
}

static void record_clears(build_record *record)
{
    const dw_gpu_buffer *scratch = &record->builder->scratch;
    uint32_t count = record->push.count;
    uint64_t marks = dw_tree_section(DW_TREE_AT_BOUNDARIES, count);
    uint64_t tables = dw_tree_section(DW_TREE_AT_TABLES, count);

    dw_command_fill(record->command, scratch, 0, 4 * DW_TREE_BUILD_WORDS, 0);
    dw_command_fill(record->command, scratch, marks,
                    dw_tree_section(DW_TREE_AT_LINKS, count) - marks, UINT32_MAX);
    dw_command_fill(record->command, scratch, tables, dw_tree_digits_at(count) - tables, 0);
}

static void record_items(build_record *record)
{
    const uint32_t count = record->push.count;
    uint64_t groups = groups_of(count, DW_TREE_WIDE_LANES);
    uint64_t most = record->builder->variant.is_place_lane ? BOUNDS_FEW : BOUNDS_GROUPS;
    uint64_t least = groups_of(groups, BOUNDS_ITEMS_MAX);

    most = most < least ? least : most;
    dw_command_time_begin(record->command, "tree_items");
    dispatch(record, STEP_BOUNDS, groups < most ? groups : most);
    dispatch(record, STEP_CODES, groups_of(count, DW_TREE_LANES));
    dw_command_time_end(record->command);
}

static void record_sort(build_record *record)
{
    bool is_wide = record->builder->variant.is_sort_wide;
    uint64_t groups =
        is_wide ? record->push.part_count : groups_of(record->push.part_count, DW_TREE_LANES);

    dw_command_time_begin(record->command, "tree_sort");
    for (record->push.shift = 0; record->push.shift < 32; record->push.shift += 8) {
        dispatch(record, STEP_COUNT_DIGITS, groups);
        dispatch(record, STEP_SCAN, 256);
        dispatch(record, STEP_SCATTER, groups);
    }
    dw_command_time_end(record->command);
}

static void record_merge(build_record *record, dw_tree_builder kind)
{
    const dw_tree_gpu_variant *variant = &record->builder->variant;
    uint32_t count = record->push.count;
    uint64_t groups = groups_of(count, DW_TREE_LANES);

    record->push.part_items = 1;
    if (kind == DW_TREE_BUILDER_HPLOC && variant->merge_lanes == 1 && !variant->is_merge_wide) {
        record->push.part_items = run_of(count, MERGE_CHUNKS, MERGE_CHUNK_MIN, MERGE_CHUNK_MAX);
        groups = groups_of(groups_of(count, record->push.part_items), 8);
    }
    if (kind == DW_TREE_BUILDER_HPLOC && variant->is_merge_wide)
        groups = groups_of(count, DW_TREE_MERGE_LANES);
    dw_command_time_begin(record->command, "tree_merge");
    dispatch(record, kind == DW_TREE_BUILDER_HPLOC ? STEP_MERGE : STEP_MORTON, groups);
    dispatch(record, STEP_LEVELS, DW_TREE_LEVELS_MAX);
    dw_command_time_end(record->command);
}

static dw_status ensure_scratch(dw_tree_builder_gpu *builder, uint32_t count, dw_error *err)
{
    uint32_t part_items;
    uint64_t bytes = dw_tree_scratch_bytes(count, parts_of(builder, count, &part_items));

    if (builder->scratch.size_bytes >= bytes)
        return DW_OK;
    dw_gpu_buffer_destroy(&builder->scratch);
    return dw_gpu_buffer_create_device(builder->gpu, bytes, "tree scratch", &builder->scratch, err);
}

static void keep_source(dw_tree_builder_gpu *builder, const dw_tree_gpu_source *source)
{
    builder->source = *source;
    if (source->indices != NULL) {
        builder->indices = *source->indices;
        builder->source.indices = &builder->indices;
    }
    if (source->vertices != NULL) {
        builder->vertices = *source->vertices;
        builder->source.vertices = &builder->vertices;
    }
}

dw_status dw_tree_builder_gpu_begin(dw_tree_builder_gpu *builder, dw_command *command,
                                    const dw_tree_gpu_source *source, dw_tree_builder kind,
                                    dw_error *err)
{
    build_record record;

    DW_ASSERT(kind == DW_TREE_BUILDER_HPLOC || kind == DW_TREE_BUILDER_MORTON);
    DW_ASSERT(source->count <= DW_TREE_COUNT_MAX);
    keep_source(builder, source);
    if (ensure_scratch(builder, source->count, err) != DW_OK)
        return err->code;
    record = start_record(builder, command);
    record_clears(&record);
    if (source->count > 0) {
        record_items(&record);
        record_sort(&record);
        record_merge(&record, kind);
    }
    dw_command_copy(command, &builder->scratch, 0, &builder->readback, 0,
                    DW_TREE_BUILD_READ * sizeof(uint32_t));
    return DW_OK;
}

/* ---- between the parts ---- */

/* A tree of one node: over no item, or one leaf. */
static bool is_one_node(const dw_tree_builder_gpu *builder)
{
    return builder->shape.node_count == 1 && builder->shape.triangle_count <= DW_TREE_LEAF_MAX &&
           builder->root == 0;
}

static void set_levels(dw_tree_shape *shape, const uint32_t *levels)
{
    for (uint32_t level = shape->level_count; level-- > 0;) {
        shape->level_first[level] = shape->treelet_count;
        shape->level_treelets[level] = levels[4 * level];
        shape->treelet_count += levels[4 * level];
        shape->node_count += levels[4 * level + 1];
    }
}

const dw_tree_shape *dw_tree_builder_gpu_shape(dw_tree_builder_gpu *builder)
{
    const uint32_t *head = builder->readback.mapped;
    const uint32_t count = builder->source.count;
    dw_tree_shape *shape = &builder->shape;

    builder->bad_row = ~head[DW_TREE_BUILD_BAD_ROW];
    builder->root = count < 2 ? 0 : head[DW_TREE_BUILD_ROOT + 1] & 7u;
    *shape = (dw_tree_shape) { .triangle_count = count,
                               .depth = 1,
                               .level_count = 1,
                               .forced = head[DW_TREE_BUILD_FORCED],
                               .faults = head[DW_TREE_BUILD_FAULTS],
                               .inactive = head[DW_TREE_BUILD_INACTIVE] };
    if (head[DW_TREE_BUILD_BAD_ROW] != 0)
        shape->faults |= DW_TREE_FAULT_INDEX;
    if (builder->root == 0) {
        shape->node_count = shape->treelet_count = shape->level_treelets[0] = 1;
        return shape;
    }
    shape->depth = head[DW_TREE_BUILD_ROOT + 2];
    if (shape->depth > DW_TREE_DEPTH_MAX)
        shape->faults |= DW_TREE_FAULT_DEEP;
    shape->level_count = builder->root;
    set_levels(shape, head + DW_TREE_BUILD_LEVELS);
    return shape;
}

uint32_t dw_tree_builder_gpu_bad_row(const dw_tree_builder_gpu *builder)
{
    return builder->bad_row;
}

/* ---- part 2 ---- */

static void record_head(const build_record *record, const dw_tree_shape *shape)
{
    dw_tree_frame frame = {
        .step = { 1.0f, 1.0f, 1.0f }, .inverse = { 1.0f, 1.0f, 1.0f }, .scale = 1.0f, .is_empty = 1
    };
    uint32_t head[DW_TREE_HEAD_WORDS] = { 0 };
    const float root[6] = { FLT_MAX, FLT_MAX, FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX };

    memcpy(head + DW_TREE_HEAD_SHAPE, shape, sizeof *shape);
    memcpy(head + DW_TREE_HEAD_FRAME, &frame, sizeof frame);
    memcpy(head + DW_TREE_HEAD_ROOT, root, sizeof root);
    memset(head + DW_TREE_HEAD_BOUNDS, 0xff, 3 * sizeof *head);
    dw_command_write(record->command, record->tree, 0, head, sizeof head);
}

/* The row of the only treelet, and over no item the only node. */
static void record_one_node(const build_record *record, const dw_tree_mesh *mesh)
{
    const dw_tree_treelet row = { .node_count = 1, .triangle_count = mesh->triangle_count };
    const dw_tree_child child = { DW_TREE_EMPTY, DW_TREE_EMPTY, DW_TREE_EMPTY, DW_TREE_NONE };
    const dw_tree_child_f32 child_f32 = { .low = { FLT_MAX, FLT_MAX, FLT_MAX },
                                          .high = { -FLT_MAX, -FLT_MAX, -FLT_MAX },
                                          .ref = DW_TREE_NONE };
    const dw_tree_child node[2] = { child, child };
    const dw_tree_child_f32 node_f32[2] = { child_f32, child_f32 };
    uint64_t at = 16 * (uint64_t)mesh->nodes;

    dw_command_write(record->command, record->tree, 16 * (uint64_t)mesh->treelets, &row,
                     sizeof row);
    if (mesh->triangle_count == 0 && (mesh->flags & DW_TREE_IS_F32) != 0)
        dw_command_write(record->command, record->tree, at, node_f32, sizeof node_f32);
    else if (mesh->triangle_count == 0)
        dw_command_write(record->command, record->tree, at, node, sizeof node);
}

static void record_place(build_record *record, bool is_one)
{
    const dw_tree_gpu_variant *variant = &record->builder->variant;
    uint32_t treelets = record->push.treelet_count;
    uint64_t groups = variant->is_place_lane ? groups_of(treelets, 8) : treelets;

    dw_command_time_begin(record->command, "tree_place");
    record->push.shift = is_one ? 1 : 0; /* PLACE_IS_ROOT_LEAF */
    if (!is_one)
        dispatch(record, STEP_LIST, dw_tree_tiles(record->push.count));
    if (record->push.count > 0)
        dispatch(record, STEP_PLACE, groups);
    dw_command_time_end(record->command);
}

void dw_tree_builder_gpu_finish(dw_tree_builder_gpu *builder, dw_command *command,
                                const dw_gpu_buffer *tree, const dw_tree_mesh *mesh)
{
    const dw_tree_shape *shape = &builder->shape;
    build_record record = start_record(builder, command);

    DW_ASSERT(shape->faults == 0);
    record.tree = tree;
    set_address(&record.push.tree_low, &record.push.tree_high, tree->address);
    record.push.flags = mesh->flags & (DW_TREE_IS_F32 | DW_TREE_IS_OVER_BOXES);
    record.push.treelet_count = shape->treelet_count;
    record.push.treelets = mesh->treelets;
    record.push.nodes = mesh->nodes;
    record.push.triangles = mesh->triangles;
    record.push.used = mesh->used;
    record_head(&record, shape);
    if (mesh->used != 0 && mesh->vertex_count > 0)
        dw_command_fill(command, tree, 16 * (uint64_t)mesh->used,
                        4 * (((uint64_t)mesh->vertex_count + 31) / 32), 0);
    if (is_one_node(builder))
        record_one_node(&record, mesh);
    record_place(&record, is_one_node(builder));
}

/* ---- a whole build ---- */

static dw_status run_part_1(dw_tree_builder_gpu *builder, const dw_tree_gpu_source *source,
                            dw_tree_builder kind, const dw_run *run, dw_error *err)
{
    dw_command *command;
    dw_ticket ticket;

    if (dw_command_begin(builder->gpu, "tree_build", &command, err) != DW_OK)
        return err->code;
    if (dw_tree_builder_gpu_begin(builder, command, source, kind, err) != DW_OK) {
        dw_command_cancel(command);
        return err->code;
    }
    if (dw_command_submit(command, &ticket, err) != DW_OK ||
        dw_gpu_wait(builder->gpu, ticket, run, err) != DW_OK)
        return err->code;
    if ((dw_tree_builder_gpu_shape(builder)->faults & DW_TREE_FAULT_INDEX) != 0)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "indices: triangle %u names a vertex beyond the last: there are %u vertices",
                       builder->bad_row, source->vertex_count);
    return DW_OK;
}

dw_status dw_tree_build_gpu(dw_tree_builder_gpu *builder, const dw_tree_gpu_source *source,
                            dw_tree_builder kind, dw_node_format format, dw_tree_gpu_built *out,
                            const dw_run *run, dw_error *err)
{
    bool is_over_boxes = source->indices == NULL;
    uint32_t vertex_count = is_over_boxes ? 0 : source->vertex_count;
    dw_tree_gpu_built built = { .buffer = { .gpu = NULL } };
    dw_command *command;
    dw_ticket ticket;
    uint64_t bytes;

    DW_TRY(run_part_1(builder, source, kind, run, err));
    if (builder->shape.faults != 0)
        DW_TRY(run_part_1(builder, source, DW_TREE_BUILDER_MORTON, run, err));
    built.shape = builder->shape;
    bytes = dw_tree_gpu_layout(&built.shape, format, is_over_boxes, vertex_count, &built.mesh);
    DW_TRY(dw_gpu_buffer_create_device(builder->gpu, bytes, "tree", &built.buffer, err));
    DW_TRY(dw_command_begin(builder->gpu, "tree_build_place", &command, err));
    dw_tree_builder_gpu_finish(builder, command, &built.buffer, &built.mesh);
    DW_TRY(dw_command_submit(command, &ticket, err));
    DW_TRY(dw_gpu_wait(builder->gpu, ticket, run, err));
    set_address(&built.mesh.tree_low, &built.mesh.tree_high, built.buffer.address);
    *out = built;
    return DW_OK;
fail:
    dw_gpu_buffer_destroy(&built.buffer);
    return err->code;
}
