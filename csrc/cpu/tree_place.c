/* SPDX-License-Identifier: MIT */
/* Nodes and triangles from their slots to tree order, a treelet at a time: how many of either lie
 * in each part is known, so that every place follows from the root's. */
#include "base/alloc.h"
#include "cpu/tree_build.h"

#include <float.h>

#define DW_PLACE_PART 16 /* treelets of a part of a loop */

typedef struct dw_place_job {
    dw_tree_work *work;
    dw_tree *tree;
    uint32_t *roots; /* slot by treelet */
} dw_place_job;

/* A node of the treelet that is placed, and where its own parts begin. */
typedef struct dw_place_step {
    uint32_t slot, node, triangle;
} dw_place_step;

static uint32_t meta_of(const dw_tree_work *work, uint32_t ref)
{
    return DW_TREE_IS_LEAF(ref) ? DW_TREE_META_LEAF(1u) : work->links[ref].meta;
}

static void put_child(dw_tree *tree, uint32_t node, int side, uint32_t ref)
{
    if (tree->format == DW_NODE_FORMAT_F32)
        ((dw_tree_child_f32(*)[2])tree->nodes)[node][side] =
            (dw_tree_child_f32) { .low = { FLT_MAX, FLT_MAX, FLT_MAX },
                                  .high = { -FLT_MAX, -FLT_MAX, -FLT_MAX },
                                  .ref = ref };
    else
        ((dw_tree_child(*)[2])tree->nodes)[node][side] =
            (dw_tree_child) { DW_TREE_EMPTY, DW_TREE_EMPTY, DW_TREE_EMPTY, ref };
}

/* Vertices of a run of triangles whose rows are known. */
static void put_vertices(const dw_place_job *job, uint32_t first, uint32_t count)
{
    const uint32_t *indices = job->work->source->indices;
    dw_tree_triangle *triangles = job->tree->triangles + first;

    for (uint32_t i = 0; i < count; i++)
        for (int corner = 0; corner < 3; corner++)
            triangles[i].vertices[corner] =
                indices == NULL ? 0u : indices[3 * (size_t)triangles[i].primitive + corner];
}

/* The items of a leaf, left to right. */
static void put_leaf(const dw_place_job *job, uint32_t triangle, uint32_t ref)
{
    uint32_t stack[DW_TREE_LEAF_MAX], count = 0;

    stack[count++] = ref;
    while (count > 0) {
        ref = stack[--count];
        while (!DW_TREE_IS_LEAF(ref)) {
            stack[count++] = job->work->links[ref].right;
            ref = job->work->links[ref].left;
        }
        job->tree->triangles[triangle++].primitive = dw_tree_row(job->work, ref & ~DW_TREE_LEAF);
    }
}

/* The reference to a child, whose triangles are put if it is a leaf; a node of the same treelet
 * waits at the top of the steps. */
static uint32_t place_child(const dw_place_job *job, uint32_t ref, uint32_t kind, dw_place_step at,
                            dw_place_step **top)
{
    uint32_t meta = meta_of(job->work, ref);

    if (DW_TREE_META_KIND(meta) == 0u) {
        put_leaf(job, at.triangle, ref);
        return DW_TREE_LEAF_OF(at.triangle, DW_TREE_META_TRIANGLES(meta));
    }
    if (DW_TREE_META_KIND(meta) != kind)
        return job->work->links[ref].first_node;
    at.slot = ref;
    *(*top)++ = at;
    return at.node;
}

static void place_treelet(const dw_place_job *job, uint32_t treelet)
{
    const dw_tree_treelet *row = &job->tree->treelets[treelet];
    dw_place_step steps[DW_TREE_DEPTH_MAX + 2], *top = steps;

    *top++ = (dw_place_step) { job->roots[treelet], row->first_node, row->first_triangle };
    while (top > steps) {
        dw_place_step here = *--top;
        const dw_tree_link *link = &job->work->links[here.slot];
        uint32_t kind = DW_TREE_META_KIND(link->meta), left_meta = meta_of(job->work, link->left);
        dw_place_step left = { 0, here.node + 1, here.triangle }, right;

        right.node = left.node + dw_tree_share_nodes(left_meta, kind);
        right.triangle = left.triangle + dw_tree_share_triangles(left_meta, kind);
        put_child(job->tree, here.node, 1, place_child(job, link->right, kind, right, &top));
        put_child(job->tree, here.node, 0, place_child(job, link->left, kind, left, &top));
    }
    put_vertices(job, row->first_triangle, row->triangle_count);
}

static void place_part(void *user, int64_t part, int worker)
{
    const dw_place_job *job = user;
    uint32_t treelet = (uint32_t)part * DW_PLACE_PART, count = job->tree->shape.treelet_count;
    uint32_t end = count - treelet < DW_PLACE_PART ? count : treelet + DW_PLACE_PART;

    (void)worker;
    for (; treelet < end; treelet++)
        place_treelet(job, treelet);
}

