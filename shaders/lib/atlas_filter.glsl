// SPDX-License-Identifier: MIT
// One texel of a mip step from all its taps, by the box or by a wide filter.

// Four texels of equal weight.
uvec4 mean_of_4(uvec4 a, uvec4 b, uvec4 c, uvec4 d)
{
    return (a + b + c + d + 2u) >> 2;
}

uint divide(uint64_t total, uint64_t by)
{
    return uint((total + by / 2ul) / by);
}

// Up to 3 x 3 texels of level n - 1.
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
            uvec4 s = load_sums(n - 1u, from_x, from_y);
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

uvec4 box_texel(uint n, dw_atlas_level level, dw_tile_level from, int x, int y)
{
    if (level.taps_x != 2 || level.taps_y != 2)
        return weighted_mean(n, level, from, x, y);
    int x0 = content_index(2 * x, from.content_x0, from.content_x1);
    int x1 = content_index(2 * x + 1, from.content_x0, from.content_x1);
    int y0 = content_index(2 * y, from.content_y0, from.content_y1);
    int y1 = content_index(2 * y + 1, from.content_y0, from.content_y1);

    return mean_of_4(load_sums(n - 1u, x0, y0), load_sums(n - 1u, x1, y0),
                     load_sums(n - 1u, x0, y1), load_sums(n - 1u, x1, y1));
}

// Wide filters add up to 20 products of 15 and 27 bits.
struct dw_tap_total {
    int64_t r, g, b, a;
};

void add_tap(inout dw_tap_total total, int weight, ivec4 s)
{
    total.r += int64_t(weight) * int64_t(s.x);
    total.g += int64_t(weight) * int64_t(s.y);
    total.b += int64_t(weight) * int64_t(s.z);
    total.a += int64_t(weight) * int64_t(s.w);
}

int round_taps(int64_t total)
{
    return int((total + int64_t(DW_FILTER_ONE / 2)) >> DW_FILTER_SHIFT);
}

ivec4 round_total(dw_tap_total total)
{
    return ivec4(round_taps(total.r), round_taps(total.g), round_taps(total.b),
                 round_taps(total.a));
}

// P <= A <= DW_WEIGHT_ONE again.
uvec4 hold_sums(ivec4 s)
{
    int alpha = clamp(s.w, 0, int(DW_WEIGHT_ONE));

    return uvec4(clamp(s.xyz, ivec3(0), ivec3(alpha)), alpha);
}

// Row from_y of level n - 1 filtered around texel x.
ivec4 filter_along_x(uint n, dw_atlas_level level, dw_tile_level from, int x, int from_y)
{
    dw_tap_total total = dw_tap_total(0l, 0l, 0l, 0l);
    int weights = int(level.axis_x) + level.width + x * level.taps_x;

    for (int i = 0; i < level.taps_x; i++) {
        int from_x = content_index(axes[level.axis_x + x] + i, from.content_x0, from.content_x1);

        add_tap(total, axes[weights + i], ivec4(load_sums(n - 1u, from_x, from_y)));
    }
    return round_total(total);
}

uvec4 wide_texel(uint n, dw_atlas_level level, dw_tile_level from, int x, int y)
{
    dw_tap_total total = dw_tap_total(0l, 0l, 0l, 0l);
    int weights = int(level.axis_y) + level.height + y * level.taps_y;

    for (int j = 0; j < level.taps_y; j++) {
        int from_y = content_index(axes[level.axis_y + y] + j, from.content_y0, from.content_y1);

        add_tap(total, axes[weights + j], filter_along_x(n, level, from, x, from_y));
    }
    return hold_sums(round_total(total));
}
