// SPDX-License-Identifier: MIT
// Merging by units of lanes over a window in shared memory, without subgroup operations: lanes
// climb until each owns a long range or has left its own, then units merge these one by one.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/tree_climb.glsl"

layout(local_size_x = DW_TREE_LANES) in;
layout(constant_id = 1) const uint WIDTH = 8u; /* lanes of a unit: 4, 8, 16, 32, 64 */

#define UNITS_MAX (DW_TREE_LANES / 4u)
#define UNITS     (DW_TREE_LANES / WIDTH)

shared tree_range requests[DW_TREE_LANES]; /* ranges to merge; afterwards with their counts */
shared uint request_count, open_units;
shared tree_cluster cells[UNITS_MAX][DW_TREE_WINDOW];
shared uint orders[UNITS_MAX][DW_TREE_WINDOW]; /* the cell of each place */
shared uint mates[UNITS_MAX][DW_TREE_WINDOW];
shared uint counts[UNITS_MAX];

uint unit, lane; // of the unit

uint nearest(uint place, uint count)
{
    tree_cluster own = cells[unit][orders[unit][place]];
    uint from = place > DW_TREE_RADIUS ? place - DW_TREE_RADIUS : 0u;
    uint to = min(place + DW_TREE_RADIUS + 1u, count);
    float best = 3.0e38;
    uint found = place;

    for (uint i = from; i < to; i++) {
        uint cell = orders[unit][i];
        float area = tree_union_area(own.low, own.high, cells[unit][cell].low,
                                     cells[unit][cell].high);

        if (i != place && area < best) {
            best = area;
            found = i;
        }
    }
    return found;
}

/* Joins what lies in places a, the lower one, and b. */
void join(uint a, uint b)
{
    uint cell = orders[unit][a];

    cells[unit][cell] = tree_join(cells[unit][cell], cells[unit][orders[unit][b]]);
}

/* By one lane: drops the higher places of joined pairs. Where none joined, which cannot be, the
 * first two do. */
void close_up(uint count)
{
    uint left = 0u;

    for (uint i = 0u; i < count; i++) {
        uint mate = mates[unit][i];

        if (mates[unit][mate] != i || i < mate)
            orders[unit][left++] = orders[unit][i];
    }
    if (left == count) {
        join(0u, 1u);
        atomicAdd(TREE_HEAD.at[DW_TREE_BUILD_FORCED], 1u);
        for (uint i = 2u; i < count; i++)
            orders[unit][i - 1u] = orders[unit][i];
        left = count - 1u;
    }
    counts[unit] = left;
}

/* Rounds of all units until each window is merged to its `wanted` clusters. */
void merge_rounds(uint wanted)
{
    for (;;) {
        uint count = counts[unit];

        barrier();
        if (gl_LocalInvocationIndex == 0u)
            open_units = 0u;
        barrier();
        if (count > wanted) {
            if (lane == 0u)
                atomicAdd(open_units, 1u);
            for (uint place = lane; place < count; place += WIDTH)
                mates[unit][place] = nearest(place, count);
        }
        barrier();
        if (open_units == 0u)
            return;
        if (count > wanted) {
            for (uint place = lane; place < count; place += WIDTH) {
                uint mate = mates[unit][place];

                if (place < mate && mates[unit][mate] == place)
                    join(place, mate);
            }
        }
        barrier();
        if (count > wanted && lane == 0u)
            close_up(count);
        barrier();
    }
}

/* Merges request `index`; lanes of units without one keep step. */
void merge(uint index)
{
    bool has_work = index < request_count;
    tree_range range = requests[min(index, DW_TREE_LANES - 1u)];
    bool is_all = tree_is_all(range);
    uint count = has_work ? range.count_left + range.count_right : 0u;

    for (uint i = lane; i < count; i += WIDTH) {
        cells[unit][i] = tree_entry(range, i);
        orders[unit][i] = i;
    }
    if (lane == 0u)
        counts[unit] = count;
    barrier();
    merge_rounds(is_all ? 1u : TREE_HALF);
    count = counts[unit];
    if (is_all && has_work && lane == 0u)
        tree_finish(cells[unit][orders[unit][0]]);
    for (uint i = lane; i < count && !is_all; i += WIDTH)
        tree_store(range.left + i, cells[unit][orders[unit][i]]);
    tree_fence();
    barrier();
    if (has_work && lane == 0u)
        requests[index].count = count;
    barrier();
}

void main()
{
    uint next = (tree_group() * gl_WorkGroupSize.x + gl_LocalInvocationIndex) * push.part_items;
    uint end = min(next + push.part_items, push.count);
    bool is_climbing = false;
    tree_range range = tree_range_of(0u);

    unit = gl_LocalInvocationIndex / WIDTH;
    lane = gl_LocalInvocationIndex % WIDTH;
    if (push.count == 1u && next == 0u)
        tree_finish(tree_load(0u, false));
    if (push.count == 1u)
        return;
    for (;;) {
        bool is_owner = false;
        uint index = 0u;

        while (!is_owner && (is_climbing || next < end)) {
            if (!is_climbing)
                range = tree_range_of(next++);
            is_climbing = tree_climb(range);
            is_owner = is_climbing && tree_needs_merging(range);
        }
        if (gl_LocalInvocationIndex == 0u)
            request_count = 0u;
        barrier();
        if (is_owner) {
            tree_fence();
            index = atomicAdd(request_count, 1u);
            requests[index] = range;
        }
        barrier();
        if (request_count == 0u)
            break;
        for (uint first = 0u; first < request_count; first += UNITS)
            merge(first + unit);
        if (is_owner) {
            range.count = requests[index].count;
            is_climbing = !tree_is_all(range);
        }
        barrier();
    }
}
