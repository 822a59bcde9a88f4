/* SPDX-License-Identifier: MIT */
#include "cpu/selftest.h"

#include <math.h>

#define BATCH 4096 /* triples per parallel item */

typedef struct work {
    const uint32_t *operands;
    uint32_t *results;
    int64_t item_count;
} work;

static void run_batch(void *user, int64_t batch, int worker)
{
    const work *self = user;
    int64_t end = (batch + 1) * BATCH < self->item_count ? (batch + 1) * BATCH : self->item_count;

    (void)worker;
    for (int64_t item = batch * BATCH; item < end; item++) {
        const uint32_t *from = self->operands + 3 * item;
        uint32_t *to = self->results + DW_SELFTEST_OP_COUNT * item;

#define DW_SELFTEST_RUN(index, name) to[index] = dw_selftest_##name(from[0], from[1], from[2]);
        DW_SELFTEST_OPS(DW_SELFTEST_RUN)
#undef DW_SELFTEST_RUN
    }
}

static void run_batch_float64(void *user, int64_t batch, int worker)
{
    const work *self = user;
    int64_t end = (batch + 1) * BATCH < self->item_count ? (batch + 1) * BATCH : self->item_count;

    (void)worker;
    for (int64_t item = batch * BATCH; item < end; item++) {
        double x = (double)dw_selftest_operand(self->operands[3 * item]);
        double y = (double)dw_selftest_operand(self->operands[3 * item + 1]);
        double z = (double)dw_selftest_operand(self->operands[3 * item + 2]);
        uint32_t *to = self->results + DW_SELFTEST_FLOAT64_COUNT * item;

        to[0] = dw_bits_from_float((float)(x / y));
        to[1] = dw_bits_from_float((float)sqrt(fabs(z)));
        to[2] = dw_bits_from_float((float)(x * y + z));
    }
}

dw_status dw_selftest_cpu(const uint32_t *operands, int64_t item_count, uint32_t *results,
                          const dw_run *run, dw_error *err)
{
    work self = { operands, results, item_count };

    return dw_parallel_for(run, (item_count + BATCH - 1) / BATCH, run_batch, &self, err);
}

dw_status dw_selftest_cpu_float64(const uint32_t *operands, int64_t item_count, uint32_t *results,
                                  const dw_run *run, dw_error *err)
{
    work self = { operands, results, item_count };

    return dw_parallel_for(run, (item_count + BATCH - 1) / BATCH, run_batch_float64, &self, err);
}
