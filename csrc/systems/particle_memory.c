/* SPDX-License-Identifier: MIT */
#include "systems/particle_memory.h"

#include "base/alloc.h"
#include "systems/particle_space.h"

#include <string.h>

#define GROUP      DW_PARTICLE_STATE_GROUP
#define BLOCKS_MAX ((1u << 28) / GROUP) /* words of a plane have indices of 32 bits */

#define STEPS_AT_ONCE 256
#define SLOTS_AT_ONCE (1ull << 20) /* times steps: a fraction of a second on one thread */

/* A host table: rows are handed out by its space. */
typedef struct table {
    void *rows;
    size_t size;
    uint32_t capacity;
    uint32_t dirty_begin, dirty_end;
    dw_space space;
} table;

struct dw_particle_memory {
    dw_gpu *gpu; /* NULL: native */
    table tables[DW_STEP_TABLE_COUNT];
    dw_space event_blocks;            /* that of DW_STEP_BLOCKS is of slots */
    uint32_t *slots, *events, *shown; /* native, DW_SLOT_*, DW_EVENT_* and DW_SHOWN_* planes */
    uint32_t slot_capacity, event_capacity;
    uint32_t row_count, parent_count;
    uint64_t used_blocks;
    uint32_t *fresh; /* rows whose slots have to be cleared */
    uint32_t fresh_count, fresh_capacity;
    bool is_left;   /* no row is left of those that planes were made for */
    bool has_begun; /* no row was added since the last step */
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

static void free_planes(dw_particle_memory *memory)
{
    dw_free(memory->slots);
    dw_free(memory->events);
    dw_free(memory->shown);
    memory->slots = memory->events = memory->shown = NULL;
    memory->slot_capacity = memory->event_capacity = 0;
}

void dw_particle_memory_destroy(dw_particle_memory *memory)
{
    if (memory == NULL)
        return;
    for (int i = 0; i < DW_STEP_TABLE_COUNT; i++) {
        dw_free(memory->tables[i].rows);
        dw_space_finish(&memory->tables[i].space);
    }
    dw_space_finish(&memory->event_blocks);
    free_planes(memory);
    dw_free(memory->fresh);
    dw_particle_step_gpu_finish(&memory->on_gpu);
    dw_free(memory);
}

void dw_particle_memory_leave_device(dw_particle_memory *memory)
{
    if (memory != NULL)
        memory->on_gpu = (dw_particle_step_gpu) { .gpu = NULL };
}

/* ---- tables ---- */

/* Room for `more` rows wherever there is some. */
static dw_status reserve(table *self, uint64_t more, const char *what, dw_error *err)
{
    void *rows;

    if (dw_space_reserve(&self->space, more, what, err) != DW_OK)
        return err->code;
    if (self->space.capacity <= self->capacity)
        return DW_OK;
    if (dw_alloc_array_zeroed(self->space.capacity, self->size, "particle table", &rows, err) !=
        DW_OK)
        return err->code;
    if (self->capacity > 0)
        memcpy(rows, self->rows, self->capacity * self->size);
    dw_free(self->rows);
    self->rows = rows;
    self->capacity = self->space.capacity;
    return DW_OK;
}

static void mark(table *self, uint32_t begin, uint32_t end)
{
    bool is_clean = self->dirty_begin >= self->dirty_end;

    self->dirty_begin = is_clean || begin < self->dirty_begin ? begin : self->dirty_begin;
    self->dirty_end = is_clean || end > self->dirty_end ? end : self->dirty_end;
}

static void *row_at(const dw_particle_memory *memory, int table, uint32_t index)
{
    return (char *)memory->tables[table].rows + index * memory->tables[table].size;
}

static dw_particle_stream *stream_at(const dw_particle_memory *memory, uint32_t index)
{
    return row_at(memory, DW_STEP_STREAMS, index);
}

/* Rows in places of their own, for which there is room; the first of them. */
static uint32_t put(dw_particle_memory *memory, int table, const void *rows, uint32_t count)
{
    uint32_t first = count == 0 ? 0 : dw_space_take(&memory->tables[table].space, count);

    if (count > 0) {
        memcpy(row_at(memory, table, first), rows, count * memory->tables[table].size);
        mark(&memory->tables[table], first, first + count);
    }
    return first;
}

static void drop(dw_particle_memory *memory, int table, uint32_t first, uint32_t count)
{
    if (count > 0)
        dw_space_give(&memory->tables[table].space, first, count);
}

/* ---- laws ---- */

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
    dw_particle_law added = *law;
    dw_particle_collider *solids;
    uint32_t ground;

