/* SPDX-License-Identifier: MIT */
#include "systems/renderer.h"

#include "base/alloc.h"
#include "gpu/transfer.h"

#include <string.h>

#define RANGE_ALIGNMENT  256 /* bytes; no device asks for more */
#define PARTS_MAX        512 /* levels of all layers of a texture */
#define SUB_FRAMES_AHEAD 4   /* sub-frames on the queue before the host waits for one */

struct dw_renderer {
    dw_gpu *gpu;
    dw_scene_targets targets;
    dw_scene_mesh *meshes; /* a removed one has no indices */
    uint32_t mesh_count, mesh_capacity;
    dw_scene_texture *textures; /* a removed one has no record */
    uint32_t texture_count, texture_capacity;
    dw_sprite_set *sprite_sets; /* a removed one has no layers */
    uint32_t sprite_set_count, sprite_set_capacity;
    dw_ground_set *grounds; /* a removed one has no nodes */
    uint32_t ground_count, ground_capacity;
    dw_particle_specks specks[DW_RENDERER_PARTICLES_MAX];
    dw_gpu_buffer speck_sums;
    dw_gpu_buffer ranks;
    dw_gpu_buffer frame;
    uint8_t *frame_host; /* what the frame's buffer gets */
    uint64_t frame_host_bytes;
};

dw_status dw_renderer_create(dw_device *device, const dw_scene_size *size, dw_renderer **out,
                             dw_error *err)
{
    dw_renderer *renderer = NULL;

    *out = NULL;
    if (dw_device_gpu(device) == NULL)
        return dw_fail(err, DW_ERROR_DEVICE_NOT_FOUND,
                       "device: rendering needs a Vulkan device, got the native one; choose "
                       "Device(\"gpu\") or Device(\"software\") (Debian and Ubuntu: apt install "
                       "mesa-vulkan-drivers)");
    DW_TRY(DW_ALLOC_ZEROED(1, &renderer, err));
    renderer->gpu = dw_device_gpu(device);
    DW_TRY(dw_scene_targets_create(renderer->gpu, size, &renderer->targets, err));
    *out = renderer;
    return DW_OK;
fail:
    dw_renderer_destroy(renderer);
    return err->code;
}

void dw_renderer_destroy(dw_renderer *renderer)
{
    if (renderer == NULL)
        return;
    for (uint32_t i = 0; i < renderer->mesh_count; i++)
        dw_scene_mesh_destroy(&renderer->meshes[i]);
    for (uint32_t i = 0; i < renderer->texture_count; i++)
        dw_gpu_image_destroy(&renderer->textures[i].image);
    for (uint32_t i = 0; i < renderer->sprite_set_count; i++)
        dw_sprite_set_destroy(&renderer->sprite_sets[i]);
    for (uint32_t i = 0; i < renderer->ground_count; i++)
        dw_ground_set_destroy(&renderer->grounds[i]);
    for (uint32_t i = 0; i < DW_RENDERER_PARTICLES_MAX; i++)
        dw_particle_specks_destroy(&renderer->specks[i]);
    dw_gpu_buffer_destroy(&renderer->speck_sums);
    dw_scene_targets_destroy(&renderer->targets);
    dw_gpu_buffer_destroy(&renderer->ranks);
    dw_gpu_buffer_destroy(&renderer->frame);
    dw_free(renderer->meshes);
    dw_free(renderer->textures);
    dw_free(renderer->sprite_sets);
    dw_free(renderer->grounds);
    dw_free(renderer->frame_host);
    dw_free(renderer);
}

const dw_scene_size *dw_renderer_size(const dw_renderer *renderer)
{
    return &renderer->targets.size;
}

/* ---- meshes and textures ---- */

