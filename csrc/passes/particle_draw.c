/* SPDX-License-Identifier: MIT */
#include "passes/particle_draw.h"

#include "base/alloc.h"
#include "generated/spirv.h"
#include "gpu/transfer.h"

#include <math.h>
#include <string.h>

#define TICKS_PER_SECOND 65536u

typedef struct draw_command {
    uint32_t vertex_count, instance_count, first_vertex, first_instance;
} draw_command;

typedef struct recording {
    dw_gpu *gpu;
    dw_command *command;
    const dw_particle_picture *picture;
    const dw_particle_draws *draws;
} recording;

/* ---- constants ---- */

/* The first row of the projection, without what jitter adds along the way that it looks. */
static void fill_basis(const dw_scene_view *view, uint32_t width, dw_particle_push *to)
{
    const float *row = view->view_projection, *f = view->forward;
    double along = (double)row[0] * f[0] + (double)row[1] * f[1] + (double)row[2] * f[2];
    double right[3], length = 0.0;

    for (int i = 0; i < 3; i++) {
        right[i] = row[i] - along * f[i];
        length += right[i] * right[i];
    }
    length = sqrt(length);
    to->pixels = (float)(0.5 * width * length);
    for (int i = 0; i < 3; i++)
        to->right[i] = (float)(length > 0.0 ? right[i] / length : i == 0);
    to->up[0] = to->right[1] * f[2] - to->right[2] * f[1];
    to->up[1] = to->right[2] * f[0] - to->right[0] * f[2];
    to->up[2] = to->right[0] * f[1] - to->right[1] * f[0];
}

/* Cells that a noise of so many cells a second has risen within its period. */
static float rise(const dw_particle_draws *draws, double cells_per_second, uint32_t *period)
{
    uint32_t all = draws->loop > 0 ? draws->loop : DW_PARTICLE_FLAME_SECONDS * TICKS_PER_SECOND;
    double cells = floor(cells_per_second * all / TICKS_PER_SECOND + 0.5);

    cells = cells < 1.0 ? 1.0 : cells;
    *period = (uint32_t)cells;
    return (float)(cells * (double)(draws->tick % all) / all);
}

static dw_particle_push push_of(const recording *self, uint32_t layer)
{
    const dw_particle_style *style = &self->draws->styles[layer];
    dw_particle_push push = { .layer = layer,
                              .sharpness = style->sharpness,
                              .aspect = style->aspect,
                              .soft = style->soft > 0.0f ? 1.0f / style->soft : 0.0f,
                              .stretch = style->stretch,
                              .glow = style->glow,
                              .columns = style->columns,
                              .rows = style->rows };

    fill_basis(self->picture->view_record, self->picture->targets->size.width, &push);
    push.risen = rise(self->draws, 3.0, &push.period);
    push.risen_fine = rise(self->draws, 4.2, &push.period_fine);
    return push;
}

static uint32_t flags_of(const recording *self, const dw_particle_style *style)
{
    uint32_t flags = style->flags & (DW_STYLE_IS_LIT | DW_STYLE_IS_LINEAR);

    if (style->soft > 0.0f)
        flags |= DW_STYLE_IS_SOFT;
    if (self->picture->has_shadow && (flags & DW_STYLE_IS_LIT) != 0)
        flags |= DW_STYLE_HAS_SHADOWS;
    return flags;
}

static void fill_constants(const recording *self, const dw_particle_style *style,
                           uint32_t constants[DW_PARTICLE_SPEC_COUNT])
{
    constants[DW_PARTICLE_SPEC_BLEND] = style->blend;
    constants[DW_PARTICLE_SPEC_FACE] = style->face;
    constants[DW_PARTICLE_SPEC_IMAGE] = style->image;
    constants[DW_PARTICLE_SPEC_FLAGS] = flags_of(self, style);
    constants[DW_PARTICLE_SPEC_SAMPLES] = self->picture->targets->size.samples;
}

static dw_status pipeline_of(const recording *self, const dw_particle_style *style,
                             dw_graphics_pipeline **out, dw_error *err)
{
    uint32_t samples = self->picture->targets->size.samples;
    dw_graphics_def def;

    memset(&def, 0, sizeof def); /* padding too: pipelines are found by the bytes */
    if ((style->flags & DW_STYLE_IS_BARE) != 0) {
        def.vertex_shader = DW_SHADER_PARTICLE_BARE_VERT;
        def.fragment_shader = DW_SHADER_PARTICLE_BARE_FRAG;
    } else {
        def.vertex_shader = DW_SHADER_PARTICLE_VERT;
        def.fragment_shader = samples > 1 ? DW_SHADER_PARTICLE_MS_FRAG : DW_SHADER_PARTICLE_FRAG;
        def.spec_count = DW_PARTICLE_SPEC_COUNT;
        fill_constants(self, style, def.spec_constants);
    }
    def.color_count = 1;
    def.colors[0] = DW_FORMAT_RGBA16_FLOAT;
    def.has_depth = true;
    def.samples = samples;
    def.is_strip = true;
    def.depth = DW_DEPTH_TEST;
    def.blend = style->blend == DW_PARTICLE_BLEND_ADD ? DW_BLEND_ADD : DW_BLEND_ALPHA;
    return dw_graphics_get(self->gpu, &def, out, err);
}

