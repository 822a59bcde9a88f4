/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "systems/particle_hub_internal.h"

#include <math.h>
#include <string.h>

#define POSITION_MAX 1e9  /* m */
#define SCALE_MIN    1e-6 /* sizes stay ordinary floats */
#define SCALE_MAX    1e6
#define SHARE_MAX    1e6
#define TINY         1e-30f

/* ---- chance ---- */

/* Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. */
static uint64_t splitmix64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t key_of(const dw_hub *hub, uint64_t uid)
{
    return splitmix64(splitmix64(hub->def.seed) ^ splitmix64(uid));
}

/* The row of a part, or of a part in a shot, counted from 1. */
static void set_keys(dw_particle_emitter *e, uint64_t key, uint32_t part, uint32_t shot)
{
    e->key0 = (uint32_t)(splitmix64(key + part + ((uint64_t)shot << 32)) >> 32);
    e->key1 = (uint32_t)(key >> 32);
    if (shot > 0) /* each has its own phase */
        e->key1 ^= (uint32_t)splitmix64(key ^ shot);
}

/* ---- checks ---- */

static float tidy(float x)
{
    return fabsf(x) < TINY ? 0.0f : x;
}

static dw_status check_positions(const float *positions, uint32_t count, dw_error *err)
{
    for (uint32_t i = 0; i < 3 * count; i++)
        if (!(fabs((double)positions[i]) <= POSITION_MAX))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "position must be finite and within %g m, got (%g, %g, %g) at index %u",
                           POSITION_MAX, (double)positions[i / 3 * 3],
                           (double)positions[i / 3 * 3 + 1], (double)positions[i / 3 * 3 + 2],
                           i / 3);
    return DW_OK;
}

static dw_status check_batch(const dw_hub *hub, const dw_hub_batch *batch, dw_error *err)
{
    if (batch->effect >= hub->effect_count || hub->effects[batch->effect].is_free)
        return dw_fail(err, DW_ERROR_ARGUMENT, "effect must be below %u, got %u", hub->effect_count,
                       batch->effect);
    if (!(batch->scale >= SCALE_MIN && batch->scale <= SCALE_MAX))
        return dw_fail(err, DW_ERROR_ARGUMENT, "scale must be %g to %g, got %g", SCALE_MIN,
                       SCALE_MAX, (double)batch->scale);
    if (!(batch->share > 0.0 && batch->share <= SHARE_MAX))
        return dw_fail(err, DW_ERROR_ARGUMENT, "intensity must be above 0, at most %g, got %g",
                       SHARE_MAX, batch->share);
    for (int i = 0; i < 3; i++)
        if (!(fabs((double)batch->extent[i]) <= DW_PARTICLE_VALUE_MOST))
            return dw_fail(err, DW_ERROR_ARGUMENT, "surface must lie within %g m, got %g",
                           (double)DW_PARTICLE_VALUE_MOST, (double)batch->extent[i]);
    for (uint32_t i = 0; i < 3 * batch->point_count; i++)
        if (!(fabs((double)batch->points[i]) <= DW_PARTICLE_VALUE_MOST))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "surface must lie within %g m, got a point with %g",
                           (double)DW_PARTICLE_VALUE_MOST, (double)batch->points[i]);
    return check_positions(batch->positions, batch->count, err);
}

static dw_status check_counts(const dw_hub *hub, const dw_hub_batch *batch, dw_error *err)
{
    const dw_hub_effect *effect = &hub->effects[batch->effect];

    for (uint32_t i = 0; i < effect->part_count; i++) {
        uint32_t count = dw_hub_wanted(hub, effect->first_part + i, batch->share);

        if (count > DW_PARTICLE_COUNT_MAX)
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "intensity: part %u would have %u particles, at most %d; register "
                           "several emitters",
                           i, count, DW_PARTICLE_COUNT_MAX);
    }
    return DW_OK;
}

