/* SPDX-License-Identifier: MIT */
#include "cpu/particle_step.h"

#include "shared/particle_motion_base.h"

#define BLOCK DW_PARTICLE_STATE_GROUP
#define CHUNK 16 /* blocks of a task */

/* What all slots of a row have in common. */
typedef struct row_view {
    const dw_particle_stream *stream;
    const dw_particle_emitter *emitter;
    const dw_particle_part *part;
    dw_particle_law law; /* with the row's rate */
} row_view;

static row_view view_row(const dw_particle_states *states, uint32_t stream)
{
    row_view row = { .stream = &states->streams[stream] };

    row.emitter = &states->emitters[row.stream->row];
    row.part = &states->parts[DW_EMITTER_PART(row.emitter->part)];
    row.law = states->laws[row.stream->law];
    row.law.rate = row.stream->rate;
    return row;
}

/* ---- slots in their planes ---- */

static uint32_t *word_of(const dw_particle_states *states, uint32_t word, uint32_t slot)
{
    return &states->slots[(size_t)word * states->slot_capacity + slot];
}

static float load_float(const dw_particle_states *states, uint32_t word, uint32_t slot)
{
    return dw_float_from_bits(*word_of(states, word, slot));
}

static dw_particle_slot load_slot(const dw_particle_states *states, uint32_t slot)
{
    dw_particle_slot s = { .until = *word_of(states, DW_SLOT_UNTIL, slot) };

    for (uint32_t i = 0; i < 3; i++) {
        s.position[i] = load_float(states, DW_SLOT_POSITION + i, slot);
        s.velocity[i] = load_float(states, DW_SLOT_VELOCITY + i, slot);
    }
    s.life = *word_of(states, DW_SLOT_LIFE, slot);
    s.cycle = *word_of(states, DW_SLOT_CYCLE, slot);
    return s;
}

static void store_slot(const dw_particle_states *states, uint32_t slot, const dw_particle_slot *s)
{
    for (uint32_t i = 0; i < 3; i++) {
        *word_of(states, DW_SLOT_POSITION + i, slot) = dw_bits_from_float(s->position[i]);
        *word_of(states, DW_SLOT_VELOCITY + i, slot) = dw_bits_from_float(s->velocity[i]);
    }
    *word_of(states, DW_SLOT_UNTIL, slot) = s->until;
    if ((s->kinds & DW_EVENT_IS_BIRTH) == 0)
        return;
    *word_of(states, DW_SLOT_LIFE, slot) = s->life;
    *word_of(states, DW_SLOT_CYCLE, slot) = s->cycle;
}

static uint32_t *event_of(const dw_particle_states *states, uint32_t step, uint32_t word,
                          uint32_t event)
{
    size_t plane = (step & 1u) * DW_EVENT_WORDS + word;

    return &states->events[plane * states->event_capacity + event];
}

static void store_event(const dw_particle_states *states, uint32_t step, uint32_t event,
                        const dw_particle_slot *s)
{
    *event_of(states, step, DW_EVENT_STEP, event) = step;
    *event_of(states, step, DW_EVENT_KINDS, event) = s->kinds;
    for (uint32_t i = 0; i < 3; i++) {
        *event_of(states, step, DW_EVENT_POSITION + i, event) =
            dw_bits_from_float(s->event_position[i]);
        *event_of(states, step, DW_EVENT_VELOCITY + i, event) =
            dw_bits_from_float(s->event_velocity[i]);
    }
}

/* ---- births ---- */

/* A birth of a slot in a beat, and from what. */
typedef struct birth {
    dw_particle_life life;
    dw_particle_vector around, moving;
} birth;

