// SPDX-License-Identifier: MIT
// A refit of one level of treelets: boxes are floats.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require

#include "shared/tree_gpu.h"
#include "lib/tree_mesh.glsl"
#include "lib/tree_jobs.glsl"

#define DW_TREE_FAR 3.4028235e38f

struct tree_box {
    vec3 low, high;
};

shared float kept[2][6][DW_TREE_TREELET];

vec3 origin, steps, inverse; // the frame's, for sums

void load_frame(dw_tree_mesh from)
{
    tree_floats head = tree_floats(tree_section(from, 0u));

    for (uint i = 0u; i < 3u; i++) {
        origin[i] = head.data[DW_TREE_HEAD_FRAME + i];
        steps[i] = head.data[DW_TREE_HEAD_FRAME + 3u + i];
        inverse[i] = head.data[DW_TREE_HEAD_FRAME + 6u + i];
    }
}

tree_box box_none()
{
    return tree_box(vec3(DW_TREE_FAR), vec3(-DW_TREE_FAR));
}

tree_box box_of(vec3 low, vec3 high)
{
    return tree_box(low, high);
}

tree_box box_join(tree_box a, tree_box b)
{
    return tree_box(min(a.low, b.low), max(a.high, b.high));
}

uvec3 box_planes(tree_box box)
{
    if (box.low.x > box.high.x)
        return uvec3(DW_TREE_EMPTY);
    return uvec3(dw_tree_planes(box.low.x, box.high.x, origin.x, steps.x, inverse.x),
                 dw_tree_planes(box.low.y, box.high.y, origin.y, steps.y, inverse.y),
                 dw_tree_planes(box.low.z, box.high.z, origin.z, steps.z, inverse.z));
}

vec3 box_low(tree_box box)
{
    return box.low;
}

vec3 box_high(tree_box box)
{
    return box.high;
}

void keep_box(uint side, uint at, tree_box box)
{
    for (uint i = 0u; i < 3u; i++) {
        kept[side][i][at] = box.low[i];
        kept[side][3u + i][at] = box.high[i];
    }
}

tree_box kept_box(uint side, uint at)
{
    return tree_box(vec3(kept[side][0][at], kept[side][1][at], kept[side][2][at]),
                    vec3(kept[side][3][at], kept[side][4][at], kept[side][5][at]));
}

uvec2 node_refs(dw_tree_mesh from, uint node)
{
    tree_rows rows = tree_rows(tree_section(from, from.nodes));

    return uvec2(rows.data[4u * node].w, rows.data[4u * node + 2u].w);
}

tree_box node_box(dw_tree_mesh from, uint node)
{
    shared_rows rows = shared_rows(tree_section(from, from.nodes));
    tree_box left = tree_box(uintBitsToFloat(rows.data[4u * node].xyz),
                             uintBitsToFloat(rows.data[4u * node + 1u].xyz));
    tree_box right = tree_box(uintBitsToFloat(rows.data[4u * node + 2u].xyz),
                              uintBitsToFloat(rows.data[4u * node + 3u].xyz));

    return box_join(left, right);
}

void node_write(dw_tree_mesh to, uint node, uvec2 refs, tree_box left, tree_box right)
{
    row_write(to, 4u * node, uvec4(floatBitsToUint(left.low), refs.x));
    row_write(to, 4u * node + 1u, uvec4(floatBitsToUint(left.high), 0u));
    row_write(to, 4u * node + 2u, uvec4(floatBitsToUint(right.low), refs.y));
    row_write(to, 4u * node + 3u, uvec4(floatBitsToUint(right.high), 0u));
}

#include "lib/tree_refit_group.glsl"

void main()
{
    refit_group();
}
