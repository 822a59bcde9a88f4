/* SPDX-License-Identifier: MIT */
#include "cpu/dither.h"

#include "base/alloc.h"
#include "base/simd.h"

#include <string.h>

typedef struct window {
    const dw_dither_def *def;
    const float *amounts;
    uint32_t count;
    uint8_t *masks;
    uint16_t *rows; /* [thread][width] */
} window;

static void formula_row(const dw_dither_def *def, uint32_t y, uint32_t count, uint16_t *ranks)
{
    for (uint32_t i = 0; i < count; i++)
        ranks[i] = (uint16_t)dw_dither_formula(def->pattern, (uint32_t)def->origin_x + i, y,
                                               def->instance);
}

/* ranks: the first `period` are there. */
static void repeat_row(uint16_t *ranks, uint32_t period, uint32_t count)
{
    for (uint32_t done = period; done < count; done *= 2)
        memcpy(ranks + done, ranks, (done < count - done ? done : count - done) * sizeof *ranks);
}

static void rank_row(const dw_dither_def *def, uint32_t row, uint16_t *ranks)
{
    uint32_t y = (uint32_t)def->origin_y + row, x = (uint32_t)def->origin_x;
    uint32_t side = def->pattern == DW_DITHER_PATTERN_BLUE ? def->side : 4u << def->pattern;
    uint32_t period = side < def->width ? side : def->width;

    if (def->pattern == DW_DITHER_PATTERN_HASH) {
        formula_row(def, y, def->width, ranks);
        return;
    }
    if (def->pattern == DW_DITHER_PATTERN_BLUE)
        for (uint32_t i = 0; i < period; i++)
            ranks[i] = def->table[dw_dither_table_index(side, x + i, y)];
    else
        formula_row(def, y, period, ranks);
    repeat_row(ranks, period, def->width);
}

void dw_dither_ranks(const dw_dither_def *def, uint16_t *ranks)
{
    for (uint32_t row = 0; row < def->height; row++)
        rank_row(def, row, ranks + (size_t)row * def->width);
}

DW_SIMD static void compare_row(const uint16_t *ranks, uint32_t width, uint32_t n, uint8_t *mask)
{
    for (uint32_t i = 0; i < width; i++)
        mask[i] = (uint8_t)(ranks[i] < n);
}

static void mask_row(void *user, int64_t row, int worker)
{
    const window *self = user;
    const dw_dither_def *def = self->def;
    uint32_t ranks = dw_dither_rank_count(def->pattern, def->side);
    uint16_t *ranks_of_row = self->rows + (size_t)worker * def->width;

    rank_row(def, (uint32_t)row, ranks_of_row);
    for (uint32_t k = 0; k < self->count; k++)
        compare_row(ranks_of_row, def->width, dw_discard_count(def->rule, ranks, self->amounts[k]),
                    self->masks + ((size_t)k * def->height + (size_t)row) * def->width);
}

dw_status dw_discard_masks(const dw_dither_def *def, const float *amounts, uint32_t count,
                           uint8_t *masks, const dw_run *run, dw_error *err)
{
    window self = { def, amounts, count, masks, NULL };
    size_t threads = (size_t)dw_run_thread_count(run);
    dw_status status;

    if (DW_ALLOC(threads * def->width, &self.rows, err) != DW_OK)
        return err->code;
    status = dw_parallel_for(run, def->height, mask_row, &self, err);
    dw_free(self.rows);
    return status;
}
