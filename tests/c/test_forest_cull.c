/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "cpu/forest_cull.h"

#include "check.h"

#include <string.h>

#define LODS     4
#define VARIANTS 3
#define RANKS    64

static uint64_t random_state = 88172645463325252u;

static uint32_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

static float random_share(void)
{
    return (float)(random_bits() >> 8) * 0x1p-24f;
}

/* Variant 0 has all meshes, 1 lacks LOD 2, 2 has LOD 3 alone. */
static dw_forest_params make_params(uint32_t crossfade_ticks)
{
    dw_forest_params params = { .rules = { .lod_count = LODS,
                                           .bucket_count = 2 * LODS * VARIANTS,
                                           .rank_count = RANKS,
                                           .crossfade_ticks = crossfade_ticks,
                                           .crossfade_share = 1.0f / (float)crossfade_ticks,
                                           .dissolve_scale = 0.7f,
                                           .far_start2 = 100.0f * 100.0f,
                                           .far_share = 1.0f / (150.0f * 150.0f - 1e4f) },
                                .meshes = { 0x3210, 0x3110, 0x3333 } };

    for (int i = 1; i < LODS; i++)
        params.cuts[i] = (dw_forest_cut) { 900.0f * (float)(i * i), 729.0f * (float)(i * i) };
    return params;
}

/* ---- one row through time ---- */

static bool is_drawn(const dw_forest_params *params, dw_forest_cell cell, uint32_t mesh,
                     uint32_t rank)
{
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t bucket = dw_forest_cell_bucket(cell, i);

        if (bucket < params->rules.bucket_count && bucket / 2 % LODS == mesh &&
            dw_forest_keeps(dw_forest_cell_fade(cell, i), 0, rank))
            return true;
    }
    return false;
}

/* How many meshes a rank is drawn by. */
static int times_drawn(const dw_forest_params *params, dw_forest_cell cell, uint32_t rank)
{
    int times = 0;

    for (uint32_t mesh = 0; mesh < LODS; mesh++)
        times += is_drawn(params, cell, mesh, rank);
    return times;
}

static void every_rank_is_drawn_once_whatever_is_asked(void)
{
    dw_forest_params params = make_params(1000);
    dw_forest_state state = { 0 };
    uint32_t now = 0xfffff000u; /* ticks wrap around on the way */
    int crossings = 0;

    for (int i = 0; i < 200000; i++) {
        uint32_t wanted = random_bits() % LODS;
        uint32_t variant = (uint32_t)(i / 1000) % VARIANTS;
        uint32_t generation = 1 + (uint32_t)(i / 1000) % 255;
        uint32_t hide = random_bits() % (RANKS + 1);
        bool is_still = random_bits() % 16 == 0;
        dw_forest_cell cell;

        now += is_still ? 0 : random_bits() % 700;
        state =
            dw_forest_step(state, wanted, params.meshes[variant], generation, now, 1000, is_still);
        state.dissolve = 0;
        CHECK(DW_FOREST_LOD(state.word) == wanted);
        cell =
            dw_forest_cell_of(params.rules, state, variant, params.meshes[variant], 0.0f, now, 0);
        cell.fade += hide == RANKS ? 0 : hide; /* bits 0 to 14 were 0 */
        crossings += dw_forest_cell_bucket(cell, 1) != DW_FOREST_NONE;
        for (uint32_t rank = 0; rank < RANKS; rank++)
            CHECK(times_drawn(&params, cell, rank) == (hide == RANKS || rank >= hide));
    }
    CHECK(crossings > 10000);
}

/* From one moment to the next of a cross-fade that is asked for other LODs, a rank of the LOD that
 * stays never goes. */
static void no_rank_of_the_lod_that_stays_moves(void)
{
    dw_forest_params params = make_params(1000);
    dw_forest_state state = { 0 };
    uint32_t now = 77;

    state = dw_forest_step(state, 0, params.meshes[0], 1, now, 1000, false);
    for (int i = 0; i < 100000; i++) {
        uint32_t wanted = random_bits() % LODS;
        dw_forest_state next;
        dw_forest_cell before, after;
        int same = 0;

        now += random_bits() % 300;
        state =
            dw_forest_step(state, DW_FOREST_LOD(state.word), params.meshes[0], 1, now, 1000, false);
        next = dw_forest_step(state, wanted, params.meshes[0], 1, now, 1000, false);
        before = dw_forest_cell_of(params.rules, state, 0, params.meshes[0], 0.0f, now, 0);
        after = dw_forest_cell_of(params.rules, next, 0, params.meshes[0], 0.0f, now, 0);
        for (uint32_t mesh = 0; mesh < LODS; mesh++) {
            bool is_equal = true;
            bool is_there = false;

            for (uint32_t rank = 0; rank < RANKS; rank++) {
                is_equal &=
                    is_drawn(&params, before, mesh, rank) == is_drawn(&params, after, mesh, rank);
                is_there |= is_drawn(&params, before, mesh, rank);
            }
            same += is_equal && is_there;
        }
        CHECK(same >= 1);
        state = next;
    }
}

/* ---- tables ---- */

typedef struct table {
    uint32_t count;
    dw_forest_record *records;
    uint32_t *infos, *dissolves;
    dw_forest_state *states;
    dw_forest_lists lists;
} table;

