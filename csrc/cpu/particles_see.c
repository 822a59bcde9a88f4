/* SPDX-License-Identifier: MIT */
#include "cpu/particles.h"

#include "cpu/particles_block.h"
#include "cpu/particles_rows.h"
#include "cpu/particles_sort.h"

#include "base/alloc.h"

#include <string.h>

/* What is kept from call to call. Sprites lie at the places of their candidates first. */
struct dw_particle_room {
    dw_particle_plan plan;
    dw_particle_block *blocks; /* of each worker */
    int block_count;
    uint32_t *kept; /* by row */
    dw_particle_sprite *candidates;
    uint64_t *pairs, *spare; /* of the largest sorted layer */
    dw_particle_bins *bins;
    uint64_t row_room, candidate_room, sprite_room, pair_room, spare_room;
};

typedef struct see_job {
    const dw_particle_tables *tables;
    const dw_particle_view *view;
    struct dw_particle_room *room;
    dw_particle_sprite *sprites;
    uint64_t layer_first; /* of the layer that is being sorted */
    uint64_t layer_count;
} see_job;

/* ---- rows ---- */

static uint32_t row_kept(const see_job *job, uint32_t row)
{
    const dw_particle_emitter *e = &job->tables->emitters[row];
    const dw_particle_view *view = job->view;
    const dw_particle_part *p;

    if (e->part == DW_PARTICLE_NONE)
        return 0;
    p = &job->tables->parts[DW_EMITTER_PART(e->part)];
    for (int i = 0; i < 6 && (p->flags & DW_PART_IS_VIEW) == 0; i++) {
        const float *plane = view->planes + 4 * i;

        if (dw_particle_row_is_outside(*e, plane[0], plane[1], plane[2], plane[3]))
            return 0;
    }
    return dw_particle_row_kept(*e, *p, view->camera[0], view->camera[1], view->camera[2]);
}

static void keep_rows(void *user, int64_t index, int worker)
{
    see_job *job = user;
    dw_particle_group *group = &job->room->plan.groups[index];
    dw_particle_moment moment = { job->view->now_low, job->view->now_high, job->view->camera };

    (void)worker;
    group->slot_count = 0;
    group->rows_in_view = 0;
    for (uint32_t row = group->first_row; row < group->first_row + group->row_count; row++) {
        dw_particle_row known = dw_particles_row_at(job->tables, row, moment);
        uint32_t kept = row_kept(job, row);

        job->room->kept[row] = kept;
        known.slots = dw_particle_kept_slots(kept) & DW_PARTICLE_COUNT_MAX;
        job->room->plan.rows[row] = known;
        group->slot_count += dw_particle_kept_slots(kept);
        group->rows_in_view += kept != 0;
    }
}

/* ---- particles ---- */

static void see_item(void *user, int64_t index, int worker)
{
    see_job *job = user;
    struct dw_particle_room *room = job->room;
    dw_particle_item *item = &room->plan.items[index];
    dw_particle_walk walk = dw_particles_walk(job->tables, &room->plan, item);
    dw_particle_moment moment = { job->view->now_low, job->view->now_high, job->view->camera };
    dw_particle_sprite *next = room->candidates + item->at;
    dw_particle_block *block = &room->blocks[worker];

    while (dw_particles_block_take(block, &walk)) {
        dw_particles_block_fill(block, job->tables, room->kept, moment);
        dw_particles_block_live(block, job->tables, moment);
        dw_particles_block_move(block, job->tables, moment);
        dw_particles_block_look(block, job->view);
        next = dw_particles_block_draw(block, next);
    }
    item->count = (uint32_t)(next - room->candidates - item->at);
}

static void copy_item(void *user, int64_t index, int worker)
{
    see_job *job = user;
    const dw_particle_item *item = &job->room->plan.items[index];

    (void)worker;
    if (item->count > 0)
        memcpy(job->sprites + item->first, job->room->candidates + item->at,
               item->count * sizeof *job->sprites);
}

/* ---- sorted layers ---- */

static uint64_t pair_end(const see_job *job, int64_t index)
{
    uint64_t end = ((uint64_t)index + 1) * DW_PARTICLE_ITEM_SLOTS;

    return end < job->layer_count ? end : job->layer_count;
}

