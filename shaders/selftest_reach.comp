// SPDX-License-Identifier: MIT
// x = 3 x + i in the word of each of many buffers, which a table of addresses leads to.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "shared/selftest.h"

layout(local_size_x = DW_SELFTEST_GROUP) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer word_ref { uint value; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer table_ref
{
    uint64_t rows[];
};
layout(scalar, push_constant) uniform constants
{
    table_ref table;
    uint count;
    uint spare;
};

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint i = group * DW_SELFTEST_GROUP + gl_LocalInvocationIndex;

    if (i >= count)
        return;
    word_ref word = word_ref(table.rows[i]);

    word.value = word.value * 3u + i;
}
