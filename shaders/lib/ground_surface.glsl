// SPDX-License-Identifier: MIT
// What a fragment of a terrain is made of. Gradients are explicit: materials change from pixel to
// pixel, where implicit ones would be of two textures.
#ifndef DW_LIB_GROUND_SURFACE_GLSL
#define DW_LIB_GROUND_SURFACE_GLSL

#include "lib/ground.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec2 in_local;
layout(location = 2) flat in uint in_node;

/* Where a fragment is, and what a pixel covers there. */
struct dw_ground_place {
    uvec2 corner; /* heights' cells */
    vec2 local;   /* from the corner */
    vec2 dx, dy;  /* of local, to the next pixels */
    vec2 map;     /* map units from the node's one */
    vec2 cell;    /* noise cells from the node's one */
    float cells_per_pixel;
    float pixels_per_unit;
};

/* Materials, each by its share and its strength. */
struct dw_ground_mix {
    vec3 color;
    vec2 relief; /* rise of the surface along x and z */
    float roughness;
    float amount;
};

float dw_widest(vec2 dx, vec2 dy, vec2 ratio)
{
    return max(length(dx * ratio), length(dy * ratio));
}

dw_ground_place dw_ground_here()
{
    dw_ground_node node = nodes[in_node];
    vec2 cells = vec2(look.cell_ratio[0], look.cell_ratio[1]);
    vec2 units = vec2(look.cell_ratio[2], look.cell_ratio[3]);
    dw_ground_place at;

    at.corner = uvec2(node.x, node.z);
    at.local = in_local;
    at.dx = dFdx(in_local);
    at.dy = dFdy(in_local);
    at.map = vec2(node.map_fx, node.map_fz) + in_local * units;
    at.cell = vec2(node.cell_fx, node.cell_fz) + in_local * cells;
    at.cells_per_pixel = dw_widest(at.dx, at.dy, cells);
    at.pixels_per_unit = 1.0 / max(dw_widest(at.dx, at.dy, units), 1e-20);
    return at;
}

float dw_smooth(float x)
{
    x = clamp(x, 0.0, 1.0);
    return x * x * (3.0 - 2.0 * x);
}

/* Within 0 to 1 over the map, of an image with so many texels over its sides. */
vec2 dw_ground_uv(dw_ground_place at)
{
    return (vec2(at.corner) + at.local) / vec2(look.size[0] - 1u, look.size[1] - 1u);
}

/* The middle of the texel, where texels are to be seen. */
vec2 dw_ground_texel(vec2 uv, vec2 side)
{
    return dw_is(DW_GROUND_IS_PIXELS) ? (floor(uv * side) + 0.5) / side : uv;
}

vec3 dw_ground_macro(dw_ground_place at)
{
    vec2 per_cell = 1.0 / vec2(look.size[0] - 1u, look.size[1] - 1u);
    vec2 uv = dw_ground_texel(dw_ground_uv(at), vec2(look.texel[2], look.texel[3]));

    return textureGrad(macro_texture, uv, at.dx * per_cell, at.dy * per_cell).rgb;
}

/* The rise along x and z, and how open it is to the sky. */
vec3 dw_ground_slope(dw_ground_place at)
{
    vec2 texel = vec2(look.texel[0], look.texel[1]);
    vec2 uv = (vec2(at.corner) + at.local + 0.5) * texel;
    vec3 slope = textureGrad(slope_texture, uv, at.dx * texel, at.dy * texel).xyz;

    return vec3(slope.xy, 1.0 - look.detail[1] * (1.0 - slope.z));
}

/* Shares of four materials, as expected around a fragment. */
vec4 dw_ground_shares(dw_ground_place at, uint layer)
{
    vec2 per_cell = 1.0 / vec2(look.size[0] - 1u, look.size[1] - 1u);

    return textureGrad(share_texture, vec3(dw_ground_uv(at), float(layer)), at.dx * per_cell,
                       at.dy * per_cell);
}

void dw_ground_add(inout dw_ground_mix sum, dw_ground_place at, uint slot, float share)
{
    dw_ground_surface surface = surfaces[slot];
    float amount = share * surface.strength;
    vec2 whole = vec2(at.corner * surface.tile_step) * 2.3283064365386963e-10; /* 2^-32 */
    vec2 uv = dw_ground_texel(whole + at.local * surface.tile, vec2(look.detail[0]));
    vec3 place = vec3(uv, float(slot));
    vec2 dx = at.dx * surface.tile, dy = at.dy * surface.tile;

    sum.color += amount * DW_VEC3(surface.color, 0) *
                 textureGrad(albedo_texture, place, dx, dy).rgb;
    sum.roughness += amount * surface.roughness;
    sum.amount += amount;
    if (dw_is(DW_GROUND_HAS_NORMALS)) {
        vec2 stored = textureGrad(normal_texture, place, dx, dy).xy * 2.0 - 1.0;

        /* down the picture is along z */
        sum.relief += amount * surface.relief * vec2(-stored.x, stored.y);
    }
}

/* All materials, as many taps as there are shares. */
dw_ground_mix dw_ground_expected(dw_ground_place at)
{
    dw_ground_mix sum = dw_ground_mix(vec3(0.0), vec2(0.0), 0.0, 0.0);

    for (uint layer = 0u; 4u * layer < material_count; layer++) {
        vec4 shares = dw_ground_shares(at, layer);

        for (uint i = 0u; i < 4u && 4u * layer + i < material_count; i++) {
            if (shares[i] > 0.0)
                dw_ground_add(sum, at, 4u * layer + i, shares[i]);
        }
    }
    return sum;
}

void dw_ground_blend(inout dw_ground_mix to, dw_ground_mix with, float share)
{
    to.color = mix(to.color, with.color, share);
    to.relief = mix(to.relief, with.relief, share);
    to.roughness = mix(to.roughness, with.roughness, share);
    to.amount = mix(to.amount, with.amount, share);
}

#endif
