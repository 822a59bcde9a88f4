// SPDX-License-Identifier: MIT
// Sums of treelets into those of their trees, exact in any order: 16 bits at a time within a
// workgroup, then two words with a carry.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require

#include "shared/tree_gpu.h"
#include "lib/tree_mesh.glsl"
#include "lib/tree_jobs.glsl"

layout(local_size_x = DW_TREE_SUMS_GROUP) in;

shared uint limbs[6][4];
shared uint inactive_count;

uint treelets_of(dw_tree_mesh mesh)
{
    uint count = 0u;

    for (uint i = 0u; i < 8u; i++)
        count += mesh.level_treelets[i];
    return count;
}

void add_rows(dw_tree_mesh mesh, uint begin, uint lane)
{
    uint end = min(begin + DW_TREE_SUMS_GROUP * DW_TREE_SUMS_ROWS, treelets_of(mesh));
    tree_words rows = tree_words(tree_section(mesh, mesh.sums));
    uint64_t sums[6];
    uint inactive = 0u;

    for (uint k = 0u; k < 6u; k++)
        sums[k] = uint64_t(0);
    for (uint i = begin + lane; i < end; i += DW_TREE_SUMS_GROUP) {
        uint at = i * DW_TREE_SUMS_WORDS;

        for (uint k = 0u; k < 6u; k++)
            sums[k] += tree_address(rows.data[at + 2u * k], rows.data[at + 2u * k + 1u]);
        inactive += rows.data[at + 12u];
    }
    for (uint k = 0u; k < 6u; k++)
        for (uint limb = 0u; limb < 4u; limb++)
            atomicAdd(limbs[k][limb], uint(sums[k] >> (16u * limb)) & 0xffffu);
    atomicAdd(inactive_count, inactive);
}

void main()
{
    uint lane = gl_LocalInvocationIndex;
    uint group = group_index();

    if (group >= group_count)
        return;
    dw_tree_job job = find_job(group);
    dw_tree_mesh mesh = meshes[job.mesh];
    tree_words head = tree_head(mesh);

    if (lane < 24u)
        limbs[lane / 4u][lane % 4u] = 0u;
    if (lane == 0u)
        inactive_count = 0u;
    barrier();
    add_rows(mesh, (group - job.first_group) * DW_TREE_SUMS_GROUP * DW_TREE_SUMS_ROWS, lane);
    barrier();
    if (lane == 0u)
        atomicAdd(head.data[DW_TREE_HEAD_FRAME + 10u], inactive_count);
    if (lane >= 6u)
        return;
    uint64_t sum = uint64_t(0);

    for (uint limb = 0u; limb < 4u; limb++)
        sum += uint64_t(limbs[lane][limb]) << (16u * limb);
    uint at = DW_TREE_HEAD_SUMS + 2u * lane, low = uint(sum);
    uint before = atomicAdd(head.data[at], low);

    atomicAdd(head.data[at + 1u], uint(sum >> 32) + (before + low < before ? 1u : 0u));
}
