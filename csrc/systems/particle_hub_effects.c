/* SPDX-License-Identifier: MIT */
#include "systems/particle_hub_internal.h"

#include <math.h>
#include <string.h>

uint32_t dw_hub_wanted(const dw_hub *hub, uint32_t part, double share)
{
    const dw_hub_trait *trait = &hub->traits[part];
    double wanted = trait->parent != DW_HUB_NONE
                        ? (double)trait->count * dw_hub_wanted(hub, trait->parent, share)
                        : floor(trait->count * share + 0.5);

    wanted = wanted < 1.0 && trait->count > 0 && trait->parent == DW_HUB_NONE ? 1.0 : wanted;
    if (trait->is_spare)
        return 0;
    return wanted > 4294967295.0 ? UINT32_MAX : (uint32_t)wanted;
}

/* ---- parts ---- */

static uint32_t add_curve(dw_hub *hub, const float *curve, uint32_t *at)
{
    if (curve == NULL)
        return DW_PARTICLE_NONE;
    memcpy(hub->curves + *at, curve, DW_PARTICLE_KNOTS * sizeof *curve);
    *at += DW_PARTICLE_KNOTS;
    return *at - DW_PARTICLE_KNOTS;
}

static dw_hub_trait trait_of(const dw_hub_part *given, uint32_t first)
{
    const dw_hub_simulation *simulation = given->simulation;
    dw_hub_trait trait = { .count = given->recipe.count,
                           .law = DW_HUB_NONE,
                           .parent = DW_HUB_NONE,
                           .burst = DW_HUB_NONE };

    if (simulation == NULL)
        return trait;
    trait.height_count = simulation->height_count;
    trait.rate = simulation->law.rate;
    if (simulation->parent != DW_HUB_NONE)
        trait.parent = first + simulation->parent;
    if (simulation->burst != DW_HUB_NONE)
        trait.burst = first + simulation->burst;
    return trait;
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
        hub->traits[room->part + i] = trait_of(&given[i], room->part);
    }
    return DW_OK;
}

/* ---- shots ---- */

/* Whether dw_hub_emit plays a part: one that lives once, or where there is none the part that comes
 * in bursts, else the first one, with all that comes of it. */
static bool is_shot(const dw_hub_part *parts, uint32_t count, uint32_t index)
{
    uint32_t chosen = 0;
    bool has_once = false;

    for (uint32_t i = 0; i < count; i++) {
        has_once |= (parts[i].recipe.flags & DW_PART_IS_ONCE) != 0;
        if ((parts[i].recipe.flags & DW_PART_IS_BURST) != 0)
            chosen = i;
    }
    if (has_once)
        return (parts[index].recipe.flags & DW_PART_IS_ONCE) != 0;
    while (parts[index].simulation != NULL && parts[index].simulation->parent != DW_HUB_NONE)
        index = parts[index].simulation->parent;
    return index == chosen;
}

static bool are_once(const dw_hub_part *parts, uint32_t count)
{
    bool are = true;

    for (uint32_t i = 0; i < count; i++)
        are &= (parts[i].recipe.flags & DW_PART_IS_ONCE) != 0;
    return are;
}

/* Parts that only shots have. */
static uint32_t count_shots(const dw_hub_part *parts, uint32_t count)
{
    uint32_t shots = 0;

    for (uint32_t i = 0; i < count && !are_once(parts, count); i++)
        shots += is_shot(parts, count, i);
    return shots;
}

/* Copies of the parts that shots are of, behind the effect's own. */
static void make_shots(dw_hub *hub, dw_hub_effect *effect, const dw_hub_part *parts, uint32_t count)
{
    uint32_t copy = effect->first_part + count;

    effect->first_shot = are_once(parts, count) ? effect->first_part : copy;
    effect->shot_count = count;
    if (effect->first_shot != copy)
        return;
    for (uint32_t i = 0; i < count; i++) {
        dw_particle_part *part = &hub->parts[copy];
        dw_hub_trait *trait = &hub->traits[copy];

        if (!is_shot(parts, count, i))
            continue;
        hub->placed[i].count = copy++;
        *part = hub->parts[effect->first_part + i];
        *trait = hub->traits[effect->first_part + i];
        trait->is_spare = false;
        if (trait->parent != DW_HUB_NONE)
            trait->parent = hub->placed[trait->parent - effect->first_part].count;
        if ((part->flags & DW_PART_IS_ONCE) != 0)
            continue;
        if ((part->flags & DW_PART_IS_RENEWED) != 0)
            trait->law = trait->burst = DW_HUB_NONE;
        part->flags &= ~(DW_PART_IS_BURST | DW_PART_IS_EVEN | DW_PART_IS_RENEWED);
        part->flags |= DW_PART_IS_ONCE;
        part->gap = part->gap_jitter = 0;
    }
    effect->shot_count = copy - effect->first_shot;
}

/* How long parts that live once do, with all that comes of them. */
static void set_ends(dw_hub *hub, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        const dw_particle_part *part = &hub->parts[i];
        dw_hub_trait *trait = &hub->traits[i];

        trait->end = (uint64_t)part->life_least + part->life_span;
        trait->end += trait->parent != DW_HUB_NONE ? hub->traits[trait->parent].end
                                                   : (uint64_t)part->gap + part->gap_jitter;
    }
    for (uint32_t i = first + count; i-- > first;) {
        const dw_hub_trait *trait = &hub->traits[i];

        if (trait->parent != DW_HUB_NONE && hub->traits[trait->parent].end < trait->end)
            hub->traits[trait->parent].end = trait->end;
    }
    for (uint32_t i = first; i < first + count; i++)
        if (hub->traits[i].parent != DW_HUB_NONE)
            hub->traits[i].end = hub->traits[hub->traits[i].parent].end;
}

/* ---- effects ---- */

static dw_status reserve_values(dw_hub *hub, const dw_hub_room *room, dw_error *err)
{
    uint64_t parts = (uint64_t)room->part + room->part_count;
    uint32_t capacity = hub->part_capacity;

    if (parts > DW_PARTICLE_PARTS_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "effect: a hub has at most %d parts of effects, all different; let emitters "
                       "share effects",
                       DW_PARTICLE_PARTS_MAX);
    DW_TRY(
        dw_hub_reserve((void **)&hub->traits, sizeof *hub->traits, &capacity, parts, "parts", err));
    DW_TRY(dw_hub_reserve((void **)&hub->placed, sizeof *hub->placed, &hub->placed_capacity,
                          room->part_count, "parts", err)); /* by part of an effect */
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
                         .part_count = count + count_shots(parts, count),
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
    DW_TRY(dw_hub_add_laws(hub, parts, count, effect.first_part, err));
    make_shots(hub, &effect, parts, count);
    set_ends(hub, effect.first_part, count);
    set_ends(hub, effect.first_shot, effect.shot_count);
    dw_hub_mark(hub, DW_PARTICLE_PARTS, effect.room.part,
                effect.room.part + effect.room.part_count);
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
    for (uint32_t i = 0; i < hub->effect_count; i++) {
        if (hub->effects[i].uses == 0 && !hub->effects[i].is_free)
            dw_hub_free_laws(hub, &hub->effects[i]);
        are_free[i] = hub->effects[i].is_free = hub->effects[i].uses == 0;
    }
}
