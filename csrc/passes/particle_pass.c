/* SPDX-License-Identifier: MIT */
#include "passes/particle_pass.h"

#include "base/alloc.h"
#include "generated/spirv.h"
#include "gpu/transfer.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* Particles of one download: 56 MiB of them fit into a binding of every device. */
#define STATE_BATCH (1u << 20)

_Static_assert(sizeof(dw_particle_emitter) % 16 == 0, "lib/particle_tables.glsl reads vectors");
_Static_assert(sizeof(dw_particle_part) % 8 == 0, "likewise");
_Static_assert(offsetof(dw_particle_part, params) + 4 * DW_PARTICLE_PARAMS ==
                   sizeof(dw_particle_part),
               "likewise, and params last");
_Static_assert(sizeof(dw_particle) == 56, "particle_state.comp writes 14 words");
_Static_assert(sizeof(dw_particle_sprite) == 32, "particle_expand.comp writes 2 vectors");
_Static_assert(sizeof(dw_particle_view) == 128, "a view is the push constants of two steps");

/* What the size of a buffer follows from. */
typedef enum room {
    ROOM_ROWS,  /* groups of rows */
    ROOM_SLOTS, /* workgroups of the expansion */
    ROOM_SORT,  /* workgroups of the sort */
    ROOM_COUNT,
    ROOM_NONE = ROOM_COUNT,
} room;

typedef enum particle_buffer {
    BUFFER_CELLS = DW_PARTICLE_TABLE_COUNT, /* behind the tables */
    BUFFER_SUMS,
    BUFFER_STARTS,
    BUFFER_RUNS,
    BUFFER_COUNTS,
    BUFFER_PLACES,
    BUFFER_SPRITES,
    BUFFER_LIST,
    BUFFER_PAIRS,
    BUFFER_ORDERED,
    BUFFER_DIGITS,
    BUFFER_TOTALS,
    BUFFER_SIZES,
    BUFFER_EYE,
    BUFFER_SPANS,
    BUFFER_DISPATCHES,
    BUFFER_COMMANDS,
    BUFFER_STATE_SIZES, /* of states, beside those of views */
    BUFFER_STATE_REGION,
    BUFFER_STATE_SPAN,
    BUFFER_STATE_DISPATCHES,
    BUFFER_STATE_COMMAND,
    BUFFER_STATE_OUT,
    BUFFER_COUNT,
    BUFFER_SHOWN = BUFFER_COUNT, /* not of its own: see buffer_of */
} particle_buffer;

/* Bytes: `unit` for each row of a table, or for each of its room, and `more`. */
static const struct {
    const char *name;
    uint32_t unit, more;
    room room;
} buffer_rows[BUFFER_COUNT] = {
    [DW_PARTICLE_EMITTERS] = { "particle emitters", sizeof(dw_particle_emitter), 0, ROOM_NONE },
    [DW_PARTICLE_PARTS] = { "particle parts", sizeof(dw_particle_part), 0, ROOM_NONE },
    [DW_PARTICLE_REGIONS] = { "particle regions", sizeof(dw_particle_region), 0, ROOM_NONE },
    [DW_PARTICLE_CURVES] = { "particle curves", sizeof(float), 0, ROOM_NONE },
    [DW_PARTICLE_COLORS] = { "particle colours", sizeof(uint32_t), 0, ROOM_NONE },
    [DW_PARTICLE_POINTS] = { "particle points", 3 * sizeof(float), 0, ROOM_NONE },
    [BUFFER_CELLS] = { "particle cells", 16 * DW_PARTICLE_ROW_GROUP, 0, ROOM_ROWS },
    [BUFFER_SUMS] = { "particle sums", 8, 0, ROOM_ROWS },
    [BUFFER_STARTS] = { "particle starts", 8, 8, ROOM_ROWS },
    [BUFFER_RUNS] = { "particle runs", 4, 0, ROOM_SLOTS },
    [BUFFER_COUNTS] = { "particle counts", 4, 0, ROOM_SLOTS },
    [BUFFER_PLACES] = { "particle places", 4, 4, ROOM_SLOTS },
    [BUFFER_SPRITES] = { "particle sprites", DW_PARTICLE_SLOT_GROUP * sizeof(dw_particle_sprite), 0,
                         ROOM_SLOTS },
    [BUFFER_LIST] = { "particle list", DW_PARTICLE_SLOT_GROUP * sizeof(uint32_t), 0, ROOM_SLOTS },
    [BUFFER_PAIRS] = { "particle pairs", 8 * DW_PARTICLE_SORT_GROUP, 0, ROOM_SORT },
    [BUFFER_ORDERED] = { "particle pairs in order", 8 * DW_PARTICLE_SORT_GROUP, 0, ROOM_SORT },
    [BUFFER_DIGITS] = { "particle digits", 4 * DW_PARTICLE_DIGITS, 0, ROOM_SORT },
    [BUFFER_TOTALS] = { "particle totals", 0, 4 * DW_PARTICLE_DIGITS *DW_PARTICLE_LAYERS_MAX,
                        ROOM_NONE },
    [BUFFER_SIZES] = { "particle sizes", 0, sizeof(dw_particle_sizes), ROOM_NONE },
    [BUFFER_EYE] = { "particle eye", 0, 12, ROOM_NONE },
    [BUFFER_SPANS] = { "particle spans", 0, DW_PARTICLE_LAYERS_MAX * sizeof(dw_particle_span),
                       ROOM_NONE },
    [BUFFER_DISPATCHES] = { "particle dispatches", 0, 2 * sizeof(dw_particle_dispatch), ROOM_NONE },
    [BUFFER_COMMANDS] = { "particle commands", 0, 16 * DW_PARTICLE_LAYERS_MAX, ROOM_NONE },
    [BUFFER_STATE_SIZES] = { "particle state sizes", 0, sizeof(dw_particle_sizes), ROOM_NONE },
    [BUFFER_STATE_REGION] = { "particle state region", 0, sizeof(dw_particle_region), ROOM_NONE },
    [BUFFER_STATE_SPAN] = { "particle state span", 0, sizeof(dw_particle_span), ROOM_NONE },
    [BUFFER_STATE_DISPATCHES] = { "particle state dispatches", 0, 2 * sizeof(dw_particle_dispatch),
                                  ROOM_NONE },
    [BUFFER_STATE_COMMAND] = { "particle state command", 0, 16, ROOM_NONE },
    [BUFFER_STATE_OUT] = { "particle state", sizeof(dw_particle), 0, ROOM_NONE },
};

