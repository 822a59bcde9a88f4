// SPDX-License-Identifier: MIT
// Treelets in tree order: by level from the highest down, then by the slots of their roots.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/tree_build.glsl"

layout(local_size_x = DW_TREE_LANES) in;

uvec3 next[DW_TREE_LEVELS_MAX]; // treelet, node, triangle of each level's next treelet

void begin_levels(uint tile)
{
    tree_quads counts = tree_quads(tree_section(DW_TREE_AT_TABLES));
    uvec3 before = uvec3(0u);

    for (uint i = uint(DW_TREE_LEVELS_MAX); i > 0u; i--) {
        uint level = i - 1u;

        next[level] = before + counts.at[level * dw_tree_tiles(push.count) + tile].xyz;
        for (int k = 0; k < 3; k++)
            before[k] += TREE_HEAD.at[DW_TREE_BUILD_LEVELS + 4u * level + k];
    }
}

void list_root(uint slot, uint meta)
{
    uint level = DW_TREE_META_KIND(meta) - 1u;
    uvec3 at = next[level];
    uint nodes = DW_TREE_META_NODES(meta), triangles = DW_TREE_META_TRIANGLES(meta);
    tree_quads treelets =
        tree_quads(tree_address(push.tree_low, push.tree_high) + uint64_t(push.treelets) * 16ul);

    treelets.at[at.x] = uvec4(at.y, nodes, at.z, triangles);
    tree_words(tree_section(DW_TREE_AT_CODES)).at[at.x] = slot;
    tree_words(tree_section(DW_TREE_AT_ROOTS)).at[slot] = at.y;
    next[level] = at + uvec3(1u, nodes, triangles);
}

void main()
{
    uint tile = tree_group() * DW_TREE_LANES + gl_LocalInvocationIndex;
    tree_quads roots = tree_quads(tree_section(DW_TREE_AT_ROOTS));

    if (tile >= dw_tree_tiles(push.count))
        return;
    begin_levels(tile);
    for (uint i = 0u; i < DW_TREE_TILE; i += 4u) {
        uint slot = tile * DW_TREE_TILE + i;

        if (slot >= push.count)
            break;
        uvec4 metas = roots.at[slot / 4u];

        if (all(equal(metas, uvec4(0xffffffffu))))
            continue;
        for (int k = 0; k < 4; k++)
            if (metas[k] != 0xffffffffu)
                list_root(slot + k, metas[k]);
    }
}
