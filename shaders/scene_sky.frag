// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "shared/scene.h"

layout(scalar, set = 0, binding = DW_SCENE_VIEW) readonly buffer view_block { dw_scene_view view; };
layout(location = 0) in vec3 in_ray;
layout(location = 0) out vec4 out_color;
layout(location = 1) out vec4 out_id;

vec3 three(float a[4])
{
    return vec3(a[0], a[1], a[2]);
}

void main()
{
    vec3 ray = normalize(in_ray);
    float toward = max(dot(ray, three(view.sun_direction)), 0.0);
    vec3 above = mix(three(view.sky_horizon), three(view.sky_zenith),
                     1.0 - pow(1.0 - max(ray.y, 0.0), 3.0));
    vec3 color = ray.y >= 0.0 ? above
                              : mix(three(view.sky_horizon), three(view.sky_ground),
                                    min(-4.0 * ray.y, 1.0));
    float haze = exp(-abs(ray.y) * 12.0) * min(view.fog_color[3] * 400.0, 1.0);

    color = mix(color, three(view.fog_color), haze * view.fog_shape[2]);
    color += three(view.sun_color) * (0.10 * pow(toward, 8.0) + 0.25 * pow(toward, 64.0));
    if (toward > view.sun_direction[3])
        color += three(view.sun_color) * 4.0;
    out_color = vec4(color, 1.0);
    out_id = vec4(0.0);
}
