/* SPDX-License-Identifier: MIT */
#include "base/threads.h"

#include "base/alloc.h"
#include "base/platform.h"
#include "check.h"

#include <stdatomic.h>
#include <string.h>

#define DW_ITEMS       5000
#define DW_THREADS_TOP 8

typedef struct tally {
    unsigned char seen[DW_ITEMS];
    int64_t sums[DW_THREADS_TOP]; /* one per worker: a race shows if an index is given twice */
    int thread_count;
    atomic_int polls;
    double last_fraction;
    int polls_until_stop; /* 0: never */
    atomic_int worked;
} tally;

static void count_item(void *user, int64_t item, int worker)
{
    tally *self = user;

    CHECK(item >= 0 && item < DW_ITEMS);
    CHECK(worker >= 0 && worker < self->thread_count);
    self->seen[item]++;
    self->sums[worker] += item;
    atomic_fetch_add(&self->worked, 1);
}

static void check_each_item_once(const tally *self, int64_t count)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < DW_ITEMS; i++)
        CHECK(self->seen[i] == (i < count));
    for (int i = 0; i < DW_THREADS_TOP; i++)
        sum += self->sums[i];
    CHECK(sum == count * (count - 1) / 2);
}

static void every_item_runs_once(void)
{
    static const int64_t counts[] = { 0, 1, 2, 7, DW_ITEMS };
    dw_error err;

    for (int threads = 1; threads <= DW_THREADS_TOP; threads++) {
        dw_pool *pool;

        CHECK(dw_pool_create(threads, &pool, &err) == DW_OK);
        CHECK(dw_pool_thread_count(pool) == threads);
        for (size_t i = 0; i < DW_COUNT_OF(counts) * 8; i++) {
            int64_t count = counts[i % DW_COUNT_OF(counts)];
            tally self = { .thread_count = threads };
            dw_run run = { .pool = pool };

            CHECK(dw_run_thread_count(&run) == threads);
            CHECK(dw_parallel_for(&run, count, count_item, &self, &err) == DW_OK);
            check_each_item_once(&self, count);
        }
        dw_pool_destroy(pool);
    }
}

static void no_pool_means_the_callers_thread(void)
{
    tally self = { .thread_count = 1 };
    dw_run run = { 0 };
    dw_error err;

    CHECK(dw_run_thread_count(&run) == 1 && dw_pool_thread_count(NULL) == 1);
    CHECK(dw_parallel_for(&run, 100, count_item, &self, &err) == DW_OK);
    check_each_item_once(&self, 100);
}

static bool poll_tally(void *user, double fraction)
{
    tally *self = user;

    CHECK(fraction >= 0.25 && fraction <= 0.75 && fraction >= self->last_fraction);
    self->last_fraction = fraction;
    return atomic_fetch_add(&self->polls, 1) + 1 != self->polls_until_stop;
}

static void count_slowly(void *user, int64_t item, int worker)
{
    double until = dw_platform_seconds() + 0.002;

    while (dw_platform_seconds() < until)
        continue;
    count_item(user, item, worker);
}

/* 120 items of 2 ms on at most two threads last over 100 ms: more than two polls of 50 ms. */
static void poll_is_called_and_can_stop(int threads)
{
    tally whole = { .thread_count = threads };
    tally stopped = { .thread_count = threads, .polls_until_stop = 1 };
    dw_run run = { .poll = poll_tally, .fraction_begin = 0.25, .fraction_end = 0.75 };
    dw_error err = { 0 };

    CHECK(dw_pool_create(threads, &run.pool, &err) == DW_OK);
    run.poll_user = &whole;
    CHECK(dw_parallel_for(&run, 120, count_slowly, &whole, &err) == DW_OK);
    CHECK(atomic_load(&whole.polls) >= 1);
    check_each_item_once(&whole, 120);

    run.poll_user = &stopped;
    CHECK(dw_parallel_for(&run, DW_ITEMS, count_slowly, &stopped, &err) == DW_ERROR_INTERRUPTED);
    CHECK(err.code == DW_ERROR_INTERRUPTED && atomic_load(&stopped.worked) < DW_ITEMS);

    memset(&whole, 0, sizeof whole); /* the pool still works */
    whole.thread_count = threads;
    run.poll = NULL;
    CHECK(dw_parallel_for(&run, DW_ITEMS, count_item, &whole, &err) == DW_OK);
    check_each_item_once(&whole, DW_ITEMS);
    dw_pool_destroy(run.pool);
}

/* One slow item on a worker: the caller has no items left and polls while it waits. */
static void first_item_is_slow(void *user, int64_t item, int worker)
{
    double until = dw_platform_seconds() + (item == 0 ? 0.2 : 0.0);

    while (dw_platform_seconds() < until)
        continue;
    count_item(user, item, worker);
}

static void a_stop_while_waiting_is_reported(void)
{
    dw_error err = { 0 };
    dw_pool *pool;

    CHECK(dw_pool_create(2, &pool, &err) == DW_OK);
    for (int i = 0; i < 3; i++) {
        tally self = { .thread_count = 2, .polls_until_stop = 1 };
        dw_run run = { .pool = pool, .poll = poll_tally, .poll_user = &self };

        run.fraction_begin = 0.25;
        run.fraction_end = 0.75;
        CHECK(dw_parallel_for(&run, 2, first_item_is_slow, &self, &err) == DW_ERROR_INTERRUPTED);
        CHECK(atomic_load(&self.worked) >= 1); /* no item is still running */
    }
    dw_pool_destroy(pool);
}

