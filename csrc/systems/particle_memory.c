/* SPDX-License-Identifier: MIT */
#include "systems/particle_memory.h"

#include "base/alloc.h"

#include <string.h>

#define GROUP     DW_PARTICLE_STATE_GROUP
#define SLOTS_MAX (1u << 28) /* words of a plane lie within 32 bits of the first one's index */

/* A host table that only grows. */
typedef struct table {
    void *rows;
    size_t size;
    uint32_t count, capacity;
    uint32_t dirty_begin, dirty_end;
} table;

struct dw_particle_memory {
    dw_gpu *gpu; /* NULL: native */
    table tables[DW_STEP_TABLE_COUNT];
    uint32_t *slots, *events; /* native, DW_SLOT_* and DW_EVENT_* planes */
    uint32_t slot_count, slot_capacity, event_count, event_capacity;
    bool has_events;
    dw_particle_step_gpu on_gpu;
};

dw_status dw_particle_memory_create(dw_gpu *gpu, dw_particle_memory **out, dw_error *err)
{
    static const size_t sizes[DW_STEP_TABLE_COUNT] = {
        sizeof(dw_particle_law), sizeof(dw_particle_collider),
        sizeof(float),           sizeof(dw_particle_stream),
        sizeof(uint32_t),        sizeof(dw_particle_relay),
    };

    if (DW_ALLOC_ZEROED(1, out, err) != DW_OK)
        return err->code;
    (*out)->gpu = gpu;
    (*out)->on_gpu.gpu = gpu;
    for (int i = 0; i < DW_STEP_TABLE_COUNT; i++)
        (*out)->tables[i].size = sizes[i];
    return DW_OK;
}

void dw_particle_memory_destroy(dw_particle_memory *memory)
{
    if (memory == NULL)
        return;
    for (int i = 0; i < DW_STEP_TABLE_COUNT; i++)
        dw_free(memory->tables[i].rows);
    dw_free(memory->slots);
    dw_free(memory->events);
    dw_particle_step_gpu_finish(&memory->on_gpu);
    dw_free(memory);
}

/* ---- tables ---- */

static dw_status reserve(table *self, uint32_t count, dw_error *err)
{
    uint32_t capacity = self->capacity * 2 > count ? self->capacity * 2 : count;
    void *rows;

    if (count <= self->capacity)
        return DW_OK;
    if (dw_alloc_array_zeroed(capacity, self->size, "particle table", &rows, err) != DW_OK)
        return err->code;
    if (self->count > 0)
        memcpy(rows, self->rows, self->count * self->size);
    dw_free(self->rows);
    self->rows = rows;
    self->capacity = capacity;
    return DW_OK;
}

static void mark(table *self, uint32_t begin, uint32_t end)
{
    bool is_clean = self->dirty_begin >= self->dirty_end;

    self->dirty_begin = is_clean || begin < self->dirty_begin ? begin : self->dirty_begin;
    self->dirty_end = is_clean || end > self->dirty_end ? end : self->dirty_end;
}

/* Rows behind the last one; the table has room. */
static void append(table *self, const void *rows, uint32_t count)
{
    if (count == 0)
        return;
    memcpy((char *)self->rows + self->count * self->size, rows, count * self->size);
    mark(self, self->count, self->count + count);
    self->count += count;
}

static dw_status check_law(const dw_particle_law *law, const dw_particle_collider *colliders,
                           uint32_t collider_count, const float *heights, uint32_t height_count,
                           dw_error *err)
{
    dw_particle_law checked = *law;

    checked.collider_count = collider_count;
    if (dw_particle_law_check(&checked, "forces", err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < collider_count; i++)
        if (dw_particle_collider_check(&colliders[i], height_count, "colliders", err) != DW_OK)
            return err->code;
    for (uint32_t i = 0; i < height_count; i++)
        if (!(heights[i] >= -DW_PARTICLE_LAW_PLACE_MAX && heights[i] <= DW_PARTICLE_LAW_PLACE_MAX))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "colliders: heights must lie in [%g, %g], got %g",
                           (double)-DW_PARTICLE_LAW_PLACE_MAX, (double)DW_PARTICLE_LAW_PLACE_MAX,
                           (double)heights[i]);
    return DW_OK;
}

