/* SPDX-License-Identifier: MIT */
#include "cpu/tree_wide_walk.h"

#include "base/simd.h"

#include <float.h>

#if !defined(DW_SCALAR_ONLY) && defined(__GNUC__) && defined(__x86_64__)
#define DW_WIDE_AVX2 1
#include <immintrin.h>
#endif

/* What of a walk all nodes share: the numbers of dw_tree_walk, by divisions where shaders must not
 * divide. Fourth lanes are there for whole vectors. */
typedef struct dw_wide_ray {
    float factor[4], near[4], far[4];
    uint32_t near_row[4], far_row[4]; /* of a node's planes */
    float per_t, slack;
    float begin, end;
} dw_wide_ray;

#define DW_INVERSE_MOST 67108864.0f /* 2^26: of a slope */
#define DW_WIDE_TURNS   8           /* rays on their way together */
#define DW_ALIKE        0.125f /* how far directions and origins, in units of the mesh, may part */

/* The second where the first is no number. */
static inline float greater(float a, float b)
{
    return a > b ? a : b;
}

static inline float lesser(float a, float b)
{
    return a < b ? a : b;
}

static inline float end_at(const dw_wide_ray *ray, float t)
{
    float way = t * ray->per_t;

    return ray->per_t == 0.0f ? FLT_MAX : way + dw_tree_size(way) * 0x1p-20f + ray->slack;
}

static inline float begin_at(const dw_wide_ray *ray, float t)
{
    float way = t * ray->per_t;

    return ray->per_t == 0.0f ? -FLT_MAX : way - dw_tree_size(way) * 0x1p-20f - ray->slack;
}

/* False when the ray hits nothing. */
static DW_ALWAYS_INLINE bool make_ray(const dw_trace_one *one, const dw_tree_frame *frame,
                                      dw_wide_ray *ray)
{
    float inverse[4], offset[4], reach[4], place[4], pad, farthest, largest;
    float along, size = dw_tree_size(one->ray.t_scale);

    if (one->ray.axis == 3u || size == 0.0f || frame->is_empty != 0u)
        return false;
    along = dw_tree_size(one->object_direction[one->ray.axis]);
    for (int i = 0; i < 4; i++) {
        int axis = i < 3 ? i : 0;
        float unit = frame->step[axis] * frame->scale, extent = 65535.0f * unit;
        float from = frame->origin[axis] * frame->scale;
        float slope_inverse = along / dw_flush(one->object_direction[axis]);

        inverse[i] = greater(lesser(slope_inverse, DW_INVERSE_MOST), -DW_INVERSE_MOST);
        offset[i] = (frame->origin[axis] - one->ray.origin[axis]) * frame->scale;
        reach[i] = greater(dw_tree_size(offset[i]), dw_tree_size(offset[i] + extent));
        place[i] = greater(dw_tree_size(from), dw_tree_size(from + extent));
        ray->factor[i] = unit * inverse[i];
    }
    farthest = greater(greater(reach[0], reach[1]), reach[2]);
    largest = greater(greater(place[0], place[1]), place[2]);
    if (!(farthest <= FLT_MAX))
        return false;
    pad = farthest * DW_TREE_WALK_PAD + largest * DW_TREE_PLANE_PAD;
    for (uint32_t i = 0; i < 4; i++) {
        float from = offset[i] * inverse[i], widening = pad * dw_tree_size(inverse[i]);
        uint32_t is_down = inverse[i] < 0.0f ? 1u : 0u;

        ray->near[i] = from - widening;
        ray->far[i] = from + widening;
        ray->near_row[i] = 2 * i + is_down;
        ray->far_row[i] = 2 * i + 1 - is_down;
    }
    ray->slack = pad * 4.0f;
    ray->per_t = size > 0x1p-100f && size < 0x1p100f ? 1.0f / size : 0.0f;
    ray->begin = begin_at(ray, one->t_min);
    ray->end = end_at(ray, one->t_max);
    return true;
}

