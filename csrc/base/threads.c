/* SPDX-License-Identifier: MIT */
#include "base/threads.h"

#include "base/alloc.h"
#include "base/platform.h"

#include <stdatomic.h>

#define DW_POLL_SECONDS 0.05
#define DW_THREADS_MAX  256

struct dw_pool {
    int thread_count;
    int started; /* workers running; -1 before the first use */
    dw_thread threads[DW_THREADS_MAX];
    dw_mutex lock;
    dw_condition changed;
    uint64_t generation; /* one more for every loop */
    int busy;            /* workers inside the present loop */
    bool stopping;
    int next_worker;
    bool is_taken; /* by the one caller whose loop runs */
    bool is_open;  /* workers may still join the present loop */

    /* The present loop. */
    dw_item_fn item_fn;
    void *user;
    int64_t count;
    atomic_int_fast64_t next;
    atomic_bool cancelled;
};

static void run_items(dw_pool *pool, int worker)
{
    while (!atomic_load_explicit(&pool->cancelled, memory_order_relaxed)) {
        int64_t item = atomic_fetch_add(&pool->next, 1);

        if (item >= pool->count)
            return;
        pool->item_fn(pool->user, item, worker);
    }
}

static void worker_main(void *argument)
{
    dw_pool *pool = argument;
    uint64_t seen = 0;

    dw_mutex_lock(&pool->lock);
    int worker = ++pool->next_worker;
    while (!pool->stopping) {
        if (pool->generation == seen) {
            dw_condition_wait(&pool->changed, &pool->lock, 60.0);
            continue;
        }
        seen = pool->generation;
        if (!pool->is_open)
            continue;
        pool->busy++;
        dw_mutex_unlock(&pool->lock);
        run_items(pool, worker);
        dw_mutex_lock(&pool->lock);
        pool->busy--;
        dw_condition_broadcast(&pool->changed);
    }
    dw_mutex_unlock(&pool->lock);
}

dw_status dw_pool_create(int thread_count, dw_pool **out, dw_error *err)
{
    dw_pool *pool = NULL;

    *out = NULL;
    if (thread_count < 0 || thread_count > DW_THREADS_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT, "threads must lie in 0..%d, got %d", DW_THREADS_MAX,
                       thread_count);
    DW_TRY(DW_ALLOC_ZEROED(1, &pool, err));
    if (thread_count == 0)
        thread_count = dw_platform_cpu_count();
    pool->thread_count = thread_count < DW_THREADS_MAX ? thread_count : DW_THREADS_MAX;
    pool->started = -1;
    if (!dw_mutex_init(&pool->lock) || !dw_condition_init(&pool->changed)) {
        dw_fail_memory(err, "thread pool", sizeof *pool);
        goto fail;
    }
    *out = pool;
    return DW_OK;
fail:
    dw_pool_destroy(pool);
    return err->code;
}

void dw_pool_destroy(dw_pool *pool)
{
    if (pool == NULL)
        return;
    if (pool->started > 0) {
        dw_mutex_lock(&pool->lock);
        pool->stopping = true;
        dw_condition_broadcast(&pool->changed);
        dw_mutex_unlock(&pool->lock);
        for (int i = 0; i < pool->started; i++)
            dw_thread_join(&pool->threads[i]);
    }
    dw_condition_finish(&pool->changed);
    dw_mutex_finish(&pool->lock);
    dw_free(pool);
}

int dw_pool_thread_count(const dw_pool *pool)
{
    return pool == NULL ? 1 : pool->thread_count;
}

/* Workers that cannot be started are done without: the caller's thread does their share. */
static void start_workers(dw_pool *pool)
{
    if (pool->started >= 0)
        return;
    pool->started = 0;
    while (pool->started < pool->thread_count - 1 &&
           dw_thread_start(&pool->threads[pool->started], worker_main, pool))
        pool->started++;
}

static bool poll_run(const dw_run *run, int64_t done, int64_t count)
{
    double part = count > 0 ? (double)(done < count ? done : count) / (double)count : 1.0;

    return run->poll == NULL ||
           run->poll(run->poll_user,
                     run->fraction_begin + part * (run->fraction_end - run->fraction_begin));
}

