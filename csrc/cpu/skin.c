/* SPDX-License-Identifier: MIT */
#include "cpu/skin.h"

#include "base/alloc.h"
#include "base/simd.h"

#include <math.h>
#include <string.h>

#define BLOCK 128 /* vertices that are worked on at once, in the nearest cache */
#define CHUNK (16 * BLOCK)

/* Exponents of scales: their sum and the numbers that they scale stay within float32. */
#define SCALE_LEAST  (-90)
#define SCALE_MOST   61
#define LINEAR_LEAST (-20)
#define OFFSET_MOST  100

#define FAR 4.0 /* times its half width: a mesh as far as this from 0 */

/* ---- a mesh at rest ---- */

static int exponent_of(double most, int least)
{
    int exponent = 0;

    if (most > 0.0)
        frexp(most, &exponent); /* most < 2^exponent */
    exponent = exponent < least ? least : exponent;
    return exponent > SCALE_MOST ? SCALE_MOST : exponent;
}

static double greatest(const float *values, size_t count)
{
    float most = 0.0f;

    for (size_t i = 0; i < count; i++)
        most = fabsf(values[i]) > most ? fabsf(values[i]) : most;
    return most;
}

/* Rows of three, less the origin, to planes, scaled by 2^-exponent; what is below `tiny` becomes 0.
 */
static void take_planes(const float *rows, size_t count, const float origin[3], int exponent,
                        float tiny, float *planes)
{
    double factor = ldexp(1.0, -exponent);

    for (size_t axis = 0; axis < 3; axis++)
        for (size_t i = 0; i < count; i++)
            planes[axis * count + i] =
                dw_skin_tidy((float)(((double)rows[3 * i + axis] - origin[axis]) * factor), tiny);
}

static const float zero[3];

/* Along axes where it lies far from 0 a mesh is posed about its middle, which the matrices then
 * contain: sums of numbers that are large beside the mesh would lose its digits. As such positions
 * differ from the middle by less than half of it, the differences are exact (P. Sterbenz, 1974).
 * Returns the greatest distance from the origin along an axis. */
static double choose_origin(dw_skin_rest *rest, const dw_skin_def *def)
{
    double half = 0.0, most = 0.0;
    float low[3], high[3];

    for (int axis = 0; axis < 3; axis++) {
        low[axis] = high[axis] = def->positions[axis];
        for (size_t v = 1; v < def->vertex_count; v++) {
            low[axis] = fminf(low[axis], def->positions[3 * v + axis]);
            high[axis] = fmaxf(high[axis], def->positions[3 * v + axis]);
        }
        half = fmax(half, 0.5 * ((double)high[axis] - low[axis]));
    }
    for (int axis = 0; axis < 3; axis++) {
        double middle = 0.5 * ((double)high[axis] + low[axis]);

        rest->origin[axis] = fabs(middle) > FAR * half ? (float)middle : 0.0f;
        rest->is_far = rest->is_far || rest->origin[axis] != 0.0f;
        most = fmax(most, fmax((double)high[axis] - rest->origin[axis],
                               (double)rest->origin[axis] - low[axis]));
    }
    return most;
}

static dw_status take_positions(dw_skin_rest *rest, const dw_skin_def *def, dw_error *err)
{
    size_t count = def->vertex_count;
    double most = choose_origin(rest, def);
    double most_delta = greatest(def->targets, 3 * count * def->target_count);

    rest->scale = exponent_of(most > most_delta ? most : most_delta, SCALE_LEAST);
    rest->reach = ldexp(most, -rest->scale);
    if (DW_ALLOC(3 * count, &rest->positions, err) != DW_OK)
        return err->code;
    take_planes(def->positions, count, rest->origin, rest->scale, DW_SKIN_TINY, rest->positions);
    if (!rest->has_normals)
        return DW_OK;
    if (DW_ALLOC(3 * count, &rest->normals, err) != DW_OK)
        return err->code;
    take_planes(def->normals, count, zero, 0, DW_SKIN_TINY_WEIGHT, rest->normals);
    return DW_OK;
}

/* Most joints of a vertex, and the matrices that they use. */
static void measure_skin(dw_skin_rest *rest, const dw_skin_def *def)
{
    uint32_t columns = def->influence_count, most = 1, joints = 1;

    for (size_t v = 0; v < def->vertex_count; v++) {
        uint32_t used = 0;

        for (size_t i = v * columns; i < (v + 1) * columns; i++) {
            if (def->weights[i] < DW_SKIN_TINY_WEIGHT)
                continue;
            used++;
            joints = def->joints[i] >= joints ? def->joints[i] + 1u : joints;
        }
        most = used > most ? used : most;
    }
    rest->influence_count = columns == 0 ? 0 : most;
    rest->joint_count = joints;
}

