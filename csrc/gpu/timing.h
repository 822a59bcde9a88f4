/* SPDX-License-Identifier: MIT */
/* A small table of named durations: the last run of each.
 * Thread-safety: Unsafe; the owner locks. */
#ifndef DW_GPU_TIMING_H
#define DW_GPU_TIMING_H

#define DW_TIMING_NAME_MAX 48
#define DW_TIMINGS_MAX     256

typedef struct dw_timing {
    char name[DW_TIMING_NAME_MAX];
    double milliseconds;
} dw_timing;

typedef struct dw_timing_table {
    int count;
    dw_timing rows[DW_TIMINGS_MAX]; /* in order of first appearance */
} dw_timing_table;

/* Longer names are cut; names beyond DW_TIMINGS_MAX are not kept. */
void dw_timing_set(dw_timing_table *table, const char *name, double milliseconds);
void dw_timing_add(dw_timing_table *table, const char *name, double milliseconds);

#endif