typedef enum particle_step {
    STEP_EMITTERS,
    STEP_SCAN,
    STEP_RUNS,
    STEP_EXPAND,
    STEP_EXPAND_SHOWN, /* where slots may have state */
    STEP_TOTALS,
    STEP_LIST,
    STEP_SORT_COUNT, /* the first pass; the second one */
    STEP_SORT_COUNT_HIGH,
    STEP_SORT_SCAN,
    STEP_SORT_SCATTER,
    STEP_SORT_SCATTER_HIGH,
    STEP_STATE_ROWS,
    STEP_STATE_COUNT,
    STEP_STATE,
    STEP_COUNT,
} particle_step;

/* The shader, for subgroups of any size and of 32 lanes. */
#define STEP(name)      DW_SHADER_PARTICLE_##name##_COMP, DW_SHADER_PARTICLE_##name##_COMP
#define STEP_TWIN(name) DW_SHADER_PARTICLE_##name##_COMP, DW_SHADER_PARTICLE_##name##_WIDE_COMP

static const struct {
    uint32_t shader, wide_shader, constant_count, constant;
} step_rows[STEP_COUNT] = {
    [STEP_EMITTERS] = { STEP_TWIN(EMITTERS), 0, 0 },
    [STEP_SCAN] = { STEP_TWIN(SCAN), 0, 0 },
    [STEP_RUNS] = { STEP(RUNS), 0, 0 },
    [STEP_EXPAND] = { STEP_TWIN(EXPAND), 0, 0 },
    [STEP_EXPAND_SHOWN] = { DW_SHADER_PARTICLE_EXPAND_SHOWN_COMP,
                            DW_SHADER_PARTICLE_EXPAND_SHOWN_WIDE_COMP, 0, 0 },
    [STEP_TOTALS] = { STEP_TWIN(TOTALS), 0, 0 },
    [STEP_LIST] = { STEP(LIST), 0, 0 },
    [STEP_SORT_COUNT] = { STEP(SORT_COUNT), 1, 0 },
    [STEP_SORT_COUNT_HIGH] = { STEP(SORT_COUNT), 1, 8 },
    [STEP_SORT_SCAN] = { STEP(SORT_SCAN), 0, 0 },
    [STEP_SORT_SCATTER] = { STEP(SORT_SCATTER), 1, 0 },
    [STEP_SORT_SCATTER_HIGH] = { STEP(SORT_SCATTER), 1, 8 },
    [STEP_STATE_ROWS] = { STEP(STATE_ROWS), 0, 0 },
    [STEP_STATE_COUNT] = { STEP(STATE), 1, 1 },
    [STEP_STATE] = { STEP(STATE), 1, 0 },
};

