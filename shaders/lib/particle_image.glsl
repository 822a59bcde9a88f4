// SPDX-License-Identifier: MIT
// The computed pictures of particles. place runs from -1 to 1, upwards; rho is its length.
#ifndef DW_LIB_PARTICLE_IMAGE_GLSL
#define DW_LIB_PARTICLE_IMAGE_GLSL

#include "shared/dither.h"
#include "shared/indices.h"

/* Even in [0, 1), for a cell of a grid. */
float dw_cell_value(ivec2 cell, uint seed)
{
    uint word = dw_hash(uint(cell.x) ^ dw_hash(uint(cell.y) ^ dw_hash(seed)));

    return float(word >> 8u) * 5.9604644775390625e-8;
}

/* Smooth noise with its knots at whole numbers; it repeats upwards after `period` cells. */
float dw_noise(vec2 at, uint seed, int period)
{
    ivec2 cell = ivec2(floor(at));
    vec2 share = at - floor(at);
    int low = dw_wrap_index(cell.y, 0, period);
    int high = low + 1 == period ? 0 : low + 1;

    share = share * share * (3.0 - 2.0 * share);
    return mix(mix(dw_cell_value(ivec2(cell.x, low), seed),
                   dw_cell_value(ivec2(cell.x + 1, low), seed), share.x),
               mix(dw_cell_value(ivec2(cell.x, high), seed),
                   dw_cell_value(ivec2(cell.x + 1, high), seed), share.x),
               share.y);
}

float dw_glow(vec2 place, float sharpness)
{
    return pow(max(1.0 - length(place), 0.0), sharpness);
}

float dw_ring(vec2 place)
{
    float rho = length(place);
    float off = (rho - 0.65) / 0.22;

    return exp(-4.0 * off * off) * clamp(5.0 * (1.0 - rho), 0.0, 1.0);
}

/* How hot a flame is, and at the heart (1) or the rim (0). phase is a turn; risen: what both noises
 * have risen by, in cells, and their periods. */
vec2 dw_flame(vec2 place, uint seed, float phase, vec2 risen, uvec2 periods)
{
    vec2 at = 0.5 * place + 0.5;
    float heart = max(1.0 - (length(place) + 0.3 * at.y), 0.0);
    float rough =
        dw_noise(vec2(4.0 * at.x, 4.0 * at.y - risen.x), seed, int(periods.x));
    float fine = dw_noise(vec2(7.0 * at.x + 0.6 * 3.14159265358979 * phase, 7.0 * at.y - risen.y),
                          seed + 1u, int(periods.y));

    return vec2(pow(heart, 0.8) * (0.7 + 0.3 * (0.6 * rough + 0.4 * fine)), heart);
}

/* Rough over three scales, in [0, 1]. */
float dw_cloud(vec2 at, uint seed)
{
    const int far = 0x10000;

    return 0.53 * dw_noise(at, seed, far) + 0.30 * dw_noise(2.03 * at + 7.1, seed + 1u, far) +
           0.17 * dw_noise(4.01 * at + 3.7, seed + 2u, far);
}

/* Density of a puff of smoke: noise that thins out towards the rim, so that its outline is torn.
 * It grows ragged as it ages (0 to 1). */
float dw_puff(vec2 place, uint seed, float age)
{
    float body = 1.0 - length(place);
    float torn = dw_cloud(1.6 * place + vec2(40.0, 40.0 - 0.8 * age), seed) - 0.5;

    return smoothstep(-0.05, 0.95, 1.15 * body + (0.9 + 0.6 * age) * torn) *
           smoothstep(0.0, 0.45, body);
}

/* A splinter: a polygon of five sides (negative outside), and the slope of the facet there. */
vec3 dw_chip(vec2 place, uint seed)
{
    vec2 slope = vec2(0.0);
    float far = 0.0;

    for (int i = 0; i < 5; i++) {
        vec2 drawn = vec2(dw_cell_value(ivec2(i, 0), seed), dw_cell_value(ivec2(i, 1), seed));
        float angle = (float(i) + 0.7 * drawn.x) * (2.0 * 3.14159265358979 / 5.0);
        vec2 way = vec2(cos(angle), sin(angle));
        float reach = dot(place, way) / (0.5 + 0.4 * drawn.y);

        if (reach > far) {
            far = reach;
            slope = way;
        }
    }
    return vec3(1.0 - far, far > 0.45 ? slope : 0.2 * slope);
}

/* A streak whose head is at the top. */
float dw_streak(vec2 place)
{
    float across = max(1.0 - abs(place.x), 0.0);
    float along = 0.5 * place.y + 0.5;

    return across * across * (3.0 - 2.0 * across) * smoothstep(0.0, 0.7, along) *
           (1.0 - smoothstep(0.9, 1.0, along));
}

#endif
