/* SPDX-License-Identifier: MIT */
#include "cpu/particles_block.h"

#include "base/simd.h"
#include "cpu/particles_kernels.h"

#include <string.h>

/* ---- which lanes ---- */

/* DW_BLOCK_NEEDS_* of a part. */
static uint32_t part_needs(const dw_particle_part *p)
{
    static const uint32_t tones[] = {
        [DW_PARTICLE_TONE_CORE] = DW_BLOCK_NEEDS_CORE,
        [DW_PARTICLE_TONE_MIDDLE] = DW_BLOCK_NEEDS_MIDDLE,
        [DW_PARTICLE_TONE_OUTER] = DW_BLOCK_NEEDS_OUTER,
        [DW_PARTICLE_TONE_WHITE] = 0,
        [DW_PARTICLE_TONE_ANY] = DW_BLOCK_NEEDS_CORE | DW_BLOCK_NEEDS_MIDDLE | DW_BLOCK_NEEDS_OUTER,
    };

    return tones[p->tone] | ((p->flags & DW_PART_IS_EVEN) != 0 ? DW_BLOCK_NEEDS_FLAGS : 0);
}

static bool is_group(const dw_particle_block *block, uint32_t index, uint32_t part, uint32_t rule)
{
    return index < block->group_count && block->groups[index].part == part &&
           block->groups[index].rule == rule;
}

/* The group of a row, or DW_PARTICLE_NONE when there are too many. */
static uint32_t group_of(dw_particle_block *block, const dw_particle_tables *tables,
                         dw_particle_row row)
{
    uint8_t *place = &block->places[(row.part + 16u * row.rule) % DW_BLOCK_PLACES];
    uint32_t i = 0;

    if (is_group(block, *place, row.part, row.rule))
        return *place;
    while (i < block->group_count && !is_group(block, i, row.part, row.rule))
        i++;
    if (i == DW_BLOCK_GROUPS)
        return DW_PARTICLE_NONE;
    if (i == block->group_count)
        block->groups[block->group_count++] = (struct dw_block_group) {
            .part = row.part, .rule = row.rule, .needs = part_needs(&tables->parts[row.part])
        };
    *place = (uint8_t)i;
    return i;
}

static uint32_t up(uint32_t count)
{
    return (count + DW_BLOCK_STEP - 1) / DW_BLOCK_STEP * DW_BLOCK_STEP;
}

static void place_groups(dw_particle_block *block)
{
    uint32_t lane = 0;

    for (uint32_t i = 0; i < block->group_count; i++) {
        block->groups[i].lane = lane;
        lane += up(block->groups[i].count) + DW_BLOCK_STEP;
        block->groups[i].count = 0;
    }
    block->lane_count = lane;
    for (uint32_t i = 0; i < block->run_count; i++) {
        struct dw_block_run *run = &block->runs[i];
        struct dw_block_group *group = &block->groups[run->group];

        run->lane = group->lane + group->count;
        run->fill = run->count;
        group->count += run->count;
        group->last_run = i;
    }
    for (uint32_t i = 0; i < block->group_count; i++) {
        struct dw_block_run *run = &block->runs[block->groups[i].last_run];

        run->fill = block->groups[i].lane + up(block->groups[i].count) - run->lane;
    }
}

/* False when the block has no group for the row. */
static bool add_run(dw_particle_block *block, const dw_particle_walk *walk, dw_particle_row row,
                    uint32_t count)
{
    uint32_t index = group_of(block, walk->tables, row);
    struct dw_block_run *run = &block->runs[block->run_count];
    struct dw_block_group *group;

    if (index == DW_PARTICLE_NONE)
        return false;
    group = &block->groups[index];
    DW_PREFETCH(&walk->tables->emitters[walk->row]);
    DW_PREFETCH(&walk->tables->emitters[walk->row].extent);
    group->count += count;
    group->needs |= (row.is_trail != 0 ? DW_BLOCK_NEEDS_TRAIL : 0) |
                    (row.is_bounded != 0 ? DW_BLOCK_NEEDS_BOUNDS : 0);
    run->row = walk->row;
    run->slot = walk->slot;
    run->count = count;
    run->group = index;
    block->run_count++;
    return true;
}

bool dw_particles_block_take(dw_particle_block *block, dw_particle_walk *walk)
{
    uint32_t room = DW_BLOCK_LANES;

    block->run_count = block->group_count = 0;
    while (room > 0 && walk->left > 0) {
        dw_particle_row row = walk->rows[walk->row];
        uint32_t count = row.slots - walk->slot;

        if (count == 0) {
            walk->row++;
            walk->slot = 0;
            continue;
        }
        count = count < room ? count : room;
        count = count < walk->left ? count : walk->left;
        if (row.rule != DW_ROW_RULE_NONE && walk->skips_living && row.is_mixed == 0) {
            walk->living += count;
        } else if (row.rule != DW_ROW_RULE_NONE) {
            if (!add_run(block, walk, row, count))
                break;
            room -= count;
        }
        walk->slot += count;
        walk->left -= count;
    }
    block->slot_count = DW_BLOCK_LANES - room;
    place_groups(block);
    return block->run_count > 0;
}

