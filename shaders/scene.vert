// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "lib/scene.glsl"
#include "lib/scene_light.glsl"

layout(location = 0) out vec3 out_position;
layout(location = 1) out vec3 out_normal;
layout(location = 2) out vec2 out_texture;
layout(location = 3) out vec4 out_color;
layout(location = 4) out vec2 out_place; // what dissolves run along: x and z, or the height
// Fade word, id, dissolve bits, and the highlight's 8 bits below 24 of a number for the card.
layout(location = 5) flat out uvec4 out_instance;
layout(location = 6) out vec4 out_shadow;
layout(location = 7) out vec4 out_sun;
layout(location = 8) out vec4 out_sky;

struct vertex {
    vec3 position;
    vec3 normal;
    vec2 texture_at;
    vec4 color;
};

vec3 unpack_normal(uint word)
{
    vec2 plane = unpackSnorm2x16(word);
    vec3 normal = vec3(plane, 1.0 - abs(plane.x) - abs(plane.y));
    float under = max(-normal.z, 0.0);

    normal.x += normal.x >= 0.0 ? -under : under;
    normal.y += normal.y >= 0.0 ? -under : under;
    return normalize(normal);
}

vertex fetch(uint index)
{
    uint at = index * DW_VERTEX_WORDS;

    return vertex(vec3(uintBitsToFloat(vertices[at]), uintBitsToFloat(vertices[at + 1u]),
                       uintBitsToFloat(vertices[at + 2u])),
                  unpack_normal(vertices[at + 3u]),
                  vec2(uintBitsToFloat(vertices[at + 4u]), uintBitsToFloat(vertices[at + 5u])),
                  unpackUnorm4x8(vertices[at + 6u]));
}

/* A number for each card of each object, so that cards behind one another choose pixels and
 * samples on their own. The corners of a quad are four vertices in a row, as a rule. */
uint card_number(uint own)
{
    return dw_hash(own ^ dw_hash(gl_VertexIndex >> 2u));
}

/* Sideways displacement of leaves, in metres, of a tree that stands at `base`. */
float sway(vec3 base, float height, float leaf)
{
    float phase = 0.013 * base.x + 0.017 * base.z;
    float seconds = view.wind[3];
    float wave = 0.65 * sin(1.8 * seconds + phase) + 0.35 * sin(3.2 * seconds + 0.6 * phase);

    return wave * push.sway * view.wind[2] * abs(height) * DW_SCENE_SWAY * leaf;
}

/* A card's corner, turned about its own y to face the camera; the view that it shows depends on
 * where the camera stands around the object. */
void turn_card(inout vertex v, dw_scene_material material, vec3 rows[3], vec3 base)
{
    vec3 to_camera = dw_to_camera(base);
    vec3 local = vec3(dot(to_camera, vec3(rows[0].x, rows[1].x, rows[2].x)), 0.0,
                      dot(to_camera, vec3(rows[0].z, rows[1].z, rows[2].z)));
    vec2 facing = dot(local.xz, local.xz) > 0.0 ? normalize(local.xz) : vec2(0.0, 1.0);
    float views = material.card[0];
    float turn = atan(facing.x, facing.y) * (0.5 / 3.14159265358979) * views;
    float chosen = mod(floor(turn + 0.5), views);

    v.position = vec3(v.position.x * facing.y, v.position.y, -v.position.x * facing.x);
    v.texture_at.x = (v.texture_at.x + chosen) / views;
    v.normal = vec3(v.normal.x * facing.y + v.normal.z * facing.x, v.normal.y,
                    v.normal.z * facing.y - v.normal.x * facing.x);
}

/* Foliage has its light here: normals change little over a card. */
void light_vertex(dw_scene_material material, vec4 color, uint highlight)
{
    vec3 normal = normalize(out_normal);
    vec3 to_camera = normalize(dw_to_camera(out_position));
    float share = dw_diffuse_share(normal, to_camera, material.surface[3]);

    color *= DW_VEC4(material.base_color, 0);
    if (dw_is(DW_SCENE_HAS_SHADOWS))
        out_shadow.xyz = dw_shadow_place(out_position, normal);
    if (highlight > 0u)
        out_shadow.w = dw_rim(out_position, normal);
    if (dw_is(DW_SCENE_IS_FAR) && dw_is(DW_SCENE_HAS_SHADOWS))
        share *= 1.0 - view.sun_color[3] * (1.0 - textureLod(shadow_texture, out_shadow.xyz, 0.0));
    out_sun = vec4(color.rgb * share * DW_VEC3(view.sun_color, 0), dw_fog_amount(out_position));
    out_sky = vec4(color.rgb * dw_sky_light(normal.y), color.a);
    if (dw_is(DW_SCENE_IS_FAR))
        out_sun.rgb += out_sky.rgb;
}

void main()
{
    dw_scene_material material = materials[push.material];
    vertex v = fetch(gl_VertexIndex);
    uint row = push.first_row + gl_InstanceIndex;
    uint fade = 0u, word;
    vec4 world = vec4(0.0, 0.0, 0.0, 1.0);
    vec3 rows[3];

    if (dw_is(DW_SCENE_IS_FOREST)) {
        dw_forest_entry entry = entries[buckets[push.bucket].first + gl_InstanceIndex];

        row = entry.row;
        fade = entry.fade;
    }
    for (int i = 0; i < 3; i++) {
        rows[i] = transforms[3u * row + i].xyz;
        world[i] = transforms[3u * row + i].w;
    }
    word = row_words[row];
    out_place = push.dissolve == DW_DISSOLVE_DIRECTION_RADIAL
                    ? v.position.xz * material.extent[2]
                    : vec2((v.position.y - material.extent[0]) * material.extent[1], 0.0);
    if (dw_is(DW_SCENE_IS_IMPOSTER))
        turn_card(v, material, rows, world.xyz);
    float moved = sway(world.xyz, v.position.y, material.extent[3]);
    for (int i = 0; i < 3; i++)
        world[i] += dot(rows[i], v.position);
    world.xz += moved * vec2(view.wind[0], view.wind[1]);

    out_position = world.xyz;
    /* the cofactors: right also where axes are scaled apart */
    out_normal = vec3(dot(cross(rows[1], rows[2]), v.normal),
                      dot(cross(rows[2], rows[0]), v.normal),
                      dot(cross(rows[0], rows[1]), v.normal));
    if (dot(rows[0], cross(rows[1], rows[2])) < 0.0) /* mirrored */
        out_normal = -out_normal;
    out_texture = v.texture_at;
    out_color = v.color;
    uint own = dw_is(DW_SCENE_IS_FOREST) ? row : word;
    out_instance = uvec4(fade, push.id_base + own, 0u, card_number(own) << 8u);
    if (dw_is(DW_SCENE_IS_FOREST))
        out_instance.zw |= uvec2(states[row].dissolve, DW_FOREST_HIGHLIGHT(word));
    out_shadow = out_sun = out_sky = vec4(0.0);
    if (dw_is(DW_SCENE_IS_EARLY))
        light_vertex(material, v.color, out_instance.w & 255u);
    gl_Position = dw_is(DW_SCENE_IS_SHADOW) ? DW_PROJECT(view.shadow_projection, world)
                                            : DW_PROJECT(view.view_projection, world);
}
