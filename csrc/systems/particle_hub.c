/* SPDX-License-Identifier: MIT */
#include "systems/particle_hub.h"

#include "base/alloc.h"
#include "systems/particle_hub_internal.h"

#include <math.h>
#include <string.h>

#define REBASE_TICKS (1ull << 37) /* times DW_HUB_RATE_MAX still fits into 63 bits */

/* ---- definition ---- */

/* Slots of the layers that have a cap upstream. */
static const struct {
    uint32_t layer, slots;
} caps[] = {
    { DW_PARTICLE_LAYER_SPLASH, 96 },  { DW_PARTICLE_LAYER_BUBBLE, 72 },
    { DW_PARTICLE_LAYER_SHIMMER, 72 }, { DW_PARTICLE_LAYER_RIPPLE, 24 },
    { DW_PARTICLE_LAYER_PILLAR, 32 },  { DW_PARTICLE_LAYER_WISP, 192 },
    { DW_PARTICLE_LAYER_SPARK, 256 },  { DW_PARTICLE_LAYER_BASE, 96 },
    { DW_PARTICLE_LAYER_FLAME, 896 },
};

dw_hub_def dw_hub_def_default(void)
{
    dw_hub_def def = { .capacity = DW_HUB_GROW };

    for (int i = 0; i < DW_PARTICLE_LAYERS_MAX; i++)
        def.limits[i] = DW_HUB_UNLIMITED;
    for (size_t i = 0; i < DW_COUNT_OF(caps); i++)
        def.limits[caps[i].layer] = caps[i].slots;
    return def;
}

static const uint32_t builtin_blends[] = {
#define DW_PARTICLE_LAYER(value, NAME, name, blend, face, image, sharpness, doc) \
    DW_PARTICLE_BLEND_##blend,
#include "shared/particle_layers.def"
#undef DW_PARTICLE_LAYER
};

dw_status dw_hub_create(const dw_hub_def *def, dw_hub **out, dw_error *err)
{
    dw_hub *hub;
    uint32_t layer;

    *out = NULL;
    if (DW_ALLOC_ZEROED(1, &hub, err) != DW_OK)
        return err->code;
    hub->def = *def;
    hub->most_rate = DW_PARTICLE_RATE_ONE;
    hub->next_sweep = hub->swept = UINT64_MAX;
    for (size_t i = 0; i < DW_COUNT_OF(builtin_blends); i++) {
        bool is_sorted = builtin_blends[i] == DW_PARTICLE_BLEND_SORTED;

        if (dw_hub_add_layer(hub, is_sorted, def->limits[i], &layer, err) != DW_OK) {
            dw_hub_destroy(hub);
            return err->code;
        }
    }
    *out = hub;
    return DW_OK;
}

void dw_hub_destroy(dw_hub *hub)
{
    if (hub == NULL)
        return;
    dw_hub_finish_views(hub);
    for (uint32_t i = 0; i < hub->layer_count; i++) {
        dw_free(hub->layers[i].rows);
        dw_free(hub->layers[i].free_rows);
    }
    dw_free(hub->records);
    dw_free(hub->parts);
    dw_free(hub->part_counts);
    dw_free(hub->curves);
    dw_free(hub->colors);
    dw_free(hub->points);
    dw_free(hub->effects);
    dw_free(hub->emitters);
    dw_free(hub->free_emitters);
    dw_free(hub->point_sets);
    dw_free(hub->shots);
    dw_free(hub);
}

dw_status dw_hub_reserve(void **array, size_t row_bytes, uint32_t *capacity, uint64_t count,
                         const char *what, dw_error *err)
{
    uint64_t room = *capacity < 16 ? 16 : 2 * (uint64_t)*capacity;
    void *grown;

    if (count <= *capacity)
        return DW_OK;
    room = room < count ? count : room;
    if (room > UINT32_MAX / 2)
        return dw_fail(err, DW_ERROR_CAPACITY, "%s: at most %u, wanted %llu", what, UINT32_MAX / 2,
                       (unsigned long long)count);
    if (dw_alloc_array(room, row_bytes, what, &grown, err) != DW_OK)
        return err->code;
    if (*capacity > 0)
        memcpy(grown, *array, *capacity * row_bytes);
    dw_free(*array);
    *array = grown;
    *capacity = (uint32_t)room;
    return DW_OK;
}

