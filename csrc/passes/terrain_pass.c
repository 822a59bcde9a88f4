/* SPDX-License-Identifier: MIT */
#include "passes/terrain_pass.h"

#include "generated/spirv.h"
#include "gpu/command.h"
#include "gpu/transfer.h"

#define PIXELS_MAX 0x40000000u /* of a dispatch */
#define BYTES_MAX  0x80000000u /* of its texels: shaders count half bytes */

enum { LAW, TABLE, COLUMNS, ROWS, WEIGHTS, QUADS, HEIGHTS, IDS, CELLS, BINDINGS };

typedef struct frame {
    dw_gpu *gpu;
    const struct dw_terrain_law *law;
    const uint16_t *table;
    const dw_terrain_map *map;
    const dw_terrain_picture *picture;
    uint8_t *ids;
    dw_pipeline *pipeline;
    dw_gpu_buffer buffers[BINDINGS];
    uint64_t weight_row, height_row; /* bytes of a row of texels */
} frame;

/* Rows of a picture that one dispatch does, and the texels that they show. */
typedef struct band {
    uint32_t row, rows;
    uint32_t texel_row, texel_rows;
} band;

/* 4 bytes, so that there is a buffer to bind. */
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

    if (dw_gpu_buffer_create_device(self->gpu, padded(given), name, &self->buffers[which], err) !=
        DW_OK)
        return err->code;
    return dw_gpu_upload(self->gpu, &self->buffers[which], 0, source, given, run, err);
}

static dw_status create_all(frame *self, const dw_run *run, dw_error *err)
{
    const dw_terrain_picture *picture = self->picture;
    uint64_t side = self->law->side_mask + 1, texel_rows = self->map->height;
    uint64_t id_bytes = ((uint64_t)picture->width * picture->height + 3) / 4 * 4;

    DW_TRY(create(self, LAW, self->law, sizeof *self->law, "terrain law", run, err));
    DW_TRY(create(self, TABLE, self->table, 2 * side * side, "terrain noise", run, err));
    DW_TRY(create(self, COLUMNS, picture->columns, 16 * (uint64_t)picture->width, "terrain columns",
                  run, err));
    DW_TRY(create(self, ROWS, picture->rows, 16 * (uint64_t)picture->height, "terrain rows", run,
                  err));
    DW_TRY(create(self, WEIGHTS, self->map->weights, self->weight_row * texel_rows,
                  "terrain weights", run, err));
    DW_TRY(create(self, HEIGHTS, self->map->heights, self->height_row * texel_rows,
                  "terrain heights", run, err));
    return dw_gpu_buffer_create_device(self->gpu, id_bytes, "terrain ids", &self->buffers[IDS],
                                       err);
fail:
    return err->code;
}

/* Words of a texel, where wide loads read whole ones; else 0. */
static uint32_t quad_words(const frame *self, bool is_ordered)
{
    const dw_terrain_map *map = self->map;
    uint32_t size = dw_terrain_texel_size(map);
    bool is_float = map->form == DW_TERRAIN_FORM_FLOAT || map->form == DW_TERRAIN_FORM_HALF;

    if (map->form == DW_TERRAIN_FORM_INDEX || !self->picture->is_plain || size % 4 != 0 ||
        self->picture->width % 4 != 0 || map->width != self->picture->width)
        return 0;
    if (is_float && (!is_ordered || size % 16 != 0))
        return 0;
    return size / 4;
}

static bool is_ordered(const struct dw_terrain_law *law)
{
    for (uint32_t p = 0; p < law->count; p++)
        if (law->slots[p] != p || law->ids[p] != p)
            return false;
    return true;
}

static uint32_t flags_of(const frame *self)
{
    const struct dw_terrain_law *law = self->law;
    uint32_t flags = is_ordered(law) ? DW_TERRAIN_IS_ORDERED : 0;

    if (self->picture->is_linear)
        flags |= DW_TERRAIN_IS_LINEAR;
    if (law->quantize != 0)
        flags |= DW_TERRAIN_IS_QUANTIZED;
    if (law->least != 0)
        flags |= DW_TERRAIN_IS_DROPPING;
    if (law->share != 0xffffffff)
        flags |= DW_TERRAIN_IS_SHARED;
    return self->map->heights != NULL ? flags | DW_TERRAIN_HAS_HEIGHTS : flags;
}

static dw_status choose_pipeline(frame *self, dw_error *err)
{
    uint32_t words = quad_words(self, is_ordered(self->law)), count = self->law->count;
    uint32_t flags = flags_of(self) | (words != 0 ? DW_TERRAIN_IS_QUADS : 0);
    uint32_t constants[] = { self->law->mode, self->law->noise, self->map->form, flags, words };
    uint32_t shader = self->map->form == DW_TERRAIN_FORM_INDEX ? DW_SHADER_TERRAIN_SELECT_INDEX_COMP
                      : count <= 4                             ? DW_SHADER_TERRAIN_SELECT4_COMP
                      : count <= 8                             ? DW_SHADER_TERRAIN_SELECT8_COMP
                                                               : DW_SHADER_TERRAIN_SELECT16_COMP;

    return dw_pipeline_get(self->gpu, shader, constants, DW_COUNT_OF(constants), &self->pipeline,
                           err);
}

