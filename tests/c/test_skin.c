/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "cpu/skin.h"

#include "check.h"

#include <math.h>
#include <string.h>

#define COUNT   5000
#define COLUMNS 8
#define JOINTS  6
#define TARGETS 3

static uint64_t random_state = 88172645463325252u;

static float random_share(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (float)(random_state >> 40) * 0x1p-24f;
}

static float positions[COUNT][3], normals[COUNT][3], weights[COUNT][COLUMNS];
static float targets[TARGETS][COUNT][3], target_normals[TARGETS][COUNT][3];
static uint16_t joints[COUNT][COLUMNS];
static double matrices[JOINTS][16];

/* Targets move the last third, one vertex, and nothing. */
static dw_skin_def make_def(void)
{
    for (int v = 0; v < COUNT; v++) {
        float sum = 0.0f;

        for (int i = 0; i < 3; i++) {
            positions[v][i] = 2.0f * random_share() - 1.0f;
            normals[v][i] = 2.0f * random_share() - 1.0f;
            targets[0][v][i] = v < 2 * COUNT / 3 ? 0.0f : random_share();
            target_normals[0][v][i] = targets[0][v][i] * 0.5f;
        }
        for (int c = 0; c < COLUMNS; c++) {
            joints[v][c] = (uint16_t)(random_share() * JOINTS);
            weights[v][c] = c > v % COLUMNS ? 0.0f : random_share() + 0.01f;
            sum += weights[v][c];
        }
        for (int c = 0; c < COLUMNS; c++)
            weights[v][c] /= sum;
    }
    targets[1][77][2] = 5.0f;
    return (dw_skin_def) { .vertex_count = COUNT,
                           .influence_count = COLUMNS,
                           .target_count = TARGETS,
                           .positions = positions[0],
                           .normals = normals[0],
                           .joints = joints[0],
                           .weights = weights[0],
                           .targets = targets[0][0],
                           .target_normals = target_normals[0][0] };
}

static void make_matrices(void)
{
    memset(matrices, 0, sizeof matrices);
    for (int j = 0; j < JOINTS; j++) {
        for (int i = 0; i < 12; i++)
            matrices[j][i] = (i % 5 == 0 ? 1.0 : 0.0) + random_share() - 0.5;
        matrices[j][15] = 1.0;
    }
}

static void joints_are_sorted_and_targets_keep_their_range(void)
{
    dw_skin_def def = make_def();
    dw_skin_rest rest;
    dw_error err;

    CHECK(dw_skin_rest_init(&rest, &def, &err) == DW_OK);
    CHECK(rest.influence_count == COLUMNS && rest.joint_count == JOINTS);
    CHECK(rest.targets[0].begin == 2 * COUNT / 3 && rest.targets[0].end == COUNT);
    CHECK(rest.targets[1].begin == 77 && rest.targets[1].end == 78);
    CHECK(rest.targets[2].end == 0);
    CHECK(rest.delta_count == 6u * (COUNT - 2 * COUNT / 3 + 1));
    for (uint32_t v = 0; v < COUNT; v++) {
        float last = 1.0f, sum = 0.0f;

        for (uint32_t k = 0; k + 1 < COLUMNS; k++) {
            float weight = rest.weights[k * COUNT + v];

            CHECK(weight <= last && (weight > 0.0f) == (k + 1 <= v % COLUMNS));
            sum += weight;
            last = weight;
        }
        CHECK(sum < 1.0f - last + 1e-6f); /* the first weighs no less than the last */
    }
    dw_skin_rest_finish(&rest);
    dw_skin_rest_finish(&rest);
}

static void vertices_of(const dw_skin_rest *rest, const dw_skin_table *table, const dw_run *run,
                        float *out)
{
    dw_skin_rows rows = { out, 7 }, turned = { out + 4, 7 };
    dw_error err;

    CHECK(dw_skin_vertices(rest, table, rows, turned, run, &err) == DW_OK);
}

static void threads_change_no_bit(void)
{
    static const double weights_of_targets[TARGETS] = { 0.7, -2.0, 3.0 };
    static float one[COUNT * 7], other[COUNT * 7];
    dw_skin_pose pose = { matrices[0], JOINTS, weights_of_targets };
    dw_skin_def def = make_def();
    dw_pool *pool;
    dw_run run = { 0 };
    dw_skin_rest rest;
    dw_skin_table table;
    dw_error err;

    make_matrices();
    CHECK(dw_pool_create(4, &pool, &err) == DW_OK);
    CHECK(dw_skin_rest_init(&rest, &def, &err) == DW_OK);
    CHECK(dw_skin_table_init(&table, &rest, true, &err) == DW_OK);
    CHECK(dw_skin_table_fill(&table, &rest, &pose, &err) == DW_OK);
    CHECK(table.target_count == 2 && table.has_matrices);
    vertices_of(&rest, &table, &run, one);
    run.pool = pool;
    for (int i = 0; i < 5; i++) {
        memset(other, 0, sizeof other);
        vertices_of(&rest, &table, &run, other);
        CHECK(memcmp(one, other, sizeof one) == 0);
    }
    for (int v = 0; v < COUNT; v++)
        CHECK(one[7 * v + 3] == 0.0f && isfinite(one[7 * v]) && isfinite(one[7 * v + 6]));
    dw_skin_table_finish(&table);
    dw_skin_rest_finish(&rest);
    dw_pool_destroy(pool);
}

static void poses_that_do_not_fit_are_refused(void)
{
    double some[TARGETS] = { 0 };
    dw_skin_pose pose = { matrices[0], JOINTS, some };
    dw_skin_def def = make_def();
    dw_skin_rest rest;
    dw_skin_table table;
    dw_error err;

    make_matrices();
    CHECK(dw_skin_rest_init(&rest, &def, &err) == DW_OK);
    CHECK(dw_skin_table_init(&table, &rest, false, &err) == DW_OK);
    CHECK(dw_skin_table_fill(&table, &rest, &pose, &err) == DW_OK);
    pose.matrix_count = JOINTS - 1;
    CHECK(dw_skin_table_fill(&table, &rest, &pose, &err) == DW_ERROR_ARGUMENT);
    pose.matrix_count = JOINTS;
    some[2] = 2.0 * DW_SKIN_WEIGHT_MAX;
    CHECK(dw_skin_table_fill(&table, &rest, &pose, &err) == DW_ERROR_ARGUMENT);
    some[2] = 0.0;
    matrices[2][12] = 1.0;
    CHECK(dw_skin_table_fill(&table, &rest, &pose, &err) == DW_ERROR_ARGUMENT);
    matrices[2][12] = 0.0;
    matrices[3][3] = 2.0 * DW_SKIN_REACH_MAX;
    CHECK(dw_skin_table_fill(&table, &rest, &pose, &err) == DW_ERROR_ARGUMENT);
    matrices[3][3] = 0.5 * DW_SKIN_REACH_MAX;
    CHECK(dw_skin_table_fill(&table, &rest, &pose, &err) == DW_OK);
    dw_skin_table_finish(&table);
    dw_skin_rest_finish(&rest);
}

int main(void)
{
    joints_are_sorted_and_targets_keep_their_range();
    threads_change_no_bit();
    poses_that_do_not_fit_are_refused();
    CHECK(dw_alloc_live_count() == 0);
    return 0;
}