/* Joints of one vertex into the planes, heaviest first; those of one weight in their order. */
static void take_vertex(dw_skin_rest *rest, const uint16_t *joints, const float *weights,
                        uint32_t columns, size_t v)
{
    float last = INFINITY;
    uint32_t last_column = 0;

    for (uint32_t i = 0; i < rest->influence_count; i++) {
        uint32_t best = columns;
        uint32_t *word = &rest->joints[(size_t)(i >> 1) * rest->vertex_count + v];

        for (uint32_t c = 0; c < columns; c++) {
            bool is_left = weights[c] < last || (weights[c] == last && c > last_column);

            if (is_left && weights[c] >= DW_SKIN_TINY_WEIGHT &&
                (best == columns || weights[c] > weights[best]))
                best = c;
        }
        if (best == columns)
            return;
        last = weights[best];
        last_column = best;
        *word |= (uint32_t)joints[best] << (16u * (i & 1u));
        if (i > 0)
            rest->weights[(size_t)(i - 1) * rest->vertex_count + v] = last;
    }
}

static dw_status take_skin(dw_skin_rest *rest, const dw_skin_def *def, dw_error *err)
{
    uint32_t columns = def->influence_count;

    measure_skin(rest, def);
    if (columns == 0)
        return DW_OK;
    if (DW_ALLOC_ZEROED(dw_skin_joint_bytes(rest) / sizeof(uint32_t), &rest->joints, err) !=
            DW_OK ||
        DW_ALLOC_ZEROED(dw_skin_weight_bytes(rest) / sizeof(float), &rest->weights, err) != DW_OK)
        return err->code;
    for (size_t v = 0; v < def->vertex_count; v++)
        take_vertex(rest, def->joints + v * columns, def->weights + v * columns, columns, v);
    return DW_OK;
}

static bool is_moving(const float *row, double factor, float tiny)
{
    for (int i = 0; i < 3; i++)
        if (dw_skin_tidy((float)(row[i] * factor), tiny) != 0.0f)
            return true;
    return false;
}

/* The vertices that a target moves. */
static void find_range(const dw_skin_rest *rest, const dw_skin_def *def, uint32_t target)
{
    dw_skin_target *out = &rest->targets[target];
    const float *rows = def->targets + (size_t)target * def->vertex_count * 3;
    const float *turns = rest->has_target_normals
                             ? def->target_normals + (size_t)target * def->vertex_count * 3
                             : NULL;
    double factor = ldexp(1.0, -rest->scale);

    for (uint32_t v = 0; v < def->vertex_count; v++) {
        if (!is_moving(rows + 3 * (size_t)v, factor, DW_SKIN_TINY) &&
            (turns == NULL || !is_moving(turns + 3 * (size_t)v, 1.0, DW_SKIN_TINY_WEIGHT)))
            continue;
        if (out->end == 0)
            out->begin = v;
        out->end = v + 1;
    }
}

static dw_status take_targets(dw_skin_rest *rest, const dw_skin_def *def, dw_error *err)
{
    uint32_t planes = rest->has_target_normals ? 6 : 3;

    if (DW_ALLOC_ZEROED(def->target_count, &rest->targets, err) != DW_OK ||
        DW_ALLOC_ZEROED(def->target_count, &rest->target_reaches, err) != DW_OK)
        return err->code;
    for (uint32_t t = 0; t < def->target_count; t++) {
        find_range(rest, def, t);
        rest->targets[t].first = (uint32_t)rest->delta_count;
        rest->delta_count += (uint64_t)planes * (rest->targets[t].end - rest->targets[t].begin);
        if (rest->delta_count > DW_SKIN_INDICES_MAX)
            return dw_fail(err, DW_ERROR_CAPACITY,
                           "targets of %u vertices move %llu numbers, at most %u: split the mesh",
                           def->vertex_count, (unsigned long long)rest->delta_count,
                           DW_SKIN_INDICES_MAX);
    }
    if (DW_ALLOC(rest->delta_count, &rest->deltas, err) != DW_OK)
        return err->code;
    for (uint32_t t = 0; t < def->target_count; t++) {
        const dw_skin_target *target = &rest->targets[t];
        size_t count = target->end - target->begin;
        size_t row = ((size_t)t * def->vertex_count + target->begin) * 3;

        take_planes(def->targets + row, count, zero, rest->scale, DW_SKIN_TINY,
                    rest->deltas + target->first);
        rest->target_reaches[t] = (float)greatest(rest->deltas + target->first, 3 * count);
        if (rest->has_target_normals)
            take_planes(def->target_normals + row, count, zero, 0, DW_SKIN_TINY_WEIGHT,
                        rest->deltas + target->first + 3 * count);
    }
    return DW_OK;
}

