/* SPDX-License-Identifier: MIT */
#include "cpu/particle_effects.h"

#include "shared/particle_motion.h"
#include "shared/particle_view.h"

#include <math.h>
#include <string.h>

/* ---- the built-in effects ---- */

#define DW_LIFE(least, most)   .life = { least, most }
#define DW_FADE(power_)        .fade = { DW_CURVE_EARLY, 1.0f, 0.0f, power_ }
#define DW_DETAIL(near_, far_) .detail = { near_, far_ }
#define DW_WATER_DETAIL        DW_DETAIL(80, 160), .ramp_count = 1

#define DW_SPLASH                                                     \
    DW_LIFE(0.6, 1.2), .rise = 12.0f, DW_FADE(1.2f), DW_WATER_DETAIL, \
                       .params = { 0.05f, 0.3f, 0.12f, 0.2f, 0.08f, 0.055f }
#define DW_BURST(least, most)                                                            \
    DW_LIFE(0.5, 0.9), .gap = { least, most }, .flags = DW_PART_IS_BURST, .rise = 12.0f, \
                       DW_FADE(1.2f), DW_WATER_DETAIL,                                   \
                       .params = { 0.05f, 0.15f, 0.03f, 0.04f, 0.25f, 0.35f, 0.08f, 0.055f }
#define DW_BUBBLE                                                    \
    DW_LIFE(1.2, 2.5), .rise = 6.0f, DW_FADE(1.2f), DW_WATER_DETAIL, \
                       .params = { 0.04f, 0.2f, 0.3f, 0.25f, 0.03f, 0.09f }
#define DW_SHIMMER                                                  \
    DW_LIFE(1.5, 3.0), .rise = 4.0f, .fall = 4.0f, DW_WATER_DETAIL, \
                       .params = { 0.15f, 0.45f, 0.1f, 0.15f, 0.06f, 0.055f }
#define DW_RIPPLE(speed)                                                                          \
    DW_LIFE(2.0 / (speed), 2.0 / (speed)), .flags = DW_PART_IS_EVEN, .rise = (float)(1.0 / 0.15), \
                                           .fall = (float)(1.0 / 0.85), DW_WATER_DETAIL,          \
                                           .params = { 0.15f, 1.3f, 0.1f }
#define DW_FIRE                                                                            \
    DW_LIFE(0.35, 0.8), .rise = 8.0f, DW_FADE(1.2f), DW_DETAIL(150, 300), .ramp_count = 5, \
                        .ramp = { 0xff4400ff, 0xff6600ff, 0xff8800ff, 0xffaa00ff, 0xffcc00ff }

#define DW_TONGUES                                                                                 \
    DW_LIFE(0.6, 0.6), .flags = DW_PART_IS_EVEN, .rise = 6.0f, DW_FADE(1.1f), DW_DETAIL(150, 300), \
                       .ramp_count = 5,                                                            \
                       .ramp = { 0xff4400ff, 0xff6600ff, 0xff8800ff, 0xffaa00ff, 0xffcc00ff }
#define DW_FLAMES .rise = 8.0f, DW_FADE(1.2f), DW_DETAIL(150, 300), .ramp_count = 5
#define DW_EMBER                                                                                   \
    .rise = 10.0f, DW_FADE(1.0f), DW_DETAIL(60, 120), .flags = DW_PART_IS_RAMPED, .ramp_count = 3, \
    .ramp = { 0xffd890ff, 0xff8a20ff, 0xb02800ff }
#define DW_SMOKE                                                                                   \
    .rise = 4.0f, DW_FADE(1.3f), DW_DETAIL(100, 200), .flags = DW_PART_IS_RAMPED, .ramp_count = 3, \
    .ramp = { 0x3a322cff, 0x5a544eff, 0x8a8682ff }
#define DW_SHINE                    DW_DETAIL(150, 300), .ramp_count = 1, .ramp = { 0xff9a3cff }
#define DW_DUST                     .rise = 8.0f, DW_FADE(1.4f), DW_DETAIL(40, 80)
#define DW_ONCE(delay_)             .flags = DW_PART_IS_ONCE, .delay = { 0.0, (delay_) }
#define DW_GROW(from_, to_, power_) .swell = { DW_CURVE_EARLY, from_, to_, power_ }
#define DW_ONCE_RAMP(delay_, count_) \
    .flags = DW_PART_IS_ONCE | DW_PART_IS_RAMPED, .delay = { 0.0, (delay_) }, .ramp_count = (count_)

