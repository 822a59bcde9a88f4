/* SPDX-License-Identifier: MIT */
/* One slot at one tick: the tables looked up around the shared code.
 * Thread-safety: Safe; tables are only read. */
#ifndef DW_CPU_PARTICLES_AT_H
#define DW_CPU_PARTICLES_AT_H

#include "cpu/particles.h"

/* When particles are looked at, and from where. */
typedef struct dw_particle_moment {
    uint32_t now_low, now_high;
    const float *camera; /* in the world; NULL: at the emitter */
} dw_particle_moment;

/* Of a slot of a part that remembers something. */
static inline dw_particle_shown dw_particles_shown(const dw_particle_tables *tables,
                                                   const dw_particle_emitter *e, uint32_t slot)
{
    const uint32_t *words = tables->shown + e->first + slot;
    size_t pitch = tables->shown_pitch;
    dw_particle_shown shown = { 0 };

    if (tables->shown == NULL || words[0] == 0)
        return shown;
    shown.part = words[0];
    shown.cycle = words[DW_SHOWN_CYCLE * pitch];
    shown.age = words[DW_SHOWN_AGE * pitch];
    shown.life = words[DW_SHOWN_LIFE * pitch];
    for (size_t i = 0; i < 3; i++)
        shown.position[i] = dw_float_from_bits(words[(DW_SHOWN_POSITION + i) * pitch]);
    shown.axis = words[DW_SHOWN_AXIS * pitch];
    return shown;
}

/* Where the life of a slot comes from. */
static inline dw_particle_life dw_particles_life(const dw_particle_tables *tables, uint32_t row,
                                                 uint32_t slot, dw_particle_moment moment)
{
    const dw_particle_emitter *e = &tables->emitters[row];

    if ((tables->parts[DW_EMITTER_PART(e->part)].flags & DW_PART_REMEMBERS) != 0)
        return dw_particle_life_shown(dw_particles_shown(tables, e, slot));
    return dw_particle_life_at(*e, tables->parts[DW_EMITTER_PART(e->part)], slot,
                               dw_particle_local(*e, moment.now_low, moment.now_high));
}

static inline float dw_particles_curve(const dw_particle_tables *tables, uint32_t first, float t)
{
    const float *knot;

    if (first == DW_PARTICLE_NONE)
        return 1.0f;
    knot = tables->curves + first + dw_particle_knot(t);
    return dw_particle_curve(knot[0], knot[1], t);
}

static inline uint32_t dw_particles_color(const dw_particle_tables *tables,
                                          const dw_particle_emitter *e, const dw_particle_part *p,
                                          uint32_t slot, float t)
{
    uint32_t tone = dw_particle_tone(*e, *p, slot);
    const uint32_t *ramp = tables->colors + p->ramp;

    if (p->ramp == DW_PARTICLE_NONE)
        return tone;
    if ((p->flags & DW_PART_IS_RAMPED) == 0)
        return dw_particle_tint(tone, ramp[dw_particle_ramp_pick(*e, *p, slot)]);
    ramp += dw_particle_knot(t);
    return dw_particle_tint(tone, dw_particle_ramp(ramp[0], ramp[1], t));
}

/* A slot that lives. */
dw_particle dw_particles_at(const dw_particle_tables *tables, uint32_t row, uint32_t slot,
                            dw_particle_life life, dw_particle_moment moment);

#endif
