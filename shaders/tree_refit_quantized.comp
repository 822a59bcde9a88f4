// SPDX-License-Identifier: MIT
// A refit of one level of treelets: boxes are planes of the mesh's grid.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require

#include "shared/tree_gpu.h"
#include "lib/tree_mesh.glsl"
#include "lib/tree_jobs.glsl"

#define DW_TREE_FAR 3.4028235e38f
#define tree_box    uvec3 // a word an axis

shared uint kept[2][3][DW_TREE_TREELET];

vec3 origin, steps, inverse; // the frame's

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
    return uvec3(DW_TREE_EMPTY);
}

tree_box box_of(vec3 low, vec3 high)
{
    return uvec3(dw_tree_planes(low.x, high.x, origin.x, steps.x, inverse.x),
                 dw_tree_planes(low.y, high.y, origin.y, steps.y, inverse.y),
                 dw_tree_planes(low.z, high.z, origin.z, steps.z, inverse.z));
}

tree_box box_join(tree_box a, tree_box b)
{
    return uvec3(dw_tree_union(a.x, b.x), dw_tree_union(a.y, b.y), dw_tree_union(a.z, b.z));
}

uvec3 box_planes(tree_box box)
{
    return box;
}

vec3 planes_at(uvec3 q)
{
    return vec3(dw_tree_plane(origin.x, steps.x, q.x), dw_tree_plane(origin.y, steps.y, q.y),
                dw_tree_plane(origin.z, steps.z, q.z));
}

vec3 box_low(tree_box box)
{
    return box == box_none() ? vec3(DW_TREE_FAR) : planes_at(box & 0xffffu);
}

vec3 box_high(tree_box box)
{
    return box == box_none() ? vec3(-DW_TREE_FAR) : planes_at(box >> 16);
}

void keep_box(uint side, uint at, tree_box box)
{
    kept[side][0][at] = box.x;
    kept[side][1][at] = box.y;
    kept[side][2][at] = box.z;
}

tree_box kept_box(uint side, uint at)
{
    return uvec3(kept[side][0][at], kept[side][1][at], kept[side][2][at]);
}

uvec2 node_refs(dw_tree_mesh from, uint node)
{
    tree_rows rows = tree_rows(tree_section(from, from.nodes));

    return uvec2(rows.data[2u * node].w, rows.data[2u * node + 1u].w);
}

tree_box node_box(dw_tree_mesh from, uint node)
{
    shared_rows rows = shared_rows(tree_section(from, from.nodes));

    return box_join(rows.data[2u * node].xyz, rows.data[2u * node + 1u].xyz);
}

void node_write(dw_tree_mesh to, uint node, uvec2 refs, tree_box left, tree_box right)
{
    row_write(to, 2u * node, uvec4(left, refs.x));
    row_write(to, 2u * node + 1u, uvec4(right, refs.y));
}

#include "lib/tree_refit_group.glsl"

void main()
{
    refit_group();
}
