/* SPDX-License-Identifier: MIT */
#include "cpu/islands.h"

#include "base/alloc.h"

#include <stdlib.h>

/* A run of texels in one row, already widened by reach, and the island it belongs to. */
typedef struct island_run {
    int x0, x1, y;
    int parent; /* index of another run of the island; itself at the root */
} island_run;

typedef struct run_list {
    island_run *runs;
    int count, capacity;
} run_list;

static int find_root(run_list *list, int i)
{
    while (list->runs[i].parent != i) {
        list->runs[i].parent = list->runs[list->runs[i].parent].parent;
        i = list->runs[i].parent;
    }
    return i;
}

static void join(run_list *list, int a, int b)
{
    int root_a = find_root(list, a), root_b = find_root(list, b);

    if (root_a < root_b)
        list->runs[root_b].parent = root_a;
    else
        list->runs[root_a].parent = root_b;
}

static dw_status push_run(run_list *list, island_run run, dw_error *err)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : 1024;
        island_run *grown = NULL;

        if (DW_ALLOC((size_t)capacity, &grown, err) != DW_OK)
            return err->code;
        for (int i = 0; i < list->count; i++)
            grown[i] = list->runs[i];
        dw_free(list->runs);
        list->runs = grown;
        list->capacity = capacity;
    }
    run.parent = list->count;
    list->runs[list->count++] = run;
    return DW_OK;
}

/* The widened runs of row y. */
static dw_status scan_row(const uint8_t *row, int width, int y, int reach, run_list *list,
                          dw_error *err)
{
    int first = list->count;

    for (int x = 0; x < width; x++) {
        island_run *last = list->count > first ? &list->runs[list->count - 1] : NULL;
        island_run run = { .x0 = x - reach > 0 ? x - reach : 0,
                           .x1 = x + reach + 1 < width ? x + reach + 1 : width,
                           .y = y };

        if (row[x] == 0)
            continue;
        if (last != NULL && last->x1 >= run.x0)
            last->x1 = run.x1;
        else if (push_run(list, run, err) != DW_OK)
            return err->code;
    }
    return DW_OK;
}

/* Joins the runs [begin, end) of one row with those [other_begin, other_end) of another that they
 * overlap; both are sorted. */
static void join_rows(run_list *list, int begin, int end, int other_begin, int other_end)
{
    int j = other_begin;

    for (int i = begin; i < end; i++) {
        while (j < other_end && list->runs[j].x1 < list->runs[i].x0)
            j++;
        for (int k = j; k < other_end && list->runs[k].x0 <= list->runs[i].x1; k++)
            join(list, i, k);
    }
}

/* Runs of all rows, joined with those of the 2 * reach rows above. */
static dw_status scan_image(const uint8_t *alpha, int width, int height, int reach, run_list *list,
                            dw_error *err)
{
    int *row_begin = NULL;

    DW_TRY(DW_ALLOC((size_t)height + 1, &row_begin, err));
    for (int y = 0; y < height; y++) {
        row_begin[y] = list->count;
        DW_TRY(scan_row(alpha + (size_t)y * (size_t)width, width, y, reach, list, err));
        row_begin[y + 1] = list->count;
        for (int above = y - 1; above >= 0 && above >= y - 2 * reach - 1; above--)
            join_rows(list, row_begin[y], row_begin[y + 1], row_begin[above], row_begin[above + 1]);
    }
    dw_free(row_begin);
    return DW_OK;
fail:
    dw_free(row_begin);
    return err->code;
}

static bool rects_overlap(const dw_rect *a, const dw_rect *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

static dw_rect rect_union(const dw_rect *a, const dw_rect *b)
{
    int x0 = a->x < b->x ? a->x : b->x, y0 = a->y < b->y ? a->y : b->y;
    int x1 = a->x + a->width > b->x + b->width ? a->x + a->width : b->x + b->width;
    int y1 = a->y + a->height > b->y + b->height ? a->y + a->height : b->y + b->height;

    return (dw_rect) { x0, y0, x1 - x0, y1 - y0 };
}

/* Joins overlapping rects until none is left: every rect is held against those accepted so far,
 * and taken up again with each one that it swallows. */
static int merge_rects(dw_rect *rects, int count)
{
    int accepted = 0;

    for (int i = 0; i < count; i++) {
        dw_rect rect = rects[i];

        for (int j = 0; j < accepted;) {
            if (!rects_overlap(&rect, &rects[j])) {
                j++;
                continue;
            }
            rect = rect_union(&rect, &rects[j]);
            rects[j] = rects[--accepted];
            j = 0;
        }
        rects[accepted++] = rect;
    }
    return accepted;
}

static int compare_rects(const void *a, const void *b)
{
    const dw_rect *left = a, *right = b;

    return left->y != right->y ? (left->y > right->y) - (left->y < right->y)
                               : (left->x > right->x) - (left->x < right->x);
}

/* The bounds of each island, widened along y as the runs are along x. */
static int bound_islands(run_list *list, int height, int reach, dw_rect *rects, int *slots)
{
    int count = 0;

    for (int i = 0; i < list->count; i++) {
        const island_run *run = &list->runs[i];
        int root = find_root(list, i);
        int y0 = run->y - reach > 0 ? run->y - reach : 0;
        int y1 = run->y + reach + 1 < height ? run->y + reach + 1 : height;
        dw_rect bound = { run->x0, y0, run->x1 - run->x0, y1 - y0 };

        if (root == i) {
            slots[i] = count;
            rects[count++] = bound;
        } else {
            rects[slots[root]] = rect_union(&rects[slots[root]], &bound);
        }
    }
    return count;
}

dw_status dw_find_islands(const uint8_t *alpha, int width, int height, int reach, dw_rect **rects,
                          int *count, dw_error *err)
{
    run_list list = { 0 };
    int *slots = NULL;
    dw_rect *found = NULL;
    int islands;

    *rects = NULL;
    *count = 0;
    if (reach < 0 || reach > 1024)
        return dw_fail(err, DW_ERROR_ARGUMENT, "reach must lie in 0..1024, got %d", reach);
    DW_TRY(scan_image(alpha, width, height, reach, &list, err));
    DW_TRY(DW_ALLOC((size_t)list.count, &slots, err));
    DW_TRY(DW_ALLOC((size_t)list.count, &found, err));
    islands = bound_islands(&list, height, reach, found, slots);
    if (islands > DW_ISLANDS_MAX) {
        dw_fail(err, DW_ERROR_CAPACITY,
                "%d islands of alpha > 0; at most %d are told apart. Clear the specks, or give "
                "tiles by hand",
                islands, DW_ISLANDS_MAX);
        goto fail;
    }
    *count = merge_rects(found, islands);
    if (*count > 0)
        qsort(found, (size_t)*count, sizeof *found, compare_rects);
    *rects = found;
    dw_free(slots);
    dw_free(list.runs);
    return DW_OK;
fail:
    dw_free(found);
    dw_free(slots);
    dw_free(list.runs);
    return err->code;
}

void dw_free_islands(dw_rect *rects)
{
    dw_free(rects);
}
