/* SPDX-License-Identifier: MIT */
#include "systems/scene_trees_background.h"

#include "base/alloc.h"
#include "base/platform.h"

#include <stdatomic.h>
#include <string.h>

struct dw_background_build {
    dw_tree_source source;
    dw_tree_builder builder;
    dw_node_format format;
    float *positions;
    dw_thread thread;
    atomic_bool is_done, is_cancelled;

    dw_tree *tree;
    dw_status status;
    dw_error err;
    double milliseconds;
};

static bool go_on(void *user, double fraction)
{
    dw_background_build *build = user;

    (void)fraction;
    return !atomic_load(&build->is_cancelled);
}

static void run_build(void *argument)
{
    dw_background_build *build = argument;
    dw_run run = { .poll = go_on, .poll_user = build };
    double begin = dw_platform_seconds();

    build->status = dw_tree_build(&build->source, build->builder, build->format, &build->tree, &run,
                                  &build->err);
    build->milliseconds = (dw_platform_seconds() - begin) * 1e3;
    atomic_store(&build->is_done, true);
}

static void finish(dw_background_build *build)
{
    dw_thread_join(&build->thread);
    dw_free(build->positions);
    dw_free(build);
}

dw_status dw_background_begin(const dw_tree_source *source, dw_tree_builder builder,
                              dw_node_format format, dw_background_build **out, dw_error *err)
{
    const dw_tree_vertices *from = &source->vertices;
    dw_background_build *build = NULL;

    DW_TRY(DW_ALLOC_ZEROED(1, &build, err));
    DW_TRY(DW_ALLOC(from->count * (size_t)3, &build->positions, err));
    for (uint64_t i = 0; i < from->count; i++)
        memcpy(build->positions + 3 * i, from->data + i * from->stride, 3 * sizeof(float));
    build->source = *source;
    build->source.vertices = (dw_tree_vertices) { build->positions, from->count, 3 };
    build->builder = builder;
    build->format = format;
    if (!dw_thread_start(&build->thread, run_build, build)) {
        dw_fail_memory(err, "thread of a tree's build", sizeof(dw_thread));
        goto fail;
    }
    *out = build;
    return DW_OK;
fail:
    if (build != NULL)
        dw_free(build->positions);
    dw_free(build);
    return err->code;
}

bool dw_background_is_done(dw_background_build *build)
{
    return atomic_load(&build->is_done);
}

dw_status dw_background_take(dw_background_build *build, dw_tree **out, double *milliseconds,
                             dw_error *err)
{
    dw_status status;

    dw_thread_join(&build->thread);
    status = build->status;
    if (status == DW_OK) {
        *out = build->tree;
        *milliseconds = build->milliseconds;
    } else {
        *err = build->err;
    }
    finish(build);
    return status;
}

void dw_background_cancel(dw_background_build *build)
{
    if (build == NULL)
        return;
    atomic_store(&build->is_cancelled, true);
    dw_thread_join(&build->thread);
    if (build->status == DW_OK)
        dw_tree_destroy(build->tree);
    finish(build);
}
