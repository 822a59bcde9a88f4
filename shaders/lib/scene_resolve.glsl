// SPDX-License-Identifier: MIT
// From a pixel's samples to the picture: each sample is toned by itself, so that bright edges stay
// smooth, and sub-frames are averaged as light.
#ifndef DW_LIB_SCENE_RESOLVE_GLSL
#define DW_LIB_SCENE_RESOLVE_GLSL

#include "shared/particle_style.h"
#include "shared/scene.h"

layout(local_size_x = 8, local_size_y = 8) in;
layout(scalar, set = 0, binding = 0) readonly buffer view_block { dw_scene_view view; };
layout(scalar, set = 0, binding = 1) buffer sum_block { vec4 sums[]; };
layout(scalar, set = 0, binding = 2) writeonly buffer color_block { uint colors[]; };
layout(scalar, set = 0, binding = 3) writeonly buffer depth_block { float depths[]; };
layout(scalar, set = 0, binding = 4) writeonly buffer id_block { uint ids[]; };

layout(scalar, set = 0, binding = 5) readonly buffer speck_block { uint specks[]; };

layout(constant_id = 0) const uint samples = 1u;
layout(constant_id = 1) const uint has_specks = 0u;

/* Light as it is up to 0.6, then ever less, towards 1. */
vec3 tone(vec3 light)
{
    const float knee = DW_SCENE_TONE_KNEE;
    vec3 over = max(light - knee, 0.0) / (1.0 - knee);

    return min(light, knee) + (1.0 - knee) * (over / (1.0 + over));
}

float encode(float light)
{
    return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1.0 / 2.4) - 0.055;
}

/* Metres along the view; infinite where nothing was drawn. */
float distance_of(float depth)
{
    if (depth <= 0.0)
        return uintBitsToFloat(0x7f800000u);
    return view.depth_terms[3] != 0.0 ? view.depth_terms[0] + view.depth_terms[1] * depth
                                      : view.depth_terms[0] / (depth + view.depth_terms[1]);
}

/* The light of particles whose glow is less than a pixel. */
vec3 speck_light(uvec2 pixel)
{
    uint at = DW_SPECK_WORDS * (pixel.y * view.size[0] + pixel.x);
    vec3 light = vec3(0.0);

    if (has_specks == 0u)
        return light;
    for (uint i = 0u; i < 3u; i++)
        light[i] = float(specks[at + 2u * i]) * 5.9604644775390625e-8 +
                   256.0 * float(specks[at + 2u * i + 1u]);
    return light;
}

/* Over nothing, light covers as much as it is strong. */
vec4 lit(vec4 color, vec3 light)
{
    float cover = clamp(max(max(light.r, light.g), light.b), 0.0, 1.0);

    return vec4(color.rgb + light, color.a + (1.0 - color.a) * cover);
}

vec4 toned(vec4 color)
{
    vec3 light = color.a > 0.0 ? color.rgb / color.a : vec3(0.0);

    /* what a half cannot hold is infinite on some devices, and its tone would be no number */
    light = min(light * view.sky_horizon[3], 65504.0);
    light = view.shadow_size[2] != 0u ? tone(light) : min(light, 1.0);
    return vec4(light * color.a, color.a);
}

/* sum: toned samples, premultiplied by coverage. */
void write_pixel(uvec2 pixel, vec4 sum, float depth, uint id)
{
    uint at = pixel.y * view.size[0] + pixel.x;
    uint frames = view.size[3];

    if (view.size[2] > 0u)
        sum += sums[at];
    if (view.size[2] + 1u < frames)
        sums[at] = sum;
    if (view.size[2] == 0u) {
        depths[at] = distance_of(depth);
        ids[at] = id;
    }
    if (view.size[2] + 1u < frames)
        return;
    sum /= float(frames * samples);
    if (sum.a > 0.0)
        sum.rgb /= sum.a;
    colors[at] = packUnorm4x8(vec4(encode(sum.r), encode(sum.g), encode(sum.b), sum.a));
}

#endif
