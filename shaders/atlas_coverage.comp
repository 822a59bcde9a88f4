#version 460
// SPDX-License-Identifier: MIT
// Level 0 counted against the cutoffs, and the alpha histograms of large tiles. A workgroup takes
// DW_ATLAS_CELLS cells of one tile at one level.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"
#include "lib/atlas_cells.glsl"

layout(local_size_x = DW_ATLAS_LANES) in;

shared uint group_passing[DW_CUTOFFS_MAX];

uint passing_samples(dw_cell cell, uint cutoff_sample)
{
    uint passing = 0u;

    if (is_flat(cell))
        return DW_SAMPLE_ONE * cell.a00 >= cutoff_sample ? sample_count(cell) : 0u;
    for (uint ky = cell.ky_begin; ky < cell.ky_end; ky++)
        for (uint kx = cell.kx_begin; kx < cell.kx_end; kx++)
            passing += cell_sample(cell, kx, ky) >= cutoff_sample ? 1u : 0u;
    return passing;
}

// At most 2^32 samples are added: every carry is one step of the sum past 2^32.
void add_share(uint share, uint passing)
{
    uint before = atomicAdd(shares[share].passing_low, passing);

    if (before + passing < before)
        atomicAdd(shares[share].passing_high, 1u);
}

void count_cells(dw_tile_level place, uint begin, uint end, uint tile)
{
    uint passing[DW_CUTOFFS_MAX] = uint[DW_CUTOFFS_MAX](0u, 0u, 0u, 0u);

    if (gl_LocalInvocationIndex < uint(DW_CUTOFFS_MAX))
        group_passing[gl_LocalInvocationIndex] = 0u;
    barrier();
    for (uint at = begin + gl_LocalInvocationIndex; at < end; at += uint(DW_ATLAS_LANES)) {
        dw_cell cell = load_cell(0u, place, at);

        for (uint i = 0u; i < push.cutoff_count; i++)
            passing[i] += passing_samples(cell, push.cutoff_samples[i]);
    }
    for (uint i = 0u; i < push.cutoff_count; i++)
        if (passing[i] > 0u)
            atomicAdd(group_passing[i], passing[i]);
    barrier();
    if (gl_LocalInvocationIndex < push.cutoff_count && group_passing[gl_LocalInvocationIndex] > 0u)
        add_share(tile * push.cutoff_count + gl_LocalInvocationIndex,
                  group_passing[gl_LocalInvocationIndex]);
}

void main()
{
    if (group_index() >= push.block_count)
        return;
    dw_atlas_block block = blocks[push.first_block + group_index()];
    dw_tile_level place = places[block.place];
    uint n = block.place % push.level_total;
    uint begin = block.at * uint(DW_ATLAS_CELLS);
    uint end = min(begin + uint(DW_ATLAS_CELLS), cell_count(place));

    if (n == 0u && has_flag(DW_ATLAS_COUNTS_SHARES))
        count_cells(place, begin, end,
                    has_flag(DW_ATLAS_IS_IMAGE_WIDE) ? 0u : block.place / push.level_total);
    if (block.slot == DW_ATLAS_NONE)
        return;
    clear_bins();
    add_cells(n, place, begin, end);
    for (uint i = gl_LocalInvocationIndex; i < uint(DW_COVERAGE_BINS); i += uint(DW_ATLAS_LANES))
        if (bins[i] > 0u)
            atomicAdd(histograms[block.slot * uint(DW_COVERAGE_BINS) + i], bins[i]);
}
