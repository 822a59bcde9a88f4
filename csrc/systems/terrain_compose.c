/* SPDX-License-Identifier: MIT */
#include "systems/terrain_compose.h"

#include "base/alloc.h"
#include "passes/terrain_compose_pass.h"
#include "passes/terrain_pass.h"
#include "shared/terrain_weigh.h"

#define TEXELS_MAX 0x40000000u /* of all tiles: entries of tables count them in 32 bits */

/* All that a painting points to. */
typedef struct maker {
    const dw_terrain_view *view;
    const dw_composition *given;
    dw_terrain_painting painting;
    dw_light_tables *tables;
    uint32_t *base, *columns, *rows;
    uint16_t *details;
} maker;

/* How much of the chosen material, of the expectation and of detail shows, is the same all over a
 * picture. */
static void set_fades(maker *self)
{
    const dw_terrain_window *window = &self->given->window;
    const struct dw_terrain_law *law = self->view->law;
    struct dw_terrain_paint *paint = &self->painting.paint;
    float per_unit = (float)window->pixels_per_unit;
    float cells = (float)(1 / (window->pixels_per_unit * window->samples * law->cell));
    float zoom = dw_terrain_fade(per_unit, law->zoom_begin, law->zoom_scale);
    float fade = dw_terrain_fade(cells, law->fade_begin, law->fade_scale);

    if (law->mode == DW_TERRAIN_MODE_SMOOTH)
        fade = 1;
    paint->samples = window->samples;
    paint->expected = (uint32_t)(fade * (float)DW_TERRAIN_FULL + 0.5f);
    paint->chosen = DW_TERRAIN_FULL - paint->expected;
    for (uint32_t slot = 0; slot < law->count; slot++) {
        double part = zoom * self->given->tiles[slot].strength;

        paint->strengths[slot] = (uint32_t)(part * DW_TERRAIN_FULL + 0.5);
        self->painting.is_detailed |= paint->strengths[slot] != 0;
    }
}

static dw_status fill_base(maker *self, dw_error *err)
{
    const dw_composition *given = self->given;
    size_t count = (size_t)given->base_width * given->base_height;

    if (DW_ALLOC(count, &self->base, err) != DW_OK)
        return err->code;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *code = given->base + i * given->base_channels;

        self->base[i] = code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16;
    }
    self->painting.base = self->base;
    self->painting.base_texels = count;
    self->painting.paint.base_width = given->base_width;
    return DW_OK;
}

/* Tiles that do not show have one texel of nothing. */
static dw_status fill_details(maker *self, const dw_run *run, dw_error *err)
{
    struct dw_terrain_paint *paint = &self->painting.paint;
    const dw_composition *given = self->given;
    uint64_t texels = 0;

    for (uint32_t slot = 0; slot < self->view->law->count; slot++) {
        paint->widths[slot] = paint->heights[slot] = 1;
        if (paint->strengths[slot] != 0)
            dw_terrain_tile_size(&given->tiles[slot], &given->window, &paint->widths[slot],
                                 &paint->heights[slot]);
        paint->firsts[slot] = (uint32_t)texels;
        texels += (uint64_t)paint->widths[slot] * paint->heights[slot];
        if (texels > TEXELS_MAX)
            return dw_fail(err, DW_ERROR_CAPACITY,
                           "details have more than %u texels together: make them smaller",
                           TEXELS_MAX);
    }
    if (DW_ALLOC_ZEROED(texels * 4, &self->details, err) != DW_OK)
        return err->code;
    for (uint32_t slot = 0; slot < self->view->law->count; slot++)
        if (paint->strengths[slot] != 0 &&
            dw_terrain_tile_reduce(
                &given->tiles[slot], self->tables, paint->widths[slot], paint->heights[slot],
                self->details + (size_t)paint->firsts[slot] * 4, run, err) != DW_OK)
            return err->code;
    self->painting.details = self->details;
    self->painting.detail_texels = texels;
    return DW_OK;
}

