/* SPDX-License-Identifier: MIT */
/* Top down: each range of items is cut where the binned surface area heuristic is least. Large
 * ranges are counted and parted by all threads together, into the other of two arrays; the small
 * ones that are left are independent jobs, parted in place. Parts of loops follow from counts
 * alone, and sums are minima, maxima and integers, so that threads do not change the tree. */
#include "base/alloc.h"
#include "base/simd.h"
#include "cpu/tree_build.h"

#include <float.h>
#include <string.h>

#define DW_SAH_BINS       16
#define DW_SAH_SWEEP      8     /* items of a range, at most, of which every cut is looked at */
#define DW_SAH_JOBS       64    /* about */
#define DW_SAH_JOB_LEAST  4096  /* items of a job, at least, unless its parent is larger by far */
#define DW_SAH_PART       16384 /* items of a part of a loop */
#define DW_SAH_RANGES_MAX (2 * DW_SAH_JOBS * DW_TREE_DEPTH_MAX + 1)

typedef struct dw_sah_bins {
    dw_tree_item boxes[3][DW_SAH_BINS];
    uint32_t counts[3][DW_SAH_BINS];
} dw_sah_bins;

/* Items of neighbouring places and their keys. */
typedef struct dw_sah_items {
    dw_tree_item *boxes;
    uint64_t *keys;
} dw_sah_items;

/* Where bins begin along each axis and how many are in a unit, of doubled centres; 0 a unit where
 * all centres are one. */
typedef struct dw_sah_space {
    float low[4], scale[4];
} dw_sah_space;

typedef struct dw_sah_cut {
    int axis; /* -1: all centres are one */
    int bin;  /* first of the right side */
} dw_sah_cut;

static const dw_tree_item empty_box = { .low = { 2.0f, 2.0f, 2.0f } };

static inline void grow(dw_tree_item *box, const dw_tree_item *other)
{
    for (int axis = 0; axis < 4; axis++)
        box->low[axis] = other->low[axis] < box->low[axis] ? other->low[axis] : box->low[axis];
    for (int axis = 0; axis < 4; axis++)
        box->high[axis] = other->high[axis] > box->high[axis] ? other->high[axis] : box->high[axis];
}

static float area_of(const dw_tree_item *box)
{
    return dw_tree_half_area(dw_tree_difference(box->high[0], box->low[0]),
                             dw_tree_difference(box->high[1], box->low[1]),
                             dw_tree_difference(box->high[2], box->low[2]));
}

static inline int bin_of(const dw_sah_space *space, const dw_tree_item *item, int axis)
{
    float centre = item->low[axis] + item->high[axis];
    int bin = (int)((centre - space->low[axis]) * space->scale[axis]);

    return bin < DW_SAH_BINS ? bin : DW_SAH_BINS - 1;
}

static void clear_bins(dw_sah_bins *bins)
{
    memset(bins->counts, 0, sizeof bins->counts);
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < DW_SAH_BINS; i++)
            bins->boxes[axis][i] = empty_box;
}

/* Bounds of doubled centres. */
DW_SIMD static void find_centres(const dw_tree_item *items, uint32_t count, dw_tree_item *out)
{
    dw_tree_item found = { { 4.0f, 4.0f, 4.0f, 0.0f }, { 0.0f } };

    for (uint32_t i = 0; i < count; i++) {
        dw_tree_item centre;

        for (int axis = 0; axis < 4; axis++)
            centre.low[axis] = centre.high[axis] = items[i].low[axis] + items[i].high[axis];
        grow(&found, &centre);
    }
    *out = found;
}

static dw_sah_space space_of(const dw_tree_item *centres)
{
    dw_sah_space space = { { 0.0f }, { 0.0f } };

    for (int axis = 0; axis < 3; axis++) {
        float extent = centres->high[axis] - centres->low[axis];

        space.low[axis] = centres->low[axis];
        space.scale[axis] = extent > 1e-30f ? DW_SAH_BINS / extent : 0.0f;
    }
    return space;
}

