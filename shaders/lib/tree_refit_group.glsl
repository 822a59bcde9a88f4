// SPDX-License-Identifier: MIT
// What a workgroup does: one treelet, or one a lane.

#include "lib/tree_refit.glsl"
#include "lib/tree_refit_sums.glsl"
#include "lib/tree_refit_serial.glsl"
#include "lib/tree_refit_wide.glsl"

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
    uvec4 words = tree_rows(tree_section(mesh, mesh.treelets)).data[row];
    bool is_partial = level == 0u && (tree_head(mesh).data[DW_TREE_HEAD_STATE] &
                                      DW_TREE_STATE_IS_PARTIAL) != 0u;

    treelet = dw_tree_treelet(words.x, words.y, words.z, words.w);
    load_frame(mesh);
    if (IS_SERIAL)
        refit_serial(row, is_partial);
    else
        refit_wide(row, is_partial);
}
