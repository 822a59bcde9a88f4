/* SPDX-License-Identifier: MIT */
/* Effects: what one registration makes, as parts in the units that people use, and the records made
 * from them; the built-in effects of particle_effects.def with their palettes; spheres around all
 * that a row may show. Thread-safety: Safe; constant tables and pure functions. */
#ifndef DW_CPU_PARTICLE_EFFECTS_H
#define DW_CPU_PARTICLE_EFFECTS_H

#include "base/registry.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define DW_PARTICLE_LIFE_MOST  65535.0 /* seconds: ticks have 32 bits */
#define DW_PARTICLE_GAP_MOST   16384.0 /* seconds */
#define DW_PARTICLE_VALUE_MOST 1e6f    /* of params, offsets, slopes: products stay finite */
#define DW_PARTICLE_SPEED_MOST 4096.0  /* m, rad or turns, a second or a life */
#define DW_PARTICLE_RATE_MOST  240.0f  /* frames a second */
#define DW_PARTICLE_RAMP_KNOTS 8

/* A curve over the age t: from `from` to `to` by a shape. */
typedef enum dw_curve_shape {
    DW_CURVE_NONE,   /* 1 */
    DW_CURVE_LINE,   /* t */
    DW_CURVE_EARLY,  /* 1 - (1 - t)^power */
    DW_CURVE_LATE,   /* t^power */
    DW_CURVE_BELL,   /* (4 t (1 - t))^power: `from` at both ends, `to` in the middle */
    DW_CURVE_SMOOTH, /* 3 t^2 - 2 t^3 */
} dw_curve_shape;

typedef struct dw_curve {
    dw_curve_shape shape;
    float from, to, power;
} dw_curve;

/* What one part of an effect is. */
typedef struct dw_particle_recipe {
    uint32_t kind, layer, count;
    uint32_t flags;   /* DW_PART_IS_*, but what the kind itself brings */
    double life[2];   /* seconds: the least, the most */
    double gap[2];    /* seconds from burst to burst, of DW_PART_IS_BURST */
    double delay[2];  /* seconds: least, most by which lives of DW_PART_IS_ONCE begin late */
    double detail[2]; /* m: from the one distance on fewer slots are kept, from the other none; 0,
                         0: all, everywhere */
    float opacity, rise, fall;
    float frame_rate;
    uint32_t frames[2]; /* first, count */
    uint32_t tone;
    dw_curve fade, swell; /* of opacity and size */
    uint32_t ramp_count;
    uint32_t ramp[DW_PARTICLE_RAMP_KNOTS]; /* 0xRRGGBBAA: to pick from, or, with
                                              DW_PART_IS_RAMPED, evenly over the age */
    float offset[3];
    float params[DW_PARTICLE_PARAMS];
} dw_particle_recipe;

typedef struct dw_particle_effect {
    const char *name, *doc;
    const char *palette; /* the emitter's colours unless it is given others */
    const dw_particle_recipe *parts;
    uint32_t part_count;
} dw_particle_effect;

typedef struct dw_particle_palette {
    const char *name;
    uint32_t colors[3]; /* 0xRRGGBB: core, middle, outer */
} dw_particle_palette;

/* Which effect a fishing spot gets: the first row whose word its id holds. */
typedef struct dw_particle_variant {
    const char *word, *effect;
} dw_particle_variant;

/* The one colour that a layer has upstream whatever the variant: a linear one, hex / 255. */
typedef struct dw_particle_seed_color {
    uint32_t layer, color; /* 0xRRGGBB */
} dw_particle_seed_color;

extern const dw_particle_effect dw_particle_effects[];
extern const uint32_t dw_particle_effect_count;
extern const dw_particle_palette dw_particle_palettes[];
extern const uint32_t dw_particle_palette_count;
extern const dw_particle_variant dw_particle_variants[3];
extern const dw_particle_seed_color dw_particle_seed_colors[4];

/* Words of a kind's params, in one string with spaces between. */
const char *dw_particle_param_words(uint32_t kind);

/* The record of a part. Curves and ramp are none in it: put them into tables of your own and say
 * where. */
dw_status dw_particle_part_make(const dw_particle_recipe *recipe, dw_particle_part *out,
                                dw_error *err);

/* Values at the DW_PARTICLE_KNOTS knots. */
void dw_particle_curve_fill(const dw_curve *curve, float *out);

/* RGBA8 as in records from 0xRRGGBBAA. */
uint32_t dw_particle_color(uint32_t hex);

/* The colours of a recipe as tables have them: DW_PARTICLE_KNOTS with DW_PART_IS_RAMPED, else
 * ramp_count. Returns how many; out has room for DW_PARTICLE_KNOTS. */
uint32_t dw_particle_ramp_fill(const dw_particle_recipe *recipe, uint32_t *out);

/* A sphere around all that a row of the part may ever show from the emitter's present position on,
 * of trails from each of both positions on; into e->bound_y and e->bound_radius. points: all
 * surface points, or NULL; curves: all curves, or NULL. */
void dw_particle_bound(const dw_particle_part *part, const float *points, const float *curves,
                       dw_particle_emitter *e);

#endif