/* What happened to the parent in the step before. */
static birth birth_from(const dw_particle_states *states, const row_view *row,
                        const dw_particle_beat *beat, uint32_t slot)
{
    uint32_t event = row->stream->parent_events + slot / row->law.children,
             before = beat->step - 1u;
    uint32_t kinds = (row->law.flags & DW_LAW_IS_OF_DEATHS) != 0 ? DW_EVENT_IS_DEATH : 0;
    birth b = { .life = dw_particle_dead() };
    float at[6];

    kinds |= (row->law.flags & DW_LAW_IS_OF_COLLISIONS) != 0 ? DW_EVENT_IS_COLLISION : 0;
    if (*event_of(states, before, DW_EVENT_STEP, event) != before ||
        (*event_of(states, before, DW_EVENT_KINDS, event) & kinds) == 0 || beat->late != 0)
        return b;
    for (uint32_t i = 0; i < 6; i++)
        at[i] = dw_float_from_bits(*event_of(states, before, DW_EVENT_POSITION + i, event));
    b.life.is_alive = 1;
    b.life.cycle = beat->begin_low;
    b.life.age = beat->ticks_low;
    b.around = dw_particle_vector_of(at[0], at[1], at[2]);
    b.moving = dw_particle_vector_of(at[3], at[4], at[5]);
    return b;
}

static birth birth_of(const dw_particle_states *states, const row_view *row,
                      const dw_particle_beat *beat, uint32_t slot)
{
    const float *position = row->emitter->position;
    birth b = { .life = { 0 } };

    if (row->stream->parent_events != DW_PARTICLE_NONE)
        return birth_from(states, row, beat, slot);
    if ((DW_EMITTER_FLAGS(row->emitter->part) & DW_EMITTER_IS_ONCE) != 0 ||
        (row->part->flags & DW_PART_IS_BURST) != 0)
        b.life = dw_particle_birth_at(*row->emitter, *row->part, *beat, slot);
    else
        b.life = dw_particle_birth(row->law, *beat, slot, row->stream->count);
    b.around = dw_particle_vector_of(position[0], position[1], position[2]);
    return b;
}

/* ---- a step of slots that know where they are ---- */

static dw_particle_slot step_slot(const dw_particle_states *states, const row_view *row,
                                  const dw_particle_beat *beat, uint32_t slot, const birth *born)
{
    dw_particle_slot s = load_slot(states, row->stream->first + slot);

    return dw_particle_slot_step(s, *row->emitter, row->law, *beat, slot, born->life, born->around,
                                 born->moving, *row->part, states->ground);
}

static dw_particle_beat beat_at(const row_view *row, dw_particle_relay relay, uint64_t step,
                                bool is_long)
{
    uint64_t now = (step + 1) << DW_PARTICLE_STEP_SHIFT;

    return dw_particle_beat_of(*row->emitter, row->law, relay, (uint32_t)now, (uint32_t)(now >> 32),
                               (uint32_t)step, is_long);
}

static void step_block(const dw_particle_states *states, const row_view *row,
                       const dw_particle_beat *beat, uint32_t first, uint32_t end)
{
    uint32_t events = row->stream->events;

    for (uint32_t slot = first; slot < end; slot++) {
        birth born = birth_of(states, row, beat, slot);
        dw_particle_slot s;

        if (*word_of(states, DW_SLOT_UNTIL, row->stream->first + slot) == 0 &&
            born.life.is_alive == 0)
            continue;
        s = step_slot(states, row, beat, slot, &born);
        store_slot(states, row->stream->first + slot, &s);
        if (events != DW_PARTICLE_NONE && beat->is_long == 0 && (s.kinds & ~DW_EVENT_IS_BIRTH) != 0)
            store_event(states, beat->step, events + slot, &s);
    }
}

typedef struct step_job {
    const dw_particle_states *states;
    uint64_t step;
    uint32_t count;
    bool is_long;
} step_job;

