// SPDX-License-Identifier: MIT
// The cells of a block of a large tile: each lane takes a run of them along a row, so that a texel
// is unpacked once; cells that do not count as one value are spread over all lanes.
#extension GL_EXT_control_flow_attributes : require

const int SIDE = DW_ATLAS_COUNT_SIDE;
const int ROW_PAIRS = SIDE / 2 + 1;

// Alpha of the block's texels and of those around it, two to a word: columns and rows -1 to SIDE.
shared uint pairs[(SIDE + 2) * ROW_PAIRS]; // PAIRS of them

uint counted_alpha(uint alpha)
{
    return has_flag(DW_ATLAS_IS_TRYING) ? dw_alpha_from_8(dw_alpha_to_8(remapped_alpha(alpha)))
                                        : alpha;
}

uint content_alpha(uint n, dw_tile_level place, int x, int y)
{
    x += place.content_x0;
    y += place.content_y0;
    return counted_alpha(is_source(n) ? source_alpha(source_index(x, y))
                                      : uint(alphas[plane_index(levels[n], x, y)]));
}

const int PAIRS = (SIDE + 2) * ROW_PAIRS;
const int LANE_PAIRS = (PAIRS + DW_ATLAS_LANES - 1) / DW_ATLAS_LANES;

// All of a lane's texels are asked for before the first is waited for.
void load_pairs(uint n, dw_tile_level place, int x0, int y0)
{
    int width = place.content_x1 - place.content_x0, height = place.content_y1 - place.content_y0;
    int level_width = levels[n].width, lane = int(gl_LocalInvocationIndex);
    uint base = (is_source(n) ? 0u : levels[n].first - push.plane_base) +
                uint(place.content_y0 * level_width + place.content_x0);
    uvec2 texels[LANE_PAIRS];

    [[unroll]] for (int k = 0; k < LANE_PAIRS; k++) {
        int i = min(lane + k * DW_ATLAS_LANES, PAIRS - 1);
        int x = x0 - 1 + 2 * (i % ROW_PAIRS);
        int y = content_index(min(y0 - 1 + i / ROW_PAIRS, height), 0, height);
        uint left = base + uint(y * level_width + content_index(min(x, width), 0, width));
        uint right = base + uint(y * level_width + content_index(min(x + 1, width), 0, width));

        texels[k] = is_source(n) ? uvec2(source_alpha(left), source_alpha(right))
                                 : uvec2(alphas[left], alphas[right]);
    }
    [[unroll]] for (int k = 0; k < LANE_PAIRS; k++) {
        int i = lane + k * DW_ATLAS_LANES;

        if (i < PAIRS)
            pairs[i] = counted_alpha(texels[k].x) | counted_alpha(texels[k].y) << 16;
    }
    barrier();
}

// Texel (x, y) of the block, from -1 to SIDE.
uint block_alpha(int x, int y)
{
    return pairs[(y + 1) * ROW_PAIRS + ((x + 1) >> 1)] >> (16 * ((x + 1) & 1)) & 0xffffu;
}

const int COLUMNS = SIDE + 1; // of cells at most

dw_tile_level block_place;
int block_x0, block_y0, block_columns;

dw_cell load_cell(int i)
{
    int x = i % COLUMNS, y = i / COLUMNS;
    dw_cell cell = dw_cell(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0, 0);

    if (x >= block_columns)
        return cell;

    cell.a00 = block_alpha(x - 1, y - 1);
    cell.a10 = block_alpha(x, y - 1);
    cell.a01 = block_alpha(x - 1, y);
    cell.a11 = block_alpha(x, y);
    set_columns(cell, block_place, block_place.content_x0 + block_x0 + x);
    set_rows(cell, block_place, block_place.content_y0 + block_y0 + y);
    return cell;
}

const int RUN = SIDE * SIDE / DW_ATLAS_LANES; // cells of a row that one lane takes
const int RUN_STEP = CELL_CHUNK / DW_ATLAS_LANES;

// Cells of the block that have all their samples.
ivec2 whole_begin, whole_end;

void find_whole_cells()
{
    ivec2 first = ivec2(block_place.sample_x0, block_place.sample_y0);
    ivec2 last = ivec2(block_place.sample_x1, block_place.sample_y1);
    ivec2 origin = ivec2(block_place.content_x0 + block_x0, block_place.content_y0 + block_y0);

    whole_begin = (first + 5) / 4 - origin;
    whole_end = (last - 2) / 4 + 1 - origin;
}

// Cells x to x + RUN_STEP - 1 of row y, from the alpha at their left.
void visit_run(int x, int y, inout uint upper, inout uint lower)
{
    bool is_whole_row = y >= whole_begin.y && y < whole_end.y;

    for (int end = min(x + RUN_STEP, block_columns); x < end; x++) {
        uint next_upper = block_alpha(x, y - 1), next_lower = block_alpha(x, y);
        uint least = min(min(upper, next_upper), min(lower, next_lower));
        uint most = max(max(upper, next_upper), max(lower, next_lower));

        if (is_whole_row && x >= whole_begin.x && x < whole_end.x && is_plain(least, most))
            add_samples(DW_SAMPLE_ONE * least, 16u);
        else
            add_mixed_cell(y * COLUMNS + x);
        upper = next_upper;
        lower = next_lower;
    }
}

// The last column and the last row of the content lie behind the block's runs.
void add_last_cells(int rows)
{
    for (int i = int(gl_LocalInvocationIndex); i < 2 * COLUMNS; i += DW_ATLAS_LANES) {
        bool is_column = i < COLUMNS;
        int x = is_column ? SIDE : i - COLUMNS, y = is_column ? i : SIDE;

        if (x < block_columns && y < rows && (is_column || x < SIDE))
            add_mixed_cell(y * COLUMNS + x);
    }
}

void begin_mixed_cells()
{
    barrier();
    if (gl_LocalInvocationIndex == 0u)
        mixed_count = 0u;
    barrier();
}

// The cells of a block of content: those up and left of its texels, and the last ones of the
// content behind its last texels.
void visit_block(uint n, dw_tile_level place, int block_x, int block_y)
{
    int width = place.content_x1 - place.content_x0, height = place.content_y1 - place.content_y0;
    int first = int(gl_LocalInvocationIndex) * RUN, x = first % SIDE, y = first / SIDE;
    int rows;

    block_place = place;
    block_x0 = block_x * SIDE;
    block_y0 = block_y * SIDE;
    block_columns = width - block_x0 > SIDE ? SIDE : width - block_x0 + 1;
    rows = height - block_y0 > SIDE ? SIDE : height - block_y0 + 1;
    load_pairs(n, place, block_x0, block_y0);
    find_whole_cells();
    uint upper = block_alpha(x - 1, y - 1), lower = block_alpha(x - 1, y);

    for (int step = 0; step < RUN; step += RUN_STEP) {
        begin_mixed_cells();
        if (y < rows && x + step < SIDE)
            visit_run(x + step, y, upper, lower);
        barrier();
        visit_mixed_cells();
    }
    begin_mixed_cells();
    add_last_cells(rows);
    barrier();
    visit_mixed_cells();
}
