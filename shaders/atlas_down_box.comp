#version 460
// SPDX-License-Identifier: MIT
// One mip step with the box filter: a texel an invocation, exact weights for odd sizes.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"
#include "lib/atlas_sums.glsl"

layout(local_size_x = DW_ATLAS_DOWN_SIDE, local_size_y = DW_ATLAS_DOWN_SIDE) in;

// Four texels of equal weight.
uvec4 mean_of_4(uint n, ivec2 x, ivec2 y)
{
    return (load_sums(n, x[0], y[0]) + load_sums(n, x[1], y[0]) + load_sums(n, x[0], y[1]) +
            load_sums(n, x[1], y[1]) + 2u) >> 2;
}

uint divide(uint64_t total, uint64_t by)
{
    return uint((total + by / 2ul) / by);
}

// Up to 3 x 3 texels.
uvec4 weighted_mean(uint n, dw_atlas_level level, dw_tile_level from, int x, int y)
{
    uint64_t r = 0ul, g = 0ul, b = 0ul, a = 0ul;
    int weights_x = int(level.axis_x) + level.width + x * level.taps_x;
    int weights_y = int(level.axis_y) + level.height + y * level.taps_y;

    for (int j = 0; j < level.taps_y; j++) {
        int from_y = content_index(axes[level.axis_y + y] + j, from.content_y0, from.content_y1);

        for (int i = 0; i < level.taps_x; i++) {
            int from_x =
                content_index(axes[level.axis_x + x] + i, from.content_x0, from.content_x1);
            uvec4 s = load_sums(n, from_x, from_y);
            uint64_t weight = uint64_t(axes[weights_x + i]) * uint64_t(axes[weights_y + j]);

            r += weight * uint64_t(s.x);
            g += weight * uint64_t(s.y);
            b += weight * uint64_t(s.z);
            a += weight * uint64_t(s.w);
        }
    }
    uint64_t by = uint64_t(level.sum_x) * uint64_t(level.sum_y);

    return uvec4(divide(r, by), divide(g, by), divide(b, by), divide(a, by));
}

void main()
{
    if (group_index() >= push.block_count)
        return;
    dw_atlas_block block = blocks[push.first_block + group_index()];
    uint n = block.place % push.level_total;
    dw_atlas_level level = levels[n];
    dw_tile_level to = places[block.place], from = places[block.place - 1u];
    int x = to.content_x0 + int(block.at & 0xffffu) * DW_ATLAS_DOWN_SIDE +
            int(gl_LocalInvocationID.x);
    int y = to.content_y0 + int(block.at >> 16) * DW_ATLAS_DOWN_SIDE +
            int(gl_LocalInvocationID.y);
    uvec4 s;

    if (x >= to.content_x1 || y >= to.content_y1)
        return;
    if (level.taps_x == 2 && level.taps_y == 2) {
        ivec2 from_x = ivec2(content_index(2 * x, from.content_x0, from.content_x1),
                             content_index(2 * x + 1, from.content_x0, from.content_x1));
        ivec2 from_y = ivec2(content_index(2 * y, from.content_y0, from.content_y1),
                             content_index(2 * y + 1, from.content_y0, from.content_y1));

        s = mean_of_4(n - 1u, from_x, from_y);
    } else {
        s = weighted_mean(n - 1u, level, from, x, y);
    }
    store_texel(plane_index(level, x, y), s);
}
