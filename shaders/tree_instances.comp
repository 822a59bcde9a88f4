// SPDX-License-Identifier: MIT
// The box of each instance, around its mesh's transformed box, with room for the rounding of rays.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require

#include "shared/tree_gpu.h"
#include "lib/tree_mesh.glsl"

#define SLACK    1.9073486e-6f /* 2^-19, of the sums that make a corner */
#define FARTHEST 1.152921504606847e18f /* 2^60, that boxes of trees may reach */

layout(local_size_x = DW_TREE_INSTANCES_GROUP) in;

layout(scalar, set = 0, binding = 0) readonly buffer mesh_block { dw_tree_mesh meshes[]; };
layout(scalar, set = 0, binding = 1) readonly buffer instance_block
{
    dw_tree_instance instances[];
};
layout(scalar, set = 0, binding = 2) writeonly buffer box_block { float boxes[]; };
layout(push_constant) uniform constants { uint instance_count; };

void main()
{
    uint i = (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * DW_TREE_INSTANCES_GROUP +
             gl_LocalInvocationIndex;

    if (i >= instance_count)
        return;
    dw_tree_instance instance = instances[i];
    tree_floats root = tree_floats(tree_section(meshes[instance.mesh], 0u) +
                                   uint64_t(4u * DW_TREE_HEAD_ROOT));
    vec3 low = vec3(root.data[0], root.data[1], root.data[2]);
    vec3 high = vec3(root.data[3], root.data[4], root.data[5]);
    bool is_empty = low.x > high.x;
    vec3 middle = is_empty ? vec3(0.0f) : 0.5f * low + 0.5f * high;
    vec3 reach = is_empty ? vec3(0.0f) : 0.5f * high - 0.5f * low;

    for (uint axis = 0u; axis < 3u; axis++) {
        vec3 row = vec3(instance.to_world[4u * axis], instance.to_world[4u * axis + 1u],
                        instance.to_world[4u * axis + 2u]);
        float offset = instance.to_world[4u * axis + 3u];
        float centre = dot(row, middle) + offset;
        float half_size = dot(abs(row), reach);
        float size = dot(abs(row), abs(middle)) + half_size + abs(offset);

        half_size += SLACK * size;
        float begin = centre - half_size, end = centre + half_size;

        boxes[6u * i + axis] = is_empty ? 1.0f : begin >= -FARTHEST ? begin : -FARTHEST;
        boxes[6u * i + 3u + axis] = is_empty ? -1.0f : end <= FARTHEST ? end : FARTHEST;
    }
}
