/* SPDX-License-Identifier: MIT */
/* Particles that remember: where they are (DW_PART_IS_DYNAMIC) or how old they are
 * (DW_PART_IS_RENEWED).
 *
 * State is kept at ticks of the hub that are multiples of DW_PARTICLE_STEP; a step brings a slot
 * from one to the next and reads nothing that another lane writes in it. A shorter step shows it in
 * between and is not kept: so any split of time gives the same bytes. Rows count their own ticks:
 * births and deaths fall on them, within steps too.
 *
 * A row is born into its slots in turn, the oldest first. Children of slot s lie in slots [s n,
 * (s + 1) n) of their row and are born from what happened to s in the step before.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_DYNAMIC_H
#define DW_SHARED_PARTICLE_DYNAMIC_H

#include "shared/particle_collide.h"
#include "shared/particle_shown.h"

#define DW_PARTICLE_STEP         1024u /* ticks: 1/64 s */
#define DW_PARTICLE_STEP_SHIFT   10
#define DW_PARTICLE_STEPS_MOST   4096u /* of one update; what is beyond is one long step */
#define DW_PARTICLE_CYCLES_MOST  4096u /* renewals of a slot at once */
#define DW_PARTICLE_STATE_GROUP  64u   /* slots: a row's begin at a multiple of it */
#define DW_PARTICLE_BOUNCES      4u    /* in a step; then the rest of it is lost */
#define DW_PARTICLE_STEP_LANES   256
#define DW_PARTICLE_ROWS_LANES   64
#define DW_PARTICLE_STEP_SECONDS 0.015625f

/* Words of a slot lie in planes, each as long as there are slots. Dead ones are known by the first.
 */
#define DW_SLOT_UNTIL    0u /* own tick, low word, at which it dies; 0: dead */
#define DW_SLOT_POSITION 1u /* in the world; of renewal the first says which burst took it */
#define DW_SLOT_VELOCITY 4u
#define DW_SLOT_LIFE     7u
#define DW_SLOT_CYCLE    8u
#define DW_SLOT_WORDS    9u

/* Words of an event. A parent has two planes of them for each slot, of odd and of even steps, so
 * that none is written while children read it. */
#define DW_EVENT_STEP     0u /* low word */
#define DW_EVENT_KINDS    1u
#define DW_EVENT_POSITION 2u
#define DW_EVENT_VELOCITY 5u
#define DW_EVENT_WORDS    8u

#define DW_EVENT_IS_DEATH     1u
#define DW_EVENT_IS_COLLISION 2u
#define DW_EVENT_IS_BIRTH     4u /* of a slot: its life and cycle are new */

/* Draws of a birth. Block 0 gives the life. */
#define DW_PARTICLE_BLOCK_PLACE     30u
#define DW_PARTICLE_BLOCK_DIRECTION 31u

/* What some law or row asks for; steps are built without the rest. */
#define DW_STEP_HAS_SOLIDS 1u
#define DW_STEP_HAS_EDDIES 2u
#define DW_STEP_HAS_PULL   4u
#define DW_STEP_HAS_EVENTS 8u  /* parents and children */
#define DW_STEP_IS_SINGLE  16u /* no more than one step at once */

/* A row with state, as the host keeps it. */
#define DW_PARTICLE_STREAM_FIELDS(F)                                                       \
    F(uint, row, 0) /* DW_PARTICLE_NONE: free */                                           \
    F(uint, law, 0)                                                                        \
    F(uint, first, 0) /* of its slots */                                                   \
    F(uint, count, 0)                                                                      \
    F(uint, parent_events, 0) /* of the parent's row; DW_PARTICLE_NONE: no parent */       \
    F(uint, parent_count, 0)                                                               \
    F(uint, events, 0) /* first of its own: a parent's; else DW_PARTICLE_NONE */           \
    F(uint, rate, 0)   /* births in 1024 of its own ticks, 16.16: in place of its law's */ \
    F(uint, part, 0)   /* its emitter's */

/* What a row's steps hand on. All zeros at the row's own tick 0. */
#define DW_PARTICLE_RELAY_FIELDS(F)                             \
    F(uint, own_low, 0) /* own tick of the last step */         \
    F(uint, own_high, 0)                                        \
    F(uint, births, 0)    /* so far, low word */                \
    F(uint, fraction, 0)  /* of the next one, in 2^-26 */       \
    F(uint, head, 0)      /* slot of the next one */            \
    F(uint, is_begun, 0)  /* of renewal: its slots have ages */ \
    F(uint, burst_low, 0) /* own tick of the next burst */      \
    F(uint, burst_high, 0)                                      \
    F(uint, bursts, 0)    /* so far */                          \
    F(uint, reentries, 0) /* slots that had more than DW_PARTICLE_CYCLES_MOST cycles at once */

