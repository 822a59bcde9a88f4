#version 460
// SPDX-License-Identifier: MIT
// Samples of a block of one tile at one level, counted against the cutoffs and into histogram bins:
// of level 0, of averaged alpha, or of alpha as a trial remap would write it.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"
#include "lib/atlas_remap.glsl"
#include "lib/atlas_counts.glsl"
#include "lib/atlas_cells.glsl"

layout(local_size_x = DW_ATLAS_LANES) in;

const int LANE_ROWS = DW_ATLAS_COUNT_SIDE * DW_ATLAS_COUNT_SIDE / DW_ATLAS_LANES;

uint content_alpha(uint n, dw_tile_level place, int x, int y)
{
    x += place.content_x0;
    y += place.content_y0;
    uint alpha = is_source(n) ? source_alpha(source_index(x, y))
                              : uint(alphas[plane_index(levels[n], x, y)]);

    return has_flag(DW_ATLAS_IS_TRYING) ? dw_alpha_from_8(dw_alpha_to_8(remapped_alpha(alpha)))
                                        : alpha;
}

// Cells of content column x, rows y_begin to y_end - 1.
void visit_column(uint n, dw_tile_level place, int x, int y_begin, int y_end)
{
    int width = place.content_x1 - place.content_x0, height = place.content_y1 - place.content_y0;
    int left = content_index(x - 1, 0, width), right = content_index(x, 0, width);
    dw_cell cell;

    cell.a01 = cell.a11 = 0u;
    set_columns(cell, place, place.content_x0 + x);
    for (int y = y_begin - 1; y < y_end; y++) {
        int lower = content_index(y, 0, height);

        cell.a00 = cell.a01;
        cell.a10 = cell.a11;
        cell.a01 = content_alpha(n, place, left, lower);
        cell.a11 = content_alpha(n, place, right, lower);
        set_rows(cell, place, place.content_y0 + y);
        if (y >= y_begin)
            visit_cell(cell);
    }
}

// This lane's cells of a block of content: those up and left of its column of texels, and the last
// ones of the content behind its last texels.
void visit_cells(uint n, dw_tile_level place, int block_x, int block_y)
{
    int lane = int(gl_LocalInvocationIndex);
    int width = place.content_x1 - place.content_x0, height = place.content_y1 - place.content_y0;
    int x = block_x * DW_ATLAS_COUNT_SIDE + lane % DW_ATLAS_COUNT_SIDE;
    int y = block_y * DW_ATLAS_COUNT_SIDE + lane / DW_ATLAS_COUNT_SIDE * LANE_ROWS;
    int y_end = min(y + LANE_ROWS, height);

    if (x >= width || y >= height)
        return;
    if (y_end == height)
        y_end++;
    for (int i = 0; i < (x == width - 1 ? 2 : 1); i++)
        visit_column(n, place, x + i, y, y_end);
}

// At most 2^32 samples are added: every carry is one step of the sum past 2^32.
void add_share(uint share, uint count)
{
    uint before = atomicAdd(shares[share].passing_low, count);

    if (before + count < before)
        atomicAdd(shares[share].passing_high, 1u);
}

uint first_share(dw_atlas_block block)
{
    return has_flag(DW_ATLAS_IS_TRYING) ? trial_share(block.slot)
                                        : block.place / push.level_total * push.share_stride;
}

void main()
{
    if (group_index() >= push.block_count)
        return;
    dw_atlas_block block = blocks[push.first_block + group_index()];
    dw_tile_level place = places[block.place];
    uint n = block.place % push.level_total;
    uint lane = gl_LocalInvocationIndex;

    if (has_flag(DW_ATLAS_IS_TRYING)) {
        if (best_miss(block.slot) == 0ul)
            return;
        if (lane == 0u)
            group_remap = remaps[push.remap_count + block.slot];
        barrier();
        load_group_remap();
    }
    begin_counts();
    if (!dw_is_even(place))
        visit_cells(n, place, int(block.at & 0xffffu), int(block.at >> 16));
    else if (block.at == 0u)
        visit_evenly(n, place);
    end_counts();
    if (has_flag(DW_ATLAS_COUNTS_SHARES) && lane < push.cutoff_count && group_passing[lane] > 0u)
        add_share(first_share(block) + lane, group_passing[lane]);
    if (!has_flag(DW_ATLAS_COUNTS_BINS))
        return;
    for (uint i = lane; i < uint(DW_COVERAGE_BINS); i += uint(DW_ATLAS_LANES))
        if (bins[i] > 0u)
            atomicAdd(histograms[block.slot * uint(DW_COVERAGE_BINS) + i], bins[i]);
}
