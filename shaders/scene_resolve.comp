// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "lib/scene_resolve.glsl"

layout(set = 1, binding = 0) uniform sampler2D color_texture;
layout(set = 1, binding = 1) uniform sampler2D depth_texture;
layout(set = 1, binding = 2) uniform sampler2D id_texture;

void main()
{
    uvec2 pixel = gl_GlobalInvocationID.xy;
    ivec2 at = ivec2(pixel);
    vec4 sum = vec4(0.0);

    if (pixel.x >= view.size[0] || pixel.y >= view.size[1])
        return;
    vec3 light = speck_light(pixel);
    for (int i = 0; i < int(samples); i++)
        sum += toned(lit(texelFetch(color_texture, at, 0), light));
    write_pixel(pixel, sum, texelFetch(depth_texture, at, 0).r,
                packUnorm4x8(texelFetch(id_texture, at, 0)));
}
