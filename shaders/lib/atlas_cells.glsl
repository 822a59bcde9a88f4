// SPDX-License-Identifier: MIT
// Bilinear cells of a tile: cell (i, j) lies between texels i - 1 and i, j - 1 and j of the
// content and has 4 x 4 samples, those of them that lie inside the gutter.

shared uint bins[DW_COVERAGE_BINS];
shared uint group_passing[DW_CUTOFFS_MAX]; // samples that pass each cutoff

// Each lane's own counts. Most flat cells are without alpha or opaque.
uint clear_samples, opaque_samples;
uint passing[DW_CUTOFFS_MAX];

struct dw_cell {
    uint a00, a10, a01, a11; // 16-bit alpha: upper left, upper right, lower left, lower right
    uint kx_begin, kx_end, ky_begin, ky_end;
    int phase_x, phase_y;
};

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

// The horizontal and the vertical part of the samples of the cell left of and above texel (x, y).
void set_columns(inout dw_cell cell, dw_tile_level place, int x)
{
    cell.phase_x = place.phase_x;
    cell.kx_begin = uint(dw_cell_begin(x, place.sample_x0));
    cell.kx_end = uint(max(dw_cell_end(x, place.sample_x1), int(cell.kx_begin)));
}

void set_rows(inout dw_cell cell, dw_tile_level place, int y)
{
    cell.phase_y = place.phase_y;
    cell.ky_begin = uint(dw_cell_begin(y, place.sample_y0));
    cell.ky_end = uint(max(dw_cell_end(y, place.sample_y1), int(cell.ky_begin)));
}

// Four equal corners are one value, most often without alpha or opaque.
void visit_cell(dw_cell cell)
{
    bool is_flat = cell.a00 == cell.a10 && cell.a00 == cell.a01 && cell.a00 == cell.a11;
    uint count = (cell.kx_end - cell.kx_begin) * (cell.ky_end - cell.ky_begin);
    uint values = is_flat ? min(count, 1u) : count;
    uint kx = cell.kx_begin, ky = cell.ky_begin;

    for (uint i = 0u; i < values; i++) {
        add_samples(dw_bilinear(cell.a00, cell.a10, cell.a01, cell.a11,
                                dw_sample_weight(kx, cell.phase_x),
                                dw_sample_weight(ky, cell.phase_y)),
                    is_flat ? count : 1u);
        kx++;
        if (kx == cell.kx_end) {
            kx = cell.kx_begin;
            ky++;
        }
    }
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