void dw_hub_mark(dw_hub *hub, dw_particle_table table, uint32_t begin, uint32_t end)
{
    dw_particle_range *range = &hub->dirty[table];

    if (begin >= end)
        return;
    if (range->begin >= range->end)
        *range = (dw_particle_range) { begin, end };
    range->begin = begin < range->begin ? begin : range->begin;
    range->end = end > range->end ? end : range->end;
}

/* ---- layers and effects ---- */

dw_status dw_hub_add_layer(dw_hub *hub, bool is_sorted, uint64_t limit, uint32_t *out,
                           dw_error *err)
{
    uint32_t layer = hub->layer_count;

    if (layer == DW_PARTICLE_LAYERS_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "layer: a hub draws at most %d layers, the built-in ones among them; let "
                       "parts share a ParticleStyle",
                       DW_PARTICLE_LAYERS_MAX);
    hub->regions[layer].first = hub->row_count + DW_PARTICLE_ROW_GROUP - 1;
    hub->regions[layer].first -= hub->regions[layer].first % DW_PARTICLE_ROW_GROUP;
    hub->layer_count++;
    dw_hub_change_layer(hub, layer, is_sorted, limit);
    dw_hub_mark(hub, DW_PARTICLE_REGIONS, layer, layer + 1);
    *out = layer;
    return DW_OK;
}

void dw_hub_change_layer(dw_hub *hub, uint32_t layer, bool is_sorted, uint64_t limit)
{
    DW_ASSERT(layer < hub->layer_count && hub->layers[layer].used == 0);
    hub->layers[layer].limit = hub->def.capacity == DW_HUB_GROW ? DW_HUB_UNLIMITED : limit;
    hub->sorted_layers &= ~((uint64_t)1 << layer);
    hub->sorted_layers |= (uint64_t)is_sorted << layer;
}

static uint32_t add_curve(dw_hub *hub, const float *curve, uint32_t *at)
{
    if (curve == NULL)
        return DW_PARTICLE_NONE;
    memcpy(hub->curves + *at, curve, DW_PARTICLE_KNOTS * sizeof *curve);
    *at += DW_PARTICLE_KNOTS;
    return *at - DW_PARTICLE_KNOTS;
}

static dw_status make_parts(dw_hub *hub, const dw_hub_part *given, uint32_t count,
                            const dw_hub_room *room, dw_error *err)
{
    uint32_t curve = room->curve, color = room->color;

    for (uint32_t i = 0; i < count; i++) {
        dw_particle_part *part = &hub->parts[room->part + i];

        if (given[i].recipe.layer >= hub->layer_count)
            return dw_fail(err, DW_ERROR_ARGUMENT, "layer must be below %u, got %u",
                           hub->layer_count, given[i].recipe.layer);
        if (dw_particle_part_make(&given[i].recipe, part, err) != DW_OK)
            return err->code;
        part->opacity_curve = add_curve(hub, given[i].opacity_curve, &curve);
        part->size_curve = add_curve(hub, given[i].size_curve, &curve);
        if (given[i].colors != NULL) {
            memcpy(hub->colors + color, given[i].colors, given[i].color_count * sizeof(uint32_t));
            part->ramp = color;
            part->ramp_count = given[i].color_count;
            color += given[i].color_count;
        }
        hub->part_counts[room->part + i] = given[i].recipe.count;
    }
    return DW_OK;
}

/* What dw_hub_emit plays of an effect: its parts that live once, or if it has none a copy of the
 * part that comes in bursts, else of the first one. */
static void make_shots(dw_hub *hub, dw_hub_effect *effect)
{
    uint32_t chosen = effect->first_part, copy = effect->first_part + effect->part_count;

    effect->first_shot = effect->first_part;
    for (uint32_t i = 0; i < effect->part_count; i++) {
        const dw_particle_part *part = &hub->parts[effect->first_part + i];

        effect->shot_count += (part->flags & DW_PART_IS_ONCE) != 0;
        if ((part->flags & DW_PART_IS_BURST) != 0)
            chosen = effect->first_part + i;
    }
    if (effect->shot_count > 0)
        return;
    hub->parts[copy] = hub->parts[chosen];
    hub->parts[copy].flags &= ~(DW_PART_IS_BURST | DW_PART_IS_EVEN);
    hub->parts[copy].flags |= DW_PART_IS_ONCE;
    hub->parts[copy].gap = hub->parts[copy].gap_jitter = 0;
    hub->part_counts[copy] = hub->part_counts[chosen];
    effect->first_shot = copy;
    effect->shot_count = 1;
}

