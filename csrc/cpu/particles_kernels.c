/* SPDX-License-Identifier: MIT */
#include "base/simd.h"

/* Calls would keep loops from becoming vectors. */
#define DW_INLINE static DW_ALWAYS_INLINE

#include "cpu/particles_kernels.h"

/* What the shared code reads of an emitter that does not loop. */
DW_INLINE dw_particle_emitter emitter_of(const dw_particle_block *b, size_t i)
{
    dw_particle_emitter e = { 0 };

    e.part = b->part[i];
    e.count = b->count[i];
    e.key0 = b->key0[i];
    e.key1 = b->key1[i];
    e.position[0] = b->position_x[i];
    e.position[1] = b->position_y[i];
    e.position[2] = b->position_z[i];
    e.scale = b->scale[i];
    e.before[0] = b->before_x[i];
    e.before[1] = b->before_y[i];
    e.before[2] = b->before_z[i];
    e.colors[0] = b->color0[i];
    e.colors[1] = b->color1[i];
    e.colors[2] = b->color2[i];
    e.extent[0] = b->extent_0[i];
    e.extent[1] = b->extent_1[i];
    e.extent[2] = b->extent_2[i];
    e.surface_count = b->surface_count[i];
    return e;
}

DW_INLINE dw_particle_life life_of(const dw_particle_block *b, size_t i)
{
    dw_particle_life life;

    life.is_alive = b->is_alive[i];
    life.cycle = b->cycle[i];
    life.age = b->age[i];
    life.life = b->life[i];
    life.is_before = b->is_before[i];
    return life;
}

/* ---- lives ---- */

DW_INLINE void set_life(dw_particle_block *b, size_t i, dw_particle_life life)
{
    dw_particle_words ages = { b->age_least[i], b->age_most[i], b->age_before[i], 0 };

    life = dw_particle_bounded(life, ages);
    b->is_alive[i] = life.is_alive;
    b->cycle[i] = life.cycle;
    b->age[i] = life.age;
    b->life[i] = life.life;
    b->is_before[i] = life.is_before;
}

/* Flags of the part that a rule asks for are the same for all lanes: known, they leave no branch.
 */