    if (check_law(law, colliders, collider_count, heights, height_count, err) != DW_OK ||
        reserve(&memory->tables[DW_STEP_LAWS], 1, "laws", err) != DW_OK ||
        reserve(&memory->tables[DW_STEP_COLLIDERS], collider_count, "colliders", err) != DW_OK ||
        reserve(&memory->tables[DW_STEP_HEIGHTS], height_count, "heights", err) != DW_OK)
        return err->code;
    ground = put(memory, DW_STEP_HEIGHTS, heights, height_count);
    added.first_collider = put(memory, DW_STEP_COLLIDERS, colliders, collider_count);
    added.collider_count = collider_count;
    added.children = added.children > 0 ? added.children : 1;
    solids = row_at(memory, DW_STEP_COLLIDERS, added.first_collider);
    for (uint32_t i = 0; i < collider_count; i++)
        solids[i].heights += ground;
    *out = put(memory, DW_STEP_LAWS, &added, 1);
    return DW_OK;
}

const dw_particle_law *dw_particle_memory_get_law(const dw_particle_memory *memory, uint32_t law)
{
    return row_at(memory, DW_STEP_LAWS, law);
}

void dw_particle_memory_remove_law(dw_particle_memory *memory, uint32_t law, uint32_t height_count)
{
    const dw_particle_law *of = row_at(memory, DW_STEP_LAWS, law);
    const dw_particle_collider *solids = row_at(memory, DW_STEP_COLLIDERS, of->first_collider);
    uint32_t ground = UINT32_MAX;

    for (uint32_t i = 0; i < of->collider_count; i++)
        if (solids[i].kind == DW_COLLIDER_HEIGHTFIELD && solids[i].heights < ground)
            ground = solids[i].heights;
    if (ground != UINT32_MAX)
        drop(memory, DW_STEP_HEIGHTS, ground, height_count);
    drop(memory, DW_STEP_COLLIDERS, of->first_collider, of->collider_count);
    drop(memory, DW_STEP_LAWS, law, 1);
}

/* ---- room ---- */

static uint32_t blocks_of(uint32_t count)
{
    return count / GROUP + (count % GROUP != 0);
}

void dw_particle_memory_count(dw_particle_memory_room *room, uint32_t count, bool is_parent,
                              uint64_t times)
{
    if (count == 0)
        return;
    room->rows += times;
    room->blocks += times * blocks_of(count);
    room->event_blocks += is_parent ? times * blocks_of(count) : 0;
}

static dw_status reserve_fresh(dw_particle_memory *memory, uint64_t more, dw_error *err)
{
    uint64_t count = memory->fresh_count + more, room = 2 * count;
    uint32_t *fresh;

    if (count <= memory->fresh_capacity)
        return DW_OK;
    if (DW_ALLOC(room, &fresh, err) != DW_OK)
        return err->code;
    if (memory->fresh_count > 0)
        memcpy(fresh, memory->fresh, memory->fresh_count * sizeof *fresh);
    dw_free(memory->fresh);
    memory->fresh = fresh;
    memory->fresh_capacity = (uint32_t)room;
    return DW_OK;
}

