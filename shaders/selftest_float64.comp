// SPDX-License-Identifier: MIT
// Division and square root in float64, rounded once to float32: exact where shaderFloat64 is there.
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
    double x = double(dw_selftest_operand(operands[3u * item]));
    double y = double(dw_selftest_operand(operands[3u * item + 1u]));
    double z = double(dw_selftest_operand(operands[3u * item + 2u]));
    precise double quotient = x / y;
    precise double root = sqrt(abs(z));
    precise double product = x * y;
    precise double sum = product + z;
    results[DW_SELFTEST_FLOAT64_COUNT * item] = floatBitsToUint(float(quotient));
    results[DW_SELFTEST_FLOAT64_COUNT * item + 1u] = floatBitsToUint(float(root));
    results[DW_SELFTEST_FLOAT64_COUNT * item + 2u] = floatBitsToUint(float(sum));
}
