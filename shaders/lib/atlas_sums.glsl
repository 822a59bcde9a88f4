// SPDX-License-Identifier: MIT
// Premultiplied light P (x, y, z) and alpha A (w) of texels: read at any level, stored with colour.

uint light_from_16(uint code)
{
    uint pair = tables[DW_ATLAS_TABLE_DECODE_16 + (code >> 1)];

    return (code & 1u) != 0u ? pair >> 16 : pair & 0xffffu;
}

// The sums of a level-0 texel.
uvec4 source_sums(uint at)
{
    uvec3 light;
    uint alpha;

    if (has_flag(DW_ATLAS_IS_16_BIT)) {
        uint red_green = source_words[2u * at], blue_alpha = source_words[2u * at + 1u];

        light = uvec3(light_from_16(red_green & 0xffffu), light_from_16(red_green >> 16),
                      light_from_16(blue_alpha & 0xffffu));
        alpha = blue_alpha >> 16;
    } else {
        uint word = source_words[at];

        light = uvec3(tables[word & 0xffu], tables[(word >> 8) & 0xffu],
                      tables[(word >> 16) & 0xffu]);
        alpha = dw_alpha_from_8(word >> 24);
    }
    if (has_flag(DW_ATLAS_IS_OPAQUE))
        alpha = DW_ALPHA_ONE;
    return uvec4(dw_premultiply(light.x, alpha), dw_premultiply(light.y, alpha),
                 dw_premultiply(light.z, alpha), dw_weight_from_alpha(alpha));
}

// The sums of texel (x, y) of level n.
uvec4 load_sums(uint n, int x, int y)
{
    return n == 0u ? source_sums(source_index(x, y)) : sums[plane_index(levels[n], x, y)];
}

uint encode_light(uint p, uint a)
{
    uint v = dw_unpremultiply(p, a);

    return (tables[DW_ATLAS_TABLE_ENCODE + (v >> 2)] >> (8u * (v & 3u))) & 0xffu;
}

uint encode_sums(uvec4 s)
{
    return encode_light(s.x, s.w) | encode_light(s.y, s.w) << 8 | encode_light(s.z, s.w) << 16;
}

// Keeps what later steps need of a texel. With DW_ATLAS_IS_OPAQUE colours only fill texels that
// had none.
void store_texel(uint at, uvec4 s)
{
    sums[at] = s;
    if (!has_flag(DW_ATLAS_IS_OPAQUE)) {
        colors[at] = s.w > 0u ? encode_sums(s) | DW_COLOR_VISIBLE : 0u;
        alphas[at] = uint16_t(dw_weight_to_alpha(s.w));
    } else if (colors[at] == 0u) {
        colors[at] = encode_sums(s) | DW_COLOR_KNOWN;
    }
}
