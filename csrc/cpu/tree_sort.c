/* SPDX-License-Identifier: MIT */
/* Radix sort, least digit first: each pass counts digits by part, and moves keys to where lower
 * digits, and equal ones of earlier parts, end. */
#include "cpu/tree_sort.h"

#include "base/alloc.h"

#include <string.h>

#define DW_SORT_BITS   8
#define DW_SORT_DIGITS (1u << DW_SORT_BITS)
#define DW_SORT_PASSES 4
#define DW_SORT_PART   65536u /* keys of a part, at least */
#define DW_SORT_PARTS  32u    /* at most */

typedef struct dw_sort_job {
    const uint64_t *from;
    uint64_t *to;
    uint32_t count, part_size;
    int shift;
    uint32_t (*places)[DW_SORT_DIGITS]; /* by part: keys of a digit, then where the next one goes */
} dw_sort_job;

static uint32_t part_end(const dw_sort_job *job, uint32_t begin)
{
    return job->count - begin < job->part_size ? job->count : begin + job->part_size;
}

static void count_part(void *user, int64_t part, int worker)
{
    const dw_sort_job *job = user;
    uint32_t *places = job->places[part];
    uint32_t i = (uint32_t)part * job->part_size, end = part_end(job, i);

    (void)worker;
    memset(places, 0, sizeof job->places[part]);
    for (; i < end; i++)
        places[job->from[i] >> job->shift & (DW_SORT_DIGITS - 1)]++;
}

static void move_part(void *user, int64_t part, int worker)
{
    const dw_sort_job *job = user;
    uint32_t *places = job->places[part];
    uint32_t i = (uint32_t)part * job->part_size, end = part_end(job, i);

    (void)worker;
    for (; i < end; i++) {
        uint64_t key = job->from[i];

        job->to[places[key >> job->shift & (DW_SORT_DIGITS - 1)]++] = key;
    }
}

/* Counts become places. True when all keys have one digit: nothing has to move. */
static bool find_places(const dw_sort_job *job, uint32_t part_count)
{
    uint32_t next = 0;
    bool is_even = false;

    for (uint32_t digit = 0; digit < DW_SORT_DIGITS; digit++) {
        uint32_t begin = next;

        for (uint32_t part = 0; part < part_count; part++) {
            uint32_t here = job->places[part][digit];

            job->places[part][digit] = next;
            next += here;
        }
        is_even = is_even || next - begin == job->count;
    }
    return is_even;
}

dw_status dw_tree_sort(uint64_t **keys, uint64_t **spare, uint32_t count, const dw_run *run,
                       dw_error *err)
{
    uint32_t parts = count / DW_SORT_PART + 1;
    dw_sort_job job = { .count = count };
    dw_status status;

    parts = parts < DW_SORT_PARTS ? parts : DW_SORT_PARTS;
    job.part_size = (count + parts - 1) / parts;
    status = DW_ALLOC(parts, &job.places, err);
    for (int pass = 0; status == DW_OK && pass < DW_SORT_PASSES; pass++) {
        job.shift = 32 + pass * DW_SORT_BITS;
        job.from = *keys;
        job.to = *spare;
        status = dw_parallel_for(run, parts, count_part, &job, err);
        if (status != DW_OK || find_places(&job, parts))
            continue;
        status = dw_parallel_for(run, parts, move_part, &job, err);
        *spare = *keys;
        *keys = job.to;
    }
    dw_free(job.places);
    return status;
}
