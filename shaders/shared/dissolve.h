/* SPDX-License-Identifier: MIT */
/* Dissolving instances: a progress p that runs linearly between 0 (there) and 1 (dissolved), and a
 * value = ease(p) that is drawn. Times are ticks of 2^-16 s, of which devices know the low 32 bits.
 *
 * Easings are integer arithmetic on p in steps of 2^-20, so that they are monotone and give the
 * same bits everywhere; LINEAR gives p itself. Thread-safety: Safe; no state. */
#ifndef DW_SHARED_DISSOLVE_H
#define DW_SHARED_DISSOLVE_H

#include "shared/floats.h"

#ifdef GL_core_profile
#define DW_EASING(value, NAME, name, doc) const uint DW_EASING_##NAME = value;
#include "shared/easings.def"
#undef DW_EASING
#define DW_DISSOLVE_DIRECTION(value, NAME, name, doc) \
    const uint DW_DISSOLVE_DIRECTION_##NAME = value;
#include "shared/dissolve_directions.def"
#undef DW_DISSOLVE_DIRECTION
#define DW_DISSOLVE_ENCODING(value, NAME, name, doc) const uint DW_DISSOLVE_ENCODING_##NAME = value;
#include "shared/dissolve_encodings.def"
#undef DW_DISSOLVE_ENCODING
#else
typedef enum dw_easing {
#define DW_EASING(value, NAME, name, doc) DW_EASING_##NAME = value,
#include "shared/easings.def"
#undef DW_EASING
} dw_easing;

typedef enum dw_dissolve_direction {
#define DW_DISSOLVE_DIRECTION(value, NAME, name, doc) DW_DISSOLVE_DIRECTION_##NAME = value,
#include "shared/dissolve_directions.def"
#undef DW_DISSOLVE_DIRECTION
} dw_dissolve_direction;

typedef enum dw_dissolve_encoding {
#define DW_DISSOLVE_ENCODING(value, NAME, name, doc) DW_DISSOLVE_ENCODING_##NAME = value,
#include "shared/dissolve_encodings.def"
#undef DW_DISSOLVE_ENCODING
} dw_dissolve_encoding;
#endif

#define DW_TICKS_PER_SECOND 65536
#define DW_DISSOLVE_LANES   256

/* ---- easing: fixed point with 30 bits behind the point ---- */

#define DW_EASE_ONE (1u << 30)

DW_INLINE uint dw_ease_multiply(uint a, uint b)
{
    return DW_UINT(DW_U64(a) * DW_U64(b) >> 30);
}

/* The half [0, 1/2] of a curve that is the same, turned around, above. */
#define DW_EASE_HALVES(curve, p)                    \
    ((p) <= DW_EASE_ONE / 2u ? curve(2u * (p)) / 2u \
                             : DW_EASE_ONE - curve(2u * (DW_EASE_ONE - (p))) / 2u)

DW_INLINE uint dw_ease_linear(uint p)
{
    return p;
}

DW_INLINE uint dw_ease_in_quad(uint p)
{
    return dw_ease_multiply(p, p);
}

DW_INLINE uint dw_ease_out_quad(uint p)
{
    return DW_EASE_ONE - dw_ease_in_quad(DW_EASE_ONE - p);
}

DW_INLINE uint dw_ease_in_out_quad(uint p)
{
    return DW_EASE_HALVES(dw_ease_in_quad, p);
}

DW_INLINE uint dw_ease_in_cubic(uint p)
{
    return dw_ease_multiply(dw_ease_multiply(p, p), p);
}

DW_INLINE uint dw_ease_out_cubic(uint p)
{
    return DW_EASE_ONE - dw_ease_in_cubic(DW_EASE_ONE - p);
}

DW_INLINE uint dw_ease_in_out_cubic(uint p)
{
    return DW_EASE_HALVES(dw_ease_in_cubic, p);
}

/* p has no bits below 2^-20, so that the product of three factors fits. */
DW_INLINE uint dw_ease_smoothstep(uint p)
{
    uint64_t k = DW_U64(p >> 10);

    return DW_UINT(k * k * (DW_U64(3u << 20) - 2u * k) >> 30);
}

