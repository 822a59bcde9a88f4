// SPDX-License-Identifier: MIT
// What a workgroup does: treelets of one level, one a lane; or one treelet. Where workgroups have a
// treelet each, the one that is last with level 1 goes on with the few above.

#include "lib/tree_refit.glsl"
#include "lib/tree_refit_sums.glsl"
#include "lib/tree_refit_serial.glsl"
#include "lib/tree_refit_wide.glsl"

shared uint is_last;

dw_tree_treelet load_treelet(uint row)
{
    uvec4 words = tree_rows(tree_section(mesh, mesh.treelets)).data[row];

    return dw_tree_treelet(words.x, words.y, words.z, words.w);
}

// All that the workgroup wrote is there for the others.
void hand_over()
{
    memoryBarrierBuffer();
    barrier();
}

bool is_last_of_level(uint treelets)
{
    shared_words head = shared_words(tree_section(mesh, 0u));

    hand_over();
    if (gl_LocalInvocationIndex == 0u) {
        is_last = uint(atomicAdd(head.data[DW_TREE_HEAD_DONE], 1u) + 1u == treelets);
        if (is_last != 0u)
            atomicExchange(head.data[DW_TREE_HEAD_DONE], 0u);
    }
    memoryBarrierBuffer();
    barrier();
    return is_last != 0u;
}

void refit_levels(uint mesh_at, uint row, uint state)
{
    bool is_partial = level == 0u && (state & DW_TREE_STATE_IS_PARTIAL) != 0u;
    bool has_runs = (state & DW_TREE_STATE_HAS_RUNS) != 0u;

    treelet = load_treelet(row);
    refit_wide(row, is_partial, has_runs);
    if (level == 0u || mesh.level_count <= 2u)
        return;
    if (!is_last_of_level(meshes[mesh_at].level_treelets[1]))
        return;
    for (uint at = 2u; at < mesh.level_count; at++) {
        uint first = meshes[mesh_at].level_first[at];

        for (uint i = 0u; i < meshes[mesh_at].level_treelets[at]; i++) {
            treelet = load_treelet(first + i);
            refit_wide(first + i, false, has_runs);
            hand_over();
        }
    }
}

void refit_group()
{
    uint group = group_index();

    if (group >= group_count)
        return;
    dw_tree_job job = find_job(group);
    uint item = group - job.first_group;

    if (IS_SERIAL)
        item = item * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    mesh = meshes[job.mesh];
    if (item >= meshes[job.mesh].level_treelets[level])
        return;
    uint row = meshes[job.mesh].level_first[level] + item;
    uint state = tree_head(mesh).data[DW_TREE_HEAD_STATE];

    load_frame(mesh);
    if (IS_SERIAL) {
        treelet = load_treelet(row);
        refit_serial(row, level == 0u && (state & DW_TREE_STATE_IS_PARTIAL) != 0u);
    } else {
        refit_levels(job.mesh, row, state);
    }
}
