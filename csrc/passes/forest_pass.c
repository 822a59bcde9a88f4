/* SPDX-License-Identifier: MIT */
#include "passes/forest_pass.h"

#include "base/alloc.h"
#include "generated/spirv.h"
#include "gpu/transfer.h"

#include <string.h>

typedef enum forest_buffer {
    BUFFER_TABLE, /* DW_FOREST_ARRAY_COUNT of them */
    BUFFER_STATES = DW_FOREST_ARRAY_COUNT,
    BUFFER_CELLS,
    BUFFER_COUNTS,
    BUFFER_ENTRIES, /* of the main view, of a shadow */
    BUFFER_SHADOW_ENTRIES,
    BUFFER_BY_ROW,
    BUFFER_BUCKETS = BUFFER_BY_ROW, /* likewise */
    BUFFER_SHADOW_BUCKETS,
    BUFFER_COMMANDS, /* likewise */
    BUFFER_SHADOW_COMMANDS,
    BUFFER_DRAWS,
    BUFFER_PARAMS,
    BUFFER_COUNT,
} forest_buffer;

static const char *const buffer_names[BUFFER_COUNT] = {
    [DW_FOREST_RECORDS] = "forest records",
    [DW_FOREST_TRANSFORMS] = "forest transforms",
    [DW_FOREST_INFOS] = "forest infos",
    [DW_FOREST_DISSOLVES] = "forest dissolves",
    [BUFFER_STATES] = "forest states",
    [BUFFER_CELLS] = "forest cells",
    [BUFFER_COUNTS] = "forest counts",
    [BUFFER_ENTRIES] = "forest entries",
    [BUFFER_SHADOW_ENTRIES] = "forest shadow entries",
    [BUFFER_BUCKETS] = "forest buckets",
    [BUFFER_SHADOW_BUCKETS] = "forest shadow buckets",
    [BUFFER_COMMANDS] = "forest commands",
    [BUFFER_SHADOW_COMMANDS] = "forest shadow commands",
    [BUFFER_DRAWS] = "forest draws",
    [BUFFER_PARAMS] = "forest params",
};

typedef enum forest_step {
    STEP_STEP,
    STEP_SCAN,
    STEP_LIST,
    STEP_COUNT,
} forest_step;

static const uint32_t step_shaders[STEP_COUNT] = {
    DW_SHADER_FOREST_STEP_COMP,
    DW_SHADER_FOREST_SCAN_COMP,
    DW_SHADER_FOREST_LIST_COMP,
};

/* Named device time, of the main view and of shadows. */
static const char *const step_spans[2][STEP_COUNT] = {
    { "forest_step", "forest_scan", "forest_list" },
    { "forest_shadow_step", "forest_shadow_scan", "forest_shadow_list" },
};

struct dw_forest_gpu {
    dw_gpu *gpu;
    dw_pipeline *pipelines[STEP_COUNT]; /* that of the step follows from the encoding */
    dw_gpu_buffer buffers[BUFFER_COUNT];
    uint32_t row_count, row_capacity;
    uint32_t draw_count, draw_capacity;
    uint32_t bucket_count;
    bool is_stale; /* rows that are not marked dirty may have to be uploaded, too */
};

dw_status dw_forest_gpu_create(dw_gpu *gpu, dw_forest_gpu **out, dw_error *err)
{
    dw_forest_gpu *forest = NULL;

    *out = NULL;
    DW_TRY(DW_ALLOC_ZEROED(1, &forest, err));
    forest->gpu = gpu;
    for (int i = STEP_SCAN; i < STEP_COUNT; i++)
        DW_TRY(dw_pipeline_get(gpu, step_shaders[i], NULL, 0, &forest->pipelines[i], err));
    *out = forest;
    return DW_OK;
fail:
    dw_free(forest);
    return err->code;
}

void dw_forest_gpu_destroy(dw_forest_gpu *forest)
{
    if (forest == NULL)
        return;
    for (int i = 0; i < BUFFER_COUNT; i++)
        dw_gpu_buffer_destroy(&forest->buffers[i]);
    dw_free(forest);
}

/* ---- tables ---- */

static uint32_t group_count(uint32_t row_count)
{
    return row_count == 0 ? 1 : (row_count - 1) / DW_FOREST_GROUP + 1;
}

static uint64_t buffer_bytes(const dw_forest_arrays *host, int buffer, uint64_t rows,
                             uint64_t counters)
{
    switch (buffer) {
    case BUFFER_STATES:
        return rows * sizeof(dw_forest_state);
    case BUFFER_CELLS:
        return rows * sizeof(dw_forest_cell);
    case BUFFER_COUNTS:
        return group_count((uint32_t)rows) * counters * sizeof(uint32_t);
    case BUFFER_ENTRIES:
    case BUFFER_SHADOW_ENTRIES:
        return 2 * rows * sizeof(dw_forest_entry);
    default:
        return rows * host->row_bytes[buffer];
    }
}

