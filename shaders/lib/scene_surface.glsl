// SPDX-License-Identifier: MIT
// The look of a fragment: cutouts, normals, light, fog. Included by fragment shaders.
#ifndef DW_LIB_SCENE_SURFACE_GLSL
#define DW_LIB_SCENE_SURFACE_GLSL

#include "lib/scene.glsl"
#include "lib/scene_lit.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_texture;
layout(location = 3) in vec4 in_color;
layout(location = 4) in vec2 in_place;
layout(location = 5) flat in uvec4 in_instance;
/* Of early light, which reads neither position, normal nor colour: what passes between the stages
 * is dear. dw_shadow_place, and the rim's strength; the sun's part of the colour, and the fog's
 * amount; the sky's part, and alpha. */
layout(location = 6) in vec4 in_shadow;
layout(location = 7) in vec4 in_sun;
layout(location = 8) in vec4 in_sky;

/* How far along the dissolve's way, from 0 to 1. The distance from the axis is of the fragment:
 * between vertices it is not linear. */
float dw_place()
{
    float place =
        push.dissolve == DW_DISSOLVE_DIRECTION_RADIAL ? length(in_place) : in_place.x;

    return clamp(place, 0.0, 1.0);
}

/* What patterns by instance go by: the row of a tree, whatever else is in the scene. */
uint dw_own_number()
{
    return in_instance.y - (dw_is(DW_SCENE_IS_FOREST) ? push.id_base : 0u);
}

/* Of early light without the vertex's colour, which the light holds. */
vec4 dw_base_color(dw_scene_material material)
{
    if (dw_is(DW_SCENE_IS_FAR))
        return texture(base_texture, in_texture);
    if (dw_is(DW_SCENE_IS_EARLY))
        return texture(base_texture, in_texture) * vec4(1.0, 1.0, 1.0, in_sky.a);
    return texture(base_texture, in_texture) * in_color * DW_VEC4(material.base_color, 0);
}

/* The tangent frame from derivatives (Schueler 2006), so that meshes need no tangents. Rows of
 * pixels run down and a normal may point away: the frame's hand is that of the derivatives. */
vec3 dw_mapped_normal(vec3 normal, float strength)
{
    vec3 px = dFdx(in_position), py = dFdy(in_position);
    vec2 tx = dFdx(in_texture), ty = dFdy(in_texture);
    vec3 across = cross(py, normal), along = cross(normal, px);
    float hand = dot(px, across) < 0.0 ? -1.0 : 1.0;
    vec3 tangent = hand * (across * tx.x + along * ty.x);
    vec3 bitangent = hand * (across * tx.y + along * ty.y);
    float size = max(dot(tangent, tangent), dot(bitangent, bitangent));
    vec3 stored = texture(normal_texture, in_texture).xyz * 2.0 - 1.0;

    if (size <= 0.0)
        return normal;
    stored.xy *= strength;
    return normalize(mat3(tangent * inversesqrt(size), -bitangent * inversesqrt(size), normal) *
                     stored);
}

vec3 dw_shading_normal(dw_scene_material material)
{
    vec3 normal = normalize(in_normal);

    /* leaves keep their canopy's normal on both faces: light goes through them */
    if (!gl_FrontFacing && material.surface[3] == 0.0)
        normal = -normal;
    if (dw_is(DW_SCENE_HAS_NORMALS))
        normal = dw_mapped_normal(normal, material.emissive[3]);
    return normal;
}

/* Lambert with a highlight, in the sun and under the sky. */
vec3 dw_lit_color(dw_scene_material material, vec3 base, vec3 normal)
{
    dw_lit_surface surface =
        dw_lit_surface(material.surface[0], material.surface[1], material.surface[3], 1.0);

    return dw_lit(surface, in_position, base, normal, normal);
}

/* The glow around a highlighted tree: a lift, and a rim where the surface turns away. */
vec3 dw_highlighted(vec3 color, float rim)
{
    vec3 glow = color + 0.08 + vec3(push.rim[0], push.rim[1], push.rim[2]) * rim;

    return mix(color, glow, float(in_instance.w & 255u) * (1.0 / 255.0));
}

vec3 dw_surface_color(dw_scene_material material, vec3 base)
{
    bool is_highlighted = (in_instance.w & 255u) != 0u;
    vec3 color, normal;

    if (dw_is(DW_SCENE_IS_UNLIT))
        return base;
    if (dw_is(DW_SCENE_IS_EARLY)) {
        color = dw_is(DW_SCENE_IS_FAR)
                    ? base * in_sun.rgb
                    : base * (in_sun.rgb * dw_sunlight(in_shadow.xyz) + in_sky.rgb);
        return is_highlighted ? dw_highlighted(color, in_shadow.w) : color;
    }
    normal = dw_shading_normal(material);
    color = dw_lit_color(material, base, normal);
    return is_highlighted ? dw_highlighted(color, dw_rim(in_position, normal)) : color;
}

vec4 dw_shaded(dw_scene_material material, vec4 base)
{
    vec3 color = dw_surface_color(material, base.rgb) + DW_VEC3(material.emissive, 0);
    float fog = dw_is(DW_SCENE_IS_EARLY) ? in_sun.a : dw_fog_amount(in_position);

    return vec4(mix(color, DW_VEC3(view.fog_color, 0), fog),
                dw_is(DW_SCENE_IS_BLENDED) ? base.a : 1.0);
}

/* How much of the pixel a texel's alpha covers. The chain holds averaged alpha; where the texture
 * is magnified, the edge at the cutoff is drawn one pixel wide instead of a texel (Golus 2017). The
 * width comes of inputs alone: beside a triangle some devices load zeros from buffers. */
float dw_covered_share(dw_scene_material material, float alpha)
{
    float level = textureQueryLod(base_texture, in_texture).y;
    float width = fwidth(texture(base_texture, in_texture).a * in_color.a) * material.base_color[3];
    float sharp = clamp((alpha - material.surface[2]) / max(width, 1e-4) + 0.5, 0.0, 1.0);

    return mix(sharp, alpha, clamp(level, 0.0, 1.0));
}

/* The samples that a share of them covers: each pixel gets the whole number below or above, by its
 * rank, so that the mean over a tile of ranks is exact. Which ones come first depends on the card
 * and the pixel, so that two cards that overlap do not cover the same. */
uint dw_covered_samples(float share, uvec2 pixel)
{
    uint card = in_instance.w >> 8u;
    uint rank = dw_cutout_rank(pixel, card);
    uint count = uint(share * float(DW_CUTOUT_RANKS * samples) + 0.5);
    uint first = (card >> 12u) + rank;
    uint mask = 0u;

    for (uint i = 0u; i < samples; i++) {
        if (i * DW_CUTOUT_RANKS + rank < count)
            mask |= 1u << (i + first) % samples;
    }
    return mask;
}

#endif
