// SPDX-License-Identifier: MIT
// lib/particle_expand.glsl for slots with and without state, on subgroups of any size.
#version 460
#pragma optimize(on)
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#define DW_SLOTS_ARE_SHOWN
#include "lib/particle_expand.glsl"
