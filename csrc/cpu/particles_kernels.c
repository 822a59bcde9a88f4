/* SPDX-License-Identifier: MIT */
#include "base/simd.h"

/* Calls would keep loops from becoming vectors. */
#define DW_INLINE static DW_ALWAYS_INLINE

#include "cpu/particles_kernels.h"

/* What the shared code reads of an emitter that does not loop. What its group does not need is left
 * from other lanes, and changes nothing. */
DW_INLINE dw_particle_emitter emitter_of(const dw_particle_block *b, size_t i)
{
    dw_particle_emitter e = { 0 };

#define DW_BLOCK_GET(type, array, place) e.place = b->array[i];
    DW_BLOCK_OF_EMITTER(DW_BLOCK_GET)
#undef DW_BLOCK_GET
    return e;
}

/* ---- lives ---- */

DW_SIMD static void bound(dw_block_lanes lanes)
{
    dw_particle_block *restrict b = lanes.block;

    for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++) {
        dw_particle_words ages = { b->age_least[i], b->age_most[i], b->age_before[i], 0 };

        dw_block_set_life(b, i, dw_particle_bounded(dw_block_life(b, i), ages));
    }
}

/* Flags of the part that a rule asks for are the same for all lanes: known, they leave no branch.
 */
#define DW_BLOCK_LIVE(name, rule, known, value)                                             \
    DW_SIMD static void live_##name(dw_block_lanes lanes)                                   \
    {                                                                                       \
        dw_particle_block *restrict b = lanes.block;                                        \
        dw_particle_part part = *lanes.part;                                                \
                                                                                            \
        part.flags = (part.flags & ~(known)) | (value);                                     \
        for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++)                      \
            dw_block_set_life(                                                              \
                b, i, dw_particle_##rule(emitter_of(b, i), part, b->slot[i], b->local[i])); \
    }

DW_BLOCK_LIVE(cycle, cycle, DW_PART_IS_EVEN, 0u)
DW_BLOCK_LIVE(even, cycle, DW_PART_IS_EVEN, DW_PART_IS_EVEN)
DW_BLOCK_LIVE(burst, burst, 0u, 0u)
DW_BLOCK_LIVE(once, once, 0u, 0u)

void dw_block_live(dw_block_lanes lanes, const struct dw_block_group *group)
{
    if (group->rule == DW_ROW_RULE_BURST)
        live_burst(lanes);
    else if (group->rule == DW_ROW_RULE_ONCE)
        live_once(lanes);
    else if ((lanes.part->flags & DW_PART_IS_EVEN) != 0)
        live_even(lanes);
    else
        live_cycle(lanes);
    if ((group->needs & DW_BLOCK_NEEDS_BOUNDS) != 0)
        bound(lanes);
}

/* ---- over the age ---- */

DW_SIMD void dw_block_share(dw_block_lanes lanes)
{
    dw_particle_block *restrict b = lanes.block;

    for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++)
        b->t[i] = dw_particle_share(b->age[i], b->life[i]);
}

DW_INLINE float curve_at(const float *knots, float t)
{
    int32_t knot = (int32_t)dw_particle_knot(t);

    return dw_particle_curve(knots[knot], knots[knot + 1], t);
}

DW_SIMD static void fade(dw_block_lanes lanes)
{
    dw_particle_block *restrict b = lanes.block;
    dw_particle_part part = *lanes.part;

    for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++)
        b->fade[i] = dw_particle_fade(part, b->t[i], 1.0f);
}

DW_SIMD static void fade_by(dw_block_lanes lanes, const float *restrict knots)
{
    dw_particle_block *restrict b = lanes.block;
    dw_particle_part part = *lanes.part;

    for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++)
        b->fade[i] = dw_particle_fade(part, b->t[i], curve_at(knots, b->t[i]));
}

DW_SIMD static void swell(dw_block_lanes lanes)
{
    dw_particle_block *restrict b = lanes.block;

    for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++)
        b->swell[i] = 1.0f;
}

DW_SIMD static void swell_by(dw_block_lanes lanes, const float *restrict knots)
{
    dw_particle_block *restrict b = lanes.block;

    for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++)
        b->swell[i] = curve_at(knots, b->t[i]);
}

