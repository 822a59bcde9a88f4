// SPDX-License-Identifier: MIT
// Terrain: the macro colour, and near enough the detail of its materials; of one where a noise cell
// is a pixel or more, of all where it is not.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "lib/ground_surface.glsl"
#include "lib/ground_choice.glsl"
#include "lib/scene_lit.glsl"

layout(early_fragment_tests) in;
layout(location = 0) out vec4 out_color;
layout(location = 1) out vec4 out_id; // four bytes of the number: every device has samples of it

const float BARE = 0.95; /* roughness of the macro colour */

/* Sixteen hues that neighbours differ in; what is empty is black. */
vec3 hue(uint id)
{
    vec3 turn = fract(float(id) * 0.61803398875 + vec3(0.0, 2.0, 1.0) / 3.0);
    vec3 pure = clamp(abs(turn * 6.0 - 3.0) - 1.0, 0.0, 1.0);

    return id == law.empty_id ? vec3(0.0) : mix(vec3(0.5), pure, 0.8) * (1.0 - 0.15 * (id & 3u));
}

vec3 debug_color(dw_ground_place at, out uint id)
{
    vec3 sum = vec3(0.0);

    id = 0u;
    if (shown == DW_GROUND_SHOWS_IDS) {
        uint chosen = dw_ground_chosen(at);

        id = chosen < material_count ? law.ids[chosen] : law.empty_id;
        return hue(id);
    }
    dw_ground_texels texels = dw_ground_fetch(at);

    if (shown == DW_GROUND_SHOWS_CHANNEL)
        return vec3(dw_ground_weight(texels, look.show[1]));
    for (uint i = 0u; i < material_count; i++) {
        uint slot = law.slots[i];

        sum += hue(law.ids[i]) * (shown == DW_GROUND_SHOWS_EXPECTATION
                                      ? dw_ground_shares(at, slot >> 2u)[slot & 3u]
                                      : dw_ground_weight(texels, slot));
    }
    return sum;
}

/* Of all materials where the footprint asks for it, else of one. */
dw_ground_mix detail_of(dw_ground_place at)
{
    dw_ground_mix sum = dw_ground_mix(vec3(0.0), vec2(0.0), 0.0, 0.0);
    float all = dw_is(DW_GROUND_IS_SMOOTH)
                    ? 1.0
                    : dw_smooth((at.cells_per_pixel - law.fade_begin) * law.fade_scale);

    if (all < 1.0) {
        uint chosen = dw_ground_chosen(at);

        if (chosen < material_count)
            dw_ground_add(sum, at, law.slots[chosen], 1.0);
    }
    if (all >= 1.0)
        return dw_ground_expected(at);
    if (all > 0.0)
        dw_ground_blend(sum, dw_ground_expected(at), all);
    return sum;
}

void main()
{
    dw_ground_place at = dw_ground_here();
    uint id = 0u;

    if (shown != DW_GROUND_SHOWS_COLOR) {
        out_color = vec4(debug_color(at, id), 1.0);
        out_id = unpackUnorm4x8(look.show[0] + id);
        return;
    }
    float zoom = dw_smooth((at.pixels_per_unit - law.zoom_begin) * law.zoom_scale);
    dw_ground_mix sum = dw_ground_mix(vec3(0.0), vec2(0.0), 0.0, 0.0);

    if (zoom > 0.0)
        sum = detail_of(at);
    float rest = max(1.0 - zoom * sum.amount, 0.0);
    vec3 base = zoom * sum.color;

    if (rest > 0.0)
        base += rest * dw_ground_macro(at);
    out_id = unpackUnorm4x8(look.show[0]);
    out_color = vec4(base, 1.0);
    if (dw_is(DW_GROUND_IS_UNLIT))
        return;
    vec3 slope = at.slope;
    vec3 face = normalize(vec3(-slope.x, 1.0, -slope.y));
    vec2 rise = zoom * sum.relief;
    vec3 normal = normalize(face - rise.x * normalize(vec3(1.0, slope.x, 0.0)) -
                            rise.y * normalize(vec3(0.0, slope.y, 1.0)));
    dw_lit_surface surface =
        dw_lit_surface(0.0, rest * BARE + zoom * sum.roughness, 0.0, slope.z);
    vec3 color = dw_lit(surface, in_position, base, normal, face);

    out_color.rgb = mix(color, DW_VEC3(view.fog_color, 0), dw_fog_amount(in_position));
}
