/* SPDX-License-Identifier: MIT */
/* Particles with state in native code: the steps of shared/particle_step.h over all rows, and a
 * slot between two of them. shaders/particle_step*.comp do the same on a device.
 * Thread-safety: Safe on distinct states; a step writes them, all else only reads. */
#ifndef DW_CPU_PARTICLE_STEP_H
#define DW_CPU_PARTICLE_STEP_H

#include "base/status.h"
#include "base/threads.h"
#include "shared/particle_step.h"

#include <stdbool.h>

#define DW_PARTICLE_LAW_SPEED_MAX   1e5f            /* m/s, m/s^2 */
#define DW_PARTICLE_LAW_PLACE_MAX   1e5f            /* m */
#define DW_PARTICLE_LAW_DRAG_MAX    1e4f            /* 1/s */
#define DW_PARTICLE_COLLIDER_MAX    1e4f            /* m: of sizes */
#define DW_PARTICLE_COLLIDERS_MOST  16              /* of one part */
#define DW_PARTICLE_STATE_TICKS_MAX 0x40000000000ul /* 2^42: two years of steps in 32 bits */

/* What steps read and write. Slots lie in planes of slot_capacity words, DW_SLOT_*; of parents
 * DW_EVENT_* in planes of event_capacity words, those of odd steps after those of even ones. */
typedef struct dw_particle_states {
    const dw_particle_emitter *emitters;
    const dw_particle_part *parts;
    const dw_particle_law *laws;
    dw_particle_ground ground;
    const dw_particle_stream *streams;
    const uint32_t *blocks;    /* stream of each DW_PARTICLE_STATE_GROUP slots; NONE: free */
    dw_particle_relay *relays; /* one a stream */
    uint32_t *slots, *events;
    uint32_t stream_count, block_count, slot_capacity, event_capacity;
    bool has_events; /* some stream has */
} dw_particle_states;

/* Whether a law's numbers are ones that the shared code bears; `argument` names it. */
dw_status dw_particle_law_check(const dw_particle_law *law, const char *argument, dw_error *err);
dw_status dw_particle_collider_check(const dw_particle_collider *collider, uint64_t height_count,
                                     const char *argument, dw_error *err);

/* Steps [step, step + count), each of which ends at the next multiple of DW_PARTICLE_STEP. is_long:
 * all of them as one, in closed form. */
dw_status dw_particle_states_step(const dw_particle_states *states, uint64_t step, uint32_t count,
                                  bool is_long, const dw_run *run, dw_error *err);

/* What all slots show at the hub's tick `now`, less than a step after the last one: DW_SHOWN_* in
 * planes of slot_capacity words. Slots beyond a row's count are not written. */
dw_status dw_particle_states_show(const dw_particle_states *states, uint64_t now, const dw_run *run,
                                  uint32_t *shown, dw_error *err);

#endif