void dw_block_curves(dw_block_lanes lanes, const float *curves)
{
    if (lanes.part->opacity_curve == DW_PARTICLE_NONE)
        fade(lanes);
    else
        fade_by(lanes, curves + lanes.part->opacity_curve);
    if (lanes.part->size_curve == DW_PARTICLE_NONE)
        swell(lanes);
    else
        swell_by(lanes, curves + lanes.part->size_curve);
}

/* ---- motions ---- */

static void points_of(dw_block_lanes lanes, const float *points)
{
    dw_particle_block *restrict b = lanes.block;

    for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++) {
        uint32_t point = dw_particle_point_of(emitter_of(b, i), b->slot[i], b->cycle[i]);
        const float *at = points + 3 * (size_t)(b->surface[i] + point);

        b->has_point[i] = b->surface_count[i] != 0 && b->is_alive[i] != 0;
        if (b->has_point[i] == 0)
            continue;
        b->point_x[i] = at[0];
        b->point_y[i] = at[1];
        b->point_z[i] = at[2];
    }
}

void dw_block_points(dw_block_lanes lanes, const float *points, uint32_t needs)
{
    dw_particle_block *restrict b = lanes.block;

    if ((needs & DW_BLOCK_NEEDS_POINTS) != 0)
        points_of(lanes, points);
    else if (b->has_points)
        for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++) {
            b->has_point[i] = 0;
            b->point_x[i] = b->point_y[i] = b->point_z[i] = 0.0f;
        }
}

/* Each by itself: compilers keep no array in registers that a loop has filled. */
#define DW_BLOCK_PARAMS(X) \
    X(0)                   \
    X(1)                   \
    X(2)                   \
    X(3)                   \
    X(4)                   \
    X(5)                   \
    X(6)                   \
    X(7)                   \
    X(8)                   \
    X(9)                   \
    X(10)                  \
    X(11)                  \
    X(12)                  \
    X(13)                  \
    X(14)                  \
    X(15)                  \
    X(16)                  \
    X(17)                  \
    X(18)                  \
    X(19)                  \
    X(20)                  \
    X(21)                  \
    X(22)                  \
    X(23)
#define DW_BLOCK_PARAM(i) given.params[i] = part->params[i];

/* What lanes have by the names of dw_particle_input. */
#define DW_BLOCK_INPUT(X) \
    X(uint, key0, 0)      \
    X(uint, key1, 0)      \
    X(uint, slot, 0)      \
    X(uint, count, 0)     \
    X(uint, cycle, 0)     \
    X(uint, age, 0)       \
    X(uint, life, 0)      \
    X(uint, clock, 0)     \
    X(float, t, 0)        \
    X(float, fade, 0)     \
    X(float, swell, 0)    \
    X(uint, has_point, 0)

/* x, or 0 by a mask of no bits. */
DW_INLINE float masked(float x, uint mask)
{
    return dw_float_from_bits(dw_bits_from_float(x) & mask);
}

/* As dw_particle_input_of and dw_particle_set_clock have it. seen: all bits, or none without an
 * eye. */
DW_INLINE dw_particle_input input_of(const dw_particle_block *b, size_t i,
                                     const dw_particle_part *part, const float eye[3], uint seen)
{
    dw_particle_input given;

    given.loop = 0;
#define DW_BLOCK_GET(type, name, count) given.name = b->name[i];
    DW_BLOCK_INPUT(DW_BLOCK_GET)
#undef DW_BLOCK_GET
#define DW_BLOCK_GET(type, array, place) given.place = b->array[i];
    DW_BLOCK_OF_EXTENT(DW_BLOCK_GET)
#undef DW_BLOCK_GET
    given.point[0] = b->point_x[i];
    given.point[1] = b->point_y[i];
    given.point[2] = b->point_z[i];
    given.seconds = dw_particle_seconds(b->age[i]);
    given.camera[0] = masked(eye[0] - b->position_x[i], seen);
    given.camera[1] = masked(eye[1] - b->position_y[i], seen);
    given.camera[2] = masked(eye[2] - b->position_z[i], seen);
    DW_BLOCK_PARAMS(DW_BLOCK_PARAM)
    return given;
}