DW_SIMD static void fill_bins(const dw_tree_item *items, uint32_t count, const dw_sah_space *space,
                              dw_sah_bins *restrict bins)
{
    for (uint32_t i = 0; i < count; i++) {
        const dw_tree_item item = items[i];
        int bin[4];

        for (int axis = 0; axis < 4; axis++)
            bin[axis] = bin_of(space, &item, axis);
        for (int axis = 0; axis < 3; axis++) {
            bins->counts[axis][bin[axis]]++;
            grow(&bins->boxes[axis][bin[axis]], &item);
        }
    }
}

/* The least cost of a cut along one axis, and where. */
static inline float find_axis_cut(const dw_sah_bins *bins, int axis, int *cut)
{
    float right_cost[DW_SAH_BINS], least = FLT_MAX;
    dw_tree_item box = empty_box;
    uint32_t count = 0;

    for (int i = DW_SAH_BINS - 1; i > 0; i--) {
        grow(&box, &bins->boxes[axis][i]);
        count += bins->counts[axis][i];
        right_cost[i] = count == 0 ? FLT_MAX : area_of(&box) * (float)count;
    }
    box = empty_box;
    count = 0;
    for (int i = 1; i < DW_SAH_BINS; i++) {
        float cost;

        grow(&box, &bins->boxes[axis][i - 1]);
        count += bins->counts[axis][i - 1];
        cost = count == 0 ? FLT_MAX : area_of(&box) * (float)count + right_cost[i];
        if (cost < least) {
            least = cost;
            *cut = i;
        }
    }
    return least;
}

DW_SIMD static dw_sah_cut find_cut(const dw_sah_bins *bins)
{
    dw_sah_cut cut = { .axis = -1 };
    float least = FLT_MAX;

    for (int axis = 0; axis < 3; axis++) {
        int bin = 0;
        float cost = find_axis_cut(bins, axis, &bin);

        if (cost < least) {
            least = cost;
            cut = (dw_sah_cut) { axis, bin };
        }
    }
    return cut;
}

/* Whether a range may only be halved, so that it stays within `budget` nodes of depth. */
static bool is_tight(uint32_t count, uint32_t budget)
{
    return budget < 32 && count > 1u << (budget - 1);
}

/* ---- small ranges ---- */

static void swap_items(const dw_sah_items *items, uint32_t a, uint32_t b)
{
    dw_tree_item box = items->boxes[a];
    uint64_t key = items->keys[a];

    items->boxes[a] = items->boxes[b];
    items->keys[a] = items->keys[b];
    items->boxes[b] = box;
    items->keys[b] = key;
}

static uint32_t part_in_place(const dw_sah_items *items, uint32_t count, const dw_sah_space *space,
                              dw_sah_cut cut)
{
    uint32_t begin = 0, end = count;

    for (;;) {
        while (begin < end && bin_of(space, &items->boxes[begin], cut.axis) < cut.bin)
            begin++;
        while (begin < end && bin_of(space, &items->boxes[end - 1], cut.axis) >= cut.bin)
            end--;
        if (begin >= end)
            return begin;
        swap_items(items, begin++, --end);
    }
}

/* Cuts a range between bins; its half where all centres are one. */
static uint32_t cut_by_bins(const dw_sah_items *items, uint32_t count)
{
    dw_tree_item centres;
    dw_sah_space space;
    dw_sah_bins bins;
    dw_sah_cut cut;

    find_centres(items->boxes, count, &centres);
    space = space_of(&centres);
    clear_bins(&bins);
    fill_bins(items->boxes, count, &space, &bins);
    cut = find_cut(&bins);
    return cut.axis < 0 ? count / 2 : part_in_place(items, count, &space, cut);
}

/* Puts rows of a few items in the order of their centres, equal ones as they were. */
static void sort_rows(const dw_tree_item *items, uint32_t count, int axis, uint32_t *rows)
{
    float centres[DW_SAH_SWEEP];

    for (uint32_t i = 0; i < count; i++) {
        float centre = items[i].low[axis] + items[i].high[axis];
        uint32_t at = i;

        for (; at > 0 && centres[at - 1] > centre; at--) {
            centres[at] = centres[at - 1];
            rows[at] = rows[at - 1];
        }
        centres[at] = centre;
        rows[at] = i;
    }
}