/* Slots of each layer that replacing gives back. */
static void count_replaced(dw_hub *hub, const dw_hub_batch *batch, uint64_t *slots)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        uint32_t place = batch->replaced[i] == DW_HUB_NONE ? DW_HUB_NONE
                                                           : hub->emitters[batch->replaced[i]].head;

        for (; place != DW_HUB_NONE; place = dw_hub_row_at(hub, place)->next)
            slots[DW_HUB_PLACE_LAYER(place)] += dw_hub_record(hub, place)->count;
    }
}

static dw_status refuse(const dw_hub *hub, uint32_t layer, uint64_t wanted, uint64_t back,
                        dw_error *err)
{
    const dw_registry *names = &dw_registries[DW_REGISTRY_PARTICLE_LAYER];
    const char *name = layer < (uint32_t)names->count ? names->rows[layer].name : "of one's own";
    const dw_hub_layer *of = &hub->layers[layer];

    return dw_fail(
        err, DW_ERROR_CAPACITY,
        "layer %u (%s) is limited to %llu particles and has %llu: no room for %llu more; "
        "unregister some, raise limits, or take capacity=\"grow\" or \"partial\"; "
        "nothing was registered",
        layer, name, (unsigned long long)of->limit, (unsigned long long)(of->allocated - back),
        (unsigned long long)wanted);
}

static dw_status check_limits(dw_hub *hub, const dw_hub_batch *batch, dw_error *err)
{
    const dw_hub_effect *effect = &hub->effects[batch->effect];
    uint64_t wanted[DW_PARTICLE_LAYERS_MAX] = { 0 }, back[DW_PARTICLE_LAYERS_MAX] = { 0 };

    if (hub->def.capacity != DW_HUB_ERROR)
        return DW_OK;
    count_replaced(hub, batch, back);
    for (uint32_t i = 0; i < effect->part_count; i++) {
        uint32_t part = effect->first_part + i;

        wanted[hub->parts[part].layer] +=
            (uint64_t)batch->count * dw_hub_wanted(hub, part, batch->share);
    }
    for (uint32_t i = 0; i < hub->layer_count; i++)
        if (wanted[i] > 0 && hub->layers[i].allocated - back[i] + wanted[i] > hub->layers[i].limit)
            return refuse(hub, i, wanted[i], back[i], err);
    return DW_OK;
}

/* ---- register ---- */

/* A set of the batch's points with a use for each of its emitters. */
static dw_status add_points(dw_hub *hub, const dw_hub_batch *batch, uint32_t *out, dw_error *err)
{
    uint32_t set = 0, first = hub->point_count;

    *out = DW_HUB_NONE;
    if (batch->point_count == 0)
        return DW_OK;
    while (set < hub->set_count &&
           (hub->point_sets[set].uses > 0 || hub->point_sets[set].count != batch->point_count))
        set++;
    if (set < hub->set_count) {
        first = hub->point_sets[set].first;
    } else {
        DW_TRY(dw_hub_reserve((void **)&hub->point_sets, sizeof *hub->point_sets,
                              &hub->set_capacity, (uint64_t)set + 1, "surfaces", err));
        DW_TRY(dw_hub_reserve((void **)&hub->points, 3 * sizeof(float), &hub->point_capacity,
                              (uint64_t)first + batch->point_count, "points", err));
        hub->set_count++;
        hub->point_count += batch->point_count;
    }
    for (uint32_t i = 0; i < 3 * batch->point_count; i++)
        hub->points[3 * (size_t)first + i] = tidy(batch->points[i]);
    dw_hub_mark(hub, DW_PARTICLE_POINTS, first, first + batch->point_count);
    hub->point_sets[set] = (dw_hub_points) { first, batch->point_count, batch->count };
    *out = set;
    return DW_OK;
fail:
    return err->code;
}

