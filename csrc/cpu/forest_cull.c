/* SPDX-License-Identifier: MIT */
#include "cpu/forest_cull.h"

#include <string.h>

#define CHUNK_ROWS 4096

typedef struct cull_job {
    const dw_forest_params *params;
    const dw_forest_view *view;
    const dw_forest_rows *rows;
    const dw_forest_lists *lists;
    uint32_t counter_count; /* of a chunk */
} cull_job;

uint32_t dw_forest_dissolve_words(uint32_t encoding)
{
    return encoding == DW_DISSOLVE_ENCODING_ANALYTIC ? 3 : 1;
}

size_t dw_forest_cull_counts(uint32_t row_count, uint32_t bucket_count)
{
    size_t chunks = ((size_t)row_count + CHUNK_ROWS - 1) / CHUNK_ROWS;

    return chunks * (bucket_count + DW_FOREST_COUNTERS);
}

static bool is_outside(const dw_forest_view *view, const dw_forest_record *record)
{
    for (int i = 0; i < 6; i++) {
        const float *plane = view->planes + 4 * i;

        if (dw_forest_inside(plane[0], plane[1], plane[2], plane[3], record->sphere_x,
                             record->sphere_y, record->sphere_z, record->radius) < 0.0f)
            return true;
    }
    return false;
}

static uint32_t wanted_lod(const dw_forest_params *params, uint32_t lod, float distance2,
                           float scale2)
{
    uint32_t wanted = 0;

    for (uint32_t i = 1; i < params->rules.lod_count; i++)
        if (dw_forest_is_beyond(params->cuts[i], i, lod, distance2, scale2))
            wanted = i;
    return wanted;
}

static uint32_t dissolve_bits(const cull_job *job, uint32_t row)
{
    const dw_forest_rules *rules = &job->params->rules;
    uint32_t words = dw_forest_dissolve_words(rules->encoding);
    const uint32_t *word = job->rows->dissolves + (size_t)row * words;
    float value = dw_forest_value(rules->encoding, word[0], words == 3 ? word[1] : 0,
                                  words == 3 ? word[2] : 0, job->view->now);

    return dw_bits_from_float(dw_forest_dissolve(value, rules->dissolve_scale));
}

/* The state of a row at the time of the view. */
static dw_forest_state step_row(const cull_job *job, uint32_t row, uint32_t meshes, float distance2)
{
    const dw_forest_params *params = job->params;
    const dw_forest_view *view = job->view;
    uint32_t generation = DW_FOREST_GENERATION(job->rows->infos[row]);
    dw_forest_state state = job->rows->states[row];
    bool is_new = state.word >> 24 != generation;
    uint32_t wanted;

    if ((view->flags & DW_FOREST_IS_SHADOW) != 0 && !is_new)
        return state;
    wanted = wanted_lod(params, is_new ? 0 : DW_FOREST_LOD(state.word), distance2,
                        job->rows->records[row].scale2);
    state = dw_forest_step(state, wanted, meshes, generation, view->now,
                           params->rules.crossfade_ticks, (view->flags & DW_FOREST_IS_STILL) != 0);
    state.dissolve = dissolve_bits(job, row);
    return state;
}

static dw_forest_cell cull_row(const cull_job *job, uint32_t row)
{
    const dw_forest_record *record = &job->rows->records[row];
    const dw_forest_view *view = job->view;
    uint32_t info = job->rows->infos[row];
    uint32_t meshes = job->params->meshes[DW_FOREST_VARIANT(info)];
    dw_forest_state state;
    float distance2;

    if (record->radius < 0.0f)
        return dw_forest_no_cell(DW_FOREST_NONE);
    distance2 = dw_forest_distance2(record->x, record->z, view->camera_x, view->camera_z);
    state = step_row(job, row, meshes, distance2);
    if ((view->flags & DW_FOREST_IS_SHADOW) == 0)
        job->rows->states[row] = state;
    else if ((info & DW_FOREST_CASTS_SHADOW) == 0)
        return dw_forest_no_cell(DW_FOREST_NONE);
    if (is_outside(view, record))
        return dw_forest_no_cell(job->params->rules.bucket_count + DW_FOREST_OUTSIDE);
    return dw_forest_cell_of(job->params->rules, state, info, meshes, distance2, view->now,
                             view->flags);
}

