/* SPDX-License-Identifier: MIT */
#include "systems/forest.h"

#include "base/alloc.h"
#include "systems/forest_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define POSITION_MAX   1e9   /* m */
#define DISTANCE_MAX   1e9   /* m */
#define STEP_MIN       1e-3  /* m: squares and their reciprocals stay ordinary floats */
#define AMOUNT_MIN     1e-6f /* likewise */
#define CROSSFADE_MAX  60.0  /* s: ticks stay exact as floats */
#define SCALE_MIN      1e-6  /* of a transform along its shortest axis */
#define SCALE_MAX      1e6
#define SINGULAR       1e-9 /* least determinant of unit columns */
#define SIZE_UNIT      5.0  /* m */
#define REJECTED_SHOWN 12   /* ids in a message */
#define TABLE_SIDE_MAX 128  /* ranks fit in the fade word */
#define ROWS_FIRST     64

/* ---- definition ---- */

dw_forest_def dw_forest_def_default(void)
{
    return (dw_forest_def) {
        .has_fade = true,
        .fade = { 1000.0, 1200.0 },
        .crossfade = 0.25,
        .hysteresis = 0.9,
        .pattern = DW_DITHER_PATTERN_BAYER4,
        .table_side = 64,
        .rule = DW_DITHER_RULE_CENTRED,
        .combine = DW_FADE_COMBINE_MAX,
        .dissolve = dw_dissolve_def_default(),
    };
}

/* Written so that NaN is outside. */
static bool is_within(double value, double low, double high)
{
    return value >= low && value <= high;
}

static dw_status check_distances(const dw_forest_def *def, dw_error *err)
{
    if (def->distances[0] != 0.0)
        return dw_fail(err, DW_ERROR_ARGUMENT, "distances[0] must be 0, got %g", def->distances[0]);
    for (int i = 1; i < def->lod_count; i++)
        if (!is_within(def->distances[i], def->distances[i - 1], DISTANCE_MAX))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "distances must rise from LOD to LOD, up to %g m: LOD %d begins at %g "
                           "m, LOD %d at %g m",
                           DISTANCE_MAX, i - 1, def->distances[i - 1], i, def->distances[i]);
    for (int i = 1; i < def->lod_count; i++)
        if (def->distances[i] != 0.0 && def->distances[i] < STEP_MIN)
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "distances must be 0 or at least %g m, got %g for LOD %d", STEP_MIN,
                           def->distances[i], i);
    return DW_OK;
}

static dw_status check_fade(const char *name, const double fade[2], dw_error *err)
{
    if (is_within(fade[0], 0.0, DISTANCE_MAX) && is_within(fade[1], 0.0, DISTANCE_MAX) &&
        fade[1] - fade[0] >= STEP_MIN)
        return DW_OK;
    return dw_fail(err, DW_ERROR_ARGUMENT,
                   "%s must be (begin, end) in metres, both 0 to %g and at least %g apart, got "
                   "(%g, %g)",
                   name, DISTANCE_MAX, STEP_MIN, fade[0], fade[1]);
}

static dw_status check_variants(const dw_forest_def *def, dw_error *err)
{
    for (int i = 0; i < def->variant_count; i++) {
        const dw_forest_variant *variant = &def->variants[i];

        if ((variant->mesh_mask & ((1u << def->lod_count) - 1)) == 0)
            return dw_fail(err, DW_ERROR_ARGUMENT, "variant %d has no mesh at any LOD", i);
        for (int j = 0; j < 3; j++)
            if (!is_within(variant->sphere[j], -POSITION_MAX, POSITION_MAX))
                return dw_fail(err, DW_ERROR_ARGUMENT,
                               "variant %d: its meshes must lie within %g m, the middle of their "
                               "bounding sphere is at %g",
                               i, POSITION_MAX, variant->sphere[j]);
        if (!is_within(variant->sphere[3], 0.0, POSITION_MAX) ||
            !is_within(variant->size, 0.0, POSITION_MAX))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "variant %d: its meshes must be at most %g m large, got a radius of %g "
                           "and a size of %g",
                           i, POSITION_MAX, variant->sphere[3], variant->size);
    }
    return DW_OK;
}