static dw_status reserve_batch(dw_hub *hub, const dw_hub_batch *batch, dw_error *err)
{
    const dw_hub_effect *effect = &hub->effects[batch->effect];
    uint64_t more[DW_PARTICLE_LAYERS_MAX] = { 0 };
    uint64_t emitters = (uint64_t)hub->emitter_count + batch->count, shots = 0;
    uint32_t capacity = hub->emitter_capacity;
    dw_particle_memory_room room = { 0 };

    for (uint32_t i = effect->first_part; i < effect->first_part + effect->part_count; i++) {
        const dw_particle_part *part = &hub->parts[i];

        if (hub->traits[i].is_spare)
            continue;
        dw_hub_count_states(hub, i, dw_hub_wanted(hub, i, batch->share), batch->count, &room);
        more[part->layer] += batch->count;
        shots += (part->flags & DW_PART_IS_ONCE) != 0 ? batch->count : 0;
    }
    DW_TRY(dw_hub_reserve((void **)&hub->free_emitters, sizeof *hub->free_emitters, &capacity,
                          emitters, "emitters", err));
    DW_TRY(dw_hub_reserve((void **)&hub->emitters, sizeof *hub->emitters, &hub->emitter_capacity,
                          emitters, "emitters", err));
    DW_TRY(dw_hub_reserve_shots(hub, shots, err));
    DW_TRY(dw_hub_reserve_states(hub, &room, err));
    return dw_hub_reserve_rows(hub, more, err);
fail:
    return err->code;
}

/* What the records of a batch have in common, but for their parts. */
static dw_particle_emitter make_base(const dw_hub *hub, const dw_hub_batch *batch, uint32_t set)
{
    uint32_t flags = batch->flags | (hub->def.is_seed ? DW_EMITTER_IS_SEED : 0);
    dw_particle_emitter base = {
        .part = flags << 16,
        .epoch_low = (uint32_t)hub->tick,
        .epoch_high = (uint32_t)(hub->tick >> 32),
        .rate = DW_PARTICLE_RATE_ONE,
        .stop_low = UINT32_MAX,
        .stop_high = UINT32_MAX,
        .loop = hub->def.loop,
        .scale = batch->scale,
        .surface = set == DW_HUB_NONE ? 0 : hub->point_sets[set].first,
        .surface_count = set == DW_HUB_NONE ? 0 : hub->point_sets[set].count,
    };

    memcpy(base.colors, batch->colors, sizeof base.colors);
    for (int i = 0; i < 3; i++)
        base.extent[i] = tidy(batch->extent[i]);
    return base;
}

static uint32_t take_emitter(dw_hub *hub)
{
    if (hub->free_emitter_count > 0)
        return hub->free_emitters[--hub->free_emitter_count];
    return hub->emitter_count++;
}

/* Of those that a layer's limit leaves. */
static uint32_t grant(const dw_hub *hub, uint32_t layer, uint32_t wanted)
{
    const dw_hub_layer *of = &hub->layers[layer];
    uint64_t room = of->limit > of->allocated ? of->limit - of->allocated : 0;

    return room < wanted ? (uint32_t)room : wanted;
}

/* Takes in a sphere above the same place. */
static void widen(dw_particle_emitter *record, const dw_particle_emitter *other)
{
    double low = fmin((double)record->bound_y - record->bound_radius,
                      (double)other->bound_y - other->bound_radius);
    double high = fmax((double)record->bound_y + record->bound_radius,
                       (double)other->bound_y + other->bound_radius);

    record->bound_y = (float)(0.5 * (low + high));
    record->bound_radius = (float)(0.5 * (high - low) * 1.00001);
}

/* A record of a part: bounds are those of as many slots as are wanted. */
static dw_particle_emitter make_record(const dw_hub *hub, const dw_particle_emitter *base,
                                       uint32_t part, uint32_t wanted)
{
    uint32_t burst = hub->traits[part].burst;
    dw_particle_emitter record = *base, other;

    record.part |= part;
    if ((hub->parts[part].flags & DW_PART_IS_ONCE) != 0)
        record.part |= DW_EMITTER_IS_ONCE << 16;
    record.count = wanted;
    dw_particle_bound(&hub->parts[part], hub->points, hub->curves, &record);
    if (burst != DW_HUB_NONE) {
        other = record;
        dw_particle_bound(&hub->parts[burst], hub->points, hub->curves, &other);
        widen(&record, &other);
    }
    if ((hub->parts[part].flags & DW_PART_IS_DYNAMIC) != 0)
        dw_hub_bound_states(hub, part, &record);
    return record;
}

