/* SPDX-License-Identifier: MIT */
#include "passes/scene_pass.h"

#include "generated/spirv.h"

#include <string.h>

/* In steps of a float depth near 1 and per slope; negative: away from the sun, as depth is
 * reversed. */
#define SHADOW_BIAS (-2.0f)

typedef struct recording {
    dw_gpu *gpu;
    dw_command *command;
    const dw_scene_targets *targets;
    const dw_scene_inputs *inputs;
    uint32_t sub_frame;
    bool is_shadow; /* the sun's map is drawn */
} recording;

static dw_gpu_binding bind_range(const dw_gpu_buffer *buffer, dw_scene_range range)
{
    return (dw_gpu_binding) { buffer, range.offset, range.size, DW_USE_SHADER_READ };
}

static dw_gpu_binding bind_whole(const dw_gpu_buffer *buffer)
{
    return (dw_gpu_binding) { buffer, 0, 0, DW_USE_SHADER_READ };
}

static dw_scene_range view_range(const recording *self)
{
    return (dw_scene_range) { self->inputs->views.offset +
                                  (uint64_t)self->sub_frame * DW_SCENE_VIEW_STRIDE,
                              sizeof(dw_scene_view) };
}

static void bind_scene(const recording *self, const dw_scene_item *item,
                       dw_gpu_binding bindings[DW_SCENE_BINDINGS])
{
    const dw_scene_inputs *inputs = self->inputs;
    dw_gpu_binding unused = bind_range(inputs->frame, view_range(self));

    bindings[DW_SCENE_VIEW] = unused;
    bindings[DW_SCENE_MATERIALS] = bind_range(inputs->frame, inputs->materials);
    bindings[DW_SCENE_VERTICES] = bind_whole(&inputs->meshes[item->mesh].vertices);
    bindings[DW_SCENE_RANKS] = bind_whole(inputs->ranks);
    if (item->forest == DW_SCENE_NONE) {
        bindings[DW_SCENE_TRANSFORMS] = bind_range(inputs->frame, inputs->transforms);
        bindings[DW_SCENE_ROWS] = bind_range(inputs->frame, inputs->words);
        bindings[DW_SCENE_LISTS] = unused;
        bindings[DW_SCENE_BUCKETS] = unused;
        bindings[DW_SCENE_STATES] = unused;
    } else {
        dw_forest_table_buffers table = dw_forest_gpu_table(inputs->forests[item->forest]);
        dw_forest_view_buffers lists =
            dw_forest_gpu_view(inputs->forests[item->forest], self->is_shadow);

        bindings[DW_SCENE_TRANSFORMS] = bind_whole(table.transforms);
        bindings[DW_SCENE_ROWS] = bind_whole(table.infos);
        bindings[DW_SCENE_LISTS] = bind_whole(lists.entries);
        bindings[DW_SCENE_BUCKETS] = bind_whole(lists.buckets);
        bindings[DW_SCENE_STATES] = bind_whole(table.states);
    }
}

/* The sun's map looks at alpha alone, and needs no sharp one. */
static dw_gpu_texture texture_of(const recording *self, uint32_t index)
{
    const dw_scene_texture *texture = &self->inputs->textures[index];
    dw_sampler sampler = texture->sampler;

    if (self->is_shadow && sampler >= DW_SAMPLER_SHARP)
        sampler = (dw_sampler)(sampler - DW_SAMPLER_SHARP);
    return (dw_gpu_texture) { &texture->image, sampler };
}

/* The flags that the sun's map looks at. */
static uint32_t shadow_flags(uint32_t flags)
{
    uint32_t kept = DW_SCENE_IS_FOREST | DW_SCENE_IS_FADING | DW_SCENE_IS_MASKED |
                    DW_SCENE_IS_IMPOSTER | DW_SCENE_IS_DIRECTED;

    return (flags & kept) | DW_SCENE_IS_SHADOW;
}

/* Draws into the picture's targets. Zeroed in place, padding too: pipelines are found by the bytes.
 */