/* The least cost of a cut of items in the order of rows, and how many lie left of it. */
static float sweep_rows(const dw_tree_item *items, uint32_t count, const uint32_t *rows,
                        uint32_t *split)
{
    float right_cost[DW_SAH_SWEEP], least = FLT_MAX;
    dw_tree_item box = empty_box;

    for (uint32_t i = count - 1; i > 0; i--) {
        grow(&box, &items[rows[i]]);
        right_cost[i] = area_of(&box) * (float)(count - i);
    }
    box = empty_box;
    for (uint32_t i = 1; i < count; i++) {
        float cost;

        grow(&box, &items[rows[i - 1]]);
        cost = area_of(&box) * (float)i + right_cost[i];
        if (cost < least) {
            least = cost;
            *split = i;
        }
    }
    return least;
}

/* Cuts a range of a few items where it is best of all. */
static uint32_t cut_by_sweep(const dw_sah_items *items, uint32_t count)
{
    uint32_t rows[DW_SAH_SWEEP], best_rows[DW_SAH_SWEEP], best = count / 2;
    dw_tree_item boxes[DW_SAH_SWEEP];
    uint64_t keys[DW_SAH_SWEEP];
    float least = FLT_MAX;

    for (int axis = 0; axis < 3; axis++) {
        uint32_t split = 0;
        float cost;

        sort_rows(items->boxes, count, axis, rows);
        cost = sweep_rows(items->boxes, count, rows, &split);
        if (cost < least) {
            least = cost;
            best = split;
            memcpy(best_rows, rows, sizeof rows);
        }
    }
    memcpy(boxes, items->boxes, count * sizeof *boxes);
    memcpy(keys, items->keys, count * sizeof *keys);
    for (uint32_t i = 0; i < count; i++) {
        items->boxes[i] = boxes[best_rows[i]];
        items->keys[i] = keys[best_rows[i]];
    }
    return best;
}

/* The subtree over items at places from `first` on. */
static void split_range(dw_tree_work *work, dw_sah_items items, uint32_t first, uint32_t count,
                        uint32_t budget, dw_tree_cluster *out)
{
    dw_tree_cluster left, right;
    uint32_t split = count / 2;
    dw_sah_items rest;

    if (count == 1) {
        work->keys[first] = items.keys[0];
        dw_tree_cluster_of_box(items.boxes, first, out);
        return;
    }
    if (count > 2 && !is_tight(count, budget))
        split = count <= DW_SAH_SWEEP ? cut_by_sweep(&items, count) : cut_by_bins(&items, count);
    rest = (dw_sah_items) { items.boxes + split, items.keys + split };
    split_range(work, items, first, split, budget - 1, &left);
    split_range(work, rest, first + split, count - split, budget - 1, &right);
    dw_tree_merge(work, &left, &right, dw_tree_union_area(&left, &right), out);
}

/* ---- large ranges ---- */

typedef struct dw_sah_range {
    uint32_t begin, end, budget;
    uint32_t left; /* row of the left child, the right one follows; 0: a job */
    bool is_in_spare;
    dw_tree_cluster cluster;
} dw_sah_range;

typedef struct dw_sah_part {
    dw_tree_item centres;
    dw_sah_bins bins;
    uint32_t left, right; /* counts, then where the next one goes */
} dw_sah_part;

typedef struct dw_sah_job {
    dw_tree_work *work;
    dw_sah_items arrays[2]; /* of all items: the work's own, and spare ones */
    dw_sah_range *ranges;
    uint32_t range_count;
    uint32_t *jobs; /* ranges that are not cut further */
    uint32_t job_count;
    dw_sah_part *parts;

    /* the range that is cut now */
    dw_sah_items from, to;
    uint32_t count;
    dw_sah_space space;
    dw_sah_cut cut;
} dw_sah_job;

