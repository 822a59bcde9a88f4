/* SPDX-License-Identifier: MIT */
/* One instance of a forest in one view: its LOD, its cross-fade, what fades hide of it, and the
 * lists that it goes to. Division-free; distances are compared squared and along the ground (x and
 * z). Floats that come in are whole multiples of tiny steps or zero (DW_FOREST_TINY), so that no
 * product is subnormal.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_FOREST_H
#define DW_SHARED_FOREST_H

#include "shared/dissolve.h"
#include "shared/dither.h"
#include "shared/floats.h"
#include "shared/limits.h"

#ifdef GL_core_profile
#define DW_FADE_COMBINE(value, NAME, name, doc) const uint DW_FADE_COMBINE_##NAME = value;
#include "shared/fade_combines.def"
#undef DW_FADE_COMBINE
#else
typedef enum dw_fade_combine {
#define DW_FADE_COMBINE(value, NAME, name, doc) DW_FADE_COMBINE_##NAME = value,
#include "shared/fade_combines.def"
#undef DW_FADE_COMBINE
} dw_fade_combine;
#endif

/* Positions and plane coefficients of a smaller magnitude become zero on the host. */
#define DW_FOREST_TINY 9.094947017729282e-13f /* 2^-40 */

#define DW_FOREST_NONE 0xffffu /* in half a word: no bucket */

/* Where an instance stands. */
#define DW_FOREST_RECORD_FIELDS(F)                                   \
    F(float, x, 0)                                                   \
    F(float, y, 0)                                                   \
    F(float, z, 0)                                                   \
    F(float, scale2, 0)   /* LOD distances are scaled by its root */ \
    F(float, sphere_x, 0) /* all LODs lie inside the sphere */       \
    F(float, sphere_y, 0)                                            \
    F(float, sphere_z, 0)                                            \
    F(float, radius, 0) /* below 0: no instance has this row */

struct dw_forest_record {
    DW_FOREST_RECORD_FIELDS(DW_FIELD)
};

/* The word of what an instance is: variant, highlight (0 to 255), flags, and a number from 1 to 255
 * that changes whenever the row gets a new instance. */
#define DW_FOREST_VARIANT(info)    ((info)&255u)
#define DW_FOREST_HIGHLIGHT(info)  ((info) >> 8 & 255u)
#define DW_FOREST_GENERATION(info) ((info) >> 24)
#define DW_FOREST_INTERACTABLE     0x10000u
#define DW_FOREST_CASTS_SHADOW     0x20000u

/* What a view remembers of an instance. */
#define DW_FOREST_STATE_FIELDS(F)                                               \
    F(uint, word, 0)  /* LOD, LOD before << 4, DW_FOREST_*, generation << 24 */ \
    F(uint, began, 0) /* tick at which the cross-fade began */                  \
    F(uint, spare, 0)                                                           \
    F(uint, dissolve, 0) /* bits of the dissolve amount: eased, times its scale */

struct dw_forest_state {
    DW_FOREST_STATE_FIELDS(DW_FIELD)
};

#define DW_FOREST_LOD(word)    ((word)&15u)
#define DW_FOREST_BEFORE(word) ((word) >> 4 & 15u)
#define DW_FOREST_CROSSING     0x100u
#define DW_FOREST_REVERSED     0x200u /* the LOD before has the low ranks, the LOD the high ones */

/* One row of a list. */
#define DW_FOREST_ENTRY_FIELDS(F) \
    F(uint, row, 0)               \
    F(uint, fade, 0)

struct dw_forest_entry {
    DW_FOREST_ENTRY_FIELDS(DW_FIELD)
};

/* The fade word: ranks below bits 0 to 14 are discarded; in a cross-fade one entry keeps the ranks
 * below bits 15 to 29, and the other entry the rest. */
#define DW_FOREST_HIDE(fade)  ((fade)&0x7fffu)
#define DW_FOREST_CROSS(fade) ((fade) >> 15 & 0x7fffu)
#define DW_FOREST_IS_LOW      0x40000000u
#define DW_FOREST_IS_CROSSING 0x80000000u

