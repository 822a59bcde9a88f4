/* SPDX-License-Identifier: MIT */
/* What rays pay for a tree: exact sums of areas in steps of the grid. */
#include "cpu/tree_refit.h"

static void add_products(uint64_t *sums, const uint32_t planes[3], uint32_t times)
{
    uint64_t x = dw_tree_extent(planes[0]), y = dw_tree_extent(planes[1]);
    uint64_t z = dw_tree_extent(planes[2]);

    sums[0] += x * y * times;
    sums[1] += y * z * times;
    sums[2] += z * x * times;
}

/* The child's box in planes of the frame, and its ref. */
static uint32_t take_child(const dw_tree *tree, const dw_tree_frame *frame, uint32_t node, int side,
                           uint32_t planes[3])
{
    const dw_tree_child *child = (const dw_tree_child *)tree->nodes + 2u * (size_t)node + side;
    const dw_tree_child_f32 *wide =
        (const dw_tree_child_f32 *)tree->nodes + 2u * (size_t)node + side;

    if (tree->format == DW_NODE_FORMAT_QUANTIZED) {
        planes[0] = child->x;
        planes[1] = child->y;
        planes[2] = child->z;
        return child->ref;
    }
    for (int axis = 0; axis < 3; axis++)
        planes[axis] = wide->low[axis] > wide->high[axis]
                           ? DW_TREE_EMPTY
                           : dw_tree_planes(wide->low[axis], wide->high[axis], frame->origin[axis],
                                            frame->step[axis], frame->inverse[axis]);
    return wide->ref;
}

void dw_refit_add_sums(const dw_tree *tree, const dw_tree_frame *frame,
                       const dw_tree_treelet *treelet, dw_refit_totals *totals)
{
    uint32_t planes[3], other[3];

    for (uint32_t i = 0; i < treelet->node_count; i++)
        for (int side = 0; side < 2; side++) {
            uint32_t ref = take_child(tree, frame, treelet->first_node + i, side, planes);

            if (DW_TREE_IS_NODE(ref))
                add_products(totals->inner, planes, 1);
            else if (DW_TREE_IS_LEAF(ref))
                add_products(totals->leaves, planes, DW_TREE_LEAF_COUNT(ref));
        }
    if (treelet->first_node != 0u)
        return;
    take_child(tree, frame, 0, 0, planes);
    take_child(tree, frame, 0, 1, other);
    for (int axis = 0; axis < 3; axis++)
        planes[axis] = dw_tree_union(planes[axis], other[axis]);
    add_products(totals->inner, planes, 1);
}

static bool root_planes(const dw_tree *tree, float low[3], float high[3])
{
    const dw_tree_child *root = tree->nodes;
    const uint32_t words[2][3] = { { root[0].x, root[0].y, root[0].z },
                                   { root[1].x, root[1].y, root[1].z } };

    for (int axis = 0; axis < 3; axis++) {
        uint32_t planes = dw_tree_union(words[0][axis], words[1][axis]);

        if ((planes & 0xffffu) > planes >> 16)
            return false;
        low[axis] =
            dw_tree_plane(tree->frame.origin[axis], tree->frame.step[axis], planes & 0xffffu);
        high[axis] = dw_tree_plane(tree->frame.origin[axis], tree->frame.step[axis], planes >> 16);
    }
    return true;
}

static bool root_floats(const dw_tree *tree, float low[3], float high[3])
{
    const dw_tree_child_f32 *root = tree->nodes;

    for (int axis = 0; axis < 3; axis++) {
        low[axis] = root[0].low[axis] < root[1].low[axis] ? root[0].low[axis] : root[1].low[axis];
        high[axis] =
            root[0].high[axis] > root[1].high[axis] ? root[0].high[axis] : root[1].high[axis];
        if (low[axis] > high[axis])
            return false;
    }
    return true;
}

bool dw_tree_root_box(const dw_tree *tree, float low[3], float high[3])
{
    if (tree->frame.is_empty != 0u)
        return false;
    return tree->format == DW_NODE_FORMAT_F32 ? root_floats(tree, low, high)
                                              : root_planes(tree, low, high);
}

/* Half the area that three sums of products stand for. */
static double area_of(const uint32_t words[6], const dw_tree_frame *frame)
{
    double x = frame->step[0], y = frame->step[1], z = frame->step[2];
    double sums[3];

    for (int i = 0; i < 3; i++)
        sums[i] = (double)((uint64_t)words[2 * i + 1] << 32 | words[2 * i]);
    return sums[0] * x * y + sums[1] * y * z + sums[2] * z * x;
}

dw_tree_cost dw_tree_cost_of(const dw_tree_sums *sums, const dw_tree_frame *frame,
                             const float low[3], const float high[3])
{
    double x = (double)high[0] - low[0], y = (double)high[1] - low[1];
    double z = (double)high[2] - low[2];
    dw_tree_cost cost = { .root_area = x * y + y * z + z * x };

    if (cost.root_area > 0.0) {
        cost.inner = area_of(sums->inner, frame) / cost.root_area;
        cost.leaves = area_of(sums->leaves, frame) / cost.root_area;
    }
    return cost;
}

dw_tree_cost dw_tree_get_cost(const dw_tree *tree)
{
    float low[3], high[3];

    if (!dw_tree_root_box(tree, low, high))
        return (dw_tree_cost) { 0 };
    return dw_tree_cost_of(&tree->sums, &tree->frame, low, high);
}
