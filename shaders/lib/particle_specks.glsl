// SPDX-License-Identifier: MIT
// Adds particles whose glow is less than a pixel to sums of light, and marks all others for the
// raster.
#ifndef DW_LIB_PARTICLE_SPECKS_GLSL
#define DW_LIB_PARTICLE_SPECKS_GLSL

#include "lib/particle_depth.glsl"
#include "lib/particle_point.glsl"

layout(local_size_x = DW_SPECK_LANES) in;
layout(scalar, set = 0, binding = DW_SPECK_SUMS) buffer sum_block { uint sums[]; };
layout(scalar, set = 0, binding = DW_SPECK_FLAGS) writeonly buffer flag_block { uint rastered[]; };
layout(scalar, set = 0, binding = DW_SPECK_COUNTS) writeonly buffer count_block { uint counts[]; };

shared uint bits[DW_SPECK_LANES / 32u];
shared uint total;

void add(uint at, float light)
{
    float over = floor(light * (1.0 / 256.0));
    uint low = uint((light - 256.0 * over) * 16777216.0 + 0.5), high = uint(over);

    if (low > 0u && atomicAdd(sums[at], low) > 0xffffffffu - low)
        high += 1u;
    if (high > 0u)
        atomicAdd(sums[at + 1u], high);
}

void add_to_pixel(ivec2 pixel, float depth, vec3 light)
{
    uint at = DW_SPECK_WORDS * (pixel.y * view.size[0] + pixel.x);

    if (pixel.x < 0 || pixel.y < 0 || pixel.x >= int(view.size[0]) ||
        pixel.y >= int(view.size[1]))
        return;
    light *= dw_seen(pixel, depth).x / float(samples);
    for (uint i = 0u; i < 3u; i++) {
        if (light[i] > 0.0)
            add(at + 2u * i, min(light[i], 65504.0));
    }
}

/* False where it has to be rastered. */
bool add_speck(dw_particle_sprite s)
{
    vec3 centre = DW_VEC3(s.position, 0);
    vec4 clip = DW_PROJECT(view.view_projection, vec4(centre, 1.0));
    float width = s.size * push.pixels;
    /* of the glow over its square: the integral of (1 - rho)^n */
    float mean = PI / (2.0 * (push.sharpness + 1.0) * (push.sharpness + 2.0));

    if (clip.w <= 0.0 || width * max(push.aspect, 1.0) >= DW_SPECK_PIXELS * clip.w)
        return false;
    if (clip.z < 0.0 || clip.z > clip.w)
        return true;
    vec2 size = vec2(view.size[0], view.size[1]);
    vec2 at = (clip.xy / clip.w * 0.5 + 0.5) * size - 0.5;
    if (any(lessThan(at, vec2(-1.0))) || any(greaterThan(at, size)))
        return true;
    ivec2 pixel = ivec2(floor(at));
    vec2 share = at - floor(at);
    vec4 color = dw_point_color(s, centre);
    vec3 light = color.rgb * (color.a * mean * push.aspect * (width / clip.w) *
                              (width / clip.w) * (1.0 - dw_fog_amount(centre)));

    for (int i = 0; i < 4; i++) {
        ivec2 next = ivec2(i & 1, i >> 1);
        vec2 part = mix(1.0 - share, share, vec2(next));

        add_to_pixel(pixel + next, clip.z / clip.w, light * (part.x * part.y));
    }
    return true;
}

void main()
{
    uint lane = gl_LocalInvocationIndex, group = gl_WorkGroupID.x;
    uint first = spans[push.layer].first;
    uint count = spans[push.layer].count;
    uint each = (count + DW_SPECK_GROUPS - 1u) / DW_SPECK_GROUPS;
    uint step_count = (each + DW_SPECK_LANES - 1u) / DW_SPECK_LANES;

    if (lane == 0u)
        total = 0u;
    for (uint i = 0u; i < step_count; i++) {
        uint at = (group * step_count + i) * DW_SPECK_LANES + lane;

        if (lane < DW_SPECK_LANES / 32u)
            bits[lane] = 0u;
        barrier();
        if (at < count && !add_speck(sprites[list[first + at]]))
            atomicOr(bits[lane >> 5u], 1u << (lane & 31u));
        barrier();
        if (lane < DW_SPECK_LANES / 32u) {
            rastered[(at >> 5u) - (lane >> 5u) + lane] = bits[lane];
            atomicAdd(total, bitCount(bits[lane]));
        }
        barrier();
    }
    if (lane == 0u)
        counts[group] = total;
}

#endif
