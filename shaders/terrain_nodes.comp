// SPDX-License-Identifier: MIT
// Every node of a terrain's quadtree, a lane each: those that are drawn go into the lists of the
// camera and of the sun's map, with the noise cell and the map unit where they begin.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "shared/ground.h"

layout(local_size_x = DW_GROUND_LANES) in;
layout(scalar, set = 0, binding = DW_GROUND_CULL_LOOK) readonly buffer look_block {
    dw_ground_look look;
};
layout(scalar, set = 0, binding = DW_GROUND_CULL_BOUNDS) readonly buffer bound_block {
    vec2 bounds[];
};
layout(scalar, set = 0, binding = DW_GROUND_CULL_LIST) writeonly buffer list_block {
    dw_ground_node list[];
};
layout(scalar, set = 0, binding = DW_GROUND_CULL_SUN_LIST) writeonly buffer sun_list_block {
    dw_ground_node sun_list[];
};
layout(scalar, set = 0, binding = DW_GROUND_CULL_COMMANDS) buffer command_block {
    uint commands[];
};

/* Whether the camera is so near a node that its children are looked at instead. The steps are
 * exact, so that a node and its children agree about it. */
bool is_split(uvec2 corner, uint level)
{
    precise vec2 origin = vec2(look.origin[0], look.origin[2]);
    precise vec2 low = origin + vec2(corner) * look.origin[3];
    precise vec2 high = origin + vec2(corner + (DW_GROUND_PATCH << level)) * look.origin[3];
    precise vec2 camera = vec2(look.camera[0], look.camera[1]);
    precise vec2 away = max(max(low - camera, camera - high), vec2(0.0));
    precise float squared = away.x * away.x + away.y * away.y + look.camera[2];

    return squared < look.ranges[level];
}

bool is_inside(float planes[24], uint count, vec3 low, vec3 high)
{
    for (uint i = 0u; i < count; i++) {
        vec3 normal = vec3(planes[4u * i], planes[4u * i + 1u], planes[4u * i + 2u]);
        vec3 farthest = mix(low, high, greaterThan(normal, vec3(0.0)));

        if (dot(normal, farthest) + planes[4u * i + 3u] < 0.0)
            return false;
    }
    return true;
}

/* Where steps of 2^-32 lead: whole steps, and what is left of one. */
void go(uint at, uint low, uint high, out int whole, out float part)
{
    uint64_t steps = uint64_t(at) * (uint64_t(high) << 32 | uint64_t(low));

    whole = int(uint(steps >> 32));
    part = float(uint(steps) >> 8) * 5.9604644775390625e-8; /* 2^-24: less than 1 as a float, too */
}

dw_ground_node node_at(uvec2 corner, uint level)
{
    dw_ground_node node;

    node.x = corner.x;
    node.z = corner.y;
    node.level = level;
    node.spare = 0u;
    go(corner.x, look.cell_step[0], look.cell_step[1], node.cell_x, node.cell_fx);
    go(corner.y, look.cell_step[2], look.cell_step[3], node.cell_z, node.cell_fz);
    go(corner.x, look.map_step[0], look.map_step[1], node.map_x, node.map_fx);
    go(corner.y, look.map_step[2], look.map_step[3], node.map_z, node.map_fz);
    return node;
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint index = group * DW_GROUND_LANES + gl_LocalInvocationID.x;
    uint level = 0u;

    if (index >= look.size[3])
        return;
    while (level + 1u < look.size[2] && index >= look.first[level + 1u])
        level++;
    uint number = index - look.first[level];
    uvec2 place = uvec2(number % look.columns[level], number / look.columns[level]);
    uvec2 corner = place * (DW_GROUND_PATCH << level);
    uvec2 above = (place >> 1u) * (DW_GROUND_PATCH << (level + 1u));

    if (level > 0u && is_split(corner, level))
        return;
    if (level + 1u < look.size[2] && !is_split(above, level + 1u))
        return;
    uvec2 end = min(corner + (DW_GROUND_PATCH << level),
                    uvec2(look.size[0], look.size[1]) - 1u);
    vec3 origin = vec3(look.origin[0], 0.0, look.origin[2]);
    vec3 low = origin + vec3(corner.x, 0.0, corner.y) * look.origin[3];
    vec3 high = origin + vec3(end.x, 0.0, end.y) * look.origin[3];

    low.y = bounds[index].x;
    high.y = bounds[index].y;
    if (is_inside(look.planes, 6u, low, high))
        list[atomicAdd(commands[1], 1u)] = node_at(corner, level);
    if (is_inside(look.sun_planes, 4u, low, high))
        sun_list[atomicAdd(commands[6], 1u)] = node_at(corner, level);
}
