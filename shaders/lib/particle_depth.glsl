// SPDX-License-Identifier: MIT
// How much of a particle the surfaces let through.
#ifndef DW_LIB_PARTICLE_DEPTH_GLSL
#define DW_LIB_PARTICLE_DEPTH_GLSL

#include "lib/particle_draw.glsl"

#ifdef DW_DEPTH_HAS_SAMPLES
#define DW_SURFACE_DEPTH(pixel, i) texelFetch(depth_texture, pixel, i).r
#else
#define DW_SURFACE_DEPTH(pixel, i) texelFetch(depth_texture, pixel, 0).r
#endif

/* Metres along the view. */
float dw_distance_of(float depth)
{
    return view.depth_terms[3] != 0.0
               ? view.depth_terms[0] + view.depth_terms[1] * depth
               : view.depth_terms[0] / (max(depth, 1e-12) + view.depth_terms[1]);
}

/* Of a pixel's samples: how many it shows in, and before that how strongly in all of them. */
vec2 dw_seen(ivec2 pixel, float depth)
{
    float own = dw_distance_of(depth);
    vec2 seen = vec2(0.0);

    for (int i = 0; i < int(samples); i++) {
        float there = DW_SURFACE_DEPTH(pixel, i);

        if (there > depth)
            continue;
        /* at 0 there is nothing at all */
        seen += vec2(dw_is(DW_STYLE_IS_SOFT) && there > 0.0
                         ? clamp((dw_distance_of(there) - own) * push.soft, 0.0, 1.0)
                         : 1.0,
                     1.0);
    }
    return seen;
}

#endif
