// SPDX-License-Identifier: MIT
// Every row to its place in its lists, in the order of the rows, and the draw commands.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "shared/forest.h"

#define WORDS (DW_FOREST_GROUP / 32)

layout(local_size_x = DW_FOREST_GROUP) in;

layout(std430, set = 0, binding = 0) readonly buffer cell_block { uvec2 cells[]; };
layout(scalar, set = 0, binding = 1) readonly buffer count_block { uint counts[]; };
layout(scalar, set = 0, binding = 2) readonly buffer draw_block { dw_forest_draw draws[]; };
layout(scalar, set = 0, binding = 3) buffer bucket_block { dw_forest_bucket buckets[]; };
layout(std430, set = 0, binding = 4) writeonly buffer entry_block { uvec2 entries[]; };
layout(scalar, set = 0, binding = 5) writeonly buffer command_block
{
    dw_forest_command commands[];
};
layout(scalar, push_constant) uniform constants
{
    uint row_count;
    uint group_count;
    uint bucket_count;
    uint draw_count;
};

shared uint firsts[2][DW_FOREST_BUCKETS_MAX];
shared uint rows[DW_FOREST_BUCKETS_MAX][WORDS]; /* a bit for each lane whose row is in the bucket */

/* First entry of each bucket, a lane each. Ends with a barrier. */
uint first_entry(uint lane)
{
    uint count = lane < bucket_count ? buckets[lane].count : 0u;
    uint side = 0u;

    firsts[0][lane] = count;
    barrier();
    for (uint step = 1u; step < bucket_count; step <<= 1) {
        uint before = lane >= step ? firsts[side][lane - step] : 0u;

        firsts[side ^ 1u][lane] = firsts[side][lane] + before;
        side ^= 1u;
        barrier();
    }
    return firsts[side][lane] - count;
}

uint rows_before(uint bucket, uint lane)
{
    uint count = bitCount(rows[bucket][lane / 32u] & (1u << (lane % 32u)) - 1u);

    for (uint i = 0u; i < lane / 32u; i++)
        count += bitCount(rows[bucket][i]);
    return count;
}

void write_commands(uint item)
{
    for (uint i = item; i < draw_count; i += group_count * DW_FOREST_GROUP)
        commands[i] = dw_forest_command_of(draws[i], buckets[draws[i].bucket].count);
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint lane = gl_LocalInvocationIndex;
    uint row = group * DW_FOREST_GROUP + lane;

    if (group >= group_count)
        return;

    uint first = first_entry(lane);
    dw_forest_cell cell = dw_forest_no_cell(DW_FOREST_NONE);

    if (row < row_count)
        cell = dw_forest_cell(cells[row].x, cells[row].y);
    if (group == 0u && lane < bucket_count)
        buckets[lane].first = first;
    barrier();
    if (lane < bucket_count)
        firsts[0][lane] = first + counts[lane * group_count + group];
    for (uint i = lane; i < bucket_count * WORDS; i += DW_FOREST_GROUP)
        rows[i / WORDS][i % WORDS] = 0u;
    barrier();
    for (uint i = 0u; i < 2u; i++)
        if (dw_forest_cell_bucket(cell, i) < bucket_count)
            atomicOr(rows[dw_forest_cell_bucket(cell, i)][lane / 32u], 1u << (lane % 32u));
    barrier();
    for (uint i = 0u; i < 2u; i++) {
        uint bucket = dw_forest_cell_bucket(cell, i);

        if (bucket < bucket_count)
            entries[firsts[0][bucket] + rows_before(bucket, lane)] =
                uvec2(row, dw_forest_cell_fade(cell, i));
    }
    write_commands(row);
}
