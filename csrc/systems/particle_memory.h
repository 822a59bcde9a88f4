/* SPDX-License-Identifier: MIT */
/* What particles remember, on one device: laws and solids, rows with state, their slots, and the
 * steps that bring them to a tick of the hub.
 * Thread-safety: one thread at a time, inside dw_device_begin_use .. dw_device_end_use where a
 * Vulkan device is meant. */
#ifndef DW_SYSTEMS_PARTICLE_MEMORY_H
#define DW_SYSTEMS_PARTICLE_MEMORY_H

#include "cpu/particle_step.h"
#include "passes/particle_step_pass.h"

typedef struct dw_particle_memory dw_particle_memory;

/* gpu NULL: native. */
dw_status dw_particle_memory_create(dw_gpu *gpu, dw_particle_memory **out, dw_error *err);

/* Accepts NULL. */
void dw_particle_memory_destroy(dw_particle_memory *memory);

/* A law with its own solids, whose heights are counted from `heights` on. *out: its number. */
dw_status dw_particle_memory_add_law(dw_particle_memory *memory, const dw_particle_law *law,
                                     const dw_particle_collider *colliders, uint32_t collider_count,
                                     const float *heights, uint32_t height_count, uint32_t *out,
                                     dw_error *err);

/* A row of an emitter with state, empty. parent: the number of such a row whose slots it has
 * `children` each for, or DW_PARTICLE_NONE. *out: its number; *first: emitter.first. */
dw_status dw_particle_memory_add_row(dw_particle_memory *memory, uint32_t row, uint32_t law,
                                     uint32_t count, uint32_t parent, bool is_parent, uint32_t *out,
                                     uint32_t *first, dw_error *err);
void dw_particle_memory_remove_row(dw_particle_memory *memory, uint32_t stream);

/* The row's record lies elsewhere from now on. */
void dw_particle_memory_move_row(dw_particle_memory *memory, uint32_t stream, uint32_t row);

/* Where emitters and parts are: on the host or on the device. */
typedef struct dw_particle_sources {
    const dw_particle_emitter *emitters;
    const dw_particle_part *parts;
    const dw_gpu_buffer *emitter_buffer, *part_buffer;
} dw_particle_sources;

/* From the steps that end at or before the hub's tick `from` to those of `to`. At most
 * DW_PARTICLE_STEPS_MOST of them; *skipped is how many were one long one instead. */
dw_status dw_particle_memory_step(dw_particle_memory *memory, const dw_particle_sources *sources,
                                  uint64_t from, uint64_t to, uint64_t *skipped, const dw_run *run,
                                  dw_error *err);

/* Natively: what dw_particle_states_at reads. */
dw_particle_states dw_particle_memory_states(const dw_particle_memory *memory,
                                             const dw_particle_sources *sources);

/* On a device: records what fills the buffer of dw_particle_memory_shown for a tick. */
dw_status dw_particle_memory_show(dw_particle_memory *memory, dw_command *command,
                                  const dw_particle_sources *sources, uint64_t now,
                                  const dw_run *run, dw_error *err);
const dw_gpu_buffer *dw_particle_memory_shown(const dw_particle_memory *memory);

/* Slots that all rows together reach up to: the length of a plane is at least that. */
uint32_t dw_particle_memory_slot_capacity(const dw_particle_memory *memory);
uint32_t dw_particle_memory_row_count(const dw_particle_memory *memory);

#endif
