/* SPDX-License-Identifier: MIT */
#include "passes/terrain_compose_pass.h"

#include "generated/spirv.h"
#include "gpu/command.h"
#include "gpu/transfer.h"

#define PIXELS_MAX 0x10000000u /* of a dispatch: its bytes are counted in 32 bits */

/* CODES is written; QUADS is WEIGHTS, too. */
enum {
    LAW,
    TABLE,
    COLUMNS,
    ROWS,
    WEIGHTS,
    QUADS,
    HEIGHTS,
    CODES,
    PAINT,
    BASE,
    DETAILS,
    LIGHTS,
    ENCODE,
    BINDINGS
};

typedef struct frame {
    dw_gpu *gpu;
    const struct dw_terrain_law *law;
    const uint16_t *table;
    const dw_terrain_map *map;
    const dw_terrain_painting *painting;
    uint8_t *out;
    dw_pipeline *pipeline;
    dw_gpu_buffer buffers[BINDINGS];
    uint32_t band; /* rows of a dispatch */
} frame;

/* 16 bytes, so that there is a buffer to bind. */
static const uint32_t nothing[4];

static uint64_t padded(uint64_t size)
{
    return (size + 15) / 16 * 16;
}

static dw_status create(frame *self, uint32_t which, const void *data, uint64_t size,
                        const char *name, const dw_run *run, dw_error *err)
{
    const void *source = data != NULL ? data : nothing;
    uint64_t given = data != NULL ? size : sizeof nothing;
    uint64_t most = dw_gpu_get_limits(self->gpu)->max_storage_buffer_bytes;

    if (padded(given) > most)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "%s has %llu bytes, this device binds %llu at a time: compose parts of the "
                       "map, each with its own origin",
                       name, (unsigned long long)given, (unsigned long long)most);
    if (dw_gpu_buffer_create_device(self->gpu, padded(given), name, &self->buffers[which], err) !=
        DW_OK)
        return err->code;
    return dw_gpu_upload(self->gpu, &self->buffers[which], 0, source, given, run, err);
}

static dw_status create_map(frame *self, const dw_run *run, dw_error *err)
{
    const dw_terrain_map *map = self->map;
    uint64_t side = self->law->side_mask + 1, texels = (uint64_t)map->width * map->height;

    if (create(self, LAW, self->law, sizeof *self->law, "terrain law", run, err) != DW_OK ||
        create(self, TABLE, self->table, 2 * side * side, "terrain noise", run, err) != DW_OK ||
        create(self, WEIGHTS, map->weights, texels * dw_terrain_texel_size(map), "weights", run,
               err) != DW_OK)
        return err->code;
    return create(self, HEIGHTS, map->heights, 4 * texels * map->slots, "heights", run, err);
}

static dw_status create_painting(frame *self, const dw_run *run, dw_error *err)
{
    const dw_terrain_painting *p = self->painting;
    uint64_t parts = 4 * (uint64_t)(DW_TERRAIN_STEP_DETAIL + self->law->count);

    if (create(self, COLUMNS, p->picture.columns, parts * p->picture.width, "columns", run, err) !=
            DW_OK ||
        create(self, ROWS, p->picture.rows, parts * p->picture.height, "rows", run, err) != DW_OK ||
        create(self, PAINT, &p->paint, sizeof p->paint, "terrain paint", run, err) != DW_OK ||
        create(self, BASE, p->base, 4 * p->base_texels, "base", run, err) != DW_OK ||
        create(self, DETAILS, p->details, 8 * p->detail_texels, "details", run, err) != DW_OK ||
        create(self, LIGHTS, p->tables->decode_8, sizeof p->tables->decode_8, "light", run, err) !=
            DW_OK)
        return err->code;
    return create(self, ENCODE, p->tables->encode, sizeof p->tables->encode, "codes", run, err);
}

/* Words of pixels that four of an invocation make. */
static uint64_t band_words(const frame *self, uint32_t rows)
{
    return ((uint64_t)self->painting->width * rows + 3) / 4 * 3;
}

static dw_status create_codes(frame *self, dw_error *err)
{
    uint64_t most = dw_gpu_get_limits(self->gpu)->max_storage_buffer_bytes;
    uint64_t pixels = most / 4 < PIXELS_MAX ? most / 4 : PIXELS_MAX;
    uint64_t rows = pixels / self->painting->width;

    self->band = rows < 1                        ? 1
                 : rows < self->painting->height ? (uint32_t)rows
                                                 : self->painting->height;
    return dw_gpu_buffer_create_device(self->gpu, padded(4 * band_words(self, self->band)),
                                       "terrain picture", &self->buffers[CODES], err);
}

