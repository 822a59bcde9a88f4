/* SPDX-License-Identifier: MIT */
/* What can be said of all slots of a row at once, before any of them is looked at.
 * Thread-safety: Safe; tables are only read. */
#ifndef DW_CPU_PARTICLES_ROWS_H
#define DW_CPU_PARTICLES_ROWS_H

#include "cpu/particles_at.h"
#include "cpu/particles_plan.h"

/* A row at a moment, all its slots looked at. */
dw_particle_row dw_particles_row_at(const dw_particle_tables *tables, uint32_t row,
                                    dw_particle_moment moment);

#endif
