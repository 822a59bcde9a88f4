/* SPDX-License-Identifier: MIT */
/* Boxes of a tree from a pose: treelets of level 0 side by side, then the levels above. Inside a
 * treelet all triangles are boxed at once, then nodes are swept from the last to the first, so that
 * children are done before their parents. */
#include "cpu/tree_refit.h"

#include "base/alloc.h"
#include "base/simd.h"
#include "cpu/tree_prepare.h"
#include "shared/tree_build.h"

#include <float.h>
#include <string.h>

#define DW_REFIT_TREELETS 16 /* of one piece of work */

/* Boxes whose union is the least of each lane: high planes are complemented, high floats are
 * negated. Triangles first, then nodes. */
typedef union dw_plane_box {
    uint16_t lane[8]; /* x low, x high, y .., z .., 0, 0 */
    uint32_t word[4];
} dw_plane_box;

typedef struct dw_float_box {
    float lane[8]; /* low x y z, 0, high x y z, 0 */
} dw_float_box;

/* The grid, once for each lane of a vector of boxes. */
typedef struct dw_lane_grid {
    float origin[DW_REFIT_LANES], step[DW_REFIT_LANES], inverse[DW_REFIT_LANES];
} dw_lane_grid;

typedef struct dw_refit_job {
    dw_tree *tree;
    const dw_tree_pose *pose;
    dw_tree_frame frame;
    dw_lane_grid grid;       /* of the frame */
    bool is_partial;         /* treelets of level 0 without a dirty vertex stay */
    bool is_lowest;          /* this level is level 0 */
    uint32_t first, end;     /* treelets of this level */
    dw_refit_totals *totals; /* by worker; NULL: no sums */
} dw_refit_job;

/* ---- boxes of triangles ---- */