dw_status dw_particle_memory_add_law(dw_particle_memory *memory, const dw_particle_law *law,
                                     const dw_particle_collider *colliders, uint32_t collider_count,
                                     const float *heights, uint32_t height_count, uint32_t *out,
                                     dw_error *err)
{
    table *laws = &memory->tables[DW_STEP_LAWS], *solids = &memory->tables[DW_STEP_COLLIDERS];
    table *ground = &memory->tables[DW_STEP_HEIGHTS];
    dw_particle_law added = *law;

    if (check_law(law, colliders, collider_count, heights, height_count, err) != DW_OK ||
        reserve(laws, laws->count + 1, err) != DW_OK ||
        reserve(solids, solids->count + collider_count, err) != DW_OK ||
        reserve(ground, ground->count + height_count, err) != DW_OK)
        return err->code;
    added.first_collider = solids->count;
    added.collider_count = collider_count;
    added.children = added.children > 0 ? added.children : 1;
    for (uint32_t i = 0; i < collider_count; i++) {
        dw_particle_collider solid = colliders[i];

        solid.heights += ground->count;
        append(solids, &solid, 1);
    }
    append(ground, heights, height_count);
    *out = laws->count;
    append(laws, &added, 1);
    return DW_OK;
}

/* ---- rows ---- */

/* Longer planes, in place of those before. */
static dw_status grow_planes(uint32_t **planes, uint32_t plane_count, uint32_t before,
                             uint32_t capacity, dw_error *err)
{
    uint32_t *grown;

    if (dw_alloc_array_zeroed((size_t)plane_count * capacity, 4, "particle slots", (void **)&grown,
                              err) != DW_OK)
        return err->code;
    for (size_t i = 0; i < plane_count && before > 0; i++)
        memcpy(grown + i * capacity, *planes + i * before, (size_t)before * 4);
    dw_free(*planes);
    *planes = grown;
    return DW_OK;
}

static uint32_t larger(uint32_t capacity, uint32_t count)
{
    return capacity + capacity / 2 > count ? capacity + capacity / 2 : count;
}

static dw_status reserve_slots(dw_particle_memory *memory, uint32_t count, uint32_t events,
                               dw_error *err)
{
    uint32_t slots = larger(memory->slot_capacity, count);
    uint32_t all_events = larger(memory->event_capacity, events > 0 ? events : 1);

    if (count > memory->slot_capacity) {
        if ((memory->gpu == NULL
                 ? grow_planes(&memory->slots, DW_SLOT_WORDS, memory->slot_capacity, slots, err)
                 : dw_particle_step_gpu_reserve_slots(&memory->on_gpu, slots, err)) != DW_OK)
            return err->code;
        memory->slot_capacity = slots;
    }
    if (events > memory->event_capacity || memory->event_capacity == 0) {
        if ((memory->gpu == NULL
                 ? grow_planes(&memory->events, 2 * DW_EVENT_WORDS, memory->event_capacity,
                               all_events, err)
                 : dw_particle_step_gpu_reserve_events(&memory->on_gpu, all_events, err)) != DW_OK)
            return err->code;
        memory->event_capacity = all_events;
    }
    return DW_OK;
}

/* A free row of as many slots, and as many events or none; or the count of rows. */
static uint32_t find_free(const dw_particle_memory *memory, uint32_t count, bool has_events)
{
    const table *streams = &memory->tables[DW_STEP_STREAMS];
    const dw_particle_stream *rows = streams->rows;

    for (uint32_t i = 0; i < streams->count; i++)
        if (rows[i].row == DW_PARTICLE_NONE && rows[i].count == count &&
            (rows[i].events != DW_PARTICLE_NONE) == has_events)
            return i;
    return streams->count;
}

static dw_status clear_slots(dw_particle_memory *memory, uint32_t index, dw_error *err)
{
    const dw_particle_stream *stream =
        (const dw_particle_stream *)memory->tables[DW_STEP_STREAMS].rows + index;
    uint32_t length = (stream->count + GROUP - 1) / GROUP * GROUP;
    dw_command *command;
    dw_ticket ticket;

    if (memory->gpu != NULL) {
        if (dw_particle_step_gpu_reserve(&memory->on_gpu, DW_STEP_RELAYS,
                                         memory->tables[DW_STEP_RELAYS].capacity, err) != DW_OK ||
            dw_command_begin(memory->gpu, "particle_clear", &command, err) != DW_OK)
            return err->code;
        dw_particle_step_gpu_clear(&memory->on_gpu, command, index, stream);
        return dw_command_submit(command, &ticket, err);
    }
    memset(memory->slots + (size_t)DW_SLOT_UNTIL * memory->slot_capacity + stream->first, 0,
           (size_t)length * 4);
    for (size_t parity = 0; parity < 2 && stream->events != DW_PARTICLE_NONE; parity++)
        memset(memory->events +
                   (parity * DW_EVENT_WORDS + DW_EVENT_KINDS) * memory->event_capacity +
                   stream->events,
               0, (size_t)length * 4);
    return DW_OK;
}

