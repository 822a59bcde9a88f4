/* SPDX-License-Identifier: MIT */
#include "cpu/atlas_coverage.h"

#include "base/alloc.h"
#include "base/simd.h"
#include "cpu/atlas_tile.h"

#include <string.h>

/* Cells are looked at DW_CELL_CHUNK at a time: most are flat, and a class tells those apart from
 * the few that need all their samples. */
#define DW_CELL_CHUNK 64

enum { CELL_LOW, CELL_HIGH, CELL_MIXED };

/* CELL_LOW: all four corners are 0. CELL_HIGH: all are opaque. Returns how many are high. */
DW_SIMD static int classify_flat(const uint16_t *restrict upper, const uint16_t *restrict lower,
                                 uint8_t *restrict out, int count)
{
    int high = 0;

    for (int c = 0; c < count; c++) {
        unsigned all = upper[c] & upper[c + 1] & lower[c] & lower[c + 1];
        unsigned any = upper[c] | upper[c + 1] | lower[c] | lower[c + 1];

        out[c] = (uint8_t)(any == 0 ? CELL_LOW : (all == 0xffff ? CELL_HIGH : CELL_MIXED));
        high += all == 0xffff;
    }
    return high;
}

/* CELL_LOW: no corner passes. CELL_HIGH: all do. Returns how many are high. */
DW_SIMD static int classify_passing(const uint16_t *restrict upper, const uint16_t *restrict lower,
                                    uint16_t least, uint8_t *restrict out, int count)
{
    int high = 0;

    for (int c = 0; c < count; c++) {
        uint8_t passing = (uint8_t)((upper[c] >= least) + (upper[c + 1] >= least) +
                                    (lower[c] >= least) + (lower[c + 1] >= least));

        out[c] = (uint8_t)(passing == 0 ? CELL_LOW : (passing == 4 ? CELL_HIGH : CELL_MIXED));
        high += passing == 4;
    }
    return high;
}

/* The next mixed cell at or after c, or count. */
static int next_mixed(const uint8_t *classes, int c, int count)
{
    for (; c + 8 <= count; c += 8) {
        uint64_t eight;

        memcpy(&eight, classes + c, 8);
        if ((eight & 0x0202020202020202ull) != 0)
            break;
    }
    while (c < count && classes[c] != CELL_MIXED)
        c++;
    return c;
}

/* 64ths of the sub-samples of a cell row's cells along each axis. */
typedef struct cell_weights {
    int x[4], y[4];
} cell_weights;

/* Weights of a grid without phase, which is that of most rows: known to the compiler. */
static const cell_weights plain_weights = { { 8, 24, 40, 56 }, { 8, 24, 40, 56 } };

static cell_weights weigh_cells(const dw_cell_row *row)
{
    cell_weights weights;

    for (int k = 0; k < 4; k++) {
        weights.x[k] = (int)dw_sample_weight((uint32_t)k, row->phase_x);
        weights.y[k] = (int)dw_sample_weight((uint32_t)k, row->phase_y);
    }
    return weights;
}

/* dw_bilinear in two steps: one sub-row of cell c as its left end and its slope, both times 64. */
static inline void cell_sub_row(const dw_cell_row *row, int c, int weight, int *left, int *slope)
{
    int right = (64 - weight) * row->upper[c + 1] + weight * row->lower[c + 1];

    *left = (64 - weight) * row->upper[c] + weight * row->lower[c];
    *slope = right - *left;
}

/* Sub-samples of cell c that lie within the row's samples. */
static inline dw_span cell_span(const dw_cell_row *row, int c)
{
    return (dw_span) { dw_cell_begin(c, row->samples.begin), dw_cell_end(c, row->samples.end) };
}

static inline void add_cell(const dw_cell_row *row, const cell_weights *weights, int c,
                            dw_span span, uint32_t *histogram)
{
    for (int ky = row->sub_rows.begin; ky < row->sub_rows.end; ky++) {
        int left, slope;

        cell_sub_row(row, c, weights->y[ky], &left, &slope);
        for (int kx = span.begin; kx < span.end; kx++)
            histogram[(64 * left + weights->x[kx] * slope) >> DW_COVERAGE_BIN_SHIFT]++;
    }
}

