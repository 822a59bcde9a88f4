// SPDX-License-Identifier: MIT
// Each item as a cluster, whose box is in unit space, and its Morton code.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/tree_build.glsl"

layout(local_size_x = DW_TREE_LANES) in;

float scale;
vec3 origin;
uvec3 bits;

void read_bounds()
{
    vec3 high;

    for (int axis = 0; axis < 3; axis++) {
        origin[axis] = dw_tree_from_ordered(~TREE_HEAD.at[DW_TREE_BUILD_LOW + axis]);
        high[axis] = dw_tree_from_ordered(TREE_HEAD.at[DW_TREE_BUILD_HIGH + axis]);
    }
    scale = dw_tree_unit_scale(max(max(dw_tree_difference(high.x, origin.x),
                                       dw_tree_difference(high.y, origin.y)),
                                   dw_tree_difference(high.z, origin.z)));
    for (int axis = 0; axis < 3; axis++)
        bits[axis] = dw_tree_cell_bits(dw_tree_unit(high[axis], origin[axis], scale));
}

void main()
{
    uint item = tree_group() * DW_TREE_LANES + gl_LocalInvocationIndex;

    if (item >= push.count)
        return;
    tree_quads boxes = tree_quads(tree_section(DW_TREE_AT_BOXES));
    uvec4 a = boxes.at[2u * item], b = boxes.at[2u * item + 1u];
    uint code = 0xffffffffu;
    vec3 low = vec3(1.0), high = vec3(1.0);

    if (b.z != 0u) {
        vec3 box_low = uintBitsToFloat(a.xyz), box_high = uintBitsToFloat(uvec3(a.w, b.xy));
        uvec3 cells;

        read_bounds();
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = dw_tree_unit(box_low[axis], origin[axis], scale);
            high[axis] = dw_tree_unit(box_high[axis], origin[axis], scale);
            cells[axis] = dw_tree_cell(low[axis], high[axis]);
        }
        code = dw_tree_morton(cells.x, cells.y, cells.z, bits.x, bits.y, bits.z);
    }
    float area =
        dw_tree_half_area(dw_tree_difference(high.x, low.x), dw_tree_difference(high.y, low.y),
                          dw_tree_difference(high.z, low.z));

    boxes.at[2u * item] = floatBitsToUint(vec4(low, high.x));
    boxes.at[2u * item + 1u] = uvec4(floatBitsToUint(vec3(high.yz, area)), DW_TREE_META_LEAF(1u));
    tree_words(tree_section(DW_TREE_AT_CODES)).at[item] = code;
}