DW_INLINE void set_motion(dw_particle_block *b, size_t i, dw_particle_motion m)
{
    m = dw_particle_swelled(m, b->swell[i]);
#define DW_BLOCK_PUT(type, name, count) b->name[i] = m.name;
    DW_PARTICLE_MOTION_FIELDS(DW_BLOCK_PUT)
#undef DW_BLOCK_PUT
}

typedef void (*move_fn)(dw_block_lanes lanes, const float *camera);

#define DW_PARTICLE_KIND(value, NAME, name, traits, params, doc)                         \
    DW_SIMD static void move_##name(dw_block_lanes lanes, const float *camera)           \
    {                                                                                    \
        dw_particle_block *restrict b = lanes.block;                                     \
        dw_particle_part part = *lanes.part;                                             \
        uint seen = camera != NULL ? 0xffffffffu : 0u;                                   \
        float eye[3] = { seen != 0u ? camera[0] : 0.0f, seen != 0u ? camera[1] : 0.0f,   \
                         seen != 0u ? camera[2] : 0.0f };                                \
                                                                                         \
        for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++)                   \
            set_motion(b, i, dw_particle_move_##name(input_of(b, i, &part, eye, seen))); \
    }
#include "shared/particle_kinds.def"
#undef DW_PARTICLE_KIND

static const move_fn move_fns[] = {
#define DW_PARTICLE_KIND(value, NAME, name, traits, params, doc) [value] = move_##name,
#include "shared/particle_kinds.def"
#undef DW_PARTICLE_KIND
};

void dw_block_move(dw_block_lanes lanes, const float *camera)
{
    move_fns[lanes.part->kind](lanes, camera);
}

/* ---- colours ---- */

#define DW_BLOCK_TONE(name, value)                                              \
    DW_SIMD static void tone_##name(dw_block_lanes lanes)                       \
    {                                                                           \
        dw_particle_block *restrict b = lanes.block;                            \
        dw_particle_part part = { .tone = value };                              \
                                                                                \
        for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++)          \
            b->color[i] = dw_particle_tone(emitter_of(b, i), part, b->slot[i]); \
    }

DW_BLOCK_TONE(core, DW_PARTICLE_TONE_CORE)
DW_BLOCK_TONE(middle, DW_PARTICLE_TONE_MIDDLE)
DW_BLOCK_TONE(outer, DW_PARTICLE_TONE_OUTER)
DW_BLOCK_TONE(white, DW_PARTICLE_TONE_WHITE)
DW_BLOCK_TONE(any, DW_PARTICLE_TONE_ANY)

static void (*const tone_fns[])(dw_block_lanes lanes) = { tone_core, tone_middle, tone_outer,
                                                          tone_white, tone_any };

DW_SIMD static void color_pick(dw_block_lanes lanes, const uint32_t *restrict ramp)
{
    dw_particle_block *restrict b = lanes.block;
    dw_particle_part part = *lanes.part;

    for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++) {
        int32_t index = (int32_t)dw_particle_ramp_pick(emitter_of(b, i), part, b->slot[i]);

        b->color[i] = dw_particle_tint(b->color[i], ramp[index]);
    }
}

DW_SIMD static void color_ramp(dw_block_lanes lanes, const uint32_t *restrict ramp)
{
    dw_particle_block *restrict b = lanes.block;

    for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++) {
        int32_t knot = (int32_t)dw_particle_knot(b->t[i]);
        uint32_t color = dw_particle_ramp(ramp[knot], ramp[knot + 1], b->t[i]);

        b->color[i] = dw_particle_tint(b->color[i], color);
    }
}

void dw_block_color(dw_block_lanes lanes, const uint32_t *colors)
{
    tone_fns[lanes.part->tone](lanes);
    if (lanes.part->ramp == DW_PARTICLE_NONE)
        return;
    if ((lanes.part->flags & DW_PART_IS_RAMPED) != 0)
        color_ramp(lanes, colors + lanes.part->ramp);
    else
        color_pick(lanes, colors + lanes.part->ramp);
}

/* ---- places ---- */