/* A row for the `index`-th part of an emitter whose base is in place, or of a shot, which are
 * counted from 1; returns how many slots it got. */
static uint32_t place_row(dw_hub *hub, uint32_t emitter, uint32_t index, uint32_t shot,
                          dw_particle_emitter record)
{
    const dw_hub_emitter *owner = &hub->emitters[emitter];
    uint32_t part = DW_EMITTER_PART(record.part), layer = hub->parts[part].layer;
    uint32_t wanted = record.count, most = dw_hub_most_children(hub, part, index), place;

    record.count = grant(hub, layer, wanted < most ? wanted : most);
    memcpy(record.position, owner->base.position, sizeof record.position);
    memcpy(record.before, owner->base.before, sizeof record.before);
    set_keys(&record, owner->key, index + 1, shot);
    place = dw_hub_take_row(hub, emitter, layer, wanted, &record);
    dw_hub_remember(hub, place, index, owner->share);
    if ((DW_EMITTER_FLAGS(record.part) & DW_EMITTER_IS_ONCE) != 0)
        dw_hub_add_shot(hub, place);
    return record.count;
}

static void register_one(dw_hub *hub, const dw_hub_batch *batch, uint32_t i,
                         const dw_particle_emitter *base, const dw_particle_emitter *records,
                         uint32_t set, uint32_t *out, uint32_t *slots)
{
    const dw_hub_effect *effect = &hub->effects[batch->effect];
    uint32_t number = take_emitter(hub);
    dw_hub_emitter *emitter = &hub->emitters[number];

    hub->effects[batch->effect].uses++;
    *emitter = (dw_hub_emitter) { .base = *base,
                                  .key = key_of(hub, batch->uids[i]),
                                  .effect = batch->effect,
                                  .head = DW_HUB_NONE,
                                  .points = set,
                                  .share = batch->share };
    for (int j = 0; j < 3; j++)
        emitter->base.position[j] = emitter->base.before[j] =
            tidy(batch->positions[3 * (size_t)i + (size_t)j]);
    *out = number;
    *slots = 0;
    for (uint32_t j = 0; j < effect->part_count; j++)
        if (!hub->traits[effect->first_part + j].is_spare)
            *slots += place_row(hub, number, j, 0, records[j]);
}

static void unregister(dw_hub *hub, const uint32_t *emitters, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        dw_hub_emitter *emitter = &hub->emitters[emitters[i]];

        if (emitters[i] == DW_HUB_NONE || emitter->effect == DW_HUB_NONE)
            continue;
        while (emitter->head != DW_HUB_NONE)
            dw_hub_free_row(hub, emitter->head);
        if (emitter->points != DW_HUB_NONE)
            hub->point_sets[emitter->points].uses--;
        hub->effects[emitter->effect].uses--;
        emitter->effect = DW_HUB_NONE;
        hub->free_emitters[hub->free_emitter_count++] = emitters[i];
    }
}

dw_status dw_hub_register(dw_hub *hub, const dw_hub_batch *batch, uint32_t *emitters,
                          uint32_t *slots, dw_error *err)
{
    dw_particle_emitter *records = NULL, base;
    uint32_t set, first, part_count;

    dw_hub_sweep(hub, true);
    DW_TRY(check_batch(hub, batch, err));
    DW_TRY(check_counts(hub, batch, err));
    DW_TRY(check_limits(hub, batch, err));
    first = hub->effects[batch->effect].first_part;
    part_count = hub->effects[batch->effect].part_count;
    DW_TRY(DW_ALLOC(part_count, &records, err));
    DW_TRY(reserve_batch(hub, batch, err));
    DW_TRY(add_points(hub, batch, &set, err));
    unregister(hub, batch->replaced, batch->count);
    base = make_base(hub, batch, set);
    for (uint32_t i = 0; i < part_count; i++)
        records[i] =
            make_record(hub, &base, first + i, dw_hub_wanted(hub, first + i, batch->share));
    for (uint32_t i = 0; i < batch->count; i++)
        register_one(hub, batch, i, &base, records, set, &emitters[i], &slots[i]);
    err->code = DW_OK;
fail:
    dw_free(records);
    return err->code;
}

