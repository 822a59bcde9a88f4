/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "cpu/id_map.h"

#include "check.h"

#include <string.h>

#define IDS 3000

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void an_empty_map_answers(void)
{
    dw_id_map map = { 0 };

    CHECK(dw_id_map_find(&map, 0) == DW_ROW_NONE);
    CHECK(dw_id_map_remove(&map, 7) == DW_ROW_NONE);
    CHECK(dw_id_map_count(&map) == 0 && dw_id_map_row_count(&map) == 0);
    CHECK(!dw_id_map_is_live(&map, 0));
    dw_id_map_finish(&map);
}

static void ids_of_every_size_keep_their_rows(void)
{
    static const uint64_t ids[] = { 0,          1,           UINT64_MAX,       1ull << 32,
                                    1ull << 63, 0xffffffffu, (1ull << 32) + 1, 0x100000000u * 7 };
    dw_id_map map = { 0 };
    uint32_t row;
    bool is_new;
    dw_error err;

    for (uint32_t i = 0; i < DW_COUNT_OF(ids); i++) {
        CHECK(dw_id_map_add(&map, ids[i], &row, &is_new, &err) == DW_OK);
        CHECK(row == i && is_new);
    }
    for (uint32_t i = 0; i < DW_COUNT_OF(ids); i++) {
        CHECK(dw_id_map_add(&map, ids[i], &row, &is_new, &err) == DW_OK);
        CHECK(row == i && !is_new && dw_id_map_id(&map, i) == ids[i]);
    }
    CHECK(dw_id_map_count(&map) == DW_COUNT_OF(ids));
    dw_id_map_finish(&map);
    CHECK(map.slots == NULL);
}

static void freed_rows_are_reused_last_first(void)
{
    dw_id_map map = { 0 };
    uint32_t row;
    bool is_new;
    dw_error err;

    for (uint64_t id = 0; id < 5; id++)
        CHECK(dw_id_map_add(&map, id, &row, &is_new, &err) == DW_OK);
    CHECK(dw_id_map_remove(&map, 1) == 1 && dw_id_map_remove(&map, 3) == 3);
    CHECK(dw_id_map_remove(&map, 3) == DW_ROW_NONE);
    CHECK(!dw_id_map_is_live(&map, 3) && dw_id_map_is_live(&map, 4));
    CHECK(dw_id_map_add(&map, 30, &row, &is_new, &err) == DW_OK && row == 3);
    CHECK(dw_id_map_add(&map, 3, &row, &is_new, &err) == DW_OK && row == 1);
    CHECK(dw_id_map_add(&map, 50, &row, &is_new, &err) == DW_OK && row == 5);
    CHECK(dw_id_map_count(&map) == 6 && dw_id_map_row_count(&map) == 6);
    dw_id_map_finish(&map);
}

/* Adds, finds and removes at random beside a plain array; few distinct ids, so that gaps in chains
 * of probes open and close all the time. */
static void a_long_life_matches_a_plain_array(void)
{
    static uint32_t rows[IDS];
    dw_id_map map = { 0 };
    uint32_t count = 0;
    dw_error err;

    memset(rows, 0xff, sizeof rows);
    for (int round = 0; round < 200000; round++) {
        uint32_t which = (uint32_t)(random_bits() % IDS);
        uint64_t id = which * 0x9e3779b97f4a7c15u;

        CHECK(dw_id_map_find(&map, id) == rows[which]);
        if (random_bits() % 5 < 2) {
            CHECK(dw_id_map_remove(&map, id) == rows[which]);
            count -= rows[which] != DW_ROW_NONE;
            rows[which] = DW_ROW_NONE;
        } else {
            uint32_t row;
            bool is_new;

            CHECK(dw_id_map_add(&map, id, &row, &is_new, &err) == DW_OK);
            CHECK(is_new == (rows[which] == DW_ROW_NONE) && (is_new || row == rows[which]));
            count += is_new;
            rows[which] = row;
        }
        CHECK(dw_id_map_count(&map) == count);
    }
    for (uint32_t i = 0; i < IDS; i++)
        CHECK(rows[i] == DW_ROW_NONE || (dw_id_map_is_live(&map, rows[i]) &&
                                         dw_id_map_id(&map, rows[i]) == i * 0x9e3779b97f4a7c15u));
    dw_id_map_finish(&map);
}

static void reserving_is_enough(void)
{
    dw_id_map map = { 0 };
    int64_t blocks;
    uint32_t row;
    bool is_new;
    dw_error err;

    CHECK(dw_id_map_reserve(&map, 1000, &err) == DW_OK);
    blocks = dw_alloc_live_count();
    for (uint64_t id = 0; id < 1000; id++)
        CHECK(dw_id_map_add(&map, id << 40, &row, &is_new, &err) == DW_OK && row == id);
    CHECK(dw_alloc_live_count() == blocks && map.row_capacity == 1000);
    CHECK(dw_id_map_reserve(&map, 1ull << 40, &err) == DW_ERROR_CAPACITY);
    CHECK(dw_id_map_count(&map) == 1000);
    dw_id_map_finish(&map);
}

int main(void)
{
    an_empty_map_answers();
    ids_of_every_size_keep_their_rows();
    freed_rows_are_reused_last_first();
    a_long_life_matches_a_plain_array();
    reserving_is_enough();
    CHECK(dw_alloc_live_count() == 0);
    return 0;
}