#define DW_PARTICLE_PART(KIND, LAYER, count_, TONE, opacity_, ...) \
    { .kind = DW_PARTICLE_KIND_##KIND,                             \
      .layer = DW_PARTICLE_LAYER_##LAYER,                          \
      .count = (count_),                                           \
      .tone = DW_PARTICLE_TONE_##TONE,                             \
      .opacity = (opacity_),                                       \
      __VA_ARGS__ },

#define DW_PARTICLE_EFFECT(name, palette, doc, ...) \
    static const dw_particle_recipe name##_parts[] = { __VA_ARGS__ };
#include "cpu/particle_effects.def"
#undef DW_PARTICLE_EFFECT

const dw_particle_effect dw_particle_effects[] = {
#define DW_PARTICLE_EFFECT(name, palette, doc, ...) \
    { #name, doc, #palette, name##_parts, DW_COUNT_OF(name##_parts) },
#include "cpu/particle_effects.def"
#undef DW_PARTICLE_EFFECT
};

const uint32_t dw_particle_effect_count = DW_COUNT_OF(dw_particle_effects);

const dw_particle_palette dw_particle_palettes[] = {
    { "default", { 0xc4b5fd, 0x8b5cf6, 0x60a5fa } }, { "air", { 0xffffff, 0xe0e8f0, 0xc8d8e8 } },
    { "water", { 0x80d0ff, 0x2090e0, 0x1060c0 } },   { "earth", { 0x80ff80, 0x30a030, 0x208020 } },
    { "fire", { 0xff6040, 0xe02020, 0xb01010 } },    { "mind", { 0xe879f9, 0xa855f7, 0x7c3aed } },
    { "body", { 0x60a5fa, 0x3080d0, 0x2060a0 } },    { "cosmic", { 0xffff80, 0xc0c020, 0x808010 } },
    { "chaos", { 0xff6b6b, 0xdc2626, 0x991b1b } },   { "nature", { 0x60e060, 0x20a020, 0x108010 } },
    { "law", { 0x8080ff, 0x4040e0, 0x2020b0 } },     { "death", { 0xd0d0d0, 0x606060, 0x303030 } },
    { "blood", { 0xff4040, 0xc01010, 0x800808 } },   { "white", { 0xffffff, 0xffffff, 0xffffff } },
};

const uint32_t dw_particle_palette_count = DW_COUNT_OF(dw_particle_palettes);

const dw_particle_variant dw_particle_variants[3] = {
    { "net", "water_net" },
    { "fly", "water_fly" },
    { "", "water_bait" },
};

const dw_particle_seed_color dw_particle_seed_colors[4] = {
    { DW_PARTICLE_LAYER_SPLASH, 0xddeeff },
    { DW_PARTICLE_LAYER_BUBBLE, 0x88ccee },
    { DW_PARTICLE_LAYER_SHIMMER, 0xeef4ff },
    { DW_PARTICLE_LAYER_RIPPLE, 0x66bbff },
};

/* ---- kinds ---- */

typedef void (*span_function)(const dw_particle_part *part, const double *around, double *span);

typedef struct kind_row {
    uint32_t traits; /* DW_PART_IS_* of every part of the kind */
    const char *words;
    span_function span;
} kind_row;

static const kind_row kinds[] = {
#define DW_PARTICLE_KIND(value, NAME, name, traits, params, doc) \
    { traits, params, dw_particle_span_##name },
#include "shared/particle_kinds.def"
#undef DW_PARTICLE_KIND
};

const char *dw_particle_param_words(uint32_t kind)
{
    return kinds[kind].words;
}

/* ---- records ---- */

uint32_t dw_particle_color(uint32_t hex)
{
    return hex >> 24 | (hex >> 8 & 0xff00u) | (hex & 0xff00u) << 8 | hex << 24;
}

static double curve_value(const dw_curve *curve, double t)
{
    double power = curve->power, share = 1.0;

    switch (curve->shape) {
    case DW_CURVE_NONE:
        return 1.0;
    case DW_CURVE_LINE:
        share = t;
        break;
    case DW_CURVE_EARLY:
        share = 1.0 - pow(1.0 - t, power);
        break;
    case DW_CURVE_LATE:
        share = pow(t, power);
        break;
    case DW_CURVE_BELL:
        share = pow(4.0 * t * (1.0 - t), power);
        break;
    case DW_CURVE_SMOOTH:
        share = t * t * (3.0 - 2.0 * t);
        break;
    }
    return curve->from + ((double)curve->to - curve->from) * share;
}

void dw_particle_curve_fill(const dw_curve *curve, float *out)
{
    for (int i = 0; i < DW_PARTICLE_KNOTS; i++) {
        double value = curve_value(curve, i / (DW_PARTICLE_KNOTS - 1.0));

        out[i] = fabs(value) < 1e-30 ? 0.0f : (float)value;
    }
}

static uint32_t mix_hex(uint32_t a, uint32_t b, double share)
{
    uint32_t mixed = 0;

    for (int shift = 0; shift < 32; shift += 8) {
        double from = a >> shift & 255u, to = b >> shift & 255u;

        mixed |= (uint32_t)(from + (to - from) * share + 0.5) << shift;
    }
    return mixed;
}

uint32_t dw_particle_ramp_fill(const dw_particle_recipe *recipe, uint32_t *out)
{
    const uint32_t *ramp = recipe->ramp;
    uint32_t count = recipe->ramp_count;

    if (count == 0 || (recipe->flags & DW_PART_IS_RAMPED) == 0) {
        for (uint32_t i = 0; i < count; i++)
            out[i] = dw_particle_color(ramp[i]);
        return count;
    }
    for (int i = 0; i < DW_PARTICLE_KNOTS; i++) {
        double at = (count - 1) * (i / (DW_PARTICLE_KNOTS - 1.0));
        uint32_t knot = (uint32_t)at, next = knot + 1 < count ? knot + 1 : knot;

        out[i] = dw_particle_color(mix_hex(ramp[knot], ramp[next], at - knot));
    }
    return DW_PARTICLE_KNOTS;
}

/* Least at index 0, most at 1, in ticks of at least `floor`. */
static void to_ticks(const double seconds[2], uint32_t floor, uint32_t *least, uint32_t *most)
{
    double a = seconds[0] * DW_TICKS_PER_SECOND + 0.5, b = seconds[1] * DW_TICKS_PER_SECOND + 0.5;

    *least = a < floor ? floor : (uint32_t)a;
    *most = b < *least ? *least : (uint32_t)b;
}

static dw_status check_times(const dw_particle_recipe *r, dw_error *err)
{
    if (!(r->life[0] > 0.0 && r->life[0] <= r->life[1] && r->life[1] <= DW_PARTICLE_LIFE_MOST))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "lifetime must be (least, most) seconds with 0 < least <= most <= %g, got "
                       "(%g, %g)",
                       DW_PARTICLE_LIFE_MOST, r->life[0], r->life[1]);
    if ((r->flags & DW_PART_IS_BURST) != 0 &&
        !(r->gap[0] > 0.0 && r->gap[0] <= r->gap[1] && r->gap[1] <= DW_PARTICLE_GAP_MOST))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "burst must be (least, most) seconds between bursts with 0 < least <= most "
                       "<= %g, got (%g, %g)",
                       DW_PARTICLE_GAP_MOST, r->gap[0], r->gap[1]);
    if (!(r->delay[0] >= 0.0 && r->delay[0] <= r->delay[1] && r->delay[1] <= DW_PARTICLE_GAP_MOST))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "delay must be (least, most) seconds with 0 <= least <= most <= %g, got "
                       "(%g, %g)",
                       DW_PARTICLE_GAP_MOST, r->delay[0], r->delay[1]);
    return DW_OK;
}

