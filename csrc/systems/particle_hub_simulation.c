/* SPDX-License-Identifier: MIT */
#include "gpu/transfer.h"
#include "systems/particle_hub_internal.h"

#include <math.h>

#define EVERYWHERE      1e18 /* m: of a sphere that no plane leaves out */
#define EDDY_SPEED_MOST 30.0 /* of dw_particle_curl, whatever its corners are */

dw_status dw_hub_set_home(dw_hub *hub, dw_device *device, dw_error *err)
{
    if (hub->home != NULL)
        return DW_OK;
    if (dw_particle_memory_create(dw_device_gpu(device), &hub->memory, err) != DW_OK)
        return err->code;
    hub->home = device;
    return DW_OK;
}

void dw_hub_finish_states(dw_hub *hub)
{
    if (hub->home != NULL && dw_device_is_forked(hub->home))
        dw_particle_memory_leave_device(hub->memory);
    dw_particle_memory_destroy(hub->memory);
    hub->memory = NULL;
}

bool dw_hub_is_simulating(const dw_hub *hub)
{
    return hub->memory != NULL && dw_particle_memory_get_stats(hub->memory).rows > 0;
}

dw_hub_simulation_stats dw_hub_get_simulation_stats(const dw_hub *hub)
{
    dw_hub_simulation_stats stats = { .steps_skipped = hub->steps_skipped };
    dw_particle_memory_stats memory;

    if (hub->memory == NULL)
        return stats;
    memory = dw_particle_memory_get_stats(hub->memory);
    stats.rows = memory.rows;
    stats.slots = memory.slots;
    stats.capacity = memory.capacity;
    stats.looks = memory.looks;
    return stats;
}

/* ---- laws ---- */

static dw_status check_simulation(const dw_hub *hub, const dw_hub_part *parts, uint32_t count,
                                  uint32_t first, uint32_t index, dw_error *err)
{
    const dw_hub_simulation *simulation = parts[index].simulation;

    if (hub->home == NULL)
        return dw_fail(err, DW_ERROR_ARGUMENT, "parts that are simulated need a device");
    if (hub->def.loop != 0)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "simulation: particles that are simulated do not repeat, but the "
                       "ParticleManager has a loop: take simulation=\"stateless\", or no loop");
    if (hub->tick >= DW_PARTICLE_STATE_TICKS_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "simulation: it ends at tick %llu (two years), and the time is %llu: take a "
                       "new ParticleManager",
                       (unsigned long long)DW_PARTICLE_STATE_TICKS_MAX,
                       (unsigned long long)hub->tick);
    if ((hub->parts[first + index].flags & DW_PART_IS_VIEW) != 0)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "simulation: weather lives around the camera, and is not simulated: take "
                       "another kind, or simulation=\"stateless\"");
    if ((simulation->parent != DW_HUB_NONE &&
         (simulation->parent >= index || parts[simulation->parent].simulation == NULL)) ||
        (simulation->burst != DW_HUB_NONE && simulation->burst >= count))
        return dw_fail(err, DW_ERROR_ARGUMENT, "parts: part %u names one that is not there", index);
    return DW_OK;
}

static void drop_laws(dw_hub *hub, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        if (hub->traits[i].law != DW_HUB_NONE)
            dw_particle_memory_remove_law(hub->memory, hub->traits[i].law,
                                          hub->traits[i].height_count);
}

dw_status dw_hub_add_laws(dw_hub *hub, const dw_hub_part *parts, uint32_t count, uint32_t first,
                          dw_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const dw_hub_simulation *simulation = parts[i].simulation;
        dw_particle_law law;

        if (simulation == NULL)
            continue;
        law = simulation->law;
        law.children = parts[i].recipe.count;
        law.burst_part = simulation->burst == DW_HUB_NONE ? 0 : hub->traits[first + i].burst;
        if (check_simulation(hub, parts, count, first, i, err) != DW_OK ||
            dw_particle_memory_add_law(hub->memory, &law, simulation->colliders,
                                       simulation->collider_count, simulation->heights,
                                       simulation->height_count, &hub->traits[first + i].law,
                                       err) != DW_OK) {
            hub->traits[first + i].law = DW_HUB_NONE;
            drop_laws(hub, first, i);
            return err->code;
        }
        if (simulation->parent != DW_HUB_NONE)
            hub->traits[first + simulation->parent].is_parent = true;
        if (simulation->burst != DW_HUB_NONE)
            hub->traits[first + simulation->burst].is_spare = true;
    }
    return DW_OK;
}

void dw_hub_free_laws(dw_hub *hub, const dw_hub_effect *effect)
{
    drop_laws(hub, effect->first_part, effect->part_count);
}

/* ---- rows ---- */

void dw_hub_count_states(const dw_hub *hub, uint32_t part, uint32_t count, uint64_t times,
                         dw_particle_memory_room *room)
{
    if (hub->traits[part].law != DW_HUB_NONE)
        dw_particle_memory_count(room, count, hub->traits[part].is_parent, times);
}