static dw_status run_serial(const dw_run *run, int64_t count, dw_item_fn item_fn, void *user,
                            dw_error *err)
{
    double next_poll = dw_platform_seconds() + DW_POLL_SECONDS;

    for (int64_t item = 0; item < count; item++) {
        item_fn(user, item, 0);
        if (run->poll == NULL || dw_platform_seconds() < next_poll)
            continue;
        if (!poll_run(run, item + 1, count))
            return dw_fail(err, DW_ERROR_INTERRUPTED, "interrupted");
        next_poll = dw_platform_seconds() + DW_POLL_SECONDS;
    }
    return DW_OK;
}

/* The caller's own share of the loop, with its polls in between. */
static bool run_caller_items(const dw_run *run, dw_pool *pool)
{
    double next_poll = dw_platform_seconds() + DW_POLL_SECONDS;

    for (;;) {
        int64_t item = atomic_fetch_add(&pool->next, 1);

        if (item >= pool->count)
            return true;
        pool->item_fn(pool->user, item, 0);
        if (run->poll == NULL || dw_platform_seconds() < next_poll)
            continue;
        if (!poll_run(run, item + 1, pool->count))
            return false;
        next_poll = dw_platform_seconds() + DW_POLL_SECONDS;
    }
}

/* Waits until no worker is inside the loop, still polling. */
static bool wait_for_workers(const dw_run *run, dw_pool *pool, bool go_on)
{
    dw_mutex_lock(&pool->lock);
    pool->is_open = false;
    while (pool->busy > 0) {
        dw_condition_wait(&pool->changed, &pool->lock, DW_POLL_SECONDS);
        if (pool->busy == 0 || run->poll == NULL || !go_on)
            continue;
        dw_mutex_unlock(&pool->lock);
        go_on = poll_run(run, pool->count, pool->count);
        if (!go_on)
            atomic_store(&pool->cancelled, true);
        dw_mutex_lock(&pool->lock);
    }
    dw_mutex_unlock(&pool->lock);
    return go_on;
}

static bool take_pool(dw_pool *pool)
{
    bool is_free;

    dw_mutex_lock(&pool->lock);
    is_free = !pool->is_taken;
    pool->is_taken = true;
    dw_mutex_unlock(&pool->lock);
    return is_free;
}

static void give_pool_back(dw_pool *pool)
{
    dw_mutex_lock(&pool->lock);
    pool->is_taken = false;
    dw_mutex_unlock(&pool->lock);
}

dw_status dw_parallel_for(const dw_run *run, int64_t count, dw_item_fn item_fn, void *user,
                          dw_error *err)
{
    dw_pool *pool = run->pool;
    bool go_on;

    if (pool == NULL || pool->thread_count == 1 || count <= 1)
        return run_serial(run, count, item_fn, user, err);
    /* A taken pool is not waited for: its caller may be inside a poll that waits for this very
     * work, and a wait for a lock cannot be interrupted. */
    if (!take_pool(pool))
        return run_serial(run, count, item_fn, user, err);

    start_workers(pool);
    dw_mutex_lock(&pool->lock);
    pool->user = user;
    pool->count = count;
    pool->item_fn = item_fn;
    atomic_store(&pool->next, 0);
    atomic_store(&pool->cancelled, false);
    pool->is_open = true;
    pool->generation++;
    dw_condition_broadcast(&pool->changed);
    dw_mutex_unlock(&pool->lock);

    go_on = run_caller_items(run, pool);
    if (!go_on)
        atomic_store(&pool->cancelled, true);
    go_on = wait_for_workers(run, pool, go_on);
    give_pool_back(pool);
    return go_on ? DW_OK : dw_fail(err, DW_ERROR_INTERRUPTED, "interrupted");
}

dw_run dw_run_part(const dw_run *run, double begin, double end)
{
    double width = run->fraction_end - run->fraction_begin;
    dw_run part = *run;

    part.fraction_begin = run->fraction_begin + begin * width;
    part.fraction_end = run->fraction_begin + end * width;
    return part;
}

int dw_run_thread_count(const dw_run *run)
{
    return dw_pool_thread_count(run->pool);
}