void dw_hub_unregister(dw_hub *hub, const uint32_t *emitters, uint32_t count)
{
    unregister(hub, emitters, count);
    dw_hub_release(hub);
}

/* ---- changes ---- */

static int64_t local_of(const dw_hub *hub, const dw_particle_emitter *e)
{
    return dw_particle_local(*e, (uint32_t)hub->tick, (uint32_t)(hub->tick >> 32));
}

static void set_local(dw_particle_emitter *e, uint64_t epoch, int64_t local)
{
    e->epoch_low = (uint32_t)epoch;
    e->epoch_high = (uint32_t)(epoch >> 32);
    e->local_low = (uint32_t)local;
    e->local_high = (uint32_t)((uint64_t)local >> 32);
}

typedef void (*change_function)(const dw_hub *hub, dw_particle_emitter *e, const void *user);

/* Of an emitter and all its rows, each by its own clock. */
static void change(dw_hub *hub, uint32_t number, change_function function, const void *user)
{
    dw_hub_emitter *emitter = &hub->emitters[number];

    function(hub, &emitter->base, user);
    for (uint32_t place = emitter->head; place != DW_HUB_NONE;
         place = dw_hub_row_at(hub, place)->next) {
        function(hub, dw_hub_record(hub, place), user);
        dw_hub_mark_row(hub, place);
    }
}

typedef struct move {
    const float *position;
    bool is_trail;
} move;

static void move_record(const dw_hub *hub, dw_particle_emitter *e, const void *user)
{
    const move *to = user;
    int64_t local = local_of(hub, e);

    local = local < 0 ? 0 : local;
    e->part &= ~(DW_EMITTER_IS_TRAIL << 16);
    if (to->is_trail) {
        e->part |= DW_EMITTER_IS_TRAIL << 16;
        e->moved_low = (uint32_t)local;
        e->moved_high = (uint32_t)((uint64_t)local >> 32);
        memcpy(e->before, e->position, sizeof e->before);
    }
    for (int i = 0; i < 3; i++)
        e->position[i] = tidy(to->position[i]);
    if (!to->is_trail)
        memcpy(e->before, e->position, sizeof e->before);
}