static dw_status reserve_values(dw_hub *hub, const dw_hub_room *room, dw_error *err)
{
    uint64_t parts = (uint64_t)room->part + room->part_count;
    uint32_t capacity = hub->part_capacity;

    if (parts > DW_PARTICLE_PARTS_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "effect: a hub has at most %d parts of effects, all different; let emitters "
                       "share effects",
                       DW_PARTICLE_PARTS_MAX);
    DW_TRY(dw_hub_reserve((void **)&hub->part_counts, sizeof *hub->part_counts, &capacity, parts,
                          "parts", err));
    DW_TRY(dw_hub_reserve((void **)&hub->parts, sizeof *hub->parts, &hub->part_capacity, parts,
                          "parts", err));
    DW_TRY(dw_hub_reserve((void **)&hub->curves, sizeof *hub->curves, &hub->curve_capacity,
                          (uint64_t)room->curve + room->curve_count, "curves", err));
    return dw_hub_reserve((void **)&hub->colors, sizeof *hub->colors, &hub->color_capacity,
                          (uint64_t)room->color + room->color_count, "colours", err);
fail:
    return err->code;
}

/* As much as the parts need, behind all that there is. */
static dw_hub_room room_behind(const dw_hub *hub, const dw_hub_part *parts, uint32_t count)
{
    dw_hub_room room = { .part = hub->part_count,
                         .part_count = count + 1,
                         .curve = hub->curve_count,
                         .color = hub->color_count };

    for (uint32_t i = 0; i < count; i++) {
        uint32_t curves = (parts[i].opacity_curve != NULL) + (parts[i].size_curve != NULL);

        room.curve_count += curves * DW_PARTICLE_KNOTS;
        room.color_count += parts[i].colors == NULL ? 0 : parts[i].color_count;
    }
    return room;
}

/* A free effect with such a room, or the one behind the last. */
static uint32_t find_place(const dw_hub *hub, const dw_hub_room *room)
{
    for (uint32_t i = 0; i < hub->effect_count; i++) {
        const dw_hub_effect *effect = &hub->effects[i];

        if (effect->is_free && effect->room.part_count == room->part_count &&
            effect->room.curve_count == room->curve_count &&
            effect->room.color_count == room->color_count)
            return i;
    }
    return hub->effect_count;
}

dw_status dw_hub_add_effect(dw_hub *hub, const dw_hub_part *parts, uint32_t count, uint32_t *out,
                            dw_error *err)
{
    dw_hub_effect effect = { .room = room_behind(hub, parts, count), .part_count = count };
    uint32_t place = find_place(hub, &effect.room);
    bool is_new = place == hub->effect_count;

    if (!is_new)
        effect.room = hub->effects[place].room;
    effect.first_part = effect.room.part;
    DW_TRY(dw_hub_reserve((void **)&hub->effects, sizeof *hub->effects, &hub->effect_capacity,
                          (uint64_t)place + 1, "effects", err));
    DW_TRY(reserve_values(hub, &effect.room, err));
    DW_TRY(make_parts(hub, parts, count, &effect.room, err));
    hub->parts[effect.first_part + count] = hub->parts[effect.first_part];
    make_shots(hub, &effect);
    dw_hub_mark(hub, DW_PARTICLE_PARTS, effect.room.part, effect.room.part + count + 1);
    dw_hub_mark(hub, DW_PARTICLE_CURVES, effect.room.curve,
                effect.room.curve + effect.room.curve_count);
    dw_hub_mark(hub, DW_PARTICLE_COLORS, effect.room.color,
                effect.room.color + effect.room.color_count);
    if (is_new) {
        hub->part_count += effect.room.part_count;
        hub->curve_count += effect.room.curve_count;
        hub->color_count += effect.room.color_count;
        hub->effect_count++;
    }
    hub->effects[place] = effect;
    *out = place;
    return DW_OK;
fail:
    return err->code;
}

