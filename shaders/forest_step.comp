// SPDX-License-Identifier: MIT
// Each row once: its LOD and cross-fade brought up to date, its cell, and how many rows of the
// workgroup go to each bucket.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "shared/forest.h"

layout(local_size_x = DW_FOREST_GROUP) in;

/* Known when the shader is compiled: the easings are long. */
layout(constant_id = 0) const uint encoding = DW_DISSOLVE_ENCODING_FLOAT32;

layout(scalar, set = 0, binding = 0) readonly buffer param_block
{
    dw_forest_rules rules;
    dw_forest_cut cuts[DW_FOREST_LODS_MAX];
    uint meshes[DW_FOREST_VARIANTS_MAX];
};
/* Two a row: as vectors of known alignment, so that a row is two loads. */
layout(std430, set = 0, binding = 1) readonly buffer record_block { vec4 records[]; };
layout(scalar, set = 0, binding = 2) readonly buffer info_block { uint infos[]; };
layout(scalar, set = 0, binding = 3) readonly buffer dissolve_block { uint dissolves[]; };
layout(std430, set = 0, binding = 4) buffer state_block { uvec4 states[]; };
layout(std430, set = 0, binding = 5) writeonly buffer cell_block { uvec2 cells[]; };
layout(scalar, set = 0, binding = 6) writeonly buffer count_block { uint counts[]; };
layout(scalar, push_constant) uniform view_block { dw_forest_view view; };

shared uint group_counts[DW_FOREST_BUCKETS_MAX + DW_FOREST_COUNTERS];

dw_forest_record load_record(uint row)
{
    vec4 place = records[2u * row];
    vec4 sphere = records[2u * row + 1u];

    return dw_forest_record(place.x, place.y, place.z, place.w, sphere.x, sphere.y, sphere.z,
                            sphere.w);
}

dw_forest_state load_state(uint row)
{
    uvec4 words = states[row];

    return dw_forest_state(words.x, words.y, words.z, words.w);
}

bool is_outside(dw_forest_record record)
{
    for (uint i = 0u; i < 24u; i += 4u)
        if (dw_forest_inside(view.planes[i], view.planes[i + 1u], view.planes[i + 2u],
                             view.planes[i + 3u], record.sphere_x, record.sphere_y,
                             record.sphere_z, record.radius) < 0.0)
            return true;
    return false;
}

uint wanted_lod(uint lod, float distance2, float scale2)
{
    uint wanted = 0u;

    for (uint i = 1u; i < rules.lod_count; i++)
        if (dw_forest_is_beyond(cuts[i], i, lod, distance2, scale2))
            wanted = i;
    return wanted;
}

uint dissolve_bits(uint row)
{
    bool is_long = encoding == DW_DISSOLVE_ENCODING_ANALYTIC;
    uint at = is_long ? 3u * row : row;
    uint word1 = is_long ? dissolves[at + 1u] : 0u;
    uint word2 = is_long ? dissolves[at + 2u] : 0u;
    float value = dw_forest_value(encoding, dissolves[at], word1, word2, view.now);

    return dw_bits_from_float(dw_forest_dissolve(value, rules.dissolve_scale));
}

dw_forest_state step_row(uint row, uint generation, uint row_meshes, float distance2, float scale2)
{
    dw_forest_state old = load_state(row);
    bool is_new = old.word >> 24 != generation;

    if ((view.flags & DW_FOREST_IS_SHADOW) != 0u && !is_new)
        return old;
    uint wanted = wanted_lod(is_new ? 0u : DW_FOREST_LOD(old.word), distance2, scale2);
    dw_forest_state state =
        dw_forest_step(old, wanted, row_meshes, generation, view.now, rules.crossfade_ticks,
                       (view.flags & DW_FOREST_IS_STILL) != 0u);
    state.dissolve = dissolve_bits(row);
    if ((view.flags & DW_FOREST_IS_SHADOW) == 0u && state != old)
        states[row] = uvec4(state.word, state.began, state.spare, state.dissolve);
    return state;
}

dw_forest_cell cull_row(uint row)
{
    dw_forest_record record = load_record(row);
    uint info = infos[row];
    uint row_meshes = meshes[DW_FOREST_VARIANT(info)];

    if (record.radius < 0.0)
        return dw_forest_no_cell(DW_FOREST_NONE);
    float distance2 = dw_forest_distance2(record.x, record.z, view.camera_x, view.camera_z);
    dw_forest_state state =
        step_row(row, DW_FOREST_GENERATION(info), row_meshes, distance2, record.scale2);
    if ((view.flags & DW_FOREST_IS_SHADOW) != 0u && (info & DW_FOREST_CASTS_SHADOW) == 0u)
        return dw_forest_no_cell(DW_FOREST_NONE);
    if (is_outside(record))
        return dw_forest_no_cell(rules.bucket_count + DW_FOREST_OUTSIDE);
    return dw_forest_cell_of(rules, state, info, row_meshes, distance2, view.now, view.flags);
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint lane = gl_LocalInvocationIndex;
    uint row = group * DW_FOREST_GROUP + lane;
    uint counters = rules.bucket_count + DW_FOREST_COUNTERS;

    if (group >= view.group_count)
        return;
    for (uint i = lane; i < counters; i += DW_FOREST_GROUP)
        group_counts[i] = 0u;
    barrier();
    if (row < view.row_count) {
        dw_forest_cell cell = cull_row(row);

        cells[row] = uvec2(cell.buckets, cell.fade);
        for (uint i = 0u; i < 2u; i++)
            if (dw_forest_cell_bucket(cell, i) != DW_FOREST_NONE)
                atomicAdd(group_counts[dw_forest_cell_bucket(cell, i)], 1u);
        if (dw_forest_cell_bucket(cell, 1u) != DW_FOREST_NONE)
            atomicAdd(group_counts[rules.bucket_count + DW_FOREST_CROSSED], 1u);
    }
    barrier();
    for (uint i = lane; i < counters; i += DW_FOREST_GROUP)
        counts[i * view.group_count + group] = group_counts[i];
}
