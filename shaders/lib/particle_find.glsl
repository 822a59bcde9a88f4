// SPDX-License-Identifier: MIT
// Which row and which of its slots a candidate is. A workgroup looks together for the rows of its
// first and last candidate; each lane looks between them. The includer declares `uvec2 cells[]`,
// `uvec2 starts[]` and `dw_particle_span spans[]`.
#ifndef DW_LIB_PARTICLE_FIND_GLSL
#define DW_LIB_PARTICLE_FIND_GLSL

#include "shared/particle.h"
#include "shared/particle_gpu.h"

/* Candidates [begin, end) of the workgroup, counted like starts[]; the groups of rows and the rows
 * that the first and the last of them are in. */
struct particle_run {
    uint begin, end;
    uvec2 groups, rows;
};

shared uint found[2];

/* The layer that a workgroup of the expansion is of. All lanes come here. */
uint find_layer(uint lane, uint layer_count, uint group)
{
    if (lane < layer_count && group - spans[lane].group_first < spans[lane].group_count)
        found[0] = lane;
    barrier();
    return found[0];
}

bool is_group_through(uint group, uint end, uint target)
{
    return group < end && starts[group].x <= target;
}

bool is_row_through(uint group, uint row, uint end, uint target)
{
    return row < end && starts[group].x + cells[row].x <= target;
}

uvec2 take_found(bool is_first, bool is_last, uint at_first, uint at_last)
{
    barrier();
    if (is_first)
        found[0] = at_first;
    if (is_last)
        found[1] = at_last;
    barrier();
    return uvec2(found[0], found[1]);
}

/* The last groups in [first, end) that begin at or before the targets. */
uvec2 find_groups(uint lane, uint first, uint end, uvec2 target)
{
    uvec2 at = uvec2(first);

    for (uint size = end - first; size > 1u;) {
        uint step = (size + DW_PARTICLE_LANES - 1u) / DW_PARTICLE_LANES;
        uint from = lane * step, to = from + step;
        uvec2 ends = min(at + size, uvec2(end));
        bool is_first = is_group_through(at.x + from, ends.x, target.x) &&
                        !is_group_through(at.x + to, ends.x, target.x);
        bool is_last = is_group_through(at.y + from, ends.y, target.y) &&
                       !is_group_through(at.y + to, ends.y, target.y);

        at = take_found(is_first, is_last, at.x + from, at.y + from);
        size = step;
    }
    return at;
}

uvec2 find_rows(uint lane, uvec2 groups, uint row_count, uvec2 target)
{
    uvec2 row = groups * DW_PARTICLE_ROW_GROUP + lane;
    uvec2 ends = min((groups + 1u) * DW_PARTICLE_ROW_GROUP, uvec2(row_count));
    bool is_first = is_row_through(groups.x, row.x, ends.x, target.x) &&
                    !is_row_through(groups.x, row.x + 1u, ends.x, target.x);
    bool is_last = is_row_through(groups.y, row.y, ends.y, target.y) &&
                   !is_row_through(groups.y, row.y + 1u, ends.y, target.y);

    return take_found(is_first, is_last, row.x, row.y);
}

/* `row_first` and `row_count`: of the layer. All lanes come here. */
particle_run find_run(uint lane, uint layer, uint group, uint row_first, uint row_end)
{
    uint group_first = row_first / DW_PARTICLE_ROW_GROUP;
    uint group_end = (row_end + DW_PARTICLE_ROW_GROUP - 1u) / DW_PARTICLE_ROW_GROUP;
    uint own = (group - spans[layer].group_first) * DW_PARTICLE_SLOT_GROUP;
    uint left = min(spans[layer].candidates - own, DW_PARTICLE_SLOT_GROUP);
    particle_run run;

    run.begin = starts[group_first].x + own;
    run.end = run.begin + left;

    uvec2 target = uvec2(run.begin, run.end - 1u);

    run.groups = find_groups(lane, group_first, group_end, target);
    run.rows = find_rows(lane, run.groups, row_end, target);
    return run;
}

/* Row and slot. */
uvec2 find_slot(particle_run run, uint target)
{
    uint group = run.groups.x, last = run.groups.y;

    while (group < last) {
        uint middle = (group + last + 1u) / 2u;
        bool is_through = starts[middle].x <= target;

        group = is_through ? middle : group;
        last = is_through ? last : middle - 1u;
    }

    uint own = target - starts[group].x;
    uint first = group * DW_PARTICLE_ROW_GROUP;
    uint row = group == run.groups.x ? run.rows.x : first;
    uint end = group == run.groups.y ? run.rows.y : first + DW_PARTICLE_ROW_GROUP - 1u;

    while (row < end) {
        uint middle = (row + end + 1u) / 2u;
        bool is_through = cells[middle].x <= own;

        row = is_through ? middle : row;
        end = is_through ? end : middle - 1u;
    }
    return uvec2(row, own - cells[row].x);
}

#endif