/* ---- draws ---- */

/* What the shaders of a layer's draw are given; it points into itself. */
typedef struct layer_inputs {
    dw_gpu_binding buffers[DW_PARTICLE_DRAW_BINDINGS];
    dw_gpu_texture textures[DW_PARTICLE_DRAW_TEXTURES];
    dw_particle_push push;
    dw_gpu_inputs inputs;
} layer_inputs;

static void fill_inputs(const recording *self, uint32_t layer, layer_inputs *to)
{
    const dw_particle_draws *draws = self->draws;
    const dw_particle_picture *picture = self->picture;
    const dw_particle_style *style = &draws->styles[layer];
    const dw_gpu_image *shadow = &picture->targets->shadow;
    bool is_bare = (style->flags & DW_STYLE_IS_BARE) != 0;

    to->buffers[DW_PARTICLE_DRAW_VIEW] = picture->view;
    to->buffers[DW_PARTICLE_DRAW_SPRITES] =
        (dw_gpu_binding) { draws->sprites, 0, 0, DW_USE_SHADER_READ };
    to->buffers[DW_PARTICLE_DRAW_LIST] = (dw_gpu_binding) { draws->list, 0, 0, DW_USE_SHADER_READ };
    to->buffers[DW_PARTICLE_DRAW_SPANS] =
        (dw_gpu_binding) { draws->spans, 0, 0, DW_USE_SHADER_READ };
    to->textures[DW_PARTICLE_DRAW_DEPTH] =
        (dw_gpu_texture) { &picture->targets->depth, DW_SAMPLER_NEAREST };
    to->textures[DW_PARTICLE_DRAW_SHADOW] = (dw_gpu_texture) { shadow, DW_SAMPLER_SHADOW };
    to->textures[DW_PARTICLE_DRAW_IMAGE] = (dw_gpu_texture) { shadow, DW_SAMPLER_NEAREST };
    if (style->image == DW_PARTICLE_IMAGE_TEXTURE) {
        const dw_scene_texture *image = &picture->textures[style->texture];

        to->textures[DW_PARTICLE_DRAW_IMAGE] = (dw_gpu_texture) { &image->image, image->sampler };
    }
    to->push = push_of(self, layer);
    to->inputs = (dw_gpu_inputs) { .buffers = to->buffers,
                                   .buffer_count = is_bare ? 0 : DW_PARTICLE_DRAW_BINDINGS,
                                   .textures = to->textures,
                                   .texture_count = is_bare ? 0 : DW_PARTICLE_DRAW_TEXTURES,
                                   .push = &to->push,
                                   .push_bytes = sizeof to->push };
}

static bool adds_specks(const recording *self, uint32_t layer)
{
    return (self->draws->used & self->draws->specks) >> layer & 1;
}

static dw_status draw_layer(const recording *self, uint32_t layer, dw_error *err)
{
    const dw_particle_draws *draws = self->draws;
    layer_inputs given;
    dw_draw draw = { .indirect = draws->commands, .indirect_offset = layer * sizeof(draw_command) };

    fill_inputs(self, layer, &given);
    if (adds_specks(self, layer)) {
        given.buffers[DW_PARTICLE_DRAW_LIST].buffer = &draws->speck_buffers->list;
        draw.indirect = &draws->speck_buffers->commands;
    }
    draw.inputs = given.inputs;
    DW_TRY(pipeline_of(self, &draws->styles[layer], &draw.pipeline, err));
    dw_command_draw(self->command, &draw);
    return DW_OK;
fail:
    return err->code;
}

/* What adds looks the same in any order, and is seen through nothing: it comes last. */
static dw_status draw_all(const recording *self, dw_error *err)
{
    static const uint32_t order[] = { DW_PARTICLE_BLEND_SORTED, DW_PARTICLE_BLEND_PREMULTIPLIED,
                                      DW_PARTICLE_BLEND_ADD };

    for (size_t i = 0; i < DW_COUNT_OF(order); i++) {
        for (uint32_t layer = 0; layer < self->draws->layer_count; layer++) {
            if ((self->draws->used >> layer & 1) != 0 &&
                self->draws->styles[layer].blend == order[i])
                DW_TRY(draw_layer(self, layer, err));
        }
    }
    return DW_OK;
fail:
    return err->code;
}

/* ---- specks ---- */

bool dw_particle_adds_specks(const dw_particle_style *style, uint64_t particles)
{
    return style->blend == DW_PARTICLE_BLEND_ADD && style->face == DW_PARTICLE_FACE_CAMERA &&
           style->image == DW_PARTICLE_IMAGE_GLOW && (style->flags & DW_STYLE_IS_LIT) == 0 &&
           (style->flags & (DW_STYLE_IS_BARE | DW_STYLE_NO_SPECKS)) == 0 &&
           (particles >= DW_SPECK_LEAST || (style->flags & DW_STYLE_IS_SPECKS) != 0);
}

