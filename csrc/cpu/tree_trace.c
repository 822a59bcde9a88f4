/* SPDX-License-Identifier: MIT */
#include "cpu/tree_trace.h"

#include "base/simd.h"
#include "cpu/tree_trace_one.h"
#include "cpu/tree_wide_walk.h"

#include <math.h>
#include <string.h>

#define DW_TRACE_CHUNK 64                      /* rays of one piece of work */
#define DW_TRACE_STACK (DW_TREE_DEPTH_MAX + 2) /* one child of each node of a way down */

typedef struct dw_trace_job {
    const dw_trace_scene *scene;
    const dw_trace_rays *rays;
    const dw_trace_hits *hits; /* NULL: occlusion alone */
    uint8_t *occluded;
    bool is_brute;
} dw_trace_job;

/* ---- triangles ---- */

static void take_triangle(const dw_trace_mesh *mesh, uint32_t triangle, float *corners, int lane)
{
    float found[9];

    dw_triangle_load(&mesh->vertices, mesh->tree->triangles[triangle].vertices, found);
    for (int i = 0; i < 9; i++)
        corners[i * DW_TRIANGLE_LANES + lane] = found[i];
}

DW_SIMD static void meet_sixteen(const dw_lane_ray *ray, const float *corners, dw_lane_hits *hits)
{
    dw_lane_hits_of(ray, corners, DW_TRIANGLE_LANES, DW_TRIANGLE_LANES, hits);
}

DW_SIMD static void meet_four(const dw_lane_ray *ray, const float *corners, dw_lane_hits *hits)
{
    dw_lane_hits_of(ray, corners, DW_TRIANGLE_LANES, DW_TREE_LEAF_MAX, hits);
}

/* At most as many as there are lanes; lanes without a triangle hold copies of the first. */
static void meet_triangles(dw_trace_one *one, uint32_t first, uint32_t count)
{
    uint32_t lanes = count <= DW_TREE_LEAF_MAX ? DW_TREE_LEAF_MAX : DW_TRIANGLE_LANES;
    float corners[9 * DW_TRIANGLE_LANES];
    dw_lane_hits hits;

    for (uint32_t i = 0; i < lanes; i++)
        take_triangle(one->mesh, first + (i < count ? i : 0), corners, (int)i);
    if (lanes == DW_TREE_LEAF_MAX)
        meet_four(&one->lanes, corners, &hits);
    else
        meet_sixteen(&one->lanes, corners, &hits);
    for (uint32_t i = 0; i < count; i++)
        if (hits.is_hit[i] != 0)
            dw_trace_offer(one, hits.t[i], hits.u[i], hits.v[i],
                           one->mesh->tree->triangles[first + i].primitive);
}

static void meet_all(dw_trace_one *one)
{
    uint32_t count = one->mesh->tree->shape.triangle_count;

    for (uint32_t i = 0; i < count; i += DW_TRIANGLE_LANES)
        meet_triangles(one, i, count - i < DW_TRIANGLE_LANES ? count - i : DW_TRIANGLE_LANES);
}

/* ---- the binary tree ---- */

typedef struct dw_trace_box {
    float begin, end; /* along the ray; begin > end: missed */
    uint32_t ref;
} dw_trace_box;

/* The second where the first is no number. */
static inline float greater(float a, float b)
{
    return a > b ? a : b;
}

static inline float lesser(float a, float b)
{
    return a < b ? a : b;
}

static inline dw_trace_box meet_planes(const dw_tree_walk *walk, const dw_tree_child *child)
{
    const uint32_t planes[3] = { child->x, child->y, child->z };
    dw_trace_box box = { -INFINITY, INFINITY, child->ref };

    for (uint32_t axis = 0; axis < 3; axis++) {
        box.begin = greater(dw_tree_walk_near(*walk, axis, planes[axis]), box.begin);
        box.end = lesser(dw_tree_walk_far(*walk, axis, planes[axis]), box.end);
    }
    return box;
}

static inline dw_trace_box meet_floats(const dw_tree_walk *walk, const dw_tree_ray *ray,
                                       const dw_tree_child_f32 *child)
{
    dw_trace_box box = { -INFINITY, INFINITY, child->ref };

    for (uint32_t axis = 0; axis < 3; axis++) {
        bool is_up = walk->inverse[axis] > 0.0f;
        float near = is_up ? child->low[axis] : child->high[axis];
        float far = is_up ? child->high[axis] : child->low[axis];

        box.begin =
            greater(dw_tree_walk_at(*walk, *ray, axis, near) - walk->widening[axis], box.begin);
        box.end = lesser(dw_tree_walk_at(*walk, *ray, axis, far) + walk->widening[axis], box.end);
    }
    return box;
}