/* The tables of an axis; side: how many texels of the base it has. */
static dw_status fill_axis(const maker *self, uint32_t axis, uint32_t texels, uint32_t side,
                           uint32_t count, uint32_t *table, dw_error *err)
{
    const struct dw_terrain_paint *paint = &self->painting.paint;
    const dw_terrain_window *window = &self->given->window;
    const dw_terrain_place *place = &self->view->place;

    for (uint32_t i = 0; i < count; i++) {
        double at = dw_terrain_sample_at(window, axis, i);
        double base = (at - place->origin[axis]) * side / texels;

        if (dw_terrain_step(place, axis, at, texels, table, count, i, err) != DW_OK)
            return err->code;
        table[(size_t)DW_TERRAIN_STEP_BASE * count + i] =
            dw_terrain_base_step(base, side, window->is_photo);
    }
    for (uint32_t slot = 0; slot < self->view->law->count; slot++) {
        const dw_terrain_tile *tile = &self->given->tiles[slot];
        uint32_t shown = axis == 0 ? paint->widths[slot] : paint->heights[slot];
        uint32_t whole = axis == 0 ? tile->width : tile->height;
        double per_unit = shown * (tile->width / tile->units / whole);
        uint32_t *out = table + (size_t)(DW_TERRAIN_STEP_DETAIL + slot) * count;

        for (uint32_t i = 0; i < count; i++)
            out[i] = dw_terrain_detail_step(dw_terrain_sample_at(window, axis, i) * per_unit, shown,
                                            window->is_photo);
    }
    return DW_OK;
}

static bool is_plain(const uint32_t *columns, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if (columns[DW_TERRAIN_STEP_TEXEL * width + i] != i)
            return false;
    return true;
}

/* Tables of a grid of samples. */
static dw_status fill_picture(maker *self, dw_error *err)
{
    const dw_composition *given = self->given;
    const dw_terrain_view *view = self->view;
    dw_terrain_picture *picture = &self->painting.picture;
    size_t parts = DW_TERRAIN_STEP_DETAIL + view->law->count;

    picture->width = given->width * given->window.samples;
    picture->height = given->height * given->window.samples;
    picture->is_linear = view->place.is_linear;
    if (DW_ALLOC(parts * picture->width, &self->columns, err) != DW_OK ||
        DW_ALLOC(parts * picture->height, &self->rows, err) != DW_OK ||
        fill_axis(self, 0, view->map.width, given->base_width, picture->width, self->columns,
                  err) != DW_OK ||
        fill_axis(self, 1, view->map.height, given->base_height, picture->height, self->rows,
                  err) != DW_OK)
        return err->code;
    picture->columns = self->columns;
    picture->rows = self->rows;
    picture->is_plain = !picture->is_linear && view->map.width >= picture->width &&
                        is_plain(self->columns, picture->width);
    self->painting.width = given->width;
    self->painting.height = given->height;
    return DW_OK;
}

static dw_status select_centres(dw_device *device, const dw_terrain_view *view,
                                const dw_composition *given, uint8_t *ids, const dw_run *run,
                                dw_error *err)
{
    dw_composition centres = *given;
    maker self = { .view = view, .given = &centres };

    centres.window.samples = 1;
    for (uint32_t slot = 0; slot < view->law->count; slot++)
        self.painting.paint.widths[slot] = self.painting.paint.heights[slot] = 1;
    DW_TRY(fill_picture(&self, err));
    if (dw_device_gpu(device) != NULL)
        DW_TRY(dw_terrain_pass(dw_device_gpu(device), view->law, view->table, &view->map,
                               &self.painting.picture, ids, run, err));
    else
        DW_TRY(dw_terrain_select(view->law, view->table, &view->map, &self.painting.picture, ids,
                                 run, err));
    err->code = DW_OK;
fail:
    dw_free(self.columns);
    dw_free(self.rows);
    return err->code;
}

static void finish(maker *self)
{
    dw_light_tables_destroy(self->tables);
    dw_free(self->base);
    dw_free(self->columns);
    dw_free(self->rows);
    dw_free(self->details);
}

dw_status dw_terrain_view_compose(dw_device *device, const dw_terrain_view *view,
                                  const dw_composition *composition, uint8_t *out, uint8_t *ids,
                                  const dw_run *run, dw_error *err)
{
    dw_run first = dw_run_part(run, 0.0, 0.1), main = dw_run_part(run, 0.1, ids ? 0.8 : 1.0);
    dw_run last = dw_run_part(run, 0.8, 1.0);
    maker self = { .view = view, .given = composition };

    DW_TRY(dw_terrain_view_check(view, err));
    DW_TRY(dw_light_tables_create(DW_COLOR_SPACE_SRGB, 8, &self.tables, err));
    self.painting.tables = self.tables;
    set_fades(&self);
    DW_TRY(fill_base(&self, err));
    DW_TRY(fill_details(&self, &first, err));
    DW_TRY(fill_picture(&self, err));
    if (dw_device_gpu(device) != NULL)
        DW_TRY(dw_terrain_compose_pass(dw_device_gpu(device), view->law, view->table, &view->map,
                                       &self.painting, out, &main, err));
    else
        DW_TRY(dw_terrain_compose(view->law, view->table, &view->map, &self.painting, out, &main,
                                  err));
    if (ids != NULL)
        DW_TRY(select_centres(device, view, composition, ids, &last, err));
    err->code = DW_OK;
fail:
    finish(&self);
    return err->code;
}