/* Room for one more element; what is new is zero. */
static dw_status reserve(void **array, uint32_t count, uint32_t *capacity, size_t element_size,
                         dw_error *err)
{
    uint32_t wanted = *capacity < 16 ? 16 : 2 * *capacity;
    void *larger = NULL;

    if (count < *capacity)
        return DW_OK;
    DW_TRY(dw_alloc_array_zeroed(wanted, element_size, "renderer table", &larger, err));
    if (count > 0)
        memcpy(larger, *array, count * element_size);
    dw_free(*array);
    *array = larger;
    *capacity = wanted;
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_renderer_add_mesh(dw_renderer *renderer, const uint32_t *vertex_words,
                               uint32_t vertex_count, const uint32_t *indices, uint32_t index_count,
                               const dw_run *run, uint32_t *out, dw_error *err)
{
    uint32_t at = 0;

    while (at < renderer->mesh_count && renderer->meshes[at].index_count != 0)
        at++;
    DW_TRY(reserve((void **)&renderer->meshes, at, &renderer->mesh_capacity,
                   sizeof *renderer->meshes, err));
    DW_TRY(dw_scene_mesh_create(renderer->gpu, vertex_words, vertex_count, indices, index_count,
                                run, &renderer->meshes[at], err));
    if (at == renderer->mesh_count)
        renderer->mesh_count++;
    *out = at;
    return DW_OK;
fail:
    return err->code;
}

void dw_renderer_remove_mesh(dw_renderer *renderer, uint32_t handle)
{
    if (handle >= renderer->mesh_count)
        return;
    dw_scene_mesh_destroy(&renderer->meshes[handle]);
    renderer->meshes[handle].index_count = 0;
}

static dw_status create_texture(dw_gpu *gpu, const dw_texture_def *def, dw_scene_texture *out,
                                dw_error *err)
{
    uint32_t layers = def->layer_count > 1 ? def->layer_count : 1;
    dw_gpu_image_def image = {
        .format = def->is_half   ? DW_FORMAT_RGBA16_FLOAT
                  : def->is_srgb ? DW_FORMAT_RGBA8_SRGB
                                 : DW_FORMAT_RGBA8_UNORM,
        .width = def->width,
        .height = def->height,
        .levels = def->level_count,
        .layers = layers,
        .samples = 1,
        .name = "scene texture",
    };
    dw_scene_texture made = { .sampler = def->sampler };
    dw_image_part parts[PARTS_MAX]; /* 8 KB */
    uint32_t count = 0;

    if (def->level_count * layers > PARTS_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "a texture has at most %d levels in all layers, got "
                       "%u of %u layers",
                       PARTS_MAX, def->level_count, layers);
    DW_TRY(dw_gpu_image_create(gpu, &image, &made.image, err));
    for (uint32_t level = 0; level < def->level_count; level++) {
        uint64_t bytes = dw_gpu_image_level_bytes(&made.image, level);

        for (uint32_t layer = 0; layer < layers; layer++)
            parts[count++] =
                (dw_image_part) { level, layer,
                                  (const uint8_t *)def->levels[level] + layer * bytes };
    }
    DW_TRY(dw_gpu_image_upload(gpu, &made.image, parts, count, err));
    *out = made;
    return DW_OK;
fail:
    dw_gpu_image_destroy(&made.image);
    return err->code;
}

dw_status dw_renderer_add_texture(dw_renderer *renderer, const dw_texture_def *def, uint32_t *out,
                                  dw_error *err)
{
    uint32_t at = 0;

    while (at < renderer->texture_count && renderer->textures[at].image.record != NULL)
        at++;
    DW_TRY(reserve((void **)&renderer->textures, at, &renderer->texture_capacity,
                   sizeof *renderer->textures, err));
    DW_TRY(create_texture(renderer->gpu, def, &renderer->textures[at], err));
    if (at == renderer->texture_count)
        renderer->texture_count++;
    *out = at;
    return DW_OK;
fail:
    return err->code;
}

void dw_renderer_remove_texture(dw_renderer *renderer, uint32_t handle)
{
    if (handle < renderer->texture_count)
        dw_gpu_image_destroy(&renderer->textures[handle].image);
}

dw_status dw_renderer_add_sprites(dw_renderer *renderer, const dw_particle_sprite *sprites,
                                  const uint32_t *counts, uint32_t layer_count, const dw_run *run,
                                  uint32_t *out, dw_error *err)
{
    uint32_t at = 0;

    while (at < renderer->sprite_set_count && renderer->sprite_sets[at].layer_count != 0)
        at++;
    DW_TRY(reserve((void **)&renderer->sprite_sets, at, &renderer->sprite_set_capacity,
                   sizeof *renderer->sprite_sets, err));
    DW_TRY(dw_sprite_set_create(renderer->gpu, sprites, counts, layer_count, run,
                                &renderer->sprite_sets[at], err));
    if (at == renderer->sprite_set_count)
        renderer->sprite_set_count++;
    *out = at;
    return DW_OK;
fail:
    return err->code;
}

void dw_renderer_remove_sprites(dw_renderer *renderer, uint32_t handle)
{
    if (handle >= renderer->sprite_set_count)
        return;
    dw_sprite_set_destroy(&renderer->sprite_sets[handle]);
    renderer->sprite_sets[handle].layer_count = 0;
}

dw_status dw_renderer_add_ground(dw_renderer *renderer, const dw_ground_def *def, const dw_run *run,
                                 uint32_t *out, dw_error *err)
{
    uint32_t at = 0;

    while (at < renderer->ground_count && renderer->grounds[at].node_count != 0)
        at++;
    DW_TRY(reserve((void **)&renderer->grounds, at, &renderer->ground_capacity,
                   sizeof *renderer->grounds, err));
    DW_TRY(dw_ground_set_create(renderer->gpu, def, run, &renderer->grounds[at], err));
    if (at == renderer->ground_count)
        renderer->ground_count++;
    *out = at;
    return DW_OK;
fail:
    return err->code;
}

void dw_renderer_remove_ground(dw_renderer *renderer, uint32_t handle)
{
    if (handle < renderer->ground_count)
        dw_ground_set_destroy(&renderer->grounds[handle]);
}

/* A buffer of at least that size, its content undefined when it had to grow. */
static dw_status grow(dw_gpu *gpu, dw_gpu_buffer *buffer, uint64_t size_bytes, const char *name,
                      dw_error *err)
{
    dw_gpu_buffer larger = { .gpu = NULL };

    if (buffer->size_bytes >= size_bytes)
        return DW_OK;
    DW_TRY(dw_gpu_buffer_create_device(gpu, size_bytes + size_bytes / 2, name, &larger, err));
    dw_gpu_buffer_destroy(buffer);
    *buffer = larger;
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_renderer_set_ranks(dw_renderer *renderer, const uint32_t *words, uint32_t count,
                                const dw_run *run, dw_error *err)
{
    uint64_t size = (uint64_t)count * sizeof *words;

    DW_TRY(grow(renderer->gpu, &renderer->ranks, size, "dither ranks", err));
    return dw_gpu_upload(renderer->gpu, &renderer->ranks, 0, words, size, run, err);
fail:
    return err->code;
}

/* ---- a frame ---- */

static dw_status check_item(const dw_renderer *renderer, const dw_renderer_frame *frame,
                            uint32_t index, dw_error *err)
{
    const dw_scene_item *item = &frame->items[index];
    const char *missing = NULL;

    if (item->mesh >= renderer->mesh_count || renderer->meshes[item->mesh].index_count == 0)
        missing = "mesh";
    else if (item->base_texture >= renderer->texture_count ||
             renderer->textures[item->base_texture].image.record == NULL)
        missing = "base texture";
    else if (item->normal_texture >= renderer->texture_count ||
             renderer->textures[item->normal_texture].image.record == NULL)
        missing = "normal texture";
    else if (item->material >= frame->material_count)
        missing = "material";
    else if (item->forest != DW_SCENE_NONE && item->forest >= frame->forest_count)
        missing = "forest";
    else if (item->forest == DW_SCENE_NONE &&
             (item->first_row > frame->row_count ||
              item->instance_count > frame->row_count - item->first_row))
        missing = "row";
    if (missing == NULL)
        return DW_OK;
    return dw_fail(err, DW_ERROR_ARGUMENT, "items[%u] names a %s that is not there", index,
                   missing);
}

static dw_status check_particles(const dw_renderer *renderer, const dw_renderer_frame *frame,
                                 uint32_t index, dw_error *err)
{
    const dw_renderer_particles *one = &frame->particles[index];
    const char *missing = NULL;

    if (one->hub == NULL && (one->sprites >= renderer->sprite_set_count ||
                             renderer->sprite_sets[one->sprites].layer_count != one->layer_count))
        missing = "set of sprites of so many layers";
    for (uint32_t i = 0; i < one->layer_count && missing == NULL; i++) {
        const dw_particle_style *style = &one->styles[i];

        if (style->image == DW_PARTICLE_IMAGE_TEXTURE &&
            (style->texture >= renderer->texture_count ||
             renderer->textures[style->texture].image.record == NULL))
            missing = "texture";
    }
    if (missing == NULL)
        return DW_OK;
    return dw_fail(err, DW_ERROR_ARGUMENT, "particles[%u] names a %s that is not there", index,
                   missing);
}

/* The terrains of a frame with their sets. */
static dw_status gather_grounds(const dw_renderer *renderer, const dw_renderer_frame *frame,
                                dw_ground_draw *to, dw_error *err)
{
    for (uint32_t i = 0; i < frame->ground_count; i++) {
        const dw_renderer_ground *one = &frame->grounds[i];

        if (one->handle >= renderer->ground_count || renderer->grounds[one->handle].node_count == 0)
            return dw_fail(err, DW_ERROR_ARGUMENT, "grounds[%u] is not there", i);
        to[i] = one->draw;
        to[i].set = &renderer->grounds[one->handle];
        for (int j = 0; j < DW_GROUND_SHADOW; j++) {
            if (one->draw.textures[j] >= renderer->texture_count ||
                renderer->textures[one->draw.textures[j]].image.record == NULL)
                return dw_fail(err, DW_ERROR_ARGUMENT,
                               "grounds[%u] names a texture that is not "
                               "there",
                               i);
        }
    }
    return DW_OK;
}

/* Before a buffer is made that could not be bound. */
static dw_status check_rows(const dw_renderer *renderer, const dw_renderer_frame *frame,
                            dw_error *err)
{
    uint64_t row_bytes = 12 * sizeof *frame->transforms;
    uint64_t most = dw_gpu_get_limits(renderer->gpu)->max_storage_buffer_bytes / row_bytes;

    if (frame->row_count <= most)
        return DW_OK;
    return dw_fail(err, DW_ERROR_CAPACITY,
                   "objects stand at %u places, but a picture on this device draws at most %llu: "
                   "make a Forest of what stands at so many",
                   frame->row_count, (unsigned long long)most);
}

static uint64_t align_up(uint64_t value)
{
    return (value + RANGE_ALIGNMENT - 1) / RANGE_ALIGNMENT * RANGE_ALIGNMENT;
}

/* The next range behind *end; never empty, as bindings may not be. */
static dw_scene_range place(uint64_t *end, uint64_t size)
{
    dw_scene_range range = { *end, size > 0 ? size : 4 };

    *end = align_up(range.offset + range.size);
    return range;
}

static dw_status upload_frame(dw_renderer *renderer, const dw_renderer_frame *frame,
                              dw_scene_inputs *inputs, const dw_run *run, dw_error *err)
{
    uint64_t rows = frame->row_count, size = 0;
    uint8_t *host;

    inputs->views = place(&size, (uint64_t)frame->sub_frames * DW_SCENE_VIEW_STRIDE);
    inputs->materials = place(&size, frame->material_count * sizeof *frame->materials);
    inputs->transforms = place(&size, 12 * rows * sizeof *frame->transforms);
    inputs->words = place(&size, rows * sizeof *frame->words);
    if (size > renderer->frame_host_bytes) {
        dw_free(renderer->frame_host);
        renderer->frame_host = NULL;
        renderer->frame_host_bytes = 0;
        DW_TRY(dw_alloc_array_zeroed(size, 1, "frame", (void **)&renderer->frame_host, err));
        renderer->frame_host_bytes = size;
    }
    host = renderer->frame_host;
    for (uint32_t i = 0; i < frame->sub_frames; i++)
        memcpy(host + inputs->views.offset + i * DW_SCENE_VIEW_STRIDE, &frame->views[i],
               sizeof frame->views[i]);
    memcpy(host + inputs->materials.offset, frame->materials,
           frame->material_count * sizeof *frame->materials);
    if (rows > 0) {
        memcpy(host + inputs->transforms.offset, frame->transforms,
               12 * rows * sizeof *frame->transforms);
        memcpy(host + inputs->words.offset, frame->words, rows * sizeof *frame->words);
    }
    DW_TRY(grow(renderer->gpu, &renderer->frame, size, "frame", err));
    return dw_gpu_upload(renderer->gpu, &renderer->frame, 0, host, size, run, err);
fail:
    return err->code;
}

/* Uploads what changed in the forests and records their lists. */
static dw_status cull_forests(const dw_renderer_frame *frame, dw_device *device,
                              dw_command *command, dw_forest_gpu **forests, const dw_run *run,
                              dw_error *err)
{
    for (uint32_t i = 0; i < frame->forest_count; i++) {
        const dw_renderer_forest *one = &frame->forests[i];
        dw_forest_frame prepared;
        dw_forest_view view;
        uint32_t shadow = DW_FOREST_IS_SHADOW | (one->has_hard_shadow ? DW_FOREST_IS_HARD : 0);

        DW_TRY(dw_forest_prepare(one->forest, device, run, &prepared, err));
        forests[i] = prepared.gpu;
        DW_TRY(
            dw_forest_make_view(one->forest, one->planes, one->camera, prepared.flags, &view, err));
        dw_forest_gpu_cull(prepared.gpu, command, &view);
        if (!frame->has_shadow || !one->casts_shadow)
            continue;
        DW_TRY(dw_forest_make_view(one->forest, one->shadow_planes, one->camera,
                                   prepared.flags | shadow, &view, err));
        dw_forest_gpu_cull(prepared.gpu, command, &view);
    }
    return DW_OK;
fail:
    return err->code;
}

/* What a frame's particles are drawn from, and what makes the lists of those that are hubs'. */
typedef struct frame_particles {
    dw_particle_draws draws[DW_RENDERER_PARTICLES_MAX];
    uint64_t slots[DW_PARTICLE_LAYERS_MAX]; /* of the one at hand: at most so many in a layer */
    dw_particle_gpu *gpus[DW_RENDERER_PARTICLES_MAX]; /* NULL: sprites */
    dw_particle_view views[DW_RENDERER_PARTICLES_MAX];
} frame_particles;

static void gather_sprites(const dw_renderer *renderer, const dw_renderer_particles *from,
                           frame_particles *to, dw_particle_draws *draws)
{
    const dw_sprite_set *set = &renderer->sprite_sets[from->sprites];

    draws->sprites = &set->sprites;
    draws->list = &set->list;
    draws->spans = &set->spans;
    draws->commands = &set->commands;
    draws->used = set->used;
    draws->tick = from->tick;
    for (uint32_t i = 0; i < set->layer_count; i++)
        to->slots[i] = set->counts[i];
}

/* Uploads what changed in a hub. */
static dw_status gather_hub(const dw_renderer_particles *from, dw_device *device, const dw_run *run,
                            frame_particles *to, uint32_t at, dw_error *err)
{
    dw_particle_draws *draws = &to->draws[at];
    dw_particle_buffers buffers;
    dw_hub_frame frame;

    if (dw_hub_layer_count(from->hub) != from->layer_count)
        return dw_fail(err, DW_ERROR_ARGUMENT, "particles[%u] has %u layers, got styles of %u", at,
                       dw_hub_layer_count(from->hub), from->layer_count);
    DW_TRY(dw_hub_prepare(from->hub, device, run, &frame, err));
    DW_TRY(dw_hub_make_view(from->hub, from->planes, from->camera, &to->views[at], err));
    buffers = dw_particle_gpu_get_buffers(frame.gpu);
    to->gpus[at] = frame.gpu;
    draws->sprites = buffers.sprites;
    draws->list = buffers.list;
    draws->spans = buffers.spans;
    draws->commands = buffers.commands;
    draws->tick = dw_hub_tick(from->hub);
    for (uint32_t i = 0; i < from->layer_count; i++) {
        dw_hub_layer_stats stats = dw_hub_get_stats(from->hub, i);

        draws->used |= stats.rows > 0 ? (uint64_t)1 << i : 0;
        to->slots[i] = stats.allocated;
    }
    return DW_OK;
fail:
    return err->code;
}

/* Chooses the layers whose specks are added without raster, where the device can bind their sums.
 */
static dw_status choose_specks(dw_renderer *renderer, const uint64_t *slots, uint32_t at,
                               dw_particle_draws *draws, dw_error *err)
{
    const dw_scene_size *size = &renderer->targets.size;
    uint64_t sums = 4 * DW_SPECK_WORDS * (uint64_t)size->width * size->height;

    if (sums > dw_gpu_get_limits(renderer->gpu)->max_storage_buffer_bytes)
        return DW_OK;
    for (uint32_t layer = 0; layer < draws->layer_count; layer++) {
        if (dw_particle_adds_specks(&draws->styles[layer], slots[layer]))
            draws->specks |= (uint64_t)1 << layer;
    }
    if ((draws->specks & draws->used) == 0)
        return DW_OK;
    if (renderer->speck_sums.size_bytes == 0)
        DW_TRY(dw_gpu_buffer_create_device(renderer->gpu, sums, "speck sums", &renderer->speck_sums,
                                           err));
    draws->speck_buffers = &renderer->specks[at];
    return dw_particle_specks_reserve(renderer->gpu, &renderer->specks[at],
                                      draws->list->size_bytes / sizeof(uint32_t), err);
fail:
    return err->code;
}

static dw_status gather_particles(dw_renderer *renderer, dw_device *device,
                                  const dw_renderer_frame *frame, const dw_run *run,
                                  frame_particles *to, dw_error *err)
{
    for (uint32_t i = 0; i < frame->particle_count; i++) {
        const dw_renderer_particles *one = &frame->particles[i];

        to->draws[i] = (dw_particle_draws) { .styles = one->styles,
                                             .layer_count = one->layer_count,
                                             .loop = one->loop };
        to->gpus[i] = NULL;
        if (one->hub == NULL)
            gather_sprites(renderer, one, to, &to->draws[i]);
        else
            DW_TRY(gather_hub(one, device, run, to, i, err));
        DW_TRY(choose_specks(renderer, to->slots, i, &to->draws[i], err));
    }
    return DW_OK;
fail:
    return err->code;
}

static dw_status draw_sub_frame(dw_renderer *renderer, dw_device *device,
                                const dw_renderer_frame *frame, const dw_scene_inputs *inputs,
                                dw_forest_gpu **forests, const frame_particles *particles,
                                uint32_t index, const dw_run *run, dw_ticket *ticket, dw_error *err)
{
    dw_command *command = NULL;

    DW_TRY(dw_command_begin(renderer->gpu, "scene_frame", &command, err));
    if (index == 0) {
        dw_command_time_begin(command, "scene_cull");
        DW_TRY(cull_forests(frame, device, command, forests, run, err));
        dw_command_time_end(command);
        for (uint32_t i = 0; i < frame->particle_count; i++) {
            if (particles->gpus[i] != NULL)
                dw_particle_gpu_see(particles->gpus[i], command, &particles->views[i]);
        }
        for (uint32_t i = 0; i < inputs->ground_count; i++)
            DW_TRY(dw_ground_cull(command, renderer->gpu, &inputs->grounds[i], err));
    }
    DW_TRY(dw_scene_record(command, renderer->gpu, &renderer->targets, inputs, index, err));
    return dw_command_submit(command, ticket, err);
fail:
    dw_command_cancel(command);
    return err->code;
}

static dw_status download(dw_renderer *renderer, const dw_renderer_frame *frame,
                          const dw_scene_inputs *inputs, const dw_run *run,
                          const dw_renderer_picture *out, dw_error *err)
{
    const dw_scene_targets *targets = &renderer->targets;
    uint64_t row_bytes = 4 * (uint64_t)targets->size.width;
    const dw_gpu_buffer *sources[] = { &targets->out_color, &targets->out_depth, &targets->out_id };
    void *wanted[] = { out->color, out->depth, out->ids };
    dw_gpu_rows parts[DW_COUNT_OF(sources) + DW_RENDERER_FORESTS_MAX + DW_RENDERER_PARTICLES_MAX +
                      DW_RENDERER_GROUNDS_MAX];
    uint32_t count = 0;

    for (size_t i = 0; i < DW_COUNT_OF(sources); i++) {
        if (wanted[i] != NULL)
            parts[count++] =
                (dw_gpu_rows) { sources[i],        0, wanted[i], row_bytes, targets->size.height,
                                (int64_t)row_bytes };
    }
    for (uint32_t i = 0; i < frame->forest_count; i++) {
        uint32_t buckets =
            dw_forest_get_params(frame->forests[i].forest)->rules.bucket_count + DW_FOREST_COUNTERS;
        uint64_t size = buckets * sizeof(dw_forest_bucket);

        parts[count++] = (dw_gpu_rows) { dw_forest_gpu_view(inputs->forests[i], false).buckets,
                                         0,
                                         frame->forests[i].buckets,
                                         size,
                                         1,
                                         (int64_t)size };
    }
    for (uint32_t i = 0; i < frame->particle_count; i++) {
        uint64_t size = 4 * sizeof(uint32_t) * (uint64_t)frame->particles[i].layer_count;

        parts[count++] = (dw_gpu_rows) {
            inputs->particles[i].commands, 0, frame->particles[i].draws, size, 1, (int64_t)size
        };
    }
    for (uint32_t i = 0; i < frame->ground_count; i++) {
        uint64_t size = 2 * DW_GROUND_COMMAND_WORDS * sizeof(uint32_t);

        parts[count++] = (dw_gpu_rows) {
            &inputs->grounds[i].set->commands, 0, frame->grounds[i].commands, size, 1, (int64_t)size
        };
    }
    return dw_gpu_download_rows(renderer->gpu, parts, count, run, err);
}

dw_status dw_renderer_render(dw_renderer *renderer, dw_device *device,
                             const dw_renderer_frame *frame, const dw_run *run,
                             const dw_renderer_picture *out, dw_error *err)
{
    dw_ticket tickets[SUB_FRAMES_AHEAD] = { { 0 } };
    dw_forest_gpu *forests[DW_RENDERER_FORESTS_MAX];
    frame_particles particles; /* about 30 KB */
    dw_ground_draw grounds[DW_RENDERER_GROUNDS_MAX];
    dw_scene_inputs inputs = { .frame = &renderer->frame,
                               .ranks = &renderer->ranks,
                               .items = frame->items,
                               .item_count = frame->item_count,
                               .forests = forests,
                               .particles = particles.draws,
                               .particle_count = frame->particle_count,
                               .view_records = frame->views,
                               .speck_sums = &renderer->speck_sums,
                               .grounds = grounds,
                               .ground_count = frame->ground_count,
                               .has_sky = frame->has_sky,
                               .has_shadow = frame->has_shadow };

    if (frame->forest_count > DW_RENDERER_FORESTS_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY, "a scene draws at most %d forests, got %u",
                       DW_RENDERER_FORESTS_MAX, frame->forest_count);
    DW_ASSERT(frame->particle_count <= DW_RENDERER_PARTICLES_MAX);
    DW_ASSERT(frame->ground_count <= DW_RENDERER_GROUNDS_MAX);
    for (uint32_t i = 0; i < frame->item_count; i++)
        DW_TRY(check_item(renderer, frame, i, err));
    for (uint32_t i = 0; i < frame->particle_count; i++)
        DW_TRY(check_particles(renderer, frame, i, err));
    DW_TRY(check_rows(renderer, frame, err));
    DW_TRY(gather_grounds(renderer, frame, grounds, err));
    DW_TRY(gather_particles(renderer, device, frame, run, &particles, err));
    inputs.meshes = renderer->meshes;
    inputs.textures = renderer->textures;
    memcpy(inputs.clear, frame->clear, sizeof inputs.clear);
    DW_TRY(upload_frame(renderer, frame, &inputs, run, err));
    for (uint32_t i = 0; i < frame->sub_frames; i++) {
        dw_ticket *ticket = &tickets[i % SUB_FRAMES_AHEAD];

        DW_TRY(dw_gpu_wait(renderer->gpu, *ticket, run, err));
        DW_TRY(draw_sub_frame(renderer, device, frame, &inputs, forests, &particles, i, run, ticket,
                              err));
    }
    return download(renderer, frame, &inputs, run, out, err);
fail:
    return err->code;
}
