// SPDX-License-Identifier: MIT
// The material of each pixel, of up to 16 a texel.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#define DW_TERRAIN_WIDTH 16u
#include "lib/terrain_select.glsl"
#include "lib/terrain_write.glsl"
