/* SPDX-License-Identifier: MIT */
#include "passes/terrain_draw.h"

#include "base/alloc.h"
#include "generated/spirv.h"
#include "gpu/transfer.h"
#include "shared/scene.h"

#include <string.h>

#define TABLE_ALIGNMENT 256u /* bytes; no device asks for more */
#define PATCH_INDICES   (6u * DW_GROUND_PATCH * DW_GROUND_PATCH)

/* Of the sun's map, in steps of depth; as other surfaces have it. */
#define SHADOW_BIAS (-2.0f)

/* The parts of the tables. */
typedef enum table {
    TABLE_LOOK,
    TABLE_LAW,
    TABLE_SURFACES,
    TABLE_COUNT,
} table;

static const uint32_t table_bytes[TABLE_COUNT] = {
    [TABLE_LOOK] = sizeof(dw_ground_look),
    [TABLE_LAW] = sizeof(struct dw_terrain_law),
    [TABLE_SURFACES] = DW_GROUND_MATERIALS * sizeof(dw_ground_surface),
};

/* Where a part begins; of TABLE_COUNT, where all end. */
static uint64_t table_offset(table part)
{
    uint64_t at = 0;

    for (int i = 0; i < (int)part; i++)
        at += (table_bytes[i] + TABLE_ALIGNMENT - 1) / TABLE_ALIGNMENT * TABLE_ALIGNMENT;
    return at;
}

/* ---- what lies on the device ---- */

/* Two triangles a quad, the diagonal from its first corner to its last. */
static void fill_indices(uint32_t indices[PATCH_INDICES])
{
    uint32_t side = DW_GROUND_PATCH + 1, at = 0;

    for (uint32_t z = 0; z < DW_GROUND_PATCH; z++) {
        for (uint32_t x = 0; x < DW_GROUND_PATCH; x++) {
            uint32_t first = z * side + x;
            uint32_t corners[] = { first, first + side,     first + side + 1,
                                   first, first + side + 1, first + 1 };

            memcpy(indices + at, corners, sizeof corners);
            at += DW_COUNT_OF(corners);
        }
    }
}

static dw_status create_filled(dw_gpu *gpu, const void *content, uint64_t size, const char *name,
                               const dw_run *run, dw_gpu_buffer *out, dw_error *err)
{
    uint64_t most = dw_gpu_get_limits(gpu)->max_storage_buffer_bytes;

    if (size > most)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "%s take %llu bytes, but buffers of this device hold at most %llu: split "
                       "the terrain",
                       name, (unsigned long long)size, (unsigned long long)most);
    DW_TRY(dw_gpu_buffer_create_device(gpu, size, name, out, err));
    return dw_gpu_upload(gpu, out, 0, content, size, run, err);
fail:
    return err->code;
}

dw_status dw_ground_set_create(dw_gpu *gpu, const dw_ground_def *def, const dw_run *run,
                               dw_ground_set *out, dw_error *err)
{
    dw_ground_set made = { .node_count = def->node_count };
    uint32_t indices[PATCH_INDICES];

    fill_indices(indices);
    DW_TRY(create_filled(gpu, def->heights, def->height_count * sizeof *def->heights,
                         "terrain heights", run, &made.heights, err));
    DW_TRY(create_filled(gpu, def->bounds, 2 * (uint64_t)def->node_count * sizeof *def->bounds,
                         "terrain bounds", run, &made.bounds, err));
    DW_TRY(create_filled(gpu, def->weights, def->weight_words * sizeof *def->weights,
                         "terrain weights", run, &made.weights, err));
    DW_TRY(create_filled(gpu, def->ranks, def->rank_words * sizeof *def->ranks, "terrain ranks",
                         run, &made.ranks, err));
    DW_TRY(create_filled(gpu, indices, sizeof indices, "terrain indices", run, &made.indices, err));
    for (int i = 0; i < 2; i++)
        DW_TRY(dw_gpu_buffer_create_device(gpu,
                                           (uint64_t)def->list_capacity * sizeof(dw_ground_node),
                                           "terrain list", &made.lists[i], err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, 2 * DW_GROUND_COMMAND_WORDS * sizeof(uint32_t),
                                       "terrain draws", &made.commands, err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, table_offset(TABLE_COUNT), "terrain tables",
                                       &made.tables, err));
    *out = made;
    return DW_OK;
fail:
    dw_ground_set_destroy(&made);
    return err->code;
}

