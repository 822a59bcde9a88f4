// SPDX-License-Identifier: MIT
// The tables of a dispatch over many meshes. Each workgroup belongs to one job.

layout(scalar, set = 0, binding = 0) readonly buffer mesh_block { dw_tree_mesh meshes[]; };
layout(scalar, set = 0, binding = 1) readonly buffer job_block { dw_tree_job jobs[]; };
layout(push_constant) uniform constants
{
    uint job_first; // of this dispatch
    uint job_count;
    uint group_count;
    uint level; // of treelets
    uint mesh_row; // of the only job
};

// A row of nodes; above level 0 other workgroups of the dispatch may read it.
void row_write(dw_tree_mesh to, uint at, uvec4 row)
{
    if (level == 0u)
        tree_pairs(tree_section(to, to.nodes)).data[at] = pairs_of(row);
    else
        shared_pairs(tree_section(to, to.nodes)).data[at] = pairs_of(row);
}

uint group_index()
{
    return gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
}

bool is_of_job(uint group, uint row)
{
    return jobs[row].first_group <= group &&
           (row + 1u == job_first + job_count || group < jobs[row + 1u].first_group);
}

// The last job whose first group is not above `group`. Jobs are often alike: a guess comes first.
dw_tree_job find_job(uint group)
{
    uint low = job_first, high = job_first + job_count - 1u;

    if (job_count == 1u)
        return dw_tree_job(0u, mesh_row);
    float place = (float(group) + 0.5f) * float(job_count) / float(group_count);
    uint guess = min(low + uint(place), high);

    if (is_of_job(group, guess))
        return jobs[guess];
    while (low < high) {
        uint middle = (low + high + 1u) >> 1;

        if (jobs[middle].first_group <= group)
            low = middle;
        else
            high = middle - 1u;
    }
    return jobs[low];
}
