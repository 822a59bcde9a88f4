/* SPDX-License-Identifier: MIT */
/* Steps of particles with state from plain arrays, on any device: for tests and measurements.
 * Thread-safety: Safe, inside dw_device_begin_use .. dw_device_end_use. */
#ifndef DW_SYSTEMS_PARTICLE_STEPS_TRIAL_H
#define DW_SYSTEMS_PARTICLE_STEPS_TRIAL_H

#include "cpu/particle_step.h"
#include "systems/device.h"

/* A row with state: dw_particle_memory_add_row. */
#define DW_STEPS_TRIAL_ROW_WORDS 5 /* row, law, count, parent, whether it is one */

typedef struct dw_steps_trial {
    dw_particle_emitter *emitters; /* .first is written */
    const dw_particle_part *parts;
    const dw_particle_law *laws; /* first_collider and collider_count lie in colliders */
    const dw_particle_collider *colliders;
    const float *heights;
    const uint32_t *rows;
    const uint64_t *ticks; /* that the clock goes to, one after another */
    uint32_t emitter_count, part_count, law_count, collider_count, height_count, row_count;
    uint32_t tick_count;
} dw_steps_trial;

/* Slots of all rows, in their order, each rounded up. */
uint64_t dw_steps_trial_slots(const dw_steps_trial *trial);

/* shown: [tick_count][DW_SHOWN_WORDS][slots], all zero of the dead, or NULL; skipped: steps. */
dw_status dw_steps_trial_run(dw_device *device, const dw_steps_trial *trial, uint32_t *shown,
                             uint64_t *skipped, const dw_run *run, dw_error *err);

#endif
