/* SPDX-License-Identifier: MIT */
#include "cpu/particles_plan.h"

#include "base/alloc.h"

#include <string.h>

/* Room for `count` of `size` bytes each, what was there kept. */
static dw_status grow(void **rows, uint32_t *room, uint32_t used, uint64_t count, size_t size,
                      const char *what, dw_error *err)
{
    uint64_t wanted = count + count / 2;
    void *bigger;

    if (count <= *room)
        return DW_OK;
    if (wanted > UINT32_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "particles: %llu slots are too many for one call; look at fewer rows",
                       (unsigned long long)count * DW_PARTICLE_ITEM_SLOTS);
    if (dw_alloc_array((size_t)wanted, size, what, &bigger, err) != DW_OK)
        return err->code;
    if (used > 0)
        memcpy(bigger, *rows, used * size);
    dw_free(*rows);
    *rows = bigger;
    *room = (uint32_t)wanted;
    return DW_OK;
}

dw_status dw_particles_plan_begin(dw_particle_plan *plan, uint32_t row_count, dw_error *err)
{
    plan->group_count = 0;
    return grow((void **)&plan->rows, &plan->row_room, 0, row_count, sizeof *plan->rows, "rows",
                err);
}

dw_status dw_particles_plan_rows(dw_particle_plan *plan, uint32_t first_row, uint32_t row_count,
                                 uint32_t layer, dw_error *err)
{
    uint32_t more = row_count / DW_PARTICLE_PLAN_ROWS + (row_count % DW_PARTICLE_PLAN_ROWS != 0);

    if (grow((void **)&plan->groups, &plan->group_room, plan->group_count,
             (uint64_t)plan->group_count + more, sizeof *plan->groups, "groups", err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < more; i++) {
        uint32_t begin = i * DW_PARTICLE_PLAN_ROWS;
        uint32_t left = row_count - begin;

        plan->groups[plan->group_count++] = (dw_particle_group) {
            .first_row = first_row + begin,
            .row_count = left < DW_PARTICLE_PLAN_ROWS ? left : DW_PARTICLE_PLAN_ROWS,
            .layer = layer,
        };
    }
    return DW_OK;
}

dw_status dw_particles_plan_items(dw_particle_plan *plan, dw_error *err)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < plan->group_count; i++)
        count += (plan->groups[i].slot_count + DW_PARTICLE_ITEM_SLOTS - 1) / DW_PARTICLE_ITEM_SLOTS;
    if (grow((void **)&plan->items, &plan->item_room, 0, count, sizeof *plan->items, "items",
             err) != DW_OK)
        return err->code;
    plan->item_count = 0;
    plan->slot_total = 0;
    for (uint32_t i = 0; i < plan->group_count; i++) {
        uint64_t slots = plan->groups[i].slot_count;

        for (uint64_t begin = 0; begin < slots; begin += DW_PARTICLE_ITEM_SLOTS) {
            uint64_t left = slots - begin;

            plan->items[plan->item_count++] = (dw_particle_item) {
                .group = i,
                .slot_count =
                    left < DW_PARTICLE_ITEM_SLOTS ? (uint32_t)left : DW_PARTICLE_ITEM_SLOTS,
                .begin = begin,
                .at = plan->slot_total + begin,
            };
        }
        plan->slot_total += slots;
    }
    return DW_OK;
}

void dw_particles_plan_finish(dw_particle_plan *plan)
{
    dw_free(plan->rows);
    dw_free(plan->groups);
    dw_free(plan->items);
    *plan = (dw_particle_plan) { 0 };
}

dw_particle_walk dw_particles_walk(const dw_particle_tables *tables, const dw_particle_plan *plan,
                                   const dw_particle_item *item)
{
    dw_particle_walk walk = { .tables = tables,
                              .rows = plan->rows,
                              .row = plan->groups[item->group].first_row,
                              .left = item->slot_count };
    uint64_t skip = item->begin;

    for (; skip >= plan->rows[walk.row].slots; walk.row++)
        skip -= plan->rows[walk.row].slots;
    walk.slot = (uint32_t)skip;
    return walk;
}