/* Whether every buffer of a table of that many rows can be bound. */
static bool is_fitting(const dw_forest_gpu *forest, const dw_forest_arrays *host, uint64_t rows,
                       uint64_t counters)
{
    const dw_gpu_limits *limits = dw_gpu_get_limits(forest->gpu);

    for (int i = 0; i < BUFFER_BY_ROW; i++) {
        uint64_t bytes = buffer_bytes(host, i, rows, counters);

        if (bytes > limits->max_storage_buffer_bytes || bytes > limits->max_buffer_bytes)
            return false;
    }
    return true;
}

static dw_status choose_capacity(const dw_forest_gpu *forest, const dw_forest_arrays *host,
                                 uint64_t counters, uint32_t *capacity, dw_error *err)
{
    uint32_t low = 0, high = UINT32_MAX / 2;

    *capacity = host->row_capacity > 0 ? host->row_capacity : 1;
    if (is_fitting(forest, host, *capacity, counters))
        return DW_OK;
    while (low < high) { /* the most rows that fit */
        uint32_t middle = low + (high - low + 1) / 2;

        if (is_fitting(forest, host, middle, counters))
            low = middle;
        else
            high = middle - 1;
    }
    if (host->row_count > low)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "the forest has had %u instances at once, but buffers of this device hold "
                       "%u: split it into several forests",
                       host->row_count, low);
    *capacity = low;
    return DW_OK;
}

static dw_status create_buffer(dw_gpu *gpu, int buffer, uint64_t bytes, dw_gpu_buffer *out,
                               dw_error *err)
{
    return dw_gpu_buffer_create_device(gpu, bytes < 16 ? 16 : bytes, buffer_names[buffer], out,
                                       err);
}

/* What views remember moves into the new buffer; rows beyond start from nothing. */
static dw_status move_states(dw_forest_gpu *forest, const dw_gpu_buffer *target, dw_error *err)
{
    uint64_t kept = (uint64_t)forest->row_capacity * sizeof(dw_forest_state);
    dw_command *command;
    dw_ticket ticket;

    if (dw_command_begin(forest->gpu, "forest_grow", &command, err) != DW_OK)
        return err->code;
    if (kept > 0)
        dw_command_copy(command, &forest->buffers[BUFFER_STATES], 0, target, 0, kept);
    dw_command_fill(command, target, kept, 0, 0);
    return dw_command_submit(command, &ticket, err);
}

static dw_status grow_rows(dw_forest_gpu *forest, const dw_forest_arrays *host, uint64_t counters,
                           dw_error *err)
{
    dw_gpu_buffer made[BUFFER_BY_ROW] = { { .gpu = NULL } };
    uint32_t capacity;

    DW_TRY(choose_capacity(forest, host, counters, &capacity, err));
    for (int i = 0; i < BUFFER_BY_ROW; i++)
        DW_TRY(create_buffer(forest->gpu, i, buffer_bytes(host, i, capacity, counters), &made[i],
                             err));
    DW_TRY(move_states(forest, &made[BUFFER_STATES], err));
    for (int i = 0; i < BUFFER_BY_ROW; i++) {
        dw_gpu_buffer_destroy(&forest->buffers[i]);
        forest->buffers[i] = made[i];
    }
    forest->row_capacity = capacity;
    forest->is_stale = true;
    return DW_OK;
fail:
    for (int i = 0; i < BUFFER_BY_ROW; i++)
        dw_gpu_buffer_destroy(&made[i]);
    return err->code;
}

/* Room for that many draws, two tables of commands and, once, buckets. */
static dw_status grow_draws(dw_forest_gpu *forest, uint32_t draw_count, dw_error *err)
{
    static const struct {
        int buffer;
        uint32_t bytes;
    } rows[] = { { BUFFER_DRAWS, sizeof(dw_forest_draw) },
                 { BUFFER_COMMANDS, sizeof(dw_forest_command) },
                 { BUFFER_SHADOW_COMMANDS, sizeof(dw_forest_command) } };
    uint32_t capacity = draw_count < 16 ? 16 : draw_count;
    dw_gpu_buffer made[DW_COUNT_OF(rows)] = { { .gpu = NULL } };

    for (size_t i = 0; i < DW_COUNT_OF(rows); i++)
        DW_TRY(create_buffer(forest->gpu, rows[i].buffer, (uint64_t)capacity * rows[i].bytes,
                             &made[i], err));
    for (size_t i = 0; i < DW_COUNT_OF(rows); i++) {
        dw_gpu_buffer_destroy(&forest->buffers[rows[i].buffer]);
        forest->buffers[rows[i].buffer] = made[i];
    }
    forest->draw_capacity = capacity;
    return DW_OK;
fail:
    for (size_t i = 0; i < DW_COUNT_OF(rows); i++)
        dw_gpu_buffer_destroy(&made[i]);
    return err->code;
}

