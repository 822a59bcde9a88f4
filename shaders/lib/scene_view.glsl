// SPDX-License-Identifier: MIT
// The camera and its surroundings, of every draw.
#ifndef DW_LIB_SCENE_VIEW_GLSL
#define DW_LIB_SCENE_VIEW_GLSL

#include "shared/scene.h"

layout(scalar, set = 0, binding = DW_SCENE_VIEW) readonly buffer view_block { dw_scene_view view; };

#define DW_VEC3(a, i) vec3((a)[i], (a)[(i) + 1], (a)[(i) + 2])
#define DW_VEC4(a, i) vec4((a)[i], (a)[(i) + 1], (a)[(i) + 2], (a)[(i) + 3])

/* A row-major matrix of the view, times a point. */
#define DW_PROJECT(m, p)                                                         \
    vec4(dot(DW_VEC4(m, 0), p), dot(DW_VEC4(m, 4), p), dot(DW_VEC4(m, 8), p), \
         dot(DW_VEC4(m, 12), p))

/* Of any length; without perspective it is the same everywhere. */
vec3 dw_to_camera(vec3 from)
{
    return view.depth_terms[3] != 0.0 ? -DW_VEC3(view.forward, 0)
                                      : DW_VEC3(view.position, 0) - from;
}

#endif