bool dw_particle_has_specks(const dw_particle_draws *draws, uint32_t draw_count)
{
    for (uint32_t i = 0; i < draw_count; i++) {
        if ((draws[i].used & draws[i].specks) != 0)
            return true;
    }
    return false;
}

/* Into the sums, which are cleared by the first layer that has some. */
static dw_status sum_specks(const recording *self, bool *is_cleared, dw_error *err)
{
    uint32_t constants[DW_PARTICLE_SPEC_COUNT];
    layer_inputs given;

    for (uint32_t layer = 0; layer < self->draws->layer_count; layer++) {
        if (!adds_specks(self, layer))
            continue;
        if (!*is_cleared)
            dw_command_fill(self->command, self->picture->speck_sums, 0, 0, 0);
        *is_cleared = true;
        fill_inputs(self, layer, &given);
        fill_constants(self, &self->draws->styles[layer], constants);
        DW_TRY(dw_particle_specks_record(self->command, self->gpu, self->draws->speck_buffers,
                                         &given.inputs, self->picture->speck_sums, constants, layer,
                                         err));
    }
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_particle_draw_record(dw_command *command, dw_gpu *gpu,
                                  const dw_particle_picture *picture,
                                  const dw_particle_draws *draws, uint32_t draw_count,
                                  dw_error *err)
{
    dw_render_def pass = { .colors = { { .image = &picture->targets->color } },
                           .color_count = 1,
                           .depth = { .image = &picture->targets->depth, .is_read_only = true } };
    recording self = { gpu, command, picture, draws };
    bool is_cleared = false;
    uint64_t used = 0;

    for (uint32_t i = 0; i < draw_count; i++)
        used |= draws[i].used;
    if (used == 0)
        return DW_OK;
    dw_command_time_begin(command, "scene_particles");
    for (uint32_t i = 0; i < draw_count; i++) {
        self.draws = &draws[i];
        DW_TRY(sum_specks(&self, &is_cleared, err));
    }
    dw_command_render_begin(command, &pass);
    for (uint32_t i = 0; i < draw_count; i++) {
        self.draws = &draws[i];
        DW_TRY(draw_all(&self, err));
    }
    dw_command_render_end(command);
    dw_command_time_end(command);
    return DW_OK;
fail:
    return err->code;
}

/* ---- sprites of one's own ---- */

static dw_status create_filled(dw_gpu *gpu, const void *content, uint64_t size, const char *name,
                               const dw_run *run, dw_gpu_buffer *out, dw_error *err)
{
    DW_TRY(dw_gpu_buffer_create_device(gpu, size > 0 ? size : 4, name, out, err));
    return size > 0 ? dw_gpu_upload(gpu, out, 0, content, size, run, err) : DW_OK;
fail:
    return err->code;
}

dw_status dw_sprite_set_create(dw_gpu *gpu, const dw_particle_sprite *sprites,
                               const uint32_t *counts, uint32_t layer_count, const dw_run *run,
                               dw_sprite_set *out, dw_error *err)
{
    dw_particle_span spans[DW_PARTICLE_LAYERS_MAX] = { { 0 } };
    draw_command commands[DW_PARTICLE_LAYERS_MAX] = { { 0 } };
    dw_sprite_set made = { .layer_count = layer_count };
    uint32_t *list = NULL, total = 0;

    DW_ASSERT(layer_count <= DW_PARTICLE_LAYERS_MAX);
    for (uint32_t i = 0; i < layer_count; i++) {
        spans[i] = (dw_particle_span) { .first = total, .count = counts[i] };
        commands[i] = (draw_command) { 4, counts[i], 0, 0 };
        made.counts[i] = counts[i];
        made.used |= counts[i] > 0 ? (uint64_t)1 << i : 0;
        total += counts[i];
    }
    DW_TRY(dw_alloc_array(total > 0 ? total : 1, sizeof *list, "sprites", (void **)&list, err));
    for (uint32_t i = 0; i < total; i++)
        list[i] = i;
    DW_TRY(create_filled(gpu, sprites, (uint64_t)total * sizeof *sprites, "sprites", run,
                         &made.sprites, err));
    DW_TRY(create_filled(gpu, list, (uint64_t)total * sizeof *list, "sprite list", run, &made.list,
                         err));
    DW_TRY(create_filled(gpu, spans, sizeof spans, "sprite spans", run, &made.spans, err));
    DW_TRY(create_filled(gpu, commands, sizeof commands, "sprite draws", run, &made.commands, err));
    dw_free(list);
    *out = made;
    return DW_OK;
fail:
    dw_free(list);
    dw_sprite_set_destroy(&made);
    return err->code;
}

void dw_sprite_set_destroy(dw_sprite_set *set)
{
    dw_gpu_buffer_destroy(&set->sprites);
    dw_gpu_buffer_destroy(&set->list);
    dw_gpu_buffer_destroy(&set->spans);
    dw_gpu_buffer_destroy(&set->commands);
}
