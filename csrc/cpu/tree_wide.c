/* SPDX-License-Identifier: MIT */
#include "cpu/tree_wide.h"

#include "base/alloc.h"
#include "base/simd.h"
#include "cpu/tree_triangle.h"

#include <string.h>

#define DW_WIDE_PIECE 1024 /* nodes or blocks of one piece of work */
#define DW_WIDE_AHEAD 8    /* blocks whose vertices are asked for before they are needed */

/* ---- the shape ---- */

typedef struct dw_wide_maker {
    const dw_tree *tree;
    const dw_tree_child (*binary)[2];
    dw_wide_tree *wide;
    uint8_t *sizes; /* triangles below a binary node, at most DW_TREE_LEAF_MAX + 1 */
} dw_wide_maker;

static uint32_t size_of(const dw_wide_maker *maker, uint32_t ref)
{
    if (ref == DW_TREE_NONE)
        return 0;
    return DW_TREE_IS_LEAF(ref) ? DW_TREE_LEAF_COUNT(ref) : maker->sizes[ref];
}

static void measure(dw_wide_maker *maker)
{
    for (uint32_t node = maker->tree->shape.node_count; node-- > 0;) {
        uint32_t size =
            size_of(maker, maker->binary[node][0].ref) + size_of(maker, maker->binary[node][1].ref);

        maker->sizes[node] = (uint8_t)(size <= DW_TREE_LEAF_MAX ? size : DW_TREE_LEAF_MAX + 1);
    }
}

/* The first of the triangles below: those of so small a subtree lie in one treelet, side by side.
 */
static uint32_t first_triangle(const dw_wide_maker *maker, uint32_t ref)
{
    while (DW_TREE_IS_NODE(ref))
        ref = maker->binary[ref][0].ref;
    return DW_TREE_LEAF_FIRST(ref);
}

static float area_of(const dw_tree_frame *frame, const dw_tree_child *child)
{
    float x = (float)dw_tree_extent(child->x) * (frame->step[0] * frame->scale);
    float y = (float)dw_tree_extent(child->y) * (frame->step[1] * frame->scale);
    float z = (float)dw_tree_extent(child->z) * (frame->step[2] * frame->scale);

    return x * y + y * z + z * x;
}

typedef struct dw_wide_pick {
    uint32_t source;
    float area; /* below 0: stays closed */
} dw_wide_pick;

static dw_wide_pick pick(const dw_wide_maker *maker, uint32_t source)
{
    const dw_tree_child *child = &maker->binary[source >> 1][source & 1u];
    bool is_closed = size_of(maker, child->ref) <= DW_TREE_LEAF_MAX;

    return (dw_wide_pick) { .source = source,
                            .area = is_closed ? -1.0f : area_of(&maker->tree->frame, child) };
}

/* Children of a wide node: the largest one is opened as long as there is room. */
static int pick_children(const dw_wide_maker *maker, uint32_t node, dw_wide_pick *picks)
{
    int count = 0;

    for (uint32_t side = 0; side < 2; side++)
        if (maker->binary[node][side].ref != DW_TREE_NONE)
            picks[count++] = pick(maker, 2 * node + side);
    while (count > 0 && count < DW_WIDE_CHILDREN) {
        uint32_t opened;
        int best = 0;

        for (int i = 1; i < count; i++)
            best = picks[i].area > picks[best].area ? i : best;
        if (picks[best].area < 0.0f)
            break;
        opened = maker->binary[picks[best].source >> 1][picks[best].source & 1u].ref;
        for (int i = count; i > best + 1; i--)
            picks[i] = picks[i - 1];
        picks[best] = pick(maker, 2 * opened);
        picks[best + 1] = pick(maker, 2 * opened + 1);
        count++;
    }
    return count;
}