static uint32_t flags_of(const frame *self)
{
    const struct dw_terrain_law *law = self->law;
    const struct dw_terrain_paint *paint = &self->painting->paint;
    uint32_t flags = DW_TERRAIN_IS_ORDERED;

    for (uint32_t p = 0; p < law->count; p++)
        if (law->slots[p] != p)
            flags = 0;
    if (self->painting->picture.is_linear)
        flags |= DW_TERRAIN_IS_LINEAR;
    if (law->quantize != 0)
        flags |= DW_TERRAIN_IS_QUANTIZED;
    if (law->least != 0)
        flags |= DW_TERRAIN_IS_DROPPING;
    if (law->share != 0xffffffff)
        flags |= DW_TERRAIN_IS_SHARED;
    if (self->painting->is_detailed && paint->chosen != 0)
        flags |= DW_TERRAIN_IS_CHOSEN;
    if (self->painting->is_detailed && paint->expected != 0)
        flags |= DW_TERRAIN_IS_EXPECTED;
    return self->map->heights != NULL ? flags | DW_TERRAIN_HAS_HEIGHTS : flags;
}

static dw_status choose_pipeline(frame *self, dw_error *err)
{
    uint32_t constants[] = { self->law->mode, self->law->noise, self->map->form, flags_of(self) };
    uint32_t shader = self->map->form == DW_TERRAIN_FORM_INDEX
                          ? DW_SHADER_TERRAIN_COMPOSE_INDEX_COMP
                      : self->law->count <= 4 ? DW_SHADER_TERRAIN_COMPOSE4_COMP
                      : self->law->count <= 8 ? DW_SHADER_TERRAIN_COMPOSE8_COMP
                                              : DW_SHADER_TERRAIN_COMPOSE16_COMP;

    return dw_pipeline_get(self->gpu, shader, constants, 4, &self->pipeline, err);
}

static void dispatch(const frame *self, dw_command *command, uint32_t row, uint32_t rows)
{
    dw_gpu_binding bindings[BINDINGS];
    struct dw_terrain_push push = { .width = self->painting->picture.width,
                                    .height = self->painting->picture.height,
                                    .row = row,
                                    .rows = rows,
                                    .pitch = self->map->pitch,
                                    .slots = self->map->slots,
                                    .texels = self->map->width };
    uint32_t groups[3], quads = (uint32_t)(band_words(self, rows) / 3);

    for (uint32_t i = 0; i < BINDINGS; i++)
        bindings[i] = (dw_gpu_binding) { &self->buffers[i], 0, 0, DW_USE_COMPUTE_READ };
    bindings[QUADS] = bindings[WEIGHTS];
    bindings[CODES].use = DW_USE_COMPUTE_WRITE;
    dw_groups_linear(self->gpu, (quads + DW_TERRAIN_GROUP - 1) / DW_TERRAIN_GROUP, groups);
    dw_command_dispatch(command, self->pipeline, bindings, BINDINGS, &push, sizeof push, groups);
}

static dw_status run_band(const frame *self, uint32_t row, uint32_t rows, const dw_run *run,
                          dw_error *err)
{
    uint64_t row_bytes = 3 * (uint64_t)self->painting->width;
    dw_command *command;
    dw_ticket ticket;

    if (dw_command_begin(self->gpu, "terrain_compose", &command, err) != DW_OK)
        return err->code;
    dispatch(self, command, row, rows);
    if (dw_command_submit(command, &ticket, err) != DW_OK ||
        dw_gpu_wait(self->gpu, ticket, run, err) != DW_OK)
        return err->code;
    return dw_gpu_download(self->gpu, &self->buffers[CODES], 0, self->out + row * row_bytes,
                           rows * row_bytes, run, err);
}

dw_status dw_terrain_compose_pass(dw_gpu *gpu, const struct dw_terrain_law *law,
                                  const uint16_t *table, const dw_terrain_map *map,
                                  const dw_terrain_painting *painting, uint8_t *out,
                                  const dw_run *run, dw_error *err)
{
    frame self = {
        .gpu = gpu, .law = law, .table = table, .map = map, .painting = painting, .out = out
    };
    dw_status status;

    DW_TRY(create_map(&self, run, err));
    DW_TRY(create_painting(&self, run, err));
    DW_TRY(create_codes(&self, err));
    DW_TRY(choose_pipeline(&self, err));
    for (uint32_t row = 0; row < painting->height; row += self.band) {
        uint32_t left = painting->height - row;

        DW_TRY(run_band(&self, row, left < self.band ? left : self.band, run, err));
    }
    err->code = DW_OK;
fail:
    status = err->code;
    for (uint32_t i = 0; i < BINDINGS; i++)
        if (i != QUADS)
            dw_gpu_buffer_destroy(&self.buffers[i]);
    return status;
}
