// SPDX-License-Identifier: MIT
// A fragment in the sun and under the sky. The includer has shadow_texture and dw_is.
#ifndef DW_LIB_SCENE_LIT_GLSL
#define DW_LIB_SCENE_LIT_GLSL

#include "lib/scene_light.glsl"

const float PI = 3.14159265358979;

struct dw_lit_surface {
    float metallic;
    float roughness;
    float leaf; /* 0 to 1: light from behind goes through */
    float open; /* 0 to 1: how much of the sky it sees */
};

/* 1 in the sun, less in its shadow: four bilinear comparisons around the point. */
float dw_sunlight(vec3 at)
{
    float step_size = 0.7 / float(view.shadow_size[0]);
    /* behind all that the map reaches, nothing but what is drawn in it takes the sun */
    float depth = max(at.z, 0.0);
    float lit = 0.0;

    if (!dw_is(DW_SCENE_HAS_SHADOWS))
        return 1.0;
    for (int i = 0; i < 4; i++) {
        vec2 offset = vec2((i & 1) == 0 ? -step_size : step_size, i < 2 ? -step_size : step_size);

        lit += textureLod(shadow_texture, vec3(at.xy + offset, depth), 0.0);
    }
    return 1.0 - view.sun_color[3] * (1.0 - 0.25 * lit);
}

/* Lambert with a GGX highlight (Walter 2007) whose visibility is Karis's approximation. face: the
 * normal of the shape itself, which shadows fall on. */
vec3 dw_lit(dw_lit_surface surface, vec3 position, vec3 base, vec3 normal, vec3 face)
{
    vec3 to_camera = normalize(dw_to_camera(position));
    vec3 sun = DW_VEC3(view.sun_direction, 0);
    float metallic = surface.metallic;
    float alpha = max(surface.roughness * surface.roughness, 0.02);
    vec3 half_way = normalize(sun + to_camera);
    float nh = max(dot(normal, half_way), 0.0), nv = max(dot(normal, to_camera), 0.05);
    float nl = max(dot(normal, sun), 0.0);
    float spread = nh * nh * (alpha * alpha - 1.0) + 1.0;
    float k = 0.5 * alpha;
    vec3 f0 = mix(vec3(0.04), base, metallic);
    vec3 fresnel = f0 + (1.0 - f0) * pow(1.0 - max(dot(to_camera, half_way), 0.0), 5.0);
    vec3 highlight = fresnel * (alpha * alpha / (4.0 * PI * spread * spread)) /
                     ((nl * (1.0 - k) + k) * (nv * (1.0 - k) + k));
    vec3 diffuse = base * (1.0 - metallic) * dw_diffuse_share(normal, to_camera, surface.leaf);
    vec3 ambient = base * (1.0 - metallic) * dw_sky_light(normal.y) +
                   f0 * dw_sky_light(reflect(-to_camera, normal).y) * (1.0 - surface.roughness);

    return (diffuse + highlight * nl) * dw_sunlight(dw_shadow_place(position, face)) *
               DW_VEC3(view.sun_color, 0) +
           ambient * surface.open;
}

#endif
