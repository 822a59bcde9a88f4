#version 460
// SPDX-License-Identifier: MIT
// Samples of a block of one tile at one level, counted against the cutoffs and into histogram bins:
// of level 0, of averaged alpha, or of alpha as a trial remap would write it.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"
#include "lib/atlas_remap.glsl"
#include "lib/atlas_cells.glsl"

layout(local_size_x = DW_ATLAS_LANES) in;

const int LANE_ROWS = DW_ATLAS_COUNT_SIDE * DW_ATLAS_COUNT_SIDE / DW_ATLAS_LANES;

uint alpha_at(uint n, dw_atlas_level level, int x, int y)
{
    uint alpha =
        is_source(n) ? source_alpha(source_index(x, y)) : uint(alphas[plane_index(level, x, y)]);

    return has_flag(DW_ATLAS_IS_TRYING) ? dw_alpha_from_8(dw_alpha_to_8(remapped_alpha(alpha)))
                                        : alpha;
}

void visit_column(uint n, dw_tile_level place, int x, int y_begin, int y_end)
{
    dw_atlas_level level = levels[n];
    int left = content_index(x - 1, place.content_x0, place.content_x1);
    int right = content_index(x, place.content_x0, place.content_x1);
    dw_cell cell;

    cell.a01 = cell.a11 = 0u;
    set_columns(cell, place, x);
    for (int y = y_begin - 1; y < y_end; y++) {
        int lower = content_index(y, place.content_y0, place.content_y1);

        cell.a00 = cell.a01;
        cell.a10 = cell.a11;
        cell.a01 = alpha_at(n, level, left, lower);
        cell.a11 = alpha_at(n, level, right, lower);
        set_rows(cell, place, y);
        if (y >= y_begin)
            visit_cell(cell);
    }
}

// This lane's cells of a block of content: those up and left of its column of texels, and the last
// ones of the content behind its last texels.
void visit_cells(uint n, dw_tile_level place, int block_x, int block_y)
{
    int lane = int(gl_LocalInvocationIndex);
    int x = place.content_x0 + block_x * DW_ATLAS_COUNT_SIDE + lane % DW_ATLAS_COUNT_SIDE;
    int y = place.content_y0 + block_y * DW_ATLAS_COUNT_SIDE +
            lane / DW_ATLAS_COUNT_SIDE * LANE_ROWS;
    int y_end = min(y + LANE_ROWS, place.content_y1);

    if (x >= place.content_x1 || y >= place.content_y1)
        return;
    if (y_end == place.content_y1)
        y_end++;
    for (int i = 0; i < (x == place.content_x1 - 1 ? 2 : 1); i++)
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
    visit_cells(block.place % push.level_total, places[block.place], int(block.at & 0xffffu),
                int(block.at >> 16));
    end_counts();
    if (has_flag(DW_ATLAS_COUNTS_SHARES) && lane < push.cutoff_count && group_passing[lane] > 0u)
        add_share(first_share(block) + lane, group_passing[lane]);
    if (!has_flag(DW_ATLAS_COUNTS_BINS))
        return;
    for (uint i = lane; i < uint(DW_COVERAGE_BINS); i += uint(DW_ATLAS_LANES))
        if (bins[i] > 0u)
            atomicAdd(histograms[block.slot * uint(DW_COVERAGE_BINS) + i], bins[i]);
}
