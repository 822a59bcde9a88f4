/* SPDX-License-Identifier: MIT */
/* A pool of worker threads and the parallel loop over it. The calling thread works too, and polls
 * the caller's callback at least every 50 ms, so that an interrupt or a progress bar never waits
 * for the whole job.
 * Thread-safety: Safe. One dw_parallel_for at a time has the workers; a second caller, on another
 * thread or inside the first one's poll, does its work on its own thread alone. */
#ifndef DW_BASE_THREADS_H
#define DW_BASE_THREADS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct dw_pool dw_pool;

/* thread_count 0: one per processor. The pool starts thread_count - 1 workers at first use. */
dw_status dw_pool_create(int thread_count, dw_pool **out, dw_error *err);
void dw_pool_destroy(dw_pool *pool);
int dw_pool_thread_count(const dw_pool *pool);

/* Returns false to stop the work. fraction runs from 0 to 1. Called on the thread that started the
 * work, with no lock held: it may start more work on the same pool, and wait for other threads that
 * do. */
typedef bool (*dw_poll_fn)(void *user, double fraction);

/* What a long call may use: threads, and a way to be told to stop. A zeroed run has neither. */
typedef struct dw_run {
    dw_pool *pool;
    dw_poll_fn poll;
    void *poll_user;
    double fraction_begin, fraction_end; /* the part of the whole job that this step is */
} dw_run;

/* worker runs from 0 to thread count - 1: an index into per-thread scratch. */
typedef void (*dw_item_fn)(void *user, int64_t item, int worker);

/* Runs item_fn for 0 <= item < count, in any order. DW_ERROR_INTERRUPTED when poll said stop: some
 * items were then not run. */
dw_status dw_parallel_for(const dw_run *run, int64_t count, dw_item_fn item_fn, void *user,
                          dw_error *err);

/* The part [begin, end] of this run's own share, for a job of several steps. */
dw_run dw_run_part(const dw_run *run, double begin, double end);

/* Threads that dw_parallel_for will use, at least 1. */
int dw_run_thread_count(const dw_run *run);

#endif
