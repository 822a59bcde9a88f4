/* SPDX-License-Identifier: MIT */
/* Sprites in the order of 16-bit keys.
 * Thread-safety: Safe on distinct arrays. */
#ifndef DW_CPU_PARTICLES_SORT_H
#define DW_CPU_PARTICLES_SORT_H

#include "base/status.h"
#include "base/threads.h"

#include <stdint.h>

#define DW_PARTICLE_SORT_PIECES 64 /* at most */
#define DW_PARTICLE_SORT_BINS   256

/* Counts of a pass. */
typedef struct dw_particle_bins {
    uint64_t places[DW_PARTICLE_SORT_PIECES][DW_PARTICLE_SORT_BINS];
} dw_particle_bins;

/* Pairs `key << 32 | index` by the low 16 bits of their keys; equal keys stay in their order. The
 * result is in `pairs`; spare has as much room. */
dw_status dw_particles_sort(uint64_t *pairs, uint64_t *spare, uint64_t count,
                            dw_particle_bins *bins, const dw_run *run, dw_error *err);

#endif
