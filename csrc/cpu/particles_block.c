/* SPDX-License-Identifier: MIT */
#include "cpu/particles_block.h"

#include "cpu/particles_kernels.h"

/* ---- which lanes ---- */

static uint32_t rule_of(const dw_particle_tables *tables, const dw_particle_emitter *e)
{
    uint32_t flags = tables->parts[DW_EMITTER_PART(e->part)].flags;

    if (tables->is_plain || e->loop != 0 ||
        (flags & (DW_PART_IS_RENEWED | DW_PART_IS_DYNAMIC)) != 0)
        return DW_BLOCK_RULE_PLAIN;
    if ((DW_EMITTER_FLAGS(e->part) & DW_EMITTER_IS_ONCE) != 0)
        return DW_BLOCK_RULE_ONCE;
    return (flags & DW_PART_IS_BURST) != 0 ? DW_BLOCK_RULE_BURST : DW_BLOCK_RULE_CYCLE;
}

bool dw_particles_row_lives(const dw_particle_tables *tables, uint32_t row,
                            dw_particle_moment moment)
{
    const dw_particle_emitter *e = &tables->emitters[row];
    int64_t local = dw_particle_local(*e, moment.now_low, moment.now_high);
    dw_particle_words ages = dw_particle_ages(*e, local);

    return local >= 0 && (DW_EMITTER_FLAGS(e->part) & DW_EMITTER_IS_HIDDEN) == 0 &&
           rule_of(tables, e) == DW_BLOCK_RULE_CYCLE && ages.x == 0 && ages.y == UINT32_MAX;
}

static bool is_group(const dw_particle_block *block, uint32_t index, uint32_t part, uint32_t rule)
{
    return index < block->group_count && block->groups[index].part == part &&
           block->groups[index].rule == rule;
}

/* The group of a row, or DW_PARTICLE_NONE when there are too many. */
static uint32_t group_of(dw_particle_block *block, const dw_particle_tables *tables,
                         const dw_particle_emitter *e)
{
    uint32_t part = DW_EMITTER_PART(e->part), rule = rule_of(tables, e), i;
    uint8_t *place = &block->places[(part + 16 * rule) % DW_BLOCK_PLACES];

    if (is_group(block, *place, part, rule))
        return *place;
    for (i = 0; i < block->group_count && !is_group(block, i, part, rule); i++)
        ;
    if (i == DW_BLOCK_GROUPS)
        return DW_PARTICLE_NONE;
    if (i == block->group_count)
        block->groups[block->group_count++] =
            (struct dw_block_group) { .part = part, .rule = rule };
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
static bool add_run(dw_particle_block *block, const dw_particle_walk *walk, uint32_t count,
                    int64_t local)
{
    const dw_particle_emitter *e = &walk->tables->emitters[walk->row];
    uint32_t index = group_of(block, walk->tables, e);
    struct dw_block_run *run = &block->runs[block->run_count];

    if (index == DW_PARTICLE_NONE)
        return false;
    block->groups[index].count += count;
    block->groups[index].is_trail |= (DW_EMITTER_FLAGS(e->part) & DW_EMITTER_IS_TRAIL) != 0;
    block->groups[index].has_point |= e->surface_count != 0;
    run->row = walk->row;
    run->slot = walk->slot;
    run->count = count;
    run->group = index;
    run->local = local;
    block->run_count++;
    return true;
}

bool dw_particles_block_take(dw_particle_block *block, dw_particle_walk *walk,
                             dw_particle_moment moment)
{
    uint32_t room = DW_BLOCK_LANES;

    block->run_count = block->group_count = 0;
    while (room > 0 && walk->left > 0) {
        const dw_particle_emitter *e = &walk->tables->emitters[walk->row];
        uint32_t slots = dw_particles_row_slots(walk->tables, walk->kept, walk->row);
        uint32_t count = slots - walk->slot;
        int64_t local;

        if (walk->slot >= slots) {
            walk->row++;
            walk->slot = 0;
            continue;
        }
        count = count < room ? count : room;
        count = count < walk->left ? count : walk->left;
        local = dw_particle_local(*e, moment.now_low, moment.now_high);
        if (local >= 0 && (DW_EMITTER_FLAGS(e->part) & DW_EMITTER_IS_HIDDEN) == 0) {
            if (!add_run(block, walk, count, local))
                break;
            room -= count;
        }
        walk->slot += count;
        walk->left -= count;
    }
    place_groups(block);
    return block->run_count > 0;
}

/* ---- lanes that go one by one ---- */

static void live_plain(dw_particle_block *block, const dw_particle_tables *tables,
                       const struct dw_block_run *run, dw_particle_moment moment)
{
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t lane = run->lane + i;
        dw_particle_life life = dw_particles_life(tables, run->row, run->slot + i, moment);

        block->is_alive[lane] = life.is_alive;
        block->cycle[lane] = life.cycle;
        block->age[lane] = life.age;
        block->life[lane] = life.life;
        block->is_before[lane] = life.is_before;
    }
}