struct dw_particle_gpu {
    dw_gpu *gpu;
    dw_pipeline *pipelines[STEP_COUNT];
    dw_gpu_buffer buffers[BUFFER_COUNT];
    const dw_gpu_buffer *shown; /* NULL: no slot has state */
    bool is_wide;
    uint32_t capacities[DW_PARTICLE_TABLE_COUNT]; /* rows */
    uint32_t counts[DW_PARTICLE_TABLE_COUNT];
    bool is_stale[DW_PARTICLE_TABLE_COUNT]; /* rows not marked dirty have to be uploaded, too */
    uint32_t rooms[ROOM_COUNT];
    dw_particle_sizes sizes; /* as uploaded */
    uint32_t sorted_count;   /* sorted layers; 0 when none of them has a slot */
};

/* ---- objects ---- */

static dw_status create_buffer(dw_particle_gpu *particles, int buffer, uint64_t units,
                               dw_gpu_buffer *out, dw_error *err)
{
    uint64_t bytes = units * buffer_rows[buffer].unit + buffer_rows[buffer].more;

    return dw_gpu_buffer_create_device(particles->gpu, bytes < 16 ? 16 : bytes,
                                       buffer_rows[buffer].name, out, err);
}

static dw_status get_pipeline(dw_particle_gpu *particles, particle_step step, dw_error *err)
{
    return dw_pipeline_get(
        particles->gpu, particles->is_wide ? step_rows[step].wide_shader : step_rows[step].shader,
        &step_rows[step].constant, step_rows[step].constant_count, &particles->pipelines[step],
        err);
}

/* That of slots with state is made where there are some: it takes a driver long. */
static dw_status get_pipelines(dw_particle_gpu *particles, bool is_wide, dw_error *err)
{
    particles->is_wide = is_wide;
    for (int i = 0; i < STEP_COUNT; i++)
        if ((i != STEP_EXPAND_SHOWN || particles->shown != NULL) &&
            get_pipeline(particles, (particle_step)i, err) != DW_OK)
            return err->code;
    return DW_OK;
}

dw_status dw_particle_gpu_create(dw_gpu *gpu, dw_particle_gpu **out, dw_error *err)
{
    dw_particle_gpu *particles = NULL;

    *out = NULL;
    DW_TRY(DW_ALLOC_ZEROED(1, &particles, err));
    particles->gpu = gpu;
    DW_TRY(get_pipelines(particles, dw_gpu_get_limits(gpu)->has_wide_subgroups, err));
    for (int i = DW_PARTICLE_TABLE_COUNT; i < BUFFER_STATE_OUT; i++)
        if (buffer_rows[i].room == ROOM_NONE)
            DW_TRY(create_buffer(particles, i, 0, &particles->buffers[i], err));
    *out = particles;
    return DW_OK;
fail:
    dw_particle_gpu_destroy(particles);
    return err->code;
}

dw_status dw_particle_gpu_set_wide(dw_particle_gpu *particles, bool is_wide, dw_error *err)
{
    const dw_gpu_limits *limits = dw_gpu_get_limits(particles->gpu);

    if (is_wide && !limits->has_wide_subgroups)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "wide variants need subgroups of 32 lanes, the device has %u",
                       limits->subgroup_size);
    return get_pipelines(particles, is_wide, err);
}

void dw_particle_gpu_destroy(dw_particle_gpu *particles)
{
    if (particles == NULL)
        return;
    for (int i = 0; i < BUFFER_COUNT; i++)
        dw_gpu_buffer_destroy(&particles->buffers[i]);
    dw_free(particles);
}

/* ---- tables ---- */

static uint64_t most_bytes(const dw_particle_gpu *particles)
{
    const dw_gpu_limits *limits = dw_gpu_get_limits(particles->gpu);

    return limits->max_buffer_bytes < limits->max_storage_buffer_bytes
               ? limits->max_buffer_bytes
               : limits->max_storage_buffer_bytes;
}

/* Half as much again as there was, where that fits; at least what is needed. */
static uint64_t grown(uint64_t needed, uint64_t had, uint64_t most)
{
    uint64_t wanted = had + had / 2;

    wanted = wanted < most ? wanted : most;
    return needed > wanted ? needed : wanted;
}

static dw_status grow_table(dw_particle_gpu *particles, int table, uint32_t count, dw_error *err)
{
    uint64_t most = most_bytes(particles) / buffer_rows[table].unit;
    uint64_t capacity = grown(count, particles->capacities[table], most);
    dw_gpu_buffer made;

    if (particles->buffers[table].gpu != NULL && count <= particles->capacities[table])
        return DW_OK;
    if (count > most)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "%s: %u rows, but a buffer of this device holds %" PRIu64
                       ": split them into several managers, or use Device(\"cpu\")",
                       buffer_rows[table].name, count, most);
    if (create_buffer(particles, table, capacity, &made, err) != DW_OK)
        return err->code;
    dw_gpu_buffer_destroy(&particles->buffers[table]);
    particles->buffers[table] = made;
    particles->capacities[table] = (uint32_t)capacity;
    particles->is_stale[table] = true;
    return DW_OK;
}