dw_status dw_particle_memory_reserve(dw_particle_memory *memory,
                                     const dw_particle_memory_room *room, dw_error *err)
{
    uint64_t blocks = memory->tables[DW_STEP_BLOCKS].space.end + room->blocks;

    if (room->rows == 0)
        return DW_OK;
    if (blocks > BLOCKS_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "particles that are simulated: a ParticleManager has room for %u of them, "
                       "each emitter's by %u; it has %llu, and no room for %llu more",
                       BLOCKS_MAX * GROUP, GROUP,
                       (unsigned long long)(blocks - room->blocks) * GROUP,
                       (unsigned long long)room->blocks * GROUP);
    DW_TRY(reserve(&memory->tables[DW_STEP_STREAMS], room->rows, "particle rows", err));
    DW_TRY(reserve(&memory->tables[DW_STEP_RELAYS], memory->tables[DW_STEP_STREAMS].capacity,
                   "particle rows", err));
    DW_TRY(reserve(&memory->tables[DW_STEP_BLOCKS], room->blocks, "particle blocks", err));
    DW_TRY(dw_space_reserve(&memory->event_blocks, room->event_blocks, "particle events", err));
    return reserve_fresh(memory, room->rows, err);
fail:
    return err->code;
}

/* ---- rows ---- */

static void set_blocks(dw_particle_memory *memory, uint32_t first, uint32_t count, uint32_t stream)
{
    uint32_t *blocks = row_at(memory, DW_STEP_BLOCKS, first);

    for (uint32_t i = 0; i < count; i++)
        blocks[i] = stream;
    mark(&memory->tables[DW_STEP_BLOCKS], first, first + count);
}

uint32_t dw_particle_memory_add_row(dw_particle_memory *memory, const dw_particle_memory_row *row,
                                    uint32_t *first)
{
    const dw_particle_stream *parent =
        row->parent == DW_PARTICLE_NONE ? NULL : stream_at(memory, row->parent);
    uint32_t blocks = blocks_of(row->count);
    uint32_t block = dw_space_take(&memory->tables[DW_STEP_BLOCKS].space, blocks);
    dw_particle_stream stream = {
        .row = row->row,
        .law = row->law,
        .first = block * GROUP,
        .count = row->count,
        .parent_events = parent == NULL ? DW_PARTICLE_NONE : parent->events,
        .parent_count = parent == NULL ? 0 : parent->count,
        .events = row->is_parent ? dw_space_take(&memory->event_blocks, blocks) * GROUP
                                 : DW_PARTICLE_NONE,
        .rate = row->rate,
        .part = row->part,
    };
    uint32_t index = put(memory, DW_STEP_STREAMS, &stream, 1);

    /* relays lie as streams do */
    *(dw_particle_relay *)row_at(memory, DW_STEP_RELAYS, index) = (dw_particle_relay) { 0 };
    set_blocks(memory, block, blocks, index);
    memory->fresh[memory->fresh_count++] = index;
    memory->row_count++;
    memory->parent_count += row->is_parent;
    memory->used_blocks += blocks;
    memory->has_begun = memory->is_left = false;
    *first = stream.first;
    return index;
}

void dw_particle_memory_remove_row(dw_particle_memory *memory, uint32_t index)
{
    dw_particle_stream *stream = stream_at(memory, index);
    uint32_t blocks = blocks_of(stream->count);

    set_blocks(memory, stream->first / GROUP, blocks, DW_PARTICLE_NONE);
    drop(memory, DW_STEP_BLOCKS, stream->first / GROUP, blocks);
    if (stream->events != DW_PARTICLE_NONE) {
        dw_space_give(&memory->event_blocks, stream->events / GROUP, blocks);
        memory->parent_count--;
    }
    dw_particle_memory_move_row(memory, index, DW_PARTICLE_NONE);
    drop(memory, DW_STEP_STREAMS, index, 1);
    memory->used_blocks -= blocks;
    memory->row_count--;
    if (memory->row_count > 0)
        return;
    memory->fresh_count = 0;
    memory->is_left = true;
}

void dw_particle_memory_move_row(dw_particle_memory *memory, uint32_t stream, uint32_t row)
{
    stream_at(memory, stream)->row = row;
    mark(&memory->tables[DW_STEP_STREAMS], stream, stream + 1);
}

/* ---- planes ---- */

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

/* Slots that so many planes may have: a binding of the device takes all of them. */
static uint64_t most_slots(const dw_particle_memory *memory, uint32_t planes)
{
    uint64_t most = BLOCKS_MAX * GROUP, fits = most;

    if (memory->gpu != NULL)
        fits = dw_gpu_get_limits(memory->gpu)->max_storage_buffer_bytes / (4 * planes);
    return (fits < most ? fits : most) / GROUP * GROUP;
}

