/* SPDX-License-Identifier: MIT */
#include "cpu/tree_check.h"

#include "base/alloc.h"

static dw_status check_levels(const dw_tree_shape *shape, uint32_t rows, dw_error *err)
{
    uint32_t first = 0;

    if (shape->level_count < 1 || shape->level_count > DW_TREE_LEVELS_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "layout: shape.level_count must lie in 1..%d, got %u", DW_TREE_LEVELS_MAX,
                       shape->level_count);
    for (uint32_t level = shape->level_count; level-- > 0;) {
        if (shape->level_first[level] != first || shape->level_treelets[level] > rows - first)
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "layout: level %u of shape must start at treelet %u and end within %u "
                           "treelets; give the arrays of one tree",
                           level, first, rows);
        first += shape->level_treelets[level];
    }
    if (first != rows || shape->treelet_count != rows || rows == 0)
        return dw_fail(err, DW_ERROR_ARGUMENT, "layout: shape has %u treelets, the table %u", first,
                       rows);
    return DW_OK;
}

static dw_status check_treelets(const dw_tree *tree, dw_error *err)
{
    const dw_tree_shape *shape = &tree->shape;
    uint32_t node = 0, triangle = 0;

    for (uint32_t i = 0; i < shape->treelet_count; i++) {
        const dw_tree_treelet *treelet = &tree->treelets[i];

        if (treelet->first_node != node || treelet->first_triangle != triangle ||
            treelet->node_count < 1 || treelet->node_count > DW_TREE_TREELET ||
            treelet->node_count > shape->node_count - node ||
            treelet->triangle_count > DW_TREE_TREELET ||
            treelet->triangle_count > shape->triangle_count - triangle)
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "layout: treelet %u must follow the one before and hold 1 to %u nodes "
                           "and at most as many triangles",
                           i, DW_TREE_TREELET);
        node += treelet->node_count;
        triangle += treelet->triangle_count;
    }
    if (node != shape->node_count || triangle != shape->triangle_count)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "layout: treelets hold %u nodes and %u triangles, shape says %u and %u",
                       node, triangle, shape->node_count, shape->triangle_count);
    return DW_OK;
}

static uint32_t ref_of(const dw_tree *tree, uint32_t node, uint32_t side)
{
    size_t at = 2 * (size_t)node + side;

    return tree->format == DW_NODE_FORMAT_F32 ? ((const dw_tree_child_f32 *)tree->nodes)[at].ref
                                              : ((const dw_tree_child *)tree->nodes)[at].ref;
}

/* depths: of nodes that a parent was found for; 0: none yet. next: the first node of the levels
 * below. */
static bool check_child(const dw_tree *tree, const dw_tree_treelet *treelet, uint32_t node,
                        uint32_t ref, uint32_t next, uint8_t *depths)
{
    if (ref == DW_TREE_NONE)
        return node == 0 && tree->shape.node_count == 1;
    if (DW_TREE_IS_LEAF(ref)) {
        uint32_t first = DW_TREE_LEAF_FIRST(ref) - treelet->first_triangle;

        return DW_TREE_LEAF_COUNT(ref) <= DW_TREE_LEAF_MAX && first < treelet->triangle_count &&
               DW_TREE_LEAF_COUNT(ref) <= treelet->triangle_count - first;
    }
    if (ref <= node || ref >= tree->shape.node_count || depths[ref] != 0 ||
        depths[node] >= DW_TREE_DEPTH_MAX ||
        (ref < next && ref - treelet->first_node >= treelet->node_count))
        return false;
    depths[ref] = depths[node] + 1;
    return true;
}

static dw_status check_refs(const dw_tree *tree, uint8_t *depths, dw_error *err)
{
    const dw_tree_shape *shape = &tree->shape;

    depths[0] = 1;
    for (uint32_t level = shape->level_count; level-- > 0;) {
        uint32_t end = shape->level_first[level] + shape->level_treelets[level];
        uint32_t next =
            end < shape->treelet_count ? tree->treelets[end].first_node : shape->node_count;

        for (uint32_t i = shape->level_first[level]; i < end; i++) {
            const dw_tree_treelet *treelet = &tree->treelets[i];

            for (uint32_t node = treelet->first_node;
                 node < treelet->first_node + treelet->node_count; node++)
                for (uint32_t side = 0; side < 2; side++)
                    if (depths[node] == 0 ||
                        !check_child(tree, treelet, node, ref_of(tree, node, side), next, depths))
                        return dw_fail(err, DW_ERROR_ARGUMENT,
                                       "layout: node %u is no part of a tree: child %u is %#x. "
                                       "Give the arrays as layout() returned them",
                                       node, side, ref_of(tree, node, side));
        }
    }
    return DW_OK;
}

static dw_status check_triangles(const dw_tree *tree, dw_error *err)
{
    for (uint32_t i = 0; i < tree->shape.triangle_count && !tree->is_over_boxes; i++)
        for (int corner = 0; corner < 3; corner++)
            if (tree->triangles[i].vertices[corner] >= tree->vertex_count)
                return dw_fail(err, DW_ERROR_ARGUMENT,
                               "positions must have a row for each vertex that the tree names: "
                               "triangle %u names vertex %u, positions has %u rows",
                               tree->triangles[i].primitive, tree->triangles[i].vertices[corner],
                               tree->vertex_count);
    for (uint32_t i = 0; i < tree->shape.triangle_count && tree->is_over_boxes; i++) {
        const uint32_t *vertices = tree->triangles[i].vertices;

        if ((vertices[0] | vertices[1] | vertices[2]) != 0u)
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "positions must have shape (vertices, 3): the tree is over triangles, "
                           "(boxes, 6) is for one over boxes");
        if (tree->triangles[i].primitive >= tree->shape.triangle_count)
            return dw_fail(err, DW_ERROR_ARGUMENT, "layout: item %u names box %u of %u", i,
                           tree->triangles[i].primitive, tree->shape.triangle_count);
    }
    return DW_OK;
}

dw_status dw_tree_check(const dw_tree *tree, uint32_t treelet_rows, dw_error *err)
{
    uint8_t *depths = NULL;

    DW_TRY(check_levels(&tree->shape, treelet_rows, err));
    DW_TRY(check_treelets(tree, err));
    DW_TRY(check_triangles(tree, err));
    DW_TRY(DW_ALLOC_ZEROED((size_t)tree->shape.node_count, &depths, err));
    DW_TRY(check_refs(tree, depths, err));
    dw_free(depths);
    return DW_OK;
fail:
    dw_free(depths);
    return err->code;
}

void dw_tree_mark_used(const dw_tree *tree, uint32_t *bits)
{
    for (uint32_t i = 0; i < tree->shape.triangle_count; i++)
        for (int corner = 0; corner < 3; corner++) {
            uint32_t vertex = tree->triangles[i].vertices[corner];

            bits[vertex >> 5] |= 1u << (vertex & 31u);
        }
}
