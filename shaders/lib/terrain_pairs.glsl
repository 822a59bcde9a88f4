// SPDX-License-Identifier: MIT
// Weights of an index map's texels: up to eight materials, in the order of their places.

// Weights have at most 24 bits: 255 times DW_TERRAIN_FRACTION^2.
void order_pair(inout uint pairs[8], uint a, uint b)
{
    uint low = min(pairs[a], pairs[b]), high = max(pairs[a], pairs[b]);

    pairs[a] = low;
    pairs[b] = high;
}

// By odd-even merges (Batcher 1968).
void order_pairs(inout uint pairs[8])
{
    for (uint half_side = 1u; half_side < 8u; half_side <<= 1)
        for (uint reach = half_side; reach > 0u; reach >>= 1)
            for (uint j = reach % half_side; j + reach < 8u; j += 2u * reach)
                for (uint i = 0u; i < reach && i + j + reach < 8u; i++)
                    if ((i + j) / (2u * half_side) == (i + j + reach) / (2u * half_side))
                        order_pair(pairs, i + j, i + j + reach);
}

bool read_pairs(uint x, uint y, out uint w[DW_TERRAIN_WIDTH])
{
    uint fx = column(DW_TERRAIN_STEP_FRACTION, x), fy = row(DW_TERRAIN_STEP_FRACTION, y);
    uint pairs[8];

    for (uint k = 0u; k < 4u; k++) {
        uint part = IS(IS_LINEAR) ? corner_part(fx, fy, k) : (k == 0u ? 1u : 0u);
        uint word = weights[push.weight_base / 4u + texel(x, y, IS(IS_LINEAR) ? k : 0u)];
        uint blend = dw_terrain_index_blend(word);

        pairs[2u * k] =
            laws[0].places[dw_terrain_index_base(word)] << 24 | (255u - blend) * part;
        pairs[2u * k + 1u] = laws[0].places[dw_terrain_index_overlay(word)] << 24 | blend * part;
    }
    order_pairs(pairs);
    for (uint i = 0u; i < 8u; i++) {
        own_places[i] = pairs[i] >> 24;
        w[i] = pairs[i] & 0xffffffu;
        // a material's pairs meet in its last one
        if (i > 0u && own_places[i] == own_places[i - 1u]) {
            w[i] += w[i - 1u];
            w[i - 1u] = 0u;
        }
    }
    return true;
}