/* A list: (variant * lod_count + mesh) * 2, and 1 more for those that discard fragments. Behind the
 * lists three rows that only count: outside the view, faded out, in a cross-fade. */
#define DW_FOREST_BUCKET_FIELDS(F) \
    F(uint, count, 0)              \
    F(uint, first, 0) /* entry */

struct dw_forest_bucket {
    DW_FOREST_BUCKET_FIELDS(DW_FIELD)
};

#define DW_FOREST_OUTSIDE  0u
#define DW_FOREST_FADED    1u
#define DW_FOREST_CROSSED  2u
#define DW_FOREST_COUNTERS 3u

/* The buckets of a row, 16 bits each, the lower ones the only entry or the one that keeps high
 * ranks, and its fade word. A lone bucket beyond the lists is a counter. */
#define DW_FOREST_CELL_FIELDS(F) \
    F(uint, buckets, 0)          \
    F(uint, fade, 0)

struct dw_forest_cell {
    DW_FOREST_CELL_FIELDS(DW_FIELD)
};

/* A draw call: the part of an index buffer that holds one material of one LOD. */
#define DW_FOREST_DRAW_FIELDS(F) \
    F(uint, index_count, 0)      \
    F(uint, first_index, 0)      \
    F(int, vertex_offset, 0)     \
    F(uint, bucket, 0)

struct dw_forest_draw {
    DW_FOREST_DRAW_FIELDS(DW_FIELD)
};

/* VkDrawIndexedIndirectCommand. Instance i of a draw is entry buckets[bucket].first + i. */
#define DW_FOREST_COMMAND_FIELDS(F) \
    F(uint, index_count, 0)         \
    F(uint, instance_count, 0)      \
    F(uint, first_index, 0)         \
    F(int, vertex_offset, 0)        \
    F(uint, first_instance, 0)

struct dw_forest_command {
    DW_FOREST_COMMAND_FIELDS(DW_FIELD)
};

/* What holds for all instances. */
#define DW_FOREST_RULES_FIELDS(F)                                      \
    F(uint, lod_count, 0)                                              \
    F(uint, bucket_count, 0)                                           \
    F(uint, rank_count, 0) /* of the pattern */                        \
    F(uint, rule, 0)                                                   \
    F(uint, combine, 0)                                                \
    F(uint, encoding, 0)                                               \
    F(uint, direction, 0)                                              \
    F(uint, crossfade_ticks, 0)                                        \
    F(float, crossfade_share, 0) /* of a tick */                       \
    F(float, dissolve_scale, 0)                                        \
    F(float, far_start2, 0)                                            \
    F(float, far_share, 0) /* 1 / (end^2 - start^2); 0: never fades */ \
    F(float, near_end2, 0)                                             \
    F(float, near_share, 0)

struct dw_forest_rules {
    DW_FOREST_RULES_FIELDS(DW_FIELD)
};

/* Squared distances from which a LOD is taken, and from which it is kept. */
#define DW_FOREST_CUT_FIELDS(F) \
    F(float, take2, 0)          \
    F(float, keep2, 0)

struct dw_forest_cut {
    DW_FOREST_CUT_FIELDS(DW_FIELD)
};

/* One view. Planes are (normal, offset), inside where dot(normal, p) + offset >= 0. */
#define DW_FOREST_VIEW_FIELDS(F) \
    F(float, planes, 24)         \
    F(float, camera_x, 0)        \
    F(float, camera_z, 0)        \
    F(uint, now, 0) /* tick */   \
    F(uint, flags, 0)            \
    F(uint, row_count, 0)        \
    F(uint, group_count, 0)

struct dw_forest_view {
    DW_FOREST_VIEW_FIELDS(DW_FIELD)
};

