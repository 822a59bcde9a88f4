// SPDX-License-Identifier: MIT
// One pass of a stable sort by digits of 8 bits: parts of the items in order, each with a count of
// every digit. Passes go from one pair of arrays to the other and back.
#ifndef DW_LIB_TREE_SORT_GLSL
#define DW_LIB_TREE_SORT_GLSL

#include "lib/tree_build.glsl"

bool sort_is_back()
{
    return (push.shift & 8u) != 0u;
}

uint64_t sort_codes(bool is_second)
{
    return tree_section(is_second ? DW_TREE_AT_CODES_2 : DW_TREE_AT_CODES);
}

uint64_t sort_items(bool is_second)
{
    return tree_section(is_second ? DW_TREE_AT_ITEMS_2 : DW_TREE_AT_ITEMS);
}

uint sort_digit(uint code)
{
    return code >> push.shift & 255u;
}

/* Of the item that lies in place i before this pass. */
uint sort_item(uint i)
{
    return push.shift == 0u ? i : tree_words(sort_items(sort_is_back())).at[i];
}

#endif
