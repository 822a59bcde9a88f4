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

/* sin(i / 64 * pi / 2) */
DW_TABLE uint dw_ease_sine_table[65] = {
    0u,          26350943u,   52686014u,   78989349u,   105245103u,  131437462u,  157550647u,
    183568930u,  209476638u,  235258165u,  260897982u,  286380643u,  311690799u,  336813204u,
    361732726u,  386434353u,  410903207u,  435124548u,  459083786u,  482766489u,  506158392u,
    529245404u,  552013618u,  574449320u,  596538995u,  618269338u,  639627258u,  660599890u,
    681174602u,  701339000u,  721080937u,  740388522u,  759250125u,  777654384u,  795590213u,
    813046808u,  830013654u,  846480531u,  862437520u,  877875009u,  892783698u,  907154608u,
    920979082u,  934248793u,  946955747u,  959092290u,  970651112u,  981625251u,  992008094u,
    1001793390u, 1010975242u, 1019548121u, 1027506862u, 1034846671u, 1041563127u, 1047652185u,
    1053110176u, 1057933813u, 1062120190u, 1065666786u, 1068571464u, 1070832474u, 1072448455u,
    1073418433u, 1073741824u
};

/* 2^(i / 64) */
DW_TABLE uint dw_ease_exp2_table[65] = {
    1073741824u, 1085434106u, 1097253708u, 1109202018u, 1121280436u, 1133490379u, 1145833280u,
    1158310587u, 1170923762u, 1183674286u, 1196563654u, 1209593378u, 1222764986u, 1236080024u,
    1249540052u, 1263146652u, 1276901417u, 1290805962u, 1304861917u, 1319070932u, 1333434672u,
    1347954824u, 1362633090u, 1377471191u, 1392470869u, 1407633882u, 1422962010u, 1438457051u,
    1454120821u, 1469955159u, 1485961921u, 1502142985u, 1518500250u, 1535035634u, 1551751076u,
    1568648537u, 1585730000u, 1602997467u, 1620452965u, 1638098541u, 1655936265u, 1673968228u,
    1692196547u, 1710623359u, 1729250827u, 1748081133u, 1767116489u, 1786359126u, 1805811301u,
    1825475297u, 1845353420u, 1865448001u, 1885761398u, 1906295993u, 1927054196u, 1948038440u,
    1969251188u, 1990694927u, 2012372174u, 2034285470u, 2056437387u, 2078830522u, 2101467502u,
    2124350982u, 2147483648u
};

DW_INLINE uint dw_ease_multiply(uint a, uint b)
{
    return DW_UINT(DW_U64(a) * DW_U64(b) >> 30);
}

DW_INLINE uint dw_ease_between(uint low, uint high, uint fraction_24)
{
    return low + DW_UINT(DW_U64(high - low) * DW_U64(fraction_24) >> 24);
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

DW_INLINE uint dw_ease_out_sine(uint p)
{
    uint cell = p >> 24;

    if (p >= DW_EASE_ONE)
        return DW_EASE_ONE;
    return dw_ease_between(dw_ease_sine_table[cell], dw_ease_sine_table[cell + 1u], p & 0xffffffu);
}

DW_INLINE uint dw_ease_in_sine(uint p)
{
    return DW_EASE_ONE - dw_ease_out_sine(DW_EASE_ONE - p);
}

DW_INLINE uint dw_ease_in_out_sine(uint p)
{
    return DW_EASE_HALVES(dw_ease_in_sine, p);
}

DW_INLINE uint dw_ease_in_expo(uint p)
{
    uint64_t exponent = DW_U64(p) * 10u;
    uint whole = DW_UINT(exponent >> 30);
    uint rest = DW_UINT(exponent) & (DW_EASE_ONE - 1u);
    uint cell = rest >> 24;
    uint power =
        dw_ease_between(dw_ease_exp2_table[cell], dw_ease_exp2_table[cell + 1u], rest & 0xffffffu);

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
    fixed_p = DW_UINT(dw_floor(steps)) << 10;
    switch (easing) {
#define DW_EASING(value, NAME, name, doc) \
    case DW_EASING_##NAME:                \
        eased = dw_ease_##name(fixed_p);  \
        break;
#include "shared/easings.def"
#undef DW_EASING
    }
    value = dw_float(eased >> 6) * 5.9604644775390625e-8f; /* 2^-24 */
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