static dw_status check_def(const dw_forest_def *def, dw_error *err)
{
    if (def->lod_count < 1 || def->lod_count > DW_FOREST_LODS_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT, "a forest has 1 to %d LODs, got %d",
                       DW_FOREST_LODS_MAX, def->lod_count);
    if (def->variant_count < 1 || def->variant_count > DW_FOREST_VARIANTS_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT, "a forest has 1 to %d variants, got %d",
                       DW_FOREST_VARIANTS_MAX, def->variant_count);
    if (!is_within(def->crossfade, 0.0, CROSSFADE_MAX))
        return dw_fail(err, DW_ERROR_ARGUMENT, "crossfade must be 0 to %g seconds, got %g",
                       CROSSFADE_MAX, def->crossfade);
    if (!is_within(def->hysteresis, 1e-3, 1.0))
        return dw_fail(err, DW_ERROR_ARGUMENT, "hysteresis must be 0.001 to 1, got %g",
                       def->hysteresis);
    if (def->pattern == DW_DITHER_PATTERN_BLUE &&
        (def->table_side < DW_DITHER_SIDE_MIN || def->table_side > TABLE_SIDE_MAX ||
         (def->table_side & (def->table_side - 1)) != 0))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "blue_size must be a power of two from %u to %d in a forest, got %u",
                       DW_DITHER_SIDE_MIN, TABLE_SIDE_MAX, def->table_side);
    if (def->dissolve.scale > 0.0f && def->dissolve.scale < AMOUNT_MIN)
        return dw_fail(err, DW_ERROR_ARGUMENT, "dissolve_scale must be 0 or at least %g, got %g",
                       (double)AMOUNT_MIN, (double)def->dissolve.scale);
    if (def->has_fade && check_fade("fade", def->fade, err) != DW_OK)
        return err->code;
    if (def->has_near_fade && check_fade("near_fade", def->near_fade, err) != DW_OK)
        return err->code;
    if (check_distances(def, err) != DW_OK)
        return err->code;
    return check_variants(def, err);
}

/* The mesh drawn for a LOD: its own, else the next finer one, else the next coarser one. */
static uint32_t mesh_for(const dw_forest_variant *variant, int lod, int lod_count)
{
    for (int i = lod; i >= 0; i--)
        if ((variant->mesh_mask >> i & 1u) != 0)
            return (uint32_t)i;
    for (int i = lod + 1; i < lod_count; i++)
        if ((variant->mesh_mask >> i & 1u) != 0)
            return (uint32_t)i;
    return 0;
}

/* 1 / (far^2 - near^2) */
static float fade_share(const double fade[2])
{
    return (float)(1.0 / (fade[1] * fade[1] - fade[0] * fade[0]));
}

static void make_params(const dw_forest_def *def, dw_forest_params *out)
{
    dw_forest_rules *rules = &out->rules;

    *out = (dw_forest_params) { 0 };
    rules->lod_count = (uint32_t)def->lod_count;
    rules->bucket_count = 2u * (uint32_t)(def->lod_count * def->variant_count);
    rules->rank_count = dw_dither_rank_count(def->pattern, def->table_side);
    rules->rule = def->rule;
    rules->combine = def->combine;
    rules->encoding = def->dissolve.encoding;
    rules->direction = def->dissolve.direction;
    rules->crossfade_ticks = (uint32_t)(def->crossfade * DW_TICKS_PER_SECOND + 0.5);
    if (rules->crossfade_ticks > 0)
        rules->crossfade_share = (float)(1.0 / rules->crossfade_ticks);
    rules->dissolve_scale = def->dissolve.scale;
    if (def->has_fade) {
        rules->far_start2 = (float)(def->fade[0] * def->fade[0]);
        rules->far_share = fade_share(def->fade);
    }
    if (def->has_near_fade) {
        rules->near_end2 = (float)(def->near_fade[1] * def->near_fade[1]);
        rules->near_share = fade_share(def->near_fade);
    }
    for (int i = 0; i < def->lod_count; i++) {
        double keep = def->hysteresis * def->distances[i];

        out->cuts[i].take2 = (float)(def->distances[i] * def->distances[i]);
        out->cuts[i].keep2 = (float)(keep * keep);
    }
    for (int i = 0; i < def->variant_count; i++)
        for (int lod = 0; lod < def->lod_count; lod++)
            out->meshes[i] |= mesh_for(&def->variants[i], lod, def->lod_count) << (4 * lod);
}