/* The lowest bit that is set, of a number that is not 0. */
static inline uint32_t lowest_bit(uint32_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctz(bits);
#else
    uint32_t at = 0;

    while ((bits >> at & 1u) == 0u)
        at++;
    return at;
#endif
}

/* A box that waits: where it begins along the ray, as a float's bits, over its ref. As a number it
 * grows with the distance; in what order boxes behind the origin come is of no matter. */
typedef int64_t dw_wide_entry;

static inline dw_wide_entry make_entry(float begin, uint32_t ref)
{
    return (dw_wide_entry)((uint64_t)dw_bits_from_float(begin) << 32 | ref);
}

static inline float entry_begin(dw_wide_entry entry)
{
    return dw_float_from_bits((uint32_t)((uint64_t)entry >> 32));
}

/* Boxes that the ray meets, a bit each, and where they begin. */
typedef uint32_t (*dw_meet_node_fn)(const dw_wide_ray *ray, const dw_wide_node *node,
                                    float begins[DW_WIDE_CHILDREN]);

/* Triangles that the ray meets, a bit each, and their hits. */
typedef uint32_t (*dw_meet_block_fn)(const dw_lane_ray *ray, const dw_wide_block *block,
                                     dw_lane_hits *hits);

/* What the walk comes to soon. */
static inline void prefetch_child(const dw_wide_tree *wide, uint32_t ref)
{
    const char *place = DW_TREE_IS_LEAF(ref) ? (const char *)&wide->blocks[ref & ~DW_TREE_LEAF]
                                             : (const char *)&wide->nodes[ref];

    DW_PREFETCH(place);
    DW_PREFETCH(place + 64);
    if (DW_TREE_IS_LEAF(ref))
        DW_PREFETCH(place + 128);
}

/* Pushes what was met, the nearest last; the new number of entries. */
static inline int push_children(const dw_wide_tree *wide, const dw_wide_node *node, uint32_t met,
                                const float begins[DW_WIDE_CHILDREN], dw_wide_entry *stack,
                                int count)
{
    int bottom = count;

    for (; met != 0; met &= met - 1) {
        uint32_t lane = lowest_bit(met), ref = node->refs[lane];
        dw_wide_entry entry = make_entry(begins[lane], ref);
        int at = count++;

        prefetch_child(wide, ref);
        for (; at > bottom && stack[at - 1] < entry; at--)
            stack[at] = stack[at - 1];
        stack[at] = entry;
    }
    return count;
}

static inline void offer_hits(dw_trace_one *one, const dw_wide_block *block, uint32_t met,
                              const dw_lane_hits *hits)
{
    for (; met != 0; met &= met - 1) {
        uint32_t lane = lowest_bit(met);

        dw_trace_offer(one, hits->t[lane], hits->u[lane], hits->v[lane], block->primitives[lane]);
    }
}

/* A ray that is on its way, and the boxes that it has yet to look into. */
typedef struct dw_wide_walker {
    dw_trace_one *one;
    dw_wide_ray ray;
    int count;
    dw_wide_entry stack[DW_WIDE_STACK];
} dw_wide_walker;

/* False for a ray that hits nothing. */
static DW_ALWAYS_INLINE bool begin_walk(dw_wide_walker *walker, dw_trace_one *one)
{
    walker->one = one;
    if (!make_ray(one, &one->mesh->tree->frame, &walker->ray))
        return false;
    one->lanes = dw_lane_ray_of(&one->ray);
    walker->stack[0] = make_entry(walker->ray.begin, 0);
    walker->count = 1;
    return true;
}

