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

const int SIDE = DW_ATLAS_COUNT_SIDE;
const int ROW_PAIRS = SIDE / 2 + 1;

// Alpha of the block's texels and of those around it, two to a word: columns and rows -1 to SIDE.
shared uint pairs[(SIDE + 2) * ROW_PAIRS];

uint content_alpha(uint n, dw_tile_level place, int x, int y)
{
    x += place.content_x0;
    y += place.content_y0;
    uint alpha = is_source(n) ? source_alpha(source_index(x, y))
                              : uint(alphas[plane_index(levels[n], x, y)]);

    return has_flag(DW_ATLAS_IS_TRYING) ? dw_alpha_from_8(dw_alpha_to_8(remapped_alpha(alpha)))
                                        : alpha;
}

void load_pairs(uint n, dw_tile_level place, int x0, int y0)
{
    int width = place.content_x1 - place.content_x0, height = place.content_y1 - place.content_y0;

    for (int i = int(gl_LocalInvocationIndex); i < (SIDE + 2) * ROW_PAIRS; i += DW_ATLAS_LANES) {
        int x = x0 - 1 + 2 * (i % ROW_PAIRS);
        int y = content_index(min(y0 - 1 + i / ROW_PAIRS, height), 0, height);
        int left = content_index(min(x, width), 0, width);
        int right = content_index(min(x + 1, width), 0, width);

        pairs[i] = content_alpha(n, place, left, y) | content_alpha(n, place, right, y) << 16;
    }
    barrier();
}

// Texel (x, y) of the block, from -1 to SIDE.
uint block_alpha(int x, int y)
{
    return pairs[(y + 1) * ROW_PAIRS + ((x + 1) >> 1)] >> (16 * ((x + 1) & 1)) & 0xffffu;
}

// The cells of a block of content: those up and left of its texels, and the last ones of the
// content behind its last texels.
void visit_cells(uint n, dw_tile_level place, int block_x, int block_y)
{
    int x0 = block_x * SIDE, y0 = block_y * SIDE;
    int width = place.content_x1 - place.content_x0, height = place.content_y1 - place.content_y0;
    int columns = width - x0 > SIDE ? SIDE : width - x0 + 1;
    int rows = height - y0 > SIDE ? SIDE : height - y0 + 1;

    load_pairs(n, place, x0, y0);
    for (int i = int(gl_LocalInvocationIndex); i < columns * rows; i += DW_ATLAS_LANES) {
        int x = i % columns, y = i / columns;
        dw_cell cell;

        cell.a00 = block_alpha(x - 1, y - 1);
        cell.a10 = block_alpha(x, y - 1);
        cell.a01 = block_alpha(x - 1, y);
        cell.a11 = block_alpha(x, y);
        set_columns(cell, place, place.content_x0 + x0 + x);
        set_rows(cell, place, place.content_y0 + y0 + y);
        visit_cell(cell);
    }
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
