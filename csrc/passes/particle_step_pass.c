/* SPDX-License-Identifier: MIT */
#include "passes/particle_step_pass.h"

#include "generated/spirv.h"
#include "gpu/transfer.h"

#define STEPS_PER_COMMAND 64

static const struct {
    const char *name;
    uint64_t size;
} tables[DW_STEP_TABLE_COUNT] = {
    [DW_STEP_LAWS] = { "particle laws", sizeof(dw_particle_law) },
    [DW_STEP_COLLIDERS] = { "particle colliders", sizeof(dw_particle_collider) },
    [DW_STEP_HEIGHTS] = { "particle heights", sizeof(float) },
    [DW_STEP_STREAMS] = { "particle streams", sizeof(dw_particle_stream) },
    [DW_STEP_BLOCKS] = { "particle blocks", sizeof(uint32_t) },
    [DW_STEP_RELAYS] = { "particle relays", sizeof(dw_particle_relay) },
};

void dw_particle_step_gpu_finish(dw_particle_step_gpu *self)
{
    for (int i = 0; i < DW_STEP_TABLE_COUNT; i++)
        dw_gpu_buffer_destroy(&self->tables[i]);
    dw_gpu_buffer_destroy(&self->slots);
    dw_gpu_buffer_destroy(&self->events);
    dw_gpu_buffer_destroy(&self->shown);
    self->slot_capacity = self->event_capacity = 0;
}

/* ---- room ---- */

/* `planes` of `count` words in place of as many shorter ones of `before`. */
static dw_status grow(dw_gpu *gpu, dw_gpu_buffer *buffer, uint32_t planes, uint64_t before,
                      uint64_t count, const char *name, dw_error *err)
{
    dw_gpu_buffer grown = { .gpu = NULL };
    dw_command *command = NULL;
    dw_ticket ticket;

    DW_TRY(dw_gpu_buffer_create_device(gpu, planes * count * 4, name, &grown, err));
    DW_TRY(dw_command_begin(gpu, "particle_grow", &command, err));
    dw_command_fill(command, &grown, 0, 0, 0);
    for (uint32_t i = 0; i < planes && before > 0; i++)
        dw_command_copy(command, buffer, i * before * 4, &grown, i * count * 4, before * 4);
    DW_TRY(dw_command_submit(command, &ticket, err));
    dw_gpu_buffer_destroy(buffer);
    *buffer = grown;
    return DW_OK;
fail:
    dw_gpu_buffer_destroy(&grown);
    return err->code;
}

dw_status dw_particle_step_gpu_reserve(dw_particle_step_gpu *self, dw_particle_step_table table,
                                       uint32_t count, dw_error *err)
{
    uint64_t words = tables[table].size / 4, has = self->tables[table].size_bytes / 4;

    count = count > 0 ? count : 1;
    if (has >= words * count)
        return DW_OK;
    return grow(self->gpu, &self->tables[table], 1, has, words * count, tables[table].name, err);
}

dw_status dw_particle_step_gpu_reserve_slots(dw_particle_step_gpu *self, uint32_t count,
                                             dw_error *err)
{
    if (count <= self->slot_capacity)
        return DW_OK;
    if (grow(self->gpu, &self->slots, DW_SLOT_WORDS, self->slot_capacity, count, "particle slots",
             err) != DW_OK ||
        grow(self->gpu, &self->shown, DW_SHOWN_WORDS, 0, count, "particles shown", err) != DW_OK)
        return err->code;
    self->slot_capacity = count;
    return DW_OK;
}

dw_status dw_particle_step_gpu_reserve_events(dw_particle_step_gpu *self, uint32_t count,
                                              dw_error *err)
{
    count = count > 0 ? count : 1;
    if (count <= self->event_capacity)
        return DW_OK;
    if (grow(self->gpu, &self->events, 2 * DW_EVENT_WORDS, self->event_capacity, count,
             "particle events", err) != DW_OK)
        return err->code;
    self->event_capacity = count;
    return DW_OK;
}