/* ---- lanes that go one by one ---- */

static void live_plain(dw_particle_block *block, const dw_particle_tables *tables,
                       const struct dw_block_run *run, dw_particle_moment moment)
{
    for (uint32_t i = 0; i < run->count; i++)
        dw_block_set_life(block, run->lane + i,
                          dw_particles_life(tables, run->row, run->slot + i, moment));
}

static void move_plain(dw_particle_block *block, const dw_particle_tables *tables,
                       const struct dw_block_run *run, dw_particle_moment moment)
{
    for (uint32_t i = run->lane; i < run->lane + run->count; i++) {
        dw_particle_life life = dw_block_life(block, i);
        dw_particle one;

        if (life.is_alive == 0)
            continue;
        one = dw_particles_at(tables, run->row, run->slot + i - run->lane, life, moment);
        block->t[i] = dw_particle_share(life.age, life.life);
#define DW_BLOCK_PUT(type, array, place) block->array[i] = one.place;
        DW_BLOCK_OF_RECORD(DW_BLOCK_PUT)
#undef DW_BLOCK_PUT
    }
}

/* ---- lanes whose states are shown ---- */

static const uint32_t *shown_of(const dw_particle_tables *tables, const struct dw_block_run *run,
                                size_t word)
{
    return tables->shown + word * tables->shown_pitch + tables->emitters[run->row].first +
           run->slot;
}

static void live_shown(dw_particle_block *block, const dw_particle_tables *tables,
                       const struct dw_block_run *run)
{
    for (uint32_t i = 0; i < run->fill; i++) {
        dw_particle_life life = dw_particle_dead();

        if (tables->shown != NULL && i < run->count && shown_of(tables, run, DW_SHOWN_PART)[i] != 0)
            life = (dw_particle_life) { .is_alive = 1,
                                        .cycle = shown_of(tables, run, DW_SHOWN_CYCLE)[i],
                                        .age = shown_of(tables, run, DW_SHOWN_AGE)[i],
                                        .life = shown_of(tables, run, DW_SHOWN_LIFE)[i] };
        dw_block_set_life(block, run->lane + i, life);
    }
}

/* Where they are, whatever their kind made of that. */
static void place_shown(dw_particle_block *block, const dw_particle_tables *tables,
                        const struct dw_block_run *run)
{
    float *const places[3] = { block->x, block->y, block->z };
    uint32_t part = block->groups[run->group].part;

    if (tables->shown == NULL)
        return;
    for (size_t i = 0; i < 3; i++)
        memcpy(places[i] + run->lane, shown_of(tables, run, DW_SHOWN_POSITION + i),
               run->count * sizeof(float));
    if ((tables->parts[part].flags & DW_PART_IS_STREAK) != 0)
        memcpy(block->axis + run->lane, shown_of(tables, run, DW_SHOWN_AXIS),
               run->count * sizeof(uint32_t));
}

/* ---- all lanes ---- */

static dw_block_lanes lanes_of(dw_particle_block *block, const dw_particle_tables *tables,
                               uint32_t index)
{
    const struct dw_block_group *group = &block->groups[index];

    return (dw_block_lanes) { block, &tables->parts[group->part], group->lane, up(group->count) };
}

void dw_particles_block_live(dw_particle_block *block, const dw_particle_tables *tables,
                             dw_particle_moment moment)
{
    for (uint32_t i = 0; i < block->group_count; i++)
        if (block->groups[i].rule < DW_ROW_RULE_PLAIN)
            dw_block_live(lanes_of(block, tables, i), &block->groups[i]);
    for (uint32_t i = 0; i < block->run_count; i++) {
        uint32_t rule = block->groups[block->runs[i].group].rule;

        if (rule == DW_ROW_RULE_PLAIN)
            live_plain(block, tables, &block->runs[i], moment);
        else if (rule == DW_ROW_RULE_SHOWN)
            live_shown(block, tables, &block->runs[i]);
    }
}

void dw_particles_block_move(dw_particle_block *block, const dw_particle_tables *tables,
                             dw_particle_moment moment)
{
    for (uint32_t i = 0; i < block->group_count; i++) {
        dw_block_lanes lanes = lanes_of(block, tables, i);

        if (block->groups[i].rule == DW_ROW_RULE_PLAIN)
            continue;
        dw_block_share(lanes);
        dw_block_curves(lanes, tables->curves);
        dw_block_points(lanes, tables->points, block->groups[i].needs);
        dw_block_move(lanes, moment.camera);
        dw_block_color(lanes, tables->colors);
        dw_block_place(lanes, block->groups[i].needs);
        dw_block_frames(lanes);
    }
    for (uint32_t i = 0; i < block->run_count; i++) {
        uint32_t rule = block->groups[block->runs[i].group].rule;

        if (rule == DW_ROW_RULE_PLAIN)
            move_plain(block, tables, &block->runs[i], moment);
        else if (rule == DW_ROW_RULE_SHOWN)
            place_shown(block, tables, &block->runs[i]);
    }
}