static void define_picture(const recording *self, uint32_t vertex_shader, uint32_t fragment_shader,
                           dw_depth_mode depth, dw_graphics_def *def)
{
    memset(def, 0, sizeof *def);
    def->vertex_shader = vertex_shader;
    def->fragment_shader = fragment_shader;
    def->color_count = 2;
    def->colors[0] = DW_FORMAT_RGBA16_FLOAT;
    def->colors[1] = DW_FORMAT_RGBA8_UNORM;
    def->has_depth = true;
    def->samples = self->targets->size.samples;
    def->depth = depth;
}

static dw_status pipeline_of(const recording *self, const dw_scene_item *item,
                             dw_graphics_pipeline **out, dw_error *err)
{
    bool is_cut = (item->flags & (DW_SCENE_IS_MASKED | DW_SCENE_IS_FADING)) != 0;
    bool is_blended = item->stage == DW_SCENE_STAGE_BLENDED;
    dw_graphics_def def;

    define_picture(self, DW_SHADER_SCENE_VERT,
                   is_cut ? DW_SHADER_SCENE_CUT_FRAG : DW_SHADER_SCENE_OPAQUE_FRAG,
                   is_blended ? DW_DEPTH_TEST : DW_DEPTH_WRITE, &def);
    def.spec_count = DW_SCENE_SPEC_COUNT;
    def.spec_constants[DW_SCENE_SPEC_FLAGS] = item->flags;
    def.spec_constants[DW_SCENE_SPEC_SAMPLES] = self->targets->size.samples;
    def.blend = is_blended ? DW_BLEND_ALPHA : DW_BLEND_NONE;
    def.culls_back = !item->is_two_sided;
    def.is_mirrored = item->is_mirrored != 0;
    if (self->is_shadow) {
        def.fragment_shader = is_cut ? DW_SHADER_SCENE_SHADOW_FRAG : DW_NO_SHADER;
        def.spec_constants[DW_SCENE_SPEC_FLAGS] = shadow_flags(item->flags);
        def.spec_constants[DW_SCENE_SPEC_SAMPLES] = 1;
        def.color_count = 0;
        def.colors[0] = def.colors[1] = (dw_image_format)0;
        def.samples = 1;
        def.culls_back = def.is_mirrored = false;
        def.depth_bias = SHADOW_BIAS;
    } else if (self->inputs->has_shadow) {
        def.spec_constants[DW_SCENE_SPEC_FLAGS] |= DW_SCENE_HAS_SHADOWS;
    }
    return dw_graphics_get(self->gpu, &def, out, err);
}

/* The members of an item that are the constants of its draw. */
static dw_scene_push push_of(const dw_scene_item *item)
{
    dw_scene_push push;

#define COPY(type, name, count) memcpy(&push.name, &item->name, sizeof push.name);
    DW_SCENE_PUSH_FIELDS(COPY)
#undef COPY
    return push;
}

static dw_status draw_item(const recording *self, const dw_scene_item *item, dw_error *err)
{
    const dw_scene_inputs *inputs = self->inputs;
    dw_gpu_binding bindings[DW_SCENE_BINDINGS];
    /* while the map is drawn it cannot be read */
    dw_gpu_texture textures[DW_SCENE_TEXTURES] = {
        [DW_SCENE_BASE_TEXTURE] = texture_of(self, item->base_texture),
        [DW_SCENE_NORMAL_TEXTURE] = texture_of(self, item->normal_texture),
        [DW_SCENE_SHADOW_TEXTURE] = { self->is_shadow ? &self->targets->no_shadow
                                                      : &self->targets->shadow,
                                      DW_SAMPLER_SHADOW },
    };
    dw_scene_push push = push_of(item);
    dw_draw draw = {
        .inputs = { .buffers = bindings,
                    .buffer_count = DW_SCENE_BINDINGS,
                    .textures = textures,
                    .texture_count = DW_SCENE_TEXTURES,
                    .push = &push,
                    .push_bytes = sizeof push },
        .indices = &inputs->meshes[item->mesh].indices,
        .count = inputs->meshes[item->mesh].index_count,
        .instance_count = item->instance_count,
    };

    bind_scene(self, item, bindings);
    if (item->forest != DW_SCENE_NONE) {
        draw.indirect = dw_forest_gpu_view(inputs->forests[item->forest], self->is_shadow).commands;
        draw.indirect_offset = (uint64_t)item->command * sizeof(dw_forest_command);
    }
    DW_TRY(pipeline_of(self, item, &draw.pipeline, err));
    dw_command_draw(self->command, &draw);
    return DW_OK;
fail:
    return err->code;
}