dw_status dw_hub_reserve_states(dw_hub *hub, const dw_particle_memory_room *room, dw_error *err)
{
    return hub->memory == NULL ? DW_OK : dw_particle_memory_reserve(hub->memory, room, err);
}

/* Which row of the emitter that is being made is the parent's. */
static uint32_t parent_index(const dw_hub *hub, uint32_t part, uint32_t index)
{
    return index - (part - hub->traits[part].parent);
}

uint32_t dw_hub_most_children(const dw_hub *hub, uint32_t part, uint32_t index)
{
    uint64_t most = UINT32_MAX;

    if (hub->traits[part].parent != DW_HUB_NONE)
        most =
            (uint64_t)hub->placed[parent_index(hub, part, index)].count * hub->traits[part].count;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

void dw_hub_remember(dw_hub *hub, uint32_t place, uint32_t index, double share)
{
    dw_particle_emitter *record = dw_hub_record(hub, place);
    uint32_t part = DW_EMITTER_PART(record->part), stream = DW_HUB_NONE;
    const dw_hub_trait *trait = &hub->traits[part];
    double rate = floor(trait->rate * share + 0.5);

    if (trait->law != DW_HUB_NONE && record->count > 0) {
        const dw_particle_memory_row row = {
            .row = (uint32_t)(record - hub->records),
            .law = trait->law,
            .part = part,
            .count = record->count,
            .rate = rate > 4294967295.0 ? UINT32_MAX : (uint32_t)rate,
            .parent = trait->parent == DW_HUB_NONE
                          ? DW_PARTICLE_NONE
                          : hub->placed[parent_index(hub, part, index)].stream,
            .is_parent = trait->is_parent,
        };

        stream = dw_particle_memory_add_row(hub->memory, &row, &record->first);
    }
    dw_hub_row_at(hub, place)->stream = stream;
    hub->placed[index].stream = stream;
    hub->placed[index].count = record->count;
}

/* ---- how far they get ---- */

/* Of any particle of a part, at any time: how far from the emitter, and how fast. */
typedef struct range {
    double radius, speed;
} range;

static double length(const float v[3])
{
    return sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
}

/* Solids push particles out of them, who knows how far: then the radius is EVERYWHERE. */
static range range_of(const dw_hub *hub, uint32_t part, double scale)
{
    const dw_hub_trait *trait = &hub->traits[part];
    const dw_particle_law *law = dw_particle_memory_get_law(hub->memory, trait->law);
    range from = { 0.0, 0.0 }, to;
    double life =
        ((double)hub->parts[part].life_least + hub->parts[part].life_span) / DW_TICKS_PER_SECOND;
    double air = law->drag > 0.0f ? length(law->wind) + EDDY_SPEED_MOST * law->noise : 0.0;
    double push = length(law->gravity) + fabs((double)law->pull), begin, gained, fallen;

    if (trait->parent != DW_HUB_NONE)
        from = range_of(hub, trait->parent, scale);
    begin = scale * fmax(fabs((double)law->speed), fabs((double)law->speed + law->speed_span)) +
            fabs((double)law->inherit) * from.speed;
    begin = fmax(begin, air);
    gained = push * life;
    fallen = 0.5 * push * life * life;
    if (law->drag > 0.0f) {
        gained = fmin(gained, push / law->drag);
        fallen = fmin(fallen, gained * life);
    }
    to.speed = begin + gained;
    to.radius =
        from.radius + scale * (length(law->place) + length(law->extent)) + begin * life + fallen;
    if (law->collider_count > 0 || !(to.radius < EVERYWHERE))
        to.radius = EVERYWHERE;
    return to;
}

void dw_hub_bound_states(const dw_hub *hub, uint32_t part, dw_particle_emitter *record)
{
    range to = range_of(hub, part, record->scale);
    double drawn = fabs((double)record->bound_y) + record->bound_radius; /* sizes among it */

    record->bound_y = 0.0f;
    record->bound_radius = (float)(1.001 * to.radius + drawn + 0.01);
}

/* Moves are summed over spans of time that nothing outlives: the present one and the one before. */
void dw_hub_widen_states(dw_hub *hub, uint32_t place, const float position[3])
{
    dw_particle_emitter *record = dw_hub_record(hub, place);
    dw_hub_row *row = dw_hub_row_at(hub, place);
    int64_t local = dw_particle_local(*record, (uint32_t)hub->tick, (uint32_t)(hub->tick >> 32));
    uint64_t own = local < 0 ? 0 : (uint64_t)local, span = dw_hub_end_of(hub, record);
    const float way[3] = { position[0] - record->position[0], position[1] - record->position[1],
                           position[2] - record->position[2] };

    if (row->stream == DW_HUB_NONE ||
        (hub->parts[DW_EMITTER_PART(record->part)].flags & DW_PART_IS_DYNAMIC) == 0)
        return;
    if (own - row->moved_since > span) {
        row->moved[1] = own - row->moved_since > 2 * span ? 0.0f : row->moved[0];
        row->moved[0] = 0.0f;
        row->moved_since = own;
    }
    row->moved[0] += (float)(1.001 * length(way));
    record->bound_radius = row->reach + row->moved[0] + row->moved[1];
}

/* ---- room ---- */

void dw_hub_release(dw_hub *hub)
{
    if (hub->memory != NULL && dw_device_gpu(hub->home) == NULL)
        dw_particle_memory_release(hub->memory);
}

/* ---- time ---- */

static dw_particle_sources sources_of(const dw_hub *hub, const dw_hub_target *target)
{
    dw_particle_sources sources = { .emitters = hub->records, .parts = hub->parts };

    if (target != NULL && target->gpu != NULL) {
        sources.emitter_buffer = dw_particle_gpu_get_table(target->gpu, DW_PARTICLE_EMITTERS);
        sources.part_buffer = dw_particle_gpu_get_table(target->gpu, DW_PARTICLE_PARTS);
    }
    return sources;
}

static dw_status step_from(dw_hub *hub, const dw_hub_target *target, uint64_t tick,
                           const dw_run *run, dw_error *err)
{
    dw_particle_sources sources = sources_of(hub, target);
    dw_particle_progress progress;
    dw_status status =
        dw_particle_memory_step(hub->memory, &sources, hub->tick, tick, run, &progress, err);

    hub->steps_skipped += progress.skipped;
    hub->tick = progress.tick;
    return status;
}

dw_status dw_hub_step(dw_hub *hub, uint64_t tick, const dw_run *run, dw_error *err)
{
    dw_hub_target *target = NULL;

    if (dw_device_gpu(hub->home) != NULL &&
        dw_hub_update_target(hub, hub->home, run, &target, err) != DW_OK)
        return err->code;
    return step_from(hub, target, tick, run, err);
}

/* ---- what is shown ---- */

/* Planes that the host filled, to a device. */
static dw_status bring(dw_hub *hub, dw_hub_target *target, const dw_run *run, dw_error *err)
{
    const uint32_t *shown = dw_particle_memory_shown_native(hub->memory);
    uint64_t bytes = (uint64_t)dw_particle_memory_slot_capacity(hub->memory) * DW_SHOWN_WORDS * 4;
    dw_gpu_buffer made = { .gpu = NULL };

    if (target->shown_at == hub->version && target->shown_tick == hub->tick)
        return DW_OK;
    if (target->shown.size_bytes != bytes) {
        if (dw_gpu_buffer_create_device(dw_device_gpu(target->device), bytes, "particles shown",
                                        &made, err) != DW_OK)
            return err->code;
        dw_gpu_buffer_destroy(&target->shown);
        target->shown = made;
    }
    if (dw_gpu_upload(dw_device_gpu(target->device), &target->shown, 0, shown, bytes, run, err) !=
        DW_OK)
        return err->code;
    target->shown_at = hub->version;
    target->shown_tick = hub->tick;
    return DW_OK;
}

static dw_status fill_planes(dw_hub *hub, dw_hub_target *target, const dw_run *run, dw_error *err)
{
    dw_particle_sources sources = sources_of(hub, target);

    if (hub->shown_at == hub->version && hub->shown_tick == hub->tick)
        return DW_OK;
    if (step_from(hub, target, hub->tick, run, err) != DW_OK)
        return err->code;
    if ((dw_device_gpu(hub->home) != NULL
             ? dw_particle_memory_show(hub->memory, &sources, hub->tick, run, err)
             : dw_particle_memory_show_native(hub->memory, &sources, hub->tick, run, err)) != DW_OK)
        return err->code;
    hub->shown_at = hub->version;
    hub->shown_tick = hub->tick;
    return DW_OK;
}

dw_status dw_hub_show(dw_hub *hub, dw_hub_target *target, const dw_run *run, dw_error *err)
{
    bool is_native = hub->home == NULL || dw_device_gpu(hub->home) == NULL;

    if (!dw_hub_is_simulating(hub)) {
        if (target->device == hub->home)
            dw_particle_memory_release(hub->memory);
        return target->gpu == NULL ? DW_OK : dw_particle_gpu_set_shown(target->gpu, NULL, err);
    }
    if (!is_native && target->device != hub->home)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "device: the ParticleManager has particles that are simulated on another "
                       "device, and only that one sees them: make it with "
                       "ParticleManager(device=the renderer's), or simulate with "
                       "device=Device(\"cpu\"), which all devices see");
    if (fill_planes(hub, target, run, err) != DW_OK)
        return err->code;
    if (target->gpu == NULL)
        return DW_OK;
    if (is_native && bring(hub, target, run, err) != DW_OK)
        return err->code;
    return dw_particle_gpu_set_shown(
        target->gpu, is_native ? &target->shown : dw_particle_memory_shown(hub->memory), err);
}
