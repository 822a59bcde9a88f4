// SPDX-License-Identifier: MIT
// Thresholds from a histogram: for every cutoff the bin at which a threshold passes the share of
// samples nearest to the wanted one, and trial remaps corrected by what they gave.

const uint BINS_PER_LANE = DW_COVERAGE_BINS / DW_ATLAS_LANES;

shared uint lane_sums[2][DW_ATLAS_LANES];
shared uint64_t targets[DW_CUTOFFS_MAX], target_counts[DW_CUTOFFS_MAX];
shared uint thresholds[DW_CUTOFFS_MAX];

bool is_trying = false; // what is counted is alpha as group_remap writes it

// The tile's shares, as dw_coverage_miss takes them.
void load_targets(uint tile)
{
    uint i = gl_LocalInvocationIndex;

    if (i < push.cutoff_count) {
        dw_atlas_share share = shares[tile * push.share_stride + i];
        uint64_t count = join_words(share.count_low, share.count_high);
        uint shift = dw_share_shift(count);

        targets[i] = join_words(share.passing_low, share.passing_high) >> shift;
        target_counts[i] = count >> shift;
    }
}

// Takes the histogram in device memory, and leaves zeros there.
void take_histogram(uint slot)
{
    for (uint i = gl_LocalInvocationIndex; i < uint(DW_COVERAGE_BINS); i += uint(DW_ATLAS_LANES)) {
        uint at = slot * uint(DW_COVERAGE_BINS) + i;

        bins[i] = histograms[at];
        histograms[at] = 0u;
    }
    barrier();
}

// bins[b] becomes the count of samples in bin b or above. Waits for all lanes.
void sum_bins()
{
    uint lane = gl_LocalInvocationIndex, first = lane * BINS_PER_LANE;
    uint from = 0u, sum = 0u;

    for (uint i = 0u; i < BINS_PER_LANE; i++)
        sum += bins[first + i];
    lane_sums[0][lane] = sum;
    barrier();
    for (uint step = 1u; step < uint(DW_ATLAS_LANES); step <<= 1) {
        uint other = lane + step < uint(DW_ATLAS_LANES) ? lane_sums[from][lane + step] : 0u;

        lane_sums[from ^ 1u][lane] = lane_sums[from][lane] + other;
        from ^= 1u;
        barrier();
    }
    sum = lane + 1u < uint(DW_ATLAS_LANES) ? lane_sums[from][lane + 1u] : 0u;
    for (uint i = BINS_PER_LANE; i-- > 0u;) {
        sum += bins[first + i];
        bins[first + i] = sum;
    }
    barrier();
}

// The last bin of [1, DW_COVERAGE_BINS - 1] that `least` samples or more pass; 0: none.
int last_passing(uint64_t least)
{
    int low = 0, high = DW_COVERAGE_BINS - 1;

    while (low < high) {
        int middle = (low + high + 1) / 2;

        if (uint64_t(bins[middle]) >= least)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

uint64_t bin_miss(int bin, uint i)
{
    return dw_coverage_miss(uint64_t(bins[bin]), uint64_t(bins[0]), targets[i], target_counts[i]);
}

// The best bin is one of two neighbours: the last that passes enough, or the next.
uint choose_bin(uint i)
{
    uint64_t wanted = targets[i] * uint64_t(bins[0]) + target_counts[i] - 1ul;
    int best = max(last_passing(wanted / target_counts[i]), 1);

    if (best + 1 < DW_COVERAGE_BINS && bin_miss(best + 1, i) < bin_miss(best, i))
        best++;
    int high = last_passing(uint64_t(bins[best]));
    int low = last_passing(uint64_t(bins[best]) + 1ul) + 1;

    return uint(dw_place_threshold(low, high, int((push.cutoff_alpha[i] + 8u) / 16u)));
}

// Thresholds from summed bins; with a trial in group_remap, those that the trial took to where
// they should have been. Waits for all lanes.
void choose_thresholds()
{
    uint i = gl_LocalInvocationIndex;

    if (i < uint(DW_CUTOFFS_MAX)) {
        uint threshold = 0u;

        if (i < push.cutoff_count && bins[0] > 0u && targets[i] > 0ul &&
            targets[i] < target_counts[i])
            threshold = 16u * choose_bin(i);
        thresholds[i] = is_trying && threshold > 0u ? dw_remap_inverse(group_remap, threshold)
                                                    : threshold;
    }
    barrier();
}

// What the counted trial misses of all shares. count: samples of the tile at the level.
uint64_t trial_miss(uint64_t count)
{
    uint64_t miss = 0ul;

    for (uint i = 0u; i < push.cutoff_count; i++)
        miss += dw_coverage_miss(uint64_t(group_passing[i]), count, targets[i], target_counts[i]);
    return miss;
}

uint64_t place_samples(dw_tile_level place)
{
    if (dw_is_even(place))
        return uint64_t(dw_even_count(place.even_x0, place.even_x1)) *
               uint64_t(dw_even_count(place.even_y0, place.even_y1));
    return uint64_t(place.sample_x1 - place.sample_x0) *
           uint64_t(place.sample_y1 - place.sample_y0);
}
