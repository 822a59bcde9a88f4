// SPDX-License-Identifier: MIT
// What a fragment of a terrain is made of. Gradients are explicit: materials change from pixel to
// pixel, where implicit ones would be of two textures.
#ifndef DW_LIB_GROUND_SURFACE_GLSL
#define DW_LIB_GROUND_SURFACE_GLSL

#include "shared/dither.h"
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
    vec3 slope;   /* dw_ground_slope */
    vec3 step_x, step_y; /* of the position, to the next pixels */
    float cells_per_pixel;
    float pixels_per_unit;
    bool is_steep; /* tiles are seen from the side */
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

/* The rise along x and z, and how open it is to the sky. */
vec3 dw_ground_slope(dw_ground_place at)
{
    vec2 texel = vec2(look.texel[0], look.texel[1]);
    vec2 uv = (vec2(at.corner) + at.local + 0.5) * texel;
    vec3 slope = textureGrad(slope_texture, uv, at.dx * texel, at.dy * texel).xyz;

    return vec3(slope.xy, 1.0 - look.detail[1] * (1.0 - slope.z));
}

/* From a rise of 1 on, of some cells from 0.7, of others from 1.3: so the border is a dithered one,
 * too, while cells can be seen. */
bool dw_ground_steep(dw_ground_place at, dw_ground_node node)
{
    uvec2 cell = uvec2(ivec2(node.cell_x, node.cell_z) + ivec2(floor(at.cell)));
    float chance = float(dw_dither_hash(cell.x, cell.y, 7u)) / 16384.0;

    return length(at.slope.xy) > (at.cells_per_pixel < 0.5 ? 0.7 + 0.6 * chance : 1.0);
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
    at.step_x = dFdx(in_position);
    at.step_y = dFdy(in_position);
    at.slope = dw_ground_slope(at);
    at.is_steep = dw_ground_steep(at, node);
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

/* Shares of four materials, as expected around a fragment. */
vec4 dw_ground_shares(dw_ground_place at, uint layer)
{
    vec2 per_cell = 1.0 / vec2(look.size[0] - 1u, look.size[1] - 1u);

    return textureGrad(share_texture, vec3(dw_ground_uv(at), float(layer)), at.dx * per_cell,
                       at.dy * per_cell);
}

/* Where on its tile, and how far to the next pixels. */
void dw_ground_tile(dw_ground_place at, dw_ground_surface surface, out vec2 uv, out vec2 dx,
                    out vec2 dy)
{
    bool is_along_x = abs(at.slope.y) > abs(at.slope.x);

    uv = vec2(at.corner * surface.tile_step) * 2.3283064365386963e-10 + /* 2^-32 */
         at.local * surface.tile;
    dx = at.dx * surface.tile;
    dy = at.dy * surface.tile;
    if (!at.is_steep || surface.cliff == 0.0)
        return;
    uv = vec2(is_along_x ? uv.x : uv.y, -in_position.y * surface.cliff);
    dx = vec2(is_along_x ? dx.x : dx.y, -at.step_x.y * surface.cliff);
    dy = vec2(is_along_x ? dy.x : dy.y, -at.step_y.y * surface.cliff);
}

/* The rise along x and z that a normal map has; down its picture is along z, or down. */
vec2 dw_ground_relief(dw_ground_place at, dw_ground_surface surface, vec2 stored)
{
    if (!at.is_steep || surface.cliff == 0.0)
        return vec2(-stored.x, stored.y);
    if (abs(at.slope.y) > abs(at.slope.x))
        return vec2(-stored.x, -stored.y * sign(at.slope.y));
    return vec2(-stored.y * sign(at.slope.x), -stored.x);
}

void dw_ground_add(inout dw_ground_mix sum, dw_ground_place at, uint slot, float share)
{
    dw_ground_surface surface = surfaces[slot];
    float amount = share * surface.strength;
    vec2 uv, dx, dy;

    dw_ground_tile(at, surface, uv, dx, dy);
    vec3 place = vec3(dw_ground_texel(uv, vec2(look.detail[0])), float(slot));

    sum.color += amount * DW_VEC3(surface.color, 0) *
                 textureGrad(albedo_texture, place, dx, dy).rgb;
    sum.roughness += amount * surface.roughness;
    sum.amount += amount;
    if (dw_is(DW_GROUND_HAS_NORMALS))
        sum.relief +=
            amount * surface.relief *
            dw_ground_relief(at, surface,
                             textureGrad(normal_texture, place, dx, dy).xy * 2.0 - 1.0);
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