/* A span of a row's own time. */
#define DW_PARTICLE_BEAT_FIELDS(F)                                         \
    F(uint, begin_low, 0)                                                  \
    F(uint, begin_high, 0)                                                 \
    F(uint, ticks_low, 0)                                                  \
    F(uint, ticks_high, 0)                                                 \
    F(uint, births_low, 0) /* in it */                                     \
    F(uint, births_high, 0)                                                \
    F(uint, late, 0) /* own ticks at its end after the row's stop */       \
    F(uint, first_birth, 0)                                                \
    F(uint, fraction, 0) /* at its end */                                  \
    F(uint, head, 0)     /* at its begin */                                \
    F(uint, is_long, 0)  /* more than a step: free of eddies and solids */ \
    F(uint, step, 0)     /* of the hub, low word */                        \
    F(uint, is_hidden, 0)

/* A slot, and what happened to it in a step. */
#define DW_PARTICLE_SLOT_FIELDS(F)        \
    F(uint, until, 0)                     \
    F(float, position, 3)                 \
    F(float, velocity, 3)                 \
    F(uint, life, 0)                      \
    F(uint, cycle, 0)                     \
    F(uint, kinds, 0) /* DW_EVENT_IS_* */ \
    F(float, event_position, 3)           \
    F(float, event_velocity, 3)

struct dw_particle_stream {
    DW_PARTICLE_STREAM_FIELDS(DW_FIELD)
};

struct dw_particle_relay {
    DW_PARTICLE_RELAY_FIELDS(DW_FIELD)
};

struct dw_particle_beat {
    DW_PARTICLE_BEAT_FIELDS(DW_FIELD)
};

struct dw_particle_slot {
    DW_PARTICLE_SLOT_FIELDS(DW_FIELD)
};

/* Constants of the passes. */
#define DW_PARTICLE_STEP_PUSH_FIELDS(F)                               \
    F(uint, stream_count, 0)                                          \
    F(uint, block_count, 0)   /* of DW_PARTICLE_STATE_GROUP slots */  \
    F(uint, slot_capacity, 0) /* length of a plane */                 \
    F(uint, event_capacity, 0)                                        \
    F(uint, step_low, 0) /* the hub's first step, whose end is ... */ \
    F(uint, now_low, 0)  /* ... this tick */                          \
    F(uint, now_high, 0)                                              \
    F(uint, step_count, 0)                                            \
    F(uint, is_long, 0)