static dw_status append_row(dw_particle_memory *memory, uint32_t count, bool is_parent,
                            dw_error *err)
{
    table *streams = &memory->tables[DW_STEP_STREAMS], *blocks = &memory->tables[DW_STEP_BLOCKS];
    table *relays = &memory->tables[DW_STEP_RELAYS];
    uint32_t length = (count + GROUP - 1) / GROUP * GROUP, index = streams->count;
    dw_particle_stream stream = { .row = DW_PARTICLE_NONE,
                                  .first = memory->slot_count,
                                  .count = count,
                                  .parent_events = DW_PARTICLE_NONE,
                                  .events = is_parent ? memory->event_count : DW_PARTICLE_NONE };
    uint32_t events = memory->event_count + (is_parent ? length : 0);

    if (count == 0 || count > SLOTS_MAX - GROUP || memory->slot_count > SLOTS_MAX - length)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "particles with state: rows must have 1 to %u slots in all, got %u more",
                       SLOTS_MAX, count);
    if (reserve_slots(memory, memory->slot_count + length, events, err) != DW_OK ||
        reserve(streams, index + 1, err) != DW_OK || reserve(relays, index + 1, err) != DW_OK ||
        reserve(blocks, blocks->count + length / GROUP, err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < length / GROUP; i++)
        append(blocks, &index, 1);
    append(streams, &stream, 1);
    append(relays, &(dw_particle_relay) { 0 }, 1);
    memory->slot_count += length;
    memory->event_count = events;
    return DW_OK;
}

dw_status dw_particle_memory_add_row(dw_particle_memory *memory, uint32_t row, uint32_t law,
                                     uint32_t count, uint32_t parent, bool is_parent, uint32_t *out,
                                     uint32_t *first, dw_error *err)
{
    uint32_t index = find_free(memory, count, is_parent);
    dw_particle_stream *stream, *rows;

    if (index == memory->tables[DW_STEP_STREAMS].count &&
        append_row(memory, count, is_parent, err) != DW_OK)
        return err->code;
    rows = memory->tables[DW_STEP_STREAMS].rows;
    stream = &rows[index];
    if (clear_slots(memory, index, err) != DW_OK)
        return err->code;
    stream->row = row;
    stream->law = law;
    stream->parent_events = parent == DW_PARTICLE_NONE ? DW_PARTICLE_NONE : rows[parent].events;
    stream->parent_count = parent == DW_PARTICLE_NONE ? 0 : rows[parent].count;
    ((dw_particle_relay *)memory->tables[DW_STEP_RELAYS].rows)[index] = (dw_particle_relay) { 0 };
    mark(&memory->tables[DW_STEP_STREAMS], index, index + 1);
    mark(&memory->tables[DW_STEP_RELAYS], index, index + 1);
    memory->has_events = memory->has_events || is_parent;
    *out = index;
    *first = stream->first;
    return DW_OK;
}

void dw_particle_memory_remove_row(dw_particle_memory *memory, uint32_t stream)
{
    dw_particle_memory_move_row(memory, stream, DW_PARTICLE_NONE);
}

void dw_particle_memory_move_row(dw_particle_memory *memory, uint32_t stream, uint32_t row)
{
    ((dw_particle_stream *)memory->tables[DW_STEP_STREAMS].rows)[stream].row = row;
    mark(&memory->tables[DW_STEP_STREAMS], stream, stream + 1);
}

/* ---- steps ---- */