/* Units of a room that each of its buffers can hold on this device. */
static uint64_t most_units(const dw_particle_gpu *particles, room which)
{
    uint64_t most = UINT32_MAX / DW_PARTICLE_SLOT_GROUP;

    for (int i = 0; i < BUFFER_COUNT; i++) {
        uint64_t fits;

        if (buffer_rows[i].room != which)
            continue;
        fits = (most_bytes(particles) - buffer_rows[i].more) / buffer_rows[i].unit;
        most = fits < most ? fits : most;
    }
    return most;
}

static dw_status grow_room(dw_particle_gpu *particles, room which, uint64_t needed, dw_error *err)
{
    static const struct {
        const char *name;
        uint32_t items;
        int buffer; /* one of the room's */
    } units[ROOM_COUNT] = { { "rows", DW_PARTICLE_ROW_GROUP, BUFFER_CELLS },
                            { "slots", DW_PARTICLE_SLOT_GROUP, BUFFER_LIST },
                            { "slots of sorted layers", DW_PARTICLE_SORT_GROUP, BUFFER_PAIRS } };
    uint64_t most = most_units(particles, which);
    uint64_t capacity = grown(needed, particles->rooms[which], most);
    dw_gpu_buffer made[BUFFER_COUNT] = { { .gpu = NULL } };

    if (particles->buffers[units[which].buffer].gpu != NULL && needed <= particles->rooms[which])
        return DW_OK;
    if (needed > most)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "particles: room for %" PRIu64 " %s, but buffers of this device, of %" PRIu64
                       " bytes each, hold %" PRIu64
                       ": split them into several managers, or use Device(\"cpu\")",
                       needed * units[which].items, units[which].name, most_bytes(particles),
                       most * units[which].items);
    for (int i = 0; i < BUFFER_COUNT; i++)
        if (buffer_rows[i].room == which)
            DW_TRY(create_buffer(particles, i, capacity, &made[i], err));
    for (int i = 0; i < BUFFER_COUNT; i++)
        if (buffer_rows[i].room == which) {
            dw_gpu_buffer_destroy(&particles->buffers[i]);
            particles->buffers[i] = made[i];
        }
    particles->rooms[which] = (uint32_t)capacity;
    return DW_OK;
fail:
    for (int i = 0; i < BUFFER_COUNT; i++)
        dw_gpu_buffer_destroy(&made[i]);
    return err->code;
}

static uint64_t groups_of(uint64_t count, uint32_t size)
{
    return count / size + (count % size != 0);
}

static dw_status grow_rooms(dw_particle_gpu *particles, const dw_particle_host *host, dw_error *err)
{
    uint64_t needed[ROOM_COUNT] = { [ROOM_ROWS] = groups_of(host->counts[DW_PARTICLE_EMITTERS],
                                                            DW_PARTICLE_ROW_GROUP) };

    particles->sorted_count = 0;
    for (uint32_t i = 0; i < host->counts[DW_PARTICLE_REGIONS]; i++) {
        needed[ROOM_SLOTS] += groups_of(host->layer_slots[i], DW_PARTICLE_SLOT_GROUP);
        if ((host->sorted_layers >> i & 1) == 0)
            continue;
        needed[ROOM_SORT] += groups_of(host->layer_slots[i], DW_PARTICLE_SORT_GROUP);
        particles->sorted_count++;
    }
    if (needed[ROOM_SORT] == 0)
        particles->sorted_count = 0;
    for (int i = 0; i < ROOM_COUNT; i++)
        if (grow_room(particles, (room)i, needed[i], err) != DW_OK)
            return err->code;
    return DW_OK;
}

static void add_part(dw_gpu_rows *parts, uint32_t *count, const dw_gpu_buffer *buffer,
                     uint64_t offset, const void *data, uint64_t bytes)
{
    if (bytes > 0)
        parts[(*count)++] =
            (dw_gpu_rows) { buffer, offset, (void *)data, bytes, 1, (int64_t)bytes };
}

static dw_status upload(dw_particle_gpu *particles, const dw_particle_host *host,
                        const dw_particle_sizes *sizes, const dw_run *run, dw_error *err)
{
    dw_gpu_rows parts[DW_PARTICLE_TABLE_COUNT + 1];
    uint32_t count = 0;

    for (int i = 0; i < DW_PARTICLE_TABLE_COUNT; i++) {
        uint64_t unit = buffer_rows[i].unit;
        uint64_t begin = particles->is_stale[i] ? 0 : host->dirty[i].begin;
        uint64_t end = particles->is_stale[i] ? host->counts[i] : host->dirty[i].end;

        if (begin < end)
            add_part(parts, &count, &particles->buffers[i], begin * unit,
                     (const uint8_t *)host->rows[i] + begin * unit, (end - begin) * unit);
    }
    if (memcmp(sizes, &particles->sizes, sizeof *sizes) != 0)
        add_part(parts, &count, &particles->buffers[BUFFER_SIZES], 0, sizes, sizeof *sizes);
    return count == 0 ? DW_OK : dw_gpu_upload_rows(particles->gpu, parts, count, run, err);
}