static dw_status check_value(const char *name, double value, double least, double most,
                             dw_error *err)
{
    if (value >= least && value <= most)
        return DW_OK;
    return dw_fail(err, DW_ERROR_ARGUMENT, "%s must be %g to %g, got %g", name, least, most, value);
}

static bool starts_with(const char *word, size_t length, const char *start)
{
    return length >= strlen(start) && strncmp(word, start, strlen(start)) == 0;
}

static bool ends_with(const char *word, size_t length, const char *end)
{
    return length >= strlen(end) && strncmp(word + length - strlen(end), end, strlen(end)) == 0;
}

/* Params by their words; those that the kind has no word for are 0. */
static dw_status check_params(const dw_particle_recipe *r, dw_error *err)
{
    const char *word = kinds[r->kind].words;

    for (int i = 0; i < DW_PARTICLE_PARAMS; i++) {
        size_t length = strcspn(word, " ");
        bool is_positive = starts_with(word, length, "size") || starts_with(word, length, "arms") ||
                           starts_with(word, length, "radius") ||
                           starts_with(word, length, "box") || starts_with(word, length, "drag") ||
                           starts_with(word, length, "gravity") || ends_with(word, length, "_span");
        bool is_speed = starts_with(word, length, "turn") || starts_with(word, length, "spin") ||
                        starts_with(word, length, "orbit") || starts_with(word, length, "speed") ||
                        starts_with(word, length, "wind") || starts_with(word, length, "fall");
        double most = length == 0 ? 0.0
                      : is_speed  ? DW_PARTICLE_SPEED_MOST
                                  : DW_PARTICLE_VALUE_MOST;
        double least = is_positive ? 0.0 : -most;

        if (!(r->params[i] >= least && r->params[i] <= most))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "params: %.*s of kind '%s' must be %g to %g, got %g",
                           length == 0 ? 20 : (int)length, length == 0 ? "what has no word" : word,
                           dw_registries[DW_REGISTRY_PARTICLE_KIND].rows[r->kind].name, least, most,
                           (double)r->params[i]);
        word += length;
        word += strspn(word, " ");
    }
    return DW_OK;
}