/* Looks into the nearest box that is left: a node, or a block of triangles. False at the end. */
static DW_ALWAYS_INLINE bool step_walk(dw_wide_walker *walker, const dw_wide_tree *wide,
                                       dw_meet_node_fn meet_node, dw_meet_block_fn meet_block)
{
    dw_trace_one *one = walker->one;
    int count = walker->count;
    dw_wide_entry next;
    uint32_t ref, met;

    do {
        if (count == 0)
            return false;
        next = walker->stack[--count];
    } while (entry_begin(next) > walker->ray.end);
    ref = (uint32_t)next;
    if (DW_TREE_IS_LEAF(ref)) {
        const dw_wide_block *block = &wide->blocks[ref & ~DW_TREE_LEAF];
        dw_lane_hits hits;

        met = meet_block(&one->lanes, block, &hits);
        if (met != 0) {
            offer_hits(one, block, met, &hits);
            if (one->wants_any && one->is_found)
                return false;
            walker->ray.end = end_at(&walker->ray, one->t_max);
        }
    } else {
        const dw_wide_node *node = &wide->nodes[ref];
        float begins[DW_WIDE_CHILDREN];

        one->steps++;
        met = meet_node(&walker->ray, node, begins);
        count = push_children(wide, node, met, begins, walker->stack, count);
    }
    walker->count = count;
    return true;
}

/* Whether rays go about the same way, so that one finds in the caches what another needed. */
static bool are_alike(const dw_trace_one *ones, uint32_t count)
{
    const dw_tree_ray *first = &ones[0].ray;

    for (uint32_t i = 1; i < count; i++) {
        const dw_tree_ray *ray = &ones[i].ray;
        float apart = greater(dw_tree_size(ray->shear_x - first->shear_x),
                              dw_tree_size(ray->shear_y - first->shear_y));

        for (int axis = 0; axis < 3; axis++)
            apart = greater(dw_tree_size((ray->origin[axis] - first->origin[axis]) * ray->scale),
                            apart);
        if (ray->axis != first->axis || !(apart < DW_ALIKE))
            return false;
    }
    return true;
}

/* Rays that go the same way walk one by one. Those that go apart take turns, a box each: while one
 * waits for memory, the others walk. A ray that is done makes room for the next one. Inlined into
 * its users with their instructions. */
static DW_ALWAYS_INLINE void walk_wide(dw_trace_one *ones, uint32_t count, const dw_wide_tree *wide,
                                       dw_meet_node_fn meet_node, dw_meet_block_fn meet_block)
{
    dw_wide_walker walkers[DW_WIDE_TURNS], *turns[DW_WIDE_TURNS];
    uint32_t active = 0, next = 0;

    if (are_alike(ones, count)) {
        for (; next < count; next++)
            if (begin_walk(&walkers[0], &ones[next]))
                while (step_walk(&walkers[0], wide, meet_node, meet_block))
                    continue;
        return;
    }
    while (active < DW_WIDE_TURNS && next < count)
        if (begin_walk(&walkers[active], &ones[next++])) {
            turns[active] = &walkers[active];
            active++;
        }
    while (active > 0)
        for (uint32_t i = 0; i < active;) {
            if (step_walk(turns[i], wide, meet_node, meet_block)) {
                i++;
                continue;
            }
            while (next < count && !begin_walk(turns[i], &ones[next]))
                next++;
            if (next++ < count)
                i++;
            else
                turns[i] = turns[--active];
        }
}

/* ---- loops ---- */

static uint32_t meet_node_plain(const dw_wide_ray *ray, const dw_wide_node *node,
                                float begins[DW_WIDE_CHILDREN])
{
    uint32_t met = 0;

    for (uint32_t i = 0; i < DW_WIDE_CHILDREN; i++) {
        float begin = ray->begin, end = ray->end;

        for (uint32_t axis = 0; axis < 3; axis++) {
            float near = (float)node->planes[ray->near_row[axis]][i];
            float far = (float)node->planes[ray->far_row[axis]][i];

            begin = greater(near * ray->factor[axis] + ray->near[axis], begin);
            end = lesser(far * ray->factor[axis] + ray->far[axis], end);
        }
        begins[i] = begin;
        if (begin <= end && node->refs[i] != DW_TREE_NONE)
            met |= 1u << i;
    }
    return met;
}

