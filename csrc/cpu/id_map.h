/* SPDX-License-Identifier: MIT */
/* From 64-bit ids, any value, to rows: small whole numbers that stay with an id for its life and
 * index the caller's arrays. The row freed last is the first to be reused.
 * Thread-safety: a map belongs to one thread at a time; concurrent finds are safe. */
#ifndef DW_CPU_ID_MAP_H
#define DW_CPU_ID_MAP_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define DW_ROW_NONE 0xffffffffu

/* Zeroed is empty. */
typedef struct dw_id_map {
    uint64_t *ids;       /* [row_capacity] */
    uint32_t *free_rows; /* [row_capacity], a stack */
    uint32_t *slots;     /* [slot_count]: a row or DW_ROW_NONE; linear probing */
    uint32_t row_capacity, row_count, free_count;
    uint32_t slot_count; /* 0 or a power of two, at least twice the ids */
} dw_id_map;

/* *is_new: the id got a row now; else *row is the one it has. */
dw_status dw_id_map_add(dw_id_map *map, uint64_t id, uint32_t *row, bool *is_new, dw_error *err);

/* Room for `count` more ids: adding them cannot fail then. */
dw_status dw_id_map_reserve(dw_id_map *map, uint64_t count, dw_error *err);

/* The row of the id, or DW_ROW_NONE. */
uint32_t dw_id_map_find(const dw_id_map *map, uint64_t id);

/* The row that the id had, or DW_ROW_NONE. */
uint32_t dw_id_map_remove(dw_id_map *map, uint64_t id);

uint32_t dw_id_map_row_count(const dw_id_map *map); /* one past the highest row ever used */
uint32_t dw_id_map_count(const dw_id_map *map);     /* ids now */

/* row < row_count. The id of a row that is not live is the one it had last. */
uint64_t dw_id_map_id(const dw_id_map *map, uint32_t row);
bool dw_id_map_is_live(const dw_id_map *map, uint32_t row);

/* Accepts a zeroed map, and leaves one. */
void dw_id_map_finish(dw_id_map *map);

#endif