#define DW_FOREST_IS_STILL  1u /* no time has passed: LODs switch without a cross-fade */
#define DW_FOREST_IS_SHADOW 2u /* of a light: states are read, and stay as they are */
#define DW_FOREST_IS_HARD   4u /* shadows are whole or not there */

#define DW_FOREST_GROUP 256 /* rows of a workgroup */

#define DW_FOREST_SMALL 9.5367431640625e-7f /* 2^-20: a share below it is nothing */

#ifndef GL_core_profile
typedef struct dw_forest_record dw_forest_record;
typedef struct dw_forest_state dw_forest_state;
typedef struct dw_forest_entry dw_forest_entry;
typedef struct dw_forest_bucket dw_forest_bucket;
typedef struct dw_forest_cell dw_forest_cell;
typedef struct dw_forest_draw dw_forest_draw;
typedef struct dw_forest_command dw_forest_command;
typedef struct dw_forest_rules dw_forest_rules;
typedef struct dw_forest_cut dw_forest_cut;
typedef struct dw_forest_view dw_forest_view;
#endif

/* ---- distance ---- */

/* Along the ground. */
DW_INLINE float dw_forest_distance2(float x, float z, float camera_x, float camera_z)
{
    DW_PRECISE float dx = x - camera_x;
    DW_PRECISE float dz = z - camera_z;
    DW_PRECISE float dx2 = dx * dx;
    DW_PRECISE float dz2 = dz * dz;
    DW_PRECISE float sum = dx2 + dz2;

    return sum;
}

/* Whether LOD i >= 1 begins at this distance or nearer. `lod` is what the view had, or 0. */
DW_INLINE bool dw_forest_is_beyond(dw_forest_cut cut, uint i, uint lod, float distance2,
                                   float scale2)
{
    DW_PRECISE float scaled = (i <= lod ? cut.keep2 : cut.take2) * scale2;

    return distance2 >= scaled;
}

/* A smooth step from 0 to 1 as `offset` goes from 0 to 1 / share. */
DW_INLINE float dw_forest_ramp(float offset, float share)
{
    DW_PRECISE float t = offset * share;
    DW_PRECISE float square = t * t;
    DW_PRECISE float twice = t + t;
    DW_PRECISE float rest = 3.0f - twice;
    DW_PRECISE float ramp = square * rest;

    if (t < DW_FOREST_SMALL)
        return 0.0f;
    return t >= 1.0f ? 1.0f : ramp;
}

/* Signed distance of the sphere's nearest point to the inner side of a plane: below 0, outside. */
DW_INLINE float dw_forest_inside(float nx, float ny, float nz, float offset, float x, float y,
                                 float z, float radius)
{
    DW_PRECISE float height = dw_dot3(nx, ny, nz, x, y, z) + offset;
    DW_PRECISE float inside = height + radius;

    return inside;
}

/* ---- what is hidden ---- */

DW_INLINE float dw_forest_combine(uint combine, float a, float b)
{
    DW_PRECISE float left = 1.0f - b;
    DW_PRECISE float part = a * left;
    DW_PRECISE float both = part + b;

    if (combine == DW_FADE_COMBINE_MULTIPLY)
        return both;
    return a > b ? a : b;
}

/* The share that distance hides. */
DW_INLINE float dw_forest_fade(dw_forest_rules rules, float distance2)
{
    DW_PRECISE float far_offset = distance2 - rules.far_start2;
    DW_PRECISE float near_offset = rules.near_end2 - distance2;

    return dw_forest_combine(rules.combine, dw_forest_ramp(far_offset, rules.far_share),
                             dw_forest_ramp(near_offset, rules.near_share));
}

/* The dissolve value of a row from its words, one or, of ANALYTIC, three. */
DW_INLINE float dw_forest_value(uint encoding, uint word0, uint word1, uint word2, uint now)
{
    dw_dissolve_state state;

    if (encoding == DW_DISSOLVE_ENCODING_FLOAT32)
        return dw_float_from_bits(word0);
    if (encoding == DW_DISSOLVE_ENCODING_UNORM8)
        return dw_dissolve_color_value(word0);
    state.t0 = word0;
    state.rate = dw_float_from_bits(word1);
    state.bits = word2;
    return dw_dissolve_value(state, now);
}

