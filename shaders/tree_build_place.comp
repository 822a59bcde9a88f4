// SPDX-License-Identifier: MIT
// One workgroup a treelet: its nodes level by level, then its triangles in order.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/tree_place.glsl"

#define LANES 32u

layout(local_size_x = LANES) in;

shared uint slots[DW_TREE_TREELET], ats[DW_TREE_TREELET];
shared uint places[DW_TREE_TREELET];
shared uint waiting;

void place_push(uint slot, uint at)
{
    uint to = atomicAdd(waiting, 1u);

    slots[to] = slot;
    ats[to] = at;
}

void place_item(uint triangle, uint place)
{
    places[triangle] = place;
}

void main()
{
    uint lane = gl_LocalInvocationIndex;
    uint treelet = tree_group();
    uint begin = 0u, end = 0u;

    if (treelet >= push.treelet_count)
        return;
    if (lane == 0u)
        waiting = 0u;
    barrier();
    place_read(treelet);
    if (lane == 0u)
        place_begin(treelet);
    for (;;) {
        barrier();
        begin = end;
        end = waiting;
        barrier();
        if (begin == end)
            break;
        for (uint i = begin + lane; i < end; i += LANES)
            place_slot(slots[i], ats[i]);
    }
    for (uint i = lane; i < place_treelet.triangle_count; i += LANES)
        place_triangle(i, places[i]);
}
