/* SPDX-License-Identifier: MIT */
#include "systems/terrain.h"

#include "base/alloc.h"
#include "passes/terrain_pass.h"

#define PARTS 4 /* tables of an axis */

dw_status dw_terrain_view_check(const dw_terrain_view *view, dw_error *err)
{
    int64_t bad = view->is_strict ? dw_terrain_find_bad(&view->map) : -1;
    int64_t pitch = view->map.pitch, texel = bad / pitch;

    if (bad >= 0)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "weights at row %lld, column %lld, slot %lld is negative or not finite; "
                       "without strict it counts as 0",
                       (long long)(texel / view->map.width), (long long)(texel % view->map.width),
                       (long long)(bad % pitch));
    return DW_OK;
}

/* The tables of an axis, for pixels. */
static dw_status fill_steps(const dw_terrain_view *view, uint32_t axis, uint32_t texels,
                            uint32_t count, uint32_t *table, dw_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        double position = view->place.origin[axis] + (i + 0.5) / view->place.scale;

        if (dw_terrain_step(&view->place, axis, position, texels, table, count, i, err) != DW_OK)
            return err->code;
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

dw_status dw_terrain_view_select(dw_device *device, const dw_terrain_view *view, uint32_t width,
                                 uint32_t height, uint8_t *ids, const dw_run *run, dw_error *err)
{
    dw_terrain_picture picture = { .width = width,
                                   .height = height,
                                   .is_linear = view->place.is_linear };
    uint32_t *columns = NULL, *rows = NULL;

    DW_TRY(dw_terrain_view_check(view, err));
    DW_TRY(DW_ALLOC((size_t)width * PARTS, &columns, err));
    DW_TRY(DW_ALLOC((size_t)height * PARTS, &rows, err));
    DW_TRY(fill_steps(view, 0, view->map.width, width, columns, err));
    DW_TRY(fill_steps(view, 1, view->map.height, height, rows, err));
    picture.columns = columns;
    picture.rows = rows;
    picture.is_plain = !picture.is_linear && is_plain(columns, width);
    if (dw_device_gpu(device) != NULL)
        DW_TRY(dw_terrain_pass(dw_device_gpu(device), view->law, view->table, &view->map, &picture,
                               ids, run, err));
    else
        DW_TRY(dw_terrain_select(view->law, view->table, &view->map, &picture, ids, run, err));
    err->code = DW_OK;
fail:
    dw_free(columns);
    dw_free(rows);
    return err->code;
}

dw_status dw_terrain_view_select_at(const dw_terrain_view *view, const double *x, const double *y,
                                    size_t count, uint8_t *ids, dw_error *err)
{
    uint32_t *columns = NULL, *rows = NULL;

    DW_TRY(dw_terrain_view_check(view, err));
    DW_TRY(DW_ALLOC(count * PARTS, &columns, err));
    DW_TRY(DW_ALLOC(count * PARTS, &rows, err));
    for (size_t i = 0; i < count; i++) {
        DW_TRY(dw_terrain_step(&view->place, 0, x[i], view->map.width, columns, count, i, err));
        DW_TRY(dw_terrain_step(&view->place, 1, y[i], view->map.height, rows, count, i, err));
    }
    dw_terrain_select_points(view->law, view->table, &view->map, view->place.is_linear, columns,
                             rows, count, ids);
    err->code = DW_OK;
fail:
    dw_free(columns);
    dw_free(rows);
    return err->code;
}
