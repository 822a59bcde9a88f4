/* SPDX-License-Identifier: MIT */
#include "cpu/tree_window.h"

#include "base/simd.h"

#include <string.h>

#define DW_WINDOW_BLOCK 16    /* clusters that go through a loop together */
#define DW_WINDOW_FAR   1e18f /* unit boxes that reach here have larger unions than any other */

void dw_tree_window_init(dw_tree_window *window)
{
    for (uint32_t i = 0; i < DW_WINDOW_SIDE; i++)
        for (int axis = 0; axis < 3; axis++) {
            window->low[axis][i] = 0.0f;
            window->high[axis][i] = DW_WINDOW_FAR;
        }
    memset(window->areas, 0xff, sizeof window->areas);
    window->count = 0;
}

void dw_tree_window_clear(dw_tree_window *window)
{
    for (uint32_t i = 0; i < window->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            window->low[axis][DW_WINDOW_EDGE + i] = 0.0f;
            window->high[axis][DW_WINDOW_EDGE + i] = DW_WINDOW_FAR;
        }
    window->count = 0;
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

/* Areas of the unions of each cluster and those up to the radius behind it; then for each the
 * nearest on either side, the lower place of equals. */
DW_SIMD static void find_nearest(dw_tree_window *restrict window)
{
    for (uint32_t i = DW_WINDOW_EDGE; i < DW_WINDOW_EDGE + window->count; i += DW_WINDOW_BLOCK)
        for (uint32_t step = 1; step <= DW_TREE_RADIUS; step++)
            for (uint32_t k = i; k < i + DW_WINDOW_BLOCK; k++) {
                float extent[3];

                for (int axis = 0; axis < 3; axis++) {
                    float low = dw_tree_lower(window->low[axis][k], window->low[axis][k + step]);
                    float high = dw_tree_upper(window->high[axis][k], window->high[axis][k + step]);

                    extent[axis] = high - low;
                }
                window->areas[step - 1][k] =
                    dw_bits_from_float(dw_tree_half_area(extent[0], extent[1], extent[2]));
            }
    for (uint32_t i = 0; i < window->count; i += DW_WINDOW_BLOCK) {
        uint32_t least[DW_WINDOW_BLOCK], nearest[DW_WINDOW_BLOCK];

        for (uint32_t k = 0; k < DW_WINDOW_BLOCK; k++) {
            least[k] = window->areas[DW_TREE_RADIUS - 1][DW_WINDOW_EDGE + i + k - DW_TREE_RADIUS];
            nearest[k] = i + k - DW_TREE_RADIUS;
        }
        for (uint32_t step = DW_TREE_RADIUS - 1; step >= 1; step--)
            for (uint32_t k = 0; k < DW_WINDOW_BLOCK; k++) {
                uint32_t area = window->areas[step - 1][DW_WINDOW_EDGE + i + k - step];

                nearest[k] = area < least[k] ? i + k - step : nearest[k];
                least[k] = area < least[k] ? area : least[k];
            }
        for (uint32_t step = 1; step <= DW_TREE_RADIUS; step++)
            for (uint32_t k = 0; k < DW_WINDOW_BLOCK; k++) {
                uint32_t area = window->areas[step - 1][DW_WINDOW_EDGE + i + k];

                nearest[k] = area < least[k] ? i + k + step : nearest[k];
                least[k] = area < least[k] ? area : least[k];
            }
        memcpy(window->nearest + i, nearest, sizeof nearest);
    }
}

/* Moves the cluster at `from` down to `to`. */
static void move_cluster(dw_tree_window *window, uint32_t to, uint32_t from)
{
    if (to == from)
        return;
    window->clusters[to] = window->clusters[from];
    set_box(window, to);
}

static void shrink(dw_tree_window *window, uint32_t count)
{
    for (uint32_t i = count; i < window->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            window->low[axis][DW_WINDOW_EDGE + i] = 0.0f;
            window->high[axis][DW_WINDOW_EDGE + i] = DW_WINDOW_FAR;
        }
    window->count = count;
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
            dw_tree_merge(work, &window->clusters[i], &window->clusters[other],
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
