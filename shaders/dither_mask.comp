// SPDX-License-Identifier: MIT
// Which pixels each amount discards: four of them, one a byte, by each invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require

layout(scalar, set = 0, binding = 0) readonly buffer table_block { uint table[]; };
layout(scalar, set = 0, binding = 1) readonly buffer amount_block { float amounts[]; };
layout(scalar, set = 0, binding = 2) writeonly buffer mask_block { uint masks[]; };

#define DW_DITHER_TABLE(i) (table[(i) >> 1] >> (16u * ((i) & 1u)) & 0xffffu)
#include "shared/dither.h"

layout(local_size_x = DW_DITHER_LANES) in;
layout(scalar, push_constant) uniform constants { dw_dither_push push; };

bool is_discarded(uint at)
{
    uint plane = push.width * push.height;
    uint mask = at / plane;
    uint y = (at - mask * plane) / push.width;
    uint x = at - mask * plane - y * push.width;
    uint ranks = dw_dither_rank_count(push.pattern, push.side);

    return dw_dither_rank(push.pattern, push.side, push.origin_x + x, push.origin_y + y,
                          push.instance) < dw_discard_count(push.rule, ranks, amounts[mask]);
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint word = group * DW_DITHER_LANES + gl_LocalInvocationIndex;
    uint bytes = 0u;

    if (word >= (push.size + 3u) / 4u)
        return;
    for (uint i = 0u; i < 4u; i++)
        if (4u * word + i < push.size && is_discarded(4u * word + i))
            bytes |= 1u << (8u * i);
    masks[word] = bytes;
}