static void make_table(table *out, uint32_t count)
{
    dw_error err;
    uint32_t buckets = 2 * LODS * VARIANTS;

    *out = (table) { .count = count };
    CHECK(DW_ALLOC(count, &out->records, &err) == DW_OK);
    CHECK(DW_ALLOC(count, &out->infos, &err) == DW_OK);
    CHECK(DW_ALLOC(count, &out->dissolves, &err) == DW_OK);
    CHECK(DW_ALLOC_ZEROED(count, &out->states, &err) == DW_OK);
    CHECK(DW_ALLOC(2 * count, &out->lists.entries, &err) == DW_OK);
    CHECK(DW_ALLOC(count, &out->lists.cells, &err) == DW_OK);
    CHECK(DW_ALLOC(dw_forest_cull_counts(count, buckets), &out->lists.counts, &err) == DW_OK);
    CHECK(DW_ALLOC(buckets + DW_FOREST_COUNTERS, &out->lists.buckets, &err) == DW_OK);
}

static void free_table(table *self)
{
    dw_free(self->records);
    dw_free(self->infos);
    dw_free(self->dissolves);
    dw_free(self->states);
    dw_free(self->lists.entries);
    dw_free(self->lists.cells);
    dw_free(self->lists.counts);
    dw_free(self->lists.buckets);
}

static void fill_table(table *self)
{
    for (uint32_t i = 0; i < self->count; i++) {
        float x = 300.0f * random_share() - 150.0f, z = 300.0f * random_share() - 150.0f;

        self->records[i] = (dw_forest_record) { x, 0.0f, z, 1.0f,
                                                x, 3.0f, z, random_bits() % 9 == 0 ? -1.0f : 4.0f };
        self->infos[i] = random_bits() % VARIANTS | 1u << 24 | DW_FOREST_CASTS_SHADOW;
        self->dissolves[i] = random_bits() % 4 == 0 ? dw_bits_from_float(random_share()) : 0;
    }
}

static void copy_table(table *to, const table *from)
{
    if (from->count == 0)
        return;
    memcpy(to->records, from->records, from->count * sizeof *from->records);
    memcpy(to->infos, from->infos, from->count * sizeof *from->infos);
    memcpy(to->dissolves, from->dissolves, from->count * sizeof *from->dissolves);
}

static void cull(table *self, const dw_forest_view *view, dw_pool *pool)
{
    dw_forest_params params = make_params(16384);
    dw_forest_rows rows = { self->records, self->infos, self->dissolves, self->states };
    dw_run run = { .pool = pool };
    dw_error err;

    CHECK(dw_forest_cull(&params, view, &rows, &self->lists, &run, &err) == DW_OK);
}

static uint32_t entry_count(const table *self)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < 2 * LODS * VARIANTS; i++) {
        CHECK(self->lists.buckets[i].first == count);
        count += self->lists.buckets[i].count;
    }
    return count;
}

static void check_lists(const table *self)
{
    for (uint32_t i = 0; i < 2 * LODS * VARIANTS; i++) {
        const dw_forest_bucket *bucket = &self->lists.buckets[i];

        for (uint32_t j = 1; j < bucket->count; j++)
            CHECK(self->lists.entries[bucket->first + j - 1].row <
                  self->lists.entries[bucket->first + j].row);
    }
}

static void threads_give_the_lists_of_one(uint32_t count)
{
    table one, many;
    dw_pool *pool;
    dw_error err;

    CHECK(dw_pool_create(3, &pool, &err) == DW_OK);
    make_table(&one, count);
    make_table(&many, count);
    fill_table(&one);
    copy_table(&many, &one);
    for (uint32_t i = 0; i < 6; i++) {
        dw_forest_view view = { .planes = { 1.0f, 0.0f, 0.0f, 40.0f },
                                .camera_x = 11.0f * (float)i,
                                .now = 4000 * i,
                                .row_count = count };

        cull(&one, &view, NULL);
        cull(&many, &view, pool);
        CHECK(entry_count(&one) == entry_count(&many));
        CHECK(count == 0 || memcmp(one.lists.entries, many.lists.entries,
                                   entry_count(&one) * sizeof *one.lists.entries) == 0);
        CHECK(count == 0 || memcmp(one.states, many.states, count * sizeof *one.states) == 0);
        check_lists(&one);
    }
    free_table(&one);
    free_table(&many);
    dw_pool_destroy(pool);
}

static void commands_take_their_counts_from_the_lists(void)
{
    const dw_forest_draw draws[] = { { 30, 0, -4, 1 }, { 6, 30, 9, 0 } };
    const dw_forest_bucket buckets[] = { { 7, 0 }, { 2, 7 } };
    dw_forest_command commands[2];

    dw_forest_make_commands(draws, 2, buckets, commands);
    CHECK(commands[0].instance_count == 2 && commands[1].instance_count == 7);
    CHECK(commands[0].index_count == 30 && commands[0].vertex_offset == -4);
    CHECK(commands[1].first_index == 30 && commands[1].first_instance == 0);
}

int main(void)
{
    static const uint32_t counts[] = { 0, 1, 4095, 4096, 4097, 30000 };

    every_rank_is_drawn_once_whatever_is_asked();
    no_rank_of_the_lod_that_stays_moves();
    for (size_t i = 0; i < DW_COUNT_OF(counts); i++)
        threads_give_the_lists_of_one(counts[i]);
    commands_take_their_counts_from_the_lists();
    CHECK(dw_alloc_live_count() == 0);
    return 0;
}