/* A dissolve value as the share that it hides. */
DW_INLINE float dw_forest_dissolve(float value, float scale)
{
    DW_PRECISE float amount = value * scale;

    return value < DW_FOREST_SMALL ? 0.0f : amount;
}

/* ---- the LOD through time ---- */

/* The mesh drawn for a LOD: the LOD itself, or another one where it has none. */
DW_INLINE uint dw_forest_mesh(uint meshes, uint lod)
{
    return meshes >> (4u * lod) & 15u;
}

/* The state after the view has seen the instance at `now`, where distance asks for LOD `wanted`.
 * A cross-fade that is asked back turns round; one that is asked for a third LOD gives it the place
 * of the less visible of its two. The other LOD keeps each of its pixels in both cases. */
DW_INLINE dw_forest_state dw_forest_step(dw_forest_state state, uint wanted, uint meshes,
                                         uint generation, uint now, uint ticks, bool is_still)
{
    uint lod = DW_FOREST_LOD(state.word);
    uint before = DW_FOREST_BEFORE(state.word);
    uint reversed = state.word & DW_FOREST_REVERSED;
    uint elapsed = now - state.began;
    bool is_new = state.word >> 24 != generation;
    bool is_crossing = !is_new && (state.word & DW_FOREST_CROSSING) != 0u && elapsed < ticks;

    if (is_new || is_still || ticks == 0u) {
        is_crossing = is_crossing && dw_forest_mesh(meshes, wanted) == dw_forest_mesh(meshes, lod);
    } else if (dw_forest_mesh(meshes, wanted) != dw_forest_mesh(meshes, lod)) {
        if (!is_crossing) {
            before = lod;
            reversed = 0u;
            state.began = now;
        } else if (dw_forest_mesh(meshes, wanted) == dw_forest_mesh(meshes, before) ||
                   2u * elapsed >= ticks) {
            before = lod;
            reversed = reversed ^ DW_FOREST_REVERSED;
            state.began = now - (ticks - elapsed);
        }
        is_crossing = true;
    }
    if (!is_crossing) {
        before = wanted;
        reversed = 0u;
        state.began = 0u;
    }
    state.word = wanted | before << 4 | reversed | generation << 24 |
                 (is_crossing ? DW_FOREST_CROSSING : 0u);
    return state;
}

/* Ranks below it belong to one LOD of a cross-fade, the others to the other. Also where the state
 * is older than the view: 0 outside a cross-fade. */
DW_INLINE uint dw_forest_cross(dw_forest_rules rules, dw_forest_state state, uint now)
{
    uint ticks = rules.crossfade_ticks;
    uint elapsed = now - state.began < ticks ? now - state.began : ticks;
    uint shown = (state.word & DW_FOREST_REVERSED) != 0u ? ticks - elapsed : elapsed;
    DW_PRECISE float share = dw_float(shown) * rules.crossfade_share;

    if ((state.word & DW_FOREST_CROSSING) == 0u)
        return 0u;
    return dw_discard_count(DW_DITHER_RULE_CENTRED, rules.rank_count, share);
}

/* ---- lists ---- */

/* The bucket of a variant's mesh. list: 0 whole, 1 with fragments to discard. */
DW_INLINE uint dw_forest_bucket_of(uint lod_count, uint variant, uint mesh, uint list)
{
    return 2u * (variant * lod_count + mesh) + list;
}

DW_INLINE dw_forest_cell dw_forest_no_cell(uint bucket)
{
    dw_forest_cell cell;

    cell.buckets = DW_FOREST_NONE << 16 | bucket;
    cell.fade = 0u;
    return cell;
}

/* The lists of an instance inside the view. hide: ranks that fades discard; is_soft: the fragments
 * discard more by themselves; low and high: meshes of the low and of the high ranks. */
