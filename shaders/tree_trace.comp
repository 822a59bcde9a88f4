// SPDX-License-Identifier: MIT
// One ray a lane through the instances' boxes and the trees below them.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require

#include "shared/tree_gpu.h"
#include "shared/tree_walk.h"
#include "lib/tree_mesh.glsl"
#include "lib/tree_walk.glsl"

layout(local_size_x = DW_TREE_RAYS_GROUP) in;
layout(constant_id = 0) const bool IS_ANY = false; // whether there is a hit, not which

layout(scalar, set = 0, binding = 0) readonly buffer mesh_block { dw_tree_mesh meshes[]; };
layout(scalar, set = 0, binding = 1) readonly buffer instance_block
{
    dw_tree_instance instances[];
};
layout(scalar, set = 0, binding = 2) readonly buffer ray_block { float rays[]; };
layout(scalar, set = 0, binding = 3) writeonly buffer hit_block { uint hits[]; };
layout(scalar, push_constant) uniform constants
{
    uint ray_count; // origins, then directions; hits: an array of that many words each
    uint top;       // row of the tree over the instances
    float t_min, t_max;
};

#define INFINITE 0x7f800000u
#define NO_ID    0xffffffffu

// The closest hit so far; of equal distances the lower instance, then the lower primitive.
float best_t;
uint best_instance, best_primitive;
vec2 best_weights;
uint steps;

uvec2 stack[2 * DW_TREE_DEPTH_MAX + 2]; // refs, and nearest distances
uint stack_count;

void meet_leaf(tree_walk walk, uint ref, uint id)
{
    uint first = DW_TREE_LEAF_FIRST(ref), count = DW_TREE_LEAF_COUNT(ref);

    for (uint i = 0u; i < count; i++) {
        uint primitive;
        dw_tree_hit hit = meet_triangle(walk, first + i, primitive);

        if (hit.is_hit == 0u || !(hit.t >= t_min) || !(hit.t <= best_t))
            continue;
        if (hit.t == best_t &&
            (id > best_instance || (id == best_instance && primitive >= best_primitive)))
            continue;
        best_t = hit.t;
        best_instance = id;
        best_primitive = primitive;
        best_weights = vec2(hit.u, hit.v);
        if (IS_ANY)
            return;
    }
}

bool is_done()
{
    return IS_ANY && best_instance != NO_ID;
}

// One node: its nearer child becomes `ref`, the other waits; nothing: DW_TREE_NONE.
uint step_down(tree_walk walk, uint node, vec2 bounds)
{
    uvec2 refs;
    vec2 left, right;

    steps++;
    visit(walk, node, refs, left, right);
    bool takes_left = refs.x != DW_TREE_NONE && left.x <= min(left.y, bounds.y) &&
                      left.y >= bounds.x;
    bool takes_right = refs.y != DW_TREE_NONE && right.x <= min(right.y, bounds.y) &&
                       right.y >= bounds.x;

    if (takes_left && takes_right) {
        bool is_left = left.x <= right.x;

        stack[stack_count++] = is_left ? uvec2(refs.y, floatBitsToUint(right.x))
                                       : uvec2(refs.x, floatBitsToUint(left.x));
        return is_left ? refs.x : refs.y;
    }
    return takes_left ? refs.x : takes_right ? refs.y : DW_TREE_NONE;
}

// What waits, down to `base`, and is still near enough; nothing: DW_TREE_NONE.
uint take_waiting(uint base, float bound)
{
    while (stack_count > base) {
        uvec2 waiting = stack[--stack_count];

        if (uintBitsToFloat(waiting.y) <= bound)
            return waiting.x;
    }
    return DW_TREE_NONE;
}

vec3 transformed(float m[12], vec3 v, float w)
{
    return vec3(dw_tree_transform(m[0], m[1], m[2], m[3], v.x, v.y, v.z, w),
                dw_tree_transform(m[4], m[5], m[6], m[7], v.x, v.y, v.z, w),
                dw_tree_transform(m[8], m[9], m[10], m[11], v.x, v.y, v.z, w));
}

// Where boxes may begin and end.
vec2 bounds_of(tree_walk walk)
{
    return vec2(dw_tree_walk_begin(walk.rules, t_min), dw_tree_walk_end(walk.rules, best_t));
}

void walk_instance(uint row, vec3 from, vec3 direction)
{
    dw_tree_instance instance = instances[row];
    tree_walk walk = begin_walk(meshes[instance.mesh], transformed(instance.to_object, from, 1.0f),
                                transformed(instance.to_object, direction, 0.0f));
    uint base = stack_count, ref = walk.rules.is_hitting == 0u ? DW_TREE_NONE : 0u;

    while (ref != DW_TREE_NONE && !is_done()) {
        if (DW_TREE_IS_NODE(ref)) {
            ref = step_down(walk, ref, bounds_of(walk));
        } else {
            meet_leaf(walk, ref, instance.id);
            ref = DW_TREE_NONE;
        }
        if (ref == DW_TREE_NONE)
            ref = take_waiting(base, bounds_of(walk).y);
    }
    stack_count = base;
}

void walk_all(vec3 from, vec3 direction)
{
    tree_walk walk = begin_walk(meshes[top], from, direction);
    uint ref = walk.rules.is_hitting == 0u ? DW_TREE_NONE : 0u;

    while (ref != DW_TREE_NONE && !is_done()) {
        if (DW_TREE_IS_NODE(ref)) {
            ref = step_down(walk, ref, bounds_of(walk));
        } else {
            walk_instance(walk.triangles.data[DW_TREE_LEAF_FIRST(ref)].w, from, direction);
            ref = DW_TREE_NONE;
        }
        if (ref == DW_TREE_NONE)
            ref = take_waiting(0u, bounds_of(walk).y);
    }
}

// Subnormals count as 0 before an instance scales them, as they do in the top level.
vec3 flushed(uint at)
{
    return vec3(dw_flush(rays[at]), dw_flush(rays[at + 1u]), dw_flush(rays[at + 2u]));
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint i = group * DW_TREE_RAYS_GROUP + gl_LocalInvocationIndex;

    if (i >= ray_count)
        return;
    best_t = t_max;
    best_instance = best_primitive = NO_ID;
    best_weights = vec2(0.0f);
    steps = stack_count = 0u;
    walk_all(flushed(3u * i), flushed(3u * (ray_count + i)));
    hits[i] = best_instance == NO_ID ? INFINITE : floatBitsToUint(best_t);
    hits[ray_count + i] = best_instance;
    hits[2u * ray_count + i] = best_primitive;
    hits[3u * ray_count + i] = floatBitsToUint(best_weights.x);
    hits[4u * ray_count + i] = floatBitsToUint(best_weights.y);
    hits[5u * ray_count + i] = steps;
}