static inline void meet_children(const dw_tree *tree, const dw_tree_ray *ray,
                                 const dw_tree_walk *walk, uint32_t node, dw_trace_box boxes[2])
{
    for (uint32_t side = 0; side < 2; side++) {
        size_t at = 2 * (size_t)node + side;

        if (tree->format == DW_NODE_FORMAT_F32)
            boxes[side] = meet_floats(walk, ray, (const dw_tree_child_f32 *)tree->nodes + at);
        else
            boxes[side] = meet_planes(walk, (const dw_tree_child *)tree->nodes + at);
    }
}

typedef void (*dw_leaf_fn)(dw_trace_one *one, void *user, uint32_t first, uint32_t count);

/* Nearer children first; a child waits on the stack with where its box begins. */
static void walk_binary(dw_trace_one *one, const dw_tree *tree, const dw_tree_ray *ray,
                        const dw_tree_walk *walk, dw_leaf_fn leaf, void *user)
{
    float begin = dw_tree_walk_begin(*walk, one->t_min), end = dw_tree_walk_end(*walk, one->t_max);
    dw_trace_box stack[DW_TRACE_STACK], boxes[2];
    int count = 0;

    stack[count++] = (dw_trace_box) { .begin = begin, .ref = 0 };
    while (count > 0) {
        dw_trace_box next = stack[--count];

        if (next.begin > end)
            continue;
        if (DW_TREE_IS_LEAF(next.ref)) {
            leaf(one, user, DW_TREE_LEAF_FIRST(next.ref), DW_TREE_LEAF_COUNT(next.ref));
            if (one->wants_any && one->is_found)
                return;
            end = dw_tree_walk_end(*walk, one->t_max);
            continue;
        }
        one->steps++;
        meet_children(tree, ray, walk, next.ref, boxes);
        for (int side = 0; side < 2; side++) {
            int other = boxes[0].begin <= boxes[1].begin ? 1 - side : side;
            const dw_trace_box *box = &boxes[other];

            if (box->ref != DW_TREE_NONE && !(box->begin > box->end) && !(box->begin > end) &&
                !(box->end < begin))
                stack[count++] = *box;
        }
    }
}

static void meet_leaf(dw_trace_one *one, void *user, uint32_t first, uint32_t count)
{
    (void)user;
    meet_triangles(one, first, count);
}

/* ---- instances ---- */

/* The world's ray in the space of an instance. */
static void transform_ray(dw_trace_one *one, const float m[12], float scale)
{
    const float *o = one->origin, *d = one->direction;
    float origin[3];

    for (int row = 0; row < 3; row++, m += 4) {
        origin[row] = dw_tree_transform(m[0], m[1], m[2], m[3], o[0], o[1], o[2], 1.0f);
        one->object_direction[row] =
            dw_tree_transform(m[0], m[1], m[2], m[3], d[0], d[1], d[2], 0.0f);
    }
    d = one->object_direction;
    one->ray = dw_tree_ray_of(origin[0], origin[1], origin[2], d[0], d[1], d[2], scale);
}

static void enter_instance(dw_trace_one *one, const dw_trace_job *job, uint32_t row)
{
    const dw_trace_instance *instance = &job->scene->instances[row];

    one->mesh = &job->scene->meshes[instance->mesh];
    one->id = (int32_t)instance->id;
    transform_ray(one, instance->to_object, one->mesh->tree->frame.scale);
}

static void meet_instance(dw_trace_one *one, const dw_trace_job *job, uint32_t row)
{
    dw_tree_walk walk;

    enter_instance(one, job, row);
    if (one->mesh->wide != NULL && !job->is_brute) {
        dw_wide_walk(one, 1, one->mesh->wide);
        return;
    }
    walk = dw_tree_walk_of(one->ray, one->mesh->tree->frame);
    if (walk.is_hitting == 0u)
        return;
    one->lanes = dw_lane_ray_of(&one->ray);
    if (job->is_brute)
        meet_all(one);
    else
        walk_binary(one, one->mesh->tree, &one->ray, &walk, meet_leaf, NULL);
}

static void meet_instances(dw_trace_one *one, void *user, uint32_t first, uint32_t count)
{
    const dw_trace_job *job = user;

    for (uint32_t i = 0; i < count; i++)
        meet_instance(one, job, job->scene->top->triangles[first + i].primitive);
}

static void walk_scene(dw_trace_one *one, dw_trace_job *job)
{
    const dw_trace_scene *scene = job->scene;
    const float *o = one->origin, *d = one->direction;
    dw_tree_ray ray;
    dw_tree_walk walk;

    if (scene->top == NULL || job->is_brute) {
        for (uint32_t i = 0; i < scene->instance_count; i++)
            meet_instance(one, job, i);
        return;
    }
    ray = dw_tree_ray_of(o[0], o[1], o[2], d[0], d[1], d[2], scene->top->frame.scale);
    walk = dw_tree_walk_of(ray, scene->top->frame);
    if (walk.is_hitting != 0u)
        walk_binary(one, scene->top, &ray, &walk, meet_instances, job);
}