static uint32_t features_of(const dw_particle_law *laws, uint32_t count)
{
    uint32_t features = 0;

    for (uint32_t i = 0; i < count; i++) {
        features |= laws[i].collider_count > 0 ? DW_STEP_HAS_SOLIDS : 0;
        features |= laws[i].noise != 0.0f ? DW_STEP_HAS_EDDIES : 0;
        features |= laws[i].pull != 0.0f ? DW_STEP_HAS_PULL : 0;
    }
    return features;
}

dw_status dw_particle_step_gpu_write(dw_particle_step_gpu *self, dw_particle_step_table table,
                                     uint32_t first, uint32_t count, const void *rows,
                                     const dw_run *run, dw_error *err)
{
    uint64_t size = tables[table].size;

    if (dw_particle_step_gpu_reserve(self, table, first + count, err) != DW_OK)
        return err->code;
    if (count == 0)
        return DW_OK;
    if (table == DW_STEP_LAWS)
        self->features |= features_of(rows, count);
    return dw_gpu_upload(self->gpu, &self->tables[table], first * size, rows, count * size, run,
                         err);
}

void dw_particle_step_gpu_clear(dw_particle_step_gpu *self, dw_command *command, uint32_t index,
                                uint32_t count, const dw_particle_stream *stream)
{
    uint64_t until = (uint64_t)DW_SLOT_UNTIL * self->slot_capacity + stream->first;
    uint64_t bytes = (uint64_t)stream->count * 4, relay = sizeof(dw_particle_relay);

    dw_command_fill(command, &self->tables[DW_STEP_RELAYS], index * relay, count * relay, 0);
    dw_command_fill(command, &self->slots, until * 4, bytes, 0);
    for (uint32_t parity = 0; parity < 2 && stream->events != DW_PARTICLE_NONE; parity++) {
        uint64_t plane = parity * DW_EVENT_WORDS + DW_EVENT_KINDS;

        dw_command_fill(command, &self->events, (plane * self->event_capacity + stream->events) * 4,
                        bytes, 0);
    }
}

/* ---- steps ---- */

typedef struct step_pipelines {
    dw_pipeline *slots, *rows;
} step_pipelines;

/* Of slots: built for what laws and rows have ever asked for, so that few are built. */
static dw_status slots_pipeline(dw_particle_step_gpu *self, uint32_t shader, uint32_t more,
                                dw_pipeline **out, dw_error *err)
{
    uint32_t constant;

    self->features |= self->has_events ? DW_STEP_HAS_EVENTS : 0;
    constant = self->features | more;
    return dw_pipeline_get(self->gpu, shader, &constant, 1, out, err);
}

static struct dw_particle_step_push push_of(const dw_particle_step_gpu *self, uint64_t now,
                                            uint32_t count, bool is_long)
{
    return (struct dw_particle_step_push) {
        .stream_count = self->stream_count,
        .block_count = self->block_count,
        .slot_capacity = self->slot_capacity,
        .event_capacity = self->event_capacity,
        .step_low = (uint32_t)(now >> DW_PARTICLE_STEP_SHIFT),
        .now_low = (uint32_t)now,
        .now_high = (uint32_t)(now >> 32),
        .step_count = count,
        .is_long = is_long,
    };
}

static void dispatch(const dw_particle_step_gpu *self, dw_command *command, dw_pipeline *pipeline,
                     const dw_gpu_buffer *emitters, const dw_gpu_buffer *parts,
                     const dw_use uses[3], bool has_shown, const struct dw_particle_step_push *push,
                     uint64_t group_count)
{
    const dw_use read = DW_USE_COMPUTE_READ;
    const dw_gpu_binding bindings[] = {
        { emitters, 0, 0, read },
        { parts, 0, 0, read },
        { &self->tables[DW_STEP_LAWS], 0, 0, read },
        { &self->tables[DW_STEP_COLLIDERS], 0, 0, read },
        { &self->tables[DW_STEP_HEIGHTS], 0, 0, read },
        { &self->tables[DW_STEP_STREAMS], 0, 0, read },
        { &self->tables[DW_STEP_BLOCKS], 0, 0, read },
        { &self->tables[DW_STEP_RELAYS], 0, 0, uses[0] },
        { &self->slots, 0, 0, uses[1] },
        { &self->events, 0, 0, uses[2] },
        { &self->shown, 0, 0, DW_USE_COMPUTE_WRITE },
    };
    uint32_t groups[3];

    dw_groups_linear(self->gpu, group_count, groups);
    dw_command_dispatch(command, pipeline, bindings, has_shown ? 11 : 10, push, sizeof *push,
                        groups);
}