static dw_status create_buckets(dw_forest_gpu *forest, uint32_t counters, dw_error *err)
{
    for (int i = BUFFER_BUCKETS; i <= BUFFER_SHADOW_BUCKETS; i++)
        if (forest->buffers[i].gpu == NULL)
            DW_TRY(create_buffer(forest->gpu, i, counters * sizeof(dw_forest_bucket),
                                 &forest->buffers[i], err));
    if (forest->buffers[BUFFER_PARAMS].gpu == NULL)
        DW_TRY(create_buffer(forest->gpu, BUFFER_PARAMS, sizeof(dw_forest_params),
                             &forest->buffers[BUFFER_PARAMS], err));
    return DW_OK;
fail:
    return err->code;
}

static void add_part(dw_gpu_rows *parts, uint32_t *count, const dw_gpu_buffer *buffer,
                     uint64_t offset, const void *data, uint64_t bytes)
{
    if (bytes > 0)
        parts[(*count)++] =
            (dw_gpu_rows) { buffer, offset, (void *)data, bytes, 1, (int64_t)bytes };
}

static dw_status upload(dw_forest_gpu *forest, const dw_forest_arrays *host, const dw_run *run,
                        dw_error *err)
{
    bool is_whole = forest->is_stale;
    dw_gpu_rows parts[DW_FOREST_ARRAY_COUNT + 2];
    uint32_t count = 0;

    for (int i = 0; i < DW_FOREST_ARRAY_COUNT; i++) {
        uint64_t bytes = host->row_bytes[i];
        uint64_t begin = is_whole ? 0 : host->dirty[i].begin;
        uint64_t end = is_whole ? host->row_count : host->dirty[i].end;

        if (begin < end)
            add_part(parts, &count, &forest->buffers[i], begin * bytes,
                     (const uint8_t *)host->arrays[i] + begin * bytes, (end - begin) * bytes);
    }
    if (host->params != NULL)
        add_part(parts, &count, &forest->buffers[BUFFER_PARAMS], 0, host->params,
                 sizeof *host->params);
    if (host->draws != NULL)
        add_part(parts, &count, &forest->buffers[BUFFER_DRAWS], 0, host->draws,
                 (uint64_t)host->draw_count * sizeof *host->draws);
    return count == 0 ? DW_OK : dw_gpu_upload_rows(forest->gpu, parts, count, run, err);
}

dw_status dw_forest_gpu_update(dw_forest_gpu *forest, const dw_forest_arrays *host,
                               const dw_run *run, dw_error *err)
{
    uint32_t draw_count = host->draws != NULL ? host->draw_count : forest->draw_count;
    uint32_t counters;

    if (host->params != NULL) {
        const uint32_t encoding = host->params->rules.encoding;

        DW_TRY(dw_pipeline_get(forest->gpu, step_shaders[STEP_STEP], &encoding, 1,
                               &forest->pipelines[STEP_STEP], err));
        forest->bucket_count = host->params->rules.bucket_count;
    }
    counters = forest->bucket_count + DW_FOREST_COUNTERS;
    DW_TRY(create_buckets(forest, counters, err));
    if (forest->row_capacity == 0 || host->row_count > forest->row_capacity)
        DW_TRY(grow_rows(forest, host, counters, err));
    if (forest->draw_capacity == 0 || draw_count > forest->draw_capacity)
        DW_TRY(grow_draws(forest, draw_count, err));
    DW_TRY(upload(forest, host, run, err));
    forest->is_stale = false;
    forest->row_count = host->row_count;
    forest->draw_count = draw_count;
    return DW_OK;
fail:
    return err->code;
}

/* ---- recording ---- */

static dw_gpu_binding bind(const dw_forest_gpu *forest, int buffer, dw_use use)
{
    return (dw_gpu_binding) { .buffer = &forest->buffers[buffer], .use = use };
}