dw_status dw_skin_rest_init(dw_skin_rest *rest, const dw_skin_def *def, dw_error *err)
{
    *rest = (dw_skin_rest) { .vertex_count = def->vertex_count,
                             .target_count = def->target_count,
                             .has_normals = def->normals != NULL,
                             .has_target_normals =
                                 def->normals != NULL && def->target_normals != NULL };
    if (take_positions(rest, def, err) == DW_OK && take_skin(rest, def, err) == DW_OK &&
        take_targets(rest, def, err) == DW_OK)
        return DW_OK;
    dw_skin_rest_finish(rest);
    return err->code;
}

void dw_skin_rest_finish(dw_skin_rest *rest)
{
    dw_free(rest->positions);
    dw_free(rest->normals);
    dw_free(rest->joints);
    dw_free(rest->weights);
    dw_free(rest->deltas);
    dw_free(rest->targets);
    dw_free(rest->target_reaches);
    *rest = (dw_skin_rest) { 0 };
}

uint64_t dw_skin_plane_bytes(const dw_skin_rest *rest)
{
    return 3 * (uint64_t)rest->vertex_count * sizeof(float);
}

uint64_t dw_skin_joint_bytes(const dw_skin_rest *rest)
{
    return (rest->influence_count + 1u) / 2u * (uint64_t)rest->vertex_count * sizeof(uint32_t);
}

uint64_t dw_skin_weight_bytes(const dw_skin_rest *rest)
{
    uint32_t planes = rest->influence_count > 1 ? rest->influence_count - 1 : 0;

    return planes * (uint64_t)rest->vertex_count * sizeof(float);
}

/* ---- a pose ---- */

dw_status dw_skin_table_init(dw_skin_table *table, const dw_skin_rest *rest, bool is_native,
                             dw_error *err)
{
    *table = (dw_skin_table) { .matrices = NULL };
    if (DW_ALLOC_ZEROED(rest->joint_count, &table->matrices, err) == DW_OK &&
        (!is_native || DW_ALLOC(rest->joint_count, &table->columns, err) == DW_OK) &&
        DW_ALLOC_ZEROED(rest->target_count, &table->targets, err) == DW_OK)
        return DW_OK;
    dw_skin_table_finish(table);
    return err->code;
}

void dw_skin_table_finish(dw_skin_table *table)
{
    dw_free(table->matrices);
    dw_free(table->columns);
    dw_free(table->targets);
    *table = (dw_skin_table) { .matrices = NULL };
}

/* *reach grows by what the targets add. */
static dw_status fill_targets(dw_skin_table *table, const dw_skin_rest *rest, const double *weights,
                              double *reach, dw_error *err)
{
    table->target_count = 0;
    for (uint32_t t = 0; weights != NULL && t < rest->target_count; t++) {
        if (!(fabs(weights[t]) <= DW_SKIN_WEIGHT_MAX))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "morph_weights must lie within %g, got %g for target %u",
                           DW_SKIN_WEIGHT_MAX, weights[t], t);
        if (fabs(weights[t]) < DW_SKIN_TINY_WEIGHT || rest->targets[t].end == 0)
            continue;
        table->targets[table->target_count] = rest->targets[t];
        table->targets[table->target_count++].weight = (float)weights[t];
        *reach += fabs(weights[t]) * rest->target_reaches[t];
    }
    return DW_OK;
}

static dw_status check_matrices(const dw_skin_rest *rest, const dw_skin_pose *pose, dw_error *err)
{
    if (pose->matrix_count < rest->joint_count)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "matrices must be at least %u, one for each joint that the mesh uses, got "
                       "%u: is this the skin of another mesh?",
                       rest->joint_count, pose->matrix_count);
    for (uint32_t i = 0; i < rest->joint_count; i++) {
        const double *row = pose->matrices + 16 * (size_t)i + 12;

        if (!(fabs(row[0]) + fabs(row[1]) + fabs(row[2]) + fabs(row[3] - 1.0) <= 1e-3))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "matrices must be affine, their last row 0 0 0 1, got %g %g %g %g in "
                           "matrix %u; they act on column vectors: transpose those that act on "
                           "rows",
                           row[0], row[1], row[2], row[3], i);
    }
    return DW_OK;
}