struct dw_particle_step_push {
    DW_PARTICLE_STEP_PUSH_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_particle_stream dw_particle_stream;
typedef struct dw_particle_relay dw_particle_relay;
typedef struct dw_particle_beat dw_particle_beat;
typedef struct dw_particle_slot dw_particle_slot;
#endif

/* ---- the time of a row ---- */

/* From where the row is to the hub's tick `now`. */
DW_INLINE dw_particle_beat dw_particle_beat_of(dw_particle_emitter e, dw_particle_law law,
                                               dw_particle_relay relay, uint now_low, uint now_high,
                                               uint step, uint is_long)
{
    uint64_t begin = dw_particle_join(relay.own_low, relay.own_high);
    int64_t local = dw_particle_local(e, now_low, now_high);
    uint64_t end = local > DW_I64(begin) ? DW_U64(local) : begin;
    uint64_t stop = dw_particle_join(e.stop_low, e.stop_high & 0x7fffffffu);
    uint64_t last = stop < end ? (stop < begin ? begin : stop) : end;
    uint64_t span = last - begin, late = end - last;
    uint64_t wide = span >> 26;
    uint64_t part = (span & DW_U64(0x3ffffffu)) * DW_U64(law.rate) + DW_U64(relay.fraction);
    uint64_t births = wide * DW_U64(law.rate) + (part >> 26);
    dw_particle_beat beat;

    beat.begin_low = relay.own_low;
    beat.begin_high = relay.own_high;
    beat.ticks_low = DW_UINT(end - begin);
    beat.ticks_high = DW_UINT((end - begin) >> 32);
    beat.births_low = DW_UINT(births);
    beat.births_high = DW_UINT(births >> 32);
    beat.late = late < DW_U64(0xffffffffu) ? DW_UINT(late) : 0xffffffffu;
    beat.first_birth = relay.births;
    beat.fraction = DW_UINT(part & DW_U64(0x3ffffffu));
    beat.head = relay.head;
    beat.is_long = is_long;
    beat.step = step;
    beat.is_hidden = (DW_EMITTER_FLAGS(e.part) & DW_EMITTER_IS_HIDDEN) != 0u ? 1u : 0u;
    return beat;
}

DW_INLINE dw_particle_relay dw_particle_relay_after(dw_particle_relay relay, dw_particle_beat beat,
                                                    uint count)
{
    uint64_t own = dw_particle_join(beat.begin_low, beat.begin_high) +
                   dw_particle_join(beat.ticks_low, beat.ticks_high);
    uint64_t births = dw_particle_join(beat.births_low, beat.births_high);
    uint64_t head = DW_U64(beat.head) + (births < DW_U64(count) ? births : births % DW_U64(count));

    relay.own_low = DW_UINT(own);
    relay.own_high = DW_UINT(own >> 32);
    relay.births = beat.first_birth + beat.births_low;
    relay.fraction = beat.fraction;
    relay.head = DW_UINT(head < DW_U64(count) ? head : head - DW_U64(count));
    return relay;
}

/* ---- births ---- */

/* Of a slot in a beat; the last one of several. is_alive: there is one; age: at the end. */
DW_INLINE dw_particle_life dw_particle_birth(dw_particle_law law, dw_particle_beat beat, uint slot,
                                             uint count)
{
    dw_particle_life life = dw_particle_dead();
    uint64_t births = dw_particle_join(beat.births_low, beat.births_high), behind, age;
    uint turn = slot >= beat.head ? slot - beat.head : slot + (count - beat.head);

    if (DW_U64(turn) >= births)
        return life;
    behind = births - DW_U64(1) - DW_U64(turn);
    behind = behind < DW_U64(count) ? behind : behind % DW_U64(count);
    age = DW_U64(beat.late) + ((behind << 26) + DW_U64(beat.fraction)) / DW_U64(law.rate);
    life.is_alive = 1u;
    life.cycle = beat.first_birth + beat.births_low - 1u - DW_UINT(behind);
    life.age = age < DW_U64(0xffffffffu) ? DW_UINT(age) : 0xffffffffu;
    return life;
}

/* The same of parts whose births have ticks of their own: all at once, or in bursts. */
DW_INLINE dw_particle_life dw_particle_birth_at(dw_particle_emitter e, dw_particle_part p,
                                                dw_particle_beat beat, uint slot)
{
    dw_particle_life life = dw_particle_dead();
    uint64_t begin = dw_particle_join(beat.begin_low, beat.begin_high);
    uint64_t end = begin + dw_particle_join(beat.ticks_low, beat.ticks_high);
    uint64_t stop = dw_particle_join(e.stop_low, e.stop_high & 0x7fffffffu), tick, k;

    if ((DW_EMITTER_FLAGS(e.part) & DW_EMITTER_IS_ONCE) != 0u) {
        dw_particle_words d;

        if (begin != DW_U64(0) && begin >= DW_U64(p.gap) + DW_U64(p.gap_jitter))
            return life; /* long ago: no draw for each slot in each step */
        d = dw_particle_draw(e.key0, e.key1, slot, 0u, 0u);
        k = DW_U64(0);
        tick = DW_U64(p.gap + dw_particle_pick(p.gap_jitter + 1u, d.y));
        tick = tick < DW_U64(1) ? DW_U64(1) : tick;
    } else {
        k = dw_particle_divide_long(end, p.gap);
        tick = dw_particle_burst_tick(e, p.gap, p.gap_jitter, k);
        if (tick > end && k != DW_U64(0)) {
            k = k - DW_U64(1);
            tick = dw_particle_burst_tick(e, p.gap, p.gap_jitter, k);
        }
        tick = tick < DW_U64(1) ? DW_U64(1) : tick;
    }
    if (tick <= begin || tick > end || tick > stop)
        return life;
    life.is_alive = 1u;
    life.cycle = DW_UINT(k);
    life.age = end - tick < DW_U64(0xffffffffu) ? DW_UINT(end - tick) : 0xffffffffu;
    return life;
}

/* In [-1, 1). */
DW_INLINE float dw_particle_signed(uint word)
{
    DW_PRECISE float u = 2.0f * dw_particle_uniform(word) - 1.0f;

    return u;
}

/* On a circle, |z| given, at a turn: a point of the unit sphere. */
DW_INLINE dw_particle_vector dw_particle_on_sphere(float z, uint turn)
{
    DW_PRECISE float rest = 1.0f - z * z;
    float around = dw_root(rest > 1e-12f ? rest : 0.0f);
    DW_PRECISE float x = around * dw_cos_turn(turn);
    DW_PRECISE float y = around * dw_sin_turn(turn);

    return dw_particle_vector_of(x, y, z);
}

/* Evenly in the unit ball: the largest of three even numbers is spread as its radii are. */
DW_INLINE dw_particle_vector dw_particle_in_ball(dw_particle_words d)
{
    float a = dw_particle_uniform(d.z), b = dw_particle_uniform(d.w);
    float c = dw_particle_uniform(d.z * 747796405u + d.w);
    float radius = a > b ? (a > c ? a : c) : b > c ? b : c;
    dw_particle_vector way = dw_particle_on_sphere(dw_particle_signed(d.x), d.y);

    return dw_particle_times(way, radius);
}

DW_INLINE dw_particle_vector dw_particle_in_cube(dw_particle_words d)
{
    return dw_particle_vector_of(dw_particle_signed(d.x), dw_particle_signed(d.y),
                                 dw_particle_signed(d.z));
}

/* Where in its shape, from the emitter's position. */
DW_INLINE dw_particle_vector dw_particle_birth_place(dw_particle_law law, dw_particle_words d)
{
    bool is_ball = (law.flags & DW_LAW_IS_BALL) != 0u;
    dw_particle_vector ball = dw_particle_in_ball(d), cube = dw_particle_in_cube(d);
    float px = is_ball ? ball.x : cube.x, py = is_ball ? ball.y : cube.y;
    float pz = is_ball ? ball.z : cube.z;
    DW_PRECISE float x = law.place[0] + law.extent[0] * px;
    DW_PRECISE float y = law.place[1] + law.extent[1] * py;
    DW_PRECISE float z = law.place[2] + law.extent[2] * pz;

    return dw_particle_vector_of(x, y, z);
}

/* Evenly in the cone. */
DW_INLINE dw_particle_vector dw_particle_birth_velocity(dw_particle_law law, dw_particle_words d)
{
    DW_PRECISE float along = 1.0f - law.cone * dw_particle_uniform(d.x);
    dw_particle_vector way = dw_particle_on_sphere(along, d.y);
    float speed = dw_particle_between(law.speed, law.speed_span, d.z);
    dw_particle_vector v = dw_particle_times(
        dw_particle_vector_of(law.axis_x[0], law.axis_x[1], law.axis_x[2]), way.x);

    v = dw_particle_add(v, dw_particle_vector_of(law.axis_z[0], law.axis_z[1], law.axis_z[2]),
                        way.y);
    v = dw_particle_add(v, dw_particle_vector_of(law.axis_y[0], law.axis_y[1], law.axis_y[2]),
                        way.z);
    return dw_particle_times(v, speed);
}

/* Something happens where the slot is now. */
DW_INLINE dw_particle_slot dw_particle_event(dw_particle_slot s, uint kinds)
{
    s.kinds |= kinds;
    for (uint i = 0u; i < 3u; i++) {
        s.event_position[i] = s.position[i];
        s.event_velocity[i] = s.velocity[i];
    }
    return s;
}

/* around: the emitter's position, or where the parent was; moving: what the velocity starts from.
 */
DW_INLINE dw_particle_slot dw_particle_born(dw_particle_emitter e, dw_particle_part p,
                                            dw_particle_law law, uint slot, uint cycle,
                                            dw_particle_vector around, dw_particle_vector moving)
{
    dw_particle_vector place = dw_particle_birth_place(
        law, dw_particle_draw(e.key0, e.key1, slot, cycle, DW_PARTICLE_BLOCK_PLACE));
    dw_particle_vector velocity = dw_particle_birth_velocity(
        law, dw_particle_draw(e.key0, e.key1, slot, cycle, DW_PARTICLE_BLOCK_DIRECTION));
    dw_particle_slot s;

    place = dw_particle_tidied(dw_particle_add(around, place, e.scale));
    velocity = dw_particle_tidied(
        dw_particle_add(dw_particle_times(velocity, e.scale), moving, law.inherit));
    s.until = 0u;
    s.position[0] = place.x;
    s.position[1] = place.y;
    s.position[2] = place.z;
    s.velocity[0] = velocity.x;
    s.velocity[1] = velocity.y;
    s.velocity[2] = velocity.z;
    s.life = dw_particle_length(p, dw_particle_draw(e.key0, e.key1, slot, cycle, 0u));
    s.cycle = cycle;
    s.kinds = 0u;
    return dw_particle_event(s, DW_EVENT_IS_BIRTH);
}

#endif
