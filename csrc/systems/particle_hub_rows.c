/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "systems/particle_hub_internal.h"

#include <string.h>

#define ROWS_MAX    ((1u << DW_HUB_INDEX_BITS) - DW_PARTICLE_ROW_GROUP) /* of a layer */
#define STEPS_LATE  8     /* of children of children, at most as deep */
#define SWEEP_TICKS 16384 /* 1/4 s: shots that are over may rest that long */

/* ---- places ---- */

dw_hub_row *dw_hub_row_at(dw_hub *hub, uint32_t place)
{
    return &hub->layers[DW_HUB_PLACE_LAYER(place)].rows[DW_HUB_PLACE_INDEX(place)];
}

static uint32_t row_of(const dw_hub *hub, uint32_t place)
{
    return hub->regions[DW_HUB_PLACE_LAYER(place)].first + DW_HUB_PLACE_INDEX(place);
}

dw_particle_emitter *dw_hub_record(dw_hub *hub, uint32_t place)
{
    return &hub->records[row_of(hub, place)];
}

void dw_hub_mark_row(dw_hub *hub, uint32_t place)
{
    uint32_t row = row_of(hub, place);

    dw_hub_mark(hub, DW_PARTICLE_EMITTERS, row, row + 1);
}

/* ---- room ---- */

static dw_status grow_layer(dw_hub_layer *layer, uint32_t capacity, dw_error *err)
{
    uint32_t had = layer->rows_capacity;

    if (capacity <= had)
        return DW_OK;
    if (dw_hub_reserve((void **)&layer->free_rows, sizeof *layer->free_rows, &had, capacity, "rows",
                       err) != DW_OK)
        return err->code;
    return dw_hub_reserve((void **)&layer->rows, sizeof *layer->rows, &layer->rows_capacity,
                          capacity, "rows", err);
}

/* Rows with state lie where the region begins now. */
static void move_streams(dw_hub *hub, uint32_t layer)
{
    for (uint32_t i = 0; i < hub->regions[layer].count; i++)
        if (hub->layers[layer].rows[i].stream != DW_HUB_NONE)
            dw_particle_memory_move_row(hub->memory, hub->layers[layer].rows[i].stream,
                                        hub->regions[layer].first + i);
}