dw_status dw_forest_create(const dw_forest_def *def, dw_forest **out, dw_error *err)
{
    dw_forest *forest = NULL;

    *out = NULL;
    DW_TRY(check_def(def, err));
    DW_TRY(DW_ALLOC_ZEROED(1, &forest, err));
    forest->def = *def;
    make_params(def, &forest->params);
    DW_TRY(dw_dissolve_field_create(&def->dissolve, &forest->field, err));
    *out = forest;
    return DW_OK;
fail:
    dw_forest_destroy(forest);
    return err->code;
}

void dw_forest_destroy(dw_forest *forest)
{
    if (forest == NULL)
        return;
    dw_forest_finish_views(forest);
    dw_dissolve_field_destroy(forest->field);
    dw_free(forest->records);
    dw_free(forest->transforms);
    dw_free(forest->infos);
    dw_free(forest->states);
    dw_free(forest->draws);
    dw_free(forest);
}

/* ---- rows ---- */

static void mark(dw_forest *forest, dw_forest_array array, uint32_t row)
{
    dw_forest_range *range = &forest->dirty[array];

    if (array == DW_FOREST_RECORDS)
        forest->has_bounds = false;
    if (range->begin >= range->end)
        *range = (dw_forest_range) { row, row + 1 };
    if (row < range->begin)
        range->begin = row;
    if (row >= range->end)
        range->end = row + 1;
}

/* *array becomes a copy with room for more; zeros behind the copied part. */
static dw_status grow_array(void **array, size_t row_bytes, uint32_t old, uint32_t capacity,
                            dw_error *err)
{
    void *grown;

    if (dw_alloc_array_zeroed(capacity, row_bytes, "forest rows", &grown, err) != DW_OK)
        return err->code;
    if (old > 0)
        memcpy(grown, *array, old * row_bytes);
    dw_free(*array);
    *array = grown;
    return DW_OK;
}

static dw_status reserve_rows(dw_forest *forest, uint64_t count, dw_error *err)
{
    uint64_t capacity = forest->capacity < ROWS_FIRST ? ROWS_FIRST : forest->capacity;
    uint32_t old = forest->capacity, rows;

    if (count <= forest->capacity)
        return DW_OK;
    if (count > UINT32_MAX / 4)
        return dw_fail(err, DW_ERROR_CAPACITY, "a forest has at most %u rows, wanted %" PRIu64,
                       UINT32_MAX / 4, count);
    while (capacity < count)
        capacity *= 2;
    rows = (uint32_t)capacity;
    DW_TRY(grow_array((void **)&forest->records, sizeof *forest->records, old, rows, err));
    DW_TRY(grow_array((void **)&forest->transforms, 12 * sizeof(float), old, rows, err));
    DW_TRY(grow_array((void **)&forest->infos, sizeof *forest->infos, old, rows, err));
    DW_TRY(grow_array((void **)&forest->states, sizeof *forest->states, old, rows, err));
    forest->capacity = rows;
    return DW_OK;
fail:
    return err->code;
}

/* ---- transforms ---- */

static double length3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double determinant(const double c[3][3])
{
    return c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
           c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
           c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
}

