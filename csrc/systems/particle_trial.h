/* SPDX-License-Identifier: MIT */
/* Particles of given tables on a Vulkan device, for tests and measurements.
 * Thread-safety: Safe. */
#ifndef DW_SYSTEMS_PARTICLE_TRIAL_H
#define DW_SYSTEMS_PARTICLE_TRIAL_H

#include "cpu/particles.h"
#include "systems/device.h"

/* The particles of a range of rows; dw_particles_state on the device. */
dw_status dw_trial_particle_state(dw_device *device, const dw_particle_tables *tables,
                                  uint32_t first_row, uint32_t row_count, uint64_t now,
                                  const float *camera, const dw_run *run, dw_particle *out,
                                  uint64_t *out_count, dw_error *err);

/* What a frame took. */
typedef struct dw_trial_frame {
    double emitters, scan, expand, totals, list, sort; /* device time, in ms */
    double host;                                       /* update, record and submit, in ms */
    double sent;                                       /* bytes from the host */
    double allocations;                                /* blocks of the host's memory */
    double used;                                       /* bytes of the device's memory in use */
    double fill; /* device time of filling the room for all sprites, in ms */
} dw_trial_frame;

typedef enum dw_trial_mode {
    DW_TRIAL_PLAIN,
    DW_TRIAL_NARROW,   /* no subgroup operations */
    DW_TRIAL_IN_PARTS, /* tables that grow and change */
} dw_trial_mode;

/* The same view `repeat` times after one upload; what the last one shows, in the order of its list.
 * out is zeroed; dw_particle_seen_finish frees it. frames: [repeat], or NULL. */
dw_status dw_trial_particle_see(dw_device *device, const dw_particle_tables *tables,
                                const dw_particle_view *view, dw_trial_mode mode, uint32_t repeat,
                                const dw_run *run, dw_particle_seen *out, dw_trial_frame *frames,
                                dw_error *err);

#endif