/* The roots of treelets by level, the highest first, then by slot; and the rows of the levels. */
static dw_status list_roots(dw_place_job *job, dw_error *err)
{
    const dw_tree_work *work = job->work;
    uint32_t next[DW_TREE_LEVELS_MAX + 1] = { 0 }, total = 0;
    dw_tree_shape *shape = &job->tree->shape;
    dw_status status;

    for (uint32_t slot = 0; slot < work->count; slot++)
        next[work->marks[slot]]++;
    shape->level_count = DW_TREE_META_KIND(work->root.meta);
    for (uint32_t kind = shape->level_count; kind > 0; kind--) {
        shape->level_first[kind - 1] = total;
        shape->level_treelets[kind - 1] = next[kind];
        total += next[kind];
        next[kind] = shape->level_first[kind - 1];
    }
    shape->treelet_count = total;
    status = DW_ALLOC((size_t)total, &job->roots, err);
    if (status != DW_OK)
        return status;
    for (uint32_t slot = 0; slot < work->count; slot++)
        if (work->marks[slot] != 0)
            job->roots[next[work->marks[slot]]++] = slot;
    return DW_OK;
}

/* Treelet rows: running sums over their roots. */
static void set_treelets(const dw_place_job *job)
{
    dw_tree_treelet next = { 0 };

    for (uint32_t i = 0; i < job->tree->shape.treelet_count; i++) {
        dw_tree_link *link = &job->work->links[job->roots[i]];

        next.node_count = DW_TREE_META_NODES(link->meta);
        next.triangle_count = DW_TREE_META_TRIANGLES(link->meta);
        job->tree->treelets[i] = next;
        link->first_node = next.first_node;
        next.first_node += next.node_count;
        next.first_triangle += next.triangle_count;
    }
    job->tree->shape.node_count = next.first_node;
}

static dw_status take_nodes(dw_tree *tree, dw_error *err)
{
    size_t child =
        tree->format == DW_NODE_FORMAT_F32 ? sizeof(dw_tree_child_f32) : sizeof(dw_tree_child);

    return dw_alloc_array(tree->shape.node_count, 2 * child, "tree nodes", &tree->nodes, err);
}

/* A tree of one node: over no item, or one leaf. */
static dw_status place_leaf(dw_place_job *job, dw_error *err)
{
    dw_tree *tree = job->tree;
    uint32_t count = job->work->count;

    DW_TRY(DW_ALLOC(1, &tree->treelets, err));
    tree->shape.node_count = tree->shape.depth = 1;
    tree->shape.level_count = tree->shape.treelet_count = tree->shape.level_treelets[0] = 1;
    tree->treelets[0] = (dw_tree_treelet) { .node_count = 1, .triangle_count = count };
    DW_TRY(take_nodes(tree, err));
    put_child(tree, 0, 0, count == 0 ? DW_TREE_NONE : DW_TREE_LEAF_OF(0u, count));
    put_child(tree, 0, 1, DW_TREE_NONE);
    if (count > 0)
        put_leaf(job, 0, job->work->root.ref);
    put_vertices(job, 0, count);
    return DW_OK;
fail:
    return err->code;
}

static dw_status place_nodes(dw_place_job *job, const dw_run *run, dw_error *err)
{
    dw_tree_work *work = job->work;
    dw_tree *tree = job->tree;

    work->marks[work->root.ref] = (uint8_t)DW_TREE_META_KIND(work->root.meta);
    tree->shape.depth = work->root.depth;
    DW_TRY(list_roots(job, err));
    DW_TRY(DW_ALLOC((size_t)tree->shape.treelet_count, &tree->treelets, err));
    set_treelets(job);
    DW_TRY(take_nodes(tree, err));
    return dw_parallel_for(run, (tree->shape.treelet_count + DW_PLACE_PART - 1) / DW_PLACE_PART,
                           place_part, job, err);
fail:
    return err->code;
}

dw_status dw_tree_place(dw_tree_work *work, dw_tree *tree, const dw_run *run, dw_error *err)
{
    dw_place_job job = { .work = work, .tree = tree };
    dw_status status;

    tree->shape.triangle_count = work->count;
    tree->shape.inactive = work->inactive;
    tree->shape.forced = work->forced;
    status = DW_ALLOC((size_t)work->count, &tree->triangles, err);
    if (status != DW_OK)
        return status;
    if (work->count == 0 || DW_TREE_META_KIND(work->root.meta) == 0u)
        status = place_leaf(&job, err);
    else
        status = place_nodes(&job, run, err);
    dw_free(job.roots);
    return status;
}
