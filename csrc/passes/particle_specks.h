/* SPDX-License-Identifier: MIT */
/* Particles whose glow is less than a pixel: the light is added by atomics, in whole numbers, so
 * that their order is of no concern; what is larger is left to the raster in a list of its own.
 * Thread-safety: one thread at a time for each object and command. */
#ifndef DW_PASSES_PARTICLE_SPECKS_H
#define DW_PASSES_PARTICLE_SPECKS_H

#include "gpu/command.h"
#include "shared/particle_style.h"

/* Of what is drawn together. */
typedef struct dw_particle_specks {
    dw_gpu_buffer flags, counts; /* of one layer at a time */
    dw_gpu_buffer list;          /* what is rastered, each layer where it is in the whole list */
    dw_gpu_buffer commands;      /* one a layer */
} dw_particle_specks;

/* Grows to a list of so many entries. */
dw_status dw_particle_specks_reserve(dw_gpu *gpu, dw_particle_specks *specks, uint64_t entries,
                                     dw_error *err);
/* Accepts zeroed ones. */
void dw_particle_specks_destroy(dw_particle_specks *specks);

/* Records the addition of a layer's specks and the list of what they leave. inputs: those of the
 * layer's draw; samples and constants likewise. */
dw_status dw_particle_specks_record(dw_command *command, dw_gpu *gpu,
                                    const dw_particle_specks *specks, const dw_gpu_inputs *draw,
                                    const dw_gpu_buffer *sums,
                                    const uint32_t constants[DW_PARTICLE_SPEC_COUNT],
                                    uint32_t layer, dw_error *err);

#endif
