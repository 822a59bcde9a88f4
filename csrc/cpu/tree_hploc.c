/* SPDX-License-Identifier: MIT */
/* Nodes from the bottom up. Sorted keys make a binary tree of ranges (Apetrei 2014): the boundaries
 * between places, the higher the farther up. Ranges are closed in order of places over a stack
 * whose boundaries fall towards its top. Ranges of the lower part are independent jobs. */
#include "base/alloc.h"
#include "base/simd.h"
#include "cpu/tree_build.h"
#include "cpu/tree_window.h"

#define DW_RANGE_PARTS 64   /* jobs, about */
#define DW_RANGE_AHEAD 32   /* places whose items are asked for before they are used */
#define DW_RANGE_LEAST 1024 /* places of a job, at least, unless its parent is larger by far */
#define DW_STACK_MAX   64   /* boundaries are distinct powers of two: 32 + 28 */
#define DW_LIST_MAX    (DW_TREE_WINDOW / 2u)

/* A range of sorted places and what it was merged to. */
typedef struct dw_range {
    uint32_t begin, end;
    uint32_t count;    /* clusters; 0: the items themselves */
    uint64_t boundary; /* dw_tree_delta on its left */
    dw_tree_cluster clusters[DW_LIST_MAX];
} dw_range;

typedef struct dw_range_job {
    uint32_t begin, end;
    uint32_t forced;
    dw_range out;
} dw_range_job;

typedef struct dw_merge_job {
    dw_tree_work *work;
    bool is_plain;
    dw_range_job *jobs;
    uint32_t job_count;
} dw_merge_job;

static uint64_t boundary_after(const dw_tree_work *work, uint32_t place)
{
    return dw_tree_delta((uint32_t)(work->keys[place] >> 32),
                         (uint32_t)(work->keys[place + 1] >> 32), place);
}

/* ---- closing ranges ---- */

typedef struct dw_range_stack {
    dw_tree_work *work;
    bool is_plain;
    uint32_t forced;
    uint32_t count;
    dw_tree_window window;
    dw_range ranges[DW_STACK_MAX];
} dw_range_stack;

static void add_range(dw_range_stack *stack, const dw_range *range)
{
    if (range->count != 0)
        dw_tree_window_add(&stack->window, range->clusters, range->count);
    else
        for (uint32_t place = range->begin; place < range->end; place++)
            dw_tree_window_add_item(&stack->window, stack->work, place);
}

static void close_plain(dw_range_stack *stack, dw_range *left, const dw_range *right)
{
    const dw_tree_cluster *other = right->clusters;
    dw_tree_cluster item;

    if (left->count == 0)
        dw_tree_cluster_of_item(stack->work, left->begin, &left->clusters[0]);
    if (right->count == 0) {
        dw_tree_cluster_of_item(stack->work, right->begin, &item);
        other = &item;
    }
    dw_tree_merge(stack->work, left->clusters, other, dw_tree_union_area(left->clusters, other),
                  left->clusters);
    left->count = 1;
}

static void close_window(dw_range_stack *stack, dw_range *left, const dw_range *right)
{
    bool is_whole = right->end - left->begin == stack->work->count;

    if (right->end - left->begin <= DW_LIST_MAX && !is_whole)
        return;
    dw_tree_window_clear(&stack->window);
    add_range(stack, left);
    add_range(stack, right);
    stack->forced += dw_tree_window_merge(&stack->window, stack->work, is_whole ? 1 : DW_LIST_MAX);
    left->count = dw_tree_window_take(&stack->window, left->clusters);
}

/* The two ranges at the top become one. */
static void close_top(dw_range_stack *stack)
{
    dw_range *right = &stack->ranges[--stack->count], *left = right - 1;

    if (stack->is_plain)
        close_plain(stack, left, right);
    else
        close_window(stack, left, right);
    left->end = right->end;
}

/* All that lies below a boundary is closed. */
static void close_below(dw_range_stack *stack, uint64_t boundary)
{
    while (stack->count > 1 && stack->ranges[stack->count - 1].boundary < boundary)
        close_top(stack);
}

