// SPDX-License-Identifier: MIT
// Which row and which of its slots a candidate is: searched between the rows that its workgroup
// and the next one begin at. The includer declares `uvec4 cells[]`, `uint runs[]` and
// `dw_particle_span spans[]`.
#ifndef DW_LIB_PARTICLE_FIND_GLSL
#define DW_LIB_PARTICLE_FIND_GLSL

#include "shared/particle.h"
#include "shared/particle_gpu.h"

/* Candidates [begin, end) of a workgroup, among those of its layer, and rows [first, last] that
 * they are in. */
struct particle_run {
    uint begin, end;
    uint first, last;
};

shared uint found_layer;

/* The layer that a workgroup of the expansion is of. All lanes come here. */
uint find_layer(uint lane, uint layer_count, uint group)
{
    if (lane < layer_count && group - spans[lane].group_first < spans[lane].group_count)
        found_layer = lane;
    barrier();
    return found_layer;
}

particle_run find_run(uint layer, uint group, uint row_end)
{
    uint own = group - spans[layer].group_first;
    particle_run run;

    run.begin = own * DW_PARTICLE_SLOT_GROUP;
    run.end = min(spans[layer].candidates, run.begin + DW_PARTICLE_SLOT_GROUP);
    run.first = runs[group];
    run.last = row_end - 1u;
    if (own + 1u < spans[layer].group_count)
        run.last = runs[group + 1u];
    return run;
}

/* Row and slot. */
uvec2 find_slot(particle_run run, uint target)
{
    uint row = run.first, end = run.last;

    while (row < end) {
        uint middle = (row + end + 1u) / 2u;
        bool is_through = cells[middle].x <= target;

        row = is_through ? middle : row;
        end = is_through ? end : middle - 1u;
    }
    return uvec2(row, target - cells[row].x);
}

#endif