/* A wide node over a binary one, then those below it. */
static uint32_t make_node(dw_wide_maker *maker, uint32_t node)
{
    dw_wide_tree *wide = maker->wide;
    uint32_t row = wide->node_count++;
    dw_wide_pick picks[DW_WIDE_CHILDREN];
    int count = pick_children(maker, node, picks);

    for (int i = 0; i < DW_WIDE_CHILDREN; i++) {
        wide->nodes[row].refs[i] = DW_TREE_NONE;
        wide->sources[row][i] = DW_TREE_NONE;
    }
    for (int i = 0; i < count; i++) {
        uint32_t ref = maker->binary[picks[i].source >> 1][picks[i].source & 1u].ref;
        uint32_t size = size_of(maker, ref);

        wide->sources[row][i] = picks[i].source;
        if (size <= DW_TREE_LEAF_MAX) {
            wide->block_refs[wide->block_count] = DW_TREE_LEAF_OF(first_triangle(maker, ref), size);
            wide->nodes[row].refs[i] = DW_TREE_LEAF | wide->block_count++;
        }
    }
    for (int i = 0; i < count; i++)
        if (picks[i].area >= 0.0f) {
            uint32_t below =
                make_node(maker, maker->binary[picks[i].source >> 1][picks[i].source & 1u].ref);

            wide->nodes[row].refs[i] = below;
        }
    return row;
}

/* Arrays as long as they may have to be: blocks are no more than leaves, nodes no more than binary
 * ones. */
static dw_status make_arrays(dw_wide_maker *maker, dw_error *err)
{
    size_t nodes = maker->tree->shape.node_count, triangles = maker->tree->shape.triangle_count;
    size_t blocks = nodes + 1 < triangles ? nodes + 1 : triangles;

    DW_TRY(DW_ALLOC(nodes, &maker->sizes, err));
    DW_TRY(DW_ALLOC(nodes, &maker->wide->nodes, err));
    DW_TRY(DW_ALLOC(nodes, &maker->wide->sources, err));
    DW_TRY(DW_ALLOC(blocks, &maker->wide->block_refs, err));
    return DW_OK;
fail:
    return err->code;
}

static void release_arrays(dw_wide_tree *wide)
{
    dw_free(wide->nodes);
    dw_free(wide->sources);
    dw_free(wide->blocks);
    dw_free(wide->block_refs);
}

/* Exactly as long as they have come out. */
static dw_status fit_arrays(dw_wide_tree *wide, dw_error *err)
{
    dw_wide_tree fit = { .node_count = wide->node_count, .block_count = wide->block_count };
    dw_wide_tree old = *wide;

    DW_TRY(DW_ALLOC((size_t)fit.node_count, &fit.nodes, err));
    DW_TRY(DW_ALLOC((size_t)fit.node_count, &fit.sources, err));
    DW_TRY(DW_ALLOC((size_t)fit.block_count, &fit.block_refs, err));
    DW_TRY(DW_ALLOC((size_t)fit.block_count, &fit.blocks, err));
    memcpy(fit.nodes, old.nodes, fit.node_count * sizeof *fit.nodes);
    memcpy(fit.sources, old.sources, fit.node_count * sizeof *fit.sources);
    if (fit.block_count > 0)
        memcpy(fit.block_refs, old.block_refs, fit.block_count * sizeof *fit.block_refs);
    *wide = fit;
    release_arrays(&old);
    return DW_OK;
fail:
    release_arrays(&fit);
    return err->code;
}

dw_status dw_wide_create(const dw_tree *tree, dw_wide_tree **out, dw_error *err)
{
    dw_wide_maker maker = { .tree = tree, .binary = tree->nodes };

    *out = NULL;
    if (tree->format != DW_NODE_FORMAT_QUANTIZED || tree->is_over_boxes)
        return DW_OK;
    DW_TRY(DW_ALLOC_ZEROED(1, &maker.wide, err));
    DW_TRY(make_arrays(&maker, err));
    measure(&maker);
    make_node(&maker, 0);
    DW_TRY(fit_arrays(maker.wide, err));
    dw_free(maker.sizes);
    *out = maker.wide;
    return DW_OK;
fail:
    dw_free(maker.sizes);
    dw_wide_destroy(maker.wide);
    return err->code;
}

void dw_wide_destroy(dw_wide_tree *wide)
{
    if (wide == NULL)
        return;
    release_arrays(wide);
    dw_free(wide);
}