/* Items of a part, and how many they are. */
static dw_sah_items part_items(const dw_sah_job *job, int64_t part, uint32_t *count)
{
    uint32_t begin = (uint32_t)part * DW_SAH_PART;

    *count = job->count - begin < DW_SAH_PART ? job->count - begin : DW_SAH_PART;
    return (dw_sah_items) { job->from.boxes + begin, job->from.keys + begin };
}

static void find_part_centres(void *user, int64_t part, int worker)
{
    dw_sah_job *job = user;
    uint32_t count;
    dw_sah_items items = part_items(job, part, &count);

    (void)worker;
    find_centres(items.boxes, count, &job->parts[part].centres);
}

static void fill_part_bins(void *user, int64_t part, int worker)
{
    dw_sah_job *job = user;
    uint32_t count;
    dw_sah_items items = part_items(job, part, &count);

    (void)worker;
    clear_bins(&job->parts[part].bins);
    fill_bins(items.boxes, count, &job->space, &job->parts[part].bins);
}

static bool is_left(const dw_sah_job *job, const dw_tree_item *item)
{
    return bin_of(&job->space, item, job->cut.axis) < job->cut.bin;
}

static void count_part(void *user, int64_t part, int worker)
{
    dw_sah_job *job = user;
    uint32_t count, left = 0;
    dw_sah_items items = part_items(job, part, &count);

    (void)worker;
    for (uint32_t i = 0; i < count; i++)
        left += is_left(job, &items.boxes[i]);
    job->parts[part].left = left;
    job->parts[part].right = count - left;
}

static void move_part(void *user, int64_t part, int worker)
{
    dw_sah_job *job = user;
    dw_sah_part *row = &job->parts[part];
    uint32_t count;
    dw_sah_items items = part_items(job, part, &count);

    (void)worker;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = is_left(job, &items.boxes[i]) ? row->left++ : row->right++;

        job->to.boxes[place] = items.boxes[i];
        job->to.keys[place] = items.keys[i];
    }
}

static void add_bins(dw_sah_bins *sum, const dw_sah_bins *part)
{
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < DW_SAH_BINS; i++) {
            grow(&sum->boxes[axis][i], &part->boxes[axis][i]);
            sum->counts[axis][i] += part->counts[axis][i];
        }
}

/* Counts of the parts become places; the number of items on the left. */
static uint32_t find_places(dw_sah_job *job, uint32_t part_count)
{
    uint32_t left = 0, right, next;

    for (uint32_t i = 0; i < part_count; i++) {
        next = left + job->parts[i].left;
        job->parts[i].left = left;
        left = next;
    }
    right = left;
    for (uint32_t i = 0; i < part_count; i++) {
        next = right + job->parts[i].right;
        job->parts[i].right = right;
        right = next;
    }
    return left;
}

static dw_sah_items items_of(const dw_sah_job *job, bool is_in_spare, uint32_t place)
{
    dw_sah_items items = job->arrays[is_in_spare];

    return (dw_sah_items) { items.boxes + place, items.keys + place };
}

/* Cuts the range in two, whose items then lie in the other array. *split 0: it must be halved. */
static dw_status cut_range(dw_sah_job *job, dw_sah_range *range, uint32_t *split, const dw_run *run,
                           dw_error *err)
{
    dw_sah_part *parts = job->parts;
    uint32_t part_count;

    job->from = items_of(job, range->is_in_spare, range->begin);
    job->to = items_of(job, !range->is_in_spare, range->begin);
    job->count = range->end - range->begin;
    part_count = (job->count + DW_SAH_PART - 1) / DW_SAH_PART;
    *split = 0;
    DW_TRY(dw_parallel_for(run, part_count, find_part_centres, job, err));
    for (uint32_t i = 1; i < part_count; i++)
        grow(&parts[0].centres, &parts[i].centres);
    job->space = space_of(&parts[0].centres);
    DW_TRY(dw_parallel_for(run, part_count, fill_part_bins, job, err));
    for (uint32_t i = 1; i < part_count; i++)
        add_bins(&parts[0].bins, &parts[i].bins);
    job->cut = find_cut(&parts[0].bins);
    if (job->cut.axis < 0)
        return DW_OK;
    DW_TRY(dw_parallel_for(run, part_count, count_part, job, err));
    *split = find_places(job, part_count);
    return dw_parallel_for(run, part_count, move_part, job, err);
fail:
    return err->code;
}

