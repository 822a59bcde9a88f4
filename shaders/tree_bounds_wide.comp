// SPDX-License-Identifier: MIT
// The bounds of poses, and the grids that follow from them, for wide subgroups.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

#define DW_TREE_IS_WIDE 1
#include "lib/tree_bounds.glsl"

void main()
{
    bounds_group();
}
