/* SPDX-License-Identifier: MIT */
#include "systems/particle_space.h"

#include "base/alloc.h"

#include <string.h>

#define LOOKS_MOST 8 /* at runs of one class; those of the next are large enough */

struct dw_space_run {
    uint32_t length;         /* at both ends of a free run */
    uint32_t previous, next; /* 1 + the first numbers of others of its class; at the first */
};

void dw_space_finish(dw_space *space)
{
    dw_free(space->runs);
    memset(space, 0, sizeof *space);
}

dw_status dw_space_reserve(dw_space *space, uint64_t more, const char *what, dw_error *err)
{
    uint64_t count = space->end + more, room = 2 * (uint64_t)space->capacity;
    struct dw_space_run *runs;

    if (count <= space->capacity)
        return DW_OK;
    room = room < count ? count : room;
    if (room > UINT32_MAX / 2)
        return dw_fail(err, DW_ERROR_CAPACITY, "%s: at most %u, wanted %llu", what, UINT32_MAX / 2,
                       (unsigned long long)count);
    if (DW_ALLOC_ZEROED(room, &runs, err) != DW_OK)
        return err->code;
    if (space->end > 0)
        memcpy(runs, space->runs, space->end * sizeof *runs);
    dw_free(space->runs);
    space->runs = runs;
    space->capacity = (uint32_t)room;
    return DW_OK;
}

static uint32_t class_of(uint32_t length)
{
    uint32_t class = 0;

    while (length >>= 1)
        class ++;
    return class;
}

static void link_run(dw_space *space, uint32_t first, uint32_t length)
{
    uint32_t *head = &space->heads[class_of(length)];

    space->runs[first] = (struct dw_space_run) { length, 0, *head };
    space->runs[first + length - 1].length = length;
    if (*head != 0)
        space->runs[*head - 1].previous = first + 1;
    *head = first + 1;
}

static void unlink_run(dw_space *space, uint32_t first)
{
    struct dw_space_run run = space->runs[first];

    if (run.previous != 0)
        space->runs[run.previous - 1].next = run.next;
    else
        space->heads[class_of(run.length)] = run.next;
    if (run.next != 0)
        space->runs[run.next - 1].previous = run.previous;
    space->runs[first].length = space->runs[first + run.length - 1].length = 0;
}

/* 1 + the first number of a free run that is long enough, or 0. */
static uint32_t find_run(dw_space *space, uint32_t count)
{
    uint32_t class = class_of(count), looks = 0;

    for (uint32_t at = space->heads[class]; at != 0 && looks < LOOKS_MOST; looks++) {
        space->looks++;
        if (space->runs[at - 1].length >= count)
            return at;
        at = space->runs[at - 1].next;
    }
    while (++class < DW_SPACE_CLASSES)
        if (space->heads[class] != 0)
            return space->heads[class];
    return 0;
}

uint32_t dw_space_take(dw_space *space, uint32_t count)
{
    uint32_t at = find_run(space, count), length;

    DW_ASSERT(count > 0);
    if (at == 0) {
        DW_ASSERT(count <= space->capacity - space->end);
        space->end += count;
        return space->end - count;
    }
    length = space->runs[at - 1].length;
    unlink_run(space, at - 1);
    if (length > count)
        link_run(space, at - 1 + count, length - count);
    return at - 1;
}

void dw_space_give(dw_space *space, uint32_t first, uint32_t count)
{
    uint32_t end = first + count, length;

    DW_ASSERT(count > 0 && end <= space->end);
    if (first > 0 && (length = space->runs[first - 1].length) > 0) {
        unlink_run(space, first - length);
        first -= length;
    }
    if (end < space->end && (length = space->runs[end].length) > 0) {
        unlink_run(space, end);
        end += length;
    }
    if (end == space->end)
        space->end = first;
    else
        link_run(space, first, end - first);
}
