// SPDX-License-Identifier: MIT
// Items of a workgroup in order to their places: put in order among themselves first, by two bits
// at a time, so that items of one digit go to places one behind the other.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/particle_sums.glsl"

layout(local_size_x = DW_PARTICLE_LANES) in;

layout(scalar, set = 0, binding = 0) readonly buffer size_block { dw_particle_sizes sizes; };
layout(scalar, set = 0, binding = 1) readonly buffer span_block { dw_particle_span spans[]; };
layout(scalar, set = 0, binding = 2) readonly buffer dispatch_block
{
    dw_particle_dispatch dispatches[2];
};
layout(std430, set = 0, binding = 3) readonly buffer pair_block { uvec2 pairs[]; };
layout(std430, set = 0, binding = 4) readonly buffer digit_block { uint digits[]; };
layout(std430, set = 0, binding = 5) readonly buffer total_block { uint totals[]; };
layout(std430, set = 0, binding = 6) writeonly buffer ordered_block { uvec2 ordered[]; };
layout(std430, set = 0, binding = 7) writeonly buffer list_block { uint list[]; };

#include "lib/particle_sort.glsl"

#define OWN (DW_PARTICLE_SORT_GROUP / DW_PARTICLE_LANES)

shared uvec2 items[DW_PARTICLE_SORT_GROUP];
shared uint places[DW_PARTICLE_DIGITS]; /* where the first item of a digit goes */
shared uint begins[DW_PARTICLE_DIGITS]; /* and where it lies in `items` */

/* Items with each value of two bits, 16 bits a count. */
uvec2 one_in(uint value)
{
    return uvec2(value < 2u ? 1u << 16u * value : 0u, value < 2u ? 0u : 1u << 16u * (value - 2u));
}

uint count_in(uvec2 counts, uint value)
{
    return (value < 2u ? counts.x : counts.y) >> 16u * (value & 1u) & 0xffffu;
}

/* Stable, by two bits of the keys. Items beyond `count` have keys of all ones. */
void order_by(uint lane, uint bit)
{
    uvec2 own[OWN], counts = uvec2(0u), total;

    for (uint i = 0u; i < OWN; i++) {
        own[i] = items[OWN * lane + i];
        counts += one_in(own[i].x >> bit & 3u);
    }

    uvec2 before = sum_through(lane, counts, total) - counts;
    uvec4 first = uvec4(0u, count_in(total, 0u), count_in(total, 1u), count_in(total, 2u));

    first.z += first.y;
    first.w += first.z;
    for (uint i = 0u; i < OWN; i++) {
        uint value = own[i].x >> bit & 3u;

        items[first[value] + count_in(before, value)] = own[i];
        before += one_in(value);
    }
    barrier();
}

/* How many items of the layer have a lower digit than this lane's number. */
uint items_below(uint lane, uint layer)
{
    uint own = totals[layer * DW_PARTICLE_DIGITS + lane];
    uvec2 total;

    return sum_through(lane, uvec2(own, 0u), total).x - own;
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint lane = gl_LocalInvocationIndex;

    if (group >= dispatches[1].count)
        return;

    uint layer = find_sort_layer(lane, group);
    dw_particle_span span = spans[layer];
    uint begin = (group - span.sort_group) * DW_PARTICLE_SORT_GROUP;
    uint count = min(span.count - begin, DW_PARTICLE_SORT_GROUP);

    for (uint i = lane; i < DW_PARTICLE_SORT_GROUP; i += DW_PARTICLE_LANES)
        items[i] = i < count ? pairs[span.sort_first + begin + i] : uvec2(0xffffffffu);
    barrier();
    for (uint bit = shift; bit < shift + 8u; bit += 2u)
        order_by(lane, bit);
    places[lane] = items_below(lane, layer) + digits[digit_at(layer, lane, group)];
    for (uint i = lane; i < count; i += DW_PARTICLE_LANES) {
        uint digit = digit_of(items[i].x);

        if (i == 0u || digit_of(items[i - 1u].x) != digit)
            begins[digit] = i;
    }
    barrier();
    for (uint i = lane; i < count; i += DW_PARTICLE_LANES) {
        uint digit = digit_of(items[i].x);
        uint place = places[digit] + i - begins[digit];

        if (shift == 0u)
            ordered[span.sort_first + place] = items[i];
        else
            list[span.first + place] = items[i].y;
    }
}