/* smoothstep and smootherstep are symmetric; the lower half has no cancelling. */
DW_INLINE uint dw_ease_smootherstep(uint p)
{
    uint64_t low = DW_U64(p <= DW_EASE_ONE / 2u ? p : DW_EASE_ONE - p);
    uint64_t square = low * low >> 25; /* 35 bits behind the point */
    uint64_t cube = square * low >> 30;
    uint64_t rest = (DW_U64(10u) << 20) - (15u * low >> 10) + (6u * square >> 15);
    uint value = DW_UINT(cube * rest >> 25);

    return p <= DW_EASE_ONE / 2u ? value : DW_EASE_ONE - value;
}

/* 1 - cos(p pi / 2) as a polynomial of p^2, within 1e-7 and exact at both ends. */
DW_INLINE uint dw_ease_in_sine(uint p)
{
    uint square = dw_ease_multiply(p, p);
    uint factor = 22346004u - dw_ease_multiply(square, 921457u);

    factor = 272356591u - dw_ease_multiply(square, factor);
    factor = 1324673868u - dw_ease_multiply(square, factor);
    return dw_ease_multiply(square, factor);
}

DW_INLINE uint dw_ease_out_sine(uint p)
{
    return DW_EASE_ONE - dw_ease_in_sine(DW_EASE_ONE - p);
}

DW_INLINE uint dw_ease_in_out_sine(uint p)
{
    return DW_EASE_HALVES(dw_ease_in_sine, p);
}

/* 2^(10 p): a shift by the whole part of the exponent, and a polynomial, within 2e-7, of the rest.
 */
DW_INLINE uint dw_ease_in_expo(uint p)
{
    uint64_t exponent = DW_U64(p) * 10u;
    uint whole = DW_UINT(exponent >> 30);
    uint rest = DW_UINT(exponent) & (DW_EASE_ONE - 1u);
    uint power = 9610589u + dw_ease_multiply(rest, 2035341u);

    power = 59972082u + dw_ease_multiply(rest, power);
    power = 257856477u + dw_ease_multiply(rest, power);
    power = 744267335u + dw_ease_multiply(rest, power);
    power = DW_EASE_ONE + dw_ease_multiply(rest, power);
    return DW_UINT(((DW_U64(power) << whole) - DW_U64(DW_EASE_ONE)) / 1023u);
}

DW_INLINE uint dw_ease_out_expo(uint p)
{
    return DW_EASE_ONE - dw_ease_in_expo(DW_EASE_ONE - p);
}

DW_INLINE uint dw_ease_in_out_expo(uint p)
{
    return DW_EASE_HALVES(dw_ease_in_expo, p);
}

/* p in [0, 1]. Monotone, 0 at 0 and 1 at 1. */
DW_INLINE float dw_ease(uint easing, float p)
{
    DW_PRECISE float steps = p * 1048576.0f;
    DW_PRECISE float value = p;
    uint fixed_p, eased = 0u;

    if (easing == DW_EASING_LINEAR)
        return p;
    fixed_p = DW_UINT(DW_INT(steps)) << 10;
    switch (easing) {
#define DW_EASING(value, NAME, name, doc) \
    case DW_EASING_##NAME:                \
        eased = dw_ease_##name(fixed_p);  \
        break;
#include "shared/easings.def"
#undef DW_EASING
    }
    value = dw_float(DW_INT(eased >> 6)) * 5.9604644775390625e-8f; /* 2^-24 */
    return value;
}

/* ---- state ---- */

/* An animation, or rest at rate 0. rate: progress a tick, negative while coming back. bits:
 * progress at t0 in units of 2^-22, easing, direction: DW_DISSOLVE_*_SHIFT. */
#define DW_DISSOLVE_STATE_FIELDS(F)                    \
    F(uint, t0, 0)    /* tick */                       \
    F(float, rate, 0) /* magnitude 2^-30 to 1, or 0 */ \
    F(uint, bits, 0)

