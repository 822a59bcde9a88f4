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
#define DW_REFIT_AHEAD    24 /* triangles whose vertices are asked for before they are needed */
#define DW_REFIT_LANES    16 /* arrays are padded to whole vectors of this many */
#define DW_RANGE_ORDER    0x5d800000 /* 2^60 in the order of floats; -2^60 is its complement */

/* Corners of a treelet's triangles as they lie in memory, an array a coordinate. */
typedef struct dw_corners {
    int32_t at[9][DW_TREE_TREELET];
} dw_corners;

typedef struct dw_corner_boxes {
    float low[3][DW_TREE_TREELET], high[3][DW_TREE_TREELET];
} dw_corner_boxes;

/* Boxes whose union is the least of each lane: high planes are complemented, high floats are
 * negated. Triangles first, then nodes. */
typedef union dw_plane_box {
    uint16_t lane[8]; /* x low, x high, y .., z .., 0, 0 */
    uint32_t word[4];
} dw_plane_box;

typedef struct dw_float_box {
    float lane[8]; /* low x y z, 0, high x y z, 0 */
} dw_float_box;

typedef struct dw_refit_job {
    dw_tree *tree;
    const dw_tree_pose *pose;
    dw_tree_frame frame;
    bool is_partial;         /* treelets of level 0 without a dirty vertex stay */
    bool is_lowest;          /* this level is level 0 */
    uint32_t first, end;     /* treelets of this level */
    dw_refit_totals *totals; /* by worker; NULL: no sums */
} dw_refit_job;

/* ---- corners ---- */

static void set_corner(dw_corners *corners, uint32_t i, int corner, const float *point)
{
    int32_t bits[3];

    memcpy(bits, point, sizeof bits);
    corners->at[3 * corner][i] = bits[0];
    corners->at[3 * corner + 1][i] = bits[1];
    corners->at[3 * corner + 2][i] = bits[2];
}

/* The sweep goes backwards through them, which caches do not foresee. */
static void prefetch_nodes(const void *nodes, size_t node_size, const dw_tree_treelet *treelet)
{
    const char *first = (const char *)nodes + treelet->first_node * node_size;

    for (size_t i = 0; i < treelet->node_count * node_size; i += 64)
        DW_PREFETCH(first + i);
}

static inline const float *vertex_at(const dw_tree_vertices *vertices, uint32_t vertex)
{
    return vertices->data + (size_t)vertex * vertices->stride;
}

/* `ahead`: how many triangles have one DW_REFIT_AHEAD behind them in the tree. */
static void gather_triangles(const dw_tree_triangle *triangles, uint32_t count, uint32_t ahead,
                             const dw_tree_vertices *vertices, dw_corners *corners)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i < ahead)
            for (int corner = 0; corner < 3; corner++)
                DW_PREFETCH(vertex_at(vertices, triangles[i + DW_REFIT_AHEAD].vertices[corner]));
        for (int corner = 0; corner < 3; corner++)
            set_corner(corners, i, corner, vertex_at(vertices, triangles[i].vertices[corner]));
    }
}

/* A box as a triangle of its two corners; one that is not active gets a corner out of range. */
static void gather_boxes(const dw_tree_triangle *items, uint32_t count, const float *boxes,
                         dw_corners *corners)
{
    static const float outside[3] = { 3e38f, 3e38f, 3e38f };

    for (uint32_t i = 0; i < count; i++) {
        const float *box = boxes + (size_t)items[i].primitive * 6;

        set_corner(corners, i, 0, dw_tree_box_is_active(box) ? box : outside);
        set_corner(corners, i, 1, box + 3);
        set_corner(corners, i, 2, box + 3);
    }
}

/* Corners of the treelet's triangles, padded to whole vectors; the padded number. */
static uint32_t gather(const dw_refit_job *job, const dw_tree_treelet *treelet, dw_corners *corners)
{
    const dw_tree *tree = job->tree;
    const dw_tree_triangle *triangles = tree->triangles + treelet->first_triangle;
    uint32_t count = treelet->triangle_count;
    uint32_t left = tree->shape.triangle_count - treelet->first_triangle;
    uint32_t padded = (count + DW_REFIT_LANES - 1) / DW_REFIT_LANES * DW_REFIT_LANES;

    if (tree->is_over_boxes)
        gather_boxes(triangles, count, job->pose->boxes, corners);
    else
        gather_triangles(triangles, count, left > DW_REFIT_AHEAD ? left - DW_REFIT_AHEAD : 0,
                         &job->pose->vertices, corners);
    for (int k = 0; k < 9; k++)
        for (uint32_t i = count; i < padded; i++)
            corners->at[k][i] = 0;
    return padded;
}

static inline bool is_outside(const dw_corners *corners, uint32_t i)
{
    for (int k = 0; k < 9; k++)
        if (!dw_tree_in_range((uint32_t)corners->at[k][i]))
            return true;
    return false;
}

/* ---- boxes of triangles ---- */

