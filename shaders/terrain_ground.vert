// SPDX-License-Identifier: MIT
// A vertex of a terrain's patch. Away from the camera odd vertices glide onto the even ones before
// them, those of the next level; where that begins the two levels have the very same vertices.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "lib/ground.glsl"

layout(location = 0) out vec3 out_position;
layout(location = 1) out vec2 out_local; // heights' cells from the node's corner
layout(location = 2) flat out uint out_node;

vec3 place(uvec2 at)
{
    vec2 plane = vec2(look.origin[0], look.origin[2]) + vec2(at) * look.origin[3];

    return vec3(plane.x, heights[at.y * look.size[0] + at.x], plane.y);
}

/* 0: where the level has it; 1: where the next level does. */
float glided(vec3 at, uint level)
{
    vec2 away = at.xz - vec2(look.camera[0], look.camera[1]);
    float distance = sqrt(dot(away, away) + look.camera[2]);

    if (look.morph[1] == 0.0)
        return look.morph[2];
    return clamp((distance / float(1u << level) - look.morph[0]) * look.morph[1], 0.0, 1.0);
}

void main()
{
    dw_ground_node node = nodes[gl_InstanceIndex];
    uvec2 corner = uvec2(node.x, node.z), last = uvec2(look.size[0], look.size[1]) - 1u;
    uvec2 step_at = (corner >> node.level) + uvec2(gl_VertexIndex % (DW_GROUND_PATCH + 1u),
                                                   gl_VertexIndex / (DW_GROUND_PATCH + 1u));
    uvec2 own = min(step_at << node.level, last);
    uvec2 next = min((step_at & ~1u) << node.level, last);
    vec3 position = place(own);
    float share = glided(position, node.level);

    out_local = vec2(own - corner);
    if (share >= 1.0) {
        position = place(next);
        out_local = vec2(ivec2(next - corner));
    } else if (share > 0.0) {
        position = mix(position, place(next), share);
        out_local = mix(out_local, vec2(ivec2(next - corner)), share);
    }
    out_position = position;
    out_node = gl_InstanceIndex;
    gl_Position = dw_is(DW_SCENE_IS_SHADOW)
                      ? DW_PROJECT(view.shadow_projection, vec4(position, 1.0))
                      : DW_PROJECT(view.view_projection, vec4(position, 1.0));
}