/* Cells that hold samples: the first and the last may hold less than four. */
static inline dw_span sampled_cells(dw_span samples)
{
    return (dw_span) { (samples.begin + 2) / 4, (samples.end + 1) / 4 };
}

static inline void add_row_cells(const dw_cell_row *row, const cell_weights *weights,
                                 uint32_t *histogram)
{
    uint8_t classes[DW_CELL_CHUNK];
    uint32_t full = (uint32_t)(4 * (row->sub_rows.end - row->sub_rows.begin));
    dw_span cells = sampled_cells(row->samples), all = { 0, 4 };

    add_cell(row, weights, cells.begin, cell_span(row, cells.begin), histogram);
    for (int first = cells.begin + 1; first < cells.end; first += DW_CELL_CHUNK) {
        int count = cells.end - first < DW_CELL_CHUNK ? cells.end - first : DW_CELL_CHUNK;
        int high = classify_flat(row->upper + first, row->lower + first, classes, count);
        int mixed = 0;

        for (int c = next_mixed(classes, 0, count); c < count;
             c = next_mixed(classes, c + 1, count), mixed++)
            add_cell(row, weights, first + c, all, histogram);
        histogram[0] += full * (uint32_t)(count - mixed - high);
        histogram[DW_COVERAGE_BINS - 1] += full * (uint32_t)high;
    }
    if (cells.end > cells.begin)
        add_cell(row, weights, cells.end, cell_span(row, cells.end), histogram);
}

void dw_coverage_add_row(const dw_cell_row *row, uint32_t *histogram)
{
    cell_weights weights = weigh_cells(row);

    if (row->phase_x == 0 && row->phase_y == 0)
        add_row_cells(row, &plain_weights, histogram);
    else
        add_row_cells(row, &weights, histogram);
}

static inline uint32_t count_cell(const dw_cell_row *row, const cell_weights *weights, int c,
                                  dw_span span, int cutoff_sample)
{
    uint32_t passing = 0;

    for (int ky = row->sub_rows.begin; ky < row->sub_rows.end; ky++) {
        int left, slope;

        cell_sub_row(row, c, weights->y[ky], &left, &slope);
        for (int kx = span.begin; kx < span.end; kx++)
            passing += 64 * left + weights->x[kx] * slope >= cutoff_sample;
    }
    return passing;
}

static inline uint64_t count_row_cells(const dw_cell_row *row, const cell_weights *weights,
                                       uint32_t cutoff_sample)
{
    uint8_t classes[DW_CELL_CHUNK];
    uint16_t least = (uint16_t)((cutoff_sample + DW_SAMPLE_ONE - 1) / DW_SAMPLE_ONE);
    uint64_t full = (uint64_t)(4 * (row->sub_rows.end - row->sub_rows.begin));
    dw_span cells = sampled_cells(row->samples), all = { 0, 4 };
    uint64_t passing =
        count_cell(row, weights, cells.begin, cell_span(row, cells.begin), (int)cutoff_sample);

    for (int first = cells.begin + 1; first < cells.end; first += DW_CELL_CHUNK) {
        int count = cells.end - first < DW_CELL_CHUNK ? cells.end - first : DW_CELL_CHUNK;

        passing += full * (uint64_t)classify_passing(row->upper + first, row->lower + first, least,
                                                     classes, count);
        for (int c = next_mixed(classes, 0, count); c < count;
             c = next_mixed(classes, c + 1, count))
            passing += count_cell(row, weights, first + c, all, (int)cutoff_sample);
    }
    if (cells.end > cells.begin)
        passing +=
            count_cell(row, weights, cells.end, cell_span(row, cells.end), (int)cutoff_sample);
    return passing;
}

uint64_t dw_coverage_count_row(const dw_cell_row *row, uint32_t cutoff_sample)
{
    cell_weights weights = weigh_cells(row);

    if (row->phase_x == 0 && row->phase_y == 0)
        return count_row_cells(row, &plain_weights, cutoff_sample);
    return count_row_cells(row, &weights, cutoff_sample);
}

void dw_coverage_suffix_sums(const uint32_t *histogram, uint64_t *passing)
{
    uint64_t sum = 0;

    for (int bin = DW_COVERAGE_BINS - 1; bin >= 0; bin--) {
        sum += histogram[bin];
        passing[bin] = sum;
    }
}

