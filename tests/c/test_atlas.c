/* SPDX-License-Identifier: MIT */
/* The native baker on random atlases: no fault, no race, no texel left unwritten, one result for
 * any number of threads. And the exact arithmetic it rests on. */
#include "base/alloc.h"
#include "check.h"
#include "cpu/atlas_bake.h"
#include "cpu/atlas_coverage.h"
#include "cpu/image_ops.h"
#include "cpu/islands.h"

#include <string.h>

static uint32_t random_state = 12345;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)random_state * below) >> 32);
}

static void test_unpremultiply(void)
{
    for (int i = 0; i < 300000; i++) {
        uint32_t a = 1 + draw(i % 2 == 0 ? DW_WEIGHT_ONE : 300), p = draw(a + 1);
        uint64_t exact = (2 * 65536 * (uint64_t)p + a) / (2 * (uint64_t)a);

        CHECK(dw_unpremultiply(p, a) == exact);
    }
    CHECK(dw_unpremultiply(DW_WEIGHT_ONE, DW_WEIGHT_ONE) == 65536);
}

/* Every 8-bit colour at every alpha comes back: decode, premultiply, divide, encode. */
static void test_round_trip(void)
{
    dw_light_tables *light;
    dw_error err;

    for (int space = 0; space < 2; space++) {
        CHECK(dw_light_tables_create((dw_color_space)space, 8, &light, &err) == DW_OK);
        for (uint32_t color = 0; color < 256; color++)
            for (uint32_t alpha = 1; alpha < 256; alpha++) {
                uint32_t a16 = dw_alpha_from_8(alpha);
                uint32_t p = dw_premultiply(light->decode_8[color], a16);
                uint32_t value = dw_unpremultiply(p, dw_weight_from_alpha(a16));
                uint32_t code = 0;

                CHECK(p == light->decode_8[color] * alpha);
                CHECK(light->encode[value] == color);
                while (code < 255 && value >= light->threshold[code])
                    code++;
                CHECK(code == color);
                CHECK(dw_alpha_to_8(dw_weight_to_alpha(dw_weight_from_alpha(a16))) == alpha);
            }
        dw_light_tables_destroy(light);
    }
}

static void test_filter_axes(void)
{
    for (int filter = 0; filter < dw_registries[DW_REGISTRY_MIP_FILTER].count; filter++)
        for (int size = 1; size < 300; size++) {
            dw_filter_axis axis;
            dw_error err;

            CHECK(dw_filter_axis_init((dw_mip_filter)filter, size, &axis, &err) == DW_OK);
            CHECK(axis.taps >= 1 && axis.taps <= DW_FILTER_TAPS);
            for (int i = 0; i < axis.size; i++) {
                int sum = 0;

                for (int k = 0; k < axis.taps; k++)
                    sum += axis.weights[i * axis.taps + k];
                CHECK(sum == axis.denominator);
            }
            dw_filter_axis_finish(&axis);
        }
}

static void test_choose_bin(void)
{
    static uint32_t histogram[DW_COVERAGE_BINS];
    static uint64_t passing[DW_COVERAGE_BINS];

    for (int round = 0; round < 40; round++) {
        uint64_t target, miss, least = UINT64_MAX;
        uint32_t bin;

        memset(histogram, 0, sizeof histogram);
        for (int i = 0; i < 500; i++)
            histogram[draw(DW_COVERAGE_BINS)] += draw(50);
        dw_coverage_suffix_sums(histogram, passing);
        target = draw(1000);
        bin = dw_coverage_choose_bin(passing, passing[0], target, 1000, draw(65536));
        CHECK(bin >= 1 && bin < DW_COVERAGE_BINS);
        for (int b = 1; b < DW_COVERAGE_BINS; b++) {
            miss = dw_coverage_miss(passing[b], passing[0], target, 1000);
            least = miss < least ? miss : least;
        }
        CHECK(dw_coverage_miss(passing[bin], passing[0], target, 1000) == least);
    }
}

static void fill_image(uint8_t *texels, int count, int bits)
{
    for (int i = 0; i < count; i++) {
        uint32_t alpha = draw(4) == 0 ? draw(256) : draw(2) * 255 * (draw(3) == 0);

        for (int c = 0; c < 4; c++) {
            uint32_t value = c < 3 ? draw(256) : alpha;

            if (bits == 8)
                texels[4 * i + c] = (uint8_t)value;
            else
                ((uint16_t *)(void *)texels)[4 * i + c] = (uint16_t)(value * 257);
        }
    }
}

/* A few disjoint rects: random cuts of the image, some pieces left out. */
static int draw_rects(int width, int height, dw_rect *rects)
{
    int count = 0, y = 0;

    while (y < height && count < 20) {
        int h = 1 + (int)draw((uint32_t)(height - y)), x = 0;

        while (x < width && count < 20) {
            int w = 1 + (int)draw((uint32_t)(width - x));

            if (draw(4) != 0)
                rects[count++] = (dw_rect) { x, y, w, h };
            x += w;
        }
        y += h;
    }
    if (count == 0)
        rects[count++] = (dw_rect) { 0, 0, width, height };
    return count;
}

static dw_atlas_def draw_def(void)
{
    dw_atlas_def def = dw_atlas_def_default();

    def.filter = (dw_mip_filter)draw((uint32_t)dw_registries[DW_REGISTRY_MIP_FILTER].count);
    def.fill = (dw_fill_mode)draw((uint32_t)dw_registries[DW_REGISTRY_FILL_MODE].count);
    def.coverage = (dw_coverage_mode)draw((uint32_t)dw_registries[DW_REGISTRY_COVERAGE_MODE].count);
    def.color_space = (dw_color_space)draw(2);
    def.cutoff_count = 1 + (int)draw(2);
    def.cutoffs[1] = 0.75;
    def.start_level = (int)draw(3);
    def.strength = draw(3) / 2.0;
    def.level_count = (int)draw(4);
    return def;
}

