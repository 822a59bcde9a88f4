// SPDX-License-Identifier: MIT
// What the stages of a draw of particles share. Included behind DW_DEPTH_SAMPLER, the type of the
// surfaces' depth: sampler2D, or sampler2DMS of several samples.
#ifndef DW_LIB_PARTICLE_DRAW_GLSL
#define DW_LIB_PARTICLE_DRAW_GLSL

#include "lib/scene_light.glsl"
#include "shared/particle_style.h"

layout(set = 1, binding = DW_PARTICLE_DRAW_DEPTH) uniform DW_DEPTH_SAMPLER depth_texture;
layout(set = 1, binding = DW_PARTICLE_DRAW_SHADOW) uniform sampler2DShadow shadow_texture;
layout(set = 1, binding = DW_PARTICLE_DRAW_IMAGE) uniform sampler2D image_texture;

layout(scalar, push_constant) uniform push_block { dw_particle_push push; };

layout(constant_id = DW_PARTICLE_SPEC_BLEND) const uint blend = DW_PARTICLE_BLEND_ADD;
layout(constant_id = DW_PARTICLE_SPEC_FACE) const uint face = DW_PARTICLE_FACE_CAMERA;
layout(constant_id = DW_PARTICLE_SPEC_IMAGE) const uint image = DW_PARTICLE_IMAGE_GLOW;
layout(constant_id = DW_PARTICLE_SPEC_FLAGS) const uint flags = 0u;
layout(constant_id = DW_PARTICLE_SPEC_SAMPLES) const uint samples = 1u;

#define DW_RIGHT DW_VEC3(push.right, 0)
#define DW_UP    DW_VEC3(push.up, 0)

const float PI = 3.14159265358979;

bool dw_is(uint flag)
{
    return (flags & flag) != 0u;
}

#endif