dw_status dw_hub_move(dw_hub *hub, const uint32_t *emitters, uint32_t count, const float *positions,
                      bool is_trail, dw_error *err)
{
    if (check_positions(positions, count, err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < count; i++) {
        move to = { positions + 3 * (size_t)i, is_trail };

        if (emitters[i] == DW_HUB_NONE)
            continue;
        for (uint32_t place = hub->emitters[emitters[i]].head; place != DW_HUB_NONE;
             place = dw_hub_row_at(hub, place)->next)
            dw_hub_widen_states(hub, place, to.position);
        change(hub, emitters[i], move_record, &to);
    }
    return DW_OK;
}

static void stop_record(const dw_hub *hub, dw_particle_emitter *e, const void *user)
{
    int64_t local = local_of(hub, e);
    uint64_t stop = local < 0 ? 0 : (uint64_t)local, had;

    (void)user;
    had = dw_particle_join(e->stop_low, e->stop_high);
    if (stop < had) {
        e->stop_low = (uint32_t)stop;
        e->stop_high = (uint32_t)(stop >> 32);
    }
}

static void kill_record(const dw_hub *hub, dw_particle_emitter *e, const void *user)
{
    (void)hub;
    (void)user;
    e->part |= DW_EMITTER_IS_HIDDEN << 16;
}

static void rate_record(const dw_hub *hub, dw_particle_emitter *e, const void *user)
{
    int64_t local = local_of(hub, e);

    set_local(e, hub->tick, local);
    e->rate = *(const uint32_t *)user;
}

static void apply_one(dw_hub *hub, uint32_t number, dw_hub_change what)
{
    dw_hub_emitter *emitter = &hub->emitters[number];
    uint32_t still = 0;

    switch (what) {
    case DW_HUB_STOP:
        change(hub, number, stop_record, NULL);
        break;
    case DW_HUB_KILL:
        change(hub, number, kill_record, NULL);
        break;
    case DW_HUB_PAUSE:
        if (!emitter->is_paused) {
            emitter->rate = emitter->base.rate;
            emitter->is_paused = true;
            change(hub, number, rate_record, &still);
        }
        break;
    case DW_HUB_RESUME:
        if (emitter->is_paused) {
            emitter->is_paused = false;
            change(hub, number, rate_record, &emitter->rate);
        }
        break;
    }
}

void dw_hub_apply(dw_hub *hub, const uint32_t *emitters, uint32_t count, dw_hub_change what)
{
    for (uint32_t i = 0; i < count; i++)
        if (emitters[i] != DW_HUB_NONE)
            apply_one(hub, emitters[i], what);
}

dw_status dw_hub_set_rate(dw_hub *hub, const uint32_t *emitters, uint32_t count, uint32_t rate,
                          dw_error *err)
{
    uint32_t most = rate > hub->most_rate ? rate : hub->most_rate;

    if (rate > DW_HUB_RATE_MAX ||
        (double)hub->tick * most >= (double)DW_PARTICLE_TICKS_MAX * DW_PARTICLE_RATE_ONE)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "time_scale must be 0 to %u, and times the hub's time at most %g years, got "
                       "%g",
                       DW_HUB_RATE_MAX / DW_PARTICLE_RATE_ONE,
                       (double)DW_PARTICLE_TICKS_MAX / DW_TICKS_PER_SECOND / 31557600.0,
                       (double)rate / DW_PARTICLE_RATE_ONE);
    if (hub->most_rate == DW_PARTICLE_RATE_ONE)
        hub->rebased = hub->tick;
    hub->most_rate = most;
    for (uint32_t i = 0; i < count; i++) {
        if (emitters[i] == DW_HUB_NONE)
            continue;
        if (hub->emitters[emitters[i]].is_paused)
            hub->emitters[emitters[i]].rate = rate;
        else
            change(hub, emitters[i], rate_record, &rate);
    }
    return DW_OK;
}

/* By a whole number of 2^16 ticks, so that the rounded product stays what it was. */
static void rebase_record(const dw_hub *hub, dw_particle_emitter *e, const void *user)
{
    int64_t epoch = (int64_t)dw_particle_join(e->epoch_low, e->epoch_high);
    int64_t local = (int64_t)dw_particle_join(e->local_low, e->local_high);
    int64_t rounds = ((int64_t)hub->tick - epoch) >> 16;

    (void)user;
    if (e->rate != DW_PARTICLE_RATE_ONE)
        set_local(e, (uint64_t)(epoch + rounds * 65536), local + rounds * (int64_t)e->rate);
}

void dw_hub_rebase(dw_hub *hub)
{
    for (uint32_t i = 0; i < hub->emitter_count; i++)
        if (hub->emitters[i].effect != DW_HUB_NONE)
            change(hub, i, rebase_record, NULL);
    hub->rebased = hub->tick;
}

/* ---- shots ---- */

static dw_status check_shot(dw_hub *hub, const dw_hub_effect *effect, const uint32_t *wanted,
                            dw_error *err)
{
    uint64_t sums[DW_PARTICLE_LAYERS_MAX] = { 0 };

    for (uint32_t i = 0; i < effect->shot_count; i++) {
        uint32_t layer = hub->parts[effect->first_shot + i].layer;

        if (wanted[i] > DW_PARTICLE_COUNT_MAX)
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "count must be at most %d particles of a part, got %u",
                           DW_PARTICLE_COUNT_MAX, wanted[i]);
        sums[layer] += wanted[i];
        if (hub->def.capacity == DW_HUB_ERROR &&
            hub->layers[layer].allocated + sums[layer] > hub->layers[layer].limit)
            return refuse(hub, layer, sums[layer], 0, err);
    }
    return DW_OK;
}

