/* SPDX-License-Identifier: MIT */
#include "cpu/particles.h"

#include "base/alloc.h"
#include "cpu/particles_block.h"
#include "cpu/particles_rows.h"

uint64_t dw_particles_slot_total(const dw_particle_tables *tables, uint32_t first_row,
                                 uint32_t row_count)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < row_count; i++)
        if (tables->emitters[first_row + i].part != DW_PARTICLE_NONE)
            total += tables->emitters[first_row + i].count;
    return total;
}

dw_particle dw_particles_at(const dw_particle_tables *tables, uint32_t row, uint32_t slot,
                            dw_particle_life life, dw_particle_moment moment)
{
    const dw_particle_emitter *e = &tables->emitters[row];
    const dw_particle_part *p = &tables->parts[DW_EMITTER_PART(e->part)];
    float t = dw_particle_share(life.age, life.life), fade, swell;
    dw_particle_shown shown = { 0 };
    dw_particle_input given;

    if ((p->flags & DW_PART_REMEMBERS) != 0) {
        shown = dw_particles_shown(tables, e, slot);
        p = &tables->parts[dw_particle_part_shown(shown)];
    }
    fade = dw_particle_fade(*p, t, dw_particles_curve(tables, p->opacity_curve, t));
    swell = dw_particles_curve(tables, p->size_curve, t);
    given = dw_particle_input_of(*e, *p, slot, life, t, fade, swell);
    given = dw_particle_set_clock(given, *e, dw_particle_local(*e, moment.now_low, moment.now_high),
                                  moment.now_low, moment.now_high);
    given.has_point = e->surface_count != 0;
    for (int i = 0; i < 3; i++) {
        if (given.has_point != 0)
            given.point[i] =
                tables
                    ->points[3 * (size_t)(e->surface + dw_particle_point_of(*e, slot, life.cycle)) +
                             (size_t)i];
        if (moment.camera != NULL)
            given.camera[i] = moment.camera[i] - e->position[i];
    }
    return dw_particle_placed(dw_particle_of(*e, *p, row, slot, life,
                                             dw_particle_move(p->kind, given),
                                             dw_particles_color(tables, e, p, slot, t)),
                              *p, shown);
}

/* ---- state ---- */

typedef struct state_job {
    const dw_particle_tables *tables;
    dw_particle_plan plan;
    dw_particle_block *blocks; /* of each worker */
    dw_particle_moment moment;
    dw_particle *out;
} state_job;

static void look_at_rows(void *user, int64_t index, int worker)
{
    state_job *job = user;
    dw_particle_group *group = &job->plan.groups[index];

    (void)worker;
    group->slot_count = 0;
    group->is_mixed = false;
    for (uint32_t row = group->first_row; row < group->first_row + group->row_count; row++) {
        dw_particle_row known = dw_particles_row_at(job->tables, row, job->moment);

        if (known.rule == DW_ROW_RULE_NONE)
            known.slots = 0;
        job->plan.rows[row] = known;
        group->slot_count += known.slots;
        group->is_mixed |= known.is_mixed != 0;
    }
}

static void count_living(void *user, int64_t index, int worker)
{
    state_job *job = user;
    dw_particle_item *item = &job->plan.items[index];
    dw_particle_block *block = &job->blocks[worker];
    dw_particle_walk walk;

    item->count = item->slot_count;
    if (!job->plan.groups[item->group].is_mixed)
        return;
    item->count = 0;
    walk = dw_particles_walk(job->tables, &job->plan, item);
    walk.skips_living = true;
    while (dw_particles_block_take(block, &walk)) {
        dw_particles_block_fill(block, job->tables, NULL, job->moment);
        dw_particles_block_live(block, job->tables, job->moment);
        item->count += dw_particles_block_count(block);
    }
    item->count += walk.living;
}

static void write_living(void *user, int64_t index, int worker)
{
    state_job *job = user;
    const dw_particle_item *item = &job->plan.items[index];
    dw_particle_walk walk = dw_particles_walk(job->tables, &job->plan, item);
    dw_particle_block *block = &job->blocks[worker];
    dw_particle *next = job->out + item->first;

    while (dw_particles_block_take(block, &walk)) {
        dw_particles_block_expect(block, next);
        dw_particles_block_fill(block, job->tables, NULL, job->moment);
        dw_particles_block_live(block, job->tables, job->moment);
        dw_particles_block_move(block, job->tables, job->moment);
        next = dw_particles_block_write(block, next);
    }
    DW_ASSERT(next == job->out + item->first + item->count);
}

dw_status dw_particles_state(const dw_particle_tables *tables, uint32_t first_row,
                             uint32_t row_count, uint64_t now, const float *camera,
                             const dw_run *run, dw_particle *out, uint64_t *out_count,
                             dw_error *err)
{
    state_job job = { .tables = tables,
                      .moment = { (uint32_t)now, (uint32_t)(now >> 32), camera },
                      .out = out };
    uint64_t total = 0;
    dw_run part;

    if (now >= DW_PARTICLE_TICKS_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT, "now must be below 2^52 ticks, got %llu",
                       (unsigned long long)now);
    if (first_row > tables->row_count || row_count > tables->row_count - first_row)
        return dw_fail(err, DW_ERROR_ARGUMENT, "rows [%u, %u + %u) must lie in the %u of emitters",
                       first_row, first_row, row_count, tables->row_count);
    DW_TRY(dw_particles_plan_begin(&job.plan, first_row + row_count, err));
    DW_TRY(dw_particles_plan_rows(&job.plan, first_row, row_count, 0, err));
    DW_TRY(DW_ALLOC_ZEROED((size_t)dw_run_thread_count(run), &job.blocks, err));
    part = dw_run_part(run, 0.0, 0.02);
    DW_TRY(dw_parallel_for(&part, job.plan.group_count, look_at_rows, &job, err));
    DW_TRY(dw_particles_plan_items(&job.plan, err));
    part = dw_run_part(run, 0.02, 0.3);
    DW_TRY(dw_parallel_for(&part, job.plan.item_count, count_living, &job, err));
    for (uint32_t i = 0; i < job.plan.item_count; i++) {
        job.plan.items[i].first = total;
        total += job.plan.items[i].count;
    }
    part = dw_run_part(run, 0.3, 1.0);
    DW_TRY(dw_parallel_for(&part, job.plan.item_count, write_living, &job, err));
    *out_count = total;
    dw_particles_plan_finish(&job.plan);
    dw_free(job.blocks);
    return DW_OK;
fail:
    dw_particles_plan_finish(&job.plan);
    dw_free(job.blocks);
    return err->code;
}
