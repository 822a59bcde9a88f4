// SPDX-License-Identifier: MIT
// What all shaders of the atlas baker share: buffers, the source image, places and planes.
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require

#include "shared/bindings.h"

layout(scalar, push_constant) uniform constants
{
    dw_atlas_push push;
};

layout(scalar, set = 0, binding = DW_ATLAS_SOURCE) restrict readonly buffer source_buffer
{
    uint source_words[];
};
layout(scalar, set = 0, binding = DW_ATLAS_TABLES) restrict readonly buffer tables_buffer
{
    uint tables[];
};
layout(scalar, set = 0, binding = DW_ATLAS_PLACES) restrict readonly buffer places_buffer
{
    dw_tile_level places[];
};
layout(scalar, set = 0, binding = DW_ATLAS_LEVELS) restrict readonly buffer levels_buffer
{
    dw_atlas_level levels[];
};
layout(scalar, set = 0, binding = DW_ATLAS_BLOCKS) restrict readonly buffer blocks_buffer
{
    dw_atlas_block blocks[];
};
layout(scalar, set = 0, binding = DW_ATLAS_AXES) restrict readonly buffer axes_buffer
{
    int axes[];
};
layout(scalar, set = 0, binding = DW_ATLAS_SUMS) restrict buffer sums_buffer
{
    uvec4 sums[];
};
layout(scalar, set = 0, binding = DW_ATLAS_COLORS) restrict buffer colors_buffer
{
    uint colors[];
};
layout(scalar, set = 0, binding = DW_ATLAS_ALPHAS) restrict buffer alphas_buffer
{
    uint16_t alphas[];
};
layout(scalar, set = 0, binding = DW_ATLAS_HISTOGRAMS) restrict buffer histograms_buffer
{
    uint histograms[];
};
layout(scalar, set = 0, binding = DW_ATLAS_SHARES) restrict buffer shares_buffer
{
    dw_atlas_share shares[];
};
layout(scalar, set = 0, binding = DW_ATLAS_REMAPS) restrict buffer remaps_buffer
{
    dw_alpha_remap remaps[];
};
layout(scalar, set = 0, binding = DW_ATLAS_LEVELS_OUT) restrict buffer levels_out_buffer
{
    uint levels_out[];
};
layout(scalar, set = 0, binding = DW_ATLAS_ALPHA_OUT) restrict buffer alpha_out_buffer
{
    uint8_t alpha_out[];
};

bool has_flag(uint flag)
{
    return (push.flags & flag) != 0u;
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

// 16-bit alpha of a level-0 texel.
uint source_alpha(uint at)
{
    return has_flag(DW_ATLAS_IS_16_BIT) ? source_words[2u * at + 1u] >> 16
                                        : dw_alpha_from_8(source_words[at] >> 24);
}

// 8-bit colour of a level-0 texel, 0x00BBGGRR.
uint source_color(uint at)
{
    if (!has_flag(DW_ATLAS_IS_16_BIT))
        return source_words[at] & 0xffffffu;
    uint red_green = source_words[2u * at];
    uint blue = dw_alpha_to_8(source_words[2u * at + 1u] & 0xffffu);

    return dw_alpha_to_8(red_green & 0xffffu) | dw_alpha_to_8(red_green >> 16) << 8 | blue << 16;
}
