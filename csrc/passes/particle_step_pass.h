/* SPDX-License-Identifier: MIT */
/* Particles with state on a Vulkan device: cpu/particle_step.h with the same bytes.
 * Thread-safety: one thread at a time for each dw_particle_step_gpu. */
#ifndef DW_PASSES_PARTICLE_STEP_PASS_H
#define DW_PASSES_PARTICLE_STEP_PASS_H

#include "base/threads.h"
#include "gpu/command.h"
#include "shared/particle_step.h"

/* Tables that the host writes whole or in part. */
typedef enum dw_particle_step_table {
    DW_STEP_LAWS,
    DW_STEP_COLLIDERS,
    DW_STEP_HEIGHTS,
    DW_STEP_STREAMS,
    DW_STEP_BLOCKS,
    DW_STEP_RELAYS, /* written by steps too */
    DW_STEP_TABLE_COUNT,
} dw_particle_step_table;

/* Zeroed at first. */
typedef struct dw_particle_step_gpu {
    dw_gpu *gpu;
    dw_gpu_buffer tables[DW_STEP_TABLE_COUNT];
    dw_gpu_buffer slots, events, shown;
    uint32_t stream_count, block_count;
    uint32_t slot_capacity, event_capacity;
    uint32_t features; /* DW_STEP_HAS_* of all laws written so far */
    bool has_events;
} dw_particle_step_gpu;

/* Accepts a zeroed one. */
void dw_particle_step_gpu_finish(dw_particle_step_gpu *self);

/* Makes room for `count` rows of a table, of slots or of events; what was there stays. */
dw_status dw_particle_step_gpu_reserve(dw_particle_step_gpu *self, dw_particle_step_table table,
                                       uint32_t count, dw_error *err);
dw_status dw_particle_step_gpu_reserve_slots(dw_particle_step_gpu *self, uint32_t count,
                                             dw_error *err);
dw_status dw_particle_step_gpu_reserve_events(dw_particle_step_gpu *self, uint32_t count,
                                              dw_error *err);

/* Rows [first, first + count) of a table. */
dw_status dw_particle_step_gpu_write(dw_particle_step_gpu *self, dw_particle_step_table table,
                                     uint32_t first, uint32_t count, const void *rows,
                                     const dw_run *run, dw_error *err);

/* Clocks of `count` rows from `index` on are at 0; the slots of `stream`, which may be those of all
 * of them, die, and what happened to them is forgotten. */
void dw_particle_step_gpu_clear(dw_particle_step_gpu *self, dw_command *command, uint32_t index,
                                uint32_t count, const dw_particle_stream *stream);

/* dw_particle_states_step, of emitters and parts in buffers. */
dw_status dw_particle_step_gpu_step(dw_particle_step_gpu *self, const dw_gpu_buffer *emitters,
                                    const dw_gpu_buffer *parts, uint64_t step, uint32_t count,
                                    bool is_long, const dw_run *run, dw_error *err);

/* Records what fills `shown`, DW_SHOWN_* in planes of slot_capacity words, as of the hub's tick. */
dw_status dw_particle_step_gpu_show(dw_particle_step_gpu *self, dw_command *command,
                                    const dw_gpu_buffer *emitters, const dw_gpu_buffer *parts,
                                    uint64_t now, dw_error *err);

#endif
