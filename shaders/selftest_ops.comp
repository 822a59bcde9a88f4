// SPDX-License-Identifier: MIT
// Every operation that shared files rely on, on every operand triple.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

#include "shared/selftest.h"

layout(local_size_x = DW_SELFTEST_GROUP) in;
layout(scalar, set = 0, binding = 0) readonly buffer Operands { uint operands[]; };
layout(scalar, set = 0, binding = 1) writeonly buffer Results { uint results[]; };
layout(push_constant) uniform Push { uint item_count; };

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint item = group * DW_SELFTEST_GROUP + gl_LocalInvocationIndex;
    if (item >= item_count)
        return;
    uint a = operands[3u * item];
    uint b = operands[3u * item + 1u];
    uint c = operands[3u * item + 2u];
#define DW_SELFTEST_RUN(index, name) \
    results[DW_SELFTEST_OP_COUNT * item + index] = dw_selftest_##name(a, b, c);
    DW_SELFTEST_OPS(DW_SELFTEST_RUN)
}
