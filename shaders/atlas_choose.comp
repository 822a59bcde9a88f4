#version 460
// SPDX-License-Identifier: MIT
// The remap of one tile at one level, a workgroup each: for every cutoff the histogram bin at which
// a threshold passes the share of samples nearest to the wanted one. Small tiles make their
// histogram here.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"
#include "lib/atlas_cells.glsl"

layout(local_size_x = DW_ATLAS_LANES) in;

const uint BINS_PER_LANE = DW_COVERAGE_BINS / DW_ATLAS_LANES;

shared uint64_t lane_sums[2][DW_ATLAS_LANES];
shared uint64_t lane_misses[DW_ATLAS_LANES];
shared uint lane_bins[DW_ATLAS_LANES];

// Samples in this lane's bins and above, and the total of all. Uniform over the workgroup.
uint64_t suffix_sum(out uint64_t total)
{
    uint lane = gl_LocalInvocationIndex;
    uint from = 0u;
    uint64_t own = 0ul;

    for (uint i = 0u; i < BINS_PER_LANE; i++)
        own += uint64_t(bins[lane * BINS_PER_LANE + i]);
    lane_sums[0][lane] = own;
    barrier();
    for (uint step = 1u; step < uint(DW_ATLAS_LANES); step <<= 1) {
        uint64_t other = lane + step < uint(DW_ATLAS_LANES) ? lane_sums[from][lane + step] : 0ul;

        lane_sums[from ^ 1u][lane] = lane_sums[from][lane] + other;
        from ^= 1u;
        barrier();
    }
    total = lane_sums[from][0];
    return lane_sums[from][lane];
}

// Whether bin a with its miss comes before bin b: the smaller miss, then nearer to the wanted bin,
// then the lower bin.
bool is_better(uint64_t miss_a, uint a, uint64_t miss_b, uint b, uint wanted)
{
    uint distance_a = a > wanted ? a - wanted : wanted - a;
    uint distance_b = b > wanted ? b - wanted : wanted - b;

    if (miss_a != miss_b)
        return miss_a < miss_b;
    return distance_a != distance_b ? distance_a < distance_b : a < b;
}

// The best bin for one cutoff; the same in all lanes. passing: samples in this lane's bins and
// above.
uint choose_bin(uint64_t passing, uint64_t count, uint64_t target, uint64_t target_count,
                uint cutoff_alpha)
{
    uint lane = gl_LocalInvocationIndex;
    uint wanted = (cutoff_alpha + 8u) / 16u, best = 0u;
    uint64_t best_miss = 0ul;

    for (uint i = 0u; i < BINS_PER_LANE; i++) {
        uint bin = lane * BINS_PER_LANE + i;
        uint64_t miss = dw_coverage_miss(passing, count, target, target_count);

        passing -= uint64_t(bins[bin]);
        if (bin == 0u)
            continue;
        if (best == 0u || is_better(miss, bin, best_miss, best, wanted)) {
            best = bin;
            best_miss = miss;
        }
    }
    lane_misses[lane] = best_miss;
    lane_bins[lane] = best;
    barrier();
    for (uint step = uint(DW_ATLAS_LANES) / 2u; step > 0u; step >>= 1) {
        if (lane < step && is_better(lane_misses[lane + step], lane_bins[lane + step],
                                     lane_misses[lane], lane_bins[lane], wanted)) {
            lane_misses[lane] = lane_misses[lane + step];
            lane_bins[lane] = lane_bins[lane + step];
        }
        barrier();
    }
    best = lane_bins[0];
    barrier();
    return best;
}

uint64_t join_words(uint low, uint high)
{
    return uint64_t(low) | uint64_t(high) << 32;
}

void main()
{
    if (group_index() >= push.block_count)
        return;
    dw_atlas_block block = blocks[push.first_block + group_index()];
    uint tile = has_flag(DW_ATLAS_IS_IMAGE_WIDE) ? 0u : block.place / push.level_total;
    uint chosen[DW_CUTOFFS_MAX] = uint[DW_CUTOFFS_MAX](0u, 0u, 0u, 0u);
    uint64_t count;

    if (block.slot == DW_ATLAS_NONE) {
        clear_bins();
        add_cells(block.place % push.level_total, places[block.place], 0u,
                  cell_count(places[block.place]));
    } else {
        for (uint i = gl_LocalInvocationIndex; i < uint(DW_COVERAGE_BINS);
             i += uint(DW_ATLAS_LANES))
            bins[i] = histograms[block.slot * uint(DW_COVERAGE_BINS) + i];
        barrier();
    }
    uint64_t passing = suffix_sum(count);

    for (uint i = 0u; i < push.cutoff_count; i++) {
        dw_atlas_share share = shares[tile * push.cutoff_count + i];
        uint64_t target = join_words(share.passing_low, share.passing_high);
        uint64_t target_count = join_words(share.count_low, share.count_high);

        if (count > 0ul && target > 0ul && target < target_count)
            chosen[i] = 16u * choose_bin(passing, count, target, target_count, push.cutoff_alpha[i]);
    }
    if (gl_LocalInvocationIndex == 0u)
        remaps[block.at] = dw_remap_from_thresholds(chosen, push.cutoff_alpha, push.cutoff_count,
                                              push.strength);
}