struct dw_dissolve_state {
    DW_DISSOLVE_STATE_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_dissolve_state dw_dissolve_state;
#endif

#define DW_DISSOLVE_ONE             (1u << 22)
#define DW_DISSOLVE_PROGRESS_MASK   0x7fffffu
#define DW_DISSOLVE_EASING_SHIFT    23u
#define DW_DISSOLVE_EASING_MASK     31u
#define DW_DISSOLVE_DIRECTION_SHIFT 28u
#define DW_DISSOLVE_DIRECTION_MASK  7u

/* progress in [0, 1]. */
DW_INLINE uint dw_dissolve_bits(float progress, uint easing, uint direction)
{
    DW_PRECISE float scaled = progress * 4194304.0f;
    DW_PRECISE float raised = scaled + 0.5f;

    return DW_UINT(dw_floor(raised)) | easing << DW_DISSOLVE_EASING_SHIFT |
           direction << DW_DISSOLVE_DIRECTION_SHIFT;
}

DW_INLINE uint dw_dissolve_easing(dw_dissolve_state state)
{
    return state.bits >> DW_DISSOLVE_EASING_SHIFT & DW_DISSOLVE_EASING_MASK;
}

DW_INLINE uint dw_dissolve_direction_of(dw_dissolve_state state)
{
    return state.bits >> DW_DISSOLVE_DIRECTION_SHIFT & DW_DISSOLVE_DIRECTION_MASK;
}

/* One step of an array tick: progress after `ticks`, which may have a fraction and be negative, at
 * `rate` a tick. Magnitudes are 0 or at least 2^-40 (ticks) and 2^-30 (rate): no subnormals arise.
 */
DW_INLINE float dw_dissolve_advance(float progress, float rate, float ticks)
{
    DW_PRECISE float step = rate * ticks;
    DW_PRECISE float next = progress + step;

    next = next > 0.0f ? next : 0.0f;
    return next < 1.0f ? next : 1.0f;
}

/* Linear progress at tick `now`, in [0, 1]; now and t0 are at most 2^31 ticks (9 hours) apart. */
DW_INLINE float dw_dissolve_progress(dw_dissolve_state state, uint now)
{
    DW_PRECISE float begin =
        dw_float(state.bits & DW_DISSOLVE_PROGRESS_MASK) * 2.384185791015625e-7f; /* 2^-22 */

    return dw_dissolve_advance(begin, state.rate, dw_float(DW_INT(now - state.t0)));
}

/* What is drawn at tick `now`, in [0, 1]. */
DW_INLINE float dw_dissolve_value(dw_dissolve_state state, uint now)
{
    return dw_ease(dw_dissolve_easing(state), dw_dissolve_progress(state, now));
}

/* ---- what a value means for a place and for a colour ---- */

/* The amount at one place of the object. place, in [0, 1]: height above the lowest point for UP and
 * DOWN, distance from the axis for RADIAL. softness > 0: width of the front in places; sharpness
 * is 1 / softness. Value 0 gives 0 everywhere and value 1 gives 1. */
DW_INLINE float dw_dissolve_amount_at(uint direction, float place, float value, float softness,
                                      float sharpness)
{
    DW_PRECISE float from_top = 1.0f - place;
    float h = direction == DW_DISSOLVE_DIRECTION_DOWN ? from_top : place;
    DW_PRECISE float reach = 1.0f + softness;
    DW_PRECISE float front = value * reach;
    DW_PRECISE float beyond = front - h;
    DW_PRECISE float amount = beyond * sharpness;

    if (direction == DW_DISSOLVE_DIRECTION_UNIFORM || value <= 0.0f || value >= 1.0f)
        return value;
    amount = amount > 0.0f ? amount : 0.0f;
    return amount < 1.0f ? amount : 1.0f;
}

/* RGBA8 word, R lowest: R and G highlight (0 none, 255 full), B = 1 - value, A 255. */
DW_INLINE uint dw_dissolve_color(float value, uint highlight)
{
    DW_PRECISE float there = 1.0f - value;
    DW_PRECISE float scaled = there * 255.0f;
    DW_PRECISE float raised = scaled + 0.5f;
    uint level = highlight & 255u;

    return level | level << 8 | DW_UINT(DW_INT(raised)) << 16 | 255u << 24;
}

/* Value of such a word, within 1/510 of what it was made from; exact for 0 and 1. */
DW_INLINE float dw_dissolve_color_value(uint color)
{
    DW_PRECISE float value = dw_float(255u - (color >> 16 & 255u)) * 0.003921568859368563f;

    return value;
}

#endif