static void step_blocks(void *user, int64_t item, int worker)
{
    const step_job *job = user;
    const dw_particle_states *states = job->states;
    uint32_t begin = (uint32_t)item * CHUNK;
    uint32_t end = begin + CHUNK < states->block_count ? begin + CHUNK : states->block_count;

    (void)worker;
    for (uint32_t block = begin; block < end; block++) {
        uint32_t stream = states->blocks[block], first, last;
        dw_particle_relay relay;
        row_view row;

        if (stream == DW_PARTICLE_NONE)
            continue;
        row = view_row(states, stream);
        if ((row.part->flags & DW_PART_IS_DYNAMIC) == 0)
            continue;
        relay = states->relays[stream];
        first = block * BLOCK - row.stream->first;
        last = first + BLOCK < row.stream->count ? first + BLOCK : row.stream->count;
        for (uint32_t i = 0; i < job->count; i++) {
            dw_particle_beat beat = beat_at(&row, relay, job->step + i, job->is_long);

            step_block(states, &row, &beat, first, last);
            relay = dw_particle_relay_after(relay, beat, row.stream->count);
        }
    }
}

/* ---- renewal: a row at a time ---- */

static void renew_slots(const dw_particle_states *states, const row_view *row,
                        dw_particle_relay *relay, uint64_t from, uint64_t to)
{
    for (uint32_t i = 0; i < row->stream->count; i++) {
        uint32_t slot = row->stream->first + i;
        dw_particle_slot s = load_slot(states, slot);

        if (s.until - (uint32_t)from > to - from)
            continue;
        s = dw_particle_renew(s, *row->emitter, *row->part, row->law, i, (uint32_t)from, to - from);
        relay->reentries += (s.kinds & DW_EVENT_IS_DEATH) != 0;
        s.kinds = DW_EVENT_IS_BIRTH;
        store_slot(states, slot, &s);
    }
}

static void fire_burst(const dw_particle_states *states, const row_view *row,
                       dw_particle_relay *relay, uint64_t own)
{
    const dw_particle_part *part = &states->parts[row->law.burst_part];
    uint32_t taken = 0;

    for (uint32_t i = 0; i < row->stream->count && taken < row->law.burst_count; i++) {
        uint32_t slot = row->stream->first + i;
        dw_particle_slot s = load_slot(states, slot);

        if (!dw_particle_is_late(s, (uint32_t)own))
            continue;
        s = dw_particle_taken(s, *row->emitter, *part, i, relay->bursts, (uint32_t)own);
        s.kinds = DW_EVENT_IS_BIRTH;
        store_slot(states, slot, &s);
        taken++;
    }
    relay->bursts++;
    own += dw_particle_burst_wait(*row->emitter, row->law, relay->bursts);
    relay->burst_low = (uint32_t)own;
    relay->burst_high = (uint32_t)(own >> 32);
}

static void begin_renewal(const dw_particle_states *states, const row_view *row,
                          dw_particle_relay *relay)
{
    for (uint32_t i = 0; i < row->stream->count; i++) {
        dw_particle_slot s = dw_particle_renewal_begin(*row->emitter, *row->part, row->law, i);

        s.kinds = DW_EVENT_IS_BIRTH;
        store_slot(states, row->stream->first + i, &s);
    }
    relay->is_begun = 1;
    relay->burst_low = dw_particle_burst_wait(*row->emitter, row->law, 0);
}

static uint64_t own_after(const row_view *row, uint64_t step)
{
    uint64_t now = (step + 1) << DW_PARTICLE_STEP_SHIFT;
    int64_t own = dw_particle_local(*row->emitter, (uint32_t)now, (uint32_t)(now >> 32));

    return own > 0 ? (uint64_t)own : 0;
}