static dw_particle_sizes sizes_of(const dw_particle_gpu *particles, const dw_particle_host *host)
{
    return (dw_particle_sizes) {
        .row_count = host->counts[DW_PARTICLE_EMITTERS],
        .layer_count = host->counts[DW_PARTICLE_REGIONS],
        .slot_groups = particles->rooms[ROOM_SLOTS],
        .sort_groups = particles->rooms[ROOM_SORT],
        .groups_x = dw_gpu_get_limits(particles->gpu)->max_group_count[0],
        .sorted_low = (uint32_t)host->sorted_layers,
        .sorted_high = (uint32_t)(host->sorted_layers >> 32),
    };
}

dw_status dw_particle_gpu_update(dw_particle_gpu *particles, const dw_particle_host *host,
                                 const dw_run *run, dw_error *err)
{
    dw_particle_sizes sizes;

    DW_ASSERT(host->counts[DW_PARTICLE_REGIONS] <= DW_PARTICLE_LAYERS_MAX);
    for (int i = 0; i < DW_PARTICLE_TABLE_COUNT; i++)
        DW_TRY(grow_table(particles, i, host->counts[i], err));
    DW_TRY(grow_rooms(particles, host, err));
    sizes = sizes_of(particles, host);
    DW_TRY(upload(particles, host, &sizes, run, err));
    memset(particles->is_stale, 0, sizeof particles->is_stale);
    memcpy(particles->counts, host->counts, sizeof particles->counts);
    particles->sizes = sizes;
    return DW_OK;
fail:
    return err->code;
}

/* ---- recording ---- */

/* Bindings of a step: the buffers in order. */
#define BINDINGS_MAX 13

typedef struct step_def {
    int buffers[BINDINGS_MAX];
    uint32_t count, writes; /* bits: bindings that are written; of these */
    uint32_t updates;       /* what was there is read, too */
} step_def;

/* Where no slot has state something has to be bound in states' stead. */
static const dw_gpu_buffer *buffer_of(const dw_particle_gpu *particles, int buffer)
{
    if (buffer != BUFFER_SHOWN)
        return &particles->buffers[buffer];
    return particles->shown != NULL ? particles->shown : &particles->buffers[BUFFER_TOTALS];
}

static void set_bindings(const dw_particle_gpu *particles, const step_def *def,
                         dw_gpu_binding bindings[BINDINGS_MAX])
{
    for (uint32_t i = 0; i < def->count; i++) {
        uint32_t bit = 1u << i;

        bindings[i] = (dw_gpu_binding) {
            .buffer = buffer_of(particles, def->buffers[i]),
            .use = (def->updates & bit) != 0  ? DW_USE_COMPUTE_READ_WRITE
                   : (def->writes & bit) != 0 ? DW_USE_COMPUTE_WRITE
                                              : DW_USE_COMPUTE_READ,
        };
    }
}

static void dispatch(dw_particle_gpu *particles, dw_command *command, particle_step step,
                     const step_def *def, const void *push, uint32_t push_bytes,
                     const uint32_t groups[3])
{
    dw_gpu_binding bindings[BINDINGS_MAX];

    set_bindings(particles, def, bindings);
    dw_command_dispatch(command, particles->pipelines[step], bindings, def->count, push, push_bytes,
                        groups);
}

static void dispatch_indirect(dw_particle_gpu *particles, dw_command *command, particle_step step,
                              const step_def *def, const void *push, uint32_t push_bytes,
                              int dispatches, uint32_t index)
{
    dw_gpu_binding bindings[BINDINGS_MAX];

    set_bindings(particles, def, bindings);
    dw_command_dispatch_indirect(command, particles->pipelines[step], bindings, def->count, push,
                                 push_bytes, &particles->buffers[dispatches],
                                 index * sizeof(dw_particle_dispatch));
}

static const uint32_t one_group[3] = { 1, 1, 1 };

/* A lane a row. */
static void dispatch_rows(dw_particle_gpu *particles, dw_command *command, particle_step step,
                          const step_def *def, const void *push, uint32_t push_bytes,
                          uint32_t row_count)
{
    uint32_t groups[3];

    dw_groups_linear(particles->gpu, groups_of(row_count, DW_PARTICLE_ROW_GROUP), groups);
    dispatch(particles, command, step, def, push, push_bytes, groups);
}

