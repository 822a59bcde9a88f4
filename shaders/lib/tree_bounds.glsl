// SPDX-License-Identifier: MIT
// The bounds of a pose: of used vertices, or of boxes. The workgroup that is through last settles
// the grid, and makes the head ready for the next pose. DW_TREE_IS_WIDE: subgroups join first.

#include "shared/tree_build.h"
#include "shared/tree_gpu.h"
#include "lib/tree_mesh.glsl"
#include "lib/tree_jobs.glsl"

layout(local_size_x = 64, local_size_x_id = 0) in;
layout(constant_id = 1) const uint ITEMS = 4u; // a lane; a multiple of 32 where they lie together
layout(constant_id = 2) const bool IS_SERIAL = false; // a lane's items lie together

#define NOTHING 0xffffffffu // no low bound; no high bound is 0

shared uint bounds[6]; // dw_tree_ordered
shared uint is_last;

void include_point(vec3 low, vec3 high, inout vec3 lows, inout vec3 highs)
{
    lows = min(lows, low);
    highs = max(highs, high);
}

vec3 coordinates(uvec3 bits)
{
    return vec3(dw_tree_coordinate(bits.x), dw_tree_coordinate(bits.y),
                dw_tree_coordinate(bits.z));
}

bool are_in_range(uvec3 bits)
{
    return dw_tree_in_range(bits.x) && dw_tree_in_range(bits.y) && dw_tree_in_range(bits.z);
}

uint used_word(dw_tree_mesh mesh, uint vertex)
{
    return mesh.used == 0u ? ~0u : tree_words(tree_section(mesh, mesh.used)).data[vertex >> 5];
}

void include_bits(uvec3 bits, inout vec3 lows, inout vec3 highs)
{
    if (are_in_range(bits))
        include_point(coordinates(bits), coordinates(bits), lows, highs);
}

void include_vertex(dw_tree_mesh mesh, uint vertex, inout vec3 lows, inout vec3 highs)
{
    uint64_t vertices = tree_address(mesh.vertices_low, mesh.vertices_high);

    include_bits(load_point(vertices, vertex * mesh.vertex_stride), lows, highs);
}

void include_box(dw_tree_mesh mesh, uint item, inout vec3 lows, inout vec3 highs)
{
    uint64_t boxes = tree_address(mesh.vertices_low, mesh.vertices_high);
    uvec3 low_bits = load_point(boxes, 6u * item), high_bits = load_point(boxes, 6u * item + 3u);
    vec3 low = coordinates(low_bits), high = coordinates(high_bits);

    if (are_in_range(low_bits) && are_in_range(high_bits) && all(lessThanEqual(low, high)))
        include_point(low, high, lows, highs);
}

uint items_of(dw_tree_mesh mesh)
{
    return mesh_has(mesh, DW_TREE_IS_OVER_BOXES) ? mesh.triangle_count : mesh.vertex_count;
}

// Workgroups of the mesh, at least one.
uint groups_of(dw_tree_mesh mesh)
{
    uint items = items_of(mesh), group_items = ITEMS * gl_WorkGroupSize.x;

    return items == 0u ? 1u : (items - 1u) / group_items + 1u;
}

// Vertices that lie together, from a multiple of 32 on.
void include_run(dw_tree_mesh mesh, uint first, uint end, inout vec3 lows, inout vec3 highs)
{
    while (first < end) {
        uint word = used_word(mesh, first), stop = min(first + 32u, end);

        for (; first < stop; first++)
            if ((word >> (first & 31u) & 1u) != 0u)
                include_vertex(mesh, first, lows, highs);
    }
}

void include_vertices(dw_tree_mesh mesh, uint first, uint end, inout vec3 lows, inout vec3 highs)
{
    if (IS_SERIAL) {
        include_run(mesh, first, end, lows, highs);
        return;
    }
    uint64_t vertices = tree_address(mesh.vertices_low, mesh.vertices_high);

    for (uint i = first; i < end; i += gl_WorkGroupSize.x) {
        uint word = used_word(mesh, i); // vertices are loaded beside it, used or not
        uvec3 bits = load_point(vertices, i * mesh.vertex_stride);

        if ((word >> (i & 31u) & 1u) != 0u)
            include_bits(bits, lows, highs);
    }
}

void share_bounds(vec3 lows, vec3 highs)
{
    bool has_any = lows.x <= highs.x;

    for (uint axis = 0u; axis < 3u; axis++) {
        uint low = has_any ? dw_tree_ordered(lows[axis]) : NOTHING;
        uint high = has_any ? dw_tree_ordered(highs[axis]) : 0u;

#if DW_TREE_IS_WIDE
        low = subgroupMin(low);
        high = subgroupMax(high);
        if (!subgroupElect())
            continue;
#endif
        atomicMin(bounds[axis], low);
        atomicMax(bounds[3u + axis], high);
    }
}

void include_items(dw_tree_mesh mesh, uint begin, uint lane)
{
    uint count = items_of(mesh);
    uint first = IS_SERIAL ? begin + lane * ITEMS : begin + lane;
    uint end = min(IS_SERIAL ? first + ITEMS : begin + ITEMS * gl_WorkGroupSize.x, count);
    uint step = IS_SERIAL ? 1u : gl_WorkGroupSize.x;
    vec3 lows = vec3(3.4028235e38f), highs = vec3(-3.4028235e38f);

    if (mesh_has(mesh, DW_TREE_IS_OVER_BOXES)) {
        for (uint i = first; i < end; i += step)
            include_box(mesh, i, lows, highs);
    } else {
        include_vertices(mesh, first, end, lows, highs);
    }
    share_bounds(lows, highs);
}

/* Hands the group's bounds over; whether all groups of the mesh have done so. */
bool hand_over(shared_words head, uint group_total)
{
    for (uint i = 0u; i < 3u; i++) {
        atomicMin(head.data[DW_TREE_HEAD_BOUNDS + i], bounds[i]);
        atomicMax(head.data[DW_TREE_HEAD_BOUNDS + 3u + i], bounds[3u + i]);
    }
    memoryBarrierBuffer();
    if (atomicAdd(head.data[DW_TREE_HEAD_DONE], 1u) + 1u < group_total)
        return false;
    memoryBarrierBuffer();
    return true;
}

#include "lib/tree_frame.glsl"

void bounds_group()
{
    uint lane = gl_LocalInvocationIndex;
    uint group = group_index();

    if (group >= group_count)
        return;
    dw_tree_job job = find_job(group);
    dw_tree_mesh mesh = meshes[job.mesh];
    shared_words head = shared_words(tree_section(mesh, 0u));

    if (lane < 6u)
        bounds[lane] = lane < 3u ? NOTHING : 0u;
    barrier();
    include_items(mesh, (group - job.first_group) * ITEMS * gl_WorkGroupSize.x, lane);
    barrier();
    if (lane == 0u)
        is_last = uint(hand_over(head, groups_of(mesh)));
    barrier();
    if (is_last == 0u)
        return;
    if (lane < 3u)
        settle_axis(head, lane);
    barrier();
    bool is_kept = (mesh.dirty_low | mesh.dirty_high) != 0u && is_frame_kept(head);

    barrier();
    if (!is_kept && lane < 3u)
        write_axis(head, lane);
    if (lane == 0u)
        write_rest(head, mesh, is_kept);
}