static void take_columns(const float m[16], double columns[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            columns[i][j] = m[4 * j + i];
}

static dw_status check_transform(uint64_t id, const float m[16], dw_error *err)
{
    double columns[3][3], product = 1.0, det;

    for (int i = 0; i < 16; i++)
        if (!isfinite(m[i]))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "transforms: that of id %" PRIu64 " holds %g at row %d, column %d", id,
                           (double)m[i], i / 4, i % 4);
    if (m[12] != 0.0f || m[13] != 0.0f || m[14] != 0.0f || m[15] != 1.0f)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "transforms: the last row of that of id %" PRIu64
                       " must be 0 0 0 1, got %g %g %g %g; matrices act on column vectors, so "
                       "that the position is the last column",
                       id, (double)m[12], (double)m[13], (double)m[14], (double)m[15]);
    take_columns(m, columns);
    for (int i = 0; i < 3; i++) {
        double length = length3(columns[i]);

        if (fabs((double)m[4 * i + 3]) > POSITION_MAX)
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "transforms: positions lie within %g m, that of id %" PRIu64 " at %g",
                           POSITION_MAX, id, (double)m[4 * i + 3]);
        if (length < SCALE_MIN || length > SCALE_MAX)
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "transforms: that of id %" PRIu64 " scales axis %d by %g; wanted %g to "
                           "%g",
                           id, i, length, SCALE_MIN, SCALE_MAX);
        product *= length;
    }
    det = determinant(columns) / product;
    if (fabs(det) < SINGULAR)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "transforms: that of id %" PRIu64 " is singular: its axes lie in a plane",
                       id);
    if (det < 0.0)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "transforms: that of id %" PRIu64 " mirrors (an odd number of negative "
                       "scales), which would turn triangles inside out; wanted a positive "
                       "determinant: mirror the mesh and make it a variant",
                       id);
    return DW_OK;
}

/* A bound on how much a transform can stretch; exact for scaled rotations. */
static double stretch_of(const double columns[3][3])
{
    double most = 0.0;

    for (int i = 0; i < 3; i++) {
        double sum = 0.0;

        for (int j = 0; j < 3; j++)
            sum += fabs(columns[i][0] * columns[j][0] + columns[i][1] * columns[j][1] +
                        columns[i][2] * columns[j][2]);
        most = sum > most ? sum : most;
    }
    return sqrt(most);
}

static float tidy(double x)
{
    return fabs(x) < DW_FOREST_TINY ? 0.0f : (float)x;
}

static dw_forest_record make_record(const dw_forest_def *def, const dw_forest_variant *variant,
                                    const float m[16])
{
    dw_forest_record record;
    double columns[3][3], centre[3], stretch, scale = 1.0;

    take_columns(m, columns);
    stretch = stretch_of(columns);
    for (int i = 0; i < 3; i++)
        centre[i] = (double)m[4 * i + 3] + columns[0][i] * variant->sphere[0] +
                    columns[1][i] * variant->sphere[1] + columns[2][i] * variant->sphere[2];
    if (def->is_size_scaled) {
        scale = stretch * variant->size / SIZE_UNIT;
        scale = scale < 0.3 ? 0.3 : (scale > 10.0 ? 10.0 : scale);
    }
    record.x = tidy(m[3]);
    record.y = tidy(m[7]);
    record.z = tidy(m[11]);
    record.scale2 = (float)(scale * scale);
    record.sphere_x = tidy(centre[0]);
    record.sphere_y = tidy(centre[1]);
    record.sphere_z = tidy(centre[2]);
    record.radius = tidy(stretch * variant->sphere[3] * (1.0 + 1e-6));
    return record;
}

/* ---- add, remove ---- */

uint32_t dw_forest_variant_of(uint64_t id, uint32_t variant_count)
{
    uint32_t hash = dw_hash((uint32_t)id + dw_hash((uint32_t)(id >> 32)));

    return (uint32_t)((uint64_t)hash * variant_count >> 32);
}