static void move_plain(dw_particle_block *block, const dw_particle_tables *tables,
                       const struct dw_block_run *run, dw_particle_moment moment)
{
    for (uint32_t i = run->lane; i < run->lane + run->count; i++) {
        dw_particle_life life = { block->is_alive[i], block->cycle[i], block->age[i],
                                  block->life[i], block->is_before[i] };
        dw_particle one;

        if (life.is_alive == 0)
            continue;
        one = dw_particles_at(tables, run->row, run->slot + i - run->lane, life, moment);
        block->t[i] = dw_particle_share(life.age, life.life);
        block->x[i] = one.position[0];
        block->y[i] = one.position[1];
        block->z[i] = one.position[2];
        block->size[i] = one.size;
        block->opacity[i] = one.opacity;
        block->color[i] = one.color;
        block->turn[i] = one.turn;
        block->axis[i] = one.axis;
        block->frame[i] = one.frame;
    }
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
        if (block->groups[i].rule != DW_BLOCK_RULE_PLAIN)
            dw_block_live(lanes_of(block, tables, i), block->groups[i].rule);
    for (uint32_t i = 0; i < block->run_count; i++)
        if (block->groups[block->runs[i].group].rule == DW_BLOCK_RULE_PLAIN)
            live_plain(block, tables, &block->runs[i], moment);
}

void dw_particles_block_move(dw_particle_block *block, const dw_particle_tables *tables,
                             dw_particle_moment moment)
{
    for (uint32_t i = 0; i < block->group_count; i++) {
        dw_block_lanes lanes = lanes_of(block, tables, i);

        if (block->groups[i].rule == DW_BLOCK_RULE_PLAIN)
            continue;
        dw_block_share(lanes);
        dw_block_curves(lanes, tables->curves);
        if (block->groups[i].has_point)
            dw_block_points(lanes, tables->points);
        else
            dw_block_no_points(lanes);
        dw_block_move(lanes, moment.camera);
        dw_block_color(lanes, tables->colors);
        dw_block_place(lanes, block->groups[i].is_trail);
        dw_block_frames(lanes);
    }
    for (uint32_t i = 0; i < block->run_count; i++)
        if (block->groups[block->runs[i].group].rule == DW_BLOCK_RULE_PLAIN)
            move_plain(block, tables, &block->runs[i], moment);
}

/* ---- out of the block ---- */

uint32_t dw_particles_block_count(const dw_particle_block *block)
{
    uint32_t count = 0;

    for (uint32_t r = 0; r < block->run_count; r++)
        for (uint32_t i = 0; i < block->runs[r].count; i++)
            count += block->is_alive[block->runs[r].lane + i];
    return count;
}

dw_particle *dw_particles_block_write(const dw_particle_block *b, dw_particle *out)
{
    for (uint32_t r = 0; r < b->run_count; r++) {
        const struct dw_block_run *run = &b->runs[r];

        for (uint32_t i = run->lane; i < run->lane + run->count; i++) {
            if (b->is_alive[i] == 0)
                continue;
            out->emitter = run->row;
            out->slot = b->slot[i];
            out->cycle = b->cycle[i];
            out->age = b->age[i];
            out->lifetime = b->life[i];
            out->position[0] = b->x[i];
            out->position[1] = b->y[i];
            out->position[2] = b->z[i];
            out->size = b->size[i];
            out->opacity = b->opacity[i];
            out->color = b->color[i];
            out->turn = b->turn[i];
            out->axis = b->axis[i];
            out->frame = b->frame[i];
            out++;
        }
    }
    return out;
}

dw_particle_sprite *dw_particles_block_draw(const dw_particle_block *b, dw_particle_sprite *out)
{
    for (uint32_t r = 0; r < b->run_count; r++) {
        const struct dw_block_run *run = &b->runs[r];

        for (uint32_t i = run->lane; i < run->lane + run->count; i++) {
            if (b->is_alive[i] == 0)
                continue;
            out->position[0] = b->x[i];
            out->position[1] = b->y[i];
            out->position[2] = b->z[i];
            out->size = b->size[i];
            out->opacity = b->sprite_opacity[i];
            out->color = b->color[i];
            out->frame = b->sprite_frame[i];
            out->axis = b->axis[i];
            out++;
        }
    }
    return out;
}