/* Where a row of a matrix takes the origin of the mesh. */
static double offset_of(const dw_skin_rest *rest, const double row[4])
{
    return row[0] * rest->origin[0] + row[1] * rest->origin[1] + row[2] * rest->origin[2] + row[3];
}

/* Exponent of the greatest element of the linear parts, or more where an offset needs it. */
static int exponent_of_matrices(const dw_skin_rest *rest, const double *matrices, uint32_t count,
                                int scale)
{
    double linear = 0.0, offset = 0.0;
    int exponent, least;

    for (size_t i = 0; i < 4 * (size_t)count; i++) {
        const double *row = matrices + 4 * i;

        if (i % 4 == 3)
            continue;
        for (int c = 0; c < 3; c++)
            linear = fmax(linear, fabs(row[c]));
        offset = fmax(offset, fabs(offset_of(rest, row)));
    }
    exponent = exponent_of(linear, LINEAR_LEAST);
    frexp(offset, &least);
    least -= scale + OFFSET_MOST;
    return exponent > least ? exponent : least;
}

/* Adds the exponent of the matrices to *scale. */
static dw_status fill_matrices(dw_skin_table *table, const dw_skin_rest *rest,
                               const double *matrices, uint32_t count, double reach, int *scale,
                               dw_error *err)
{
    int linear_scale = exponent_of_matrices(rest, matrices, count, *scale);
    double linear = ldexp(1.0, -linear_scale), offset = ldexp(1.0, -(*scale + linear_scale));

    for (uint32_t i = 0; i < count; i++) {
        const double *from = matrices + 16 * (size_t)i;
        float *to = table->matrices[i].rows;

        for (int k = 0; k < 12; k += 4) {
            double sum = fabs(from[k]) + fabs(from[k + 1]) + fabs(from[k + 2]);
            double most = ldexp(sum * reach, *scale) + fabs(offset_of(rest, from + k));

            if (!(most <= DW_SKIN_REACH_MAX))
                return dw_fail(err, DW_ERROR_ARGUMENT,
                               "matrices must keep vertices within %g, but matrix %u takes one to "
                               "%g: scale the pose down",
                               DW_SKIN_REACH_MAX, i, most);
            for (int c = 0; c < 3; c++)
                to[k + c] = dw_skin_tidy((float)(from[k + c] * linear), DW_SKIN_TINY);
            to[k + 3] = dw_skin_tidy((float)(offset_of(rest, from + k) * offset), DW_SKIN_TINY);
        }
    }
    *scale += linear_scale;
    return DW_OK;
}

dw_status dw_skin_table_fill(dw_skin_table *table, const dw_skin_rest *rest,
                             const dw_skin_pose *pose, dw_error *err)
{
    static const double still[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
    const double *matrices = pose->matrices == NULL && rest->is_far ? still : pose->matrices;
    uint32_t count = matrices == still ? 1 : rest->joint_count;
    double reach = rest->reach;
    int scale = rest->scale;

    if (fill_targets(table, rest, pose->weights, &reach, err) != DW_OK)
        return err->code;
    if (!(ldexp(reach, scale) <= DW_SKIN_REACH_MAX))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "morph_weights must keep vertices within %g, but take one to %g: use "
                       "smaller ones",
                       DW_SKIN_REACH_MAX, ldexp(reach, scale));
    if (pose->matrices != NULL && check_matrices(rest, pose, err) != DW_OK)
        return err->code;
    if (matrices != NULL &&
        fill_matrices(table, rest, matrices, count, reach, &scale, err) != DW_OK)
        return err->code;
    table->has_matrices = matrices != NULL;
    table->has_joints = pose->matrices != NULL && rest->influence_count > 0;
    table->scale = ldexpf(1.0f, scale);
    table->tiny = scale < 0 ? ldexpf(1.0f, -126 - scale) : 0.0f;
    return DW_OK;
}

/* ---- vertices ---- */

/* Vertices begin to begin + count - 1, by planes. m: the elements that turn normals, by columns. */
typedef struct block {
    uint32_t begin, count;
    float p[3][BLOCK], n[3][BLOCK];
    float m[9][BLOCK];
} block;

typedef struct job {
    const dw_skin_rest *rest;
    const dw_skin_table *table;
    const dw_skin_columns *columns;
    dw_skin_rows positions, normals;
} job;