static uint32_t variant_in(const dw_forest *forest, const dw_forest_batch *batch, uint32_t i)
{
    return batch->variants != NULL
               ? batch->variants[i]
               : dw_forest_variant_of(batch->ids[i], (uint32_t)forest->def.variant_count);
}

static dw_status check_batch(const dw_forest *forest, const dw_forest_batch *batch, dw_error *err)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        if (check_transform(batch->ids[i], batch->transforms + 16 * (size_t)i, err) != DW_OK)
            return err->code;
        if (variant_in(forest, batch, i) >= (uint32_t)forest->def.variant_count)
            return dw_fail(
                err, DW_ERROR_ARGUMENT, "variant must be 0 to %d, got %u for id %" PRIu64,
                forest->def.variant_count - 1, variant_in(forest, batch, i), batch->ids[i]);
    }
    return DW_OK;
}

/* Names the ids that find no room. */
static dw_status check_capacity(const dw_forest *forest, const dw_forest_batch *batch,
                                dw_error *err)
{
    const dw_id_map *map = dw_dissolve_field_ids(forest->field);
    uint64_t room = forest->def.capacity, rejected = 0;
    char shown[REJECTED_SHOWN * 22 + 8] = "";
    size_t length = 0;

    if (room == 0)
        return DW_OK;
    room -= dw_id_map_count(map);
    for (uint32_t i = 0; i < batch->count; i++) {
        if (dw_id_map_find(map, batch->ids[i]) != DW_ROW_NONE)
            continue;
        if (room > 0) {
            room--;
            continue;
        }
        if (rejected++ < REJECTED_SHOWN)
            length += (size_t)snprintf(shown + length, sizeof shown - length, "%s%" PRIu64,
                                       rejected > 1 ? ", " : "", batch->ids[i]);
    }
    if (rejected == 0)
        return DW_OK;
    return dw_fail(err, DW_ERROR_CAPACITY,
                   "ids: the forest holds at most %" PRIu64 " (capacity) and has %u; no room for "
                   "%" PRIu64 " of the new ones: %s%s; nothing was added",
                   forest->def.capacity, dw_id_map_count(map), rejected, shown,
                   rejected > REJECTED_SHOWN ? ", ..." : "");
}

static void bury_row(dw_forest *forest, uint32_t row)
{
    forest->records[row].radius = -1.0f;
    mark(forest, DW_FOREST_RECORDS, row);
}

static void write_row(dw_forest *forest, const dw_forest_batch *batch, uint32_t i, uint32_t row)
{
    const float *transform = batch->transforms + 16 * (size_t)i;
    uint32_t variant = variant_in(forest, batch, i);
    uint32_t generation = DW_FOREST_GENERATION(forest->infos[row]);
    bool is_depleted = batch->are_depleted != NULL && batch->are_depleted[i];

    generation = generation == 255 ? 1 : generation + 1;
    forest->records[row] = make_record(&forest->def, &forest->def.variants[variant], transform);
    memcpy(forest->transforms + 12 * (size_t)row, transform, 12 * sizeof(float));
    forest->infos[row] = variant | generation << 24 | DW_FOREST_CASTS_SHADOW |
                         (is_depleted ? 0 : DW_FOREST_INTERACTABLE);
    mark(forest, DW_FOREST_RECORDS, row);
    mark(forest, DW_FOREST_TRANSFORMS, row);
    mark(forest, DW_FOREST_INFOS, row);
}