static uint32_t chunk_end(const cull_job *job, int64_t chunk)
{
    int64_t end = (chunk + 1) * CHUNK_ROWS;

    return end < job->view->row_count ? (uint32_t)end : job->view->row_count;
}

static void count_chunk(void *user, int64_t item, int worker)
{
    const cull_job *job = user;
    uint32_t *counts = job->lists->counts + (size_t)item * job->counter_count;

    (void)worker;
    memset(counts, 0, job->counter_count * sizeof *counts);
    for (uint32_t row = (uint32_t)item * CHUNK_ROWS; row < chunk_end(job, item); row++) {
        dw_forest_cell cell = cull_row(job, row);

        job->lists->cells[row] = cell;
        for (uint32_t i = 0; i < 2; i++)
            if (dw_forest_cell_bucket(cell, i) != DW_FOREST_NONE)
                counts[dw_forest_cell_bucket(cell, i)]++;
        if (dw_forest_cell_bucket(cell, 1) != DW_FOREST_NONE)
            counts[job->params->rules.bucket_count + DW_FOREST_CROSSED]++;
    }
}

/* Totals and first entries of the buckets; counts become the first entries of each chunk. */
static void scan_counts(const cull_job *job, int64_t chunk_count)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < job->counter_count; i++) {
        dw_forest_bucket *bucket = &job->lists->buckets[i];
        bool is_list = i < job->params->rules.bucket_count;

        *bucket = (dw_forest_bucket) { 0, is_list ? first : 0 };
        for (int64_t chunk = 0; chunk < chunk_count; chunk++) {
            uint32_t *count = &job->lists->counts[(size_t)chunk * job->counter_count + i];
            uint32_t here = *count;

            *count = bucket->first + bucket->count;
            bucket->count += here;
        }
        first += is_list ? bucket->count : 0;
    }
}

static void list_chunk(void *user, int64_t item, int worker)
{
    const cull_job *job = user;
    uint32_t *next = job->lists->counts + (size_t)item * job->counter_count;

    (void)worker;
    for (uint32_t row = (uint32_t)item * CHUNK_ROWS; row < chunk_end(job, item); row++)
        for (uint32_t i = 0; i < 2; i++) {
            dw_forest_cell cell = job->lists->cells[row];
            uint32_t bucket = dw_forest_cell_bucket(cell, i);

            if (bucket < job->params->rules.bucket_count)
                job->lists->entries[next[bucket]++] =
                    (dw_forest_entry) { row, dw_forest_cell_fade(cell, i) };
        }
}

dw_status dw_forest_cull(const dw_forest_params *params, const dw_forest_view *view,
                         const dw_forest_rows *rows, const dw_forest_lists *lists,
                         const dw_run *run, dw_error *err)
{
    cull_job job = { params, view, rows, lists, params->rules.bucket_count + DW_FOREST_COUNTERS };
    int64_t chunk_count = ((int64_t)view->row_count + CHUNK_ROWS - 1) / CHUNK_ROWS;
    dw_run part = dw_run_part(run, 0.0, 0.7);

    if (dw_parallel_for(&part, chunk_count, count_chunk, &job, err) != DW_OK)
        return err->code;
    scan_counts(&job, chunk_count);
    part = dw_run_part(run, 0.7, 1.0);
    return dw_parallel_for(&part, chunk_count, list_chunk, &job, err);
}

void dw_forest_make_commands(const dw_forest_draw *draws, uint32_t draw_count,
                             const dw_forest_bucket *buckets, dw_forest_command *out)
{
    for (uint32_t i = 0; i < draw_count; i++)
        out[i] = dw_forest_command_of(draws[i], buckets[draws[i].bucket].count);
}