static void record_emitters(dw_particle_gpu *particles, dw_command *command,
                            const dw_particle_view *view)
{
    static const step_def def = { { DW_PARTICLE_EMITTERS, DW_PARTICLE_PARTS, BUFFER_CELLS,
                                    BUFFER_SUMS, BUFFER_EYE },
                                  5,
                                  0x1c,
                                  0 };

    dispatch_rows(particles, command, STEP_EMITTERS, &def, view, sizeof *view, view->row_count);
}

static void record_scan(dw_particle_gpu *particles, dw_command *command, uint32_t row_count)
{
    static const step_def scan = { { BUFFER_SIZES, DW_PARTICLE_REGIONS, BUFFER_SUMS, BUFFER_STARTS,
                                     BUFFER_SPANS, BUFFER_DISPATCHES },
                                   6,
                                   0x38,
                                   0 };
    static const step_def runs = { { BUFFER_SIZES, DW_PARTICLE_REGIONS, BUFFER_STARTS, BUFFER_SPANS,
                                     BUFFER_CELLS, BUFFER_RUNS },
                                   6,
                                   0x30,
                                   0x10 };

    dispatch(particles, command, STEP_SCAN, &scan, NULL, 0, one_group);
    dispatch_rows(particles, command, STEP_RUNS, &runs, NULL, 0, row_count);
}

static void record_expand(dw_particle_gpu *particles, dw_command *command,
                          const dw_particle_view *view)
{
    static const step_def def = { { DW_PARTICLE_EMITTERS, DW_PARTICLE_PARTS, DW_PARTICLE_REGIONS,
                                    DW_PARTICLE_CURVES, DW_PARTICLE_COLORS, DW_PARTICLE_POINTS,
                                    BUFFER_CELLS, BUFFER_RUNS, BUFFER_SPANS, BUFFER_DISPATCHES,
                                    BUFFER_SPRITES, BUFFER_COUNTS, BUFFER_SHOWN },
                                  13,
                                  0xc00,
                                  0 };
    step_def stateless = def;

    stateless.count--;
    if (particles->shown == NULL)
        dispatch_indirect(particles, command, STEP_EXPAND, &stateless, view, sizeof *view,
                          BUFFER_DISPATCHES, 0);
    else
        dispatch_indirect(particles, command, STEP_EXPAND_SHOWN, &def, view, sizeof *view,
                          BUFFER_DISPATCHES, 0);
}

static void record_list(dw_particle_gpu *particles, dw_command *command)
{
    static const step_def totals = { { BUFFER_SIZES, BUFFER_COUNTS, BUFFER_PLACES, BUFFER_SPANS,
                                       BUFFER_DISPATCHES, BUFFER_COMMANDS },
                                     6,
                                     0x3c,
                                     0x18 };
    static const step_def list = { { BUFFER_SIZES, BUFFER_COUNTS, BUFFER_PLACES, BUFFER_SPANS,
                                     BUFFER_DISPATCHES, BUFFER_SPRITES, BUFFER_EYE, BUFFER_LIST,
                                     BUFFER_PAIRS },
                                   9,
                                   0x180,
                                   0 };

    dw_command_time_begin(command, "particle_totals");
    dispatch(particles, command, STEP_TOTALS, &totals, NULL, 0, one_group);
    dw_command_time_end(command);
    dw_command_time_begin(command, "particle_list");
    dispatch_indirect(particles, command, STEP_LIST, &list, NULL, 0, BUFFER_DISPATCHES, 0);
    dw_command_time_end(command);
}

/* One pass: from pairs to ordered pairs, or from these to the list. */
static void record_sort_pass(dw_particle_gpu *particles, dw_command *command, bool is_high)
{
    const int from = is_high ? BUFFER_ORDERED : BUFFER_PAIRS;
    const int to = is_high ? BUFFER_PAIRS : BUFFER_ORDERED; /* the last pass leaves it alone */
    const step_def count = {
        { BUFFER_SIZES, BUFFER_SPANS, BUFFER_DISPATCHES, from, BUFFER_DIGITS }, 5, 0x10, 0
    };
    const step_def scan = {
        { BUFFER_SIZES, BUFFER_SPANS, BUFFER_DIGITS, BUFFER_TOTALS }, 4, 0xc, 0x4
    };
    const step_def scatter = { { BUFFER_SIZES, BUFFER_SPANS, BUFFER_DISPATCHES, from, BUFFER_DIGITS,
                                 BUFFER_TOTALS, to, BUFFER_LIST },
                               8,
                               0xc0,
                               0 };
    const uint32_t groups[3] = { DW_PARTICLE_DIGITS, particles->sorted_count, 1 };

    dispatch_indirect(particles, command, is_high ? STEP_SORT_COUNT_HIGH : STEP_SORT_COUNT, &count,
                      NULL, 0, BUFFER_DISPATCHES, 1);
    dispatch(particles, command, STEP_SORT_SCAN, &scan, NULL, 0, groups);
    dispatch_indirect(particles, command, is_high ? STEP_SORT_SCATTER_HIGH : STEP_SORT_SCATTER,
                      &scatter, NULL, 0, BUFFER_DISPATCHES, 1);
}

