/* SPDX-License-Identifier: MIT */
#include "passes/scene_targets.h"

#include "gpu/transfer.h"
#include "shared/scene.h"

static dw_status create_target(dw_gpu *gpu, dw_image_format format, uint32_t width, uint32_t height,
                               uint32_t samples, const char *name, dw_gpu_image *out, dw_error *err)
{
    dw_gpu_image_def def = { format, width, height, 1, 1, samples, true, name };

    return dw_gpu_image_create(gpu, &def, out, err);
}

dw_status dw_scene_targets_create(dw_gpu *gpu, const dw_scene_size *size, dw_scene_targets *out,
                                  dw_error *err)
{
    dw_scene_targets made = { .size = *size };
    uint32_t w = size->width, h = size->height, samples = size->samples;
    uint64_t pixels = (uint64_t)w * h;

    DW_TRY(
        create_target(gpu, DW_FORMAT_RGBA16_FLOAT, w, h, samples, "scene color", &made.color, err));
    DW_TRY(create_target(gpu, DW_FORMAT_RGBA8_UNORM, w, h, samples, "scene ids", &made.id, err));
    DW_TRY(create_target(gpu, DW_FORMAT_DEPTH32_FLOAT, w, h, samples, "scene depth", &made.depth,
                         err));
    DW_TRY(create_target(gpu, DW_FORMAT_DEPTH32_FLOAT, size->shadow_side, size->shadow_side, 1,
                         "shadow map", &made.shadow, err));
    DW_TRY(create_target(gpu, DW_FORMAT_DEPTH32_FLOAT, 1, 1, 1, "no shadow map", &made.no_shadow,
                         err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, size->is_accumulating ? 16 * pixels : 16,
                                       "picture sums", &made.sums, err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, 4 * pixels, "picture color", &made.out_color, err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, 4 * pixels, "picture depth", &made.out_depth, err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, 4 * pixels, "picture ids", &made.out_id, err));
    *out = made;
    return DW_OK;
fail:
    dw_scene_targets_destroy(&made);
    return err->code;
}

void dw_scene_targets_destroy(dw_scene_targets *targets)
{
    dw_gpu_image_destroy(&targets->color);
    dw_gpu_image_destroy(&targets->id);
    dw_gpu_image_destroy(&targets->depth);
    dw_gpu_image_destroy(&targets->shadow);
    dw_gpu_image_destroy(&targets->no_shadow);
    dw_gpu_buffer_destroy(&targets->sums);
    dw_gpu_buffer_destroy(&targets->out_color);
    dw_gpu_buffer_destroy(&targets->out_depth);
    dw_gpu_buffer_destroy(&targets->out_id);
}

dw_status dw_scene_mesh_create(dw_gpu *gpu, const uint32_t *vertex_words, uint32_t vertex_count,
                               const uint32_t *indices, uint32_t index_count, const dw_run *run,
                               dw_scene_mesh *out, dw_error *err)
{
    dw_scene_mesh made = { .vertex_count = vertex_count, .index_count = index_count };
    uint64_t vertex_bytes = (uint64_t)vertex_count * DW_VERTEX_WORDS * sizeof(uint32_t);
    uint64_t index_bytes = (uint64_t)index_count * sizeof(uint32_t);

    DW_TRY(dw_gpu_buffer_create_device(gpu, vertex_bytes, "mesh vertices", &made.vertices, err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, index_bytes, "mesh indices", &made.indices, err));
    DW_TRY(dw_gpu_upload(gpu, &made.vertices, 0, vertex_words, vertex_bytes, run, err));
    DW_TRY(dw_gpu_upload(gpu, &made.indices, 0, indices, index_bytes, run, err));
    *out = made;
    return DW_OK;
fail:
    dw_scene_mesh_destroy(&made);
    return err->code;
}

void dw_scene_mesh_destroy(dw_scene_mesh *mesh)
{
    dw_gpu_buffer_destroy(&mesh->vertices);
    dw_gpu_buffer_destroy(&mesh->indices);
}