DW_INLINE void place(dw_particle_block *b, size_t i, dw_particle_part part, bool is_trail)
{
    dw_particle_motion m = { b->x[i], b->y[i], b->z[i], b->size[i], b->opacity[i], 0, 0 };
    dw_particle_life life = dw_block_life(b, i);
    dw_particle one;

    if (!is_trail)
        life.is_before = 0;
    one = dw_particle_of(emitter_of(b, i), part, 0, b->slot[i], life, m, 0);
    b->x[i] = one.position[0];
    b->y[i] = one.position[1];
    b->z[i] = one.position[2];
    b->size[i] = one.size;
    b->opacity[i] = one.opacity;
}

#define DW_BLOCK_PLACE(name, is_trail)                                 \
    DW_SIMD static void name(dw_block_lanes lanes)                     \
    {                                                                  \
        dw_particle_block *restrict b = lanes.block;                   \
        dw_particle_part part = *lanes.part;                           \
                                                                       \
        part.frames = 0;                                               \
        for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++) \
            place(b, i, part, is_trail);                               \
    }

DW_BLOCK_PLACE(place_still, false)
DW_BLOCK_PLACE(place_trail, true)

void dw_block_place(dw_block_lanes lanes, uint32_t needs)
{
    if ((needs & DW_BLOCK_NEEDS_TRAIL) != 0)
        place_trail(lanes);
    else
        place_still(lanes);
}

void dw_block_frames(dw_block_lanes lanes)
{
    dw_particle_block *restrict b = lanes.block;
    dw_particle_part part = *lanes.part;
    bool is_one = part.frames >> 16 <= 1;

    for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++)
        b->frame[i] = (part.frames & 0xffff) << 8;
    for (size_t i = lanes.lane; i < lanes.lane + lanes.count && !is_one; i++)
        if (b->is_alive[i] != 0)
            b->frame[i] =
                dw_particle_frame(emitter_of(b, i), part, b->slot[i], dw_block_life(b, i));
}

/* ---- rows ---- */

/* What all slots of a row have at a moment. */
typedef struct dw_block_row {
    int64_t local;
    uint32_t clock;
    dw_particle_words ages;
} dw_block_row;

DW_INLINE dw_block_row row_of(const dw_particle_emitter *e, dw_particle_moment moment)
{
    int64_t local = dw_particle_local(*e, moment.now_low, moment.now_high);
    dw_particle_input clock = { 0 };

    clock = dw_particle_set_clock(clock, *e, local, moment.now_low, moment.now_high);
    return (dw_block_row) { local, clock.clock, dw_particle_ages(*e, local) };
}

/* Lanes of a run, in steps of 8. */
#define DW_BLOCK_PUT(type, array, place) b->array[i + k] = from->place;
#define DW_BLOCK_FILL(name, from_type, LIST)                                                  \
    DW_INLINE void fill_##name(dw_particle_block *restrict b, const struct dw_block_run *run, \
                               const from_type *restrict from)                                \
    {                                                                                         \
        for (size_t i = run->lane; i < run->lane + run->fill; i += 8)                         \
            for (size_t k = 0; k < 8; k++) {                                                  \
                LIST(DW_BLOCK_PUT)                                                            \
            }                                                                                 \
    }

DW_BLOCK_FILL(all, dw_particle_emitter, DW_BLOCK_OF_ALL)
DW_BLOCK_FILL(flags, dw_particle_emitter, DW_BLOCK_OF_FLAGS)
DW_BLOCK_FILL(core, dw_particle_emitter, DW_BLOCK_OF_CORE)
DW_BLOCK_FILL(middle, dw_particle_emitter, DW_BLOCK_OF_MIDDLE)
DW_BLOCK_FILL(outer, dw_particle_emitter, DW_BLOCK_OF_OUTER)
DW_BLOCK_FILL(points, dw_particle_emitter, DW_BLOCK_OF_POINTS)
DW_BLOCK_FILL(extent, dw_particle_emitter, DW_BLOCK_OF_EXTENT)
DW_BLOCK_FILL(trail, dw_particle_emitter, DW_BLOCK_OF_TRAIL)
DW_BLOCK_FILL(clock, dw_block_row, DW_BLOCK_OF_CLOCK)
DW_BLOCK_FILL(bounds, dw_block_row, DW_BLOCK_OF_BOUNDS)

