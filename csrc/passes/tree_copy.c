/* SPDX-License-Identifier: MIT */
#include "passes/tree_copy.h"

#include "passes/tree_layout.h"

#include <string.h>

#define UNIT 16 /* bytes that section fields count */

/* A section of a tree's buffer and where it lies in host memory. */
typedef struct tree_part {
    uint64_t offset, bytes;
    void *data;
} tree_part;

#define PARTS_MAX 5

static void add_part(tree_part *parts, uint32_t *count, uint64_t offset, const void *data,
                     uint64_t bytes)
{
    if (bytes > 0)
        parts[(*count)++] = (tree_part) { offset, bytes, (void *)data };
}

static uint32_t list_parts(const dw_tree *tree, const dw_tree_mesh *mesh, tree_part *parts)
{
    const dw_tree_shape *shape = &tree->shape;
    bool is_f32 = tree->format == DW_NODE_FORMAT_F32;
    uint64_t node_bytes = 2 * (is_f32 ? sizeof(dw_tree_child_f32) : sizeof(dw_tree_child));
    uint32_t count = 0;

    add_part(parts, &count, (uint64_t)mesh->treelets * UNIT, tree->treelets,
             shape->treelet_count * (uint64_t)sizeof *tree->treelets);
    add_part(parts, &count, (uint64_t)mesh->nodes * UNIT, tree->nodes,
             shape->node_count * node_bytes);
    add_part(parts, &count, (uint64_t)mesh->triangles * UNIT, tree->triangles,
             shape->triangle_count * (uint64_t)sizeof *tree->triangles);
    return count;
}

static void make_head(const dw_tree *tree, uint32_t head[DW_TREE_HEAD_WORDS])
{
    float *root = (float *)head + DW_TREE_HEAD_ROOT;
    float low[3], high[3];

    memset(head, 0, DW_TREE_HEAD_WORDS * sizeof *head);
    memcpy(head + DW_TREE_HEAD_SHAPE, &tree->shape, sizeof tree->shape);
    memcpy(head + DW_TREE_HEAD_FRAME, &tree->frame, sizeof tree->frame);
    memcpy(head + DW_TREE_HEAD_SUMS, &tree->sums, sizeof tree->sums);
    for (int axis = 0; axis < 3; axis++) {
        root[axis] = 1.0f;
        root[3 + axis] = -1.0f;
        head[DW_TREE_HEAD_BOUNDS + axis] = UINT32_MAX;
    }
    if (dw_tree_root_box(tree, low, high)) {
        memcpy(root, low, sizeof low);
        memcpy(root + 3, high, sizeof high);
    }
}

static dw_status upload_parts(const dw_gpu_buffer *buffer, const tree_part *parts, uint32_t count,
                              const dw_run *run, dw_error *err)
{
    for (uint32_t i = 0; i < count; i++)
        if (dw_gpu_upload(buffer->gpu, buffer, parts[i].offset, parts[i].data, parts[i].bytes, run,
                          err) != DW_OK)
            return err->code;
    return DW_OK;
}

dw_status dw_tree_gpu_upload(dw_gpu *gpu, const dw_tree *tree, dw_gpu_buffer *buffer,
                             dw_tree_mesh *mesh, const dw_run *run, dw_error *err)
{
    uint32_t vertex_count = tree->is_over_boxes ? 0 : tree->vertex_count;
    dw_gpu_buffer made = { .gpu = NULL };
    uint32_t head[DW_TREE_HEAD_WORDS];
    dw_tree_mesh record = { 0 };
    tree_part parts[PARTS_MAX];
    uint32_t count;
    uint64_t bytes;

    bytes =
        dw_tree_gpu_layout(&tree->shape, tree->format, tree->is_over_boxes, vertex_count, &record);
    if (tree->used_vertices == NULL)
        record.used = 0;
    make_head(tree, head);
    count = list_parts(tree, &record, parts);
    add_part(parts, &count, 0, head, sizeof head);
    if (record.used != 0)
        add_part(parts, &count, (uint64_t)record.used * UNIT, tree->used_vertices,
                 ((uint64_t)vertex_count + 31) / 32 * sizeof(uint32_t));
    DW_TRY(dw_gpu_buffer_create_device(gpu, bytes, "tree", &made, err));
    DW_TRY(upload_parts(&made, parts, count, run, err));
    *buffer = made;
    *mesh = record;
    return DW_OK;
fail:
    dw_gpu_buffer_destroy(&made);
    return err->code;
}

dw_status dw_tree_gpu_download(const dw_gpu_buffer *buffer, const dw_tree_mesh *mesh, dw_tree *tree,
                               const dw_run *run, dw_error *err)
{
    uint32_t head[DW_TREE_HEAD_WORDS];
    tree_part parts[PARTS_MAX];
    uint32_t count = list_parts(tree, mesh, parts);

    for (uint32_t i = 0; i < count; i++)
        if (dw_gpu_download(buffer->gpu, buffer, parts[i].offset, parts[i].data, parts[i].bytes,
                            run, err) != DW_OK)
            return err->code;
    if (dw_gpu_download(buffer->gpu, buffer, 0, head, sizeof head, run, err) != DW_OK)
        return err->code;
    memcpy(&tree->frame, head + DW_TREE_HEAD_FRAME, sizeof tree->frame);
    memcpy(&tree->sums, head + DW_TREE_HEAD_SUMS, sizeof tree->sums);
    return DW_OK;
}

bool dw_tree_head_box(const uint32_t *head, float low[3], float high[3])
{
    memcpy(low, head + DW_TREE_HEAD_ROOT, 3 * sizeof *low);
    memcpy(high, head + DW_TREE_HEAD_ROOT + 3, 3 * sizeof *high);
    return low[0] <= high[0];
}