static void init_stack(dw_range_stack *stack, const dw_merge_job *merge)
{
    stack->work = merge->work;
    stack->is_plain = merge->is_plain;
    stack->forced = 0;
    stack->count = 0;
    dw_tree_window_init(&stack->window);
}

static void merge_range(void *user, int64_t item, int worker)
{
    const dw_merge_job *merge = user;
    dw_range_job *job = &merge->jobs[item];
    uint64_t boundary = UINT64_MAX;
    dw_range_stack stack;

    (void)worker;
    init_stack(&stack, merge);
    for (uint32_t place = job->begin; place < job->end; place++) {
        dw_range *range = &stack.ranges[stack.count++];

        if (place + DW_RANGE_AHEAD < job->end)
            DW_PREFETCH(&merge->work->items[dw_tree_row(merge->work, place + DW_RANGE_AHEAD)]);
        range->begin = place;
        range->end = place + 1;
        range->count = 0;
        range->boundary = boundary;
        boundary = place + 1 < job->end ? boundary_after(merge->work, place) : UINT64_MAX;
        close_below(&stack, boundary);
    }
    job->forced = stack.forced;
    job->out = stack.ranges[0];
}

/* The upper part: the ranges of the jobs instead of places. */
static void merge_top(const dw_merge_job *merge)
{
    dw_tree_work *work = merge->work;
    uint64_t boundary = UINT64_MAX;
    dw_range_stack stack;

    init_stack(&stack, merge);
    for (uint32_t i = 0; i < merge->job_count; i++) {
        dw_range *range = &stack.ranges[stack.count++];

        *range = merge->jobs[i].out;
        range->boundary = boundary;
        boundary = range->end < work->count ? boundary_after(work, range->end - 1) : UINT64_MAX;
        stack.forced += merge->jobs[i].forced;
        close_below(&stack, boundary);
    }
    work->forced = stack.forced;
    work->root = stack.ranges[0].clusters[0];
}

/* ---- jobs ---- */

/* The last place of the left child of a range: the upper end of its highest boundary. */
static uint32_t find_split(const dw_tree_work *work, uint32_t begin, uint32_t end)
{
    uint32_t low = begin, high = end - 1;
    uint64_t last = (work->keys[high] >> 32 << 32) | high;
    uint64_t first = (work->keys[low] >> 32 << 32) | low;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t key = (work->keys[middle] >> 32 << 32) | middle;

        if ((first ^ key) < (last ^ key))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Cuts [begin, end) down to jobs of at most `most` places; counts only where merge has no jobs. */
static uint32_t cut_jobs(const dw_merge_job *merge, uint32_t begin, uint32_t end, uint32_t most,
                         uint32_t job)
{
    uint32_t split;

    if (end - begin <= most) {
        if (merge->jobs != NULL)
            merge->jobs[job] = (dw_range_job) { .begin = begin, .end = end };
        return job + 1;
    }
    split = find_split(merge->work, begin, end);
    job = cut_jobs(merge, begin, split + 1, most, job);
    return cut_jobs(merge, split + 1, end, most, job);
}

dw_status dw_tree_merge_all(dw_tree_work *work, bool is_plain, const dw_run *run, dw_error *err)
{
    dw_merge_job merge = { .work = work, .is_plain = is_plain };
    uint32_t most = work->count / DW_RANGE_PARTS;
    dw_status status;

    most = most < DW_RANGE_LEAST ? DW_RANGE_LEAST : most;
    merge.job_count = cut_jobs(&merge, 0, work->count, most, 0);
    status = DW_ALLOC(merge.job_count, &merge.jobs, err);
    if (status != DW_OK)
        return status;
    cut_jobs(&merge, 0, work->count, most, 0);
    status = dw_parallel_for(run, merge.job_count, merge_range, &merge, err);
    if (status == DW_OK)
        merge_top(&merge);
    dw_free(merge.jobs);
    return status;
}
