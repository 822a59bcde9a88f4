// SPDX-License-Identifier: MIT
// What all shaders of the atlas baker share: buffers, the source image, places and planes.
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require

#include "shared/bindings.h"

layout(constant_id = 0) const uint FLAGS = 0u; // DW_ATLAS_IS_16_BIT and so on

layout(scalar, push_constant) uniform constants
{
    dw_atlas_push push;
};

#define DW_BUFFER(index) layout(scalar, set = 0, binding = index) restrict buffer
// Scalar layout promises quads no alignment but a word's, and they would be moved word by word.
#define DW_QUAD_BUFFER(index) layout(std430, set = 0, binding = index) restrict buffer

DW_QUAD_BUFFER(DW_ATLAS_SOURCE) readonly source_buffer { uvec4 source_quads[]; };
DW_BUFFER(DW_ATLAS_TABLES) readonly tables_buffer { uint tables[]; };
DW_BUFFER(DW_ATLAS_PLACES) readonly places_buffer { dw_tile_level places[]; };
DW_BUFFER(DW_ATLAS_LEVELS) readonly levels_buffer { dw_atlas_level levels[]; };
DW_BUFFER(DW_ATLAS_BLOCKS) readonly blocks_buffer { dw_atlas_block blocks[]; };
DW_BUFFER(DW_ATLAS_AXES) readonly axes_buffer { int axes[]; };
#ifdef DW_SUMS_ARE_COHERENT // read by other lanes of the workgroup that writes them
DW_QUAD_BUFFER(DW_ATLAS_SUMS) coherent sums_buffer { uvec4 sums[]; };
#else
DW_QUAD_BUFFER(DW_ATLAS_SUMS) sums_buffer { uvec4 sums[]; };
#endif
DW_QUAD_BUFFER(DW_ATLAS_COLORS) colors_buffer { uvec4 color_quads[]; };
DW_BUFFER(DW_ATLAS_HISTOGRAMS) histograms_buffer { uint histograms[]; };
DW_BUFFER(DW_ATLAS_SHARES) shares_buffer { dw_atlas_share shares[]; };
DW_BUFFER(DW_ATLAS_REMAPS) remaps_buffer { dw_alpha_remap remaps[]; };
DW_QUAD_BUFFER(DW_ATLAS_LEVELS_OUT) levels_out_buffer { uvec4 level_quads_out[]; };

// Two views of one buffer: not restrict.
layout(scalar, set = 0, binding = DW_ATLAS_ALPHAS) buffer alphas_buffer { uint16_t alphas[]; };
layout(scalar, set = 0, binding = DW_ATLAS_ALPHA_PAIRS) buffer alpha_pairs_buffer
{
    uint alpha_pairs[];
};
layout(scalar, set = 0, binding = DW_ATLAS_ALPHA_OUT) buffer alpha_out_buffer
{
    uint8_t alpha_out[];
};
layout(scalar, set = 0, binding = DW_ATLAS_ALPHA_OUT_QUADS) buffer alpha_out_quads_buffer
{
    uint alpha_quads_out[];
};

bool has_flag(uint flag)
{
    return (FLAGS & flag) != 0u;
}

// Whether level n is the source, as far as that is not known of the whole dispatch.
bool is_source(uint n)
{
    return has_flag(DW_ATLAS_ONLY_SOURCE) || (!has_flag(DW_ATLAS_NO_SOURCE) && n == 0u);
}

// This workgroup's number within the dispatch's list; at or above block_count: none.
uint group_index()
{
    return gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
}

// Index i of one axis brought into the content, by the fill mode's rule.
int content_index(int i, int begin, int end)
{
    return has_flag(DW_ATLAS_IS_WRAPPED) ? dw_wrap_index(i, begin, end)
                                         : dw_clamp_index(i, begin, end);
}

// Texel (x, y) of a level in the planes of levels 1 and up.
uint plane_index(dw_atlas_level level, int x, int y)
{
    return level.first - push.plane_base + uint(y * level.width + x);
}

uint source_index(int x, int y)
{
    return uint(y * levels[0].width + x);
}

uint source_word(uint at)
{
    return source_quads[at >> 2][at & 3u];
}

uint plane_color(uint at)
{
    return color_quads[at >> 2][at & 3u];
}

void set_plane_color(uint at, uint color)
{
    color_quads[at >> 2][at & 3u] = color;
}

void set_output_texel(uint at, uint texel)
{
    level_quads_out[at >> 2][at & 3u] = texel;
}

// 16-bit alpha of a level-0 texel.
uint source_alpha(uint at)
{
    return has_flag(DW_ATLAS_IS_16_BIT) ? source_word(2u * at + 1u) >> 16
                                        : dw_alpha_from_8(source_word(at) >> 24);
}

// 8-bit colour of a 16-bit texel, 0x00BBGGRR.
uint narrow_color(uint red_green, uint blue_alpha)
{
    return dw_alpha_to_8(red_green & 0xffffu) | dw_alpha_to_8(red_green >> 16) << 8 |
           dw_alpha_to_8(blue_alpha & 0xffffu) << 16;
}

// 8-bit colour of a level-0 texel, 0x00BBGGRR.
uint source_color(uint at)
{
    return has_flag(DW_ATLAS_IS_16_BIT)
               ? narrow_color(source_word(2u * at), source_word(2u * at + 1u))
               : source_word(at) & 0xffffffu;
}

uint64_t join_words(uint low, uint high)
{
    return uint64_t(low) | uint64_t(high) << 32;
}

// Of a large tile's trial remaps: the first of its counts, DW_CUTOFFS_MAX of them, behind which the
// least miss of a trial so far is kept.
uint trial_share(uint slot)
{
    return push.share_count + slot * uint(DW_CUTOFFS_MAX + 1);
}

uint64_t best_miss(uint slot)
{
    dw_atlas_share share = shares[trial_share(slot) + uint(DW_CUTOFFS_MAX)];

    return join_words(share.passing_low, share.passing_high);
}

void set_best_miss(uint slot, uint64_t miss)
{
    uint at = trial_share(slot) + uint(DW_CUTOFFS_MAX);

    shares[at].passing_low = uint(miss);
    shares[at].passing_high = uint(miss >> 32);
}