static uint32_t meet_block_plain(const dw_lane_ray *ray, const dw_wide_block *block,
                                 dw_lane_hits *hits)
{
    uint32_t met = 0;

    dw_lane_hits_of(ray, block->corners[0], DW_TREE_LEAF_MAX, DW_TREE_LEAF_MAX, hits);
    for (uint32_t i = 0; i < DW_TREE_LEAF_MAX; i++)
        met |= (uint32_t)hits->is_hit[i] << i;
    return met;
}

static void walk_plain(dw_trace_one *ones, uint32_t count, const dw_wide_tree *wide)
{
    walk_wide(ones, count, wide, meet_node_plain, meet_block_plain);
}

/* ---- AVX2 ---- */

#ifdef DW_WIDE_AVX2
#define DW_AVX2 __attribute__((target("avx2,fma")))

DW_AVX2 static inline __m256 plane_at(const dw_wide_node *node, uint32_t row, float factor,
                                      float offset)
{
    __m128i planes = _mm_load_si128((const __m128i *)node->planes[row]);
    __m256 q = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(planes));

    return _mm256_fmadd_ps(q, _mm256_set1_ps(factor), _mm256_set1_ps(offset));
}

DW_AVX2 static inline uint32_t meet_node_avx2(const dw_wide_ray *ray, const dw_wide_node *node,
                                              float begins[DW_WIDE_CHILDREN])
{
    __m256 begin = _mm256_set1_ps(ray->begin), end = _mm256_set1_ps(ray->end);
    __m256i none =
        _mm256_cmpeq_epi32(_mm256_load_si256((const __m256i *)node->refs), _mm256_set1_epi32(-1));
    __m256 met;

    for (int axis = 0; axis < 3; axis++) {
        begin = _mm256_max_ps(
            plane_at(node, ray->near_row[axis], ray->factor[axis], ray->near[axis]), begin);
        end = _mm256_min_ps(plane_at(node, ray->far_row[axis], ray->factor[axis], ray->far[axis]),
                            end);
    }
    _mm256_storeu_ps(begins, begin);
    met = _mm256_andnot_ps(_mm256_castsi256_ps(none), _mm256_cmp_ps(begin, end, _CMP_LE_OQ));
    return (uint32_t)_mm256_movemask_ps(met);
}

DW_AVX2 static inline __m128 offset4(const float *x, float origin, float scale)
{
    return _mm_mul_ps(_mm_sub_ps(_mm_load_ps(x), _mm_set1_ps(origin)), _mm_set1_ps(scale));
}

DW_AVX2 static inline __m128 shear4(__m128 across, float shear, __m128 along)
{
    return _mm_add_ps(across, _mm_mul_ps(_mm_set1_ps(shear), along));
}

DW_AVX2 static inline __m128 edge4(__m128 ax, __m128 ay, __m128 bx, __m128 by)
{
    return _mm_sub_ps(_mm_mul_ps(ax, by), _mm_mul_ps(ay, bx));
}

/* dw_inverse. */
DW_AVX2 static inline __m128 reciprocal4(__m128 x)
{
    __m128 sign = _mm_set1_ps(-0.0f), two = _mm_set1_ps(2.0f);
    __m128 most = _mm_andnot_ps(sign, x);
    __m128 guess =
        _mm_castsi128_ps(_mm_sub_epi32(_mm_set1_epi32(0x7ef311c7), _mm_castps_si128(most)));

    for (int i = 0; i < 3; i++)
        guess = _mm_mul_ps(guess, _mm_sub_ps(two, _mm_mul_ps(most, guess)));
    return _mm_or_ps(guess, _mm_and_ps(sign, x));
}