/* The rows from `row` on whose texels and ids fit into bindings; at least one. */
static band band_from(const frame *self, uint32_t row)
{
    const dw_terrain_picture *picture = self->picture;
    const dw_gpu_limits *limits = dw_gpu_get_limits(self->gpu);
    uint64_t bound =
        limits->max_storage_buffer_bytes < BYTES_MAX ? limits->max_storage_buffer_bytes : BYTES_MAX;
    uint64_t most = bound - 2 * limits->storage_offset_alignment;
    uint64_t row_bytes = self->weight_row > self->height_row ? self->weight_row : self->height_row;
    const uint32_t *first = picture->rows + (size_t)DW_TERRAIN_STEP_TEXEL * picture->height;
    const uint32_t *next = picture->rows + (size_t)DW_TERRAIN_STEP_NEXT * picture->height;
    uint64_t pixels_max = most < PIXELS_MAX ? most : PIXELS_MAX;
    band made = { row, 0, first[row], 1 };

    while (row + made.rows < picture->height) {
        uint32_t last = picture->is_linear ? next[row + made.rows] : first[row + made.rows];
        uint64_t texel_rows = last + 1 - made.texel_row;

        if (made.rows > 0 && (texel_rows * row_bytes > most ||
                              (uint64_t)(made.rows + 1) * picture->width > pixels_max))
            break;
        made.texel_rows = (uint32_t)texel_rows;
        made.rows++;
    }
    return made;
}

/* From the first row of a band on; *base: bytes between the offset, which is aligned, and it. */
static dw_gpu_binding bind_rows(const frame *self, uint32_t which, uint64_t row_bytes, band part,
                                uint32_t *base)
{
    uint64_t alignment = dw_gpu_get_limits(self->gpu)->storage_offset_alignment;
    uint64_t begin = row_bytes * part.texel_row, offset = begin / alignment * alignment;
    uint64_t size = padded(begin - offset + row_bytes * part.texel_rows);
    uint64_t rest = self->buffers[which].size_bytes - offset;

    *base = (uint32_t)(begin - offset);
    return (dw_gpu_binding) { &self->buffers[which], offset, size < rest ? size : rest,
                              DW_USE_COMPUTE_READ };
}

static void dispatch(const frame *self, dw_command *command, band part)
{
    dw_gpu_binding bindings[BINDINGS];
    struct dw_terrain_push push = { .width = self->picture->width,
                                    .height = self->picture->height,
                                    .row = part.row,
                                    .rows = part.rows,
                                    .pitch = self->map->pitch,
                                    .slots = self->map->slots,
                                    .texels = self->map->width,
                                    .texel_row = part.texel_row };
    uint32_t words = (push.width * push.rows + 3) / 4, groups[3];

    for (uint32_t i = 0; i < BINDINGS; i++)
        bindings[i] = (dw_gpu_binding) { &self->buffers[i], 0, 0, DW_USE_COMPUTE_READ };
    bindings[WEIGHTS] = bind_rows(self, WEIGHTS, self->weight_row, part, &push.weight_base);
    bindings[QUADS] = bindings[WEIGHTS];
    bindings[CELLS] = bindings[COLUMNS];
    if (self->map->heights != NULL)
        bindings[HEIGHTS] = bind_rows(self, HEIGHTS, self->height_row, part, &push.height_base);
    push.height_base /= 4;
    bindings[IDS] =
        (dw_gpu_binding) { &self->buffers[IDS], 0, 4 * (uint64_t)words, DW_USE_COMPUTE_WRITE };
    dw_groups_linear(self->gpu, (words + DW_TERRAIN_GROUP - 1) / DW_TERRAIN_GROUP, groups);
    dw_command_dispatch(command, self->pipeline, bindings, BINDINGS, &push, sizeof push, groups);
}

static dw_status run_band(const frame *self, band part, const dw_run *run, dw_error *err)
{
    uint64_t pixels = (uint64_t)self->picture->width * part.rows;
    dw_command *command;
    dw_ticket ticket;

    if (dw_command_begin(self->gpu, "terrain_select", &command, err) != DW_OK)
        return err->code;
    dispatch(self, command, part);
    if (dw_command_submit(command, &ticket, err) != DW_OK ||
        dw_gpu_wait(self->gpu, ticket, run, err) != DW_OK)
        return err->code;
    return dw_gpu_download(self->gpu, &self->buffers[IDS], 0,
                           self->ids + (size_t)part.row * self->picture->width, pixels, run, err);
}

dw_status dw_terrain_pass(dw_gpu *gpu, const struct dw_terrain_law *law, const uint16_t *table,
                          const dw_terrain_map *map, const dw_terrain_picture *picture,
                          uint8_t *ids, const dw_run *run, dw_error *err)
{
    frame self = { .gpu = gpu,
                   .law = law,
                   .table = table,
                   .map = map,
                   .picture = picture,
                   .ids = ids,
                   .weight_row = (uint64_t)map->width * dw_terrain_texel_size(map),
                   .height_row = map->heights == NULL ? 0 : 4 * (uint64_t)map->width * map->slots };
    dw_status status;

    DW_TRY(create_all(&self, run, err));
    DW_TRY(choose_pipeline(&self, err));
    for (uint32_t row = 0; row < picture->height;) {
        band part = band_from(&self, row);

        DW_TRY(run_band(&self, part, run, err));
        row += part.rows;
    }
    err->code = DW_OK;
fail:
    status = err->code;
    for (uint32_t i = 0; i < BINDINGS; i++)
        if (i != QUADS && i != CELLS)
            dw_gpu_buffer_destroy(&self.buffers[i]);
    return status;
}
