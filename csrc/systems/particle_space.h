/* SPDX-License-Identifier: MIT */
/* Whole numbers from 0 on, handed out in runs and given back in any order: places in tables that
 * grow. Runs that come free join their neighbours and are found by size: neither takes longer the
 * more there are. Thread-safety: one thread at a time for each dw_space. */
#ifndef DW_SYSTEMS_PARTICLE_SPACE_H
#define DW_SYSTEMS_PARTICLE_SPACE_H

#include "base/status.h"

#include <stdint.h>

#define DW_SPACE_CLASSES 32

/* Zeroed at first. */
typedef struct dw_space {
    struct dw_space_run *runs; /* by a run's first and last number; zeros in runs that are taken */
    uint32_t end, capacity;    /* numbers from `end` on were never taken, or are free again */
    uint32_t
        heads[DW_SPACE_CLASSES]; /* of free runs of 2^i up to 2^(i + 1); 1 + the first number */
    uint64_t looks;              /* free runs looked at so far */
} dw_space;

/* Accepts a zeroed one, and leaves one. */
void dw_space_finish(dw_space *space);

/* Room for `more` numbers in any runs: dw_space_take does not fail then. */
dw_status dw_space_reserve(dw_space *space, uint64_t more, const char *what, dw_error *err);

/* The first of `count` > 0 numbers, the lowest ones where nothing has come free. */
uint32_t dw_space_take(dw_space *space, uint32_t count);
void dw_space_give(dw_space *space, uint32_t first, uint32_t count);

#endif