static void add_child(dw_sah_job *job, const dw_sah_range *parent, uint32_t begin, uint32_t end,
                      bool is_in_spare)
{
    DW_ASSERT(job->range_count < DW_SAH_RANGES_MAX);
    job->ranges[job->range_count++] = (dw_sah_range) {
        .begin = begin, .end = end, .budget = parent->budget - 1, .is_in_spare = is_in_spare
    };
}

/* Cuts ranges of more than `most` items, first come, first served; lists the others. */
static dw_status cut_ranges(dw_sah_job *job, uint32_t most, const dw_run *run, dw_error *err)
{
    for (uint32_t i = 0; i < job->range_count; i++) {
        dw_sah_range *range = &job->ranges[i];
        uint32_t count = range->end - range->begin, split = 0;
        dw_status status = DW_OK;

        if (count <= most) {
            job->jobs[job->job_count++] = i;
            continue;
        }
        if (!is_tight(count, range->budget))
            status = cut_range(job, range, &split, run, err);
        if (status != DW_OK)
            return status;
        range->left = job->range_count;
        range->is_in_spare ^= split != 0;
        split = range->begin + (split != 0 ? split : count / 2);
        add_child(job, range, range->begin, split, range->is_in_spare);
        add_child(job, range, split, range->end, range->is_in_spare);
    }
    return DW_OK;
}

static void run_job(void *user, int64_t item, int worker)
{
    dw_sah_job *job = user;
    dw_sah_range *range = &job->ranges[job->jobs[item]];

    (void)worker;
    split_range(job->work, items_of(job, range->is_in_spare, range->begin), range->begin,
                range->end - range->begin, range->budget, &range->cluster);
}

/* Children lie behind their parents. */
static void merge_ranges(dw_sah_job *job)
{
    for (uint32_t i = job->range_count; i-- > 0;) {
        dw_sah_range *range = &job->ranges[i];
        const dw_tree_cluster *left = &job->ranges[range->left].cluster;
        const dw_tree_cluster *right = &job->ranges[range->left + 1].cluster;

        if (range->left != 0)
            dw_tree_merge(job->work, left, right, dw_tree_union_area(left, right), &range->cluster);
    }
    job->work->root = job->ranges[0].cluster;
}

dw_status dw_tree_split_all(dw_tree_work *work, const dw_run *run, dw_error *err)
{
    dw_sah_job job = { .work = work, .arrays = { { work->items, work->keys } }, .range_count = 1 };
    uint32_t most = work->count / DW_SAH_JOBS;

    most = most < DW_SAH_JOB_LEAST ? DW_SAH_JOB_LEAST : most;
    DW_TRY(DW_ALLOC((size_t)work->count, &job.arrays[1].boxes, err));
    DW_TRY(DW_ALLOC((size_t)work->count, &job.arrays[1].keys, err));
    DW_TRY(DW_ALLOC(DW_SAH_RANGES_MAX, &job.ranges, err));
    DW_TRY(DW_ALLOC(DW_SAH_RANGES_MAX, &job.jobs, err));
    DW_TRY(DW_ALLOC((size_t)work->count / DW_SAH_PART + 1, &job.parts, err));
    job.ranges[0] = (dw_sah_range) { .end = work->count, .budget = DW_TREE_DEPTH_MAX };
    DW_TRY(cut_ranges(&job, most, run, err));
    DW_TRY(dw_parallel_for(run, job.job_count, run_job, &job, err));
    merge_ranges(&job);
    err->code = DW_OK;
fail:
    dw_free(job.arrays[1].boxes);
    dw_free(job.arrays[1].keys);
    dw_free(job.ranges);
    dw_free(job.jobs);
    dw_free(job.parts);
    return err->code;
}
