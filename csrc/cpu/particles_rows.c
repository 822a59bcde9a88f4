/* SPDX-License-Identifier: MIT */
#include "cpu/particles_rows.h"

static uint32_t rule_of(const dw_particle_tables *tables, const dw_particle_emitter *e,
                        const dw_particle_part *p)
{
    if (tables->is_plain || e->loop != 0 || (p->flags & DW_PART_IS_RENEWED) != 0)
        return DW_ROW_RULE_PLAIN;
    if ((p->flags & DW_PART_IS_DYNAMIC) != 0)
        return DW_ROW_RULE_SHOWN;
    if ((DW_EMITTER_FLAGS(e->part) & DW_EMITTER_IS_ONCE) != 0)
        return DW_ROW_RULE_ONCE;
    return (p->flags & DW_PART_IS_BURST) != 0 ? DW_ROW_RULE_BURST : DW_ROW_RULE_CYCLE;
}

/* Ages that slots of a row have, whether or not they live so long. */
typedef struct age_range {
    uint64_t least, most;
    bool has_begun; /* all slots have */
} age_range;

/* Slots of a burst have one age: that of one that would live for ever. */
static age_range burst_ages(const dw_particle_emitter *e, const dw_particle_part *p, int64_t local)
{
    dw_particle_part lasting = *p;
    dw_particle_life life;

    lasting.life_least = UINT32_MAX;
    lasting.life_span = 0;
    life = dw_particle_burst(*e, lasting, 0, (uint64_t)local);
    return life.is_alive != 0 ? (age_range) { life.age, life.age, true }
                              : (age_range) { UINT64_MAX, UINT64_MAX, true };
}

static age_range ages_of(const dw_particle_emitter *e, const dw_particle_part *p, uint32_t rule,
                         int64_t local)
{
    uint64_t now = (uint64_t)local;
    uint32_t soonest, latest;

    if (rule == DW_ROW_RULE_BURST)
        return burst_ages(e, p, local);
    if (rule == DW_ROW_RULE_ONCE) {
        soonest = dw_particle_delay(*p, 0);
        latest = dw_particle_delay(*p, UINT32_MAX);
        return (age_range) { now > latest ? now - latest : 0, now > soonest ? now - soonest : 0,
                             now >= latest };
    }
    return (age_range) { 0, p->life_least - 1, true }; /* within each life */
}

/* Which of its slots live, as far as all do or none. */
static dw_particle_row judged(const dw_particle_emitter *e, const dw_particle_part *p,
                              int64_t local, dw_particle_row row)
{
    uint64_t life_most = (uint64_t)p->life_least + p->life_span;
    dw_particle_words shown = dw_particle_ages(*e, local);
    age_range ages = ages_of(e, p, row.rule, local);

    if (ages.least >= life_most || ages.least > shown.y || life_most <= shown.x)
        row.rule = DW_ROW_RULE_NONE;
    else if (row.rule == DW_ROW_RULE_CYCLE)
        row.is_mixed = shown.x != 0 || shown.y != UINT32_MAX;
    else
        row.is_mixed = !ages.has_begun || ages.most >= p->life_least || ages.least < shown.x ||
                       ages.most > shown.y;
    return row;
}

dw_particle_row dw_particles_row_at(const dw_particle_tables *tables, uint32_t row,
                                    dw_particle_moment moment)
{
    const dw_particle_emitter *e = &tables->emitters[row];
    dw_particle_row known = { .rule = DW_ROW_RULE_NONE };
    uint32_t flags = DW_EMITTER_FLAGS(e->part);
    const dw_particle_part *p;
    int64_t local;

    if (e->part == DW_PARTICLE_NONE)
        return known;
    known.slots = e->count & DW_PARTICLE_COUNT_MAX;
    local = dw_particle_local(*e, moment.now_low, moment.now_high);
    if (local < 0 || (flags & DW_EMITTER_IS_HIDDEN) != 0)
        return known;
    p = &tables->parts[DW_EMITTER_PART(e->part)];
    known.part = (uint16_t)DW_EMITTER_PART(e->part);
    known.rule = rule_of(tables, e, p) & 15u;
    known.is_mixed = 1;
    known.is_trail = (flags & DW_EMITTER_IS_TRAIL) != 0;
    known.is_bounded = (flags & (DW_EMITTER_IS_COLD | DW_EMITTER_IS_TRAIL)) != 0 ||
                       (e->stop_low & e->stop_high) != UINT32_MAX;
    if (known.rule == DW_ROW_RULE_PLAIN || known.rule == DW_ROW_RULE_SHOWN)
        return known;
    return judged(e, p, local, known);
}
