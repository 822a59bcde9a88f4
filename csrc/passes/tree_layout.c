/* SPDX-License-Identifier: MIT */
#include "passes/tree_layout.h"

#include <string.h>

#define UNIT 16 /* bytes that section fields count */

/* The place of a section of that many bytes; *end moves behind it. */
static uint32_t add_section(uint64_t *end, uint64_t bytes)
{
    uint64_t begin = *end;

    *end =
        (begin + bytes + DW_TREE_SECTION_BYTES - 1) / DW_TREE_SECTION_BYTES * DW_TREE_SECTION_BYTES;
    return (uint32_t)(begin / UNIT);
}

uint64_t dw_tree_gpu_layout(const dw_tree_shape *shape, dw_node_format format, bool is_over_boxes,
                            uint32_t vertex_count, dw_tree_mesh *mesh)
{
    bool is_f32 = format == DW_NODE_FORMAT_F32;
    uint64_t node_bytes = 2 * (is_f32 ? sizeof(dw_tree_child_f32) : sizeof(dw_tree_child));
    uint64_t used_bytes = ((uint64_t)vertex_count + 31) / 32 * sizeof(uint32_t);
    uint64_t end = DW_TREE_HEAD_WORDS * sizeof(uint32_t);

    mesh->flags = (is_f32 ? DW_TREE_IS_F32 : 0) | (is_over_boxes ? DW_TREE_IS_OVER_BOXES : 0);
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = shape->triangle_count;
    mesh->level_count = shape->level_count;
    memcpy(mesh->level_first, shape->level_first, sizeof mesh->level_first);
    memcpy(mesh->level_treelets, shape->level_treelets, sizeof mesh->level_treelets);
    mesh->treelets = add_section(&end, shape->treelet_count * sizeof(dw_tree_treelet));
    mesh->sums = add_section(&end, shape->treelet_count * (uint64_t)DW_TREE_SUMS_WORDS * 4);
    mesh->nodes = add_section(&end, shape->node_count * node_bytes);
    mesh->triangles = add_section(&end, shape->triangle_count * sizeof(dw_tree_triangle));
    add_section(&end, shape->node_count); /* runs */
    mesh->used = is_over_boxes ? 0 : add_section(&end, used_bytes);
    return end;
}
