#version 460
// SPDX-License-Identifier: MIT
// What a trial remap of a large tile gave, a workgroup each: it is kept if no other missed less,
// and the next trial corrects it.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"
#include "lib/atlas_remap.glsl"
#include "lib/atlas_counts.glsl"
#include "lib/atlas_choice.glsl"

layout(local_size_x = DW_ATLAS_LANES) in;

// Takes the counts of samples that pass, and leaves zeros there.
void take_passing(uint slot)
{
    uint i = gl_LocalInvocationIndex;

    if (i < push.cutoff_count) {
        group_passing[i] = shares[trial_share(slot) + i].passing_low;
        shares[trial_share(slot) + i].passing_low = 0u;
    }
}

// Keeps the trial if none before missed less; one that is near enough misses nothing.
void keep_trial(dw_atlas_block block, uint64_t count)
{
    uint64_t miss = trial_miss(count), least = best_miss(block.slot);

    if (miss < least) {
        least = miss;
        remaps[block.at] = group_remap;
        remaps[block.at].strength = push.strength;
    }
    set_best_miss(block.slot, dw_coverage_is_met(least, count, target_counts[0]) ? 0ul : least);
}

void main()
{
    if (group_index() >= push.block_count)
        return;
    dw_atlas_block block = blocks[push.first_block + group_index()];
    uint lane = gl_LocalInvocationIndex;

    if (best_miss(block.slot) == 0ul)
        return;
    is_trying = true;
    load_targets(block.place / push.level_total);
    take_passing(block.slot);
    if (lane == 0u)
        group_remap = remaps[push.remap_count + block.slot];
    take_histogram(block.slot);
    if (lane == 0u)
        keep_trial(block, place_samples(places[block.place]));
    sum_bins();
    choose_thresholds();
    if (lane == 0u)
        remaps[push.remap_count + block.slot] = dw_remap_from_thresholds(
            thresholds, push.cutoff_alpha, push.cutoff_count, 65536u);
}
