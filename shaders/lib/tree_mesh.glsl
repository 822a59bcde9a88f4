// SPDX-License-Identifier: MIT
// Meshes and trees reached by address, and the rows of a batch that a workgroup works on.
// DW_TREE_MESH_BINDING and DW_TREE_JOB_BINDING: bindings of the two tables.

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer tree_words { uint data[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer tree_floats { float data[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer tree_rows { uvec4 data[]; };
// The same rows in fewer, longer words.
layout(buffer_reference, std430, buffer_reference_align = 16) buffer tree_pairs { u64vec2 data[]; };

uint64_t tree_address(uint low, uint high)
{
    return uint64_t(high) << 32 | uint64_t(low);
}

// A section of the mesh's tree; 0 is the head.
uint64_t tree_section(dw_tree_mesh mesh, uint section)
{
    return tree_address(mesh.tree_low, mesh.tree_high) + (uint64_t(section) << 4);
}

tree_words tree_head(dw_tree_mesh mesh)
{
    return tree_words(tree_section(mesh, 0u));
}

uvec4 row_of(u64vec2 pairs)
{
    return uvec4(unpack32(pairs.x), unpack32(pairs.y));
}

u64vec2 pairs_of(uvec4 row)
{
    return u64vec2(pack64(row.xy), pack64(row.zw));
}

bool mesh_has(dw_tree_mesh mesh, uint flag)
{
    return (mesh.flags & flag) != 0u;
}