uint32_t dw_hub_effect_count(const dw_hub *hub)
{
    return hub->effect_count;
}

void dw_hub_free_effects(dw_hub *hub, bool *are_free)
{
    for (uint32_t i = 0; i < hub->effect_count; i++)
        are_free[i] = hub->effects[i].is_free = hub->effects[i].uses == 0;
}

/* ---- the clock ---- */

static dw_status set_time(dw_hub *hub, double total, double rest, dw_error *err)
{
    double ticks = (total + rest) * DW_TICKS_PER_SECOND;
    double most = (double)DW_PARTICLE_TICKS_MAX * DW_PARTICLE_RATE_ONE / hub->most_rate;

    if (!(ticks < most))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "time must stay below %g seconds (%g years; less where emitters have a time "
                       "scale above 1), got %g",
                       most / DW_TICKS_PER_SECOND, most / DW_TICKS_PER_SECOND / 31557600.0,
                       total + rest);
    hub->total = ticks < 0.0 ? 0.0 : total;
    hub->rest = ticks < 0.0 ? 0.0 : rest;
    hub->tick = ticks < 0.0 ? 0 : (uint64_t)llrint(ticks);
    if (hub->most_rate != DW_PARTICLE_RATE_ONE &&
        (hub->tick > hub->rebased ? hub->tick - hub->rebased : hub->rebased - hub->tick) >
            REBASE_TICKS)
        dw_hub_rebase(hub);
    return DW_OK;
}

/* Sums with what rounding loses, so that many small steps come to what one large one does. */
dw_status dw_hub_advance(dw_hub *hub, double seconds, dw_error *err)
{
    double sum = hub->total + seconds, lost;

    if (hub->is_paused || seconds == 0.0)
        return DW_OK;
    lost =
        fabs(hub->total) >= fabs(seconds) ? hub->total - sum + seconds : seconds - sum + hub->total;
    if (set_time(hub, sum, hub->rest + lost, err) != DW_OK)
        return err->code;
    hub->is_sought = seconds < 0.0;
    dw_hub_sweep(hub, false);
    return DW_OK;
}

dw_status dw_hub_seek(dw_hub *hub, double seconds, dw_error *err)
{
    if (!(seconds >= 0.0))
        return dw_fail(err, DW_ERROR_ARGUMENT, "time must be 0 or more seconds, got %g", seconds);
    hub->is_sought = true;
    return set_time(hub, seconds, 0.0, err);
}

void dw_hub_set_paused(dw_hub *hub, bool is_paused)
{
    hub->is_paused = is_paused;
}

bool dw_hub_is_paused(const dw_hub *hub)
{
    return hub->is_paused;
}

uint64_t dw_hub_tick(const dw_hub *hub)
{
    return hub->tick;
}

/* ---- reading ---- */

uint32_t dw_hub_layer_count(const dw_hub *hub)
{
    return hub->layer_count;
}

uint32_t dw_hub_emitter_count(const dw_hub *hub)
{
    return hub->emitter_count - hub->free_emitter_count;
}

bool dw_hub_are_known(const dw_hub *hub, const uint32_t *emitters, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (emitters[i] != DW_HUB_NONE &&
            (emitters[i] >= hub->emitter_count || hub->emitters[emitters[i]].effect == DW_HUB_NONE))
            return false;
    return true;
}

void dw_hub_forget_shots(dw_hub *hub)
{
    dw_hub_sweep(hub, true);
}

dw_hub_layer_stats dw_hub_get_stats(const dw_hub *hub, uint32_t layer)
{
    const dw_hub_layer *of = &hub->layers[layer];

    return (dw_hub_layer_stats) { of->requested, of->allocated, of->used, of->limit };
}

uint32_t dw_hub_row_count(const dw_hub *hub, uint32_t layer)
{
    return hub->regions[layer].count;
}

void dw_hub_read_rows(const dw_hub *hub, uint32_t layer, uint32_t *out)
{
    for (uint32_t i = 0; i < hub->regions[layer].count; i++)
        out[i] = hub->layers[layer].rows[i].emitter;
}

void dw_hub_set_camera(dw_hub *hub, const float *camera)
{
    hub->has_camera = camera != NULL;
    if (camera != NULL)
        memcpy(hub->camera, camera, sizeof hub->camera);
}