void dw_particle_gpu_see(dw_particle_gpu *particles, dw_command *command,
                         const dw_particle_view *view)
{
    dw_particle_view sized = *view;

    sized.row_count = particles->sizes.row_count;
    sized.layer_count = particles->sizes.layer_count;
    dw_command_time_begin(command, "particle_emitters");
    record_emitters(particles, command, &sized);
    dw_command_time_end(command);
    dw_command_time_begin(command, "particle_scan");
    record_scan(particles, command, sized.row_count);
    dw_command_time_end(command);
    dw_command_time_begin(command, "particle_expand");
    record_expand(particles, command, &sized);
    dw_command_time_end(command);
    record_list(particles, command);
    if (particles->sorted_count == 0)
        return;
    dw_command_time_begin(command, "particle_sort");
    record_sort_pass(particles, command, false);
    record_sort_pass(particles, command, true);
    dw_command_time_end(command);
}

dw_particle_buffers dw_particle_gpu_get_buffers(const dw_particle_gpu *particles)
{
    return (dw_particle_buffers) {
        .sprites = &particles->buffers[BUFFER_SPRITES],
        .list = &particles->buffers[BUFFER_LIST],
        .spans = &particles->buffers[BUFFER_SPANS],
        .commands = &particles->buffers[BUFFER_COMMANDS],
        .layer_count = particles->sizes.layer_count,
    };
}

dw_status dw_particle_gpu_set_shown(dw_particle_gpu *particles, const dw_gpu_buffer *shown,
                                    dw_error *err)
{
    if (shown != NULL && get_pipeline(particles, STEP_EXPAND_SHOWN, err) != DW_OK)
        return err->code;
    particles->shown = shown;
    return DW_OK;
}

const dw_gpu_buffer *dw_particle_gpu_get_table(const dw_particle_gpu *particles,
                                               dw_particle_table table)
{
    return &particles->buffers[table];
}

/* ---- states ---- */

typedef struct state_push {
    uint32_t first_row, row_count, first_group, has_camera, now_low, now_high;
    float camera[3];
} state_push;

static const step_def state_def = {
    { DW_PARTICLE_EMITTERS, DW_PARTICLE_PARTS, DW_PARTICLE_CURVES, DW_PARTICLE_COLORS,
      DW_PARTICLE_POINTS, BUFFER_CELLS, BUFFER_RUNS, BUFFER_STATE_SPAN, BUFFER_STATE_DISPATCHES,
      BUFFER_PLACES, BUFFER_COUNTS, BUFFER_STATE_OUT, BUFFER_SHOWN },
    13,
    0xc00,
    0
};

/* How many particles each workgroup of the rows' slots has. */
static void record_state_counts(dw_particle_gpu *particles, dw_command *command,
                                const state_push *push)
{
    static const step_def rows = { { DW_PARTICLE_EMITTERS, BUFFER_CELLS, BUFFER_SUMS }, 3, 6, 0 };
    static const step_def scan = { { BUFFER_STATE_SIZES, BUFFER_STATE_REGION, BUFFER_SUMS,
                                     BUFFER_STARTS, BUFFER_STATE_SPAN, BUFFER_STATE_DISPATCHES },
                                   6,
                                   0x38,
                                   0 };
    static const step_def runs = { { BUFFER_STATE_SIZES, BUFFER_STATE_REGION, BUFFER_STARTS,
                                     BUFFER_STATE_SPAN, BUFFER_CELLS, BUFFER_RUNS },
                                   6,
                                   0x30,
                                   0x10 };
    static const step_def totals = { { BUFFER_STATE_SIZES, BUFFER_COUNTS, BUFFER_PLACES,
                                       BUFFER_STATE_SPAN, BUFFER_STATE_DISPATCHES,
                                       BUFFER_STATE_COMMAND },
                                     6,
                                     0x3c,
                                     0x18 };
    const dw_particle_region region = { 0, push->row_count };
    dw_particle_sizes sizes = { .row_count = push->row_count,
                                .layer_count = 1,
                                .slot_groups = particles->rooms[ROOM_SLOTS],
                                .groups_x = particles->sizes.groups_x };

    dw_command_write(command, &particles->buffers[BUFFER_STATE_SIZES], 0, &sizes, sizeof sizes);
    dw_command_write(command, &particles->buffers[BUFFER_STATE_REGION], 0, &region, sizeof region);
    dispatch_rows(particles, command, STEP_STATE_ROWS, &rows, push, 2 * sizeof(uint32_t),
                  push->row_count);
    dispatch(particles, command, STEP_SCAN, &scan, NULL, 0, one_group);
    dispatch_rows(particles, command, STEP_RUNS, &runs, NULL, 0, push->row_count);
    dispatch_indirect(particles, command, STEP_STATE_COUNT, &state_def, push, sizeof *push,
                      BUFFER_STATE_DISPATCHES, 0);
    dispatch(particles, command, STEP_TOTALS, &totals, NULL, 0, one_group);
}

