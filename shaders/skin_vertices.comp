// SPDX-License-Identifier: MIT
// One vertex of a mesh in a pose by each invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "shared/skin.h"

layout(local_size_x = DW_SKIN_LANES) in;
layout(constant_id = 0) const uint FLAGS = 0u;

/* Planes of vertex_count each. */
layout(scalar, set = 0, binding = 0) readonly buffer place_block { float places[]; };
layout(scalar, set = 0, binding = 1) readonly buffer normal_block { float normals[]; };
layout(scalar, set = 0, binding = 2) readonly buffer joint_block { uint joints[]; };
layout(scalar, set = 0, binding = 3) readonly buffer weight_block { float weights[]; };
layout(scalar, set = 0, binding = 4) readonly buffer delta_block { float deltas[]; };
layout(scalar, set = 0, binding = 5) readonly buffer target_block { dw_skin_target targets[]; };
/* Three rows a joint: as vectors of known alignment, so that a row is one load. */
layout(std430, set = 0, binding = 6) readonly buffer matrix_block { vec4 rows[]; };
/* These two may be one buffer, of interleaved vertices. */
layout(scalar, set = 0, binding = 7) writeonly buffer place_out_block { float places_out[]; };
layout(scalar, set = 0, binding = 8) writeonly buffer normal_out_block { float normals_out[]; };
layout(scalar, push_constant) uniform constants { dw_skin_push push; };

dw_skin_matrix load_matrix(uint joint)
{
    dw_skin_matrix m;

    for (uint i = 0u; i < 3u; i++) {
        vec4 row = rows[3u * joint + i];

        m.rows[4u * i] = row.x;
        m.rows[4u * i + 1u] = row.y;
        m.rows[4u * i + 2u] = row.z;
        m.rows[4u * i + 3u] = row.w;
    }
    return m;
}

dw_skin_matrix blend(uint vertex)
{
    uint word = joints[vertex];
    dw_skin_matrix first = load_matrix(DW_SKIN_JOINT(word, 0u));
    dw_skin_matrix sum = first;

    for (uint i = 1u; i < push.influence_count; i++) {
        float weight = weights[(i - 1u) * push.vertex_count + vertex];
        dw_skin_matrix other;

        if (weight == 0.0) /* they descend */
            break;
        if ((i & 1u) == 0u)
            word = joints[(i >> 1) * push.vertex_count + vertex];
        other = load_matrix(DW_SKIN_JOINT(word, i));
        for (uint k = 0u; k < 12u; k++)
            sum.rows[k] = dw_skin_blend(sum.rows[k], first.rows[k], other.rows[k], weight);
    }
    for (uint k = 0u; k < 12u; k++)
        sum.rows[k] = dw_skin_tidy(sum.rows[k], DW_SKIN_TINY);
    return sum;
}

void morph(uint vertex, inout dw_skin_vector p, inout dw_skin_vector n)
{
    for (uint i = 0u; i < push.target_count; i++) {
        dw_skin_target target = targets[i];
        uint plane = target.end - target.begin;
        uint at = target.first + vertex - target.begin;

        if (vertex < target.begin || vertex >= target.end)
            continue;
        p.x = dw_skin_morph(p.x, deltas[at], target.weight);
        p.y = dw_skin_morph(p.y, deltas[at + plane], target.weight);
        p.z = dw_skin_morph(p.z, deltas[at + 2u * plane], target.weight);
        if ((FLAGS & DW_SKIN_HAS_TARGET_NORMALS) == 0u)
            continue;
        n.x = dw_skin_morph(n.x, deltas[at + 3u * plane], target.weight);
        n.y = dw_skin_morph(n.y, deltas[at + 4u * plane], target.weight);
        n.z = dw_skin_morph(n.z, deltas[at + 5u * plane], target.weight);
    }
    p.x = dw_skin_tidy(p.x, DW_SKIN_TINY);
    p.y = dw_skin_tidy(p.y, DW_SKIN_TINY);
    p.z = dw_skin_tidy(p.z, DW_SKIN_TINY);
    n.x = dw_skin_tidy(n.x, DW_SKIN_TINY_WEIGHT);
    n.y = dw_skin_tidy(n.y, DW_SKIN_TINY_WEIGHT);
    n.z = dw_skin_tidy(n.z, DW_SKIN_TINY_WEIGHT);
}

void put(uint vertex, dw_skin_vector p, dw_skin_vector n)
{
    uint at = push.position_first + vertex * push.position_stride;

    places_out[at] = dw_skin_put(p.x, push.scale, push.tiny);
    places_out[at + 1u] = dw_skin_put(p.y, push.scale, push.tiny);
    places_out[at + 2u] = dw_skin_put(p.z, push.scale, push.tiny);
    if ((FLAGS & DW_SKIN_HAS_NORMALS) == 0u)
        return;
    at = push.normal_first + vertex * push.normal_stride;
    normals_out[at] = n.x;
    normals_out[at + 1u] = n.y;
    normals_out[at + 2u] = n.z;
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint vertex = group * DW_SKIN_LANES + gl_LocalInvocationIndex;
    uint plane = push.vertex_count;
    dw_skin_vector p, n = dw_skin_vector(0.0, 0.0, 0.0), moved;
    dw_skin_matrix m;

    if (vertex >= plane)
        return;
    p = dw_skin_vector(places[vertex], places[plane + vertex], places[2u * plane + vertex]);
    if ((FLAGS & DW_SKIN_HAS_NORMALS) != 0u)
        n = dw_skin_vector(normals[vertex], normals[plane + vertex], normals[2u * plane + vertex]);
    morph(vertex, p, n);
    if ((FLAGS & DW_SKIN_HAS_MATRICES) == 0u) {
        put(vertex, p, dw_skin_unit(n));
        return;
    }
    if ((FLAGS & DW_SKIN_HAS_JOINTS) != 0u)
        m = blend(vertex);
    else
        m = load_matrix(0u);
    moved.x = dw_skin_move(m.rows[0], m.rows[1], m.rows[2], m.rows[3], p.x, p.y, p.z);
    moved.y = dw_skin_move(m.rows[4], m.rows[5], m.rows[6], m.rows[7], p.x, p.y, p.z);
    moved.z = dw_skin_move(m.rows[8], m.rows[9], m.rows[10], m.rows[11], p.x, p.y, p.z);
    put(vertex, moved, dw_skin_turn(m, n));
}