/* What changed since, to the device. Relays are made there. */
static dw_status upload(dw_particle_memory *memory, const dw_run *run, dw_error *err)
{
    for (int i = 0; i < DW_STEP_TABLE_COUNT; i++) {
        table *self = &memory->tables[i];
        uint32_t begin = self->dirty_begin, end = self->dirty_end;

        if (dw_particle_step_gpu_reserve(&memory->on_gpu, i, self->capacity, err) != DW_OK)
            return err->code;
        if (begin < end && i != DW_STEP_RELAYS &&
            dw_particle_step_gpu_write(&memory->on_gpu, i, begin, end - begin,
                                       (const char *)self->rows + begin * self->size, run,
                                       err) != DW_OK)
            return err->code;
        self->dirty_begin = self->dirty_end = 0;
    }
    memory->on_gpu.stream_count = memory->tables[DW_STEP_STREAMS].count;
    memory->on_gpu.block_count = memory->tables[DW_STEP_BLOCKS].count;
    memory->on_gpu.has_events = memory->has_events;
    return DW_OK;
}

dw_particle_states dw_particle_memory_states(const dw_particle_memory *memory,
                                             const dw_particle_sources *sources)
{
    return (dw_particle_states) {
        .emitters = sources->emitters,
        .parts = sources->parts,
        .laws = memory->tables[DW_STEP_LAWS].rows,
        .ground = { memory->tables[DW_STEP_COLLIDERS].rows, memory->tables[DW_STEP_HEIGHTS].rows },
        .streams = memory->tables[DW_STEP_STREAMS].rows,
        .blocks = memory->tables[DW_STEP_BLOCKS].rows,
        .relays = memory->tables[DW_STEP_RELAYS].rows,
        .slots = memory->slots,
        .events = memory->events,
        .stream_count = memory->tables[DW_STEP_STREAMS].count,
        .block_count = memory->tables[DW_STEP_BLOCKS].count,
        .slot_capacity = memory->slot_capacity,
        .event_capacity = memory->event_capacity,
        .has_events = memory->has_events,
    };
}

static dw_status run_steps(dw_particle_memory *memory, const dw_particle_sources *sources,
                           uint64_t step, uint32_t count, bool is_long, const dw_run *run,
                           dw_error *err)
{
    dw_particle_states states;

    if (memory->gpu != NULL)
        return dw_particle_step_gpu_step(&memory->on_gpu, sources->emitter_buffer,
                                         sources->part_buffer, step, count, is_long, run, err);
    states = dw_particle_memory_states(memory, sources);
    return dw_particle_states_step(&states, step, count, is_long, run, err);
}

dw_status dw_particle_memory_step(dw_particle_memory *memory, const dw_particle_sources *sources,
                                  uint64_t from, uint64_t to, uint64_t *skipped, const dw_run *run,
                                  dw_error *err)
{
    uint64_t step = from >> DW_PARTICLE_STEP_SHIFT, count = (to >> DW_PARTICLE_STEP_SHIFT) - step;
    uint64_t extra = count > DW_PARTICLE_STEPS_MOST ? count - DW_PARTICLE_STEPS_MOST : 0;

    *skipped = 0;
    if (memory->tables[DW_STEP_STREAMS].count == 0)
        return DW_OK;
    if (to >= DW_PARTICLE_STATE_TICKS_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "dt leads to tick %llu, where particles with state end; they do from %llu "
                       "on (two years)",
                       (unsigned long long)to, (unsigned long long)DW_PARTICLE_STATE_TICKS_MAX);
    if (memory->gpu != NULL && upload(memory, run, err) != DW_OK)
        return err->code;
    if (extra > 0 && run_steps(memory, sources, step, (uint32_t)extra, true, run, err) != DW_OK)
        return err->code;
    *skipped = extra;
    return run_steps(memory, sources, step + extra, (uint32_t)(count - extra), false, run, err);
}

dw_status dw_particle_memory_show(dw_particle_memory *memory, dw_command *command,
                                  const dw_particle_sources *sources, uint64_t now,
                                  const dw_run *run, dw_error *err)
{
    if (memory->tables[DW_STEP_STREAMS].count == 0)
        return DW_OK;
    if (upload(memory, run, err) != DW_OK)
        return err->code;
    return dw_particle_step_gpu_show(&memory->on_gpu, command, sources->emitter_buffer,
                                     sources->part_buffer, now, err);
}

const dw_gpu_buffer *dw_particle_memory_shown(const dw_particle_memory *memory)
{
    return &memory->on_gpu.shown;
}

uint32_t dw_particle_memory_slot_capacity(const dw_particle_memory *memory)
{
    return memory->slot_capacity;
}

uint32_t dw_particle_memory_row_count(const dw_particle_memory *memory)
{
    return memory->tables[DW_STEP_STREAMS].count;
}
