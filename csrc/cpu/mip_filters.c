/* SPDX-License-Identifier: MIT */
#include "cpu/mip_filters.h"

#include "base/alloc.h"
#include "shared/limits.h"

#include <math.h>
#include <stdlib.h>

#define DW_PI 3.14159265358979323846

static double sinc(double x)
{
    return fabs(x) < 1e-9 ? 1.0 : sin(DW_PI * x) / (DW_PI * x);
}

/* Modified Bessel function of the first kind, order 0, by its power series. */
static double bessel_i0(double x)
{
    double sum = 1.0, term = 1.0;

    for (int k = 1; k < 40; k++) {
        term *= (x / (2.0 * k)) * (x / (2.0 * k));
        sum += term;
    }
    return sum;
}

static double weight_box(double x)
{
    return fabs(x) <= 0.5 ? 1.0 : 0.0;
}

static double weight_triangle(double x)
{
    return 1.0 - fabs(x);
}

static double weight_kaiser(double x)
{
    return sinc(x) * bessel_i0(4.0 * sqrt(1.0 - (x / 3.0) * (x / 3.0))) / bessel_i0(4.0);
}

/* Mitchell and Netravali, Reconstruction Filters in Computer Graphics, 1988. */
static double weight_mitchell(double x)
{
    double t = fabs(x);

    if (t < 1.0)
        return (7.0 * t * t * t - 12.0 * t * t + 16.0 / 3.0) / 6.0;
    return (-7.0 / 3.0 * t * t * t + 12.0 * t * t - 20.0 * t + 32.0 / 3.0) / 6.0;
}

static double weight_lanczos(double x)
{
    return sinc(x) * sinc(x / 3.0);
}

static double filter_support(dw_mip_filter filter)
{
    switch (filter) {
#define DW_MIP_FILTER(value, NAME, name, support, doc) \
    case DW_MIP_FILTER_##NAME:                         \
        return support;
#include "shared/mip_filters.def"
#undef DW_MIP_FILTER
    }
    dw_unreachable();
    return 0.0;
}

double dw_mip_filter_weight(dw_mip_filter filter, double x)
{
    if (fabs(x) > filter_support(filter))
        return 0.0;
    switch (filter) {
#define DW_MIP_FILTER(value, NAME, name, support, doc) \
    case DW_MIP_FILTER_##NAME:                         \
        return weight_##name(x);
#include "shared/mip_filters.def"
#undef DW_MIP_FILTER
    }
    dw_unreachable();
    return 0.0;
}

static void fill_box(dw_filter_axis *axis)
{
    int n = axis->size;

    for (int i = 0; i < n; i++) {
        int16_t *w = axis->weights + (size_t)i * (size_t)axis->taps;

        axis->start[i] = 2 * i;
        if (axis->taps == 1)
            w[0] = (int16_t)axis->denominator;
        else if (axis->taps == 2)
            w[0] = w[1] = 1;
        else {
            w[0] = (int16_t)(n - i);
            w[1] = (int16_t)n;
            w[2] = (int16_t)(i + 1);
        }
    }
}

/* Quantises the weights of one texel so that they sum to DW_FILTER_ONE exactly; the residue goes
 * to the tap nearest the centre. */
static void fill_row(dw_mip_filter filter, const dw_filter_axis *axis, int i, double scale,
                     int16_t *out)
{
    double weights[DW_FILTER_TAPS];
    double centre = (i + 0.5) * scale, sum = 0.0;
    int residue = DW_FILTER_ONE, nearest = 0;

    for (int k = 0; k < axis->taps; k++) {
        weights[k] = dw_mip_filter_weight(filter, (axis->start[i] + k + 0.5 - centre) / scale);
        sum += weights[k];
        if (weights[k] > weights[nearest])
            nearest = k;
    }
    for (int k = 0; k < axis->taps; k++) {
        out[k] = (int16_t)floor(weights[k] / sum * DW_FILTER_ONE + 0.5);
        residue -= out[k];
    }
    /* An even split keeps symmetric filters symmetric. */
    if (nearest + 1 < axis->taps && out[nearest + 1] == out[nearest] && residue % 2 == 0) {
        out[nearest + 1] = (int16_t)(out[nearest + 1] + residue / 2);
        residue /= 2;
    }
    out[nearest] = (int16_t)(out[nearest] + residue);
}

static void fill_wide(dw_mip_filter filter, dw_filter_axis *axis)
{
    double scale = (double)axis->source_size / axis->size;
    double reach = filter_support(filter) * scale;

    for (int i = 0; i < axis->size; i++) {
        axis->start[i] = (int)ceil((i + 0.5) * scale - reach - 0.5);
        fill_row(filter, axis, i, scale, axis->weights + (size_t)i * (size_t)axis->taps);
    }
}

dw_status dw_filter_axis_init(dw_mip_filter filter, int source_size, dw_filter_axis *out,
                              dw_error *err)
{
    int size = source_size > 1 ? source_size / 2 : 1;
    dw_filter_axis axis = { .source_size = source_size, .size = size };

    if (source_size == 1 || filter == DW_MIP_FILTER_BOX) {
        axis.taps = source_size == 1 ? 1 : (source_size % 2 == 0 ? 2 : 3);
        axis.denominator = axis.taps == 3 ? source_size : axis.taps;
        if (filter != DW_MIP_FILTER_BOX)
            axis.denominator = DW_FILTER_ONE;
    } else {
        axis.taps = (int)ceil(2.0 * filter_support(filter) * source_size / size - 1e-9);
        axis.denominator = DW_FILTER_ONE;
    }
    DW_ASSERT(axis.taps <= DW_FILTER_TAPS);
    DW_TRY(DW_ALLOC((size_t)size, &axis.start, err));
    DW_TRY(DW_ALLOC((size_t)size * (size_t)axis.taps, &axis.weights, err));
    if (axis.denominator == DW_FILTER_ONE && axis.taps > 1)
        fill_wide(filter, &axis);
    else
        fill_box(&axis);
    *out = axis;
    return DW_OK;
fail:
    dw_filter_axis_finish(&axis);
    return err->code;
}

void dw_filter_axis_finish(dw_filter_axis *axis)
{
    dw_free(axis->start);
    dw_free(axis->weights);
    *axis = (dw_filter_axis) { 0 };
}
