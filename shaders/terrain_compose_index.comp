// SPDX-License-Identifier: MIT
// A picture of terrain with an index map.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#define DW_TERRAIN_WIDTH 8u
#define DW_TERRAIN_IS_INDEX
#include "lib/terrain_select.glsl"
#include "lib/terrain_pairs.glsl"
#include "lib/terrain_compose.glsl"