DW_SIMD static void morph_rows(float *to, const float *deltas, float weight, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = dw_skin_morph(to[i], deltas[i], weight);
}

DW_SIMD static void tidy_rows(float *rows, float tiny, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        rows[i] = dw_skin_tidy(rows[i], tiny);
}

static void morph(const job *self, block *b, const dw_skin_target *target)
{
    uint32_t begin = target->begin > b->begin ? target->begin : b->begin;
    uint32_t end = target->end < b->begin + b->count ? target->end : b->begin + b->count;
    size_t plane = target->end - target->begin;

    if (begin >= end)
        return;
    for (size_t i = 0; i < 6; i++) {
        const float *deltas = self->rest->deltas + target->first + i * plane;
        float *to = i < 3 ? b->p[i] : b->n[i - 3];

        if (i < 3 || (self->normals.data != NULL && self->rest->has_target_normals))
            morph_rows(to + (begin - b->begin), deltas + (begin - target->begin), target->weight,
                       end - begin);
    }
}

static void load(const job *self, block *b)
{
    size_t plane = self->rest->vertex_count;

    for (size_t i = 0; i < 3; i++) {
        memcpy(b->p[i], self->rest->positions + i * plane + b->begin, b->count * sizeof(float));
        if (self->normals.data != NULL)
            memcpy(b->n[i], self->rest->normals + i * plane + b->begin, b->count * sizeof(float));
    }
    if (self->table->target_count == 0)
        return;
    for (uint32_t t = 0; t < self->table->target_count; t++)
        morph(self, b, &self->table->targets[t]);
    for (int i = 0; i < 3; i++) {
        tidy_rows(b->p[i], DW_SKIN_TINY, b->count);
        if (self->normals.data != NULL)
            tidy_rows(b->n[i], DW_SKIN_TINY_WEIGHT, b->count);
    }
}

static dw_skin_columns columns_of(const dw_skin_matrix *matrix)
{
    dw_skin_columns out = { { 0.0f } };

    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            out.m[4 * column + row] = matrix->rows[4 * row + column];
    return out;
}

/* Adds one joint of each vertex to its matrix: from[v] is what it was, and becomes m[v]. A weight
 * of 0 ends a vertex's list, and adds 0, of whose sign tidy_rows makes one. */
DW_SIMD static void blend_columns(const job *self, const uint32_t *firsts, const uint32_t *words,
                                  uint32_t influence, const float *weights, uint32_t count,
                                  const float **from, float (*restrict m)[16])
{
    for (uint32_t v = 0; v < count; v++) {
        const float *first = self->columns[DW_SKIN_JOINT(firsts[v], 0u)].m;
        const float *other = self->columns[DW_SKIN_JOINT(words[v], influence)].m;
        float weight = weights[v], sum[16]; /* all is read before anything is written */

        for (int i = 0; i < 16; i++)
            sum[i] = dw_skin_blend(from[v][i], first[i], other[i], weight);
        for (int i = 0; i < 16; i++)
            m[v][i] = sum[i];
        from[v] = m[v];
    }
}

DW_SIMD static bool has_weights(const float *weights, uint32_t count)
{
    uint32_t bits = 0;

    for (uint32_t v = 0; v < count; v++)
        bits |= dw_bits_from_float(weights[v]);
    return bits != 0;
}

DW_SIMD static void move_points(block *b, const float *const *matrices, float (*restrict moved)[4])
{
    for (uint32_t v = 0; v < b->count; v++) {
        const float *m = matrices[v];
        float x = b->p[0][v], y = b->p[1][v], z = b->p[2][v], to[4];

        for (int i = 0; i < 4; i++)
            to[i] = dw_skin_move(m[i], m[4 + i], m[8 + i], m[12 + i], x, y, z);
        for (int i = 0; i < 4; i++)
            moved[v][i] = to[i];
    }
}

