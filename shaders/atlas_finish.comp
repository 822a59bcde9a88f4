#version 460
// SPDX-License-Identifier: MIT
// Finished texels of a block of content: tested alpha through the remap, averaged alpha, colour.
// Colour under alpha 0 is that of the nearest visible texel within DW_DILATE_RADIUS, else that of
// the first coarser level that has one.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"

#define SIDE   DW_ATLAS_FINISH_SIDE
#define RADIUS DW_DILATE_RADIUS
#define HALO   (SIDE + 2 * RADIUS)

layout(local_size_x = SIDE, local_size_y = DW_ATLAS_LANES / SIDE) in;

// Bit i of row j: texel (i - RADIUS, j - RADIUS) of the block is visible.
shared uint visible_rows[HALO][2];
shared uint has_hidden;
shared uint has_seed;

bool is_visible(uint n, dw_atlas_level level, int x, int y)
{
    return n == 0u ? source_alpha(source_index(x, y)) != 0u
                   : (colors[plane_index(level, x, y)] & DW_COLOR_VISIBLE) != 0u;
}

uint color_at(uint n, dw_atlas_level level, int x, int y)
{
    return n == 0u ? source_color(source_index(x, y))
                   : colors[plane_index(level, x, y)] & 0xffffffu;
}

// Marks the visible texels of the block and its surroundings that lie in the content.
void mark_visible(uint n, dw_atlas_level level, dw_tile_level place, int x0, int y0)
{
    for (uint i = gl_LocalInvocationIndex; i < 2u * uint(HALO); i += uint(DW_ATLAS_LANES))
        visible_rows[i >> 1][i & 1u] = 0u;
    barrier();
    for (int i = int(gl_LocalInvocationIndex); i < HALO * HALO; i += DW_ATLAS_LANES) {
        int column = i % HALO, row = i / HALO;
        int x = x0 + column - RADIUS, y = y0 + row - RADIUS;

        if (x < place.content_x0 || x >= place.content_x1 || y < place.content_y0 ||
            y >= place.content_y1 || !is_visible(n, level, x, y))
            continue;
        atomicOr(visible_rows[row][column >> 5], 1u << (column & 31));
        has_seed = 1u;
    }
    barrier();
}

// The least dw_seed_key around texel (column, row) of the block, DW_SEED_NONE without a seed.
uint nearest_seed(int column, int row)
{
    uint best = DW_SEED_NONE;

    for (int dy = -RADIUS; dy <= RADIUS; dy++) {
        uint low = visible_rows[row + dy + RADIUS][0], high = visible_rows[row + dy + RADIUS][1];
        uint window = low >> column | (column > 0 ? high << (32 - column) : 0u);
        int left = findMSB(window & ((2u << RADIUS) - 1u)) - RADIUS;
        int right = findLSB((window >> (RADIUS + 1)) & ((1u << RADIUS) - 1u)) + 1;

        // findMSB and findLSB give -1 for none.
        if (left >= -RADIUS)
            best = min(best, dw_seed_key(left, dy));
        if (right > 0)
            best = min(best, dw_seed_key(right, dy));
    }
    return best < uint(RADIUS * RADIUS + 1) << 8 ? best : DW_SEED_NONE;
}

// The colour of the first coarser level of the tile that has one here, flags included; 0: none.
uint pull_color(uint place_index, uint n, int x, int y)
{
    for (n++, place_index++; n < push.level_total; n++, place_index++) {
        dw_tile_level parent = places[place_index];

        if (parent.x1 <= parent.x0)
            return 0u;
        x = dw_clamp_index(x >> 1, parent.content_x0, parent.content_x1);
        y = dw_clamp_index(y >> 1, parent.content_y0, parent.content_y1);

        uint color = colors[plane_index(levels[n], x, y)];

        if (color != 0u)
            return color;
    }
    return 0u;
}

uint hidden_color(uint place_index, uint n, dw_atlas_level level, ivec2 at, ivec2 in_block)
{
    uint key = has_seed != 0u ? nearest_seed(in_block.x, in_block.y) : DW_SEED_NONE;

    if (key != DW_SEED_NONE)
        return color_at(n, level, at.x + int(key & 15u) - RADIUS,
                        at.y + int((key >> 4) & 15u) - RADIUS);
    uint color = pull_color(place_index, n, at.x, at.y);

    if (color != 0u)
        return color & 0xffffffu;
    return n == 0u ? color_at(n, level, at.x, at.y) : 0u;
}

void main()
{
    if (group_index() >= push.block_count)
        return;
    dw_atlas_block block = blocks[push.first_block + group_index()];
    uint n = block.place % push.level_total;
    dw_atlas_level level = levels[n];
    dw_tile_level place = places[block.place];
    int x0 = place.content_x0 + int(block.at & 0xffffu) * SIDE;
    int y0 = place.content_y0 + int(block.at >> 16) * SIDE;
    int x = x0 + int(gl_LocalInvocationID.x);
    int y_end = min(y0 + SIDE, place.content_y1);

    if (gl_LocalInvocationIndex == 0u)
        has_hidden = has_seed = 0u;
    barrier();
    if (x < place.content_x1 && !has_flag(DW_ATLAS_IS_KEPT))
        for (int y = y0 + int(gl_LocalInvocationID.y); y < y_end; y += DW_ATLAS_LANES / SIDE)
            if (!is_visible(n, level, x, y))
                has_hidden = 1u;
    barrier();
    bool is_filled = has_hidden != 0u;

    if (is_filled)
        mark_visible(n, level, place, x0, y0);
    if (x >= place.content_x1)
        return;
    for (int y = y0 + int(gl_LocalInvocationID.y); y < y_end; y += DW_ATLAS_LANES / SIDE) {
        uint at = level.first + uint(y * level.width + x);
        uint alpha = n == 0u ? source_alpha(source_index(x, y))
                             : uint(alphas[plane_index(level, x, y)]);
        uint color = is_filled && !is_visible(n, level, x, y)
                         ? hidden_color(block.place, n, level, ivec2(x, y), ivec2(x - x0, y - y0))
                         : color_at(n, level, x, y);

        levels_out[at] = color | dw_alpha_to_8(dw_remap_alpha(remaps[block.slot], alpha)) << 24;
        alpha_out[at] = uint8_t(dw_alpha_to_8(alpha));
    }
}
