// SPDX-License-Identifier: MIT
// One triangle over the whole picture, as far away as can be.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "shared/scene.h"

layout(scalar, set = 0, binding = DW_SCENE_VIEW) readonly buffer view_block { dw_scene_view view; };
layout(location = 0) out vec3 out_ray;

void main()
{
    vec2 at = vec2((gl_VertexIndex & 1) * 2, gl_VertexIndex & 2);

    gl_Position = vec4(2.0 * at - 1.0, 0.0, 1.0);
    for (int i = 0; i < 3; i++)
        out_ray[i] = view.rays[i] + at.x * view.rays[4 + i] + at.y * view.rays[8 + i];
}
