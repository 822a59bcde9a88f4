// SPDX-License-Identifier: MIT
// The remap that a whole workgroup applies.

shared dw_alpha_remap group_remap;

uint remap_kind, remap_x, remap_y, remap_k, remap_strength; // of group_remap, in each lane

// After group_remap was set, and waited for.
void load_group_remap()
{
    remap_kind = group_remap.kind;
    remap_strength = group_remap.strength;
    remap_x = group_remap.x[0];
    remap_y = group_remap.y[0];
    remap_k = group_remap.k[0];
}

// dw_remap_alpha by group_remap.
uint remapped_alpha(uint alpha)
{
    if (remap_kind == DW_REMAP_AFFINE)
        return dw_remap_line(alpha, remap_x, remap_y, remap_k, remap_strength);
    return has_flag(DW_ATLAS_HAS_KNOTS) ? dw_remap_alpha(group_remap, alpha) : alpha;
}