static dw_status check_recipe(const dw_particle_recipe *r, dw_error *err)
{
    if (r->kind >= DW_COUNT_OF(kinds))
        return dw_fail(err, DW_ERROR_ARGUMENT, "kind must be below %zu, got %u", DW_COUNT_OF(kinds),
                       r->kind);
    if (r->layer >= DW_PARTICLE_LAYERS_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT, "layer must be below %d, got %u",
                       DW_PARTICLE_LAYERS_MAX, r->layer);
    if (r->count > DW_PARTICLE_COUNT_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "count must be at most %u, got %u; use several parts",
                       (unsigned)DW_PARTICLE_COUNT_MAX, r->count);
    if (r->tone > DW_PARTICLE_TONE_ANY)
        return dw_fail(err, DW_ERROR_ARGUMENT, "tone must be 0 to %u, got %u", DW_PARTICLE_TONE_ANY,
                       r->tone);
    if (!(r->detail[0] >= 0.0 && r->detail[1] <= 1e6 &&
          (r->detail[0] < r->detail[1] || r->detail[1] == 0.0)))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "lod must be (near, far) metres with 0 <= near < far <= 1e6, got (%g, %g)",
                       r->detail[0], r->detail[1]);
    DW_TRY(check_times(r, err));
    DW_TRY(check_value("opacity", r->opacity, 0.0, 1024.0, err));
    DW_TRY(check_value("rise", r->rise, 0.0, DW_PARTICLE_VALUE_MOST, err));
    DW_TRY(check_value("fall", r->fall, 0.0, DW_PARTICLE_VALUE_MOST, err));
    DW_TRY(check_value("frame_rate", r->frame_rate, -1.0, DW_PARTICLE_RATE_MOST, err));
    DW_TRY(check_value("frames", (double)r->frames[0] + r->frames[1], 0.0, 256.0, err));
    for (int i = 0; i < 3; i++)
        DW_TRY(check_value("offset", r->offset[i], -DW_PARTICLE_VALUE_MOST, DW_PARTICLE_VALUE_MOST,
                           err));
    return check_params(r, err);
fail:
    return err->code;
}