/* Half as much again as there was, as far as that goes, and at least what is needed. */
static dw_status larger(const dw_particle_memory *memory, uint32_t capacity, uint64_t needed,
                        uint32_t planes, uint32_t *out, dw_error *err)
{
    uint64_t grown = (uint64_t)capacity + capacity / 2, most = most_slots(memory, planes);

    if (needed > most)
        return dw_fail(
            err, DW_ERROR_CAPACITY,
            "particles that are simulated: %llu slots, but a buffer of this device holds "
            "states of %llu: unregister some, split them into several managers, or "
            "simulate with device=Device(\"cpu\")",
            (unsigned long long)needed, (unsigned long long)most);
    grown = grown < most ? grown / GROUP * GROUP : most;
    *out = (uint32_t)(grown > needed ? grown : needed);
    return DW_OK;
}

/* Longer planes where rows reach beyond them. */
static dw_status grow(dw_particle_memory *memory, dw_error *err)
{
    uint64_t slots = (uint64_t)memory->tables[DW_STEP_BLOCKS].space.end * GROUP;
    uint64_t events = (uint64_t)memory->event_blocks.end * GROUP;
    uint32_t slot_capacity = 0, event_capacity = 0;

    if (larger(memory, memory->slot_capacity, slots, DW_SLOT_WORDS, &slot_capacity, err) != DW_OK ||
        larger(memory, memory->event_capacity, events > 0 ? events : GROUP, 2 * DW_EVENT_WORDS,
               &event_capacity, err) != DW_OK)
        return err->code;
    if (slots > memory->slot_capacity) {
        if ((memory->gpu != NULL
                 ? dw_particle_step_gpu_reserve_slots(&memory->on_gpu, slot_capacity, err)
                 : grow_planes(&memory->slots, DW_SLOT_WORDS, memory->slot_capacity, slot_capacity,
                               err)) != DW_OK ||
            (memory->gpu == NULL &&
             grow_planes(&memory->shown, DW_SHOWN_WORDS, 0, slot_capacity, err) != DW_OK))
            return err->code;
        memory->slot_capacity = slot_capacity;
    }
    if (events > memory->event_capacity || memory->event_capacity == 0) {
        if ((memory->gpu != NULL
                 ? dw_particle_step_gpu_reserve_events(&memory->on_gpu, event_capacity, err)
                 : grow_planes(&memory->events, 2 * DW_EVENT_WORDS, memory->event_capacity,
                               event_capacity, err)) != DW_OK)
            return err->code;
        memory->event_capacity = event_capacity;
    }
    return DW_OK;
}

void dw_particle_memory_release(dw_particle_memory *memory)
{
    if (!memory->is_left)
        return;
    free_planes(memory);
    dw_particle_step_gpu_finish(&memory->on_gpu);
    memory->is_left = false;
    for (int i = 0; i < DW_STEP_TABLE_COUNT; i++)
        mark(&memory->tables[i], 0, memory->tables[i].space.end);
}

static void clear_native(const dw_particle_memory *memory, const dw_particle_stream *stream)
{
    size_t bytes = (size_t)blocks_of(stream->count) * GROUP * 4;

    memset(memory->slots + (size_t)DW_SLOT_UNTIL * memory->slot_capacity + stream->first, 0, bytes);
    for (size_t parity = 0; parity < 2 && stream->events != DW_PARTICLE_NONE; parity++)
        memset(memory->events +
                   (parity * DW_EVENT_WORDS + DW_EVENT_KINDS) * memory->event_capacity +
                   stream->events,
               0, bytes);
}

/* Whether a row lies right behind those that are cleared together. */
static bool joins(const dw_particle_stream *all, const dw_particle_stream *next)
{
    uint32_t length = blocks_of(all->count) * GROUP;

    if (next->first != all->first + length)
        return false;
    return all->events == DW_PARTICLE_NONE
               ? next->events == DW_PARTICLE_NONE
               : next->events != DW_PARTICLE_NONE && next->events == all->events + length;
}