/* The last bin of [1, DW_COVERAGE_BINS - 1] that `least` samples or more pass; 0: none. passing
 * falls from bin to bin. */
static int last_passing(const uint64_t *passing, uint64_t least)
{
    int low = 0, high = DW_COVERAGE_BINS - 1;

    while (low < high) {
        int middle = (low + high + 1) / 2;

        if (passing[middle] >= least)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

uint32_t dw_coverage_choose_bin(const uint64_t *passing, uint64_t count, uint64_t target,
                                uint64_t target_count, uint32_t cutoff_alpha)
{
    /* The best bin is one of two neighbours: the last that passes enough, or the next. */
    int enough = last_passing(passing, (target * count + target_count - 1) / target_count);
    int best = enough > 0 ? enough : 1, next = best + 1, low, high;

    if (next < DW_COVERAGE_BINS && dw_coverage_miss(passing[next], count, target, target_count) <
                                       dw_coverage_miss(passing[best], count, target, target_count))
        best = next;
    high = last_passing(passing, passing[best]);
    low = last_passing(passing, passing[best] + 1) + 1;
    return (uint32_t)dw_place_threshold(low, high, (int)((cutoff_alpha + 8) / 16));
}

dw_alpha_remap dw_coverage_choose_remap(const dw_atlas_plan *plan, const uint32_t *histogram,
                                        const uint64_t *target, const uint64_t *target_count)
{
    uint64_t passing[DW_COVERAGE_BINS];
    uint32_t thresholds[DW_CUTOFFS_MAX] = { 0 };

    dw_coverage_suffix_sums(histogram, passing);
    for (int i = 0; i < plan->def.cutoff_count; i++)
        if (passing[0] > 0 && target[i] > 0 && target[i] < target_count[i])
            thresholds[i] = 16 * dw_coverage_choose_bin(passing, passing[0], target[i],
                                                        target_count[i], plan->cutoff_alpha[i]);
    return dw_remap_from_thresholds(thresholds, plan->cutoff_alpha,
                                    (uint32_t)plan->def.cutoff_count, plan->strength);
}

/* ---- a tile of the baker ---- */

/* Cell rows that hold samples of a tile at a level. */
static dw_span sampled_rows(const dw_tile_level *place)
{
    dw_span samples = { place->sample_y0 - 4 * place->content_y0,
                        place->sample_y1 - 4 * place->content_y0 };
    dw_span cells = sampled_cells(samples);

    return (dw_span) { cells.begin, cells.end + 1 };
}

DW_SIMD static void widen_alpha(const uint32_t *restrict texels, uint16_t *restrict row, int width)
{
    for (int x = 0; x < width; x++)
        row[x] = (uint16_t)dw_alpha_from_8(texels[x] >> 24);
}

/* To 8 bits and back, as dw_remap_rounded ends. */
DW_SIMD static void round_alpha_row(uint16_t *row, int width)
{
    for (int x = 0; x < width; x++)
        row[x] = (uint16_t)dw_alpha_from_8(dw_alpha_to_8(row[x]));
}

/* Alpha of one content row with its margins. */
static const uint16_t *load_alpha_row(const dw_tile_work *work, int level, int y, uint16_t *row)
{
    const dw_tile_level *place = dw_work_place(work, level);
    int width = dw_content_width(place);

    if (level > 0) {
        memcpy(row + 1, work->alpha[level] + (size_t)y * (size_t)width,
               (size_t)width * sizeof *row);
    } else {
        size_t first = (size_t)(place->content_y0 + y) * (size_t)work->source->width +
                       (size_t)place->content_x0;
        const uint16_t *texels_16 = (const uint16_t *)work->source->texels + 4 * first + 3;

        if (work->source->bits == 8)
            widen_alpha((const uint32_t *)work->source->texels + first, row + 1, width);
        else
            for (int x = 0; x < width; x++)
                row[x + 1] = texels_16[4 * x];
    }
    if (work->trial != NULL) {
        dw_remap_row(work->trial, row + 1, row + 1, width);
        round_alpha_row(row + 1, width);
    }
    row[0] = row[1 + dw_content_index(work->plan, -1, 0, width)];
    row[width + 1] = row[1 + dw_content_index(work->plan, width, 0, width)];
    return row;
}

typedef void (*cell_row_fn)(const dw_tile_work *work, int level, const dw_cell_row *row,
                            int worker);

/* Calls for every sampled cell row of [begin, end), counted from the first one, keeping the lower
 * texel row of one as the upper of the next. */
static void for_cell_rows(const dw_tile_work *work, int level, int begin, int end, int worker,
                          cell_row_fn fn)
{
    const dw_tile_level *place = dw_work_place(work, level);
    int height = dw_content_height(place), first = sampled_rows(place).begin;
    size_t stride = (size_t)work->plan->width + 2;
    uint16_t *rows = work->scratch[worker].alpha_rows;
    int held[2] = { -1, -1 };

    for (int y = first + begin; y < first + end; y++) {
        int wanted[2] = { dw_content_index(work->plan, y - 1, 0, height),
                          dw_content_index(work->plan, y, 0, height) };
        const uint16_t *loaded[2];
        dw_cell_row row = {
            .samples = { place->sample_x0 - 4 * place->content_x0,
                         place->sample_x1 - 4 * place->content_x0 },
            .sub_rows = { dw_cell_begin(y, place->sample_y0 - 4 * place->content_y0),
                          dw_cell_end(y, place->sample_y1 - 4 * place->content_y0) },
            .phase_x = place->phase_x,
            .phase_y = place->phase_y,
        };

        for (int i = 0; i < 2; i++) {
            int slot = wanted[i] & 1;

            /* Two different rows of one parity meet only where a short content wraps. */
            if (i == 1 && wanted[0] != wanted[1] && (wanted[0] & 1) == slot)
                slot ^= 1;
            if (held[slot] != wanted[i])
                load_alpha_row(work, level, wanted[i], rows + (size_t)slot * stride);
            held[slot] = wanted[i];
            loaded[i] = rows + (size_t)slot * stride;
        }
        row.upper = loaded[0];
        row.lower = loaded[1];
        fn(work, level, &row, worker);
    }
}

static void count_row(const dw_tile_work *work, int level, const dw_cell_row *row, int worker)
{
    (void)level;
    for (int i = 0; i < work->plan->def.cutoff_count; i++)
        work->scratch[worker].passing[i] +=
            dw_coverage_count_row(row, work->plan->cutoff_samples[i]);
}

static void add_row(const dw_tile_work *work, int level, const dw_cell_row *row, int worker)
{
    dw_coverage_add_row(row, work->scratch[worker].histogram + (size_t)level * DW_COVERAGE_BINS);
}

static void count_band(const dw_tile_work *work, int level, int begin, int end, int worker)
{
    for_cell_rows(work, level, begin, end, worker, count_row);
}

static void add_band(const dw_tile_work *work, int level, int begin, int end, int worker)
{
    for_cell_rows(work, level, begin, end, worker, add_row);
}

/* Sampled cell rows of a level: what count_band and add_band run over. */
static int count_sampled_rows(const dw_tile_work *work, int level)
{
    dw_span rows = sampled_rows(dw_work_place(work, level));

    return rows.end - rows.begin;
}

/* Small content with a texel of margin on each side; w * h texels at most DW_EVEN_TEXELS need no
 * more than this with it. */
#define DW_EVEN_PADDED (DW_EVEN_TEXELS + 2 * (DW_EVEN_TEXELS + 1) + 4)

static void load_small_content(const dw_tile_work *work, int level, uint16_t *padded)
{
    const dw_tile_level *place = dw_work_place(work, level);
    int width = dw_content_width(place), height = dw_content_height(place);
    size_t stride = (size_t)width + 2;

    for (int y = -1; y <= height; y++)
        load_alpha_row(work, level, dw_content_index(work->plan, y, 0, height),
                       padded + (size_t)(y + 1) * stride);
}

/* Counts the samples of small content that pass, and bins them; histogram NULL: counts only. */
static void sample_evenly(const dw_tile_work *work, int level, uint64_t *passing,
                          uint32_t *histogram)
{
    const dw_tile_level *place = dw_work_place(work, level);
    int columns = dw_even_count(place->even_x0, place->even_x1);
    int rows = dw_even_count(place->even_y0, place->even_y1);
    int stride = dw_content_width(place) + 2;
    uint16_t padded[DW_EVEN_PADDED];

    load_small_content(work, level, padded);
    for (int j = 0; j < rows; j++) {
        int py = dw_even_position(j, place->even_y0, place->even_y1);
        const uint16_t *upper = padded + ((py >> 6) - place->content_y0 + 1) * stride;

        for (int i = 0; i < columns; i++) {
            int px = dw_even_position(i, place->even_x0, place->even_x1);
            int x = (px >> 6) - place->content_x0 + 1;
            uint32_t sample =
                dw_bilinear(upper[x], upper[x + 1], upper[x + stride], upper[x + stride + 1],
                            (uint32_t)px & 63, (uint32_t)py & 63);

            for (int k = 0; k < work->plan->def.cutoff_count; k++)
                passing[k] += sample >= work->plan->cutoff_samples[k];
            if (histogram != NULL)
                histogram[sample >> DW_COVERAGE_BIN_SHIFT]++;
        }
    }
}

/* Counts the samples of a level that pass, bins them, or both, into the scratch. */
static dw_status sample_level(const dw_tile_work *work, int level, bool is_counted, bool is_binned,
                              dw_error *err)
{
    int rows = count_sampled_rows(work, level);

    if (dw_is_even(*dw_work_place(work, level))) {
        dw_tile_scratch *scratch = &work->scratch[0];
        uint32_t *histogram = scratch->histogram + (size_t)level * DW_COVERAGE_BINS;
        uint64_t unused[DW_CUTOFFS_MAX] = { 0 };

        if (is_counted || is_binned)
            sample_evenly(work, level, is_counted ? scratch->passing : unused,
                          is_binned ? histogram : NULL);
        return DW_OK;
    }
    if (is_counted && dw_tile_for_bands(work, level, rows, count_band, err) != DW_OK)
        return err->code;
    return is_binned ? dw_tile_for_bands(work, level, rows, add_band, err) : DW_OK;
}

static bool is_remapped(const dw_tile_work *work, int level)
{
    const dw_tile_level *place = dw_work_place(work, level);

    return level >= work->plan->def.start_level &&
           dw_content_width(place) >= DW_COVERAGE_SIDE_MIN &&
           dw_content_height(place) >= DW_COVERAGE_SIDE_MIN;
}

dw_status dw_tile_count_coverage(dw_tile_work *work, dw_error *err)
{
    for (int level = 0; level < work->levels; level++) {
        bool is_counted = level == 0 && work->plan->def.target_coverage == NULL;

        if (sample_level(work, level, is_counted, is_remapped(work, level), err) != DW_OK)
            return err->code;
    }
    return DW_OK;
}

/* The samples of level 0, or of the given share, that cutoff i must let pass. */
static void tile_target(const dw_tile_work *work, int i, uint64_t *passing, uint64_t *count)
{
    const dw_atlas_def *def = &work->plan->def;
    uint32_t shift;

    if (def->target_coverage != NULL) {
        double share =
            def->target_coverage[(size_t)work->tile * (size_t)def->cutoff_count + (size_t)i];

        *count = DW_SHARE_ONE;
        *passing = (uint64_t)(share * DW_SHARE_ONE + 0.5);
        return;
    }
    *count = dw_sample_count(dw_work_place(work, 0));
    *passing = 0;
    for (int worker = 0; worker < dw_run_thread_count(&work->run); worker++)
        *passing += work->scratch[worker].passing[i];
    shift = dw_share_shift(*count);
    *passing >>= shift;
    *count >>= shift;
}

static void sum_histograms(const dw_tile_work *work, int level, uint32_t *out)
{
    memcpy(out, work->scratch[0].histogram + (size_t)level * DW_COVERAGE_BINS,
           DW_COVERAGE_BINS * sizeof *out);
    for (int worker = 1; worker < dw_run_thread_count(&work->run); worker++) {
        const uint32_t *histogram =
            work->scratch[worker].histogram + (size_t)level * DW_COVERAGE_BINS;

        for (int bin = 0; bin < DW_COVERAGE_BINS; bin++)
            out[bin] += histogram[bin];
    }
}

void dw_tile_choose_remaps(dw_tile_work *work)
{
    uint64_t target[DW_CUTOFFS_MAX], target_count[DW_CUTOFFS_MAX];
    uint32_t histogram[DW_COVERAGE_BINS];

    for (int i = 0; i < work->plan->def.cutoff_count; i++)
        tile_target(work, i, &target[i], &target_count[i]);
    for (int level = 0; level < work->levels; level++) {
        if (!is_remapped(work, level))
            continue;
        sum_histograms(work, level, histogram);
        work->remaps[level] = dw_coverage_choose_remap(work->plan, histogram, target, target_count);
    }
}

/* One trial remap, measured on the bytes it gives: counts and histogram in the scratch. *miss is
 * the sum over the cutoffs of what it misses. */
static dw_status try_remap(dw_tile_work *work, int level, const dw_alpha_remap *trial,
                           const uint64_t *target, const uint64_t *target_count, uint64_t *miss,
                           dw_error *err)
{
    const dw_tile_level *place = dw_work_place(work, level);
    dw_status status;

    for (int i = 0; i < dw_run_thread_count(&work->run); i++) {
        memset(work->scratch[i].passing, 0, sizeof work->scratch[i].passing);
        memset(work->scratch[i].histogram + (size_t)level * DW_COVERAGE_BINS, 0,
               DW_COVERAGE_BINS * sizeof *work->scratch[i].histogram);
    }
    work->trial = trial;
    status = sample_level(work, level, true, true, err);
    work->trial = NULL;
    *miss = 0;
    for (int i = 0; i < work->plan->def.cutoff_count; i++) {
        uint64_t passing = 0;

        for (int worker = 0; worker < dw_run_thread_count(&work->run); worker++)
            passing += work->scratch[worker].passing[i];
        *miss += dw_coverage_miss(passing, dw_sample_count(place), target[i], target_count[i]);
    }
    return status;
}

/* The remap corrected by what the last trial gave: each threshold moves to the alpha that the trial
 * took to where its threshold should have been. */
static dw_alpha_remap correct_remap(const dw_tile_work *work, int level, dw_alpha_remap trial,
                                    const uint64_t *target, const uint64_t *target_count)
{
    const dw_atlas_plan *plan = work->plan;
    uint32_t histogram[DW_COVERAGE_BINS], thresholds[DW_CUTOFFS_MAX] = { 0 };
    uint64_t passing[DW_COVERAGE_BINS];

    sum_histograms(work, level, histogram);
    dw_coverage_suffix_sums(histogram, passing);
    for (int i = 0; i < plan->def.cutoff_count; i++)
        if (target[i] > 0 && target[i] < target_count[i])
            thresholds[i] = dw_remap_inverse(
                trial, 16 * dw_coverage_choose_bin(passing, passing[0], target[i], target_count[i],
                                                   plan->cutoff_alpha[i]));
    return dw_remap_from_thresholds(thresholds, plan->cutoff_alpha,
                                    (uint32_t)plan->def.cutoff_count, 65536);
}

static dw_status refine_level(dw_tile_work *work, int level, const uint64_t *target,
                              const uint64_t *target_count, dw_error *err)
{
    uint64_t count = dw_sample_count(dw_work_place(work, level));
    dw_alpha_remap trial = work->remaps[level], best = trial;
    uint64_t best_miss = UINT64_MAX, miss;

    trial.strength = 65536;
    for (int round = 0; round <= DW_REFINE_ROUNDS; round++) {
        if (round > 0)
            trial = correct_remap(work, level, trial, target, target_count);
        if (try_remap(work, level, &trial, target, target_count, &miss, err) != DW_OK)
            return err->code;
        if (miss < best_miss) {
            best = trial;
            best_miss = miss;
        }
        if (dw_coverage_is_met(best_miss, count, target_count[0]))
            break;
    }
    best.strength = work->plan->strength;
    work->remaps[level] = best;
    return DW_OK;
}

dw_status dw_tile_refine_remaps(dw_tile_work *work, dw_error *err)
{
    uint64_t target[DW_CUTOFFS_MAX], target_count[DW_CUTOFFS_MAX];
    bool is_single = work->plan->def.cutoff_count == 1;

    for (int i = 0; i < work->plan->def.cutoff_count; i++)
        tile_target(work, i, &target[i], &target_count[i]);
    for (int level = 0; level < work->levels; level++) {
        if (work->remaps[level].kind == DW_REMAP_IDENTITY ||
            (is_single && dw_content_area(dw_work_place(work, level)) > DW_REFINE_TEXELS))
            continue;
        if (refine_level(work, level, target, target_count, err) != DW_OK)
            return err->code;
    }
    return DW_OK;
}

/* ---- measuring finished alpha ---- */

typedef struct measure_job {
    const dw_alpha_view *alpha;
    const dw_rect *areas;
    const uint32_t *cutoff_samples;
    int cutoff_count;
    dw_coverage_sampling sampling;
    uint16_t *rows; /* two padded rows a worker */
    size_t row_size;
    double *out;
} measure_job;

static uint16_t alpha_at(const dw_alpha_view *alpha, int x, int y)
{
    ptrdiff_t at = y * alpha->row_stride + x * alpha->texel_stride;

    return alpha->bits == 8 ? (uint16_t)dw_alpha_from_8(((const uint8_t *)alpha->data)[at])
                            : ((const uint16_t *)alpha->data)[at];
}

static void load_measured_row(const dw_alpha_view *alpha, const dw_rect *area, int y, uint16_t *row)
{
    int at_y = area->y + dw_clamp_index(y, 0, area->height);

    for (int x = 0; x < area->width; x++)
        row[x + 1] = alpha_at(alpha, area->x + x, at_y);
    row[0] = row[1];
    row[area->width + 1] = row[area->width];
}

static void measure_bilinear(const measure_job *job, const dw_rect *area, uint16_t *rows,
                             uint64_t *passing)
{
    uint16_t *upper = rows, *lower = rows + job->row_size;

    load_measured_row(job->alpha, area, 0, upper);
    for (int y = 0; y <= area->height; y++) {
        uint16_t *swap = upper;
        dw_cell_row row = {
            .upper = upper,
            .lower = lower,
            .samples = { 0, 4 * area->width },
            .sub_rows = { dw_cell_begin(y, 0), dw_cell_end(y, 4 * area->height) },
        };

        load_measured_row(job->alpha, area, y, lower);
        for (int i = 0; i < job->cutoff_count; i++)
            passing[i] += dw_coverage_count_row(&row, job->cutoff_samples[i]);
        upper = lower;
        lower = swap;
    }
}

static void measure_texels(const measure_job *job, const dw_rect *area, uint64_t *passing)
{
    for (int y = 0; y < area->height; y++)
        for (int x = 0; x < area->width; x++) {
            uint32_t sample = DW_SAMPLE_ONE * alpha_at(job->alpha, area->x + x, area->y + y);

            for (int i = 0; i < job->cutoff_count; i++)
                passing[i] += sample >= job->cutoff_samples[i];
        }
}

static void measure_area(void *user, int64_t item, int worker)
{
    const measure_job *job = user;
    const dw_rect *area = &job->areas[item];
    double samples = (double)area->width * area->height;
    uint64_t passing[DW_CUTOFFS_MAX] = { 0 };

    if (job->sampling == DW_COVERAGE_SAMPLING_TEXEL) {
        measure_texels(job, area, passing);
    } else {
        measure_bilinear(job, area, job->rows + 2 * job->row_size * (size_t)worker, passing);
        samples *= 16.0;
    }
    for (int i = 0; i < job->cutoff_count; i++)
        job->out[item * job->cutoff_count + i] = (double)passing[i] / samples;
}

dw_status dw_coverage_measure(const dw_alpha_view *alpha, const dw_rect *areas, int area_count,
                              const double *cutoffs, int cutoff_count,
                              dw_coverage_sampling sampling, const dw_run *run, double *out,
                              dw_error *err)
{
    uint32_t cutoff_samples[DW_CUTOFFS_MAX];
    measure_job job = { alpha, areas, cutoff_samples, cutoff_count, sampling, NULL, 0, out };
    dw_status status;

    for (int i = 0; i < cutoff_count; i++)
        cutoff_samples[i] = dw_cutoff_sample(cutoffs[i]);
    job.row_size = (size_t)alpha->width + 2;
    status = DW_ALLOC(2 * job.row_size * (size_t)dw_run_thread_count(run), &job.rows, err);
    if (status == DW_OK)
        status = dw_parallel_for(run, area_count, measure_area, &job, err);
    dw_free(job.rows);
    return status;
}
