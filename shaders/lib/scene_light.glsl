// SPDX-License-Identifier: MIT
// Light and air at a point, for vertices and fragments alike.
#ifndef DW_LIB_SCENE_LIGHT_GLSL
#define DW_LIB_SCENE_LIGHT_GLSL

#include "lib/scene_view.glsl"

vec3 dw_sky_light(float up)
{
    vec3 above = mix(DW_VEC3(view.sky_horizon, 0), DW_VEC3(view.sky_zenith, 0), max(up, 0.0));

    return 0.7 * mix(DW_VEC3(view.sky_ground, 0), above, 0.5 + 0.5 * up);
}

/* Where the sun's map has a point, and its depth there: a little off the surface, on the side of
 * the normal that is lit. */
vec3 dw_shadow_place(vec3 position, vec3 normal)
{
    vec4 moved = vec4(position + normal * view.depth_terms[2], 1.0);
    vec3 at = DW_PROJECT(view.shadow_projection, moved).xyz;

    return vec3(at.xy * 0.5 + 0.5, at.z);
}

/* The share of the sun that a surface passes on, diffusely. A leaf (0 to 1) is lit softly past the
 * terminator, and glows when the sun is behind it. */
float dw_diffuse_share(vec3 normal, vec3 to_camera, float leaf)
{
    vec3 sun = DW_VEC3(view.sun_direction, 0);
    float incidence = dot(normal, sun);
    float wrapped = max((incidence + 0.5 * leaf) / (1.0 + 0.5 * leaf), 0.0);
    float behind = max(dot(-to_camera, sun), 0.0);

    behind *= behind;
    return wrapped + leaf * behind * behind * (1.0 - 0.5 * max(incidence, 0.0));
}

/* How strongly the rim of a highlighted tree glows at a point. */
float dw_rim(vec3 position, vec3 normal)
{
    float facing = dot(normal, normalize(dw_to_camera(position)));

    return 0.4 * pow(1.0 - clamp(abs(facing), 0.0, 1.0), 2.5);
}

/* How much of the fog's colour lies between the camera and a point: air is denser near the
 * ground. */
float dw_fog_amount(vec3 position)
{
    if (view.fog_color[3] == 0.0)
        return 0.0;
    vec3 ray = position - DW_VEC3(view.position, 0);
    float path = length(ray);
    float fall = view.fog_shape[0];
    float start = exp(-fall * max(view.position[1] - view.fog_shape[1], -20.0));
    float climb = fall * ray.y;
    float mean = abs(climb) > 1e-3 ? (1.0 - exp(-clamp(climb, -30.0, 30.0))) / climb : 1.0;

    return min(1.0 - exp(-view.fog_color[3] * path * start * mean), view.fog_shape[2]);
}

#endif
