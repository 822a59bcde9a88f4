/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "cpu/tree.h"
#include "cpu/tree_check.h"

#include "check.h"

#include <math.h>
#include <string.h>

#define TRIANGLES 70
#define VERTICES  90
#define MANY      60000

static uint64_t random_state = 88172645463325252u;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32) % limit;
}

static const dw_tree_builder builders[] = { DW_TREE_BUILDER_HPLOC, DW_TREE_BUILDER_SAH,
                                            DW_TREE_BUILDER_MORTON };

/* Coordinates, some of them nowhere. `stride` floats a vertex, the last one with no more than 3. */
static float *make_vertices(uint32_t count, uint32_t stride)
{
    static const float odd[] = { NAN, INFINITY, -INFINITY, 1e30f, 1e-40f, -0.0f };
    size_t floats = (size_t)count * stride - (stride - 3);
    float *data;
    dw_error err;

    CHECK(DW_ALLOC(floats, &data, &err) == DW_OK);
    for (size_t i = 0; i < floats; i++)
        data[i] = random_below(200) == 0 ? odd[random_below(6)] : (float)random_below(1000) * 1e-3f;
    return data;
}

static void build_and_check(const dw_tree_source *source, dw_tree_builder builder,
                            dw_node_format format, const dw_run *run)
{
    dw_tree *tree, *copy;
    size_t size = format == DW_NODE_FORMAT_F32 ? sizeof(dw_tree_child_f32) : sizeof(dw_tree_child);
    dw_error err;

    CHECK(dw_tree_build(source, builder, format, &tree, run, &err) == DW_OK);
    CHECK(dw_tree_check(tree, tree->shape.treelet_count, &err) == DW_OK);
    CHECK(tree->shape.triangle_count == source->count && tree->shape.forced == 0);
    CHECK(tree->frame.is_empty == 1 && tree->is_over_boxes == (source->indices == NULL));
    CHECK(dw_tree_copy(tree, &copy, &err) == DW_OK);
    CHECK(memcmp(&tree->shape, &copy->shape, sizeof tree->shape) == 0);
    CHECK(memcmp(tree->nodes, copy->nodes, 2 * size * tree->shape.node_count) == 0);
    CHECK((tree->used_vertices == NULL) == (copy->used_vertices == NULL));
    dw_tree_destroy(tree);
    dw_tree_destroy(copy);
}

static void small_meshes_of_every_count(void)
{
    static uint32_t indices[3 * TRIANGLES];
    dw_run run = { 0 };

    for (uint32_t count = 0; count <= TRIANGLES; count++) {
        uint32_t stride = 3 + count % 3;
        float *data = make_vertices(VERTICES, stride);
        dw_tree_source source = { .indices = indices,
                                  .count = count,
                                  .vertices = { data, VERTICES, stride } };

        for (uint32_t i = 0; i < 3 * count; i++)
            indices[i] = random_below(count < 10 ? VERTICES : 12);
        for (int i = 0; i < 3; i++) {
            build_and_check(&source, builders[i], DW_NODE_FORMAT_QUANTIZED, &run);
            build_and_check(&source, builders[i], DW_NODE_FORMAT_F32, &run);
        }
        dw_free(data);
    }
}

static void boxes_of_every_count(void)
{
    dw_run run = { 0 };

    for (uint32_t count = 0; count <= TRIANGLES; count++) {
        float *boxes = make_vertices(2 * count + 1, 3);
        dw_tree_source source = { .count = count, .boxes = boxes };

        for (int i = 0; i < 3; i++)
            build_and_check(&source, builders[i], DW_NODE_FORMAT_F32, &run);
        dw_free(boxes);
    }
}

static void an_index_out_of_range_is_refused(void)
{
    float vertices[9] = { 0 };
    uint32_t indices[] = { 0, 1, 2, 2, 3, 1, 7, 7, 7 };
    dw_tree_source source = { .indices = indices, .count = 3, .vertices = { vertices, 3, 3 } };
    dw_tree *tree = NULL;
    dw_run run = { 0 };
    dw_error err;

    CHECK(dw_tree_build(&source, DW_TREE_BUILDER_HPLOC, DW_NODE_FORMAT_QUANTIZED, &tree, &run,
                        &err) == DW_ERROR_ARGUMENT);
    CHECK(strstr(err.text, "triangle 1 names vertex 3") != NULL && tree == NULL);
}

static bool stop_after(void *user, double fraction)
{
    int *polls = user;

    (void)fraction;
    return (*polls)-- > 0;
}

/* A large mesh by several threads, whole, then stopped at each of its polls. */
static void a_build_may_be_stopped(void)
{
    static uint32_t indices[3 * MANY];
    float *data = make_vertices(MANY, 3);
    dw_tree_source source = { .indices = indices, .count = MANY, .vertices = { data, MANY, 3 } };
    dw_pool *pool;
    dw_error err;

    CHECK(dw_pool_create(3, &pool, &err) == DW_OK);
    for (uint32_t i = 0; i < 3 * MANY; i++)
        indices[i] = random_below(MANY);
    for (int i = 0; i < 3; i++) {
        dw_status status = DW_ERROR_INTERRUPTED;

        for (int limit = 0; status != DW_OK && limit < 12; limit++) {
            int polls = limit;
            dw_run run = { .pool = pool, .poll = stop_after, .poll_user = &polls };
            dw_tree *tree = NULL;

            status =
                dw_tree_build(&source, builders[i], DW_NODE_FORMAT_QUANTIZED, &tree, &run, &err);
            CHECK(status == DW_OK || (status == DW_ERROR_INTERRUPTED && tree == NULL));
            dw_tree_destroy(tree);
        }
        build_and_check(&source, builders[i], DW_NODE_FORMAT_QUANTIZED, &(dw_run) { .pool = pool });
    }
    dw_pool_destroy(pool);
    dw_free(data);
}

int main(void)
{
    small_meshes_of_every_count();
    boxes_of_every_count();
    an_index_out_of_range_is_refused();
    a_build_may_be_stopped();
    CHECK(dw_alloc_live_count() == 0);
    return 0;
}
