// SPDX-License-Identifier: MIT
// Each item's box, and the box around all vertices in range that triangles name, or around all
// boxes in range. Items without a box are counted, and the first triangle that names no vertex is
// found.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/tree_build.glsl"

layout(local_size_x = DW_TREE_WIDE_LANES) in;

shared uint most[DW_TREE_BUILD_BAD_ROW + 1];

uvec3 bound_low, bound_high; // as the head keeps them
uint inactive, bad_row;

void take(vec3 low, vec3 high)
{
    for (int axis = 0; axis < 3; axis++) {
        bound_low[axis] = max(bound_low[axis], ~dw_tree_ordered(low[axis]));
        bound_high[axis] = max(bound_high[axis], dw_tree_ordered(high[axis]));
    }
}

/* All its vertices in range count, if the others are or not. */
tree_item take_triangle(uint row)
{
    uvec3 indices = tree_indices(row);
    tree_item item = { vec3(3.0e38), vec3(-3.0e38), true };

    if (!tree_is_indexed(indices)) {
        bad_row = max(bad_row, ~row);
        item.is_active = false;
    }
    for (int corner = 0; corner < 3 && bad_row != ~row; corner++) {
        uvec3 bits = tree_vertex(indices[corner]);

        if (tree_is_in_range(bits)) {
            vec3 at = tree_coordinates(bits);

            item.low = min(item.low, at);
            item.high = max(item.high, at);
        } else {
            item.is_active = false;
        }
    }
    if (item.low.x <= item.high.x)
        take(item.low, item.high);
    return item;
}

tree_item take_box(uint row)
{
    tree_item item = tree_box(row);

    if (item.is_active)
        take(item.low, item.high);
    return item;
}

void main()
{
    uint lane = gl_LocalInvocationIndex;
    uint step = gl_NumWorkGroups.x * DW_TREE_WIDE_LANES;

    tree_quads boxes = tree_quads(tree_section(DW_TREE_AT_BOXES));

    bound_low = bound_high = uvec3(0u);
    inactive = bad_row = 0u;
    if (lane <= DW_TREE_BUILD_BAD_ROW)
        most[lane] = 0u;
    barrier();
    for (uint item = gl_GlobalInvocationID.x; item < push.count; item += step) {
        tree_item box = tree_is_over_boxes() ? take_box(item) : take_triangle(item);

        inactive += box.is_active ? 0u : 1u;
        boxes.at[2u * item] = floatBitsToUint(vec4(box.low, box.high.x));
        boxes.at[2u * item + 1u] = uvec4(floatBitsToUint(box.high.yz), box.is_active ? 1u : 0u, 0u);
    }
    for (int axis = 0; axis < 3; axis++) {
        atomicMax(most[DW_TREE_BUILD_LOW + axis], bound_low[axis]);
        atomicMax(most[DW_TREE_BUILD_HIGH + axis], bound_high[axis]);
    }
    if (inactive != 0u)
        atomicAdd(most[DW_TREE_BUILD_INACTIVE], inactive);
    if (bad_row != 0u)
        atomicMax(most[DW_TREE_BUILD_BAD_ROW], bad_row);
    barrier();
    if (lane <= DW_TREE_BUILD_BAD_ROW && most[lane] != 0u) {
        if (lane == DW_TREE_BUILD_INACTIVE)
            atomicAdd(TREE_HEAD.at[lane], most[lane]);
        else
            atomicMax(TREE_HEAD.at[lane], most[lane]);
    }
}
