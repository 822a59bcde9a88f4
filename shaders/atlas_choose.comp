#version 460
// SPDX-License-Identifier: MIT
// The remap of one tile at one level, a workgroup each. Small tiles are counted here, and their
// remaps corrected by what the bytes give; for large ones a first trial is left.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"
#include "lib/atlas_remap.glsl"
#include "lib/atlas_counts.glsl"
#include "lib/atlas_cells.glsl"
#include "lib/atlas_choice.glsl"

layout(local_size_x = DW_ATLAS_LANES) in;

shared uint pairs[DW_REFINE_TEXELS / 2];
shared dw_alpha_remap best_remap;
shared uint64_t least_miss;

// Alpha of the tile as it is counted, two texels to a word, row by row.
void load_pairs(uint n, dw_tile_level place)
{
    dw_atlas_level level = levels[n];
    int width = place.content_x1 - place.content_x0;
    int texels = width * (place.content_y1 - place.content_y0);

    for (int i = int(gl_LocalInvocationIndex) * 2; i < texels; i += 2 * DW_ATLAS_LANES) {
        uint pair = 0u;

        for (int j = 0; j < 2 && i + j < texels; j++) {
            int x = place.content_x0 + (i + j) % width, y = place.content_y0 + (i + j) / width;
            uint alpha = is_source(n) ? source_alpha(source_index(x, y))
                                      : uint(alphas[plane_index(level, x, y)]);

            if (is_trying)
                alpha = dw_alpha_from_8(dw_alpha_to_8(remapped_alpha(alpha)));
            pair |= alpha << (16 * j);
        }
        pairs[i >> 1] = pair;
    }
}

uint content_alpha(uint n, dw_tile_level place, int x, int y)
{
    int at = y * (place.content_x1 - place.content_x0) + x;

    return pairs[at >> 1] >> (16 * (at & 1)) & 0xffffu;
}

uint small_level;
dw_tile_level small_place;

dw_cell load_cell(int i)
{
    int width = small_place.content_x1 - small_place.content_x0;
    int height = small_place.content_y1 - small_place.content_y0;
    int x = i % (width + 1), y = i / (width + 1);
    int left = content_index(x - 1, 0, width), right = content_index(x, 0, width);
    int upper = content_index(y - 1, 0, height), lower = content_index(y, 0, height);
    dw_cell cell;

    cell.a00 = content_alpha(small_level, small_place, left, upper);
    cell.a10 = content_alpha(small_level, small_place, right, upper);
    cell.a01 = content_alpha(small_level, small_place, left, lower);
    cell.a11 = content_alpha(small_level, small_place, right, lower);
    set_columns(cell, small_place, small_place.content_x0 + x);
    set_rows(cell, small_place, small_place.content_y0 + y);
    return cell;
}

void count_small(uint n, dw_tile_level place)
{
    small_level = n;
    small_place = place;
    load_pairs(n, place);
    begin_counts();
    if (dw_is_even(place))
        visit_evenly(n, place);
    else
        visit_cells((place.content_x1 - place.content_x0 + 1) *
                    (place.content_y1 - place.content_y0 + 1));
    end_counts();
}

// The remap that the counts ask for, at full strength.
void set_remap()
{
    sum_bins();
    choose_thresholds();
    if (gl_LocalInvocationIndex == 0u)
        group_remap = dw_remap_from_thresholds(thresholds, push.cutoff_alpha, push.cutoff_count,
                                               65536u);
    barrier();
    load_group_remap();
}

// Keeps the counted trial if none before missed less; one that is near enough misses nothing.
void keep_trial(dw_tile_level place)
{
    if (gl_LocalInvocationIndex == 0u) {
        uint64_t miss = trial_miss(place_samples(place));

        if (miss < least_miss) {
            least_miss = miss;
            best_remap = group_remap;
        }
        if (dw_coverage_is_met(least_miss, place_samples(place), target_counts[0]))
            least_miss = 0ul;
    }
    barrier();
}

// The remap of a small tile; where one is needed, it and its corrections are tried on the tile's
// bytes.
void choose_small(uint n, dw_tile_level place)
{
    least_miss = ~0ul;
    for (int round = -1; round <= DW_REFINE_ROUNDS && least_miss > 0ul; round++) {
        count_small(n, place);
        if (is_trying)
            keep_trial(place);
        set_remap();
        if (!is_trying)
            best_remap = group_remap;
        if (!is_trying && remap_kind == DW_REMAP_IDENTITY)
            return;
        is_trying = true;
    }
}

// The first trial of a large tile's remap; none where alpha stays as averaged.
void begin_trials(uint slot)
{
    uint miss = group_remap.kind == DW_REMAP_IDENTITY ? 0u : 0xffffffffu;

    remaps[push.remap_count + slot] = group_remap;
    set_best_miss(slot, uint64_t(miss) << 32 | uint64_t(miss));
}

void main()
{
    if (group_index() >= push.block_count)
        return;
    dw_atlas_block block = blocks[push.first_block + group_index()];
    dw_tile_level place = places[block.place];
    uint n = block.place % push.level_total;

    load_targets(block.place / push.level_total);
    if (block.slot == DW_ATLAS_NONE) {
        choose_small(n, place);
    } else {
        take_histogram(block.slot);
        set_remap();
        best_remap = group_remap;
    }
    barrier();
    if (gl_LocalInvocationIndex != 0u)
        return;
    remaps[block.at] = best_remap;
    remaps[block.at].strength = push.strength;
    if (has_flag(DW_ATLAS_IS_TRYING) && block.slot != DW_ATLAS_NONE)
        begin_trials(block.slot);
}
