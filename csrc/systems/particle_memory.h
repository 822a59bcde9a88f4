/* SPDX-License-Identifier: MIT */
/* What particles remember, on one device: laws and solids, rows with state, their slots, and the
 * steps that bring them to a tick of the hub. Tables are the host's until something is stepped or
 * shown; only that needs the device.
 * Thread-safety: one thread at a time, inside dw_device_begin_use .. dw_device_end_use where a
 * Vulkan device is stepped or shown. */
#ifndef DW_SYSTEMS_PARTICLE_MEMORY_H
#define DW_SYSTEMS_PARTICLE_MEMORY_H

#include "cpu/particle_step.h"
#include "passes/particle_step_pass.h"

typedef struct dw_particle_memory dw_particle_memory;

/* gpu NULL: native. */
dw_status dw_particle_memory_create(dw_gpu *gpu, dw_particle_memory **out, dw_error *err);

/* Accepts NULL. */
void dw_particle_memory_destroy(dw_particle_memory *memory);

/* The device is no more, or of another process: nothing is given back to it. */
void dw_particle_memory_leave_device(dw_particle_memory *memory);

/* A law with its own solids, whose heights are counted from `heights` on. *out: its number. */
dw_status dw_particle_memory_add_law(dw_particle_memory *memory, const dw_particle_law *law,
                                     const dw_particle_collider *colliders, uint32_t collider_count,
                                     const float *heights, uint32_t height_count, uint32_t *out,
                                     dw_error *err);
const dw_particle_law *dw_particle_memory_get_law(const dw_particle_memory *memory, uint32_t law);

/* No row has it. height_count: as it was added. */
void dw_particle_memory_remove_law(dw_particle_memory *memory, uint32_t law, uint32_t height_count);

/* Room that rows take: dw_particle_memory_add_row of as many does not fail. */
typedef struct dw_particle_memory_room {
    uint64_t rows, blocks, event_blocks;
} dw_particle_memory_room;

/* Adds what `times` rows of `count` slots take. */
void dw_particle_memory_count(dw_particle_memory_room *room, uint32_t count, bool is_parent,
                              uint64_t times);
dw_status dw_particle_memory_reserve(dw_particle_memory *memory,
                                     const dw_particle_memory_room *room, dw_error *err);

typedef struct dw_particle_memory_row {
    uint32_t row, law, part, count;
    uint32_t rate;   /* births in 1024 of its own ticks, 16.16 */
    uint32_t parent; /* the number of a row that lives, of at least count / law.children slots;
                        DW_PARTICLE_NONE: none */
    bool is_parent;
} dw_particle_memory_row;

/* An empty row of an emitter, for which there is room. Returns its number; *first is what
 * emitter.first becomes. */
uint32_t dw_particle_memory_add_row(dw_particle_memory *memory, const dw_particle_memory_row *row,
                                    uint32_t *first);
void dw_particle_memory_remove_row(dw_particle_memory *memory, uint32_t stream);

/* Gives planes back that no row needs, on its device too. */
void dw_particle_memory_release(dw_particle_memory *memory);

/* The row's record lies elsewhere from now on. */
void dw_particle_memory_move_row(dw_particle_memory *memory, uint32_t stream, uint32_t row);

/* Where emitters and parts are: on the host or on the device. */
typedef struct dw_particle_sources {
    const dw_particle_emitter *emitters;
    const dw_particle_part *parts;
    const dw_gpu_buffer *emitter_buffer, *part_buffer;
} dw_particle_sources;

/* Where a call for steps has come to. */
typedef struct dw_particle_progress {
    uint64_t tick;    /* of the hub: all of its steps so far are done, and no other */
    uint64_t skipped; /* steps that were one long one instead */
} dw_particle_progress;

/* From the steps that end at or before the hub's tick `from` to those of `to`, at most
 * DW_PARTICLE_STEPS_MOST of them. Rows that were added begin, even where from == to. *out is
 * written on failure too: whoever waits may be interrupted between two steps. */
dw_status dw_particle_memory_step(dw_particle_memory *memory, const dw_particle_sources *sources,
                                  uint64_t from, uint64_t to, const dw_run *run,
                                  dw_particle_progress *out, dw_error *err);

/* Natively: what dw_particle_states_show reads. */
dw_particle_states dw_particle_memory_states(const dw_particle_memory *memory,
                                             const dw_particle_sources *sources);

/* Fills the planes of what is shown, DW_SHOWN_*, for a tick: on the host, or on the device. */
dw_status dw_particle_memory_show_native(dw_particle_memory *memory,
                                         const dw_particle_sources *sources, uint64_t now,
                                         const dw_run *run, dw_error *err);
dw_status dw_particle_memory_show(dw_particle_memory *memory, const dw_particle_sources *sources,
                                  uint64_t now, const dw_run *run, dw_error *err);
const uint32_t *dw_particle_memory_shown_native(const dw_particle_memory *memory);
const dw_gpu_buffer *dw_particle_memory_shown(const dw_particle_memory *memory);

/* The length of a plane. */
uint32_t dw_particle_memory_slot_capacity(const dw_particle_memory *memory);

typedef struct dw_particle_memory_stats {
    uint32_t rows;
    uint64_t slots;    /* of their blocks */
    uint64_t capacity; /* slots that planes have room for */
    uint64_t looks;    /* at free places, so far */
} dw_particle_memory_stats;

dw_particle_memory_stats dw_particle_memory_get_stats(const dw_particle_memory *memory);

#endif
