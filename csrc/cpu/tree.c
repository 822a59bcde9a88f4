/* SPDX-License-Identifier: MIT */
#include "cpu/tree.h"

#include "base/alloc.h"

#include <string.h>

static size_t node_size(dw_node_format format)
{
    return 2 * (format == DW_NODE_FORMAT_F32 ? sizeof(dw_tree_child_f32) : sizeof(dw_tree_child));
}

static size_t used_words(const dw_tree *tree)
{
    return tree->used_vertices == NULL ? 0 : ((size_t)tree->vertex_count + 31) / 32;
}

void dw_tree_destroy(dw_tree *tree)
{
    if (tree == NULL)
        return;
    dw_free(tree->nodes);
    dw_free(tree->triangles);
    dw_free(tree->treelets);
    dw_free(tree->used_vertices);
    dw_free(tree);
}

dw_status dw_tree_create(const dw_tree_shape *shape, dw_node_format format, uint32_t vertex_count,
                         dw_tree **out, dw_error *err)
{
    dw_tree *tree = NULL;

    DW_TRY(DW_ALLOC_ZEROED(1, &tree, err));
    tree->shape = *shape;
    tree->format = format;
    tree->vertex_count = vertex_count;
    DW_TRY(dw_alloc_array(shape->node_count, node_size(format), "tree nodes", &tree->nodes, err));
    DW_TRY(DW_ALLOC(shape->triangle_count, &tree->triangles, err));
    DW_TRY(DW_ALLOC(shape->treelet_count, &tree->treelets, err));
    DW_TRY(DW_ALLOC_ZEROED(((size_t)vertex_count + 31) / 32, &tree->used_vertices, err));
    *out = tree;
    return DW_OK;
fail:
    dw_tree_destroy(tree);
    return err->code;
}

static void *copy_bytes(void *to, const void *from, size_t size_bytes)
{
    return size_bytes == 0 ? to : memcpy(to, from, size_bytes);
}

dw_status dw_tree_copy(const dw_tree *tree, dw_tree **out, dw_error *err)
{
    size_t nodes = tree->shape.node_count, triangles = tree->shape.triangle_count;
    size_t treelets = tree->shape.treelet_count, size = node_size(tree->format);
    dw_tree *copy = NULL;

    DW_TRY(DW_ALLOC(1, &copy, err));
    *copy = *tree;
    copy->nodes = NULL;
    copy->triangles = NULL;
    copy->treelets = NULL;
    copy->used_vertices = NULL;
    DW_TRY(dw_alloc_array(nodes, size, "tree nodes", &copy->nodes, err));
    DW_TRY(DW_ALLOC(triangles, &copy->triangles, err));
    DW_TRY(DW_ALLOC(treelets, &copy->treelets, err));
    DW_TRY(DW_ALLOC(used_words(tree), &copy->used_vertices, err));
    copy_bytes(copy->nodes, tree->nodes, nodes * size);
    copy_bytes(copy->triangles, tree->triangles, triangles * sizeof *tree->triangles);
    copy_bytes(copy->treelets, tree->treelets, treelets * sizeof *tree->treelets);
    copy_bytes(copy->used_vertices, tree->used_vertices, used_words(tree) * sizeof(uint32_t));
    *out = copy;
    return DW_OK;
fail:
    dw_tree_destroy(copy);
    return err->code;
}
