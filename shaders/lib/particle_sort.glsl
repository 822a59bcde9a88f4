// SPDX-License-Identifier: MIT
// One pass of a stable sort by digits of 8 bits, of all sorted layers at once: workgroups of 1,024
// items in order, each of one layer, with a count of every digit. The includer declares
// `dw_particle_span spans[]`, `dw_particle_sizes sizes` and `dw_particle_dispatch dispatch`.
#ifndef DW_LIB_PARTICLE_SORT_GLSL
#define DW_LIB_PARTICLE_SORT_GLSL

#include "shared/particle.h"
#include "shared/particle_gpu.h"

layout(constant_id = 0) const uint shift = 0u;

shared uint sort_layer;

bool is_sorted(uint layer)
{
    uint bits = layer < 32u ? sizes.sorted_low : sizes.sorted_high;

    return (bits >> layer % 32u & 1u) != 0u;
}

uint sort_groups(uint layer)
{
    return (spans[layer].count + DW_PARTICLE_SORT_GROUP - 1u) / DW_PARTICLE_SORT_GROUP;
}

/* The layer of a workgroup that has work. All lanes come here. */
uint find_sort_layer(uint lane, uint group)
{
    if (lane < sizes.layer_count && is_sorted(lane) &&
        group - spans[lane].sort_group < sort_groups(lane))
        sort_layer = lane;
    barrier();
    return sort_layer;
}

/* Where a digit's count of a workgroup stands: by layer, digit and workgroup. */
uint digit_at(uint layer, uint digit, uint group)
{
    uint first = DW_PARTICLE_DIGITS * spans[layer].sort_group;

    return first + digit * sort_groups(layer) + group - spans[layer].sort_group;
}

uint digit_of(uint key)
{
    return key >> shift & 255u;
}

#endif