static void make_keys(void *user, int64_t index, int worker)
{
    see_job *job = user;
    const float *camera = job->view->camera;

    (void)worker;
    for (uint64_t i = (uint64_t)index * DW_PARTICLE_ITEM_SLOTS; i < pair_end(job, index); i++) {
        const float *at = job->sprites[job->layer_first + i].position;
        uint64_t key = dw_particle_depth_key(at[0], at[1], at[2], camera[0], camera[1], camera[2]);

        job->room->pairs[i] = key << 32 | i;
    }
}

/* Candidates are done with: their room takes the layer while it is put in order. */
static void copy_layer(void *user, int64_t index, int worker)
{
    see_job *job = user;
    uint64_t begin = (uint64_t)index * DW_PARTICLE_ITEM_SLOTS;

    (void)worker;
    memcpy(job->room->candidates + begin, job->sprites + job->layer_first + begin,
           (pair_end(job, index) - begin) * sizeof *job->sprites);
}

static void order_layer(void *user, int64_t index, int worker)
{
    see_job *job = user;

    (void)worker;
    for (uint64_t i = (uint64_t)index * DW_PARTICLE_ITEM_SLOTS; i < pair_end(job, index); i++)
        job->sprites[job->layer_first + i] =
            job->room->candidates[job->room->pairs[i] & UINT32_MAX];
}

static dw_status sort_layer(see_job *job, const dw_run *run, dw_error *err)
{
    int64_t pieces =
        (int64_t)((job->layer_count + DW_PARTICLE_ITEM_SLOTS - 1) / DW_PARTICLE_ITEM_SLOTS);
    dw_run part = dw_run_part(run, 0.0, 0.1);

    if (job->layer_count > UINT32_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "particles: a sorted layer shows %llu sprites, at most 2^32 - 1",
                       (unsigned long long)job->layer_count);
    if (dw_parallel_for(&part, pieces, make_keys, job, err) != DW_OK)
        return err->code;
    part = dw_run_part(run, 0.1, 0.2);
    if (dw_parallel_for(&part, pieces, copy_layer, job, err) != DW_OK)
        return err->code;
    part = dw_run_part(run, 0.2, 0.7);
    if (dw_particles_sort(job->room->pairs, job->room->spare, job->layer_count, job->room->bins,
                          &part, err) != DW_OK)
        return err->code;
    part = dw_run_part(run, 0.7, 1.0);
    return dw_parallel_for(&part, pieces, order_layer, job, err);
}

/* ---- a view ---- */

static dw_status make_room(void **rows, uint64_t *room, uint64_t wanted, size_t size,
                           const char *what, dw_error *err)
{
    if (wanted <= *room)
        return DW_OK;
    dw_free(*rows);
    *rows = NULL;
    *room = 0;
    wanted += wanted / 4;
    if (dw_alloc_array((size_t)wanted, size, what, rows, err) != DW_OK)
        return err->code;
    *room = wanted;
    return DW_OK;
}

static dw_status make_blocks(struct dw_particle_room *room, int count, dw_error *err)
{
    if (count <= room->block_count)
        return DW_OK;
    dw_free(room->blocks);
    room->block_count = 0;
    if (DW_ALLOC_ZEROED((size_t)count, &room->blocks, err) != DW_OK)
        return err->code;
    room->block_count = count;
    return DW_OK;
}

