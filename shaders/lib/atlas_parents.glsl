// SPDX-License-Identifier: MIT
// Colours that the coarser levels of a tile have for a block of texels.

#define PARENTS (SIDE / 2) // texels of the next level along the block

shared uint parents[PARENTS * PARENTS];

// The colour of the first coarser level of the tile that has one at texel (x, y) of the next level,
// flags included; 0: none.
uint pull_color(uint place_index, uint n, int x, int y)
{
    for (uint m = n + 1u, at = place_index + 1u; m < push.level_total; m++, at++) {
        dw_tile_level parent = places[at];

        if (parent.x1 <= parent.x0)
            return 0u;
        x = dw_clamp_index(x, parent.content_x0, parent.content_x1);
        y = dw_clamp_index(y, parent.content_y0, parent.content_y1);

        uint color = plane_color(plane_index(levels[m], x, y));

        if (color != 0u)
            return color;
        x >>= 1;
        y >>= 1;
    }
    return 0u;
}

void load_parents(uint place_index, uint n, int x0, int y0)
{
    for (int i = int(gl_LocalInvocationIndex); i < PARENTS * PARENTS; i += DW_ATLAS_LANES)
        parents[i] =
            pull_color(place_index, n, (x0 >> 1) + i % PARENTS, (y0 >> 1) + i / PARENTS);
}

// For texel (column, row) of the block, flags included; 0: none.
uint parent_color(int column, int row)
{
    return parents[(row >> 1) * PARENTS + (column >> 1)];
}