static dw_status clear_on_device(dw_particle_memory *memory, dw_error *err)
{
    dw_command *command;
    dw_ticket ticket;

    if (memory->fresh_count == 0)
        return DW_OK;
    if (dw_command_begin(memory->gpu, "particle_clear", &command, err) != DW_OK)
        return err->code;
    for (uint32_t i = 0, rows; i < memory->fresh_count; i += rows) {
        uint32_t index = memory->fresh[i];
        dw_particle_stream all = *stream_at(memory, index);

        rows = 1;
        if (all.row == DW_PARTICLE_NONE) /* gone already; its slots may lie beyond the planes */
            continue;
        all.count = blocks_of(all.count) * GROUP;
        for (; i + rows < memory->fresh_count; rows++) {
            const dw_particle_stream *next = stream_at(memory, memory->fresh[i + rows]);

            if (memory->fresh[i + rows] != index + rows || next->row == DW_PARTICLE_NONE ||
                !joins(&all, next))
                break;
            all.count += blocks_of(next->count) * GROUP;
        }
        dw_particle_step_gpu_clear(&memory->on_gpu, command, index, rows, &all);
    }
    memory->fresh_count = 0;
    return dw_command_submit(command, &ticket, err);
}

/* What changed since, to the device. Relays are made there. */
static dw_status upload(dw_particle_memory *memory, const dw_run *run, dw_error *err)
{
    for (int i = 0; i < DW_STEP_TABLE_COUNT; i++) {
        table *self = &memory->tables[i];
        uint32_t begin = self->dirty_begin, end = self->dirty_end;

        if (dw_particle_step_gpu_reserve(&memory->on_gpu, (dw_particle_step_table)i, self->capacity,
                                         err) != DW_OK)
            return err->code;
        if (begin < end && i != DW_STEP_RELAYS &&
            dw_particle_step_gpu_write(&memory->on_gpu, (dw_particle_step_table)i, begin,
                                       end - begin, row_at(memory, i, begin), run, err) != DW_OK)
            return err->code;
        self->dirty_begin = self->dirty_end = 0;
    }
    memory->on_gpu.stream_count = memory->tables[DW_STEP_STREAMS].space.end;
    memory->on_gpu.block_count = memory->tables[DW_STEP_BLOCKS].space.end;
    memory->on_gpu.has_events = memory->parent_count > 0;
    return DW_OK;
}

/* Planes and tables as rows and laws want them. */
static dw_status prepare(dw_particle_memory *memory, const dw_run *run, dw_error *err)
{
    if (grow(memory, err) != DW_OK)
        return err->code;
    if (memory->gpu != NULL) {
        if (upload(memory, run, err) != DW_OK)
            return err->code;
        return clear_on_device(memory, err);
    }
    for (uint32_t i = 0; i < memory->fresh_count; i++)
        if (stream_at(memory, memory->fresh[i])->row != DW_PARTICLE_NONE)
            clear_native(memory, stream_at(memory, memory->fresh[i]));
    memory->fresh_count = 0;
    return DW_OK;
}

/* ---- steps ---- */

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
        .stream_count = memory->tables[DW_STEP_STREAMS].space.end,
        .block_count = memory->tables[DW_STEP_BLOCKS].space.end,
        .slot_capacity = memory->slot_capacity,
        .event_capacity = memory->event_capacity,
        .has_events = memory->parent_count > 0,
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

/* Steps between two looks at whether the caller is still waiting. */
static uint32_t steps_at_once(const dw_particle_memory *memory)
{
    uint64_t steps = SLOTS_AT_ONCE / (memory->used_blocks * GROUP + 1);

    if (memory->gpu != NULL) /* which waits now and then by itself */
        return STEPS_AT_ONCE;
    return steps < 1 ? 1 : steps < STEPS_AT_ONCE ? (uint32_t)steps : STEPS_AT_ONCE;
}

