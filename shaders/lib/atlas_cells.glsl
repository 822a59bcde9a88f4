// SPDX-License-Identifier: MIT
// Bilinear cells of a tile: cell (i, j) lies between texels i - 1 and i, j - 1 and j of the
// content and has 4 x 4 samples, those of them that lie inside the gutter.

shared uint bins[DW_COVERAGE_BINS];

struct dw_cell {
    uint a00, a10, a01, a11; // 16-bit alpha: upper left, upper right, lower left, lower right
    uint kx_begin, kx_end, ky_begin, ky_end;
    int phase_x, phase_y;
};

uint alpha_at(uint n, int x, int y)
{
    return n == 0u ? source_alpha(source_index(x, y)) : uint(alphas[plane_index(levels[n], x, y)]);
}

uint cell_count(dw_tile_level place)
{
    return uint(place.content_x1 - place.content_x0 + 1) *
           uint(place.content_y1 - place.content_y0 + 1);
}

// Cell number `at`, row by row.
dw_cell load_cell(uint n, dw_tile_level place, uint at)
{
    int columns = place.content_x1 - place.content_x0 + 1;
    int x = place.content_x0 + int(at % uint(columns));
    int y = place.content_y0 + int(at / uint(columns));
    int left = content_index(x - 1, place.content_x0, place.content_x1);
    int right = content_index(x, place.content_x0, place.content_x1);
    int upper = content_index(y - 1, place.content_y0, place.content_y1);
    int lower = content_index(y, place.content_y0, place.content_y1);
    dw_cell cell;

    cell.a00 = alpha_at(n, left, upper);
    cell.a10 = alpha_at(n, right, upper);
    cell.a01 = alpha_at(n, left, lower);
    cell.a11 = alpha_at(n, right, lower);
    cell.kx_begin = uint(dw_cell_begin(x, place.sample_x0));
    cell.kx_end = uint(max(dw_cell_end(x, place.sample_x1), int(cell.kx_begin)));
    cell.ky_begin = uint(dw_cell_begin(y, place.sample_y0));
    cell.ky_end = uint(max(dw_cell_end(y, place.sample_y1), int(cell.ky_begin)));
    cell.phase_x = place.phase_x;
    cell.phase_y = place.phase_y;
    return cell;
}

bool is_flat(dw_cell cell)
{
    return cell.a00 == cell.a10 && cell.a00 == cell.a01 && cell.a00 == cell.a11;
}

uint sample_count(dw_cell cell)
{
    return (cell.kx_end - cell.kx_begin) * (cell.ky_end - cell.ky_begin);
}

uint cell_sample(dw_cell cell, uint kx, uint ky)
{
    return dw_bilinear(cell.a00, cell.a10, cell.a01, cell.a11,
                       dw_sample_weight(kx, cell.phase_x), dw_sample_weight(ky, cell.phase_y));
}

void clear_bins()
{
    for (uint i = gl_LocalInvocationIndex; i < uint(DW_COVERAGE_BINS); i += uint(DW_ATLAS_LANES))
        bins[i] = 0u;
    barrier();
}

// Adds the samples of cells [begin, end) to the bins. Flat cells without alpha and opaque ones are
// most of them: each invocation counts its own first.
void add_cells(uint n, dw_tile_level place, uint begin, uint end)
{
    uint clear = 0u, opaque = 0u;

    for (uint at = begin + gl_LocalInvocationIndex; at < end; at += uint(DW_ATLAS_LANES)) {
        dw_cell cell = load_cell(n, place, at);

        if (is_flat(cell)) {
            if (cell.a00 == 0u)
                clear += sample_count(cell);
            else if (cell.a00 == DW_ALPHA_ONE)
                opaque += sample_count(cell);
            else
                atomicAdd(bins[(DW_SAMPLE_ONE * cell.a00) >> DW_COVERAGE_BIN_SHIFT], sample_count(cell));
            continue;
        }
        for (uint ky = cell.ky_begin; ky < cell.ky_end; ky++)
            for (uint kx = cell.kx_begin; kx < cell.kx_end; kx++)
                atomicAdd(bins[cell_sample(cell, kx, ky) >> DW_COVERAGE_BIN_SHIFT], 1u);
    }
    if (clear > 0u)
        atomicAdd(bins[0], clear);
    if (opaque > 0u)
        atomicAdd(bins[DW_COVERAGE_BINS - 1], opaque);
    barrier();
}
