// SPDX-License-Identifier: MIT
// The corners of a particle's quad, four vertices an instance.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#define DW_DEPTH_SAMPLER sampler2D
#include "lib/particle_point.glsl"

layout(location = 0) out vec2 out_place;       // in the picture, -1 to 1, upwards
layout(location = 1) flat out vec4 out_color;  // light, or what a surface reflects; opacity
layout(location = 2) flat out vec4 out_sun;    // its light here; fog
layout(location = 3) flat out vec2 out_turn;   // cosine and sine
layout(location = 4) flat out uvec2 out_words; // frame or variant, and age; turn

/* Half the quad's width and height, as vectors. */
struct quad {
    vec3 across;
    vec3 along;
};

vec3 unpack_axis(uint word)
{
    ivec3 parts = ivec3(word & 1023u, word >> 10u & 1023u, word >> 20u & 1023u) - 512;

    return vec3(parts) * (1.0 / 511.0);
}

quad turned(vec3 right, vec3 up, vec2 turn)
{
    return quad(right * turn.x + up * turn.y, (up * turn.x - right * turn.y) * push.aspect);
}

/* Along the axis as it shows, never shorter than wide; the head's end is at the top. */
quad streak(vec3 centre, uint word, vec2 turn)
{
    vec3 axis = unpack_axis(word);
    vec3 toward = normalize(dw_to_camera(centre));
    vec3 shown = axis - toward * dot(axis, toward);
    float seen = length(shown);
    vec3 way = seen > 1e-4 ? shown / seen : DW_UP;

    if (word == 0u)
        return turned(DW_RIGHT, DW_UP, turn);
    return quad(cross(way, toward), way * max(seen * push.stretch, 1.0));
}

quad quad_of(dw_particle_sprite s, vec3 centre, vec2 turn)
{
    if (face == DW_PARTICLE_FACE_FLAT)
        return turned(vec3(1.0, 0.0, 0.0), vec3(0.0, 0.0, -1.0), turn);
    if (face == DW_PARTICLE_FACE_STREAK)
        return streak(centre, s.axis, turn);
    return turned(DW_RIGHT, DW_UP, turn);
}

vec3 sun_at(vec3 centre)
{
    float lit = 1.0;

    if (!dw_is(DW_STYLE_IS_LIT))
        return vec3(0.0);
    if (dw_is(DW_STYLE_HAS_SHADOWS))
        lit -= view.sun_color[3] *
               (1.0 - textureLod(shadow_texture, dw_shadow_place(centre, vec3(0.0)), 0.0));
    return lit * DW_VEC3(view.sun_color, 0);
}

void main()
{
    uint at = spans[push.layer].first + gl_InstanceIndex;
    dw_particle_sprite s = sprites[list[at]];
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1) * 2.0 - 1.0;
    vec3 centre = DW_VEC3(s.position, 0);
    /* flames stand upright: their turn moves the noise */
    float angle = image == DW_PARTICLE_IMAGE_FLAME
                      ? 0.0
                      : float(s.opacity >> 16u) * (2.0 * PI / 65536.0);
    vec2 turn = vec2(cos(angle), sin(angle));
    quad q = quad_of(s, centre, turn);
    vec3 place = centre + 0.5 * s.size * (corner.x * q.across + corner.y * q.along);

    out_place = corner;
    out_color = dw_point_color(s, centre);
    out_sun = vec4(sun_at(centre), dw_fog_amount(centre));
    out_turn = turn;
    out_words = uvec2(s.frame, s.opacity >> 16u);
    gl_Position = DW_PROJECT(view.view_projection, vec4(place, 1.0));
}