static void record_step(dw_forest_gpu *forest, dw_command *command, const dw_forest_view *view)
{
    bool is_shadow = (view->flags & DW_FOREST_IS_SHADOW) != 0;
    const dw_gpu_binding bindings[] = {
        bind(forest, BUFFER_PARAMS, DW_USE_COMPUTE_READ),
        bind(forest, DW_FOREST_RECORDS, DW_USE_COMPUTE_READ),
        bind(forest, DW_FOREST_INFOS, DW_USE_COMPUTE_READ),
        bind(forest, DW_FOREST_DISSOLVES, DW_USE_COMPUTE_READ),
        bind(forest, BUFFER_STATES, is_shadow ? DW_USE_COMPUTE_READ : DW_USE_COMPUTE_READ_WRITE),
        bind(forest, BUFFER_CELLS, DW_USE_COMPUTE_WRITE),
        bind(forest, BUFFER_COUNTS, DW_USE_COMPUTE_WRITE),
    };
    uint32_t groups[3];

    dw_groups_linear(forest->gpu, view->group_count, groups);
    dw_command_dispatch(command, forest->pipelines[STEP_STEP], bindings, DW_COUNT_OF(bindings),
                        view, sizeof *view, groups);
}

static void record_scan(dw_forest_gpu *forest, dw_command *command, const dw_forest_view *view)
{
    bool is_shadow = (view->flags & DW_FOREST_IS_SHADOW) != 0;
    const dw_gpu_binding bindings[] = {
        bind(forest, BUFFER_COUNTS, DW_USE_COMPUTE_READ_WRITE),
        bind(forest, BUFFER_BUCKETS + is_shadow, DW_USE_COMPUTE_WRITE),
    };
    const uint32_t groups[3] = { forest->bucket_count + DW_FOREST_COUNTERS, 1, 1 };

    dw_command_dispatch(command, forest->pipelines[STEP_SCAN], bindings, DW_COUNT_OF(bindings),
                        &view->group_count, sizeof view->group_count, groups);
}

static void record_list(dw_forest_gpu *forest, dw_command *command, const dw_forest_view *view)
{
    bool is_shadow = (view->flags & DW_FOREST_IS_SHADOW) != 0;
    const uint32_t push[] = { view->row_count, view->group_count, forest->bucket_count,
                              forest->draw_count };
    const dw_gpu_binding bindings[] = {
        bind(forest, BUFFER_CELLS, DW_USE_COMPUTE_READ),
        bind(forest, BUFFER_COUNTS, DW_USE_COMPUTE_READ),
        bind(forest, BUFFER_DRAWS, DW_USE_COMPUTE_READ),
        bind(forest, BUFFER_BUCKETS + is_shadow, DW_USE_COMPUTE_READ_WRITE),
        bind(forest, BUFFER_ENTRIES + is_shadow, DW_USE_COMPUTE_WRITE),
        bind(forest, BUFFER_COMMANDS + is_shadow, DW_USE_COMPUTE_WRITE),
    };
    uint32_t groups[3];

    dw_groups_linear(forest->gpu, view->group_count, groups);
    dw_command_dispatch(command, forest->pipelines[STEP_LIST], bindings, DW_COUNT_OF(bindings),
                        push, sizeof push, groups);
}

void dw_forest_gpu_cull(dw_forest_gpu *forest, dw_command *command, const dw_forest_view *view)
{
    static void (*const record[STEP_COUNT])(dw_forest_gpu *, dw_command *,
                                            const dw_forest_view *) = { record_step, record_scan,
                                                                        record_list };
    const char *const *spans = step_spans[(view->flags & DW_FOREST_IS_SHADOW) != 0];
    dw_forest_view sized = *view;

    sized.row_count = forest->row_count;
    sized.group_count = group_count(forest->row_count);
    for (int i = 0; i < STEP_COUNT; i++) {
        dw_command_time_begin(command, spans[i]);
        record[i](forest, command, &sized);
        dw_command_time_end(command);
    }
}

/* ---- reading ---- */

dw_forest_view_buffers dw_forest_gpu_view(const dw_forest_gpu *forest, bool is_shadow)
{
    return (dw_forest_view_buffers) {
        .entries = &forest->buffers[BUFFER_ENTRIES + is_shadow],
        .buckets = &forest->buffers[BUFFER_BUCKETS + is_shadow],
        .commands = &forest->buffers[BUFFER_COMMANDS + is_shadow],
    };
}

dw_forest_table_buffers dw_forest_gpu_table(const dw_forest_gpu *forest)
{
    return (dw_forest_table_buffers) {
        .transforms = &forest->buffers[DW_FOREST_TRANSFORMS],
        .infos = &forest->buffers[DW_FOREST_INFOS],
        .states = &forest->buffers[BUFFER_STATES],
        .dissolves = &forest->buffers[DW_FOREST_DISSOLVES],
    };
}

uint32_t dw_forest_gpu_draw_count(const dw_forest_gpu *forest)
{
    return forest->draw_count;
}