static inline int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t most(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

#define DW_LAST_PLANE 0x477fff00 /* 65535 as a float */

/* dw_tree_plane_below without branches, which compilers would not turn into vectors. Flushing
 * changes nothing: steps are 2^-100 or more. */
static inline int32_t plane_below(float x, float origin, float step, float inverse)
{
    float offset = x - origin;
    float steps = offset * inverse;
    int32_t inside = least(most((int32_t)dw_bits_from_float(steps), 0), DW_LAST_PLANE);
    int32_t q = (int32_t)dw_float_from_bits((uint32_t)inside);
    float here = origin + (float)q * step;
    float next = origin + (float)(q + 1) * step;

    q += (int32_t)(next <= x) - (int32_t)(here > x);
    return most(0, least(q, 65535));
}

static dw_lane_grid spread_grid(const dw_tree_frame *frame)
{
    dw_lane_grid grid;

    for (int i = 0; i < DW_REFIT_LANES; i++) {
        int axis = i % 4 < 3 ? i % 4 : 0;

        grid.origin[i] = frame->origin[axis];
        grid.step[i] = frame->step[axis];
        grid.inverse[i] = frame->inverse[axis];
    }
    return grid;
}

/* Planes of a vector of boxes, the high ones complemented. */
static inline void quantize_lanes(const float *restrict lows, const float *restrict highs,
                                  const dw_lane_grid *restrict grid, uint32_t *restrict words)
{
    for (int i = 0; i < DW_REFIT_LANES; i++) {
        float origin = grid->origin[i], step = grid->step[i], inverse = grid->inverse[i];
        int32_t low = plane_below(lows[i], origin, step, inverse);
        int32_t high = plane_below(highs[i], origin, step, inverse);
        float here = origin + (float)high * step;

        high = least(high + (int32_t)(here < highs[i]), 65535);
        words[i] = (uint32_t)(low | (65535 - high) << 16);
    }
}

DW_SIMD static void quantize(const float *lows, const float *highs, uint32_t vectors,
                             const dw_lane_grid *grid, uint32_t *words)
{
    for (; vectors > 0; vectors--) {
        quantize_lanes(lows, highs, grid, words);
        lows += DW_REFIT_LANES;
        highs += DW_REFIT_LANES;
        words += DW_REFIT_LANES;
    }
}

/* ---- nodes ---- */

static const dw_plane_box no_planes = { .lane = { 65535, 65535, 65535, 65535, 65535, 65535 } };
static const dw_float_box no_floats = { .lane = { FLT_MAX, FLT_MAX, FLT_MAX, 0.0f, FLT_MAX, FLT_MAX,
                                                  FLT_MAX, 0.0f } };

static inline void join_planes(dw_plane_box *out, const dw_plane_box *a, const dw_plane_box *b)
{
    for (int i = 0; i < 8; i++)
        out->lane[i] = a->lane[i] < b->lane[i] ? a->lane[i] : b->lane[i];
}

static inline void join_floats(dw_float_box *out, const dw_float_box *a, const dw_float_box *b)
{
    for (int i = 0; i < 8; i++)
        out->lane[i] = a->lane[i] < b->lane[i] ? a->lane[i] : b->lane[i];
}

static inline dw_plane_box planes_of_child(const dw_tree_child *child)
{
    return (dw_plane_box) { .word = { child->x ^ 0xffff0000u, child->y ^ 0xffff0000u,
                                      child->z ^ 0xffff0000u, 0u } };
}

static inline dw_float_box floats_of_child(const dw_tree_child_f32 *child)
{
    return (dw_float_box) { .lane = { child->low[0], child->low[1], child->low[2], 0.0f,
                                      -child->high[0], -child->high[1], -child->high[2], 0.0f } };
}

/* Where in a treelet's boxes those of a child begin, without branches: triangles, then nodes. A
 * node of another treelet and no child are beyond them all. */
static inline uint32_t place_of(const dw_tree_treelet *treelet, uint32_t ref)
{
    uint32_t node = ref - treelet->first_node + DW_TREE_TREELET;
    uint32_t triangle = DW_TREE_LEAF_FIRST(ref) - treelet->first_triangle;
    uint32_t is_leaf = 0u - (ref >> 31);

    return node ^ ((node ^ triangle) & is_leaf);
}

static inline uint32_t at_most(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void join_far_planes(dw_tree_child (*nodes)[2], uint32_t ref, dw_plane_box *out)
{
    dw_plane_box left, right;

    *out = no_planes;
    if (ref == DW_TREE_NONE)
        return;
    left = planes_of_child(&nodes[ref][0]);
    right = planes_of_child(&nodes[ref][1]);
    join_planes(out, &left, &right);
}

static inline void store_planes(dw_tree_child *child, const dw_plane_box *box)
{
    child->x = box->word[0] ^ 0xffff0000u;
    child->y = box->word[1] ^ 0xffff0000u;
    child->z = box->word[2] ^ 0xffff0000u;
}

/* A leaf's boxes are four at most; those that it lacks are looked at as its last. */
DW_SIMD static void sweep_planes(dw_tree_child (*nodes)[2], const dw_tree_treelet *treelet,
                                 dw_plane_box *restrict boxes)
{
    uint32_t place_end = DW_TREE_TREELET + treelet->node_count;

    for (uint32_t i = treelet->node_count; i-- > 0;) {
        dw_tree_child *children = nodes[treelet->first_node + i];
        dw_plane_box box[2];

        for (int side = 0; side < 2; side++) {
            uint32_t ref = children[side].ref, at = place_of(treelet, ref);
            uint32_t last = at + (ref >> 28 & 7u);
            dw_plane_box second;

            if (at >= place_end) {
                join_far_planes(nodes, ref, &box[side]);
            } else {
                join_planes(&box[side], &boxes[at], &boxes[at_most(at + 1u, last)]);
                join_planes(&second, &boxes[at_most(at + 2u, last)], &boxes[last]);
                join_planes(&box[side], &box[side], &second);
            }
            store_planes(&children[side], &box[side]);
        }
        join_planes(&boxes[DW_TREE_TREELET + i], &box[0], &box[1]);
    }
}

static void join_far_floats(dw_tree_child_f32 (*nodes)[2], uint32_t ref, dw_float_box *out)
{
    dw_float_box left, right;

    *out = no_floats;
    if (ref == DW_TREE_NONE)
        return;
    left = floats_of_child(&nodes[ref][0]);
    right = floats_of_child(&nodes[ref][1]);
    join_floats(out, &left, &right);
}

static inline void store_floats(dw_tree_child_f32 *child, const dw_float_box *box)
{
    for (int axis = 0; axis < 3; axis++) {
        child->low[axis] = box->lane[axis];
        child->high[axis] = -box->lane[4 + axis];
    }
    child->spare = 0;
}

DW_SIMD static void sweep_floats(dw_tree_child_f32 (*nodes)[2], const dw_tree_treelet *treelet,
                                 dw_float_box *restrict boxes)
{
    uint32_t place_end = DW_TREE_TREELET + treelet->node_count;

    for (uint32_t i = treelet->node_count; i-- > 0;) {
        dw_tree_child_f32 *children = nodes[treelet->first_node + i];
        dw_float_box box[2];

        for (int side = 0; side < 2; side++) {
            uint32_t ref = children[side].ref, at = place_of(treelet, ref);
            uint32_t last = at + (ref >> 28 & 7u);
            dw_float_box second;

            if (at >= place_end) {
                join_far_floats(nodes, ref, &box[side]);
            } else {
                join_floats(&box[side], &boxes[at], &boxes[at_most(at + 1u, last)]);
                join_floats(&second, &boxes[at_most(at + 2u, last)], &boxes[last]);
                join_floats(&box[side], &box[side], &second);
            }
            store_floats(&children[side], &box[side]);
        }
        join_floats(&boxes[DW_TREE_TREELET + i], &box[0], &box[1]);
    }
}

/* ---- treelets ---- */

/* Nodes of a treelet that comes next: sweeps go backwards through them, which caches do not
 * foresee.
 */
static void prefetch_nodes(const dw_tree *tree, const dw_tree_treelet *treelet)
{
    size_t node_size = 2 * (tree->format == DW_NODE_FORMAT_F32 ? sizeof(dw_tree_child_f32)
                                                               : sizeof(dw_tree_child));
    const char *first = (const char *)tree->nodes + treelet->first_node * node_size;

    for (size_t i = 0; i < treelet->node_count * node_size; i += 64)
        DW_PREFETCH(first + i);
}

static uint32_t count_inactive(const dw_refit_job *job, const dw_tree_treelet *treelet)
{
    uint32_t inactive = 0;

    for (uint32_t i = 0; i < treelet->triangle_count; i++)
        if (!dw_refit_is_active(job->tree, job->pose, treelet->first_triangle + i))
            inactive++;
    return inactive;
}

/* The number of inactive triangles. */
static uint32_t refit_planes(const dw_refit_job *job, const dw_tree_treelet *treelet)
{
    uint32_t count = treelet->triangle_count, inactive = 0;
    uint32_t vectors = (4 * count + DW_REFIT_LANES - 1) / DW_REFIT_LANES;
    dw_plane_box boxes[2 * DW_TREE_TREELET];
    dw_refit_items items;
    bool is_active;

    is_active = dw_refit_box_items(job->tree, job->pose, treelet, &items);
    quantize(items.low[0], items.high[0], vectors, &job->grid, boxes[0].word);
    for (uint32_t i = 0; i < count && !is_active; i++)
        if (!dw_refit_is_active(job->tree, job->pose, treelet->first_triangle + i)) {
            boxes[i] = no_planes;
            inactive++;
        }
    sweep_planes(job->tree->nodes, treelet, boxes);
    return inactive;
}

static uint32_t refit_floats(const dw_refit_job *job, const dw_tree_treelet *treelet)
{
    uint32_t count = treelet->triangle_count, inactive = 0;
    dw_float_box boxes[2 * DW_TREE_TREELET];
    dw_refit_items items;
    bool is_active;

    is_active = dw_refit_box_items(job->tree, job->pose, treelet, &items);
    for (uint32_t i = 0; i < count; i++) {
        const float *low = items.low[i], *high = items.high[i];

        boxes[i] = (dw_float_box) { .lane = { low[0], low[1], low[2], 0.0f, -high[0], -high[1],
                                              -high[2], 0.0f } };
    }
    for (uint32_t i = 0; i < count && !is_active; i++)
        if (!dw_refit_is_active(job->tree, job->pose, treelet->first_triangle + i)) {
            boxes[i] = no_floats;
            inactive++;
        }
    sweep_floats(job->tree->nodes, treelet, boxes);
    return inactive;
}

static inline bool is_dirty(const uint32_t *dirty, uint32_t item)
{
    return (dirty[item >> 5] >> (item & 31u) & 1u) != 0u;
}

static bool has_moved(const dw_refit_job *job, const dw_tree_treelet *treelet)
{
    const dw_tree_triangle *triangles = job->tree->triangles + treelet->first_triangle;
    const uint32_t *dirty = job->pose->dirty;

    for (uint32_t i = 0; i < treelet->triangle_count; i++)
        if (job->tree->is_over_boxes ? is_dirty(dirty, triangles[i].primitive)
                                     : is_dirty(dirty, triangles[i].vertices[0]) ||
                                           is_dirty(dirty, triangles[i].vertices[1]) ||
                                           is_dirty(dirty, triangles[i].vertices[2]))
            return true;
    return false;
}

static void refit_treelets(void *user, int64_t item, int worker)
{
    const dw_refit_job *job = user;
    uint32_t first = job->first + (uint32_t)item * DW_REFIT_TREELETS;
    uint32_t end = at_most(first + DW_REFIT_TREELETS, job->end);

    for (uint32_t i = first; i < end; i++) {
        const dw_tree_treelet *treelet = job->tree->treelets + i;
        uint32_t inactive = 0;

        if (!job->is_partial && i + 1 < end)
            prefetch_nodes(job->tree, treelet + 1);
        if (!job->is_partial || !job->is_lowest || has_moved(job, treelet))
            inactive = job->tree->format == DW_NODE_FORMAT_F32 ? refit_floats(job, treelet)
                                                               : refit_planes(job, treelet);
        else if (job->totals != NULL)
            inactive = count_inactive(job, treelet);
        if (job->totals == NULL)
            continue;
        job->totals[worker].inactive += inactive;
        dw_refit_add_sums(job->tree, &job->frame, treelet, &job->totals[worker]);
    }
}

/* ---- the whole ---- */

static dw_tree_frame make_frame(const dw_tree_bounds *bounds)
{
    dw_tree_frame frame = { .scale = 1.0f, .is_empty = bounds->is_empty ? 1u : 0u };
    float largest = 0.0f;

    for (int axis = 0; axis < 3; axis++) {
        float extent = dw_tree_difference(bounds->high[axis], bounds->low[axis]);

        frame.origin[axis] = bounds->low[axis];
        frame.step[axis] =
            bounds->is_empty ? 1.0f : dw_tree_step(bounds->low[axis], bounds->high[axis]);
        frame.inverse[axis] = bounds->is_empty ? 1.0f : dw_tree_inverse(frame.step[axis]);
        largest = extent > largest ? extent : largest;
    }
    if (!bounds->is_empty)
        frame.scale = dw_tree_unit_scale(largest);
    return frame;
}

static bool keeps_frame(const dw_tree_frame *frame, const dw_tree_bounds *bounds)
{
    if (frame->is_empty != 0u || bounds->is_empty)
        return false;
    for (int axis = 0; axis < 3; axis++)
        if (!dw_tree_keeps_axis(frame->origin[axis], frame->step[axis], bounds->low[axis],
                                bounds->high[axis]))
            return false;
    return true;
}

static void store_totals(dw_tree *tree, const dw_refit_totals *totals, int count)
{
    dw_refit_totals all = { 0 };

    for (int i = 0; i < count; i++) {
        all.inactive += totals[i].inactive;
        for (int k = 0; k < 3; k++) {
            all.inner[k] += totals[i].inner[k];
            all.leaves[k] += totals[i].leaves[k];
        }
    }
    tree->frame.inactive = (uint32_t)all.inactive;
    for (int k = 0; k < 3; k++) {
        tree->sums.inner[2 * k] = (uint32_t)all.inner[k];
        tree->sums.inner[2 * k + 1] = (uint32_t)(all.inner[k] >> 32);
        tree->sums.leaves[2 * k] = (uint32_t)all.leaves[k];
        tree->sums.leaves[2 * k + 1] = (uint32_t)(all.leaves[k] >> 32);
    }
}

static dw_status refit_levels(dw_refit_job *job, const dw_run *run, dw_error *err)
{
    const dw_tree_shape *shape = &job->tree->shape;

    for (uint32_t level = 0; level < shape->level_count; level++) {
        double done = level == 0 ? 0.0 : 0.9, end = level == 0 ? 0.9 : 1.0;
        dw_run part = dw_run_part(run, done, end);
        dw_status status;

        job->is_lowest = level == 0;
        job->first = shape->level_first[level];
        job->end = job->first + shape->level_treelets[level];
        status = dw_parallel_for(
            &part, (shape->level_treelets[level] + DW_REFIT_TREELETS - 1) / DW_REFIT_TREELETS,
            refit_treelets, job, err);
        if (status != DW_OK)
            return status;
    }
    return DW_OK;
}

dw_status dw_tree_refit(dw_tree *tree, const dw_tree_pose *pose, const dw_run *run, dw_error *err)
{
    dw_refit_job job = { .tree = tree, .pose = pose };
    int workers = dw_run_thread_count(run);
    dw_run bounds_run = dw_run_part(run, 0.0, 0.1), boxes_run = dw_run_part(run, 0.1, 1.0);
    dw_tree_bounds bounds;

    if (tree->is_over_boxes)
        DW_TRY(
            dw_tree_box_bounds(pose->boxes, tree->shape.triangle_count, &bounds, &bounds_run, err));
    else
        DW_TRY(
            dw_tree_vertex_bounds(&pose->vertices, tree->used_vertices, &bounds, &bounds_run, err));
    job.is_partial = pose->dirty != NULL && keeps_frame(&tree->frame, &bounds);
    job.frame = job.is_partial ? tree->frame : make_frame(&bounds);
    job.frame.inactive = tree->frame.inactive;
    job.grid = spread_grid(&job.frame);
    if (pose->wants_sums)
        DW_TRY(DW_ALLOC_ZEROED((size_t)workers, &job.totals, err));
    tree->frame.is_empty = 1u; /* until all is done: nothing is hit in, or kept of, half a refit */
    DW_TRY(refit_levels(&job, &boxes_run, err));
    tree->frame = job.frame;
    if (job.totals != NULL)
        store_totals(tree, job.totals, workers);
    dw_free(job.totals);
    return DW_OK;
fail:
    dw_free(job.totals);
    return err->code;
}