/* The order of floats as an order of whole numbers; its own inverse. */
static inline int32_t swap_order(int32_t bits)
{
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

static inline int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t most(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Coordinates may be rounded after the minimum, since rounding keeps the order. */
static inline float coordinate_of(int32_t order)
{
    int32_t bits = swap_order(order);

    return dw_float_from_bits((uint32_t)((bits & 0x7f800000) == 0 ? 0 : bits));
}

/* False when a triangle is not in range; its box is then of no use. */
DW_SIMD static bool box_corners(const dw_corners *restrict corners, uint32_t padded,
                                dw_corner_boxes *restrict boxes)
{
    int32_t lowest = 0, highest = 0;

    for (int axis = 0; axis < 3; axis++) {
        const int32_t *a = corners->at[axis], *b = corners->at[3 + axis];
        const int32_t *c = corners->at[6 + axis];

        for (uint32_t i = 0; i < padded; i++) {
            int32_t x = swap_order(a[i]), y = swap_order(b[i]), z = swap_order(c[i]);
            int32_t low = least(least(x, y), z), high = most(most(x, y), z);

            lowest = least(lowest, low);
            highest = most(highest, high);
            boxes->low[axis][i] = coordinate_of(low);
            boxes->high[axis][i] = coordinate_of(high);
        }
    }
    return lowest >= ~DW_RANGE_ORDER && highest <= DW_RANGE_ORDER;
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

DW_SIMD static void quantize_axis(const float *restrict lows, const float *restrict highs,
                                  uint32_t padded, float origin, float step, float inverse,
                                  uint32_t *restrict words)
{
    for (uint32_t i = 0; i < padded; i++) {
        int32_t low = plane_below(lows[i], origin, step, inverse);
        int32_t high = plane_below(highs[i], origin, step, inverse);
        float here = origin + (float)high * step;

        high = least(high + (int32_t)(here < highs[i]), 65535);
        words[i] = (uint32_t)(low | (65535 - high) << 16);
    }
}

DW_SIMD static void interleave(const uint32_t words[3][DW_TREE_TREELET], uint32_t padded,
                               uint32_t *restrict out)
{
    for (uint32_t i = 0; i < padded; i++) {
        out[4 * i] = words[0][i];
        out[4 * i + 1] = words[1][i];
        out[4 * i + 2] = words[2][i];
        out[4 * i + 3] = 0;
    }
}

static void quantize(const dw_corner_boxes *boxes, uint32_t padded, const dw_tree_frame *frame,
                     dw_plane_box *out)
{
    uint32_t words[3][DW_TREE_TREELET];

    for (int axis = 0; axis < 3; axis++)
        quantize_axis(boxes->low[axis], boxes->high[axis], padded, frame->origin[axis],
                      frame->step[axis], frame->inverse[axis], words[axis]);
    interleave((const uint32_t(*)[DW_TREE_TREELET])words, padded, out[0].word);
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

static uint32_t mark_inactive(const dw_corners *corners, uint32_t count, void *boxes, bool is_f32)
{
    uint32_t inactive = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (!is_outside(corners, i))
            continue;
        inactive++;
        if (is_f32)
            ((dw_float_box *)boxes)[i] = no_floats;
        else
            ((dw_plane_box *)boxes)[i] = no_planes;
    }
    return inactive;
}

static void spread_floats(const dw_corner_boxes *from, uint32_t count, dw_float_box *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = (dw_float_box) { .lane = { from->low[0][i], from->low[1][i], from->low[2][i], 0.0f,
                                            -from->high[0][i], -from->high[1][i], -from->high[2][i],
                                            0.0f } };
}

/* The number of inactive triangles. */
static uint32_t refit_planes(const dw_refit_job *job, const dw_tree_treelet *treelet)
{
    dw_plane_box boxes[2 * DW_TREE_TREELET];
    dw_corner_boxes floats;
    dw_corners corners;
    uint32_t padded, inactive = 0;
    bool is_in_range;

    prefetch_nodes(job->tree->nodes, 2 * sizeof(dw_tree_child), treelet);
    padded = gather(job, treelet, &corners);
    is_in_range = box_corners(&corners, padded, &floats);
    quantize(&floats, padded, &job->frame, boxes);
    if (!is_in_range)
        inactive = mark_inactive(&corners, treelet->triangle_count, boxes, false);
    sweep_planes(job->tree->nodes, treelet, boxes);
    return inactive;
}

static uint32_t refit_floats(const dw_refit_job *job, const dw_tree_treelet *treelet)
{
    dw_float_box boxes[2 * DW_TREE_TREELET];
    dw_corner_boxes floats;
    dw_corners corners;
    uint32_t padded, inactive = 0;
    bool is_in_range;

    prefetch_nodes(job->tree->nodes, 2 * sizeof(dw_tree_child_f32), treelet);
    padded = gather(job, treelet, &corners);
    is_in_range = box_corners(&corners, padded, &floats);
    spread_floats(&floats, treelet->triangle_count, boxes);
    if (!is_in_range)
        inactive = mark_inactive(&corners, treelet->triangle_count, boxes, true);
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

static uint32_t count_inactive(const dw_refit_job *job, const dw_tree_treelet *treelet)
{
    dw_corners corners;
    uint32_t inactive = 0;

    gather(job, treelet, &corners);
    for (uint32_t i = 0; i < treelet->triangle_count; i++)
        inactive += is_outside(&corners, i) ? 1u : 0u;
    return inactive;
}

static void refit_treelets(void *user, int64_t item, int worker)
{
    const dw_refit_job *job = user;
    uint32_t first = job->first + (uint32_t)item * DW_REFIT_TREELETS;
    uint32_t end = at_most(first + DW_REFIT_TREELETS, job->end);

    for (uint32_t i = first; i < end; i++) {
        const dw_tree_treelet *treelet = job->tree->treelets + i;
        uint32_t inactive = 0;

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