/* Lays all regions out anew, in the order of layers. */
static dw_status lay_out(dw_hub *hub, const uint32_t *capacities, dw_error *err)
{
    dw_particle_emitter *records;
    uint64_t total = 0;
    uint32_t first = 0;

    for (uint32_t i = 0; i < hub->layer_count; i++)
        total += capacities[i];
    if (total > UINT32_MAX / 4)
        return dw_fail(err, DW_ERROR_CAPACITY, "a hub has at most %u rows, wanted %llu",
                       UINT32_MAX / 4, (unsigned long long)total);
    if (DW_ALLOC_ZEROED(total, &records, err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < hub->layer_count; i++) {
        dw_particle_region *region = &hub->regions[i];

        if (region->count > 0)
            memcpy(records + first, hub->records + region->first, region->count * sizeof *records);
        for (uint32_t j = region->count; j < capacities[i]; j++)
            records[first + j].part = DW_PARTICLE_NONE;
        region->first = first;
        move_streams(hub, i);
        hub->layers[i].capacity = capacities[i];
        first += capacities[i];
    }
    dw_free(hub->records);
    hub->records = records;
    hub->row_capacity = hub->row_count = (uint32_t)total;
    dw_hub_mark(hub, DW_PARTICLE_EMITTERS, 0, hub->row_count);
    dw_hub_mark(hub, DW_PARTICLE_REGIONS, 0, hub->layer_count);
    return DW_OK;
}

dw_status dw_hub_reserve_rows(dw_hub *hub, const uint64_t *more, dw_error *err)
{
    uint32_t capacities[DW_PARTICLE_LAYERS_MAX];
    bool has_room = true;

    for (uint32_t i = 0; i < hub->layer_count; i++) {
        const dw_hub_layer *layer = &hub->layers[i];
        uint64_t wanted = more[i] + layer->used, capacity = 2 * (uint64_t)layer->capacity;

        capacities[i] = layer->capacity;
        if (wanted <= layer->capacity)
            continue;
        has_room = false;
        capacity = capacity < wanted ? wanted : capacity;
        capacity += DW_PARTICLE_ROW_GROUP - 1;
        capacity -= capacity % DW_PARTICLE_ROW_GROUP;
        if (capacity > ROWS_MAX)
            return dw_fail(err, DW_ERROR_CAPACITY, "a layer has at most %u rows, wanted %llu",
                           ROWS_MAX, (unsigned long long)wanted);
        capacities[i] = (uint32_t)capacity;
    }
    if (has_room)
        return DW_OK;
    for (uint32_t i = 0; i < hub->layer_count; i++)
        if (grow_layer(&hub->layers[i], capacities[i], err) != DW_OK)
            return err->code;
    return lay_out(hub, capacities, err);
}

/* ---- free rows ---- */

/* The lowest index comes first, so that what a hub gives depends on which rows are free, not on the
 * order in which they came free. */
static void push_free(dw_hub_layer *layer, uint32_t index)
{
    uint32_t *heap = layer->free_rows, at = layer->free_count++;

    while (at > 0 && heap[(at - 1) / 2] > index) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = index;
}

static uint32_t pop_free(dw_hub_layer *layer)
{
    uint32_t *heap = layer->free_rows, least = heap[0], last = heap[--layer->free_count];
    uint32_t at = 0, count = layer->free_count;

    while (2 * at + 1 < count) {
        uint32_t child = 2 * at + 1;

        child += child + 1 < count && heap[child + 1] < heap[child];
        if (heap[child] >= last)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return least;
}

/* ---- rows ---- */

static uint32_t take_index(dw_hub *hub, uint32_t layer)
{
    dw_hub_layer *of = &hub->layers[layer];

    of->used++;
    if (of->free_count > 0)
        return pop_free(of);
    dw_hub_mark(hub, DW_PARTICLE_REGIONS, layer, layer + 1);
    return hub->regions[layer].count++;
}

uint32_t dw_hub_take_row(dw_hub *hub, uint32_t emitter, uint32_t layer, uint32_t requested,
                         const dw_particle_emitter *record)
{
    dw_hub_emitter *owner = &hub->emitters[emitter];
    uint32_t place = DW_HUB_PLACE(layer, take_index(hub, layer));

    *dw_hub_row_at(hub, place) = (dw_hub_row) { .emitter = emitter,
                                                .previous = DW_HUB_NONE,
                                                .next = owner->head,
                                                .requested = requested,
                                                .shot = DW_HUB_NONE,
                                                .stream = DW_HUB_NONE,
                                                .reach = record->bound_radius };
    if (owner->head != DW_HUB_NONE)
        dw_hub_row_at(hub, owner->head)->previous = place;
    owner->head = place;
    *dw_hub_record(hub, place) = *record;
    hub->layers[layer].requested += requested;
    hub->layers[layer].allocated += record->count;
    dw_hub_mark_row(hub, place);
    return place;
}

static void forget_shot(dw_hub *hub, uint32_t shot)
{
    uint32_t last = hub->shots[--hub->shot_count];

    hub->shots[shot] = last;
    dw_hub_row_at(hub, last)->shot = shot;
}

void dw_hub_free_row(dw_hub *hub, uint32_t place)
{
    dw_hub_layer *layer = &hub->layers[DW_HUB_PLACE_LAYER(place)];
    dw_particle_emitter *record = dw_hub_record(hub, place);
    dw_hub_row *row = dw_hub_row_at(hub, place);

    if (row->shot != DW_HUB_NONE)
        forget_shot(hub, row->shot);
    if (row->stream != DW_HUB_NONE)
        dw_particle_memory_remove_row(hub->memory, row->stream);
    if (row->previous != DW_HUB_NONE)
        dw_hub_row_at(hub, row->previous)->next = row->next;
    else
        hub->emitters[row->emitter].head = row->next;
    if (row->next != DW_HUB_NONE)
        dw_hub_row_at(hub, row->next)->previous = row->previous;
    layer->requested -= row->requested;
    layer->allocated -= record->count;
    layer->used--;
    push_free(layer, DW_HUB_PLACE_INDEX(place));
    *record = (dw_particle_emitter) { .part = DW_PARTICLE_NONE };
    *row = (dw_hub_row) { .emitter = DW_HUB_NONE,
                          .previous = DW_HUB_NONE,
                          .next = DW_HUB_NONE,
                          .shot = DW_HUB_NONE,
                          .stream = DW_HUB_NONE };
    dw_hub_mark_row(hub, place);
    if (layer->used == 0) {
        layer->free_count = hub->regions[DW_HUB_PLACE_LAYER(place)].count = 0;
        dw_hub_mark(hub, DW_PARTICLE_REGIONS, DW_HUB_PLACE_LAYER(place),
                    DW_HUB_PLACE_LAYER(place) + 1);
    }
}

/* ---- rows that live once ---- */

/* Own ticks after which a row is over; what comes of it does so a step later, each time. */
uint64_t dw_hub_end_of(const dw_hub *hub, const dw_particle_emitter *e)
{
    uint32_t part = DW_EMITTER_PART(e->part);
    uint64_t step = ((uint64_t)DW_PARTICLE_STEP * e->rate >> 16) + 1;

    return hub->traits[part].end + (hub->traits[part].law == DW_HUB_NONE ? 0 : STEPS_LATE * step);
}

dw_status dw_hub_reserve_shots(dw_hub *hub, uint64_t more, dw_error *err)
{
    return dw_hub_reserve((void **)&hub->shots, sizeof *hub->shots, &hub->shot_capacity,
                          hub->shot_count + more, "shots", err);
}

void dw_hub_add_shot(dw_hub *hub, uint32_t place)
{
    dw_hub_row_at(hub, place)->shot = hub->shot_count;
    hub->shots[hub->shot_count++] = place;
    if (hub->next_sweep > hub->tick + SWEEP_TICKS)
        hub->next_sweep = hub->tick + SWEEP_TICKS;
}

void dw_hub_sweep(dw_hub *hub, bool is_due)
{
    if (hub->is_sought || hub->shot_count == 0 || hub->tick == hub->swept ||
        (hub->tick < hub->next_sweep && !is_due))
        return;
    hub->swept = hub->tick;
    for (uint32_t i = hub->shot_count; i-- > 0;) {
        const dw_particle_emitter *e = dw_hub_record(hub, hub->shots[i]);
        int64_t local = dw_particle_local(*e, (uint32_t)hub->tick, (uint32_t)(hub->tick >> 32));

        if (local >= (int64_t)dw_hub_end_of(hub, e))
            dw_hub_free_row(hub, hub->shots[i]);
    }
    dw_hub_release(hub);
    hub->next_sweep = hub->shot_count > 0 ? hub->tick + SWEEP_TICKS : UINT64_MAX;
}