dw_status dw_forest_add(dw_forest *forest, const dw_forest_batch *batch, dw_error *err)
{
    const dw_id_map *map = dw_dissolve_field_ids(forest->field);
    uint32_t *rows = NULL, *replaced = NULL;
    float *initial = NULL;

    if (batch->count == 0)
        return DW_OK;
    DW_TRY(check_batch(forest, batch, err));
    DW_TRY(check_capacity(forest, batch, err));
    DW_TRY(DW_ALLOC(batch->count, &rows, err));
    DW_TRY(DW_ALLOC(batch->count, &replaced, err));
    DW_TRY(DW_ALLOC(batch->count, &initial, err));
    DW_TRY(reserve_rows(forest, (uint64_t)dw_id_map_row_count(map) + batch->count, err));
    for (uint32_t i = 0; i < batch->count; i++) {
        replaced[i] = dw_id_map_find(map, batch->ids[i]);
        initial[i] = batch->are_depleted != NULL && batch->are_depleted[i] ? 1.0f : 0.0f;
    }
    DW_TRY(dw_dissolve_field_add(forest->field, batch->ids, batch->count, initial, rows, err));
    for (uint32_t i = 0; i < batch->count; i++)
        if (replaced[i] != DW_ROW_NONE)
            bury_row(forest, replaced[i]);
    for (uint32_t i = 0; i < batch->count; i++)
        write_row(forest, batch, i, rows[i]);
    err->code = DW_OK;
fail:
    dw_free(rows);
    dw_free(replaced);
    dw_free(initial);
    return err->code;
}

dw_status dw_forest_find(const dw_forest *forest, const dw_forest_ids *ids, uint32_t *rows,
                         dw_error *err)
{
    const dw_id_map *map = dw_dissolve_field_ids(forest->field);

    for (uint32_t i = 0; i < ids->count; i++) {
        rows[i] = dw_id_map_find(map, ids->ids[i]);
        ids->are_known[i] = rows[i] != DW_ROW_NONE;
        if (ids->is_strict && rows[i] == DW_ROW_NONE)
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "ids: %" PRIu64 " is not in the forest; strict=False leaves unknown ids "
                           "alone",
                           ids->ids[i]);
    }
    return DW_OK;
}

/* Ids that are known, in `known`, and their rows; both to be freed. */
static dw_status find_known(const dw_forest *forest, const dw_forest_ids *ids, uint64_t **known,
                            uint32_t **rows, uint32_t *count, dw_error *err)
{
    uint32_t found = 0;

    *known = NULL;
    *rows = NULL;
    DW_TRY(DW_ALLOC(ids->count, known, err));
    DW_TRY(DW_ALLOC(ids->count, rows, err));
    DW_TRY(dw_forest_find(forest, ids, *rows, err));
    for (uint32_t i = 0; i < ids->count; i++)
        if (ids->are_known[i]) {
            (*known)[found] = ids->ids[i];
            (*rows)[found++] = (*rows)[i];
        }
    *count = found;
    return DW_OK;
fail:
    dw_free(*known);
    dw_free(*rows);
    *known = NULL;
    *rows = NULL;
    return err->code;
}

dw_status dw_forest_remove(dw_forest *forest, const dw_forest_ids *ids, dw_error *err)
{
    uint64_t *known;
    uint32_t *rows, count;
    dw_status status = find_known(forest, ids, &known, &rows, &count, err);

    if (status == DW_OK && count > 0)
        status = dw_dissolve_field_remove(forest->field, known, count, false, NULL, NULL, err);
    if (status == DW_OK)
        for (uint32_t i = 0; i < count; i++)
            bury_row(forest, rows[i]);
    dw_free(known);
    dw_free(rows);
    return status;
}

/* ---- changes ---- */

dw_status dw_forest_dissolve_start(dw_forest *forest, const dw_forest_ids *ids,
                                   dw_dissolve_start start, dw_error *err)
{
    uint64_t *known;
    uint32_t *rows, count;
    dw_status status = find_known(forest, ids, &known, &rows, &count, err);

    if (status == DW_OK && count > 0)
        status = dw_dissolve_field_start(forest->field, known, count, &start, err);
    if (status == DW_OK)
        for (uint32_t i = 0; i < count; i++) {
            forest->infos[rows[i]] &= ~DW_FOREST_INTERACTABLE;
            forest->infos[rows[i]] |= start.direction > 0 ? 0 : DW_FOREST_INTERACTABLE;
            mark(forest, DW_FOREST_INFOS, rows[i]);
        }
    dw_free(known);
    dw_free(rows);
    return status;
}

