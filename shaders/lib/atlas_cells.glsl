// SPDX-License-Identifier: MIT
// Bilinear samples of a tile. Cell (i, j) lies between texels i - 1 and i, j - 1 and j of the
// content and has 4 x 4 of them, those that lie inside the gutter; small content is sampled evenly.

struct dw_cell {
    uint a00, a10, a01, a11; // 16-bit alpha: upper left, upper right, lower left, lower right
    uint kx_begin, kx_end, ky_begin, ky_end;
    int phase_x, phase_y;
};

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

// Cells are visited in chunks: those of one value at once, and then the samples of all others, one
// a lane, so that no lane waits for another's cell.
const int CELL_CHUNK = 4 * DW_ATLAS_LANES;

shared uint mixed_cells[CELL_CHUNK];
shared uint mixed_count;

// Cell number i of those that this workgroup visits.
dw_cell load_cell(int i);

// Whether all samples between the least and the greatest alpha of a cell count alike.
bool is_plain(uint least, uint most)
{
    bool is_alike = true;

    if (has_flag(DW_ATLAS_COUNTS_BINS))
        return least == most;
    for (uint i = 0u; i < cutoff_count(); i++)
        is_alike = is_alike && (DW_SAMPLE_ONE * least >= push.cutoff_samples[i]) ==
                                   (DW_SAMPLE_ONE * most >= push.cutoff_samples[i]);
    return is_alike;
}

void add_mixed_cell(int i)
{
    mixed_cells[atomicAdd(mixed_count, 1u)] = uint(i);
}

void visit_plain_cells(int first, int end)
{
    for (int i = first + int(gl_LocalInvocationIndex); i < end; i += DW_ATLAS_LANES) {
        dw_cell cell = load_cell(i);

        if (is_plain(min(min(cell.a00, cell.a10), min(cell.a01, cell.a11)),
                     max(max(cell.a00, cell.a10), max(cell.a01, cell.a11))))
            add_samples(DW_SAMPLE_ONE * cell.a00,
                        (cell.kx_end - cell.kx_begin) * (cell.ky_end - cell.ky_begin));
        else
            add_mixed_cell(i);
    }
}

// A lane takes one sub-row of a cell at a time.
void visit_mixed_cells()
{
    for (uint i = gl_LocalInvocationIndex; i < 4u * mixed_count; i += uint(DW_ATLAS_LANES)) {
        dw_cell cell = load_cell(int(mixed_cells[i >> 2]));
        uint ky = i & 3u;

        if (ky < cell.ky_begin || ky >= cell.ky_end)
            continue;
        uint wy = dw_sample_weight(ky, cell.phase_y);

        for (uint kx = cell.kx_begin; kx < cell.kx_end; kx++)
            add_samples(dw_bilinear(cell.a00, cell.a10, cell.a01, cell.a11,
                                    dw_sample_weight(kx, cell.phase_x), wy),
                        1u);
    }
}

void visit_cells(int count)
{
    for (int first = 0; first < count; first += CELL_CHUNK) {
        if (gl_LocalInvocationIndex == 0u)
            mixed_count = 0u;
        barrier();
        visit_plain_cells(first, min(first + CELL_CHUNK, count));
        barrier();
        visit_mixed_cells();
        barrier();
    }
}

// 16-bit alpha of a tile at level n as it is counted. x, y: texels of the content.
uint content_alpha(uint n, dw_tile_level place, int x, int y);

void visit_evenly(uint n, dw_tile_level place)
{
    int columns = dw_even_count(place.even_x0, place.even_x1);
    int samples = columns * dw_even_count(place.even_y0, place.even_y1);
    int width = place.content_x1 - place.content_x0, height = place.content_y1 - place.content_y0;

    for (int i = int(gl_LocalInvocationIndex); i < samples; i += DW_ATLAS_LANES) {
        int x = dw_even_position(i % columns, place.even_x0, place.even_x1);
        int y = dw_even_position(i / columns, place.even_y0, place.even_y1);
        int left = content_index((x >> 6) - place.content_x0, 0, width);
        int right = content_index((x >> 6) - place.content_x0 + 1, 0, width);
        int upper = content_index((y >> 6) - place.content_y0, 0, height);
        int lower = content_index((y >> 6) - place.content_y0 + 1, 0, height);

        add_samples(dw_bilinear(content_alpha(n, place, left, upper),
                                content_alpha(n, place, right, upper),
                                content_alpha(n, place, left, lower),
                                content_alpha(n, place, right, lower), uint(x & 63), uint(y & 63)),
                    1u);
    }
}
