#version 460
// SPDX-License-Identifier: MIT
// Samples of a block of one tile at one level, counted against the cutoffs and into histogram bins:
// of level 0, of averaged alpha, or of alpha as a trial remap would write it.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"
#include "lib/atlas_remap.glsl"
#include "lib/atlas_counts.glsl"
#include "lib/atlas_cells.glsl"
#include "lib/atlas_runs.glsl"

layout(local_size_x = DW_ATLAS_LANES) in;

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
        visit_block(n, place, int(block.at & 0xffffu), int(block.at >> 16));
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