/* The first of steps [0, count) after `step` whose end is at or past an own tick; count: none. */
static uint32_t find_step(const row_view *row, uint64_t step, uint32_t begin, uint32_t count,
                          uint64_t own)
{
    uint32_t end = count;

    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;

        if (own_after(row, step + middle) >= own)
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

static void renew_row(const dw_particle_states *states, const row_view *row,
                      dw_particle_relay *relay, const step_job *job)
{
    uint64_t own = dw_particle_join(relay->own_low, relay->own_high), next;
    uint64_t stop = dw_particle_join(row->emitter->stop_low, row->emitter->stop_high);

    if (relay->is_begun == 0)
        begin_renewal(states, row, relay);
    for (uint32_t i = 0; i < job->count && row->law.burst_count != 0; i++) {
        i = find_step(row, job->step, i, job->count,
                      dw_particle_join(relay->burst_low, relay->burst_high));
        if (i >= job->count)
            break;
        next = own_after(row, job->step + i);
        next = next > own ? next : own;
        renew_slots(states, row, relay, own, next);
        own = next;
        if (own <= stop)
            fire_burst(states, row, relay, own);
        else
            relay->burst_low = relay->burst_high = 0xffffffffu;
    }
    next = job->count == 0 ? own : own_after(row, job->step + job->count - 1);
    if (next > own)
        renew_slots(states, row, relay, own, next);
    own = next > own ? next : own;
    relay->own_low = (uint32_t)own;
    relay->own_high = (uint32_t)(own >> 32);
}

static void step_rows(void *user, int64_t item, int worker)
{
    const step_job *job = user;
    const dw_particle_states *states = job->states;
    uint32_t end = (uint32_t)item * 64 + 64;

    (void)worker;
    end = end < states->stream_count ? end : states->stream_count;
    for (uint32_t stream = (uint32_t)item * 64; stream < end; stream++) {
        dw_particle_relay *relay = &states->relays[stream];
        row_view row;

        if (states->streams[stream].row == DW_PARTICLE_NONE)
            continue;
        row = view_row(states, stream);
        if ((row.part->flags & DW_PART_IS_RENEWED) != 0) {
            renew_row(states, &row, relay, job);
            continue;
        }
        for (uint32_t i = 0; i < job->count; i++)
            *relay = dw_particle_relay_after(
                *relay, beat_at(&row, *relay, job->step + i, job->is_long), row.stream->count);
    }
}

/* ---- all of them ---- */

static dw_status step_once(step_job *job, const dw_run *run, dw_error *err)
{
    const dw_particle_states *states = job->states;

    if (job->count > 0 && dw_parallel_for(run, (states->block_count + CHUNK - 1) / CHUNK,
                                          step_blocks, job, err) != DW_OK)
        return err->code;
    return dw_parallel_for(run, (states->stream_count + 63) / 64, step_rows, job, err);
}

dw_status dw_particle_states_step(const dw_particle_states *states, uint64_t step, uint32_t count,
                                  bool is_long, const dw_run *run, dw_error *err)
{
    step_job job = { .states = states, .step = step, .count = count, .is_long = is_long };

    if (is_long) {
        job.step = step + count - 1;
        job.count = count > 0;
    }
    if (!states->has_events || is_long || count <= 1)
        return step_once(&job, run, err);
    job.count = 1;
    for (uint32_t i = 0; i < count; i++) {
        job.step = step + i;
        if (step_once(&job, run, err) != DW_OK)
            return err->code;
    }
    return DW_OK;
}

/* ---- between two steps ---- */

/* A row at a tick that is less than a step after its last one. */
typedef struct row_moment {
    row_view row;
    dw_particle_beat beat;
    uint64_t own, ticks;
} row_moment;

static row_moment moment_of(const dw_particle_states *states, uint32_t stream, uint64_t now)
{
    dw_particle_relay relay = states->relays[stream];
    row_moment at = { .row = view_row(states, stream) };

    at.beat =
        dw_particle_beat_of(*at.row.emitter, at.row.law, relay, (uint32_t)now,
                            (uint32_t)(now >> 32), (uint32_t)(now >> DW_PARTICLE_STEP_SHIFT), 0);
    at.ticks = dw_particle_join(at.beat.ticks_low, at.beat.ticks_high);
    at.own = dw_particle_join(relay.own_low, relay.own_high) + at.ticks;
    return at;
}

static dw_particle_slot slot_at(const dw_particle_states *states, const row_moment *at,
                                uint32_t slot)
{
    const row_view *row = &at->row;
    dw_particle_slot s = load_slot(states, row->stream->first + slot);
    birth born;

    if (at->ticks == 0)
        return s;
    if ((row->part->flags & DW_PART_IS_RENEWED) != 0)
        return dw_particle_renew(s, *row->emitter, *row->part, row->law, slot, at->beat.begin_low,
                                 at->ticks);
    born = birth_of(states, row, &at->beat, slot);
    if (s.until == 0 && born.life.is_alive == 0)
        return s;
    return dw_particle_slot_step(s, *row->emitter, row->law, at->beat, slot, born.life, born.around,
                                 born.moving, *row->part, states->ground);
}

/* For particles that remember their age alone *part may become that of bursts. */
static dw_particle_life life_at(const row_moment *at, const dw_particle_slot *s, uint32_t *part)
{
    bool is_renewed = (at->row.part->flags & DW_PART_IS_RENEWED) != 0;
    dw_particle_life life =
        dw_particle_shown_life(*s, *at->row.emitter, (uint32_t)at->own, is_renewed);

    if (!is_renewed)
        return life;
    if (dw_particle_burst_of(*s) != 0) {
        life.cycle = dw_particle_burst_of(*s) - 1;
        *part = at->row.law.burst_part;
    }
    return dw_particle_life_of_row(life, *at->row.emitter, at->own);
}

typedef struct show_job {
    const dw_particle_states *states;
    uint64_t now;
    uint32_t *shown;
} show_job;

static void show_slot(const show_job *job, const row_moment *at, uint32_t slot)
{
    dw_particle_slot s = slot_at(job->states, at, slot);
    uint32_t part = DW_EMITTER_PART(at->row.emitter->part), words[DW_SHOWN_WORDS] = { 0 };
    uint32_t *out = job->shown + at->row.stream->first + slot;
    dw_particle_life life = life_at(at, &s, &part);

    *out = 0;
    if (life.is_alive == 0)
        return;
    words[DW_SHOWN_PART] = (part + 1) | (life.is_before != 0 ? DW_SHOWN_IS_BEFORE : 0);
    words[DW_SHOWN_CYCLE] = life.cycle;
    words[DW_SHOWN_AGE] = life.age;
    words[DW_SHOWN_LIFE] = life.life;
    for (uint32_t i = 0; i < 3; i++)
        words[DW_SHOWN_POSITION + i] = dw_bits_from_float(s.position[i]);
    words[DW_SHOWN_AXIS] = dw_particle_axis(s.velocity[0], s.velocity[1], s.velocity[2]);
    for (size_t word = 0; word < DW_SHOWN_WORDS; word++)
        out[word * job->states->slot_capacity] = words[word];
}

static void show_blocks(void *user, int64_t item, int worker)
{
    const show_job *job = user;
    const dw_particle_states *states = job->states;
    uint32_t begin = (uint32_t)item * CHUNK;
    uint32_t end = begin + CHUNK < states->block_count ? begin + CHUNK : states->block_count;

    (void)worker;
    for (uint32_t block = begin; block < end; block++) {
        row_moment at;
        uint32_t first, last;

        if (states->blocks[block] == DW_PARTICLE_NONE)
            continue;
        at = moment_of(states, states->blocks[block], job->now);
        first = block * BLOCK - at.row.stream->first;
        last = first + BLOCK < at.row.stream->count ? first + BLOCK : at.row.stream->count;
        for (uint32_t slot = first; slot < last; slot++)
            show_slot(job, &at, slot);
    }
}

dw_status dw_particle_states_show(const dw_particle_states *states, uint64_t now, const dw_run *run,
                                  uint32_t *shown, dw_error *err)
{
    show_job job = { states, now, shown };

    return dw_parallel_for(run, (states->block_count + CHUNK - 1) / CHUNK, show_blocks, &job, err);
}
