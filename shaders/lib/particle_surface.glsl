// SPDX-License-Identifier: MIT
// The look of a particle's fragment.
#ifndef DW_LIB_PARTICLE_SURFACE_GLSL
#define DW_LIB_PARTICLE_SURFACE_GLSL

#include "lib/particle_draw.glsl"
#include "lib/particle_depth.glsl"
#include "lib/particle_image.glsl"

layout(location = 0) in vec2 in_place;
layout(location = 1) flat in vec4 in_color;
layout(location = 2) flat in vec4 in_sun;
layout(location = 3) flat in vec2 in_turn;
layout(location = 4) flat in uvec2 in_words;

/* A variant for each particle, which stays with it. */
uint dw_variant()
{
    return in_words.x & 0xffffu;
}

float dw_age()
{
    return float(in_words.x >> 16u) * (1.0 / 65536.0);
}

/* 1 far in front of the surfaces, 0 where it meets them: the mean of the samples it shows in. */
float dw_soft_share()
{
    if (!dw_is(DW_STYLE_IS_SOFT))
        return 1.0;
    vec2 seen = dw_seen(ivec2(gl_FragCoord.xy), gl_FragCoord.z);

    return seen.y > 0.0 ? seen.x / seen.y : 0.0;
}

/* Colours multiplied by alpha, of one frame. Levels end where a frame is one texel. */
vec4 dw_frame(uint number, vec2 at, float level)
{
    vec2 grid = vec2(push.columns, push.rows);
    vec2 texels = vec2(textureSize(image_texture, 0)) / grid;
    vec2 edge = min(0.5 * exp2(ceil(level)) / texels, vec2(0.5));
    vec2 corner = vec2(number % push.columns, number / push.columns);
    vec4 texel =
        textureLod(image_texture, (corner + clamp(at, edge, 1.0 - edge)) / grid, level);

    if (blend != DW_PARTICLE_BLEND_PREMULTIPLIED)
        texel.rgb *= texel.a;
    return texel;
}

vec4 dw_flipbook()
{
    vec2 at = vec2(0.5 + 0.5 * in_place.x, 0.5 - 0.5 * in_place.y);
    vec2 grid = vec2(push.columns, push.rows);
    vec2 texels = vec2(textureSize(image_texture, 0)) / grid;
    float level = clamp(textureQueryLod(image_texture, at / grid).y, 0.0,
                        floor(log2(min(texels.x, texels.y))));
    uint last = push.columns * push.rows - 1u;
    uint number = min(in_words.x >> 8u & 255u, last);

    return mix(dw_frame(number, at, level), dw_frame(min(number + 1u, last), at, level),
               float(in_words.x & 255u) * (1.0 / 256.0));
}

/* What sun and sky give to a point whose normal is that in the picture's plane: z towards the
 * camera. Light goes through and around: it wraps. */
vec3 dw_particle_light(vec3 normal, float wrap)
{
    vec3 toward = -DW_VEC3(view.forward, 0);
    vec3 right = DW_RIGHT * in_turn.x + DW_UP * in_turn.y;
    vec3 up = DW_UP * in_turn.x - DW_RIGHT * in_turn.y;
    vec3 world = right * normal.x + up * normal.y + toward * normal.z;
    float incidence = dot(world, DW_VEC3(view.sun_direction, 0));

    if (face == DW_PARTICLE_FACE_FLAT)
        world = vec3(0.0, 1.0, 0.0);
    return dw_sky_light(world.y) + in_sun.rgb * max((incidence + wrap) / (1.0 + wrap), 0.0);
}

/* A ball's normal, pressed flat. */
vec3 dw_ball(vec2 place, float height)
{
    return vec3(height * place, sqrt(max(1.0 - height * height * dot(place, place), 0.0)));
}

vec4 dw_flame_color()
{
    vec2 fire = dw_flame(in_place, dw_variant(), float(in_words.y) * (1.0 / 65536.0),
                         vec2(push.risen, push.risen_fine), uvec2(push.period, push.period_fine));
    float glow = fire.x * (1.0 - smoothstep(0.3, 1.0, dw_age()));

    return vec4(mix(in_color.rgb, push.glow * vec3(1.0, 0.9, 0.4), fire.y * fire.y) * 1.5 * glow,
                1.0) * glow;
}

vec4 dw_puff_color()
{
    float density = dw_puff(in_place, dw_variant(), dw_age());
    vec3 color = in_color.rgb;

    if (dw_is(DW_STYLE_IS_LIT)) {
        vec3 normal = dw_ball(in_place, 0.9);
        /* lumps: thinner towards where the light comes from is brighter */
        vec3 right = DW_RIGHT * in_turn.x + DW_UP * in_turn.y;
        vec3 up = DW_UP * in_turn.x - DW_RIGHT * in_turn.y;
        vec3 sun = DW_VEC3(view.sun_direction, 0);
        vec2 to_sun = 0.22 * vec2(dot(right, sun), dot(up, sun));
        float lump = density - dw_puff(in_place + to_sun, dw_variant(), dw_age());

        color *= dw_particle_light(normal, 0.8) * (1.0 + 0.45 * lump);
    }
    return vec4(color, 1.0) * density;
}

vec4 dw_chip_color()
{
    vec3 chip = dw_chip(in_place, dw_variant());
    float cover = clamp(chip.x / max(fwidth(chip.x), 1e-4) + 0.5, 0.0, 1.0);
    vec3 color = in_color.rgb * (0.8 + 0.4 * dw_cell_value(ivec2(7, 7), dw_variant()));

    if (dw_is(DW_STYLE_IS_LIT))
        color *= dw_particle_light(normalize(vec3(chip.yz, 0.8)), 0.3);
    return vec4(color, 1.0) * cover;
}

vec4 dw_plain_color(float cover)
{
    vec3 color = in_color.rgb;

    if (dw_is(DW_STYLE_IS_LIT))
        color *= dw_particle_light(dw_ball(in_place, 0.6), 0.6);
    return vec4(color, 1.0) * cover;
}

/* Light and what it covers, before opacity. */
vec4 dw_picture()
{
    switch (image) {
    case DW_PARTICLE_IMAGE_GLOW:
        return dw_plain_color(dw_glow(in_place, push.sharpness));
    case DW_PARTICLE_IMAGE_RING:
        return dw_plain_color(dw_ring(in_place));
    case DW_PARTICLE_IMAGE_FLAME:
        return dw_flame_color();
    case DW_PARTICLE_IMAGE_PUFF:
        return dw_puff_color();
    case DW_PARTICLE_IMAGE_CHIP:
        return dw_chip_color();
    case DW_PARTICLE_IMAGE_STREAK:
        return dw_plain_color(dw_streak(in_place));
    default:
        return dw_flipbook() * dw_plain_color(1.0);
    }
}

/* What is blended: multiplied by opacity, in fog. Light that is added fades in it. */
vec4 dw_particle_color()
{
    vec4 color = dw_picture() * (in_color.a * dw_soft_share());

    if (blend != DW_PARTICLE_BLEND_ADD) {
        color.rgb = mix(color.rgb, DW_VEC3(view.fog_color, 0) * color.a, in_sun.a);
        return color;
    }
    color.rgb *= 1.0 - in_sun.a;
    /* over nothing, light covers as much as it is strong */
    color.a = clamp(max(max(color.r, color.g), color.b), 0.0, 1.0);
    return color;
}

#endif