static dw_status draw_stage(const recording *self, uint32_t stage, const char *name, dw_error *err)
{
    dw_command_time_begin(self->command, name);
    for (uint32_t i = 0; i < self->inputs->item_count; i++) {
        const dw_scene_item *item = &self->inputs->items[i];

        if (item->stage == stage && item->is_in_view && draw_item(self, item, err) != DW_OK)
            return err->code;
    }
    dw_command_time_end(self->command);
    return DW_OK;
}

static dw_status draw_grounds(const recording *self, dw_error *err)
{
    const dw_scene_inputs *inputs = self->inputs;
    dw_ground_picture picture = { .targets = self->targets,
                                  .view = bind_range(inputs->frame, view_range(self)),
                                  .textures = inputs->textures,
                                  .has_shadow = inputs->has_shadow };

    if (inputs->ground_count == 0)
        return DW_OK;
    dw_command_time_begin(self->command,
                          self->is_shadow ? "scene_terrain_shadow" : "scene_terrain");
    for (uint32_t i = 0; i < inputs->ground_count; i++) {
        if (!self->is_shadow || inputs->grounds[i].casts_shadow)
            DW_TRY(dw_ground_record(self->command, self->gpu, &picture, &inputs->grounds[i],
                                    self->is_shadow, err));
    }
    dw_command_time_end(self->command);
    return DW_OK;
fail:
    return err->code;
}

static dw_status draw_shadow(recording *self, dw_error *err)
{
    dw_render_def pass = { .depth = { &self->targets->shadow, true, { { 0 } }, false } };

    self->is_shadow = true;
    dw_command_time_begin(self->command, "scene_shadow");
    dw_command_render_begin(self->command, &pass);
    for (uint32_t i = 0; i < self->inputs->item_count; i++) {
        const dw_scene_item *item = &self->inputs->items[i];

        if (item->casts_shadow && draw_item(self, item, err) != DW_OK)
            return err->code;
    }
    if (draw_grounds(self, err) != DW_OK)
        return err->code;
    dw_command_render_end(self->command);
    dw_command_time_end(self->command);
    self->is_shadow = false;
    return DW_OK;
}

static dw_status draw_sky(const recording *self, dw_error *err)
{
    dw_gpu_binding view = bind_range(self->inputs->frame, view_range(self));
    dw_draw draw = { .inputs = { .buffers = &view, .buffer_count = 1 },
                     .count = 3,
                     .instance_count = 1 };
    dw_graphics_def def;

    define_picture(self, DW_SHADER_SCENE_SKY_VERT, DW_SHADER_SCENE_SKY_FRAG, DW_DEPTH_TEST, &def);
    DW_TRY(dw_graphics_get(self->gpu, &def, &draw.pipeline, err));
    dw_command_time_begin(self->command, "scene_sky");
    dw_command_draw(self->command, &draw);
    dw_command_time_end(self->command);
    return DW_OK;
fail:
    return err->code;
}

