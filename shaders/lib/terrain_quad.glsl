// SPDX-License-Identifier: MIT
// Four pixels that show four texels in a row: a word of ids from wide loads. A texel has WORDS
// words, and its row begins at a quad.

uint quad_bits()
{
    return FORM == DW_TERRAIN_FORM_FLOAT    ? 32u
           : FORM == DW_TERRAIN_FORM_HALF   ? 16u
           : FORM == DW_TERRAIN_FORM_NIBBLE ? 4u
                                            : 8u;
}

uint first_quad(uint x, uint y)
{
    uint at = (row(DW_TERRAIN_STEP_TEXEL, y) - push.texel_row) * push.texels + x;

    return (push.weight_base / 4u + at * WORDS) / 4u;
}

// Clean weights of places that are slots; first: the texel's first quad.
uint choose_floats(uint first, uint cell_x, uint x, uint y)
{
    uint w[DW_TERRAIN_WIDTH];
    float f[DW_TERRAIN_WIDTH];

    for (uint p = 0u; p < DW_TERRAIN_WIDTH; p++) {
        uint bit = p * quad_bits(), word;

        f[p] = 0.0;
        if (bit / 32u >= WORDS)
            continue;
        word = quads[first + bit / 128u][bit / 32u & 3u];
        if (FORM == DW_TERRAIN_FORM_HALF)
            f[p] = dw_terrain_half(word >> (bit & 31u) & 0xffffu);
        else
            f[p] = dw_terrain_clean(uintBitsToFloat(word));
        f[p] = p < push.slots ? f[p] : 0.0;
    }
    return dw_terrain_make_whole(f, w) ? choose_whole(w, cell_x, x, y) : laws[0].empty_id;
}

uint choose_words(uvec4 words, uint cell_x, uint x, uint y)
{
    uint w[DW_TERRAIN_WIDTH];

    for (uint p = 0u; p < DW_TERRAIN_WIDTH; p++) {
        uint bit = slot_of(p) * quad_bits();
        uint word = words.x;

        for (uint k = 1u; k < WORDS; k++)
            word = bit / 32u == k ? words[k] : word;
        w[p] = p < push.slots ? word >> (bit & 31u) & ((1u << quad_bits()) - 1u) : 0u;
    }
    return dw_terrain_total(w) != 0u ? choose_whole(w, cell_x, x, y) : laws[0].empty_id;
}

uint select_quad(uint x, uint y)
{
    uint first = first_quad(x, y), bytes = 0u;
    uvec4 cells = cell_quads[x / 4u];

    if (FORM <= DW_TERRAIN_FORM_HALF) {
        for (uint i = 0u; i < 4u; i++)
            bytes |= choose_floats(first + i * (WORDS / 4u), cells[i], x + i, y) << (8u * i);
        return bytes;
    }
    // indices are constants then, and what several pixels share is loaded once
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        uvec4 words = uvec4(0u);

        for (uint k = 0u; k < WORDS; k++)
            words[k] = quads[first + (i * WORDS + k) / 4u][(i * WORDS + k) % 4u];
        bytes |= choose_words(words, cells[i], x + i, y) << (8u * i);
    }
    return bytes;
}
