// SPDX-License-Identifier: MIT
// Counts of bilinear samples by a workgroup: those that pass each cutoff, and a histogram.

shared uint bins[DW_COVERAGE_BINS];
shared uint group_passing[DW_CUTOFFS_MAX]; // samples that pass each cutoff

// Each lane's own counts. Most flat cells are without alpha or opaque.
uint clear_samples, opaque_samples;
uint passing[DW_CUTOFFS_MAX];

// Known when the shader is compiled where there is one.
uint cutoff_count()
{
    return has_flag(DW_ATLAS_HAS_KNOTS) ? push.cutoff_count : 1u;
}

// `count` samples of one value.
void add_samples(uint value, uint count)
{
    if (has_flag(DW_ATLAS_COUNTS_SHARES))
        for (uint i = 0u; i < cutoff_count(); i++)
            passing[i] += value >= push.cutoff_samples[i] ? count : 0u;
    if (!has_flag(DW_ATLAS_COUNTS_BINS))
        return;
    if (value == 0u)
        clear_samples += count;
    else if (value == DW_SAMPLE_ONE * DW_ALPHA_ONE)
        opaque_samples += count;
    else
        atomicAdd(bins[value >> DW_COVERAGE_BIN_SHIFT], count);
}

// Counts start at zero. Waits for all lanes.
void begin_counts()
{
    clear_samples = opaque_samples = 0u;
    for (uint i = 0u; i < uint(DW_CUTOFFS_MAX); i++)
        passing[i] = 0u;
    if (gl_LocalInvocationIndex < uint(DW_CUTOFFS_MAX))
        group_passing[gl_LocalInvocationIndex] = 0u;
    if (has_flag(DW_ATLAS_COUNTS_BINS))
        for (uint i = gl_LocalInvocationIndex; i < uint(DW_COVERAGE_BINS);
             i += uint(DW_ATLAS_LANES))
            bins[i] = 0u;
    barrier();
}

// Adds the lanes' own counts up. Waits for all lanes.
void end_counts()
{
    if (clear_samples > 0u)
        atomicAdd(bins[0], clear_samples);
    if (opaque_samples > 0u)
        atomicAdd(bins[DW_COVERAGE_BINS - 1], opaque_samples);
    for (uint i = 0u; i < cutoff_count(); i++)
        if (passing[i] > 0u)
            atomicAdd(group_passing[i], passing[i]);
    barrier();
}
