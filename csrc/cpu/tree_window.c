/* SPDX-License-Identifier: MIT */
#include "cpu/tree_window.h"

#include "base/simd.h"

#include <string.h>

#define DW_WINDOW_FAR 1e18f /* unit boxes that reach here have larger unions than any other */

static void set_far(dw_tree_window *window, uint32_t begin, uint32_t end)
{
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t i = begin; i < end; i++) {
            window->low[axis][i] = 0.0f;
            window->high[axis][i] = DW_WINDOW_FAR;
        }
}

void dw_tree_window_init(dw_tree_window *window)
{
    set_far(window, 0, DW_WINDOW_SIDE);
    memset(window->areas, 0xff, sizeof window->areas);
    window->count = 0;
}

/* Drops the clusters from `count` on. */
static void shrink(dw_tree_window *window, uint32_t count)
{
    set_far(window, DW_WINDOW_EDGE + count, DW_WINDOW_EDGE + window->count);
    window->count = count;
}

void dw_tree_window_clear(dw_tree_window *window)
{
    shrink(window, 0);
}

/* The box of the cluster at i, into the rows that are searched. */
static void set_box(dw_tree_window *window, uint32_t i)
{
    for (int axis = 0; axis < 3; axis++) {
        window->low[axis][DW_WINDOW_EDGE + i] = window->clusters[i].low[axis];
        window->high[axis][DW_WINDOW_EDGE + i] = window->clusters[i].high[axis];
    }
}

void dw_tree_window_add(dw_tree_window *window, const dw_tree_cluster *clusters, uint32_t count)
{
    memcpy(window->clusters + window->count, clusters, count * sizeof *clusters);
    while (count-- > 0)
        set_box(window, window->count++);
}

void dw_tree_window_add_item(dw_tree_window *window, const dw_tree_work *work, uint32_t place)
{
    dw_tree_cluster_of_item(work, place, &window->clusters[window->count]);
    set_box(window, window->count++);
}

uint32_t dw_tree_window_take(const dw_tree_window *window, dw_tree_cluster *out)
{
    memcpy(out, window->clusters, window->count * sizeof *out);
    return window->count;
}

/* Loops run over the whole window: 32 is two vectors of the widest, and rounds begin with more than
 * half of it. What lies beyond the count is far away, and its own results are not looked at. */

/* Areas of the unions of clusters and those `step` behind. */
static inline void measure(const dw_tree_window *window, size_t step, uint32_t *restrict out)
{
    const float *low_x = window->low[0] + DW_WINDOW_EDGE,
                *high_x = window->high[0] + DW_WINDOW_EDGE;
    const float *low_y = window->low[1] + DW_WINDOW_EDGE,
                *high_y = window->high[1] + DW_WINDOW_EDGE;
    const float *low_z = window->low[2] + DW_WINDOW_EDGE,
                *high_z = window->high[2] + DW_WINDOW_EDGE;

    for (size_t i = 0; i < DW_TREE_WINDOW; i++) {
        float x = dw_tree_difference(dw_tree_upper(high_x[i], high_x[i + step]),
                                     dw_tree_lower(low_x[i], low_x[i + step]));
        float y = dw_tree_difference(dw_tree_upper(high_y[i], high_y[i + step]),
                                     dw_tree_lower(low_y[i], low_y[i + step]));
        float z = dw_tree_difference(dw_tree_upper(high_z[i], high_z[i + step]),
                                     dw_tree_lower(low_z[i], low_z[i + step]));

        out[i] = dw_bits_from_float(dw_tree_half_area(x, y, z));
    }
}

/* Takes the places `place` and on where their areas are less. */
static inline void choose(const uint32_t *restrict areas, uint32_t place, uint32_t *restrict least,
                          uint32_t *restrict nearest)
{
    for (uint32_t i = 0; i < DW_TREE_WINDOW; i++) {
        bool is_less = areas[i] < least[i];

        nearest[i] = is_less ? place + i : nearest[i];
        least[i] = is_less ? areas[i] : least[i];
    }
}

/* For each cluster those before it, the farthest first, then those behind it, so that the lowest
 * place of equals is kept. */
DW_SIMD static void find_nearest(dw_tree_window *window)
{
    uint32_t least[DW_TREE_WINDOW], nearest[DW_TREE_WINDOW] = { 0 };

    for (size_t step = 1; step <= DW_TREE_RADIUS; step++)
        measure(window, step, &window->areas[step - 1][DW_WINDOW_EDGE]);
    memset(least, 0xff, sizeof least);
    for (uint32_t step = DW_TREE_RADIUS; step >= 1; step--)
        choose(&window->areas[step - 1][DW_WINDOW_EDGE - step], 0u - step, least, nearest);
    for (uint32_t step = 1; step <= DW_TREE_RADIUS; step++)
        choose(&window->areas[step - 1][DW_WINDOW_EDGE], step, least, nearest);
    memcpy(window->nearest, nearest, sizeof nearest);
}

/* Moves the cluster at `from` down to `to`. */
static void move_cluster(dw_tree_window *window, uint32_t to, uint32_t from)
{
    if (to == from)
        return;
    window->clusters[to] = window->clusters[from];
    set_box(window, to);
}

/* Merges all mutual pairs: the lower place has the node, the other goes. */
static void merge_pairs(dw_tree_window *window, dw_tree_work *work)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < window->count; i++) {
        uint32_t other = window->nearest[i];

        if (window->nearest[other] != i) {
            move_cluster(window, kept++, i);
        } else if (other > i) {
            float area = dw_float_from_bits(window->areas[other - i - 1][DW_WINDOW_EDGE + i]);

            dw_tree_merge(work, &window->clusters[i], &window->clusters[other], area,
                          &window->clusters[kept]);
            set_box(window, kept++);
        }
    }
    shrink(window, kept);
}

uint32_t dw_tree_window_merge(dw_tree_window *window, dw_tree_work *work, uint32_t most)
{
    uint32_t forced = 0;

    while (window->count > most) {
        uint32_t before = window->count;

        find_nearest(window);
        merge_pairs(window, work);
        if (window->count < before)
            continue;
        window->nearest[0] = 1;
        window->nearest[1] = 0;
        for (uint32_t i = 2; i < window->count; i++)
            window->nearest[i] = 0;
        merge_pairs(window, work);
        forced++;
    }
    return forced;
}