DW_INLINE void fill_slots(dw_particle_block *restrict b, const struct dw_block_run *run)
{
    for (size_t i = run->lane, j = 0; j < run->fill; i += 8, j += 8)
        for (size_t k = 0; k < 8; k++)
            b->slot[i + k] = run->slot + (uint32_t)(j + k);
}

DW_INLINE void fill_kept(dw_particle_block *restrict b, const struct dw_block_run *run,
                         uint32_t kept)
{
    for (size_t i = run->lane; i < run->lane + run->fill; i += 8)
        for (size_t k = 0; k < 8; k++)
            b->kept[i + k] = kept;
}

DW_INLINE void fill_needs(dw_particle_block *restrict b, const struct dw_block_run *run,
                          const dw_particle_emitter *restrict e, uint32_t needs)
{
    if ((needs & DW_BLOCK_NEEDS_FLAGS) != 0)
        fill_flags(b, run, e);
    if ((needs & DW_BLOCK_NEEDS_CORE) != 0)
        fill_core(b, run, e);
    if ((needs & DW_BLOCK_NEEDS_MIDDLE) != 0)
        fill_middle(b, run, e);
    if ((needs & DW_BLOCK_NEEDS_OUTER) != 0)
        fill_outer(b, run, e);
    if ((needs & DW_BLOCK_NEEDS_TRAIL) != 0)
        fill_trail(b, run, e);
}

/* What few rows have: from the first of them on lanes are filled, until then they are 0. */
DW_INLINE void fill_rare(dw_particle_block *restrict b, const struct dw_block_run *run,
                         const dw_particle_emitter *restrict e)
{
    uint32_t extent = dw_bits_from_float(e->extent[0]) | dw_bits_from_float(e->extent[1]) |
                      dw_bits_from_float(e->extent[2]);

    b->has_extents |= extent != 0;
    if (b->has_extents)
        fill_extent(b, run, e);
    b->has_points |= e->surface_count != 0;
    if (b->has_points)
        fill_points(b, run, e);
    if (e->surface_count != 0)
        b->groups[run->group].needs |= DW_BLOCK_NEEDS_POINTS;
}

DW_SIMD void dw_particles_block_fill(dw_particle_block *b, const dw_particle_tables *tables,
                                     const uint32_t *kept, dw_particle_moment moment)
{
    for (uint32_t r = 0; r < b->run_count; r++) {
        const struct dw_block_run run = b->runs[r];
        const dw_particle_emitter *e = &tables->emitters[run.row];
        dw_block_row row = row_of(e, moment);
        uint32_t needs = b->groups[run.group].needs;

        fill_slots(b, &run);
        fill_clock(b, &run, &row);
        fill_all(b, &run, e);
        fill_needs(b, &run, e, needs);
        fill_rare(b, &run, e);
        if ((needs & DW_BLOCK_NEEDS_BOUNDS) != 0)
            fill_bounds(b, &run, &row);
        if (kept != NULL)
            fill_kept(b, &run, kept[run.row]);
    }
}

/* ---- views ---- */

DW_SIMD void dw_particles_block_look(dw_particle_block *b, const dw_particle_view *view)
{
    dw_particle_view v = *view;

    for (size_t i = 0; i < b->lane_count; i++) {
        float opacity = b->opacity[i] * dw_particle_kept_share(b->kept[i], b->slot[i]);
        float reach = dw_particle_reach(b->size[i], b->axis[i]);
        uint32_t is_seen = dw_particle_is_drawn(b->size[i], opacity);
        dw_particle one = { 0 };
        dw_particle_sprite sprite;

        for (int k = 0; k < 6; k++)
            is_seen &= (uint32_t)dw_particle_is_inside(v.planes[4 * k], v.planes[4 * k + 1],
                                                       v.planes[4 * k + 2], v.planes[4 * k + 3],
                                                       b->x[i], b->y[i], b->z[i], reach);
        one.opacity = opacity;
        one.turn = b->turn[i];
        one.frame = b->frame[i];
        sprite = dw_particle_sprite_of(one, b->t[i]);
        b->sprite_opacity[i] = sprite.opacity;
        b->sprite_frame[i] = sprite.frame;
        b->is_alive[i] &= is_seen;
    }
}
