/* SPDX-License-Identifier: MIT */
#include "cpu/tree_build.h"

#include "base/alloc.h"
#include "cpu/tree_prepare.h"
#include "cpu/tree_sort.h"

#define DW_DEPTH_FAULT 1000u /* of a node that has no level: stays too deep all the way up */

/* Up to here a node and all below it may become a leaf. */
static bool is_collapsible(const dw_tree_work *work, const dw_tree_cluster *a,
                           const dw_tree_cluster *b)
{
    return work->source->indices != NULL && DW_TREE_META_KIND(a->meta) <= 1u &&
           DW_TREE_META_KIND(b->meta) <= 1u && a->depth <= DW_TREE_LEAF_MAX &&
           b->depth <= DW_TREE_LEAF_MAX &&
           DW_TREE_META_TRIANGLES(a->meta) + DW_TREE_META_TRIANGLES(b->meta) <= DW_TREE_LEAF_MAX;
}

float dw_tree_union_area(const dw_tree_cluster *a, const dw_tree_cluster *b)
{
    float extent[3];

    for (int axis = 0; axis < 3; axis++)
        extent[axis] = dw_tree_difference(dw_tree_upper(a->high[axis], b->high[axis]),
                                          dw_tree_lower(a->low[axis], b->low[axis]));
    return dw_tree_half_area(extent[0], extent[1], extent[2]);
}

/* A child that is a node and lies below its parent's treelet is the root of one. */
static void mark_root(dw_tree_work *work, const dw_tree_cluster *child, uint32_t parent_meta)
{
    uint32_t kind = DW_TREE_META_KIND(child->meta);

    if (kind < DW_TREE_META_KIND(parent_meta) && DW_TREE_IS_NODE(child->ref))
        work->marks[child->ref] = (uint8_t)kind;
}

void dw_tree_merge(dw_tree_work *work, const dw_tree_cluster *a, const dw_tree_cluster *b,
                   float area, dw_tree_cluster *out)
{
    uint32_t slot = a->first > b->first ? a->first : b->first;
    uint32_t first = a->first > b->first ? b->first : a->first;
    uint32_t triangles = DW_TREE_META_TRIANGLES(a->meta) + DW_TREE_META_TRIANGLES(b->meta);
    float cost = dw_tree_cost_node(area, a->cost, b->cost);
    float cost_leaf = dw_tree_cost_leaf(area, triangles);
    uint32_t meta = DW_TREE_META_LEAF(triangles), depth = 0;

    if (cost_leaf <= cost && is_collapsible(work, a, b)) {
        cost = cost_leaf;
    } else {
        meta = dw_tree_meta_node(a->meta, b->meta);
        depth = meta == 0u ? DW_DEPTH_FAULT : 1 + (a->depth > b->depth ? a->depth : b->depth);
        mark_root(work, a, meta);
        mark_root(work, b, meta);
    }
    work->links[slot] = (dw_tree_link) { .left = a->ref, .right = b->ref, .meta = meta };
    for (int axis = 0; axis < 4; axis++)
        out->low[axis] = a->low[axis] < b->low[axis] ? a->low[axis] : b->low[axis];
    for (int axis = 0; axis < 4; axis++)
        out->high[axis] = a->high[axis] > b->high[axis] ? a->high[axis] : b->high[axis];
    out->cost = cost;
    out->ref = slot;
    out->first = first;
    out->meta = meta;
    out->depth = depth;
}

static void finish_work(dw_tree_work *work)
{
    dw_free(work->items);
    dw_free(work->keys);
    dw_free(work->spare_keys);
    dw_free(work->links);
    dw_free(work->marks);
}

static dw_status find_bounds(dw_tree *tree, const dw_tree_source *source, dw_tree_bounds *out,
                             const dw_run *run, dw_error *err)
{
    dw_status status;

    if (source->indices == NULL)
        return dw_tree_box_bounds(source->boxes, source->count, out, run, err);
    status = dw_tree_find_used(source, &tree->used_vertices, run, err);
    if (status != DW_OK)
        return status;
    return dw_tree_vertex_bounds(&source->vertices, tree->used_vertices, out, run, err);
}

/* Links and root of all items; two of them or more. */
static dw_status make_links(dw_tree_work *work, dw_tree_builder builder, const dw_run *run,
                            dw_error *err)
{
    dw_status status;

    DW_TRY(DW_ALLOC((size_t)work->count, &work->links, err));
    DW_TRY(DW_ALLOC_ZEROED((size_t)work->count, &work->marks, err));
    if (builder == DW_TREE_BUILDER_SAH)
        return dw_tree_split_all(work, run, err);
    DW_TRY(DW_ALLOC((size_t)work->count, &work->spare_keys, err));
    DW_TRY(dw_tree_sort(&work->keys, &work->spare_keys, work->count, run, err));
    status = dw_tree_merge_all(work, builder == DW_TREE_BUILDER_MORTON, run, err);
    if (status != DW_OK || work->root.depth <= DW_TREE_DEPTH_MAX)
        return status;
    for (uint32_t slot = 0; slot < work->count; slot++)
        work->marks[slot] = 0;
    return dw_tree_merge_all(work, true, run, err);
fail:
    return err->code;
}

static void set_empty_frame(dw_tree_frame *frame)
{
    *frame = (dw_tree_frame) { .is_empty = 1, .scale = 1.0f };
    for (int axis = 0; axis < 3; axis++)
        frame->step[axis] = frame->inverse[axis] = 1.0f;
}

dw_status dw_tree_build(const dw_tree_source *source, dw_tree_builder builder,
                        dw_node_format format, dw_tree **out, const dw_run *run, dw_error *err)
{
    dw_tree_work work = { .source = source, .count = source->count };
    dw_tree_bounds bounds;
    dw_tree *tree = NULL;

    err->code = DW_OK;
    DW_TRY(DW_ALLOC_ZEROED(1, &tree, err));
    tree->format = format;
    tree->is_over_boxes = source->indices == NULL;
    tree->vertex_count = tree->is_over_boxes ? 0 : source->vertices.count;
    set_empty_frame(&tree->frame);
    DW_TRY(find_bounds(tree, source, &bounds, run, err));
    DW_TRY(DW_ALLOC((size_t)work.count, &work.items, err));
    DW_TRY(DW_ALLOC((size_t)work.count, &work.keys, err));
    DW_TRY(dw_tree_make_items(&work, &bounds, run, err));
    if (work.count == 1)
        dw_tree_cluster_of_item(&work, 0, &work.root);
    else if (work.count > 1)
        DW_TRY(make_links(&work, builder, run, err));
    dw_free(work.items); /* what is left to do needs links and rows alone */
    dw_free(work.spare_keys);
    work.items = NULL;
    work.spare_keys = NULL;
    DW_TRY(dw_tree_place(&work, tree, run, err));
    *out = tree;
    tree = NULL;
fail:
    finish_work(&work);
    dw_tree_destroy(tree);
    return err->code;
}