static dw_status count_states(dw_particle_gpu *particles, const state_push *push, dw_error *err)
{
    dw_command *command;
    dw_ticket ticket;

    if (particles->buffers[BUFFER_STATE_OUT].gpu == NULL &&
        create_buffer(particles, BUFFER_STATE_OUT, STATE_BATCH,
                      &particles->buffers[BUFFER_STATE_OUT], err) != DW_OK)
        return err->code;
    if (dw_command_begin(particles->gpu, "particle_state_count", &command, err) != DW_OK)
        return err->code;
    record_state_counts(particles, command, push);
    return dw_command_submit(command, &ticket, err);
}

/* Particles of the workgroups from push->first_group up to `end`. */
static dw_status read_states(dw_particle_gpu *particles, const state_push *push, uint32_t end,
                             uint32_t count, const dw_run *run, dw_particle *out, dw_error *err)
{
    const uint32_t groups[3] = { end - push->first_group, 1, 1 };
    dw_command *command;
    dw_ticket ticket;

    if (count == 0)
        return DW_OK;
    if (dw_command_begin(particles->gpu, "particle_state", &command, err) != DW_OK)
        return err->code;
    dispatch(particles, command, STEP_STATE, &state_def, push, sizeof *push, groups);
    if (dw_command_submit(command, &ticket, err) != DW_OK)
        return err->code;
    return dw_gpu_download(particles->gpu, &particles->buffers[BUFFER_STATE_OUT], 0, out,
                           (uint64_t)count * sizeof *out, run, err);
}

/* Where a batch of workgroups that begins at `first` ends. */
static uint32_t batch_end(const uint32_t *places, uint32_t first, uint32_t count, uint32_t most)
{
    uint32_t end = first + 1;

    while (end < count && end - first < most && places[end + 1] - places[first] <= STATE_BATCH)
        end++;
    return end;
}

static dw_status read_batches(dw_particle_gpu *particles, state_push *push, const uint32_t *places,
                              uint32_t group_count, const dw_run *run, dw_particle *out,
                              dw_error *err)
{
    for (uint32_t first = 0, end; first < group_count; first = end) {
        end = batch_end(places, first, group_count, particles->sizes.groups_x);
        push->first_group = first;
        if (read_states(particles, push, end, places[end] - places[first], run, out + places[first],
                        err) != DW_OK)
            return err->code;
    }
    return DW_OK;
}

dw_status dw_particle_gpu_state(dw_particle_gpu *particles, uint32_t first_row, uint32_t row_count,
                                uint64_t now, const float *camera, const dw_run *run,
                                dw_particle *out, uint64_t *out_count, dw_error *err)
{
    state_push push = { .first_row = first_row,
                        .row_count = row_count,
                        .has_camera = camera != NULL,
                        .now_low = (uint32_t)now,
                        .now_high = (uint32_t)(now >> 32) };
    dw_particle_dispatch counted;
    uint32_t *places = NULL;

    DW_ASSERT(first_row <= particles->sizes.row_count &&
              row_count <= particles->sizes.row_count - first_row);
    if (camera != NULL)
        memcpy(push.camera, camera, sizeof push.camera);
    DW_TRY(count_states(particles, &push, err));
    DW_TRY(dw_gpu_download(particles->gpu, &particles->buffers[BUFFER_STATE_DISPATCHES], 0,
                           &counted, sizeof counted, run, err));
    DW_TRY(DW_ALLOC((size_t)counted.count + 1, &places, err));
    DW_TRY(dw_gpu_download(particles->gpu, &particles->buffers[BUFFER_PLACES], 0, places,
                           ((uint64_t)counted.count + 1) * sizeof *places, run, err));
    DW_TRY(read_batches(particles, &push, places, counted.count, run, out, err));
    *out_count = places[counted.count];
    dw_free(places);
    return DW_OK;
fail:
    dw_free(places);
    return err->code;
}
