// SPDX-License-Identifier: MIT
// Treelets in tree order: by level from the highest down, then by the slots of their roots. One
// workgroup a tile of slots; few of them are roots, and one lane lists these.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/tree_build.glsl"

layout(local_size_x = DW_TREE_LANES) in;

shared uint metas[DW_TREE_TILE];
shared uint roots_of[DW_TREE_TILE / 32u]; // a bit a slot

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

/* Notes which of four slots are roots, the lane's share of each stretch of the tile. */
void find_roots(uint tile, uint at)
{
    uint slot = tile * DW_TREE_TILE + at;
    uvec4 found = uvec4(0xffffffffu);

    if (slot < push.count)
        found = tree_quads(tree_section(DW_TREE_AT_ROOTS)).at[slot / 4u];
    for (uint k = 0u; k < 4u; k++) {
        metas[at + k] = found[k];
        if (found[k] != 0xffffffffu)
            atomicOr(roots_of[at / 32u], 1u << (at % 32u + k));
    }
}

void main()
{
    uint tile = tree_group();
    uint lane = gl_LocalInvocationIndex;

    for (uint word = lane; word < DW_TREE_TILE / 32u; word += DW_TREE_LANES)
        roots_of[word] = 0u;
    barrier();
    for (uint at = 4u * lane; at < DW_TREE_TILE; at += 4u * DW_TREE_LANES)
        find_roots(tile, at);
    barrier();
    if (lane != 0u || tile >= dw_tree_tiles(push.count))
        return;
    begin_levels(tile);
    for (uint word = 0u; word < DW_TREE_TILE / 32u; word++) {
        for (uint bits = roots_of[word]; bits != 0u; bits &= bits - 1u) {
            uint at = 32u * word + findLSB(bits);

            list_root(tile * DW_TREE_TILE + at, metas[at]);
        }
    }
}