#define DW_BLOCK_LIVE(name, rule, known, value)                                                  \
    DW_SIMD static void live_##name(dw_block_lanes lanes)                                        \
    {                                                                                            \
        dw_particle_block *restrict b = lanes.block;                                             \
        dw_particle_part part = *lanes.part;                                                     \
                                                                                                 \
        part.flags = (part.flags & ~(known)) | (value);                                          \
        for (size_t i = lanes.lane; i < lanes.lane + lanes.count; i++)                           \
            set_life(b, i, dw_particle_##rule(emitter_of(b, i), part, b->slot[i], b->local[i])); \
    }

DW_BLOCK_LIVE(cycle, cycle, DW_PART_IS_EVEN, 0u)
DW_BLOCK_LIVE(even, cycle, DW_PART_IS_EVEN, DW_PART_IS_EVEN)
DW_BLOCK_LIVE(burst, burst, 0u, 0u)
DW_BLOCK_LIVE(once, once, 0u, 0u)

void dw_block_live(dw_block_lanes lanes, uint32_t rule)
{
    if (rule == DW_BLOCK_RULE_BURST)
        live_burst(lanes);
    else if (rule == DW_BLOCK_RULE_ONCE)
        live_once(lanes);
    else if ((lanes.part->flags & DW_PART_IS_EVEN) != 0)
        live_even(lanes);
    else
        live_cycle(lanes);
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

void dw_block_points(dw_block_lanes lanes, const float *points)
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

void dw_block_no_points(dw_block_lanes lanes)
{
    dw_particle_block *restrict b = lanes.block;

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

    given.key0 = b->key0[i];
    given.key1 = b->key1[i];
    given.slot = b->slot[i];
    given.count = b->count[i];
    given.cycle = b->cycle[i];
    given.age = b->age[i];
    given.life = b->life[i];
    given.now_low = b->now_low[i];
    given.now_high = b->now_high[i];
    given.loop = 0;
    given.t = b->t[i];
    given.seconds = dw_particle_seconds(b->age[i]);
    given.fade = b->fade[i];
    given.swell = b->swell[i];
    given.has_point = b->has_point[i];
    given.point[0] = b->point_x[i];
    given.point[1] = b->point_y[i];
    given.point[2] = b->point_z[i];
    given.extent[0] = b->extent_0[i];
    given.extent[1] = b->extent_1[i];
    given.extent[2] = b->extent_2[i];
    given.camera[0] = masked(eye[0] - b->position_x[i], seen);
    given.camera[1] = masked(eye[1] - b->position_y[i], seen);
    given.camera[2] = masked(eye[2] - b->position_z[i], seen);
    DW_BLOCK_PARAMS(DW_BLOCK_PARAM)
    return given;
}

DW_INLINE void set_motion(dw_particle_block *b, size_t i, dw_particle_motion m)
{
    m = dw_particle_swelled(m, b->swell[i]);
    b->x[i] = m.x;
    b->y[i] = m.y;
    b->z[i] = m.z;
    b->size[i] = m.size;
    b->opacity[i] = m.opacity;
    b->turn[i] = m.turn;
    b->axis[i] = m.axis;
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
    dw_particle_life life = life_of(b, i);
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

void dw_block_place(dw_block_lanes lanes, bool is_trail)
{
    if (is_trail)
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
            b->frame[i] = dw_particle_frame(emitter_of(b, i), part, b->slot[i], life_of(b, i));
}

/* ---- rows ---- */

#define DW_BLOCK_PUT(name) b->name[i + k] = row_##name;

DW_SIMD void dw_particles_block_fill(dw_particle_block *b, const dw_particle_tables *tables,
                                     const uint32_t *kept, dw_particle_moment moment)
{
    for (uint32_t r = 0; r < b->run_count; r++) {
        const struct dw_block_run *run = &b->runs[r];
        const dw_particle_emitter *e = &tables->emitters[run->row];
        dw_particle_words ages = dw_particle_ages(*e, run->local);
        dw_particle_input clock = { 0 };
        uint32_t row_kept = kept == NULL ? 0 : kept[run->row];

        clock = dw_particle_set_clock(clock, *e, run->local, moment.now_low, moment.now_high);
        for (size_t i = run->lane, j = 0; j < run->fill; i += 8, j += 8)
            for (size_t k = 0; k < 8; k++) {
                b->local[i + k] = (uint64_t)run->local;
                b->key0[i + k] = e->key0;
                b->key1[i + k] = e->key1;
                b->slot[i + k] = run->slot + (uint32_t)(j + k);
                b->count[i + k] = e->count;
                b->part[i + k] = e->part;
                b->now_low[i + k] = clock.now_low;
                b->now_high[i + k] = clock.now_high;
                b->age_least[i + k] = ages.x;
                b->age_most[i + k] = ages.y;
                b->age_before[i + k] = ages.z;
                b->color0[i + k] = e->colors[0];
                b->color1[i + k] = e->colors[1];
                b->color2[i + k] = e->colors[2];
                b->surface[i + k] = e->surface;
                b->surface_count[i + k] = e->surface_count;
                b->kept[i + k] = row_kept;
                b->position_x[i + k] = e->position[0];
                b->position_y[i + k] = e->position[1];
                b->position_z[i + k] = e->position[2];
                b->before_x[i + k] = e->before[0];
                b->before_y[i + k] = e->before[1];
                b->before_z[i + k] = e->before[2];
                b->scale[i + k] = e->scale;
                b->extent_0[i + k] = e->extent[0];
                b->extent_1[i + k] = e->extent[1];
                b->extent_2[i + k] = e->extent[2];
            }
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
