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
    dw_hub_finish_states(hub);
    for (uint32_t i = 0; i < hub->layer_count; i++) {
        dw_free(hub->layers[i].rows);
        dw_free(hub->layers[i].free_rows);
    }
    dw_free(hub->records);
    dw_free(hub->parts);
    dw_free(hub->traits);
    dw_free(hub->placed);
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
    hub->version++;
    if (range->begin >= range->end)
        *range = (dw_particle_range) { begin, end };
    range->begin = begin < range->begin ? begin : range->begin;
    range->end = end > range->end ? end : range->end;
}

/* ---- layers ---- */

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

/* ---- the clock ---- */

static dw_status check_time(const dw_hub *hub, double seconds, uint64_t *tick, dw_error *err)
{
    double ticks = seconds * DW_TICKS_PER_SECOND;
    double most = (double)DW_PARTICLE_TICKS_MAX * DW_PARTICLE_RATE_ONE / hub->most_rate;

    if (!(ticks < most))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "time must stay below %g seconds (%g years; less where emitters have a time "
                       "scale above 1), got %g",
                       most / DW_TICKS_PER_SECOND, most / DW_TICKS_PER_SECOND / 31557600.0,
                       seconds);
    *tick = ticks < 0.0 ? 0 : (uint64_t)llrint(ticks);
    if (*tick < hub->tick && dw_hub_is_simulating(hub))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "time must not go back, from %g to %g seconds, while particles are "
                       "registered that are simulated (parts with simulation=\"renewal\" or "
                       "\"dynamic\", and mode=\"seed\"): replay it from its beginning in a new "
                       "ParticleManager, or unregister them",
                       (double)hub->tick / DW_TICKS_PER_SECOND, ticks / DW_TICKS_PER_SECOND);
    return DW_OK;
}

static dw_status set_time(dw_hub *hub, double total, double rest, const dw_run *run, dw_error *err)
{
    bool is_past = total + rest < 0.0;
    uint64_t tick = 0;

    if (check_time(hub, total + rest, &tick, err) != DW_OK)
        return err->code;
    if (dw_hub_is_simulating(hub) && dw_hub_step(hub, tick, run, err) != DW_OK) {
        hub->total = (double)hub->tick / DW_TICKS_PER_SECOND;
        hub->rest = 0.0;
        return err->code;
    }
    hub->total = is_past ? 0.0 : total;
    hub->rest = is_past ? 0.0 : rest;
    hub->tick = tick;
    if (hub->most_rate != DW_PARTICLE_RATE_ONE &&
        (hub->tick > hub->rebased ? hub->tick - hub->rebased : hub->rebased - hub->tick) >
            REBASE_TICKS)
        dw_hub_rebase(hub);
    return DW_OK;
}

/* Sums with what rounding loses, so that many small steps come to what one large one does. */
dw_status dw_hub_advance(dw_hub *hub, double seconds, const dw_run *run, dw_error *err)
{
    double sum = hub->total + seconds, lost;

    if (hub->is_paused || seconds == 0.0)
        return DW_OK;
    lost =
        fabs(hub->total) >= fabs(seconds) ? hub->total - sum + seconds : seconds - sum + hub->total;
    if (set_time(hub, sum, hub->rest + lost, run, err) != DW_OK)
        return err->code;
    hub->is_sought = seconds < 0.0;
    dw_hub_sweep(hub, false);
    return DW_OK;
}

dw_status dw_hub_seek(dw_hub *hub, double seconds, const dw_run *run, dw_error *err)
{
    if (!(seconds >= 0.0))
        return dw_fail(err, DW_ERROR_ARGUMENT, "time must be 0 or more seconds, got %g", seconds);
    hub->is_sought = true;
    return set_time(hub, seconds, 0.0, run, err);
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
