// SPDX-License-Identifier: MIT
// Visible texels of a block and its surroundings as bits, and the nearest of them to a texel.

#define RADIUS     DW_DILATE_RADIUS
#define SIDE       DW_ATLAS_FINISH_SIDE
#define MARGIN     8                         // texels left and right: whole quads
#define HALO_QUADS ((SIDE + 2 * MARGIN) / 4) // of a row
#define HALO_ROWS  (SIDE + 2 * RADIUS)
#define HALO_WORDS ((SIDE + 2 * MARGIN + 31) / 32)

// Bit i of quad q in row j: texel (4 * q + i - MARGIN, j - RADIUS) of the block is visible.
shared uint quad_bits[HALO_ROWS][HALO_WORDS * 8];
shared uint word_bits[HALO_ROWS][HALO_WORDS];
shared uint near_bits[SIDE][HALO_WORDS]; // of RADIUS rows above and below together
shared uint has_seed;

// Words from quads, and has_seed. Its caller waits before and after.
void join_quads()
{
    for (int i = int(gl_LocalInvocationIndex); i < HALO_ROWS * HALO_WORDS; i += DW_ATLAS_LANES) {
        int row = i / HALO_WORDS, word = i % HALO_WORDS;
        uint bits = 0u;

        for (int quad = 0; quad < 8 && word * 8 + quad < HALO_QUADS; quad++)
            bits |= quad_bits[row][word * 8 + quad] << (4 * quad);
        word_bits[row][word] = bits;
        if (bits != 0u)
            has_seed = 1u;
    }
}

// Its caller waits before and after.
void join_rows()
{
    for (int i = int(gl_LocalInvocationIndex); i < SIDE * HALO_WORDS; i += DW_ATLAS_LANES) {
        int row = i / HALO_WORDS, word = i % HALO_WORDS;
        uint bits = 0u;

        for (int dy = 0; dy <= 2 * RADIUS; dy++)
            bits |= word_bits[row + dy][word];
        near_bits[row][word] = bits;
    }
}

// The 2 * RADIUS + 1 bits around a column, in the lowest bits.
uint window(uint low, uint high, int column)
{
    int shift = (column + MARGIN - RADIUS) & 31;

    return low >> shift | (shift > 0 ? high << (32 - shift) : 0u);
}

bool is_seed(int column, int row)
{
    int bit = column + MARGIN;

    return (word_bits[row + RADIUS][bit >> 5] >> (bit & 31) & 1u) != 0u;
}

bool has_near_seed(int column, int row)
{
    int word = (column + MARGIN - RADIUS) >> 5;
    uint high = near_bits[row][min(word + 1, HALO_WORDS - 1)];

    return (window(near_bits[row][word], high, column) & ((2u << (2 * RADIUS)) - 1u)) != 0u;
}

// The least key in row dy around texel (column, row).
uint nearest_in_row(int column, int row, int dy)
{
    int word = (column + MARGIN - RADIUS) >> 5;
    uint high = word_bits[row + dy + RADIUS][min(word + 1, HALO_WORDS - 1)];
    uint bits = window(word_bits[row + dy + RADIUS][word], high, column);

    // findMSB and findLSB give -1 for none.
    int left = RADIUS - findMSB(bits & ((2u << RADIUS) - 1u));
    int right = findLSB((bits >> (RADIUS + 1)) & ((1u << RADIUS) - 1u)) + 1;
    uint key = left <= RADIUS ? dw_seed_key(-left, dy) : DW_SEED_NONE;

    return right > 0 ? min(key, dw_seed_key(right, dy)) : key;
}

// The least dw_seed_key around texel (column, row) of the block, DW_SEED_NONE without a seed.
uint nearest_seed(int column, int row)
{
    uint best = DW_SEED_NONE;

    for (int dy = 0; dy <= RADIUS && dw_seed_key(0, -dy) < best; dy++)
        best = min(best, min(nearest_in_row(column, row, -dy), nearest_in_row(column, row, dy)));
    return best < uint(RADIUS * RADIUS + 1) << 8 ? best : DW_SEED_NONE;
}