static dw_status plan_view(see_job *job, dw_particle_seen *out, const dw_run *run, dw_error *err)
{
    const dw_particle_tables *tables = job->tables;
    struct dw_particle_room *room = job->room;
    dw_particle_plan *plan = &room->plan;

    if (dw_particles_plan_begin(plan, tables->row_count, err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < tables->layer_count; i++)
        if (dw_particles_plan_rows(plan, tables->regions[i].first, tables->regions[i].count, i,
                                   err) != DW_OK)
            return err->code;
    if (make_room((void **)&room->kept, &room->row_room, tables->row_count, sizeof *room->kept,
                  "kept", err) != DW_OK)
        return err->code;
    if (dw_parallel_for(run, plan->group_count, keep_rows, job, err) != DW_OK)
        return err->code;
    memset(out->layer_candidates, 0, sizeof out->layer_candidates);
    memset(out->rows_in_view, 0, sizeof out->rows_in_view);
    for (uint32_t i = 0; i < plan->group_count; i++) {
        out->layer_candidates[plan->groups[i].layer] += plan->groups[i].slot_count;
        out->rows_in_view[plan->groups[i].layer] += plan->groups[i].rows_in_view;
    }
    if (dw_particles_plan_items(plan, err) != DW_OK)
        return err->code;
    return make_room((void **)&room->candidates, &room->candidate_room, plan->slot_total,
                     sizeof *room->candidates, "candidates", err);
}

static dw_status place_items(see_job *job, dw_particle_seen *out, dw_error *err)
{
    dw_particle_plan *plan = &job->room->plan;
    uint64_t total = 0;

    memset(out->layer_first, 0, sizeof out->layer_first);
    memset(out->layer_count, 0, sizeof out->layer_count);
    for (uint32_t i = 0; i < plan->item_count; i++) {
        uint32_t layer = plan->groups[plan->items[i].group].layer;

        if (out->layer_count[layer] == 0)
            out->layer_first[layer] = total;
        plan->items[i].first = total;
        out->layer_count[layer] += plan->items[i].count;
        total += plan->items[i].count;
    }
    out->sprite_count = total;
    if (make_room((void **)&out->sprites, &job->room->sprite_room, total, sizeof *out->sprites,
                  "sprites", err) != DW_OK)
        return err->code;
    job->sprites = out->sprites;
    return DW_OK;
}

static dw_status make_pair_room(struct dw_particle_room *room, uint64_t count, dw_error *err)
{
    if (room->bins == NULL && DW_ALLOC(1, &room->bins, err) != DW_OK)
        return err->code;
    if (make_room((void **)&room->spare, &room->spare_room, count, sizeof *room->spare, "spare",
                  err) != DW_OK)
        return err->code;
    return make_room((void **)&room->pairs, &room->pair_room, count, sizeof *room->pairs, "pairs",
                     err);
}

dw_status dw_particles_see(const dw_particle_tables *tables, const dw_particle_view *view,
                           const dw_run *run, dw_particle_seen *out, dw_error *err)
{
    see_job job = { .tables = tables, .view = view };
    dw_run part = dw_run_part(run, 0.0, 0.1);

    if (dw_particle_join(view->now_low, view->now_high) >= DW_PARTICLE_TICKS_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT, "view: now must be below 2^52 ticks, got %llu",
                       (unsigned long long)dw_particle_join(view->now_low, view->now_high));
    if (out->room == NULL && DW_ALLOC_ZEROED(1, &out->room, err) != DW_OK)
        return err->code;
    job.room = out->room;
    DW_TRY(make_blocks(job.room, dw_run_thread_count(run), err));
    DW_TRY(plan_view(&job, out, &part, err));
    part = dw_run_part(run, 0.1, 0.8);
    DW_TRY(dw_parallel_for(&part, job.room->plan.item_count, see_item, &job, err));
    DW_TRY(place_items(&job, out, err));
    part = dw_run_part(run, 0.8, 0.9);
    DW_TRY(dw_parallel_for(&part, job.room->plan.item_count, copy_item, &job, err));
    part = dw_run_part(run, 0.9, 1.0);
    for (uint32_t i = 0; i < tables->layer_count; i++) {
        if ((tables->sorted_layers >> i & 1) == 0 || out->layer_count[i] < 2)
            continue;
        job.layer_first = out->layer_first[i];
        job.layer_count = out->layer_count[i];
        DW_TRY(make_pair_room(job.room, job.layer_count, err));
        DW_TRY(sort_layer(&job, &part, err));
    }
    return DW_OK;
fail:
    out->sprite_count = 0;
    memset(out->layer_count, 0, sizeof out->layer_count);
    return err->code;
}

void dw_particle_seen_finish(dw_particle_seen *seen)
{
    if (seen->room != NULL) {
        dw_particles_plan_finish(&seen->room->plan);
        dw_free(seen->room->blocks);
        dw_free(seen->room->kept);
        dw_free(seen->room->candidates);
        dw_free(seen->room->pairs);
        dw_free(seen->room->spare);
        dw_free(seen->room->bins);
    }
    dw_free(seen->room);
    dw_free(seen->sprites);
    memset(seen, 0, sizeof *seen);
}
