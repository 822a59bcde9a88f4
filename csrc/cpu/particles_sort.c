/* SPDX-License-Identifier: MIT */
#include "cpu/particles_sort.h"

#include <string.h>

#define BINS        DW_PARTICLE_SORT_BINS
#define PIECE_LEAST 16384 /* pairs: fewer are not worth a thread */

typedef struct sort_job {
    const uint64_t *from;
    uint64_t *to;
    uint64_t count, piece_size;
    int shift;
    dw_particle_bins *bins; /* of each piece: counts, then places */
} sort_job;

static uint64_t piece_end(const sort_job *job, int64_t piece)
{
    uint64_t end = ((uint64_t)piece + 1) * job->piece_size;

    return end < job->count ? end : job->count;
}

static void count_piece(void *user, int64_t piece, int worker)
{
    sort_job *job = user;
    uint64_t *bins = job->bins->places[piece];

    (void)worker;
    memset(bins, 0, sizeof job->bins->places[piece]);
    for (uint64_t i = (uint64_t)piece * job->piece_size; i < piece_end(job, piece); i++)
        bins[job->from[i] >> job->shift & (BINS - 1)]++;
}

static void scatter_piece(void *user, int64_t piece, int worker)
{
    sort_job *job = user;
    uint64_t *bins = job->bins->places[piece];

    (void)worker;
    for (uint64_t i = (uint64_t)piece * job->piece_size; i < piece_end(job, piece); i++)
        job->to[bins[job->from[i] >> job->shift & (BINS - 1)]++] = job->from[i];
}

/* Counts become places: by bin, then by piece. */
static void scan_bins(sort_job *job, int64_t piece_count)
{
    uint64_t sum = 0;

    for (int bin = 0; bin < BINS; bin++)
        for (int64_t piece = 0; piece < piece_count; piece++) {
            uint64_t here = job->bins->places[piece][bin];

            job->bins->places[piece][bin] = sum;
            sum += here;
        }
}

dw_status dw_particles_sort(uint64_t *pairs, uint64_t *spare, uint64_t count,
                            dw_particle_bins *bins, const dw_run *run, dw_error *err)
{
    uint64_t pieces = (count + PIECE_LEAST - 1) / PIECE_LEAST;
    sort_job job = { .from = pairs, .to = spare, .count = count, .bins = bins };

    if (count < 2)
        return DW_OK;
    pieces = pieces < DW_PARTICLE_SORT_PIECES ? pieces : DW_PARTICLE_SORT_PIECES;
    job.piece_size = (count + pieces - 1) / pieces;
    for (int pass = 0; pass < 2; pass++) {
        dw_run part = dw_run_part(run, 0.5 * pass, 0.5 * pass + 0.2);

        job.shift = 32 + 8 * pass;
        if (dw_parallel_for(&part, (int64_t)pieces, count_piece, &job, err) != DW_OK)
            return err->code;
        scan_bins(&job, (int64_t)pieces);
        part = dw_run_part(run, 0.5 * pass + 0.2, 0.5 * pass + 0.5);
        if (dw_parallel_for(&part, (int64_t)pieces, scatter_piece, &job, err) != DW_OK)
            return err->code;
        job.from = spare;
        job.to = pairs;
    }
    return DW_OK;
}
