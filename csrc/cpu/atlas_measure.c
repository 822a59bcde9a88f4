/* SPDX-License-Identifier: MIT */
#include "cpu/atlas_measure.h"

#include "base/alloc.h"

#include <math.h>

/* ---- trilinear coverage ---- */

typedef struct trilinear_job {
    const dw_alpha_view *fine, *coarse;
    const dw_area *fine_areas, *coarse_areas;
    double fraction;
    const double *cutoffs;
    int cutoff_count;
    double *out;
} trilinear_job;

static double texel_alpha(const dw_alpha_view *alpha, int x, int y)
{
    ptrdiff_t at = y * alpha->row_stride + x * alpha->texel_stride;

    return alpha->bits == 8 ? ((const uint8_t *)alpha->data)[at] * (1.0 / 255.0)
                            : ((const uint16_t *)alpha->data)[at] * (1.0 / 65535.0);
}

/* Texels that an area touches, so that a sampler stays with them. */
static dw_rect area_texels(const dw_area *area)
{
    int x0 = (int)floor(area->x0), y0 = (int)floor(area->y0);
    int x1 = (int)ceil(area->x1), y1 = (int)ceil(area->y1);

    return (dw_rect) { x0, y0, x1 > x0 ? x1 - x0 : 1, y1 > y0 ? y1 - y0 : 1 };
}

static double sample_alpha(const dw_alpha_view *alpha, const dw_rect *texels, double x, double y)
{
    double fx = floor(x - 0.5), fy = floor(y - 0.5);
    double wx = x - 0.5 - fx, wy = y - 0.5 - fy;
    int x0 = dw_clamp_index((int)fx, texels->x, texels->x + texels->width);
    int x1 = dw_clamp_index((int)fx + 1, texels->x, texels->x + texels->width);
    int y0 = dw_clamp_index((int)fy, texels->y, texels->y + texels->height);
    int y1 = dw_clamp_index((int)fy + 1, texels->y, texels->y + texels->height);
    double upper = texel_alpha(alpha, x0, y0) * (1.0 - wx) + texel_alpha(alpha, x1, y0) * wx;
    double lower = texel_alpha(alpha, x0, y1) * (1.0 - wx) + texel_alpha(alpha, x1, y1) * wx;

    return upper * (1.0 - wy) + lower * wy;
}

/* Samples along one side: 4 to a texel, fewer where an area is large and its share certain anyway,
 * but one to two texels at least. */
static int samples_along(double extent, double area)
{
    double per_texel = fmin(fmax(sqrt(131072.0 / area), 0.5), 4.0);
    int samples = (int)ceil(extent * per_texel);

    return samples > 0 ? samples : 1;
}

static void measure_trilinear(void *user, int64_t item, int worker)
{
    const trilinear_job *job = user;
    const dw_area *fine = &job->fine_areas[item], *coarse = &job->coarse_areas[item];
    dw_rect fine_texels = area_texels(fine), coarse_texels = area_texels(coarse);
    double width = fine->x1 - fine->x0, height = fine->y1 - fine->y0;
    int nx = samples_along(width, width * height), ny = samples_along(height, width * height);
    int64_t passing[DW_CUTOFFS_MAX] = { 0 };

    (void)worker;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            double u = (i + 0.5) / nx, v = (j + 0.5) / ny;
            double alpha =
                sample_alpha(job->fine, &fine_texels, fine->x0 + u * width, fine->y0 + v * height);

            if (job->fraction > 0.0)
                alpha += job->fraction * (sample_alpha(job->coarse, &coarse_texels,
                                                       coarse->x0 + u * (coarse->x1 - coarse->x0),
                                                       coarse->y0 + v * (coarse->y1 - coarse->y0)) -
                                          alpha);
            for (int k = 0; k < job->cutoff_count; k++)
                passing[k] += alpha >= job->cutoffs[k];
        }
    for (int k = 0; k < job->cutoff_count; k++)
        job->out[item * job->cutoff_count + k] = (double)passing[k] / ((double)nx * ny);
}

dw_status dw_coverage_trilinear(const dw_alpha_view *fine, const dw_alpha_view *coarse,
                                const dw_area *fine_areas, const dw_area *coarse_areas,
                                int area_count, double fraction, const double *cutoffs,
                                int cutoff_count, const dw_run *run, double *out, dw_error *err)
{
    trilinear_job job = { fine,     coarse,  fine_areas,   coarse_areas,
                          fraction, cutoffs, cutoff_count, out };

    return dw_parallel_for(run, area_count, measure_trilinear, &job, err);
}

/* ---- fringe ---- */

typedef struct fringe_sum {
    double absolute, signed_sum, worst;
    int64_t texels;
} fringe_sum;