/* The wide tree of a scene's only instance; NULL: there are more, or it has none. */
static const dw_wide_tree *only_wide(const dw_trace_job *job)
{
    const dw_trace_scene *scene = job->scene;

    return scene->instance_count == 1 && !job->is_brute
               ? scene->meshes[scene->instances[0].mesh].wide
               : NULL;
}

/* ---- rays ---- */

static void store_hit(const dw_trace_hits *hits, int64_t i, const dw_trace_one *one)
{
    if (hits->t != NULL)
        hits->t[i] = one->is_found ? one->t_max : INFINITY;
    if (hits->instance != NULL)
        hits->instance[i] = one->instance;
    if (hits->primitive != NULL)
        hits->primitive[i] = one->primitive;
    if (hits->u != NULL)
        hits->u[i] = one->u;
    if (hits->v != NULL)
        hits->v[i] = one->v;
    if (hits->steps != NULL)
        hits->steps[i] = one->steps;
}

/* Subnormals count as 0 before an instance scales them, as they do in the top level. */
static bool has_way(dw_trace_one *one)
{
    float size = 0.0f;

    for (int i = 0; i < 3; i++) {
        if (!dw_is_finite_bits(dw_bits_from_float(one->origin[i])) ||
            !dw_is_finite_bits(dw_bits_from_float(one->direction[i])))
            return false;
        one->origin[i] = dw_flush(one->origin[i]);
        one->direction[i] = dw_flush(one->direction[i]);
        size = greater(size, dw_tree_size(one->direction[i]));
    }
    return size > 0.0f;
}

static bool begin_ray(const dw_trace_job *job, int64_t i, dw_trace_one *one)
{
    const float *o = job->rays->origins + 3 * i, *d = job->rays->directions + 3 * i;

    memcpy(one->origin, o, sizeof one->origin);
    memcpy(one->direction, d, sizeof one->direction);
    one->t_min = job->rays->t_min;
    one->t_max = job->rays->t_max;
    one->u = one->v = 0.0f;
    one->instance = one->primitive = -1;
    one->is_found = false;
    one->wants_any = job->hits == NULL;
    one->steps = 0;
    return has_way(one);
}

static void end_ray(const dw_trace_job *job, int64_t i, const dw_trace_one *one)
{
    if (job->hits != NULL)
        store_hit(job->hits, i, one);
    else
        job->occluded[i] = one->is_found ? 1 : 0;
}

static void trace_chunk(void *user, int64_t item, int worker)
{
    dw_trace_job *job = user;
    const dw_wide_tree *wide = only_wide(job);
    int64_t first = item * DW_TRACE_CHUNK, left = job->rays->count - first;
    int count = left < DW_TRACE_CHUNK ? (int)left : DW_TRACE_CHUNK;
    dw_trace_one ones[DW_TRACE_CHUNK];

    (void)worker;
    for (int i = 0; i < count; i++) {
        bool has_begun = begin_ray(job, first + i, &ones[i]);

        if (wide != NULL)
            enter_instance(&ones[i], job, 0); /* which a ray without a way misses */
        else if (has_begun)
            walk_scene(&ones[i], job);
    }
    if (wide != NULL)
        dw_wide_walk(ones, (uint32_t)count, wide);
    for (int i = 0; i < count; i++)
        end_ray(job, first + i, &ones[i]);
}

static dw_status trace_all(dw_trace_job *job, const dw_run *run, dw_error *err)
{
    return dw_parallel_for(run, (job->rays->count + DW_TRACE_CHUNK - 1) / DW_TRACE_CHUNK,
                           trace_chunk, job, err);
}

dw_status dw_trace(const dw_trace_scene *scene, const dw_trace_rays *rays,
                   const dw_trace_hits *hits, const dw_run *run, dw_error *err)
{
    dw_trace_job job = { .scene = scene, .rays = rays, .hits = hits };

    return trace_all(&job, run, err);
}

dw_status dw_trace_occluded(const dw_trace_scene *scene, const dw_trace_rays *rays, uint8_t *out,
                            const dw_run *run, dw_error *err)
{
    dw_trace_job job = { .scene = scene, .rays = rays, .occluded = out };

    return trace_all(&job, run, err);
}

dw_status dw_trace_without_tree(const dw_trace_scene *scene, const dw_trace_rays *rays,
                                const dw_trace_hits *hits, const dw_run *run, dw_error *err)
{
    dw_trace_job job = { .scene = scene, .rays = rays, .hits = hits, .is_brute = true };

    return trace_all(&job, run, err);
}