static dw_status run_all(dw_particle_memory *memory, const dw_particle_sources *sources,
                         uint64_t step, uint64_t count, const dw_run *run,
                         dw_particle_progress *out, dw_error *err)
{
    const dw_run quiet = { .pool = run->pool };
    uint64_t extra = count > DW_PARTICLE_STEPS_MOST ? count - DW_PARTICLE_STEPS_MOST : 0;
    uint32_t at_once = steps_at_once(memory), now;

    if (extra > 0 && run_steps(memory, sources, step, (uint32_t)extra, true, &quiet, err) != DW_OK)
        return err->code;
    out->skipped = extra;
    for (uint64_t done = extra; done < count || count == 0; done += now) {
        now = count - done < at_once ? (uint32_t)(count - done) : at_once;
        if (run_steps(memory, sources, step + done, now, false, &quiet, err) != DW_OK)
            return err->code;
        out->tick = count == 0 ? out->tick : (step + done + now) << DW_PARTICLE_STEP_SHIFT;
        if (count == 0)
            break;
        if (run->poll != NULL && !run->poll(run->poll_user, (double)(done + now) / (double)count))
            return dw_fail(err, DW_ERROR_INTERRUPTED, "interrupted");
    }
    return DW_OK;
}

dw_status dw_particle_memory_step(dw_particle_memory *memory, const dw_particle_sources *sources,
                                  uint64_t from, uint64_t to, const dw_run *run,
                                  dw_particle_progress *out, dw_error *err)
{
    uint64_t step = from >> DW_PARTICLE_STEP_SHIFT, count = (to >> DW_PARTICLE_STEP_SHIFT) - step;

    *out = (dw_particle_progress) { .tick = from };
    dw_particle_memory_release(memory);
    if (memory->row_count > 0 && (count > 0 || !memory->has_begun)) {
        if (to >= DW_PARTICLE_STATE_TICKS_MAX)
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "time leads to tick %llu, where particles that are simulated end; they "
                           "do from %llu on (two years)",
                           (unsigned long long)to, (unsigned long long)DW_PARTICLE_STATE_TICKS_MAX);
        if (prepare(memory, run, err) != DW_OK ||
            run_all(memory, sources, step, count, run, out, err) != DW_OK)
            return err->code;
        memory->has_begun = true;
    }
    out->tick = to;
    return DW_OK;
}

/* ---- what is shown ---- */

dw_status dw_particle_memory_show_native(dw_particle_memory *memory,
                                         const dw_particle_sources *sources, uint64_t now,
                                         const dw_run *run, dw_error *err)
{
    dw_particle_states states;

    if (prepare(memory, run, err) != DW_OK)
        return err->code;
    states = dw_particle_memory_states(memory, sources);
    return dw_particle_states_show(&states, now, run, memory->shown, err);
}

dw_status dw_particle_memory_show(dw_particle_memory *memory, const dw_particle_sources *sources,
                                  uint64_t now, const dw_run *run, dw_error *err)
{
    dw_command *command;
    dw_ticket ticket;

    if (memory->row_count == 0)
        return DW_OK;
    if (prepare(memory, run, err) != DW_OK ||
        dw_command_begin(memory->gpu, "particle_show", &command, err) != DW_OK)
        return err->code;
    dw_command_time_begin(command, "particle_show");
    if (dw_particle_step_gpu_show(&memory->on_gpu, command, sources->emitter_buffer,
                                  sources->part_buffer, now, err) != DW_OK)
        return err->code;
    dw_command_time_end(command);
    return dw_command_submit(command, &ticket, err);
}

const uint32_t *dw_particle_memory_shown_native(const dw_particle_memory *memory)
{
    return memory->shown;
}

const dw_gpu_buffer *dw_particle_memory_shown(const dw_particle_memory *memory)
{
    return &memory->on_gpu.shown;
}

uint32_t dw_particle_memory_slot_capacity(const dw_particle_memory *memory)
{
    return memory->slot_capacity;
}

dw_particle_memory_stats dw_particle_memory_get_stats(const dw_particle_memory *memory)
{
    return (dw_particle_memory_stats) {
        .rows = memory->row_count,
        .slots = memory->used_blocks * GROUP,
        .capacity = memory->slot_capacity,
        .looks = memory->tables[DW_STEP_BLOCKS].space.looks +
                 memory->tables[DW_STEP_STREAMS].space.looks + memory->event_blocks.looks,
    };
}