/* `count` shared out as the effect's own counts are; what is left goes to the first. Children are
 * as many as they are of each of their parents. */
static void share_out(const dw_hub *hub, const dw_hub_effect *effect, double share, uint32_t count,
                      uint32_t *wanted)
{
    const dw_hub_trait *traits = hub->traits + effect->first_shot;
    uint32_t left = count, parent;
    uint64_t total = 0;

    for (uint32_t i = 0; i < effect->shot_count; i++)
        total += traits[i].parent == DW_HUB_NONE ? traits[i].count : 0;
    for (uint32_t i = 0; i < effect->shot_count; i++) {
        if (traits[i].parent != DW_HUB_NONE)
            continue;
        wanted[i] = count == DW_HUB_NONE ? dw_hub_wanted(hub, effect->first_shot + i, share)
                    : total == 0         ? 0
                                         : (uint32_t)((uint64_t)count * traits[i].count / total);
        left -= wanted[i];
    }
    if (count != DW_HUB_NONE)
        wanted[0] += left;
    for (uint32_t i = 0; i < effect->shot_count; i++) {
        parent = traits[i].parent - effect->first_shot;
        if (traits[i].parent != DW_HUB_NONE)
            wanted[i] = (uint64_t)wanted[parent] * traits[i].count > UINT32_MAX
                            ? UINT32_MAX
                            : wanted[parent] * traits[i].count;
    }
}

/* What a shot of an emitter has of it: its place and clock from now on, whole whatever it does. */
static dw_particle_emitter shot_base(const dw_hub *hub, const dw_hub_emitter *emitter)
{
    uint32_t gone = DW_EMITTER_IS_TRAIL | DW_EMITTER_IS_COLD | DW_EMITTER_IS_HIDDEN;
    dw_particle_emitter base = emitter->base;

    set_local(&base, hub->tick, 0);
    base.part &= ~(gone << 16);
    base.stop_low = base.stop_high = UINT32_MAX;
    base.moved_low = base.moved_high = 0;
    memcpy(base.before, base.position, sizeof base.before);
    return base;
}

dw_status dw_hub_emit(dw_hub *hub, uint32_t emitter, uint32_t count, uint32_t *out_slots,
                      dw_error *err)
{
    const dw_hub_effect effect = hub->effects[hub->emitters[emitter].effect];
    uint64_t more[DW_PARTICLE_LAYERS_MAX] = { 0 };
    uint32_t *wanted = NULL, slots = 0, shot;
    dw_particle_memory_room room = { 0 };
    dw_particle_emitter base, before;

    dw_hub_sweep(hub, true);
    DW_TRY(DW_ALLOC(effect.shot_count, &wanted, err));
    share_out(hub, &effect, hub->emitters[emitter].share, count, wanted);
    DW_TRY(check_shot(hub, &effect, wanted, err));
    for (uint32_t i = 0; i < effect.shot_count; i++) {
        more[hub->parts[effect.first_shot + i].layer]++;
        dw_hub_count_states(hub, effect.first_shot + i, wanted[i], 1, &room);
    }
    DW_TRY(dw_hub_reserve_states(hub, &room, err));
    DW_TRY(dw_hub_reserve_shots(hub, effect.shot_count, err));
    DW_TRY(dw_hub_reserve_rows(hub, more, err));
    shot = ++hub->emitters[emitter].shots;
    before = hub->emitters[emitter].base;
    base = shot_base(hub, &hub->emitters[emitter]);
    memcpy(hub->emitters[emitter].base.before, base.before, sizeof base.before);
    for (uint32_t i = 0; i < effect.shot_count; i++)
        slots += place_row(hub, emitter, i, shot,
                           make_record(hub, &base, effect.first_shot + i, wanted[i]));
    hub->emitters[emitter].base = before;
    *out_slots = slots;
    err->code = DW_OK;
fail:
    dw_free(wanted);
    return err->code;
}
