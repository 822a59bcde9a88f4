/* SPDX-License-Identifier: MIT */
#include "gpu/timing.h"

#include <stdio.h>
#include <string.h>

/* The row of that name, made when it is new; NULL when the table is full. */
static dw_timing *row_of(dw_timing_table *table, const char *name)
{
    char key[DW_TIMING_NAME_MAX];

    snprintf(key, sizeof key, "%s", name);
    for (int i = 0; i < table->count; i++) {
        if (strcmp(table->rows[i].name, key) == 0)
            return &table->rows[i];
    }
    if (table->count == DW_TIMINGS_MAX)
        return NULL;
    table->rows[table->count] = (dw_timing) { .milliseconds = 0.0 };
    memcpy(table->rows[table->count].name, key, sizeof key);
    return &table->rows[table->count++];
}

void dw_timing_set(dw_timing_table *table, const char *name, double milliseconds)
{
    dw_timing *row = row_of(table, name);

    if (row != NULL)
        row->milliseconds = milliseconds;
}

void dw_timing_add(dw_timing_table *table, const char *name, double milliseconds)
{
    dw_timing *row = row_of(table, name);

    if (row != NULL)
        row->milliseconds += milliseconds;
}
