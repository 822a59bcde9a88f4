/* SPDX-License-Identifier: MIT */
#include "cpu/tree_instance.h"

#include <math.h>

#define SINGULAR 1e-9    /* least determinant of unit columns */
#define LARGEST  1e30    /* of an inverse */
#define SLACK    4.8e-7  /* of the sums that make a corner: four units in float32's last place */
#define FARTHEST 0x1p60f /* that boxes of trees may reach */

static double column_length(const double m[12], int column)
{
    return sqrt(m[column] * m[column] + m[4 + column] * m[4 + column] +
                m[8 + column] * m[8 + column]);
}

/* The adjugate over the determinant, and the translation back. */
static bool invert(const double m[12], double out[12])
{
    double a = m[5] * m[10] - m[6] * m[9];
    double b = m[6] * m[8] - m[4] * m[10];
    double c = m[4] * m[9] - m[5] * m[8];
    double determinant = m[0] * a + m[1] * b + m[2] * c;
    double size = column_length(m, 0) * column_length(m, 1) * column_length(m, 2);
    double scale = 1.0 / determinant;

    if (!(fabs(determinant) > SINGULAR * size) || !isfinite(scale))
        return false;
    out[0] = a * scale;
    out[1] = (m[2] * m[9] - m[1] * m[10]) * scale;
    out[2] = (m[1] * m[6] - m[2] * m[5]) * scale;
    out[4] = b * scale;
    out[5] = (m[0] * m[10] - m[2] * m[8]) * scale;
    out[6] = (m[2] * m[4] - m[0] * m[6]) * scale;
    out[8] = c * scale;
    out[9] = (m[1] * m[8] - m[0] * m[9]) * scale;
    out[10] = (m[0] * m[5] - m[1] * m[4]) * scale;
    for (int i = 0; i < 12; i += 4)
        out[i + 3] = -(out[i] * m[3] + out[i + 1] * m[7] + out[i + 2] * m[11]);
    for (int i = 0; i < 12; i++)
        if (!(fabs(out[i]) < LARGEST))
            return false;
    return true;
}

bool dw_tree_place_instance(const double matrix[12], dw_tree_placement *out)
{
    double inverse[12];

    if (!invert(matrix, inverse))
        return false;
    for (int i = 0; i < 12; i++) {
        out->to_object[i] = (float)inverse[i];
        inverse[i] = out->to_object[i];
    }
    return invert(inverse, out->to_world);
}

static float below(double x)
{
    float nearest = (float)x;

    return (double)nearest > x ? nextafterf(nearest, -INFINITY) : nearest;
}

static float above(double x)
{
    float nearest = (float)x;

    return (double)nearest < x ? nextafterf(nearest, INFINITY) : nearest;
}

void dw_tree_placed_box(const dw_tree_placement *placement, const float low[3], const float high[3],
                        float out[6])
{
    for (int i = 0; i < 3; i++) {
        const double *row = placement->to_world + 4 * i;
        double centre = row[3], reach = 0.0, size = fabs(row[3]);

        for (int j = 0; j < 3; j++) {
            double middle = 0.5 * ((double)low[j] + high[j]);
            double half = 0.5 * ((double)high[j] - low[j]);

            centre += row[j] * middle;
            reach += fabs(row[j]) * half;
            size += fabs(row[j]) * (fabs(middle) + half);
        }
        out[i] = fmaxf(below(centre - reach - SLACK * size), -FARTHEST);
        out[3 + i] = fminf(above(centre + reach + SLACK * size), FARTHEST);
    }
}