void dw_ground_set_destroy(dw_ground_set *set)
{
    dw_gpu_buffer_destroy(&set->heights);
    dw_gpu_buffer_destroy(&set->bounds);
    dw_gpu_buffer_destroy(&set->weights);
    dw_gpu_buffer_destroy(&set->ranks);
    for (int i = 0; i < 2; i++)
        dw_gpu_buffer_destroy(&set->lists[i]);
    dw_gpu_buffer_destroy(&set->commands);
    dw_gpu_buffer_destroy(&set->tables);
    dw_gpu_buffer_destroy(&set->indices);
    set->node_count = 0;
}

/* ---- the lists ---- */

static dw_gpu_binding bind_table(const dw_ground_set *set, table part, dw_use use)
{
    return (dw_gpu_binding) { &set->tables, table_offset(part), table_bytes[part], use };
}

static void write_tables(dw_command *command, const dw_ground_draw *draw)
{
    const dw_gpu_buffer *tables = &draw->set->tables;

    DW_ASSERT(draw->surface_count >= 1 && draw->surface_count <= DW_GROUND_MATERIALS);
    dw_command_write(command, tables, table_offset(TABLE_LOOK), draw->look, sizeof *draw->look);
    dw_command_write(command, tables, table_offset(TABLE_LAW), draw->law, sizeof *draw->law);
    dw_command_write(command, tables, table_offset(TABLE_SURFACES), draw->surfaces,
                     draw->surface_count * sizeof *draw->surfaces);
}

dw_status dw_ground_cull(dw_command *command, dw_gpu *gpu, const dw_ground_draw *draw,
                         dw_error *err)
{
    static const uint32_t commands[2 * DW_GROUND_COMMAND_WORDS] = { PATCH_INDICES, 0, 0, 0, 0,
                                                                    PATCH_INDICES, 0, 0, 0, 0 };
    const dw_ground_set *set = draw->set;
    const dw_gpu_binding bindings[DW_GROUND_CULL_BINDINGS] = {
        [DW_GROUND_CULL_LOOK] = bind_table(set, TABLE_LOOK, DW_USE_COMPUTE_READ),
        [DW_GROUND_CULL_BOUNDS] = { &set->bounds, 0, 0, DW_USE_COMPUTE_READ },
        [DW_GROUND_CULL_LIST] = { &set->lists[0], 0, 0, DW_USE_COMPUTE_WRITE },
        [DW_GROUND_CULL_SUN_LIST] = { &set->lists[1], 0, 0, DW_USE_COMPUTE_WRITE },
        [DW_GROUND_CULL_COMMANDS] = { &set->commands, 0, 0, DW_USE_COMPUTE_READ_WRITE },
    };
    dw_pipeline *pipeline = NULL;
    uint32_t groups[3];

    DW_TRY(dw_pipeline_get(gpu, DW_SHADER_TERRAIN_NODES_COMP, NULL, 0, &pipeline, err));
    write_tables(command, draw);
    dw_command_write(command, &set->commands, 0, commands, sizeof commands);
    dw_groups_linear(gpu, (set->node_count + DW_GROUND_LANES - 1) / DW_GROUND_LANES, groups);
    dw_command_time_begin(command, "scene_terrain_cull");
    dw_command_dispatch(command, pipeline, bindings, DW_GROUND_CULL_BINDINGS, NULL, 0, groups);
    dw_command_time_end(command);
    return DW_OK;
fail:
    return err->code;
}

/* ---- the draws ---- */

