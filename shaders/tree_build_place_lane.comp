// SPDX-License-Identifier: MIT
// One invocation a treelet: its nodes and triangles one after the other.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/tree_place.glsl"

layout(local_size_x = 8) in;

#define WAITING_MAX (DW_TREE_DEPTH_MAX + DW_TREE_LEAF_MAX) /* a child for each node on the way */

uint slots[WAITING_MAX], ats[WAITING_MAX];
uint waiting;

void place_push(uint slot, uint at)
{
    slots[waiting] = slot;
    ats[waiting] = at;
    waiting++;
}

void place_item(uint triangle, uint place)
{
    place_triangle(triangle, place);
}

void main()
{
    uint treelet = gl_GlobalInvocationID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x * 8u;

    if (treelet >= push.treelet_count)
        return;
    waiting = 0u;
    place_read(treelet);
    place_begin(treelet);
    while (waiting > 0u) {
        waiting--;
        place_slot(slots[waiting], ats[waiting]);
    }
}