/* Moves the points of a block, and keeps what turns their normals. */
static void move_by_joints(const job *self, block *b)
{
    const dw_skin_rest *rest = self->rest;
    const uint32_t *firsts = rest->joints + b->begin;
    const float *matrices[BLOCK];
    float m[BLOCK][16], moved[BLOCK][4];
    bool is_blended = false;

    for (uint32_t v = 0; v < b->count; v++)
        matrices[v] = self->columns[DW_SKIN_JOINT(firsts[v], 0u)].m;
    for (uint32_t k = 1; k < rest->influence_count; k++) {
        const uint32_t *words = firsts + (size_t)(k >> 1) * rest->vertex_count;
        const float *weights = rest->weights + (size_t)(k - 1) * rest->vertex_count + b->begin;

        if (!has_weights(weights, b->count))
            break;
        blend_columns(self, firsts, words, k, weights, b->count, matrices, m);
        is_blended = true;
    }
    if (is_blended)
        tidy_rows(m[0], DW_SKIN_TINY, 16 * b->count);
    move_points(b, matrices, moved);
    for (uint32_t v = 0; v < b->count; v++)
        for (int i = 0; i < 3; i++)
            b->p[i][v] = moved[v][i];
    for (uint32_t v = 0; self->normals.data != NULL && v < b->count; v++)
        for (int k = 0; k < 9; k++)
            b->m[k][v] = matrices[v][4 * (k / 3) + k % 3];
}

DW_SIMD static void move_by_one(const float *m, block *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        float x = b->p[0][i], y = b->p[1][i], z = b->p[2][i];

        b->p[0][i] = dw_skin_move(m[0], m[4], m[8], m[12], x, y, z);
        b->p[1][i] = dw_skin_move(m[1], m[5], m[9], m[13], x, y, z);
        b->p[2][i] = dw_skin_move(m[2], m[6], m[10], m[14], x, y, z);
    }
    for (int k = 0; k < 9; k++)
        for (uint32_t i = 0; i < b->count; i++)
            b->m[k][i] = m[4 * (k / 3) + k % 3];
}

DW_SIMD static void turn(block *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        dw_skin_vector n = { b->n[0][i], b->n[1][i], b->n[2][i] };
        dw_skin_matrix m;

        for (int k = 0; k < 9; k++)
            m.rows[4 * (k % 3) + k / 3] = b->m[k][i];
        n = dw_skin_turn(m, n);
        b->n[0][i] = n.x;
        b->n[1][i] = n.y;
        b->n[2][i] = n.z;
    }
}

DW_SIMD static void straighten(block *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        dw_skin_vector n = { b->n[0][i], b->n[1][i], b->n[2][i] };

        n = dw_skin_unit(n);
        b->n[0][i] = n.x;
        b->n[1][i] = n.y;
        b->n[2][i] = n.z;
    }
}

DW_SIMD static void scale_rows(float *rows, float scale, float tiny, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        rows[i] = dw_skin_put(rows[i], scale, tiny);
}

static void store(float planes[3][BLOCK], const block *b, dw_skin_rows to)
{
    float *row = to.data + (int64_t)b->begin * to.stride;

    for (uint32_t i = 0; i < b->count; i++, row += to.stride) {
        row[0] = planes[0][i];
        row[1] = planes[1][i];
        row[2] = planes[2][i];
    }
}

static void pose_block(const job *self, block *b)
{
    const dw_skin_table *table = self->table;

    load(self, b);
    if (table->has_matrices) {
        if (table->has_joints)
            move_by_joints(self, b);
        else
            move_by_one(self->columns[0].m, b);
        if (self->normals.data != NULL)
            turn(b);
    } else if (self->normals.data != NULL) {
        straighten(b);
    }
    for (int i = 0; i < 3; i++)
        scale_rows(b->p[i], table->scale, table->tiny, b->count);
    store(b->p, b, self->positions);
    if (self->normals.data != NULL)
        store(b->n, b, self->normals);
}

static void pose_chunk(void *user, int64_t item, int worker)
{
    const job *self = user;
    uint32_t begin = (uint32_t)item * CHUNK, total = self->rest->vertex_count;
    uint32_t end = total - begin < CHUNK ? total : begin + CHUNK;
    block b;

    (void)worker;
    for (b.begin = begin; b.begin < end; b.begin += BLOCK) {
        b.count = end - b.begin < BLOCK ? end - b.begin : BLOCK;
        pose_block(self, &b);
    }
}

dw_status dw_skin_vertices(const dw_skin_rest *rest, const dw_skin_table *table,
                           dw_skin_rows positions, dw_skin_rows normals, const dw_run *run,
                           dw_error *err)
{
    int64_t chunks = ((int64_t)rest->vertex_count + CHUNK - 1) / CHUNK;
    dw_skin_columns *turned = table->columns;
    job self = { rest, table, turned, positions, normals };

    for (uint32_t i = 0; table->has_matrices && i < rest->joint_count; i++)
        turned[i] = columns_of(&table->matrices[i]);
    return dw_parallel_for(run, chunks, pose_chunk, &self, err);
}
