/* SPDX-License-Identifier: MIT */
/* What slots with state show at a tick, as the passes that list and draw particles read it: in
 * planes of words, each as long as there is room for slots.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_SHOWN_H
#define DW_SHARED_PARTICLE_SHOWN_H

#include "shared/particle.h"

#define DW_PART_REMEMBERS (DW_PART_IS_RENEWED | DW_PART_IS_DYNAMIC)

#define DW_SHOWN_PART     0u /* 1 + the part that it moves like; 0: dead */
#define DW_SHOWN_CYCLE    1u
#define DW_SHOWN_AGE      2u
#define DW_SHOWN_LIFE     3u
#define DW_SHOWN_POSITION 4u /* in the world; not of renewal, nor is the next */
#define DW_SHOWN_AXIS     7u /* of its velocity, as dw_particle_axis makes it */
#define DW_SHOWN_WORDS    8u

#define DW_SHOWN_IS_BEFORE 0x80000000u /* with the part: see dw_particle_life */

#define DW_PARTICLE_SHOWN_FIELDS(F) \
    F(uint, part, 0)                \
    F(uint, cycle, 0)               \
    F(uint, age, 0)                 \
    F(uint, life, 0)                \
    F(float, position, 3)           \
    F(uint, axis, 0)

struct dw_particle_shown {
    DW_PARTICLE_SHOWN_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_particle_shown dw_particle_shown;
#endif

DW_INLINE dw_particle_life dw_particle_life_shown(dw_particle_shown s)
{
    dw_particle_life life = dw_particle_dead();

    if (s.part == 0u)
        return life;
    life.is_alive = 1u;
    life.cycle = s.cycle;
    life.age = s.age;
    life.life = s.life;
    life.is_before = (s.part & DW_SHOWN_IS_BEFORE) != 0u ? 1u : 0u;
    return life;
}

/* Index of the part that one that lives moves like. */
DW_INLINE uint dw_particle_part_shown(dw_particle_shown s)
{
    return (s.part & ~DW_SHOWN_IS_BEFORE) - 1u;
}

/* The particle where the state has it, if the state does; p: the part that it moves like. */
DW_INLINE dw_particle dw_particle_placed(dw_particle given, dw_particle_part p, dw_particle_shown s)
{
    if ((p.flags & DW_PART_IS_DYNAMIC) == 0u)
        return given;
    given.position[0] = s.position[0];
    given.position[1] = s.position[1];
    given.position[2] = s.position[2];
    if ((p.flags & DW_PART_IS_STREAK) != 0u)
        given.axis = s.axis;
    return given;
}

#endif