typedef struct baked {
    uint8_t *levels, *alpha;
    size_t texels;
} baked;

static baked bake(const dw_atlas_plan *plan, const dw_atlas_source *source, int threads,
                  uint8_t poison)
{
    dw_atlas_target target = { 0 };
    dw_run run = { .fraction_end = 1.0 };
    baked out = { 0 };
    size_t first = 0;
    dw_error err = { 0 };

    for (int n = 0; n < plan->write_count; n++)
        out.texels += (size_t)plan->level_width[n] * (size_t)plan->level_height[n];
    CHECK(DW_ALLOC(4 * out.texels, &out.levels, &err) == DW_OK);
    CHECK(DW_ALLOC(out.texels, &out.alpha, &err) == DW_OK);
    memset(out.levels, poison, 4 * out.texels);
    memset(out.alpha, poison, out.texels);
    for (int n = 0; n < plan->write_count; n++) {
        target.levels[n] = out.levels + 4 * first;
        target.alpha[n] = out.alpha + first;
        first += (size_t)plan->level_width[n] * (size_t)plan->level_height[n];
    }
    CHECK(dw_pool_create(threads, &run.pool, &err) == DW_OK);
    CHECK(dw_atlas_bake_native(plan, source, &target, &run, &err) == DW_OK);
    dw_pool_destroy(run.pool);
    return out;
}

static void free_baked(baked *one)
{
    dw_free(one->levels);
    dw_free(one->alpha);
}

static void test_random_atlas(void)
{
    int width = 1 + (int)draw(150), height = 1 + (int)draw(draw(3) == 0 ? 3 : 150);
    int bits = draw(2) == 0 ? 8 : 16, count;
    dw_atlas_def def = draw_def();
    dw_rect rects[20];
    dw_atlas_plan *plan = NULL;
    uint8_t *texels;
    dw_error err = { 0 };

    CHECK(DW_ALLOC((size_t)(4 * width * height * bits / 8), &texels, &err) == DW_OK);
    fill_image(texels, width * height, bits);
    dw_atlas_source source = { width, height, bits, texels };
    count = draw_rects(width, height, rects);
    def.gutter = (int)draw(4);
    if (dw_atlas_plan_create(&def, &source, rects, count, &plan, &err) != DW_OK) {
        CHECK(err.code == DW_ERROR_ARGUMENT && strstr(err.text, "gutter") != NULL);
        def.gutter = 0;
        CHECK(dw_atlas_plan_create(&def, &source, rects, count, &plan, &err) == DW_OK);
    }
    baked one = bake(plan, &source, 1, 0x11), two = bake(plan, &source, 3, 0xee);

    /* Different poison under both: equal bytes mean that every byte was written. */
    CHECK(memcmp(one.levels, two.levels, 4 * one.texels) == 0);
    CHECK(memcmp(one.alpha, two.alpha, one.texels) == 0);
    free_baked(&one);
    free_baked(&two);
    dw_atlas_plan_destroy(plan);
    dw_free(texels);
}

static void test_islands(void)
{
    enum { WIDTH = 61, HEIGHT = 47 };
    uint8_t alpha[WIDTH * HEIGHT];

    for (int round = 0; round < 50; round++) {
        dw_rect *rects;
        int count, reach = (int)draw(6);
        dw_error err;

        for (int i = 0; i < WIDTH * HEIGHT; i++)
            alpha[i] = draw(60) == 0;
        CHECK(dw_find_islands(alpha, WIDTH, HEIGHT, reach, &rects, &count, &err) == DW_OK);
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            int inside = 0;

            for (int k = 0; k < count; k++)
                inside += i % WIDTH >= rects[k].x && i % WIDTH < rects[k].x + rects[k].width &&
                          i / WIDTH >= rects[k].y && i / WIDTH < rects[k].y + rects[k].height;
            CHECK(inside <= 1 && (alpha[i] == 0 || inside == 1));
        }
        dw_free_islands(rects);
    }
}

static void test_resample(void)
{
    enum { WIDTH = 30, HEIGHT = 20 };
    uint8_t texels[4 * WIDTH * HEIGHT];
    uint16_t out[4 * 7 * 9];
    dw_atlas_source source = { WIDTH, HEIGHT, 8, texels };
    dw_rect rect = { 3, 2, 25, 17 };
    dw_run run = { 0 };
    dw_error err;

    for (int i = 0; i < WIDTH * HEIGHT; i++)
        memcpy(texels + 4 * i, (uint8_t[4]) { 10, 200, 30, 128 }, 4);
    CHECK(dw_image_resample_rects(&source, DW_COLOR_SPACE_SRGB, &rect, 1, 7, 9, &run, out, &err) ==
          DW_OK);
    for (int i = 0; i < 7 * 9; i++) {
        CHECK(dw_alpha_to_8(out[4 * i]) == 10 && dw_alpha_to_8(out[4 * i + 1]) == 200);
        CHECK(dw_alpha_to_8(out[4 * i + 2]) == 30 && out[4 * i + 3] == 128 * 257);
    }
}

int main(void)
{
    test_unpremultiply();
    test_round_trip();
    test_filter_axes();
    test_choose_bin();
    test_islands();
    test_resample();
    for (int i = 0; i < 150; i++)
        test_random_atlas();
    CHECK(dw_alloc_live_count() == 0);
    return 0;
}
