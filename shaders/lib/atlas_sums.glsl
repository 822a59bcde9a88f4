// SPDX-License-Identifier: MIT
// Premultiplied light P (x, y, z) and alpha A (w) of texels: read at any level, stored with colour.

uint light_from_16(uint code)
{
    uint pair = tables[DW_ATLAS_TABLE_DECODE_16 + (code >> 1)];

    return (code & 1u) != 0u ? pair >> 16 : pair & 0xffffu;
}

uvec4 sums_from_16(uint red_green, uint blue_alpha)
{
    uint alpha = has_flag(DW_ATLAS_IS_OPAQUE) ? DW_ALPHA_ONE : blue_alpha >> 16;

    return uvec4(dw_premultiply(light_from_16(red_green & 0xffffu), alpha),
                 dw_premultiply(light_from_16(red_green >> 16), alpha),
                 dw_premultiply(light_from_16(blue_alpha & 0xffffu), alpha),
                 dw_weight_from_alpha(alpha));
}

// 257 * alpha is the 16-bit alpha: dw_premultiply divides by 257 again.
uvec4 sums_from_8(uvec3 light, uint word)
{
    uint alpha = has_flag(DW_ATLAS_IS_OPAQUE) ? 255u : word >> 24;

    return uvec4(light * alpha, DW_ALPHA_ONE * alpha);
}

// The sums of a level-0 texel.
uvec4 source_sums(uint at)
{
    if (has_flag(DW_ATLAS_IS_16_BIT))
        return sums_from_16(source_word(2u * at), source_word(2u * at + 1u));
    uint word = source_word(at);

    return sums_from_8(uvec3(tables[word & 0xffu], tables[(word >> 8) & 0xffu],
                             tables[(word >> 16) & 0xffu]),
                       word);
}

// The sums of texel (x, y) of level n.
uvec4 load_sums(uint n, int x, int y)
{
    return is_source(n) ? source_sums(source_index(x, y)) : sums[plane_index(levels[n], x, y)];
}

uint encode_light(uint p, uint a, uint reciprocal)
{
    uint v = dw_unpremultiply_by(p, a, reciprocal);

    return (tables[DW_ATLAS_TABLE_ENCODE + (v >> 2)] >> (8u * (v & 3u))) & 0xffu;
}

// Colour of sums with alpha.
uint encode_sums(uvec4 s)
{
    uint reciprocal = dw_reciprocal(s.w);

    return encode_light(s.x, s.w, reciprocal) | encode_light(s.y, s.w, reciprocal) << 8 |
           encode_light(s.z, s.w, reciprocal) << 16;
}

// Keeps the colour of a texel. With DW_ATLAS_IS_OPAQUE colours only fill texels that had none.
void store_color(uint at, uvec4 s)
{
    if (!has_flag(DW_ATLAS_IS_OPAQUE))
        set_plane_color(at, s.w > 0u ? encode_sums(s) | DW_COLOR_VISIBLE : 0u);
    else if (plane_color(at) == 0u)
        set_plane_color(at, encode_sums(s) | DW_COLOR_KNOWN);
}

// Keeps what later steps need of a texel.
void store_texel(uint at, uvec4 s)
{
    sums[at] = s;
    store_color(at, s);
    if (!has_flag(DW_ATLAS_IS_OPAQUE))
        alphas[at] = uint16_t(dw_weight_to_alpha(s.w));
}
