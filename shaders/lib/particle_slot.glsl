// SPDX-License-Identifier: MIT
// A slot's particle at a moment. The includer declares `float curves[]`, `uint colors[]` and
// `float points[]`, and what particle_tables.glsl wants.
#ifndef DW_LIB_PARTICLE_SLOT_GLSL
#define DW_LIB_PARTICLE_SLOT_GLSL

#include "lib/particle_tables.glsl"
#include "shared/particle_motion.h"

/* Includers that know slots with state have them in `uint shown[]`. */
#ifdef DW_SLOTS_ARE_SHOWN
#include "lib/particle_shown.glsl"
#endif

float curve_at(uint first, float t)
{
    uint knot = first + dw_particle_knot(t);

    if (first == DW_PARTICLE_NONE)
        return 1.0;
    return dw_particle_curve(curves[knot], curves[knot + 1u], t);
}

uint color_at(dw_particle_emitter e, dw_particle_part p, uint slot, float t)
{
    uint tone = dw_particle_tone(e, p, slot);
    uint knot = p.ramp + dw_particle_knot(t);

    if (p.ramp == DW_PARTICLE_NONE)
        return tone;
    if ((p.flags & DW_PART_IS_RAMPED) == 0u)
        return dw_particle_tint(tone, colors[p.ramp + dw_particle_ramp_pick(e, p, slot)]);
    return dw_particle_tint(tone, dw_particle_ramp(colors[knot], colors[knot + 1u], t));
}

dw_particle_input input_at(dw_particle_emitter e, dw_particle_part p, uint slot,
                           dw_particle_life life, float t)
{
    float fade = dw_particle_fade(p, t, curve_at(p.opacity_curve, t));
    dw_particle_input given =
        dw_particle_input_of(e, p, slot, life, t, fade, curve_at(p.size_curve, t));

    if (e.surface_count != 0u) {
        uint point = 3u * (e.surface + dw_particle_point_of(e, slot, life.cycle));

        given.has_point = 1u;
        for (uint i = 0u; i < 3u; i++)
            given.point[i] = points[point + i];
    }
    return given;
}

/* dw_particle_move; each kind reads the params and the extent that it needs, and no other does. */
dw_particle_motion move_at(uint row, uint part, uint kind, dw_particle_input given)
{
    dw_particle_motion m = dw_particle_motion_at(0.0, 0.0, 0.0, 0.0, 0.0);

    switch (kind) {
#define DW_PARTICLE_KIND(value, NAME, name, traits, words, doc) \
    case value:                                                 \
        load_params(part, given.params);                        \
        load_extent(row, given.extent);                         \
        m = dw_particle_move_##name(given);                     \
        break;
#include "shared/particle_kinds.def"
#undef DW_PARTICLE_KIND
    }
    return dw_particle_swelled(m, given.swell);
}

dw_particle no_particle()
{
    return dw_particle(0u, 0u, 0u, 0u, 0u, float[3](0.0, 0.0, 0.0), 0.0, 0.0, 0u, 0u, 0u, 0u);
}

/* False: nothing lives there. local: the emitter's own tick; `share`: of the age. */
bool particle_at(dw_particle_emitter e, dw_particle_part p, uint row, uint slot, int64_t local,
                 uvec2 now, float camera[3], inout dw_particle particle, inout float share)
{
    uint part = DW_EMITTER_PART(e.part);
#ifdef DW_SLOTS_ARE_SHOWN
    dw_particle_shown state = load_shown(e, p, slot);
    dw_particle_life life = life_shown(e, p, slot, local, state);
#else
    dw_particle_life life = dw_particle_life_at(e, p, slot, local);
#endif

    if (life.is_alive == 0u)
        return false;
#ifdef DW_SLOTS_ARE_SHOWN
    if ((p.flags & DW_PART_REMEMBERS) != 0u) {
        part = dw_particle_part_shown(state);
        p = load_part(part);
    }
#endif
    share = dw_particle_share(life.age, life.life);

    dw_particle_input given = input_at(e, p, slot, life, share);

    given = dw_particle_set_clock(given, e, local, now.x, now.y);
    for (uint i = 0u; i < 3u; i++) {
        precise float offset = camera[i] - e.position[i];

        given.camera[i] = offset;
    }

    dw_particle_motion motion = move_at(row, part, p.kind, given);

    particle = dw_particle_of(e, p, row, slot, life, motion, color_at(e, p, slot, share));
#ifdef DW_SLOTS_ARE_SHOWN
    particle = dw_particle_placed(particle, p, state);
#endif
    return true;
}

#endif
