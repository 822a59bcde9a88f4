// SPDX-License-Identifier: MIT
// A picture of terrain, of up to 8 materials a texel.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#define DW_TERRAIN_WIDTH 8u
#include "lib/terrain_select.glsl"
#include "lib/terrain_compose.glsl"
