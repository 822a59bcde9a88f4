#version 460
// SPDX-License-Identifier: MIT
// One mip step with a wide filter: a block's source rows are filtered along x into shared memory,
// then combined along y. Both steps round to 24 bits.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"
#include "lib/atlas_sums.glsl"
#include "lib/atlas_filter.glsl"

layout(local_size_x = DW_ATLAS_DOWN_SIDE, local_size_y = DW_ATLAS_DOWN_SIDE) in;

shared ivec4 rows[DW_ATLAS_FILTER_ROWS * DW_ATLAS_DOWN_SIDE];

// The rows of column `column` from `first_row` on, filtered around texel y.
uvec4 filter_along_y(dw_atlas_level level, int y, int first_row, int column)
{
    dw_tap_total total = dw_tap_total(0l, 0l, 0l, 0l);
    int weights = int(level.axis_y) + level.height + y * level.taps_y;

    for (int j = 0; j < level.taps_y; j++)
        add_tap(total, axes[weights + j], rows[(first_row + j) * DW_ATLAS_DOWN_SIDE + column]);
    return hold_sums(round_total(total));
}

void main()
{
    if (group_index() >= push.block_count)
        return;
    dw_atlas_block block = blocks[push.first_block + group_index()];
    uint n = block.place % push.level_total;
    dw_atlas_level level = levels[n];
    dw_tile_level to = places[block.place], from = places[block.place - 1u];
    int x0 = to.content_x0 + int(block.at & 0xffffu) * DW_ATLAS_DOWN_SIDE;
    int y0 = to.content_y0 + int(block.at >> 16) * DW_ATLAS_DOWN_SIDE;
    int y1 = min(y0 + DW_ATLAS_DOWN_SIDE, to.content_y1);
    int first = axes[level.axis_y + y0];
    int row_count = axes[level.axis_y + y1 - 1] + level.taps_y - first;

    for (int i = int(gl_LocalInvocationIndex); i < row_count * DW_ATLAS_DOWN_SIDE;
         i += DW_ATLAS_LANES) {
        int x = x0 + i % DW_ATLAS_DOWN_SIDE;
        int from_y =
            content_index(first + i / DW_ATLAS_DOWN_SIDE, from.content_y0, from.content_y1);

        if (x < to.content_x1)
            rows[i] = filter_along_x(n, level, from, x, from_y);
    }
    barrier();

    int x = x0 + int(gl_LocalInvocationID.x);
    int y = y0 + int(gl_LocalInvocationID.y);

    if (x < to.content_x1 && y < y1) {
        int first_row = axes[level.axis_y + y] - first;

        store_texel(plane_index(level, x, y),
                    filter_along_y(level, y, first_row, int(gl_LocalInvocationID.x)));
    }
}