/* The callback that stopped the work may have left an exception set: it is not called again. */
static bool poll_once(void *user, double fraction)
{
    tally *self = user;

    (void)fraction;
    CHECK(atomic_fetch_add(&self->polls, 1) == 0);
    return false;
}

/* Item 0, always the first taken, outlasts the other thread's stop by more than two polls. */
static void first_item_is_very_slow(void *user, int64_t item, int worker)
{
    double until = dw_platform_seconds() + (item == 0 ? 0.4 : 0.06);

    while (dw_platform_seconds() < until)
        continue;
    count_item(user, item, worker);
}

static void a_stop_is_asked_for_once(void)
{
    dw_error err = { 0 };
    dw_pool *pool;

    CHECK(dw_pool_create(3, &pool, &err) == DW_OK);
    for (int i = 0; i < 4; i++) {
        tally self = { .thread_count = 3 };
        dw_run run = { .pool = pool, .poll = poll_once, .poll_user = &self };

        CHECK(dw_parallel_for(&run, 40, first_item_is_very_slow, &self, &err) ==
              DW_ERROR_INTERRUPTED);
        CHECK(atomic_load(&self.polls) == 1);
    }
    dw_pool_destroy(pool);
}

typedef struct nesting {
    dw_pool *pool;
    tally inner;
    int polls;
} nesting;

static void work_inside(void *argument)
{
    nesting *self = argument;
    dw_run run = { .pool = self->pool };
    dw_error err;

    CHECK(dw_parallel_for(&run, DW_ITEMS, count_item, &self->inner, &err) == DW_OK);
}

/* As a progress callback that bakes on the device that is baking. */
static bool poll_works_too(void *user, double fraction)
{
    nesting *self = user;

    (void)fraction;
    if (self->polls++ == 0)
        work_inside(self);
    return true;
}

/* As a progress callback that waits for a thread which bakes on the device that is baking. */
static bool poll_waits_for_work(void *user, double fraction)
{
    nesting *self = user;
    dw_thread thread;

    (void)fraction;
    if (self->polls++ == 0) {
        CHECK(dw_thread_start(&thread, work_inside, self));
        dw_thread_join(&thread);
    }
    return true;
}

static void check_work_inside(bool (*poll)(void *user, double fraction))
{
    dw_error err;
    nesting self = { .inner.thread_count = 2 };
    tally outer = { .thread_count = 2 };
    dw_run run = { .poll = poll, .poll_user = &self };

    CHECK(dw_pool_create(2, &self.pool, &err) == DW_OK);
    run.pool = self.pool;
    CHECK(dw_parallel_for(&run, 120, count_slowly, &outer, &err) == DW_OK);
    CHECK(self.polls >= 1);
    check_each_item_once(&self.inner, DW_ITEMS);
    check_each_item_once(&outer, 120);
    dw_pool_destroy(self.pool);
}

static void a_poll_may_start_more_work(void)
{
    check_work_inside(poll_works_too);
}

static void a_poll_may_wait_for_other_work(void)
{
    check_work_inside(poll_waits_for_work);
}

typedef struct caller {
    dw_pool *pool;
    int failures;
} caller;

static void call_often(void *argument)
{
    caller *self = argument;
    dw_error err;

    for (int i = 0; i < 50; i++) {
        tally work = { .thread_count = 3 };
        dw_run run = { .pool = self->pool };

        if (dw_parallel_for(&run, 500, count_item, &work, &err) != DW_OK)
            self->failures++;
        check_each_item_once(&work, 500);
    }
}

static void callers_share_a_pool(void)
{
    dw_pool *pool;
    dw_error err;
    caller callers[3] = { 0 };
    dw_thread threads[3] = { 0 };

    CHECK(dw_pool_create(3, &pool, &err) == DW_OK);
    for (int i = 0; i < 3; i++) {
        callers[i].pool = pool;
        CHECK(dw_thread_start(&threads[i], call_often, &callers[i]));
    }
    for (int i = 0; i < 3; i++) {
        dw_thread_join(&threads[i]);
        CHECK(callers[i].failures == 0);
    }
    dw_pool_destroy(pool);
}

static void parts_nest(void)
{
    dw_run run = { .fraction_begin = 0.5, .fraction_end = 1.0 };
    dw_run part = dw_run_part(&run, 0.5, 1.0);
    dw_run inner = dw_run_part(&part, 0.0, 0.5);

    CHECK(part.fraction_begin == 0.75 && part.fraction_end == 1.0);
    CHECK(inner.fraction_begin == 0.75 && inner.fraction_end == 0.875);
}

static void wrong_thread_counts_are_refused(void)
{
    dw_error err = { 0 };
    dw_pool *pool;

    CHECK(dw_pool_create(-1, &pool, &err) == DW_ERROR_ARGUMENT && pool == NULL);
    CHECK(strstr(err.text, "-1") != NULL);
    CHECK(dw_pool_create(100000, &pool, &err) == DW_ERROR_ARGUMENT && pool == NULL);
    CHECK(dw_pool_create(0, &pool, &err) == DW_OK);
    CHECK(dw_pool_thread_count(pool) >= 1);
    dw_pool_destroy(pool);
    dw_pool_destroy(NULL);
}

int main(void)
{
    every_item_runs_once();
    no_pool_means_the_callers_thread();
    poll_is_called_and_can_stop(1);
    poll_is_called_and_can_stop(2);
    a_stop_while_waiting_is_reported();
    a_stop_is_asked_for_once();
    a_poll_may_start_more_work();
    a_poll_may_wait_for_other_work();
    callers_share_a_pool();
    parts_nest();
    wrong_thread_counts_are_refused();
    CHECK(dw_alloc_live_count() == 0);
    return 0;
}