DW_INLINE dw_forest_cell dw_forest_choose_lists(dw_forest_rules rules, uint variant, uint low,
                                                uint high, uint hide, uint cross, bool is_soft)
{
    bool is_alone = low == high || cross <= hide || cross >= rules.rank_count;
    uint alone = cross <= hide ? high : low;
    uint list = hide > 0u || is_soft ? 1u : 0u;
    dw_forest_cell cell;

    if (hide >= rules.rank_count)
        return dw_forest_no_cell(rules.bucket_count + DW_FOREST_FADED);
    if (is_alone) {
        cell.buckets =
            DW_FOREST_NONE << 16 | dw_forest_bucket_of(rules.lod_count, variant, alone, list);
        cell.fade = hide;
        return cell;
    }
    cell.buckets = dw_forest_bucket_of(rules.lod_count, variant, low, 1u) << 16 |
                   dw_forest_bucket_of(rules.lod_count, variant, high, 1u);
    cell.fade = hide | cross << 15 | DW_FOREST_IS_CROSSING;
    return cell;
}

/* The cell of an instance inside the view, after its step. */
DW_INLINE dw_forest_cell dw_forest_cell_of(dw_forest_rules rules, dw_forest_state state, uint info,
                                           uint meshes, float distance2, uint now, uint flags)
{
    bool is_hard = (flags & DW_FOREST_IS_HARD) != 0u;
    float dissolve = dw_float_from_bits(state.dissolve);
    float amount = dw_forest_fade(rules, distance2);
    bool is_soft = rules.direction != DW_DISSOLVE_DIRECTION_UNIFORM && dissolve > 0.0f && !is_hard;
    uint reversed = state.word & DW_FOREST_REVERSED;
    uint mesh = dw_forest_mesh(meshes, DW_FOREST_LOD(state.word));
    uint before = dw_forest_mesh(meshes, DW_FOREST_BEFORE(state.word));
    uint cross = dw_forest_cross(rules, state, now);
    uint hide;

    if (!is_soft)
        amount = dw_forest_combine(rules.combine, amount, dissolve);
    hide = dw_discard_count(rules.rule, rules.rank_count, amount);
    if (is_hard) {
        hide = 2u * hide > rules.rank_count ? rules.rank_count : 0u;
        cross = 2u * cross >= rules.rank_count ? rules.rank_count : 0u;
    }
    return dw_forest_choose_lists(rules, DW_FOREST_VARIANT(info), reversed != 0u ? before : mesh,
                                  reversed != 0u ? mesh : before, hide, cross, is_soft);
}

/* Entry 0 or 1 of a cell. */
DW_INLINE uint dw_forest_cell_bucket(dw_forest_cell cell, uint i)
{
    return i == 0u ? cell.buckets & 0xffffu : cell.buckets >> 16;
}

DW_INLINE uint dw_forest_cell_fade(dw_forest_cell cell, uint i)
{
    return i == 0u ? cell.fade : cell.fade | DW_FOREST_IS_LOW;
}

DW_INLINE dw_forest_command dw_forest_command_of(dw_forest_draw draw, uint instance_count)
{
    dw_forest_command command;

    command.index_count = draw.index_count;
    command.instance_count = instance_count;
    command.first_index = draw.first_index;
    command.vertex_offset = draw.vertex_offset;
    command.first_instance = 0u;
    return command;
}

/* Whether a fragment of this rank is drawn. hide: ranks that the fragment discards by itself. */
DW_INLINE bool dw_forest_keeps(uint fade, uint hide, uint rank)
{
    uint cross = DW_FOREST_CROSS(fade);
    bool is_low = (fade & DW_FOREST_IS_LOW) != 0u;

    if (rank < DW_FOREST_HIDE(fade) || rank < hide)
        return false;
    return (fade & DW_FOREST_IS_CROSSING) == 0u || (is_low ? rank < cross : rank >= cross);
}

#endif
