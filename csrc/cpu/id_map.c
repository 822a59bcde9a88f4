/* SPDX-License-Identifier: MIT */
#include "cpu/id_map.h"

#include "base/alloc.h"

#include <string.h>

#define SLOTS_MIN 16u

/* The finalizer of MurmurHash3 (Appleby): neighbouring ids land far apart. */
static uint64_t mix(uint64_t id)
{
    id = (id ^ id >> 33) * 0xff51afd7ed558ccdu;
    id = (id ^ id >> 33) * 0xc4ceb9fe1a85ec53u;
    return id ^ id >> 33;
}

static uint32_t home_of(const dw_id_map *map, uint64_t id)
{
    return (uint32_t)mix(id) & (map->slot_count - 1u);
}

/* The slot that holds the id, or the empty one where it belongs. Needs slots. */
static uint32_t slot_of(const dw_id_map *map, uint64_t id)
{
    uint32_t slot = home_of(map, id);

    while (map->slots[slot] != DW_ROW_NONE && map->ids[map->slots[slot]] != id)
        slot = (slot + 1u) & (map->slot_count - 1u);
    return slot;
}

static dw_status grow_slots(dw_id_map *map, uint64_t ids, dw_error *err)
{
    dw_id_map next = *map;
    uint64_t count = SLOTS_MIN;

    while (count < 2u * ids)
        count *= 2u;
    if (count <= map->slot_count)
        return DW_OK;
    if (DW_ALLOC(count, &next.slots, err) != DW_OK)
        return err->code;
    next.slot_count = (uint32_t)count;
    memset(next.slots, 0xff, count * sizeof *next.slots);
    for (uint32_t i = 0; i < map->slot_count; i++)
        if (map->slots[i] != DW_ROW_NONE)
            next.slots[slot_of(&next, map->ids[map->slots[i]])] = map->slots[i];
    dw_free(map->slots);
    *map = next;
    return DW_OK;
}

static dw_status grow_rows(dw_id_map *map, uint64_t rows, dw_error *err)
{
    uint64_t capacity = map->row_capacity + (uint64_t)map->row_capacity / 2u;
    uint64_t *ids = NULL;
    uint32_t *free_rows = NULL;

    if (rows <= map->row_capacity)
        return DW_OK;
    if (capacity < rows)
        capacity = rows < SLOTS_MIN ? SLOTS_MIN : rows;
    if (DW_ALLOC(capacity, &ids, err) != DW_OK)
        return err->code;
    if (DW_ALLOC(capacity, &free_rows, err) != DW_OK) {
        dw_free(ids);
        return err->code;
    }
    if (map->row_count > 0) {
        memcpy(ids, map->ids, map->row_count * sizeof *ids);
        memcpy(free_rows, map->free_rows, map->free_count * sizeof *free_rows);
    }
    dw_free(map->ids);
    dw_free(map->free_rows);
    map->ids = ids;
    map->free_rows = free_rows;
    map->row_capacity = (uint32_t)capacity;
    return DW_OK;
}

#define IDS_MAX 0x40000000u /* slots and rows are counted in 32 bits */

dw_status dw_id_map_reserve(dw_id_map *map, uint64_t count, dw_error *err)
{
    uint64_t ids = dw_id_map_count(map) + count;
    uint64_t rows = map->row_count + (count > map->free_count ? count - map->free_count : 0u);

    if (count > IDS_MAX || ids > IDS_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY, "ids must be at most %u at a time, got %llu",
                       IDS_MAX, (unsigned long long)ids);
    if (grow_slots(map, ids, err) != DW_OK)
        return err->code;
    return grow_rows(map, rows, err);
}

dw_status dw_id_map_add(dw_id_map *map, uint64_t id, uint32_t *row, bool *is_new, dw_error *err)
{
    uint32_t slot_count = map->slot_count;
    uint32_t slot = slot_count > 0 ? slot_of(map, id) : 0;

    *is_new = slot_count == 0 || map->slots[slot] == DW_ROW_NONE;
    if (!*is_new) {
        *row = map->slots[slot];
        return DW_OK;
    }
    if (dw_id_map_reserve(map, 1, err) != DW_OK)
        return err->code;
    if (map->slot_count != slot_count)
        slot = slot_of(map, id);
    *row = map->free_count > 0 ? map->free_rows[--map->free_count] : map->row_count++;
    map->slots[slot] = *row;
    map->ids[*row] = id;
    return DW_OK;
}

uint32_t dw_id_map_find(const dw_id_map *map, uint64_t id)
{
    return map->slot_count == 0 ? DW_ROW_NONE : map->slots[slot_of(map, id)];
}

/* Closes the gap at `slot`: what follows moves up unless it would pass its home. */
static void close_gap(dw_id_map *map, uint32_t slot)
{
    uint32_t mask = map->slot_count - 1u;

    for (uint32_t next = (slot + 1u) & mask; map->slots[next] != DW_ROW_NONE;
         next = (next + 1u) & mask) {
        uint32_t home = home_of(map, map->ids[map->slots[next]]);

        if (((next - home) & mask) >= ((next - slot) & mask)) {
            map->slots[slot] = map->slots[next];
            slot = next;
        }
    }
    map->slots[slot] = DW_ROW_NONE;
}

uint32_t dw_id_map_remove(dw_id_map *map, uint64_t id)
{
    uint32_t slot, row;

    if (map->slot_count == 0)
        return DW_ROW_NONE;
    slot = slot_of(map, id);
    row = map->slots[slot];
    if (row == DW_ROW_NONE)
        return DW_ROW_NONE;
    close_gap(map, slot);
    map->free_rows[map->free_count++] = row;
    return row;
}

uint32_t dw_id_map_row_count(const dw_id_map *map)
{
    return map->row_count;
}

uint32_t dw_id_map_count(const dw_id_map *map)
{
    return map->row_count - map->free_count;
}

uint64_t dw_id_map_id(const dw_id_map *map, uint32_t row)
{
    DW_ASSERT(row < map->row_count);
    return map->ids[row];
}

bool dw_id_map_is_live(const dw_id_map *map, uint32_t row)
{
    return row < map->row_count && dw_id_map_find(map, map->ids[row]) == row;
}

void dw_id_map_finish(dw_id_map *map)
{
    dw_free(map->ids);
    dw_free(map->free_rows);
    dw_free(map->slots);
    *map = (dw_id_map) { 0 };
}
