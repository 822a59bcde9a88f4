/* SPDX-License-Identifier: MIT */
#include "cpu/particle_step.h"

#include <math.h>

/* A number of a law or a collider, and what it may be. */
typedef struct bound {
    const char *name;
    double value, least, most;
} bound;

static dw_status check_bounds(const bound *bounds, size_t count, const char *argument,
                              dw_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!(bounds[i].value >= bounds[i].least && bounds[i].value <= bounds[i].most))
            return dw_fail(err, DW_ERROR_ARGUMENT, "%s: %s must lie in [%g, %g], got %g", argument,
                           bounds[i].name, bounds[i].least, bounds[i].most, bounds[i].value);
    return DW_OK;
}

static dw_status check_vector(const float v[3], const char *name, double least, double most,
                              const char *argument, dw_error *err)
{
    const bound bounds[] = { { name, v[0], least, most },
                             { name, v[1], least, most },
                             { name, v[2], least, most } };

    return check_bounds(bounds, DW_COUNT_OF(bounds), argument, err);
}

static bool is_zero(const float v[3])
{
    return v[0] == 0.0f && v[1] == 0.0f && v[2] == 0.0f;
}

/* Three axes of length 1 at right angles. */
static dw_status check_axes(const float x[3], const float y[3], const float z[3],
                            const char *argument, dw_error *err)
{
    const float *axes[3] = { x, y, z };

    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double dot = 0.0;

            for (int k = 0; k < 3; k++)
                dot += (double)axes[i][k] * axes[j][k];
            if (!(fabs(dot - (i == j)) <= 1e-4))
                return dw_fail(err, DW_ERROR_ARGUMENT,
                               "%s: its axes must have length 1 and be at right angles: those %d "
                               "and %d give %g",
                               argument, i, j, dot);
        }
    return DW_OK;
}

static dw_status check_births(const dw_particle_law *law, const char *argument, dw_error *err)
{
    const double fast = DW_PARTICLE_LAW_SPEED_MAX;
    const bound bounds[] = {
        { "cone", law->cone, 0.0, 2.0 },
        { "speed", law->speed, -fast, fast },
        { "speed span", law->speed_span, -fast, fast },
        { "inherit", law->inherit, -1e3, 1e3 },
        { "radius", law->radius, 0.0, 1e3 },
        { "impact", law->impact, 0.0, fast },
    };

    if (check_bounds(bounds, DW_COUNT_OF(bounds), argument, err) != DW_OK ||
        check_vector(law->place, "place", -DW_PARTICLE_LAW_PLACE_MAX, DW_PARTICLE_LAW_PLACE_MAX,
                     argument, err) != DW_OK ||
        check_vector(law->extent, "extent", 0.0, DW_PARTICLE_LAW_PLACE_MAX, argument, err) != DW_OK)
        return err->code;
    return check_axes(law->axis_x, law->axis_y, law->axis_z, argument, err);
}

dw_status dw_particle_law_check(const dw_particle_law *law, const char *argument, dw_error *err)
{
    const double fast = DW_PARTICLE_LAW_SPEED_MAX;
    const bound bounds[] = {
        { "drag", law->drag, 0.0, DW_PARTICLE_LAW_DRAG_MAX },
        { "noise", law->noise, 0.0, fast },
        { "noise scale", law->noise_scale, law->noise != 0.0f ? 1e-4 : 0.0, 1e3 },
        { "pull", law->pull, -fast, fast },
        { "pull reach", law->pull_reach, law->pull != 0.0f ? 1e-3 : 0.0,
          DW_PARTICLE_LAW_PLACE_MAX },
        { "colliders", law->collider_count, 0.0, DW_PARTICLE_COLLIDERS_MOST },
    };

    if (check_bounds(bounds, DW_COUNT_OF(bounds), argument, err) != DW_OK ||
        check_vector(law->gravity, "gravity", -fast, fast, argument, err) != DW_OK ||
        check_vector(law->wind, "wind", -fast, fast, argument, err) != DW_OK ||
        check_vector(law->pull_place, "pull place", -DW_PARTICLE_LAW_PLACE_MAX,
                     DW_PARTICLE_LAW_PLACE_MAX, argument, err) != DW_OK)
        return err->code;
    if (law->drag == 0.0f && (law->noise != 0.0f || !is_zero(law->wind)))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "%s: wind and noise move particles by drag, which is 0: give a drag",
                       argument);
    return check_births(law, argument, err);
}

static dw_status check_heightfield(const dw_particle_collider *c, uint64_t height_count,
                                   const char *argument, dw_error *err)
{
    uint64_t count = (uint64_t)c->columns * c->rows;

    if (c->columns < 2 || c->rows < 2)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "%s: a heightfield must have at least 2 rows and 2 columns, got %u and %u",
                       argument, c->rows, c->columns);
    if (count > height_count || c->heights > height_count - count)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "%s: %llu heights from the one with index %u on, but there are %llu",
                       argument, (unsigned long long)count, c->heights,
                       (unsigned long long)height_count);
    return DW_OK;
}

dw_status dw_particle_collider_check(const dw_particle_collider *c, uint64_t height_count,
                                     const char *argument, dw_error *err)
{
    const bound bounds[] = {
        { "kind", c->kind, DW_COLLIDER_PLANE, DW_COLLIDER_HEIGHTFIELD },
        { "bounce", c->bounce, 0.0, 1.0 },
        { "friction", c->friction, 0.0, 1e3 },
    };
    const float used[3] = { c->size[0], c->kind == DW_COLLIDER_BOX ? c->size[1] : c->size[0],
                            c->kind == DW_COLLIDER_SPHERE ? c->size[0] : c->size[2] };

    if (check_bounds(bounds, DW_COUNT_OF(bounds), argument, err) != DW_OK ||
        check_vector(c->center, "place", -DW_PARTICLE_LAW_PLACE_MAX, DW_PARTICLE_LAW_PLACE_MAX,
                     argument, err) != DW_OK)
        return err->code;
    if (c->kind != DW_COLLIDER_PLANE &&
        check_vector(used, "size", 1e-3, DW_PARTICLE_COLLIDER_MAX, argument, err) != DW_OK)
        return err->code;
    if (c->kind == DW_COLLIDER_HEIGHTFIELD)
        return check_heightfield(c, height_count, argument, err);
    return check_axes(c->axis_x, c->axis_y, c->axis_z, argument, err);
}
