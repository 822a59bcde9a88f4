// SPDX-License-Identifier: MIT
// The tree of plain Morton order: each range is a node over the ranges that it parts into.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/tree_climb.glsl"

layout(local_size_x = DW_TREE_LANES) in;

/* Of a range that another invocation finished. */
tree_cluster cluster_of(uint from, uint to)
{
    return tree_load(from, from != to);
}

void main()
{
    uint place = tree_group() * DW_TREE_LANES + gl_LocalInvocationIndex;
    tree_range range = tree_range_of(place);
    tree_cluster own = tree_load(min(place, push.count - 1u), false);
    bool is_climbing = place < push.count;

    if (push.count == 1u && place == 0u)
        tree_finish(own);
    while (is_climbing && push.count > 1u) {
        bool is_left = tree_is_left_child(range);

        range.count = 1u;
        tree_fence(); /* the cluster is stored before its range is left */
        is_climbing = tree_climb(range);
        if (is_climbing) {
            tree_fence();
            if (is_left)
                own = tree_join(own, cluster_of(range.split + 1u, range.right));
            else
                own = tree_join(cluster_of(range.left, range.split), own);
            if (tree_is_all(range)) {
                tree_finish(own);
                is_climbing = false;
            } else {
                tree_store(range.left, own);
            }
        }
    }
}
