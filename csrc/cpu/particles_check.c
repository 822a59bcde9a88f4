/* SPDX-License-Identifier: MIT */
#include "cpu/particles.h"

static bool fits(uint32_t first, uint32_t count, uint32_t limit)
{
    return first <= limit && count <= limit - first;
}

static bool are_finite(const float *values, uint32_t count)
{
    bool is_finite = true;

    for (uint32_t i = 0; i < count; i++)
        is_finite &= dw_is_finite_bits(dw_bits_from_float(values[i]));
    return is_finite;
}

static dw_status check_curve(const dw_particle_tables *tables, uint32_t index, const char *field,
                             uint32_t first, dw_error *err)
{
    if (first == DW_PARTICLE_NONE || fits(first, DW_PARTICLE_KNOTS, tables->curve_count))
        return DW_OK;
    return dw_fail(
        err, DW_ERROR_ARGUMENT,
        "parts: %s of part %u begins at %u, but curves holds %u values and a curve takes "
        "%d; give DW_PARTICLE_NONE for none",
        field, index, first, tables->curve_count, DW_PARTICLE_KNOTS);
}

static dw_status check_ramp(const dw_particle_tables *tables, uint32_t index, dw_error *err)
{
    const dw_particle_part *p = &tables->parts[index];
    bool is_ramped = (p->flags & DW_PART_IS_RAMPED) != 0;
    uint32_t count = is_ramped ? DW_PARTICLE_KNOTS : p->ramp_count;

    if (p->ramp == DW_PARTICLE_NONE || (count > 0 && fits(p->ramp, count, tables->color_count)))
        return DW_OK;
    return dw_fail(
        err, DW_ERROR_ARGUMENT,
        "parts: ramp of part %u takes %u colours from %u on, at least 1, but colors holds "
        "%u; give DW_PARTICLE_NONE for none",
        index, count, p->ramp, tables->color_count);
}

static dw_status check_times(const dw_particle_part *p, uint32_t index, dw_error *err)
{
    if (p->life_least == 0 || p->life_span > UINT32_MAX - p->life_least)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "parts: lives of part %u must lie in [1, 2^32) ticks, got %u + [0, %u]",
                       index, p->life_least, p->life_span);
    if ((p->flags & DW_PART_IS_BURST) != 0 && (p->gap == 0 || p->gap_jitter > p->gap / 2))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "parts: gap of part %u must be at least 1 and twice its jitter, got %u and "
                       "a jitter of %u",
                       index, p->gap, p->gap_jitter);
    return DW_OK;
}

static dw_status check_part(const dw_particle_tables *tables, uint32_t index, dw_error *err)
{
    const dw_particle_part *p = &tables->parts[index];
    bool is_kind = false;

#define DW_PARTICLE_KIND(value, NAME, name, traits, params, doc) \
    is_kind |= p->kind == DW_PARTICLE_KIND_##NAME;
#include "shared/particle_kinds.def"
#undef DW_PARTICLE_KIND
    if (!is_kind)
        return dw_fail(err, DW_ERROR_ARGUMENT, "parts: part %u has kind %u, which there is not",
                       index, p->kind);
    if (p->tone > DW_PARTICLE_TONE_ANY)
        return dw_fail(err, DW_ERROR_ARGUMENT, "parts: tone of part %u must be at most %u, got %u",
                       index, DW_PARTICLE_TONE_ANY, p->tone);
    if (p->layer >= tables->layer_count)
        return dw_fail(err, DW_ERROR_ARGUMENT, "parts: part %u is of layer %u, but there are %u",
                       index, p->layer, tables->layer_count);
    if (!are_finite(&p->frame_rate, 6) || !are_finite(p->offset, 3) ||
        !are_finite(p->params, DW_PARTICLE_PARAMS))
        return dw_fail(err, DW_ERROR_ARGUMENT, "parts: part %u has a number that is not finite",
                       index);
    if (check_times(p, index, err) != DW_OK || check_ramp(tables, index, err) != DW_OK ||
        check_curve(tables, index, "opacity_curve", p->opacity_curve, err) != DW_OK)
        return err->code;
    return check_curve(tables, index, "size_curve", p->size_curve, err);
}

