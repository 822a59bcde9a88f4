#version 460
// SPDX-License-Identifier: MIT
// One mip step with a wide filter: a block's source rows are filtered along x into shared memory,
// then combined along y. Both steps round to 24 bits.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"
#include "lib/atlas_sums.glsl"

layout(local_size_x = DW_ATLAS_DOWN_SIDE, local_size_y = DW_ATLAS_DOWN_SIDE) in;

shared ivec4 rows[DW_ATLAS_FILTER_ROWS * DW_ATLAS_DOWN_SIDE];

int round_taps(int64_t total)
{
    return int((total + int64_t(DW_FILTER_ONE / 2)) >> DW_FILTER_SHIFT);
}

// The texels of row from_y below texel x, filtered.
ivec4 filter_along_x(uint n, dw_atlas_level level, dw_tile_level from, int x, int from_y)
{
    int64_t r = 0l, g = 0l, b = 0l, a = 0l;
    int weights = int(level.axis_x) + level.width + x * level.taps_x;

    for (int i = 0; i < level.taps_x; i++) {
        int from_x = content_index(axes[level.axis_x + x] + i, from.content_x0, from.content_x1);
        uvec4 s = load_sums(n, from_x, from_y);
        int64_t weight = int64_t(axes[weights + i]);

        r += weight * int64_t(s.x);
        g += weight * int64_t(s.y);
        b += weight * int64_t(s.z);
        a += weight * int64_t(s.w);
    }
    return ivec4(round_taps(r), round_taps(g), round_taps(b), round_taps(a));
}

// The rows of column `column` from `first_row` on, filtered, and held to P <= A <= DW_WEIGHT_ONE.
uvec4 filter_along_y(dw_atlas_level level, int y, int first_row, int column)
{
    int64_t r = 0l, g = 0l, b = 0l, a = 0l;
    int weights = int(level.axis_y) + level.height + y * level.taps_y;

    for (int j = 0; j < level.taps_y; j++) {
        ivec4 s = rows[(first_row + j) * DW_ATLAS_DOWN_SIDE + column];
        int64_t weight = int64_t(axes[weights + j]);

        r += weight * int64_t(s.x);
        g += weight * int64_t(s.y);
        b += weight * int64_t(s.z);
        a += weight * int64_t(s.w);
    }
    int alpha = clamp(round_taps(a), 0, int(DW_WEIGHT_ONE));

    return uvec4(clamp(round_taps(r), 0, alpha), clamp(round_taps(g), 0, alpha),
                 clamp(round_taps(b), 0, alpha), alpha);
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
         i += DW_ATLAS_DOWN_SIDE * DW_ATLAS_DOWN_SIDE) {
        int x = x0 + i % DW_ATLAS_DOWN_SIDE;
        int from_y =
            content_index(first + i / DW_ATLAS_DOWN_SIDE, from.content_y0, from.content_y1);

        if (x < to.content_x1)
            rows[i] = filter_along_x(n - 1u, level, from, x, from_y);
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
