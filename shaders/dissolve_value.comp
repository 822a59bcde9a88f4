// SPDX-License-Identifier: MIT
// What is drawn of every row at one moment, from its analytic state.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "shared/dissolve.h"

layout(local_size_x = DW_DISSOLVE_LANES) in;
layout(scalar, set = 0, binding = 0) readonly buffer state_block { dw_dissolve_state states[]; };
layout(scalar, set = 0, binding = 1) writeonly buffer value_block { float values[]; };
layout(scalar, push_constant) uniform constants { uint count; uint now; };

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint row = group * DW_DISSOLVE_LANES + gl_LocalInvocationIndex;

    if (row < count)
        values[row] = dw_dissolve_value(states[row], now);
}