/* The colours of encoding UNORM8 hold the highlight, too. */
static dw_status set_highlight(dw_forest *forest, const dw_forest_ids *ids, const uint32_t *bits,
                               dw_error *err)
{
    for (uint32_t i = 0; i < ids->count; i++) {
        uint8_t level = (uint8_t)DW_FOREST_HIGHLIGHT(bits[i]);

        if (ids->are_known[i] &&
            dw_dissolve_field_set_highlight(forest->field, &ids->ids[i], 1, &level, err) != DW_OK)
            return err->code;
    }
    return DW_OK;
}

dw_status dw_forest_set_info(dw_forest *forest, const dw_forest_ids *ids, uint32_t mask,
                             const uint32_t *bits, dw_error *err)
{
    bool has_colors = dw_dissolve_field_colors(forest->field) != NULL;
    uint32_t *rows;
    dw_status status = DW_ALLOC(ids->count, &rows, err);

    if (status == DW_OK)
        status = dw_forest_find(forest, ids, rows, err);
    if (status == DW_OK && has_colors && DW_FOREST_HIGHLIGHT(mask) != 0)
        status = set_highlight(forest, ids, bits, err);
    if (status == DW_OK)
        for (uint32_t i = 0; i < ids->count; i++)
            if (ids->are_known[i]) {
                forest->infos[rows[i]] = (forest->infos[rows[i]] & ~mask) | (bits[i] & mask);
                mark(forest, DW_FOREST_INFOS, rows[i]);
            }
    dw_free(rows);
    return status;
}

/* ---- reading ---- */

uint32_t dw_forest_count(const dw_forest *forest)
{
    return dw_id_map_count(dw_dissolve_field_ids(forest->field));
}

uint32_t dw_forest_row_count(const dw_forest *forest)
{
    return dw_id_map_row_count(dw_dissolve_field_ids(forest->field));
}

const dw_forest_def *dw_forest_get_def(const dw_forest *forest)
{
    return &forest->def;
}

const dw_forest_params *dw_forest_get_params(const dw_forest *forest)
{
    return &forest->params;
}

dw_dissolve_field *dw_forest_field(dw_forest *forest)
{
    return forest->field;
}

dw_dissolve_field *dw_forest_release_field(dw_forest *forest)
{
    dw_dissolve_field *field = forest->field;

    forest->field = NULL;
    return field;
}

static void find_bounds(const dw_forest *forest, float out[6])
{
    for (int i = 0; i < 3; i++) {
        out[i] = INFINITY;
        out[i + 3] = -INFINITY;
    }
    for (uint32_t row = 0; row < dw_forest_row_count(forest); row++) {
        const dw_forest_record *record = &forest->records[row];
        const float centre[3] = { record->sphere_x, record->sphere_y, record->sphere_z };

        for (int i = 0; i < 3 && record->radius >= 0.0f; i++) {
            out[i] = fminf(out[i], centre[i] - record->radius);
            out[i + 3] = fmaxf(out[i + 3], centre[i] + record->radius);
        }
    }
}

bool dw_forest_bounds(dw_forest *forest, float out[6])
{
    if (!forest->has_bounds)
        find_bounds(forest, forest->bounds);
    forest->has_bounds = true;
    memcpy(out, forest->bounds, sizeof forest->bounds);
    return dw_forest_count(forest) > 0;
}

const uint32_t *dw_forest_infos(const dw_forest *forest)
{
    return forest->infos;
}

const float *dw_forest_transforms(const dw_forest *forest)
{
    return forest->transforms;
}

const dw_forest_record *dw_forest_records(const dw_forest *forest)
{
    return forest->records;
}
