// SPDX-License-Identifier: MIT
// Slots with state, as shared/particle_shown.h says. The includer declares `uint shown[]`, a buffer
// that is as long as its planes.
#ifndef DW_LIB_PARTICLE_SHOWN_GLSL
#define DW_LIB_PARTICLE_SHOWN_GLSL

#include "shared/particle_shown.h"

uint shown_word(uint word, uint slot)
{
    return shown[word * (uint(shown.length()) / DW_SHOWN_WORDS) + slot];
}

/* Of parts that remember something. */
dw_particle_shown load_shown(dw_particle_emitter e, dw_particle_part p, uint slot)
{
    dw_particle_shown state = dw_particle_shown(0u, 0u, 0u, 0u, float[3](0.0, 0.0, 0.0), 0u);
    uint at = e.first + slot;

    if ((p.flags & DW_PART_REMEMBERS) == 0u)
        return state;
    state.part = shown_word(DW_SHOWN_PART, at);
    if (state.part == 0u)
        return state;
    state.cycle = shown_word(DW_SHOWN_CYCLE, at);
    state.age = shown_word(DW_SHOWN_AGE, at);
    state.life = shown_word(DW_SHOWN_LIFE, at);
    if ((p.flags & DW_PART_IS_DYNAMIC) == 0u)
        return state;
    for (uint i = 0u; i < 3u; i++)
        state.position[i] = uintBitsToFloat(shown_word(DW_SHOWN_POSITION + i, at));
    state.axis = shown_word(DW_SHOWN_AXIS, at);
    return state;
}

dw_particle_life life_shown(dw_particle_emitter e, dw_particle_part p, uint slot, int64_t local,
                            dw_particle_shown state)
{
    if ((p.flags & DW_PART_REMEMBERS) != 0u)
        return dw_particle_life_shown(state);
    return dw_particle_life_at(e, p, slot, local);
}

#endif
