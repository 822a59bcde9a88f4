// SPDX-License-Identifier: MIT
// Four texels in a row at a time: (x, y) to (x + 3, y) with x a multiple of 4. With
// DW_ATLAS_HAS_QUADS they lie on four-texel borders in memory too.

struct dw_quad {
    uvec4 color;  // 0x00BBGGRR
    uvec4 alpha;  // 16 bits
    uint visible; // one bit each
};

// Which texels are content, one bit each.
uint content_bits(dw_tile_level place, int x, int y)
{
    uint end = uint(clamp(place.content_x1 - x, 0, 4));
    uint begin = uint(clamp(place.content_x0 - x, 0, 4));

    return y >= place.content_y0 && y < place.content_y1
               ? ((1u << end) - 1u) & ~((1u << begin) - 1u)
               : 0u;
}

uint nonzero_bits(uvec4 v)
{
    return (v.x != 0u ? 1u : 0u) | (v.y != 0u ? 2u : 0u) | (v.z != 0u ? 4u : 0u) |
           (v.w != 0u ? 8u : 0u);
}

dw_quad wide_source_quad(uint at, uint bits)
{
    dw_quad quad = dw_quad(uvec4(0u), uvec4(0u), 0u);

    for (uint i = 0u; i < 4u; i++) {
        if ((bits >> i & 1u) == 0u)
            continue;
        uint blue_alpha = source_word(2u * (at + i) + 1u);

        quad.color[i] = narrow_color(source_word(2u * (at + i)), blue_alpha);
        quad.alpha[i] = blue_alpha >> 16;
    }
    quad.visible = nonzero_bits(quad.alpha) & bits;
    return quad;
}

// The texels of level 0 whose bits are set.
dw_quad source_quad(int x, int y, uint bits)
{
    uint at = source_index(x, y);
    uvec4 words = uvec4(0u);

    if (has_flag(DW_ATLAS_IS_16_BIT))
        return wide_source_quad(at, bits);
    if (has_flag(DW_ATLAS_HAS_QUADS)) {
        words = source_quads[at >> 2];
    } else {
        for (uint i = 0u; i < 4u; i++)
            if ((bits >> i & 1u) != 0u)
                words[i] = source_word(at + i);
    }
    uvec4 alpha = words >> 24;

    return dw_quad(words & 0xffffffu, alpha * 257u, nonzero_bits(alpha) & bits);
}

uvec4 plane_colors(uint at, uint bits)
{
    uvec4 words = uvec4(0u);

    if (has_flag(DW_ATLAS_HAS_QUADS))
        return color_quads[at >> 2];
    for (uint i = 0u; i < 4u; i++)
        if ((bits >> i & 1u) != 0u)
            words[i] = plane_color(at + i);
    return words;
}

uvec4 plane_alphas(uint at, uint bits)
{
    uvec4 words = uvec4(0u);

    if (has_flag(DW_ATLAS_HAS_QUADS)) {
        uint low = alpha_pairs[at >> 1], high = alpha_pairs[(at >> 1) + 1u];

        return uvec4(low & 0xffffu, low >> 16, high & 0xffffu, high >> 16);
    }
    for (uint i = 0u; i < 4u; i++)
        if ((bits >> i & 1u) != 0u)
            words[i] = uint(alphas[at + i]);
    return words;
}

// The texels of level n whose bits are set; bits is not 0.
dw_quad load_quad(uint n, dw_atlas_level level, int x, int y, uint bits)
{
    if (is_source(n))
        return source_quad(x, y, bits);
    uint at = plane_index(level, x, y);
    uvec4 colors = plane_colors(at, bits);

    return dw_quad(colors & 0xffffffu, plane_alphas(at, bits),
                   nonzero_bits(colors & DW_COLOR_VISIBLE) & bits);
}

// Which of the texels whose bits are set are visible.
uint visible_bits(uint n, dw_atlas_level level, int x, int y, uint bits)
{
    if (bits == 0u)
        return 0u;
    if (is_source(n))
        return source_quad(x, y, bits).visible;
    return nonzero_bits(plane_colors(plane_index(level, x, y), bits) & DW_COLOR_VISIBLE) &
           bits;
}

// Writes the colours of the texels whose bits are set.
void store_colors(uint at, uint bits, uvec4 texels)
{
    if (has_flag(DW_ATLAS_HAS_QUADS) && bits == 15u) {
        level_quads_out[at >> 2] = texels;
    } else {
        for (uint i = 0u; i < 4u; i++)
            if ((bits >> i & 1u) != 0u)
                set_output_texel(at + i, texels[i]);
    }
}

void store_averages(uint at, uint bits, uvec4 alpha)
{
    if (has_flag(DW_ATLAS_HAS_QUADS) && bits == 15u) {
        alpha_quads_out[at >> 2] = alpha.x | alpha.y << 8 | alpha.z << 16 | alpha.w << 24;
    } else {
        for (uint i = 0u; i < 4u; i++)
            if ((bits >> i & 1u) != 0u)
                alpha_out[at + i] = uint8_t(alpha[i]);
    }
}
