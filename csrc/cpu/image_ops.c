/* SPDX-License-Identifier: MIT */
#include "cpu/image_ops.h"

#include "base/alloc.h"

#include <math.h>
#include <stdatomic.h>

typedef struct unpremultiply_job {
    const dw_atlas_source *source;
    void *out;
    atomic_int_fast64_t clipped;
} unpremultiply_job;

static uint32_t straight(uint32_t color, uint32_t alpha, uint32_t most, int64_t *clipped)
{
    if (color > alpha)
        (*clipped)++;
    if (alpha == 0)
        return 0;
    if (color >= alpha)
        return most;
    return (color * most + alpha / 2) / alpha;
}

static void unpremultiply_row(void *user, int64_t y, int worker)
{
    unpremultiply_job *job = user;
    size_t width = (size_t)job->source->width, first = 4 * (size_t)y * width;
    const uint8_t *in_8 = (const uint8_t *)job->source->texels + first;
    const uint16_t *in_16 = (const uint16_t *)job->source->texels + first;
    uint8_t *out_8 = (uint8_t *)job->out + first;
    uint16_t *out_16 = (uint16_t *)job->out + first;
    int64_t clipped = 0;

    (void)worker;
    for (size_t i = 0; i < 4 * width; i++) {
        size_t alpha = i | 3;

        if (job->source->bits == 8)
            out_8[i] =
                (uint8_t)(i == alpha ? in_8[i] : straight(in_8[i], in_8[alpha], 255, &clipped));
        else
            out_16[i] = (uint16_t)(i == alpha ? in_16[i]
                                              : straight(in_16[i], in_16[alpha], 65535, &clipped));
    }
    atomic_fetch_add(&job->clipped, clipped);
}

dw_status dw_image_unpremultiply(const dw_atlas_source *source, void *out, int64_t *clipped,
                                 const dw_run *run, dw_error *err)
{
    unpremultiply_job job = { .source = source, .out = out };
    dw_status status = dw_parallel_for(run, source->height, unpremultiply_row, &job, err);

    *clipped = atomic_load(&job.clipped);
    return status;
}

typedef struct resample_job {
    const dw_atlas_source *source;
    const dw_light_tables *light;
    dw_color_space space;
    const dw_rect *rects;
    int width, height;
    uint16_t *out;
} resample_job;

static uint16_t encode_16(dw_color_space space, double light)
{
    return (uint16_t)floor(65535.0 * dw_code_from_light(space, light) + 0.5);
}

/* Length of source cell i, in units of 1 / size of a texel, within cell x of the smaller grid:
 * both grids span source_size * size units. */
static uint64_t shared_length(int i, int x, int source_size, int size)
{
    int64_t low = (int64_t)i * size, high = low + size;
    int64_t begin = (int64_t)x * source_size, end = begin + source_size;

    low = low > begin ? low : begin;
    high = high < end ? high : end;
    return high > low ? (uint64_t)(high - low) : 0;
}

/* P and A of one texel, summed with integer area weights. */
static void sum_area(const resample_job *job, const dw_rect *rect, int x, int y, uint64_t sum[4])
{
    const dw_atlas_source *source = job->source;
    int i0 = (int)((int64_t)x * rect->width / job->width);
    int j0 = (int)((int64_t)y * rect->height / job->height);

    for (int j = j0; j < rect->height && (int64_t)j * job->height < (int64_t)(y + 1) * rect->height;
         j++) {
        uint64_t wy = shared_length(j, y, rect->height, job->height);

        for (int i = i0;
             i < rect->width && (int64_t)i * job->width < (int64_t)(x + 1) * rect->width; i++) {
            uint64_t weight = wy * shared_length(i, x, rect->width, job->width);
            size_t at = 4 * ((size_t)(rect->y + j) * (size_t)source->width + (size_t)(rect->x + i));
            const uint8_t *t8 = (const uint8_t *)source->texels + at;
            const uint16_t *t16 = (const uint16_t *)source->texels + at;
            bool is_8 = source->bits == 8;
            uint32_t alpha = is_8 ? dw_alpha_from_8(t8[3]) : t16[3];

            for (int c = 0; c < 3; c++)
                sum[c] += weight * dw_premultiply(is_8 ? job->light->decode_8[t8[c]]
                                                       : job->light->decode_16[t16[c]],
                                                  alpha);
            sum[3] += weight * dw_weight_from_alpha(alpha);
        }
    }
}

static void resample_row(void *user, int64_t item, int worker)
{
    const resample_job *job = user;
    const dw_rect *rect = &job->rects[item / job->height];
    int y = (int)(item % job->height);
    double area = (double)rect->width * rect->height;
    uint16_t *out = job->out + 4 * (size_t)item * (size_t)job->width;

    (void)worker;
    for (int x = 0; x < job->width; x++, out += 4) {
        uint64_t sum[4] = { 0 };

        sum_area(job, rect, x, y, sum);
        for (int c = 0; c < 3; c++)
            out[c] = sum[3] == 0 ? 0 : encode_16(job->space, (double)sum[c] / (double)sum[3]);
        out[3] = (uint16_t)floor(65535.0 * ((double)sum[3] / (area * DW_WEIGHT_ONE)) + 0.5);
    }
}

dw_status dw_image_resample_rects(const dw_atlas_source *source, dw_color_space space,
                                  const dw_rect *rects, int count, int width, int height,
                                  const dw_run *run, uint16_t *out, dw_error *err)
{
    resample_job job = { source, NULL, space, rects, width, height, out };
    dw_light_tables *light = NULL;
    dw_status status = dw_light_tables_create(space, source->bits, &light, err);

    job.light = light;
    if (status == DW_OK)
        status = dw_parallel_for(run, (int64_t)count * height, resample_row, &job, err);
    dw_light_tables_destroy(light);
    return status;
}
