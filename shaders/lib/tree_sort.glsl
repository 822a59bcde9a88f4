// SPDX-License-Identifier: MIT
// One pass of a stable sort by digits of 8 bits: parts of the items in order, each with a count of
// every digit. Passes go from one pair of arrays to the other and back.
#ifndef DW_LIB_TREE_SORT_GLSL
#define DW_LIB_TREE_SORT_GLSL

#include "lib/tree_build.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer sort_pairs { uvec2 at[]; };

/* The first pass reads codes in order of their items, the last one writes codes and items apart;
 * between them a code and its item lie together. */
bool sort_is_first()
{
    return push.shift == 0u;
}

bool sort_is_last()
{
    return push.shift == 24u;
}

sort_pairs sort_from()
{
    return sort_pairs(tree_section(push.shift == 16u ? DW_TREE_AT_CODES : DW_TREE_AT_PAIRS));
}

sort_pairs sort_to()
{
    return sort_pairs(tree_section(push.shift == 8u ? DW_TREE_AT_CODES : DW_TREE_AT_PAIRS));
}

uint sort_digit(uint code)
{
    return code >> push.shift & 255u;
}

uint sort_code(uint i)
{
    if (sort_is_first())
        return tree_words(tree_section(DW_TREE_AT_CODES)).at[i];
    return sort_from().at[i].x;
}

/* Code and item that lie in place i before this pass. */
uvec2 sort_pair(uint i)
{
    if (sort_is_first())
        return uvec2(tree_words(tree_section(DW_TREE_AT_CODES)).at[i], i);
    return sort_from().at[i];
}

void sort_put(uint place, uvec2 pair)
{
    if (sort_is_last()) {
        tree_words(tree_section(DW_TREE_AT_CODES)).at[place] = pair.x;
        tree_words(tree_section(DW_TREE_AT_ITEMS)).at[place] = pair.y;
    } else {
        sort_to().at[place] = pair;
    }
}

#endif