static dw_status draw_surfaces(const recording *self, dw_error *err)
{
    const dw_scene_targets *targets = self->targets;
    dw_render_def pass = {
        .colors = { { &targets->color, true, { { 0 } }, false },
                    { &targets->id, true, { { 0 } }, false } },
        .color_count = 2,
        .depth = { &targets->depth, true, { { 0 } }, false },
    };

    memcpy(pass.colors[0].clear.color, self->inputs->clear, sizeof self->inputs->clear);
    dw_command_render_begin(self->command, &pass);
    DW_TRY(draw_stage(self, DW_SCENE_STAGE_SOLID, "scene_solid", err));
    DW_TRY(draw_grounds(self, err)); /* dear fragments: behind what hides them */
    DW_TRY(draw_stage(self, DW_SCENE_STAGE_CUT, "scene_cut", err));
    if (self->inputs->has_sky)
        DW_TRY(draw_sky(self, err));
    DW_TRY(draw_stage(self, DW_SCENE_STAGE_BLENDED, "scene_blended", err));
    dw_command_render_end(self->command);
    return DW_OK;
fail:
    return err->code;
}

static dw_status draw_particles(const recording *self, dw_error *err)
{
    const dw_scene_inputs *inputs = self->inputs;
    dw_particle_picture picture = { .targets = self->targets,
                                    .view = bind_range(inputs->frame, view_range(self)),
                                    .view_record = &inputs->view_records[self->sub_frame],
                                    .textures = inputs->textures,
                                    .speck_sums = inputs->speck_sums,
                                    .has_shadow = inputs->has_shadow };

    return dw_particle_draw_record(self->command, self->gpu, &picture, inputs->particles,
                                   inputs->particle_count, err);
}

static dw_status resolve(const recording *self, dw_error *err)
{
    const dw_scene_targets *targets = self->targets;
    uint32_t samples = targets->size.samples;
    bool has_specks = dw_particle_has_specks(self->inputs->particles, self->inputs->particle_count);
    uint32_t constants[] = { samples, has_specks };
    uint32_t shader = samples > 1 ? DW_SHADER_SCENE_RESOLVE_MS_COMP : DW_SHADER_SCENE_RESOLVE_COMP;
    dw_scene_range view = view_range(self);
    dw_gpu_binding buffers[] = {
        { self->inputs->frame, view.offset, view.size, DW_USE_COMPUTE_READ },
        { &targets->sums, 0, 0, DW_USE_COMPUTE_READ_WRITE },
        { &targets->out_color, 0, 0, DW_USE_COMPUTE_WRITE },
        { &targets->out_depth, 0, 0, DW_USE_COMPUTE_WRITE },
        { &targets->out_id, 0, 0, DW_USE_COMPUTE_WRITE },
        { self->inputs->frame, view.offset, view.size, DW_USE_COMPUTE_READ },
    };
    dw_gpu_texture textures[] = {
        { &targets->color, DW_SAMPLER_NEAREST },
        { &targets->depth, DW_SAMPLER_NEAREST },
        { &targets->id, DW_SAMPLER_NEAREST },
    };
    dw_gpu_inputs inputs = { .buffers = buffers,
                             .buffer_count = DW_COUNT_OF(buffers),
                             .textures = textures,
                             .texture_count = DW_COUNT_OF(textures) };
    uint32_t groups[3] = { (targets->size.width + 7) / 8, (targets->size.height + 7) / 8, 1 };
    dw_pipeline *pipeline = NULL;

    if (has_specks)
        buffers[5] = (dw_gpu_binding) { self->inputs->speck_sums, 0, 0, DW_USE_COMPUTE_READ };
    DW_TRY(dw_pipeline_get(self->gpu, shader, constants, 2, &pipeline, err));
    dw_command_time_begin(self->command, "scene_resolve");
    dw_command_dispatch_inputs(self->command, pipeline, &inputs, groups);
    dw_command_time_end(self->command);
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_scene_record(dw_command *command, dw_gpu *gpu, dw_scene_targets *targets,
                          const dw_scene_inputs *inputs, uint32_t sub_frame, dw_error *err)
{
    recording self = {
        .gpu = gpu, .command = command, .targets = targets, .inputs = inputs, .sub_frame = sub_frame
    };

    if (inputs->has_shadow && sub_frame == 0)
        DW_TRY(draw_shadow(&self, err));
    DW_TRY(draw_surfaces(&self, err));
    DW_TRY(draw_particles(&self, err));
    DW_TRY(resolve(&self, err));
    return DW_OK;
fail:
    return err->code;
}