/* ---- boxes and corners ---- */

typedef struct dw_wide_job {
    dw_wide_tree *wide;
    const dw_tree *tree;
    const dw_tree_vertices *vertices;
} dw_wide_job;

static uint32_t piece_end(uint32_t first, uint32_t count)
{
    return count - first < DW_WIDE_PIECE ? count : first + DW_WIDE_PIECE;
}

static void refresh_nodes(void *user, int64_t item, int worker)
{
    const dw_wide_job *job = user;
    const dw_tree_child *children = job->tree->nodes;
    uint32_t first = (uint32_t)item * DW_WIDE_PIECE;

    (void)worker;
    for (uint32_t row = first; row < piece_end(first, job->wide->node_count); row++) {
        dw_wide_node *node = &job->wide->nodes[row];

        for (int i = 0; i < DW_WIDE_CHILDREN; i++) {
            static const dw_tree_child none = { DW_TREE_EMPTY, DW_TREE_EMPTY, DW_TREE_EMPTY, 0 };
            uint32_t source = job->wide->sources[row][i];
            const dw_tree_child *child = source == DW_TREE_NONE ? &none : &children[source];
            const uint32_t words[3] = { child->x, child->y, child->z };

            for (int axis = 0; axis < 3; axis++) {
                node->planes[2 * axis][i] = (uint16_t)words[axis];
                node->planes[2 * axis + 1][i] = (uint16_t)(words[axis] >> 16);
            }
        }
    }
}

/* Vertices lie in no order that a processor could guess. */
static void prefetch_block(const dw_wide_job *job, uint32_t ref)
{
    const dw_tree_triangle *triangles = job->tree->triangles + DW_TREE_LEAF_FIRST(ref);

    for (uint32_t i = 0; i < DW_TREE_LEAF_COUNT(ref); i++)
        for (int corner = 0; corner < 3; corner++)
            DW_PREFETCH(job->vertices->data +
                        (size_t)triangles[i].vertices[corner] * job->vertices->stride);
}

static void refresh_blocks(void *user, int64_t item, int worker)
{
    const dw_wide_job *job = user;
    uint32_t first = (uint32_t)item * DW_WIDE_PIECE, end;

    (void)worker;
    end = piece_end(first, job->wide->block_count);
    for (uint32_t row = first; row < end; row++) {
        uint32_t ref = job->wide->block_refs[row];
        uint32_t count = DW_TREE_LEAF_COUNT(ref);
        const dw_tree_triangle *triangles = job->tree->triangles + DW_TREE_LEAF_FIRST(ref);
        dw_wide_block *block = &job->wide->blocks[row];

        if (end - row > DW_WIDE_AHEAD)
            prefetch_block(job, job->wide->block_refs[row + DW_WIDE_AHEAD]);
        for (uint32_t i = 0; i < DW_TREE_LEAF_MAX; i++) {
            float corners[9] = { 0 };

            if (i < count)
                dw_triangle_load(job->vertices, triangles[i].vertices, corners);
            block->primitives[i] = i < count ? triangles[i].primitive : 0u;
            for (int k = 0; k < 9; k++)
                block->corners[k][i] = corners[k];
        }
    }
}

dw_status dw_wide_refresh(dw_wide_tree *wide, const dw_tree *tree, const dw_tree_vertices *vertices,
                          const dw_run *run, dw_error *err)
{
    dw_wide_job job = { .wide = wide, .tree = tree, .vertices = vertices };
    dw_run nodes = dw_run_part(run, 0.0, 0.2), blocks = dw_run_part(run, 0.2, 1.0);
    dw_status status = dw_parallel_for(
        &nodes, (wide->node_count + DW_WIDE_PIECE - 1) / DW_WIDE_PIECE, refresh_nodes, &job, err);

    if (status != DW_OK)
        return status;
    return dw_parallel_for(&blocks, (wide->block_count + DW_WIDE_PIECE - 1) / DW_WIDE_PIECE,
                           refresh_blocks, &job, err);
}