static dw_status pipeline_of(dw_gpu *gpu, const dw_ground_picture *picture,
                             const dw_ground_draw *draw, bool is_shadow, dw_graphics_pipeline **out,
                             dw_error *err)
{
    dw_graphics_def def;

    memset(&def, 0, sizeof def); /* padding too: pipelines are found by the bytes */
    def.vertex_shader = DW_SHADER_TERRAIN_GROUND_VERT;
    def.fragment_shader = is_shadow ? DW_NO_SHADER : DW_SHADER_TERRAIN_GROUND_FRAG;
    def.spec_count = DW_GROUND_SPECS;
    memcpy(def.spec_constants, draw->constants, sizeof draw->constants);
    def.has_depth = true;
    def.samples = 1;
    def.depth = DW_DEPTH_WRITE;
    if (is_shadow) {
        memset(def.spec_constants, 0, sizeof def.spec_constants);
        def.spec_constants[DW_GROUND_SPEC_FLAGS] = DW_SCENE_IS_SHADOW;
        def.depth_bias = SHADOW_BIAS;
    } else {
        if (picture->has_shadow)
            def.spec_constants[DW_GROUND_SPEC_FLAGS] |= DW_SCENE_HAS_SHADOWS;
        def.color_count = 2;
        def.colors[0] = DW_FORMAT_RGBA16_FLOAT;
        def.colors[1] = DW_FORMAT_RGBA8_UNORM;
        def.samples = picture->targets->size.samples;
        def.culls_back = true;
    }
    return dw_graphics_get(gpu, &def, out, err);
}

dw_status dw_ground_record(dw_command *command, dw_gpu *gpu, const dw_ground_picture *picture,
                           const dw_ground_draw *draw, bool is_shadow, dw_error *err)
{
    const dw_ground_set *set = draw->set;
    dw_gpu_binding buffers[DW_GROUND_BINDINGS] = {
        [DW_GROUND_VIEW] = picture->view,
        [DW_GROUND_LOOK] = bind_table(set, TABLE_LOOK, DW_USE_SHADER_READ),
        [DW_GROUND_LAW] = bind_table(set, TABLE_LAW, DW_USE_SHADER_READ),
        [DW_GROUND_SURFACES] = bind_table(set, TABLE_SURFACES, DW_USE_SHADER_READ),
        [DW_GROUND_HEIGHTS] = { &set->heights, 0, 0, DW_USE_SHADER_READ },
        [DW_GROUND_LIST] = { &set->lists[is_shadow], 0, 0, DW_USE_SHADER_READ },
        [DW_GROUND_WEIGHTS] = { &set->weights, 0, 0, DW_USE_SHADER_READ },
        [DW_GROUND_RANKS] = { &set->ranks, 0, 0, DW_USE_SHADER_READ },
    };
    const dw_scene_targets *targets = picture->targets;
    dw_gpu_texture textures[DW_GROUND_TEXTURES];
    dw_draw call = { .inputs = { .buffers = buffers,
                                 .buffer_count = DW_GROUND_BINDINGS,
                                 .textures = textures,
                                 .texture_count = DW_GROUND_TEXTURES },
                     .indices = &set->indices,
                     .indirect = &set->commands,
                     .indirect_offset =
                         (is_shadow ? DW_GROUND_COMMAND_WORDS : 0) * sizeof(uint32_t) };

    for (int i = 0; i < DW_GROUND_SHADOW; i++) {
        const dw_scene_texture *texture = &picture->textures[draw->textures[i]];

        textures[i] = (dw_gpu_texture) { &texture->image, texture->sampler };
    }
    /* while the map is drawn it cannot be read */
    textures[DW_GROUND_SHADOW] =
        (dw_gpu_texture) { is_shadow ? &targets->no_shadow : &targets->shadow, DW_SAMPLER_SHADOW };
    DW_TRY(pipeline_of(gpu, picture, draw, is_shadow, &call.pipeline, err));
    dw_command_draw(command, &call);
    return DW_OK;
fail:
    return err->code;
}
