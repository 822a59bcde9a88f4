// SPDX-License-Identifier: MIT
// Scratch, sources and constants of a build, reached by address.
#ifndef DW_LIB_TREE_BUILD_GLSL
#define DW_LIB_TREE_BUILD_GLSL

#include "shared/tree_build.h"
#include "shared/tree_scratch.h"

layout(scalar, push_constant) uniform constants { dw_tree_build_push push; };

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer tree_words { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer tree_common_words
{
    uint at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer tree_quads { uvec4 at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer tree_common_quads
{
    uvec4 at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 8) coherent buffer tree_common_pairs
{
    uvec2 at[];
};

uint64_t tree_address(uint low, uint high)
{
    return uint64_t(high) << 32 | uint64_t(low);
}

uint64_t tree_scratch()
{
    return tree_address(push.scratch_low, push.scratch_high);
}

uint64_t tree_section(uint words_before)
{
    return tree_scratch() + dw_tree_section(words_before, push.count);
}

#define TREE_HEAD   tree_words(tree_scratch())
#define TREE_DIGITS tree_words(tree_scratch() + dw_tree_digits_at(push.count))

uint tree_group()
{
    return gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
}

bool tree_is_over_boxes()
{
    return (push.flags & DW_TREE_IS_OVER_BOXES) != 0u;
}

/* ---- items ---- */

struct tree_item {
    vec3 low, high;
    bool is_active;
};

uvec3 tree_indices(uint item)
{
    tree_words words = tree_words(tree_address(push.indices_low, push.indices_high) +
                                  uint64_t(item) * 12ul);

    return uvec3(words.at[0], words.at[1], words.at[2]);
}

/* Three words of the vertices, `words` words from their begin. */
uvec3 tree_corner(uint64_t words)
{
    tree_words at =
        tree_words(tree_address(push.vertices_low, push.vertices_high) + words * 4ul);

    return uvec3(at.at[0], at.at[1], at.at[2]);
}

bool tree_is_in_range(uvec3 bits)
{
    return dw_tree_in_range(bits.x) && dw_tree_in_range(bits.y) && dw_tree_in_range(bits.z);
}

vec3 tree_coordinates(uvec3 bits)
{
    return vec3(dw_tree_coordinate(bits.x), dw_tree_coordinate(bits.y),
                dw_tree_coordinate(bits.z));
}

tree_item tree_box(uint item)
{
    uvec3 low = tree_corner(uint64_t(item) * 6ul);
    uvec3 high = tree_corner(uint64_t(item) * 6ul + 3ul);
    tree_item box = { vec3(0.0), vec3(0.0), false };

    if (!tree_is_in_range(low) || !tree_is_in_range(high))
        return box;
    box.low = tree_coordinates(low);
    box.high = tree_coordinates(high);
    box.is_active = all(lessThanEqual(box.low, box.high));
    return box;
}

uvec3 tree_vertex(uint index)
{
    return tree_corner(uint64_t(index) * uint64_t(push.vertex_stride));
}

bool tree_is_indexed(uvec3 indices)
{
    return all(lessThan(indices, uvec3(push.vertex_count)));
}

#endif