typedef struct fringe_job {
    const dw_atlas_source *source;
    const double *decode; /* [1 << bits] code to light, 1 = white */
    dw_color_space space;
    const uint8_t *level;
    int width, height;
    const dw_rect *sources, *rects;
    uint32_t least_alpha;
    fringe_sum *sums; /* one an area */
} fringe_job;

/* Part of source texel i that lies within [begin, end). */
static double overlap(int i, double begin, double end)
{
    double low = begin > i ? begin : i, high = end < i + 1 ? end : i + 1;

    return high > low ? high - low : 0.0;
}

/* Sums light * alpha and alpha over the footprint of one texel. */
static void sum_footprint(const fringe_job *job, const dw_rect *within, int x, int y, double sum[4])
{
    const dw_atlas_source *source = job->source;
    double sx = (double)source->width / job->width, sy = (double)source->height / job->height;
    double x0 = fmax(x * sx, within->x), x1 = fmin((x + 1) * sx, within->x + within->width);
    double y0 = fmax(y * sy, within->y), y1 = fmin((y + 1) * sy, within->y + within->height);

    for (int j = (int)floor(y0); j < y1; j++)
        for (int i = (int)floor(x0); i < x1; i++) {
            size_t at = 4 * ((size_t)j * (size_t)source->width + (size_t)i);
            const uint8_t *t8 = (const uint8_t *)source->texels + at;
            const uint16_t *t16 = (const uint16_t *)source->texels + at;
            bool is_8 = source->bits == 8;
            double weight =
                overlap(i, x0, x1) * overlap(j, y0, y1) * (is_8 ? 257.0 * t8[3] : t16[3]);

            if (weight == 0.0)
                continue;
            for (int c = 0; c < 3; c++)
                sum[c] += weight * job->decode[is_8 ? t8[c] : t16[c]];
            sum[3] += weight;
        }
}

static void measure_fringe_area(void *user, int64_t item, int worker)
{
    const fringe_job *job = user;
    const dw_rect *rect = &job->rects[item];
    fringe_sum total = { 0 };

    (void)worker;
    for (int y = rect->y; y < rect->y + rect->height; y++)
        for (int x = rect->x; x < rect->x + rect->width; x++) {
            const uint8_t *texel = job->level + 4 * ((size_t)y * (size_t)job->width + (size_t)x);
            double sum[4] = { 0 };

            if (texel[3] < job->least_alpha)
                continue;
            sum_footprint(job, &job->sources[item], x, y, sum);
            if (sum[3] == 0.0) /* nothing visible below: the level invented it */
                continue;
            for (int c = 0; c < 3; c++) {
                double wanted = 255.0 * dw_code_from_light(job->space, sum[c] / sum[3]);
                double difference = texel[c] - wanted;

                total.absolute += fabs(difference);
                total.signed_sum += difference;
                total.worst = fmax(total.worst, fabs(difference));
            }
            total.texels++;
        }
    job->sums[item] = total;
}

static void add_sums(const fringe_sum *sums, int count, dw_fringe *out)
{
    fringe_sum total = { 0 };
    double values;

    for (int i = 0; i < count; i++) {
        total.absolute += sums[i].absolute;
        total.signed_sum += sums[i].signed_sum;
        total.worst = fmax(total.worst, sums[i].worst);
        total.texels += sums[i].texels;
    }
    values = total.texels > 0 ? 3.0 * (double)total.texels : 1.0;
    *out = (dw_fringe) { total.absolute / values, total.signed_sum / values, total.worst,
                         total.texels };
}

dw_status dw_measure_fringe(const dw_atlas_source *source, dw_color_space space,
                            const uint8_t *level, int width, int height, const dw_rect *sources,
                            const dw_rect *rects, int area_count, double cutoff, const dw_run *run,
                            dw_fringe *out, dw_error *err)
{
    size_t codes = (size_t)1 << source->bits;
    double *decode = NULL;
    fringe_job job = { .source = source,
                       .space = space,
                       .level = level,
                       .width = width,
                       .height = height,
                       .sources = sources,
                       .rects = rects,
                       .least_alpha = (uint32_t)ceil(255.0 * cutoff - 1e-9) };

    DW_TRY(DW_ALLOC(codes, &decode, err));
    DW_TRY(DW_ALLOC_ZEROED((size_t)area_count, &job.sums, err));
    for (size_t i = 0; i < codes; i++)
        decode[i] = dw_light_from_code(space, (double)i / (double)(codes - 1));
    job.decode = decode;
    DW_TRY(dw_parallel_for(run, area_count, measure_fringe_area, &job, err));
    add_sums(job.sums, area_count, out);
    dw_free(decode);
    dw_free(job.sums);
    return DW_OK;
fail:
    dw_free(decode);
    dw_free(job.sums);
    return err->code;
}
