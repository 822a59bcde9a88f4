#version 460
// SPDX-License-Identifier: MIT
// Finished texels of a block of content: tested alpha through the remap, averaged alpha, colour.
// Colour under alpha 0 is that of the nearest visible texel within DW_DILATE_RADIUS, else that of
// the first coarser level that has one.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"
#include "lib/atlas_quads.glsl"
#include "lib/atlas_remap.glsl"
#include "lib/atlas_seeds.glsl"
#include "lib/atlas_parents.glsl"

layout(local_size_x = DW_ATLAS_LANES) in;

const int ROW_QUADS = SIDE / 4;
const int QUAD_STEP = DW_ATLAS_LANES / ROW_QUADS; // rows between the quads of a lane
const int ROW_STEP = DW_ATLAS_LANES / SIDE;       // rows between the texels of a lane
const int LANE_ROWS = SIDE / ROW_STEP;
shared uint has_hidden;
shared uint has_far; // hidden texels without a near seed

uint place_index, n;
dw_atlas_level level;
dw_tile_level place;
int x0, y0;

uint tested_alpha(uint alpha)
{
    return dw_alpha_to_8(remapped_alpha(alpha));
}

int quad_x()
{
    return int(gl_LocalInvocationIndex) % ROW_QUADS * 4;
}

int quad_y(int i)
{
    return int(gl_LocalInvocationIndex) / ROW_QUADS + i * QUAD_STEP;
}

uint output_index(int x, int y)
{
    return level.first - push.output_base + uint(y * level.width + x);
}

// Writes what is known of quad i of this lane; whether some of its texels are hidden.
bool write_quad(int i)
{
    int x = x0 + quad_x(), y = y0 + quad_y(i);
    uint bits = content_bits(place, x, y);
    uint shown = 0u;

    if (bits != 0u) {
        dw_quad quad = load_quad(n, level, x, y, bits);
        uvec4 tested = uvec4(tested_alpha(quad.alpha.x), tested_alpha(quad.alpha.y),
                             tested_alpha(quad.alpha.z), tested_alpha(quad.alpha.w));

        shown = has_flag(DW_ATLAS_IS_KEPT) ? bits : quad.visible;
        store_colors(output_index(x, y), shown, quad.color | tested << 24);
        store_averages(output_index(x, y), bits, (quad.alpha + 128u) / 257u);
    }
    quad_bits[quad_y(i) + RADIUS][quad_x() / 4 + MARGIN / 4] = shown;
    return shown != bits;
}

// The visible texels around the block.
void mark_surroundings()
{
    for (int i = int(gl_LocalInvocationIndex); i < HALO_QUADS * HALO_ROWS; i += DW_ATLAS_LANES) {
        int quad = i % HALO_QUADS, row = i / HALO_QUADS;
        int x = x0 + 4 * quad - MARGIN, y = y0 + row - RADIUS;

        if (x < x0 || x >= x0 + SIDE || y < y0 || y >= y0 + SIDE)
            quad_bits[row][quad] = visible_bits(n, level, x, y, content_bits(place, x, y));
    }
}

uint color_at(int x, int y)
{
    return is_source(n) ? source_color(source_index(x, y))
                   : plane_color(plane_index(level, x, y)) & 0xffffffu;
}

bool is_hidden(int column, int row)
{
    return (content_bits(place, x0 + column, y0 + row) & 1u) != 0u && !is_seed(column, row);
}

// The hidden texels of a lane's column, a bit for each of its rows: all of them, and those that may
// have a near seed.
uint hidden_rows(int column, int first_row, out uint near)
{
    uint hidden = 0u;

    near = 0u;
    for (int i = 0; i < LANE_ROWS; i++) {
        int row = first_row + i * ROW_STEP;

        if (is_hidden(column, row)) {
            hidden |= 1u << i;
            near |= has_near_seed(column, row) ? 1u << i : 0u;
        }
    }
    return hidden;
}

// Gives rows the colour of a near seed; the bits of those that have one.
uint fill_near(int column, int first_row, uint rows)
{
    uint alpha = tested_alpha(0u) << 24;
    uint filled = 0u;

    while (rows != 0u) {
        int i = findLSB(rows);
        int row = first_row + i * ROW_STEP;
        uint key = nearest_seed(column, row);

        rows &= rows - 1u;
        if (key == DW_SEED_NONE)
            continue;
        filled |= 1u << i;
        set_output_texel(output_index(x0 + column, y0 + row),
                         alpha | color_at(x0 + column + int(key & 15u) - RADIUS,
                                          y0 + row + int((key >> 4) & 15u) - RADIUS));
    }
    return filled;
}

void fill_far(int column, int first_row, uint far)
{
    uint alpha = tested_alpha(0u) << 24;

    for (int i = 0; i < LANE_ROWS; i++) {
        int row = first_row + i * ROW_STEP;

        if ((far >> i & 1u) == 0u)
            continue;
        uint color = parent_color(column, row);

        if (is_source(n) && color == 0u)
            color = color_at(x0 + column, y0 + row);
        set_output_texel(output_index(x0 + column, y0 + row), alpha | color & 0xffffffu);
    }
}

void fill_hidden()
{
    int column = int(gl_LocalInvocationIndex) % SIDE;
    int first_row = int(gl_LocalInvocationIndex) / SIDE;
    uint near;

    mark_surroundings();
    barrier();
    join_quads();
    barrier();
    join_rows();
    barrier();
    uint far = hidden_rows(column, first_row, near);

    far &= ~fill_near(column, first_row, near);

    if (far != 0u)
        has_far = 1u;
    barrier();
    if (has_far == 0u)
        return;
    load_parents(place_index, n, x0, y0);
    barrier();
    fill_far(column, first_row, far);
}

void main()
{
    if (group_index() >= push.block_count)
        return;
    dw_atlas_block block = blocks[push.first_block + group_index()];
    bool is_filled = false;

    place_index = block.place;
    n = place_index % push.level_total;
    level = levels[n];
    place = places[place_index];
    x0 = int(block.at & 0xffffu) * SIDE;
    y0 = int(block.at >> 16) * SIDE;
    if (gl_LocalInvocationIndex == 0u) {
        has_hidden = has_seed = has_far = 0u;
        group_remap = remaps[block.slot];
    }
    barrier();
    load_group_remap();
    for (int i = 0; i < SIDE / QUAD_STEP; i++)
        is_filled = write_quad(i) || is_filled;
    if (is_filled)
        has_hidden = 1u;
    barrier();
    if (has_hidden != 0u)
        fill_hidden();
}