/* dw_tree_ray_hit, step by step. Most blocks are done with at the first mask. */
DW_AVX2 static inline uint32_t meet_block_avx2(const dw_lane_ray *ray, const dw_wide_block *block,
                                               dw_lane_hits *hits)
{
    const float(*x)[4] = block->corners + ray->axis[0], (*y)[4] = block->corners + ray->axis[1];
    const float(*z)[4] = block->corners + ray->axis[2];
    const float *o = ray->origin;
    __m128 a_z = offset4(z[0], o[2], ray->scale), b_z = offset4(z[3], o[2], ray->scale);
    __m128 c_z = offset4(z[6], o[2], ray->scale);
    __m128 a_x = shear4(offset4(x[0], o[0], ray->scale), ray->shear_x, a_z);
    __m128 b_x = shear4(offset4(x[3], o[0], ray->scale), ray->shear_x, b_z);
    __m128 c_x = shear4(offset4(x[6], o[0], ray->scale), ray->shear_x, c_z);
    __m128 a_y = shear4(offset4(y[0], o[1], ray->scale), ray->shear_y, a_z);
    __m128 b_y = shear4(offset4(y[3], o[1], ray->scale), ray->shear_y, b_z);
    __m128 c_y = shear4(offset4(y[6], o[1], ray->scale), ray->shear_y, c_z);
    __m128 u = edge4(c_x, c_y, b_x, b_y), v = edge4(a_x, a_y, c_x, c_y);
    __m128 w = edge4(b_x, b_y, a_x, a_y), zero = _mm_setzero_ps();
    __m128 least = _mm_min_ps(_mm_min_ps(u, v), w), most = _mm_max_ps(_mm_max_ps(u, v), w);
    __m128 area = _mm_add_ps(_mm_add_ps(u, v), w), inverse, t;
    __m128i size = _mm_and_si128(_mm_castps_si128(area), _mm_set1_epi32(0x7fffffff)), bits;
    __m128 miss = _mm_and_ps(_mm_cmplt_ps(least, zero), _mm_cmpgt_ps(most, zero));
    __m128i out = _mm_or_si128(_mm_cmplt_epi32(size, _mm_set1_epi32(0x05000000)),
                               _mm_cmpgt_epi32(size, _mm_set1_epi32(0x7a000000)));
    uint32_t met = ~(uint32_t)_mm_movemask_ps(_mm_or_ps(miss, _mm_castsi128_ps(out))) & 15u;

    if (met == 0)
        return 0;
    inverse = reciprocal4(area);
    u = _mm_mul_ps(u, inverse);
    v = _mm_mul_ps(v, inverse);
    w = _mm_mul_ps(w, inverse);
    t = _mm_add_ps(_mm_add_ps(_mm_mul_ps(u, a_z), _mm_mul_ps(v, b_z)), _mm_mul_ps(w, c_z));
    t = _mm_mul_ps(t, _mm_set1_ps(ray->t_scale));
    bits = _mm_and_si128(_mm_castps_si128(t), _mm_set1_epi32(0x7f800000));
    _mm_storeu_ps(hits->t, t);
    _mm_storeu_ps(hits->u, v);
    _mm_storeu_ps(hits->v, w);
    return met & ~(uint32_t)_mm_movemask_ps(
                     _mm_castsi128_ps(_mm_cmpeq_epi32(bits, _mm_set1_epi32(0x7f800000))));
}

DW_AVX2 static void walk_avx2(dw_trace_one *ones, uint32_t count, const dw_wide_tree *wide)
{
    walk_wide(ones, count, wide, meet_node_avx2, meet_block_avx2);
}
#endif

void dw_wide_walk(dw_trace_one *ones, uint32_t count, const dw_wide_tree *wide)
{
#ifdef DW_WIDE_AVX2
    if (!wide->is_plain && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        walk_avx2(ones, count, wide);
        return;
    }
#endif
    walk_plain(ones, count, wide);
}