static uint64_t slot_groups(const dw_particle_step_gpu *self)
{
    uint64_t slots = (uint64_t)self->block_count * DW_PARTICLE_STATE_GROUP;

    return (slots + DW_PARTICLE_STEP_LANES - 1) / DW_PARTICLE_STEP_LANES;
}

/* `count` steps, the first of which is `step`, in one go. */
static void record_steps(const dw_particle_step_gpu *self, dw_command *command,
                         const step_pipelines *pipelines, const dw_gpu_buffer *emitters,
                         const dw_gpu_buffer *parts, uint64_t step, uint32_t count, bool is_long)
{
    const dw_use change = DW_USE_COMPUTE_READ_WRITE, read = DW_USE_COMPUTE_READ;
    const dw_use slot_uses[3] = { read, change, change }, row_uses[3] = { change, change, read };
    struct dw_particle_step_push push =
        push_of(self, (step + 1) << DW_PARTICLE_STEP_SHIFT, count, is_long);
    uint64_t rows =
        ((uint64_t)self->stream_count + DW_PARTICLE_ROWS_LANES - 1) / DW_PARTICLE_ROWS_LANES;

    push.step_low = (uint32_t)step;
    if (count > 0)
        dispatch(self, command, pipelines->slots, emitters, parts, slot_uses, false, &push,
                 slot_groups(self));
    dispatch(self, command, pipelines->rows, emitters, parts, row_uses, false, &push, rows);
}

dw_status dw_particle_step_gpu_step(dw_particle_step_gpu *self, const dw_gpu_buffer *emitters,
                                    const dw_gpu_buffer *parts, uint64_t step, uint32_t count,
                                    bool is_long, const dw_run *run, dw_error *err)
{
    uint64_t first = is_long ? step + count - 1 : step;
    uint32_t left = is_long ? 1 : count, at_once = self->has_events ? 1 : STEPS_PER_COMMAND;
    dw_command *command = NULL;
    bool is_single = left <= 1 || at_once == 1;
    step_pipelines pipelines;
    dw_ticket ticket = { 0 };

    if (self->stream_count == 0)
        return DW_OK;
    DW_TRY(slots_pipeline(self, DW_SHADER_PARTICLE_STEP_COMP, is_single ? DW_STEP_IS_SINGLE : 0,
                          &pipelines.slots, err));
    DW_TRY(dw_pipeline_get(self->gpu, DW_SHADER_PARTICLE_STEP_ROWS_COMP, NULL, 0, &pipelines.rows,
                           err));
    do {
        uint32_t recorded = 0;

        DW_TRY(dw_command_begin(self->gpu, "particle_step", &command, err));
        do {
            uint32_t now = left < at_once ? left : at_once;

            record_steps(self, command, &pipelines, emitters, parts, first, now, is_long);
            first += now;
            left -= now;
            recorded += now;
        } while (left > 0 && recorded < STEPS_PER_COMMAND);
        DW_TRY(dw_command_submit(command, &ticket, err));
        command = NULL;
        if (left > 0)
            DW_TRY(dw_gpu_wait(self->gpu, ticket, run, err));
    } while (left > 0);
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_particle_step_gpu_show(dw_particle_step_gpu *self, dw_command *command,
                                    const dw_gpu_buffer *emitters, const dw_gpu_buffer *parts,
                                    uint64_t now, dw_error *err)
{
    const dw_use uses[3] = { DW_USE_COMPUTE_READ, DW_USE_COMPUTE_READ, DW_USE_COMPUTE_READ };
    struct dw_particle_step_push push = push_of(self, now, 0, false);
    dw_pipeline *pipeline;

    if (self->stream_count == 0)
        return DW_OK;
    if (slots_pipeline(self, DW_SHADER_PARTICLE_SHOW_COMP, 0, &pipeline, err) != DW_OK)
        return err->code;
    dispatch(self, command, pipeline, emitters, parts, uses, true, &push, slot_groups(self));
    return DW_OK;
}
