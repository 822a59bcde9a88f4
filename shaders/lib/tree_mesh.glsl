// SPDX-License-Identifier: MIT
// Meshes and trees reached by address, and the rows of a batch that a workgroup works on.
// DW_TREE_MESH_BINDING and DW_TREE_JOB_BINDING: bindings of the two tables.

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer tree_words { uint data[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer tree_floats { float data[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer tree_rows { uvec4 data[]; };
// The same rows in fewer, longer words.
layout(buffer_reference, std430, buffer_reference_align = 16) buffer tree_pairs { u64vec2 data[]; };

// Rows that another workgroup of the same dispatch wrote, or will read.
layout(buffer_reference, std430, buffer_reference_align = 16) coherent buffer shared_rows
{
    uvec4 data[];
};
layout(buffer_reference, std430, buffer_reference_align = 16) coherent buffer shared_pairs
{
    u64vec2 data[];
};
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer shared_words
{
    uint data[];
};

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer tree_long { uint64_t data[]; };
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer tree_bytes { uint8_t data[]; };

uint64_t tree_address(uint low, uint high)
{
    return uint64_t(high) << 32 | uint64_t(low);
}

// Three words from `at` on, in two loads: buffers end at multiples of 8 bytes.
uvec3 load_point(uint64_t address, uint at)
{
    uint64_t from = address + (uint64_t(at) << 2);
    tree_long words = tree_long(from & ~uint64_t(7));
    uvec2 first = unpack32(words.data[0]), second = unpack32(words.data[1]);

    return (uint(from) & 4u) != 0u ? uvec3(first.y, second) : uvec3(first, second.x);
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
