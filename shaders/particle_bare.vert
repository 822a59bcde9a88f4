// SPDX-License-Identifier: MIT
// Quads of one size all over the picture, of nothing but their number: what a draw of particles is
// measured against.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "shared/dither.h"
#include "shared/particle_style.h"

layout(scalar, push_constant) uniform push_block { dw_particle_push push; };

void main()
{
    uint word = dw_hash(gl_InstanceIndex);
    vec2 centre = unpackSnorm2x16(word) * 0.98;
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1) * 2.0 - 1.0;

    gl_Position = vec4(centre + corner * vec2(push.sharpness, push.stretch), 0.5, 1.0);
}
