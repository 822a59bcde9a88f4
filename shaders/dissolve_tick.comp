// SPDX-License-Identifier: MIT
// One step of every row's progress.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "shared/dissolve.h"

layout(local_size_x = DW_DISSOLVE_LANES) in;
layout(scalar, set = 0, binding = 0) buffer progress_block { float progress[]; };
layout(scalar, set = 0, binding = 1) readonly buffer rate_block { float rates[]; };
layout(scalar, push_constant) uniform constants { uint count; float ticks; };

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint row = group * DW_DISSOLVE_LANES + gl_LocalInvocationIndex;

    if (row < count)
        progress[row] = dw_dissolve_advance(progress[row], rates[row], ticks);
}
