#version 460
// SPDX-License-Identifier: MIT
// Levels 1 to push.halvings of a block of level 0, all means of 2 x 2 texels. A texel pair that the
// content's edge divides counts its content texel twice: the other index is clamped to it.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"
#include "lib/atlas_sums.glsl"
#include "lib/atlas_filter.glsl"

layout(local_size_x = DW_ATLAS_LANES) in;

const int SIDE = DW_ATLAS_HALVE_SIDE;
const int QUADS = SIDE / 4; // level-2 texels along the block, one a lane

shared uint light_table[256];
shared uvec4 block_sums[QUADS * QUADS * 4 / 3 + 1]; // levels 2 and up, one behind the other

uint place_index;
ivec2 origin; // of the block at level 0

void load_light_table()
{
    if (!has_flag(DW_ATLAS_IS_16_BIT))
        for (uint i = gl_LocalInvocationIndex; i < 256u; i += uint(DW_ATLAS_LANES))
            light_table[i] = tables[i];
    barrier();
}

uvec4 sums_from_word(uint word)
{
    return sums_from_8(uvec3(light_table[word & 0xffu], light_table[(word >> 8) & 0xffu],
                             light_table[(word >> 16) & 0xffu]),
                       word);
}

// Sums of level-0 texels (x, y) to (x + 3, y); none outside the image.
uvec4[4] load_row(int x, int y)
{
    uvec4 none = uvec4(0u);

    if (x >= levels[0].width || y >= levels[0].height)
        return uvec4[4](none, none, none, none);
    uint at = source_index(x, y) >> 2;

    if (has_flag(DW_ATLAS_IS_16_BIT)) {
        uvec4 left = source_quads[2u * at], right = source_quads[2u * at + 1u];

        return uvec4[4](sums_from_16(left.x, left.y), sums_from_16(left.z, left.w),
                        sums_from_16(right.x, right.y), sums_from_16(right.z, right.w));
    }
    uvec4 words = source_quads[at];

    return uvec4[4](sums_from_word(words.x), sums_from_word(words.y), sums_from_word(words.z),
                    sums_from_word(words.w));
}

// Texel (x, y) from the four below it, of which `from` are content.
uvec4 halve(uvec4 s00, uvec4 s10, uvec4 s01, uvec4 s11, dw_tile_level from, ivec2 at)
{
    if (2 * at.x < from.content_x0) {
        s00 = s10;
        s01 = s11;
    }
    if (2 * at.x + 1 >= from.content_x1) {
        s10 = s00;
        s11 = s01;
    }
    if (2 * at.y < from.content_y0) {
        s00 = s01;
        s10 = s11;
    }
    if (2 * at.y + 1 >= from.content_y1) {
        s01 = s00;
        s11 = s10;
    }
    return mean_of_4(s00, s10, s01, s11);
}

bool is_content(dw_tile_level place, ivec2 at)
{
    return at.x >= place.content_x0 && at.x < place.content_x1 && at.y >= place.content_y0 &&
           at.y < place.content_y1;
}

void store_halved(uint n, dw_tile_level place, ivec2 at, uvec4 s)
{
    uint index = plane_index(levels[n], at.x, at.y);

    if (!is_content(place, at))
        return;
    store_color(index, s);
    if (!has_flag(DW_ATLAS_IS_OPAQUE))
        alphas[index] = uint16_t(dw_weight_to_alpha(s.w));
    if (n == push.halvings)
        sums[index] = s;
}

// Levels 1 and 2 from this lane's 4 x 4 texels.
void halve_twice(ivec2 lane)
{
    ivec2 at = (origin >> 2) + lane;
    dw_tile_level from = places[place_index], to = places[place_index + 1u];
    uvec4 s[4];

    for (int j = 0; j < 2; j++) {
        uvec4 upper[4] = load_row(4 * at.x, 4 * at.y + 2 * j);
        uvec4 lower[4] = load_row(4 * at.x, 4 * at.y + 2 * j + 1);

        for (int i = 0; i < 2; i++) {
            ivec2 to_at = 2 * at + ivec2(i, j);

            s[2 * j + i] = halve(upper[2 * i], upper[2 * i + 1], lower[2 * i], lower[2 * i + 1],
                                 from, to_at);
            store_halved(1u, to, to_at, s[2 * j + i]);
        }
    }
    uvec4 mean = halve(s[0], s[1], s[2], s[3], to, at);

    store_halved(2u, places[place_index + 2u], at, mean);
    block_sums[lane.y * QUADS + lane.x] = mean;
}

void main()
{
    if (group_index() >= push.block_count)
        return;
    dw_atlas_block block = blocks[push.first_block + group_index()];
    int lane = int(gl_LocalInvocationIndex);
    int from_begin = 0, side = QUADS;

    place_index = block.place;
    origin = ivec2(block.at & 0xffffu, block.at >> 16) * SIDE;
    load_light_table();
    halve_twice(ivec2(lane % QUADS, lane / QUADS));
    for (uint n = 3u; n <= push.halvings; n++) {
        int begin = from_begin + side * side, from_side = side;
        dw_tile_level from = places[place_index + n - 1u];

        barrier();
        side >>= 1;
        if (lane < side * side) {
            ivec2 in_block = ivec2(lane % side, lane / side);
            ivec2 at = (origin >> int(n)) + in_block;
            int first = from_begin + 2 * in_block.y * from_side + 2 * in_block.x;
            uvec4 s = halve(block_sums[first], block_sums[first + 1],
                            block_sums[first + from_side], block_sums[first + from_side + 1], from,
                            at);

            store_halved(n, places[place_index + n], at, s);
            block_sums[begin + in_block.y * side + in_block.x] = s;
        }
        from_begin = begin;
    }
}