dw_status dw_particle_part_make(const dw_particle_recipe *recipe, dw_particle_part *out,
                                dw_error *err)
{
    double close2 = recipe->detail[0] * recipe->detail[0];
    double far2 = recipe->detail[1] * recipe->detail[1];
    uint32_t least, most;
    dw_particle_part part = { .kind = recipe->kind, .layer = recipe->layer };

    if (check_recipe(recipe, err) != DW_OK)
        return err->code;
    part.flags = recipe->flags | kinds[recipe->kind].traits;
    to_ticks(recipe->life, 1, &part.life_least, &most);
    part.life_span = most - part.life_least;
    if ((part.flags & DW_PART_IS_BURST) != 0) {
        to_ticks(recipe->gap, 1, &least, &most);
        part.gap = least + (most - least) / 2;
        part.gap_jitter = (most - least) / 4;
    } else {
        to_ticks(recipe->delay, 0, &part.gap, &most);
        part.gap_jitter = most - part.gap;
    }
    part.tone = recipe->tone;
    part.opacity_curve = part.size_curve = part.ramp = DW_PARTICLE_NONE;
    part.frames = recipe->frames[0] | recipe->frames[1] << 16;
    part.frame_rate = recipe->frame_rate;
    part.opacity = recipe->opacity;
    part.rise = recipe->rise;
    part.fall = recipe->fall;
    part.lod_far2 = (float)far2;
    part.lod_scale = far2 > 0.0 ? (float)(1.0 / (far2 - close2)) : 0.0f;
    memcpy(part.offset, recipe->offset, sizeof part.offset);
    memcpy(part.params, recipe->params, sizeof part.params);
    *out = part;
    return DW_OK;
}

/* ---- bounds ---- */

static double most_of_curve(const float *curves, uint32_t first)
{
    double most = 0.0;

    if (first == DW_PARTICLE_NONE || curves == NULL)
        return 1.0;
    for (int i = 0; i < DW_PARTICLE_KNOTS; i++)
        most = curves[first + i] > most ? curves[first + i] : most;
    return most;
}

/* The cylinder e->extent, and the one that holds it and the surface's points. */
static void find_around(const dw_particle_emitter *e, const float *points, double *around)
{
    double low = e->extent[1], high = low + e->extent[2];
    double radius2 = (double)e->extent[0] * e->extent[0];

    around[DW_AROUND_RADIUS] = e->extent[0];
    around[DW_AROUND_LOW] = low;
    around[DW_AROUND_HIGH] = high;
    for (uint32_t i = 0; points != NULL && i < e->surface_count; i++) {
        const float *at = points + 3 * ((size_t)e->surface + i);
        double distance2 = (double)at[0] * at[0] + (double)at[2] * at[2];

        radius2 = distance2 > radius2 ? distance2 : radius2;
        low = at[1] < low ? at[1] : low;
        high = at[1] > high ? at[1] : high;
    }
    around[DW_AROUND_FAR_RADIUS] = sqrt(radius2);
    around[DW_AROUND_FAR_LOW] = low;
    around[DW_AROUND_FAR_HIGH] = high;
    around[DW_AROUND_SLOTS] = e->count;
}

void dw_particle_bound(const dw_particle_part *part, const float *points, const float *curves,
                       dw_particle_emitter *e)
{
    double around[DW_AROUND_COUNT], span[DW_SPAN_COUNT], half, radius, reach;
    bool is_streak = (kinds[part->kind].traits & DW_PART_IS_STREAK) != 0;

    find_around(e, points, around);
    around[DW_AROUND_FADE] = most_of_curve(curves, part->opacity_curve);
    kinds[part->kind].span(part, around, span);
    half = 0.5 * (span[DW_SPAN_HIGH] - span[DW_SPAN_LOW]);
    radius = span[DW_SPAN_RADIUS] + hypot(part->offset[0], part->offset[2]);
    reach = span[DW_SPAN_SIZE] * most_of_curve(curves, part->size_curve) *
            (is_streak ? DW_PARTICLE_STRETCH_MOST : DW_PARTICLE_REACH);
    /* rounded away from the middle: a sphere holds what float arithmetic makes of it too */
    e->bound_y = (float)(e->scale * (span[DW_SPAN_LOW] + half + part->offset[1]));
    e->bound_radius = (float)(e->scale * (hypot(radius, half) + reach) * 1.00001 + 1e-6);
}
