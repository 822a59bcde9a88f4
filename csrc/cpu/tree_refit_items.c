/* SPDX-License-Identifier: MIT */
#include "cpu/tree_refit.h"

#include "base/simd.h"
#include "cpu/tree_prepare.h"

#include <string.h>

#if !defined(DW_SCALAR_ONLY) && defined(__SSE2__)
#define DW_REFIT_SSE2 1
#include <emmintrin.h>
#endif

#define DW_REFIT_AHEAD 24 /* triangles whose vertices are asked for before they are needed */

static inline const float *vertex_at(const dw_tree_vertices *vertices, uint32_t vertex)
{
    return vertices->data + (size_t)vertex * vertices->stride;
}

static bool point_is_in_range(const float *point)
{
    return dw_tree_in_range(dw_bits_from_float(point[0])) &&
           dw_tree_in_range(dw_bits_from_float(point[1])) &&
           dw_tree_in_range(dw_bits_from_float(point[2]));
}

bool dw_refit_is_active(const dw_tree *tree, const dw_tree_pose *pose, uint32_t item)
{
    const dw_tree_triangle *triangle = &tree->triangles[item];

    if (tree->is_over_boxes)
        return dw_tree_box_is_active(pose->boxes + (size_t)triangle->primitive * 6);
    return point_is_in_range(vertex_at(&pose->vertices, triangle->vertices[0])) &&
           point_is_in_range(vertex_at(&pose->vertices, triangle->vertices[1])) &&
           point_is_in_range(vertex_at(&pose->vertices, triangle->vertices[2]));
}

/* Minima and maxima of three points, as coordinates. */
static inline bool box_points(const float *a, const float *b, const float *c, float low[4],
                              float high[4])
{
    for (int axis = 0; axis < 3; axis++) {
        float x = dw_tree_coordinate(dw_bits_from_float(a[axis]));
        float y = dw_tree_coordinate(dw_bits_from_float(b[axis]));
        float z = dw_tree_coordinate(dw_bits_from_float(c[axis]));

        low[axis] = x < y ? x : y;
        low[axis] = low[axis] < z ? low[axis] : z;
        high[axis] = x > y ? x : y;
        high[axis] = high[axis] > z ? high[axis] : z;
    }
    low[3] = high[3] = 0.0f;
    return point_is_in_range(a) && point_is_in_range(b) && point_is_in_range(c);
}

static bool box_boxes(const dw_tree_triangle *items, uint32_t count, const float *boxes,
                      dw_refit_items *out)
{
    bool is_active = true;

    for (uint32_t i = 0; i < count; i++) {
        const float *box = boxes + (size_t)items[i].primitive * 6;

        is_active = dw_tree_box_is_active(box) && is_active;
        box_points(box, box + 3, box + 3, out->low[i], out->high[i]);
    }
    return is_active;
}

#ifdef DW_REFIT_SSE2
/* Three floats of a vertex and one of what follows. */
static inline __m128 load_vertex(const dw_tree_vertices *vertices, const float *last,
                                 uint32_t vertex)
{
    return _mm_loadu_ps(vertex == vertices->count - 1u ? last : vertex_at(vertices, vertex));
}

/* Subnormals and -0 become 0: what has no exponent. */
static inline __m128 coordinates_of(__m128 x)
{
    __m128i exponents = _mm_and_si128(_mm_castps_si128(x), _mm_set1_epi32(0x7f800000));
    __m128i is_zero = _mm_cmpeq_epi32(exponents, _mm_setzero_si128());

    return _mm_andnot_ps(_mm_castsi128_ps(is_zero), x);
}

static inline __m128i outside_of(__m128 x)
{
    __m128i sizes = _mm_and_si128(_mm_castps_si128(x), _mm_set1_epi32(0x7fffffff));

    return _mm_cmpgt_epi32(sizes, _mm_set1_epi32(0x5d800000));
}

/* Rounding to coordinates keeps the order, so that it may come last. */
static bool box_triangles(const dw_tree_triangle *triangles, uint32_t count, uint32_t ahead,
                          const dw_tree_vertices *vertices, dw_refit_items *out)
{
    __m128i outside = _mm_setzero_si128();
    float last[4] = { 0.0f };

    if (count > 0)
        memcpy(last, vertex_at(vertices, vertices->count - 1u), 3 * sizeof(float));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *rows = triangles[i].vertices;
        __m128 a = load_vertex(vertices, last, rows[0]), b = load_vertex(vertices, last, rows[1]);
        __m128 c = load_vertex(vertices, last, rows[2]);

        if (i < ahead)
            for (int corner = 0; corner < 3; corner++)
                DW_PREFETCH(vertex_at(vertices, triangles[i + DW_REFIT_AHEAD].vertices[corner]));
        outside = _mm_or_si128(_mm_or_si128(outside, outside_of(a)),
                               _mm_or_si128(outside_of(b), outside_of(c)));
        _mm_storeu_ps(out->low[i], coordinates_of(_mm_min_ps(_mm_min_ps(a, b), c)));
        _mm_storeu_ps(out->high[i], coordinates_of(_mm_max_ps(_mm_max_ps(a, b), c)));
    }
    return (_mm_movemask_ps(_mm_castsi128_ps(outside)) & 7) == 0;
}
#else
static bool box_triangles(const dw_tree_triangle *triangles, uint32_t count, uint32_t ahead,
                          const dw_tree_vertices *vertices, dw_refit_items *out)
{
    bool is_active = true;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *rows = triangles[i].vertices;

        if (i < ahead)
            for (int corner = 0; corner < 3; corner++)
                DW_PREFETCH(vertex_at(vertices, triangles[i + DW_REFIT_AHEAD].vertices[corner]));
        is_active = box_points(vertex_at(vertices, rows[0]), vertex_at(vertices, rows[1]),
                               vertex_at(vertices, rows[2]), out->low[i], out->high[i]) &&
                    is_active;
    }
    return is_active;
}
#endif

bool dw_refit_box_items(const dw_tree *tree, const dw_tree_pose *pose,
                        const dw_tree_treelet *treelet, dw_refit_items *out)
{
    const dw_tree_triangle *items = tree->triangles + treelet->first_triangle;
    uint32_t count = treelet->triangle_count;
    uint32_t left = tree->shape.triangle_count - treelet->first_triangle;
    bool is_active =
        tree->is_over_boxes
            ? box_boxes(items, count, pose->boxes, out)
            : box_triangles(items, count, left > DW_REFIT_AHEAD ? left - DW_REFIT_AHEAD : 0,
                            &pose->vertices, out);

    for (uint32_t i = count; i % (DW_REFIT_LANES / 4) != 0; i++) {
        memset(out->low[i], 0, sizeof out->low[i]);
        memset(out->high[i], 0, sizeof out->high[i]);
    }
    return is_active;
}