static dw_status check_row(const dw_particle_tables *tables, uint32_t row, dw_error *err)
{
    const dw_particle_emitter *e = &tables->emitters[row];
    uint32_t part = DW_EMITTER_PART(e->part);

    if (e->part == DW_PARTICLE_NONE)
        return DW_OK;
    if (part >= tables->part_count)
        return dw_fail(err, DW_ERROR_ARGUMENT, "emitters: row %u has part %u, but parts holds %u",
                       row, part, tables->part_count);
    if (e->count > DW_PARTICLE_COUNT_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "emitters: row %u has %u slots, at most %d; give it several rows", row,
                       e->count, DW_PARTICLE_COUNT_MAX);
    if ((tables->parts[part].flags & DW_PART_IS_EVEN) != 0 && e->count > 0 &&
        ((uint64_t)1 << 53) / e->count <
            (uint64_t)tables->parts[part].life_least + tables->parts[part].life_span)
        return dw_fail(
            err, DW_ERROR_ARGUMENT,
            "emitters: row %u has %u slots spread evenly over lives of up to %llu ticks; "
            "slots times ticks must be below 2^53",
            row, e->count,
            (unsigned long long)tables->parts[part].life_least + tables->parts[part].life_span);
    if (!fits(e->surface, e->surface_count, tables->point_count))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "emitters: row %u takes points [%u, %u + %u), but points holds %u", row,
                       e->surface, e->surface, e->surface_count, tables->point_count);
    if (!are_finite(e->position, 3) || !are_finite(&e->scale, 1) || !are_finite(e->before, 3) ||
        !are_finite(e->extent, 3) || !are_finite(&e->bound_y, 2))
        return dw_fail(err, DW_ERROR_ARGUMENT, "emitters: row %u has a number that is not finite",
                       row);
    if (dw_particle_join(e->epoch_low, e->epoch_high) >= DW_PARTICLE_TICKS_MAX ||
        dw_particle_join(e->local_low, e->local_high) >= DW_PARTICLE_TICKS_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "emitters: row %u has a time that is not below 2^52 ticks", row);
    return DW_OK;
}

static dw_status check_region(const dw_particle_tables *tables, uint32_t layer, dw_error *err)
{
    const dw_particle_region *region = &tables->regions[layer];

    if (region->first % DW_PARTICLE_ROW_GROUP != 0 ||
        !fits(region->first, region->count, tables->row_count))
        return dw_fail(
            err, DW_ERROR_ARGUMENT,
            "regions: layer %u has rows [%u, %u + %u), which must begin at a multiple of "
            "%d and lie in the %u of emitters",
            layer, region->first, region->first, region->count, DW_PARTICLE_ROW_GROUP,
            tables->row_count);
    for (uint32_t i = 0; i < region->count; i++) {
        const dw_particle_emitter *e = &tables->emitters[region->first + i];

        if (e->part == DW_PARTICLE_NONE || tables->parts[DW_EMITTER_PART(e->part)].layer == layer)
            continue;
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "regions: row %u lies in layer %u, but its part is of layer %u",
                       region->first + i, layer, tables->parts[DW_EMITTER_PART(e->part)].layer);
    }
    return DW_OK;
}

dw_status dw_particles_check(const dw_particle_tables *tables, dw_error *err)
{
    if (tables->part_count > DW_PARTICLE_PARTS_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY, "parts: at most %d, got %u", DW_PARTICLE_PARTS_MAX,
                       tables->part_count);
    if (tables->layer_count > DW_PARTICLE_LAYERS_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY, "regions: at most %d layers, got %u",
                       DW_PARTICLE_LAYERS_MAX, tables->layer_count);
    if (!are_finite(tables->curves, tables->curve_count))
        return dw_fail(err, DW_ERROR_ARGUMENT, "curves must be finite");
    for (uint32_t i = 0; i < tables->part_count; i++)
        if (check_part(tables, i, err) != DW_OK)
            return err->code;
    for (uint32_t i = 0; i < tables->row_count; i++)
        if (check_row(tables, i, err) != DW_OK)
            return err->code;
    for (uint32_t i = 0; tables->regions != NULL && i < tables->layer_count; i++)
        if (check_region(tables, i, err) != DW_OK)
            return err->code;
    return DW_OK;
}
