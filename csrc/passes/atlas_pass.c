/* SPDX-License-Identifier: MIT */
#include "passes/atlas_pass.h"

#include "base/alloc.h"
#include "generated/spirv.h"
#include "gpu/command.h"
#include "gpu/transfer.h"
#include "passes/atlas_layout.h"

#include <string.h>

typedef enum bake_buffer {
    BUFFER_SOURCE,
    BUFFER_PLAN,
    BUFFER_SUMS,
    BUFFER_COLORS,
    BUFFER_ALPHAS,
    BUFFER_HISTOGRAMS,
    BUFFER_REMAPS,
    BUFFER_LEVELS_OUT,
    BUFFER_ALPHA_OUT,
    BUFFER_COUNT,
} bake_buffer;

static const char *const buffer_names[BUFFER_COUNT] = {
    "atlas source", "atlas plan",   "atlas sums",   "atlas colors",   "atlas alphas",
    "atlas bins",   "atlas remaps", "atlas levels", "atlas averages",
};

/* ---- shaders ---- */

typedef enum bake_step {
    STEP_DOWN_HALVE,
    STEP_DOWN_BOX,
    STEP_DOWN_WIDE,
    STEP_DOWN_TAIL,
    STEP_SHARES,
    STEP_BINS,
    STEP_CHOOSE,
    STEP_TRY,
    STEP_CORRECT,
    STEP_FINISH,
    STEP_GUTTER,
    STEP_COUNT,
} bake_step;

#define BIT(binding) (1u << (binding))

/* What a step writes; it reads all other bindings, or leaves them alone. */
typedef struct step_row {
    uint32_t shader;
    uint32_t writes;
    uint32_t flags;   /* those that its shader looks at */
    const char *span; /* named device time */
} step_row;

#define DOWN_WRITES \
    (BIT(DW_ATLAS_SUMS) | BIT(DW_ATLAS_COLORS) | BIT(DW_ATLAS_ALPHAS) | BIT(DW_ATLAS_ALPHA_PAIRS))
#define OUT_WRITES \
    (BIT(DW_ATLAS_LEVELS_OUT) | BIT(DW_ATLAS_ALPHA_OUT) | BIT(DW_ATLAS_ALPHA_OUT_QUADS))
#define SOURCE_FLAGS (DW_ATLAS_IS_16_BIT | DW_ATLAS_ONLY_SOURCE | DW_ATLAS_NO_SOURCE)
#define DOWN_FLAGS   (SOURCE_FLAGS | DW_ATLAS_IS_OPAQUE | DW_ATLAS_IS_WRAPPED)
#define COUNT_FLAGS  (SOURCE_FLAGS | DW_ATLAS_IS_WRAPPED)

#define CHOICE_WRITES (BIT(DW_ATLAS_REMAPS) | BIT(DW_ATLAS_HISTOGRAMS) | BIT(DW_ATLAS_SHARES))
#define CHOICE_FLAGS                                                                    \
    (COUNT_FLAGS | DW_ATLAS_COUNTS_SHARES | DW_ATLAS_COUNTS_BINS | DW_ATLAS_IS_TRYING | \
     DW_ATLAS_HAS_KNOTS)

static const step_row steps[STEP_COUNT] = {
    [STEP_DOWN_HALVE] = { DW_SHADER_ATLAS_DOWN_HALVE_COMP, DOWN_WRITES,
                          DW_ATLAS_IS_16_BIT | DW_ATLAS_IS_OPAQUE, "atlas_down" },
    [STEP_DOWN_BOX] = { DW_SHADER_ATLAS_DOWN_BOX_COMP, DOWN_WRITES, DOWN_FLAGS, "atlas_down" },
    [STEP_DOWN_WIDE] = { DW_SHADER_ATLAS_DOWN_WIDE_COMP, DOWN_WRITES, DOWN_FLAGS, "atlas_down" },
    [STEP_DOWN_TAIL] = { DW_SHADER_ATLAS_DOWN_TAIL_COMP, DOWN_WRITES, DOWN_FLAGS | DW_ATLAS_IS_BOX,
                         "atlas_down" },
    [STEP_SHARES] = { DW_SHADER_ATLAS_COVERAGE_COMP, BIT(DW_ATLAS_SHARES),
                      COUNT_FLAGS | DW_ATLAS_COUNTS_SHARES | DW_ATLAS_HAS_KNOTS, "atlas_shares" },
    [STEP_BINS] = { DW_SHADER_ATLAS_COVERAGE_COMP, BIT(DW_ATLAS_HISTOGRAMS),
                    COUNT_FLAGS | DW_ATLAS_COUNTS_BINS, "atlas_bins" },
    [STEP_CHOOSE] = { DW_SHADER_ATLAS_CHOOSE_COMP, CHOICE_WRITES, CHOICE_FLAGS, "atlas_choose" },
    [STEP_TRY] = { DW_SHADER_ATLAS_COVERAGE_COMP, BIT(DW_ATLAS_HISTOGRAMS) | BIT(DW_ATLAS_SHARES),
                   CHOICE_FLAGS, "atlas_choose" },
    [STEP_CORRECT] = { DW_SHADER_ATLAS_CORRECT_COMP, CHOICE_WRITES, CHOICE_FLAGS, "atlas_choose" },
    [STEP_FINISH] = { DW_SHADER_ATLAS_FINISH_COMP, OUT_WRITES,
                      SOURCE_FLAGS | DW_ATLAS_IS_KEPT | DW_ATLAS_HAS_QUADS | DW_ATLAS_HAS_KNOTS,
                      "atlas_finish" },
    [STEP_GUTTER] = { DW_SHADER_ATLAS_GUTTER_COMP, OUT_WRITES | BIT(DW_ATLAS_SUMS),
                      DW_ATLAS_IS_WRAPPED | DW_ATLAS_IS_CLEARED | DW_ATLAS_FILLS_SUMS,
                      "atlas_finish" },
};

typedef struct bake {
    dw_gpu *gpu;
    const dw_atlas_plan *plan;
    const dw_atlas_source *source;
    const dw_atlas_target *target;
    dw_atlas_layout layout;
    dw_gpu_buffer buffers[BUFFER_COUNT];
    dw_gpu_binding bindings[DW_ATLAS_BINDINGS];
    uint32_t output_base; /* texel that the bound part of the outputs begins with */
    dw_command *command;
    dw_alpha_remap *remaps; /* as downloaded: [remap_count] */
} bake;

/* ---- buffers ---- */

static void size_buffers(const dw_atlas_layout *layout, uint64_t *sizes)
{
    uint64_t texels = (uint64_t)layout->plan->width * (uint64_t)layout->plan->height;
    uint64_t planes = layout->texel_total - layout->plane_base;

    sizes[BUFFER_SOURCE] = texels * (layout->bits == 16 ? 8 : 4);
    sizes[BUFFER_PLAN] = layout->part_bytes;
    sizes[BUFFER_SUMS] = planes * 4 * sizeof(uint32_t);
    sizes[BUFFER_COLORS] = planes * sizeof(uint32_t);
    sizes[BUFFER_ALPHAS] = planes * sizeof(uint16_t);
    sizes[BUFFER_HISTOGRAMS] = (uint64_t)layout->slot_count * DW_COVERAGE_BINS * sizeof(uint32_t);
    sizes[BUFFER_REMAPS] =
        (uint64_t)(layout->remap_count + layout->slot_count) * sizeof(dw_alpha_remap);
    sizes[BUFFER_LEVELS_OUT] = (uint64_t)layout->texel_total * 4;
    sizes[BUFFER_ALPHA_OUT] = layout->texel_total;
    for (int i = 0; i < BUFFER_COUNT; i++)
        sizes[i] = sizes[i] < 16 ? 16 : (sizes[i] + 15) / 16 * 16; /* shaders read quads of words */
}

/* At least as many workgroups as all lists of a bake hold: the filter steps' blocks are the
 * smallest of all lists, and each level has at most a quarter of the blocks before it, rounded up.
 */
static uint64_t most_blocks(const dw_atlas_plan *plan)
{
    uint64_t count = 0;

    for (int tile = 0; tile <= plan->tile_count; tile++) {
        uint64_t columns = (uint64_t)plan->rects[tile].width / DW_ATLAS_DOWN_SIDE + 2;
        uint64_t rows = (uint64_t)plan->rects[tile].height / DW_ATLAS_DOWN_SIDE + 2;

        count += 4 * columns * rows + 16 * (uint64_t)plan->level_total;
    }
    return count;
}

bool dw_atlas_fits_gpu(const dw_gpu *gpu, const dw_atlas_plan *plan)
{
    const dw_gpu_limits *limits = dw_gpu_get_limits(gpu);
    uint64_t sizes[BUFFER_COUNT], total = 0;
    dw_atlas_layout layout;

    /* Histograms count in 32 bits. */
    if (plan->def.start_level == 0 &&
        16 * (uint64_t)plan->width * (uint64_t)plan->height > UINT32_MAX)
        return false;

    dw_atlas_layout_measure(plan, &layout);
    layout.part_bytes = (1 << 20) + layout.slot_count * (DW_CUTOFFS_MAX + 1) * 16ull +
                        most_blocks(plan) * sizeof(dw_atlas_block);
    size_buffers(&layout, sizes);
    for (int i = 0; i < BUFFER_COUNT; i++) {
        if (sizes[i] > limits->max_storage_buffer_bytes || sizes[i] > limits->max_buffer_bytes)
            return false;
        total += sizes[i];
    }
    return total <= limits->memory_bytes / 4 * 3;
}

static dw_status create_buffers(bake *work, dw_error *err)
{
    uint64_t sizes[BUFFER_COUNT];

    size_buffers(&work->layout, sizes);
    for (int i = 0; i < BUFFER_COUNT; i++) {
        if (dw_gpu_buffer_create_device(work->gpu, sizes[i], buffer_names[i], &work->buffers[i],
                                        err) != DW_OK)
            return err->code;
    }
    return DW_OK;
}

static void bind_buffer(bake *work, uint32_t binding, bake_buffer buffer)
{
    work->bindings[binding] = (dw_gpu_binding) { .buffer = &work->buffers[buffer] };
}

static void bind_part(bake *work, uint32_t binding, dw_atlas_part part)
{
    uint64_t size = work->layout.part_size[part];

    work->bindings[binding] = (dw_gpu_binding) { .buffer = &work->buffers[BUFFER_PLAN],
                                                 .offset = work->layout.part_offset[part],
                                                 .size = size > 0 ? size : 16 };
}

static void bind_all(bake *work)
{
    bind_buffer(work, DW_ATLAS_SOURCE, BUFFER_SOURCE);
    bind_part(work, DW_ATLAS_TABLES, DW_ATLAS_PART_TABLES);
    bind_part(work, DW_ATLAS_PLACES, DW_ATLAS_PART_PLACES);
    bind_part(work, DW_ATLAS_LEVELS, DW_ATLAS_PART_LEVELS);
    bind_part(work, DW_ATLAS_BLOCKS, DW_ATLAS_PART_BLOCKS);
    bind_part(work, DW_ATLAS_AXES, DW_ATLAS_PART_AXES);
    bind_part(work, DW_ATLAS_SHARES, DW_ATLAS_PART_SHARES);
    bind_buffer(work, DW_ATLAS_SUMS, BUFFER_SUMS);
    bind_buffer(work, DW_ATLAS_COLORS, BUFFER_COLORS);
    bind_buffer(work, DW_ATLAS_ALPHAS, BUFFER_ALPHAS);
    bind_buffer(work, DW_ATLAS_ALPHA_PAIRS, BUFFER_ALPHAS);
    bind_buffer(work, DW_ATLAS_HISTOGRAMS, BUFFER_HISTOGRAMS);
    bind_buffer(work, DW_ATLAS_REMAPS, BUFFER_REMAPS);
    bind_buffer(work, DW_ATLAS_LEVELS_OUT, BUFFER_LEVELS_OUT);
    bind_buffer(work, DW_ATLAS_ALPHA_OUT, BUFFER_ALPHA_OUT);
    bind_buffer(work, DW_ATLAS_ALPHA_OUT_QUADS, BUFFER_ALPHA_OUT);
}

/* ---- recording ---- */

static uint32_t plan_flags(const dw_atlas_plan *plan)
{
    uint32_t flags = 0;

    if (plan->light->decode_16 != NULL)
        flags |= DW_ATLAS_IS_16_BIT;
    if (plan->def.fill == DW_FILL_MODE_WRAP)
        flags |= DW_ATLAS_IS_WRAPPED;
    if (plan->def.fill == DW_FILL_MODE_KEEP)
        flags |= DW_ATLAS_IS_KEPT;
    if (plan->def.fill == DW_FILL_MODE_CLEAR)
        flags |= DW_ATLAS_IS_CLEARED;
    if (plan->def.filter == DW_MIP_FILTER_BOX)
        flags |= DW_ATLAS_IS_BOX;
    if (plan->def.cutoff_count > 1)
        flags |= DW_ATLAS_HAS_KNOTS;
    return flags;
}

static dw_atlas_push make_push(const bake *work, const dw_atlas_stage *stage, dw_atlas_span span)
{
    const dw_atlas_plan *plan = work->plan;
    bool is_shared = plan->def.coverage == DW_COVERAGE_MODE_IMAGE;
    dw_atlas_push push = { .first_block = span.first,
                           .block_count = span.count,
                           .level_total = (uint32_t)plan->level_total,
                           .plane_base = work->layout.plane_base,
                           .cutoff_count = (uint32_t)plan->def.cutoff_count,
                           .strength = plan->strength,
                           .share_stride = is_shared ? 0 : (uint32_t)plan->def.cutoff_count,
                           .share_count = work->layout.share_count,
                           .remap_count = work->layout.remap_count,
                           .halvings = (uint32_t)stage->halvings,
                           .output_base = work->output_base };

    memcpy(push.cutoff_samples, plan->cutoff_samples, sizeof push.cutoff_samples);
    memcpy(push.cutoff_alpha, plan->cutoff_alpha, sizeof push.cutoff_alpha);
    return push;
}

/* flags: those of this dispatch, beside the plan's. */
static dw_status record_step(bake *work, const dw_atlas_stage *stage, bake_step step,
                             dw_atlas_span span, uint32_t flags, dw_error *err)
{
    uint32_t constant = (plan_flags(work->plan) | flags) & steps[step].flags;
    dw_atlas_push push = make_push(work, stage, span);
    dw_pipeline *pipeline;
    uint32_t groups[3];

    if (span.count == 0)
        return DW_OK;
    if (dw_pipeline_get(work->gpu, steps[step].shader, &constant, 1, &pipeline, err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < DW_ATLAS_BINDINGS; i++)
        work->bindings[i].use =
            (steps[step].writes & BIT(i)) != 0 ? DW_USE_COMPUTE_READ_WRITE : DW_USE_COMPUTE_READ;
    dw_groups_linear(work->gpu, span.count, groups);
    dw_command_time_begin(work->command, steps[step].span);
    dw_command_dispatch(work->command, pipeline, work->bindings, DW_ATLAS_BINDINGS, &push,
                        sizeof push, groups);
    dw_command_time_end(work->command);
    return DW_OK;
}

static dw_status record_pyramid(bake *work, const dw_atlas_stage *stage, uint32_t flags,
                                dw_error *err)
{
    bool is_box = work->plan->def.filter == DW_MIP_FILTER_BOX;
    bake_step step = is_box ? STEP_DOWN_BOX : STEP_DOWN_WIDE;

    DW_TRY(record_step(work, stage, STEP_DOWN_HALVE, stage->halve, flags, err));
    for (int level = 1; level < work->plan->level_total; level++) {
        uint32_t reads = level == 1 ? DW_ATLAS_ONLY_SOURCE : DW_ATLAS_NO_SOURCE;

        DW_TRY(record_step(work, stage, step, stage->down[level], flags | reads, err));
    }
    return record_step(work, stage, STEP_DOWN_TAIL, stage->tail, flags, err);
fail:
    return err->code;
}

static dw_status record_remaps(bake *work, const dw_atlas_stage *stage, dw_error *err)
{
    uint32_t counts = DW_ATLAS_COUNTS_SHARES | DW_ATLAS_COUNTS_BINS;
    uint32_t reads = work->plan->def.start_level > 0 ? DW_ATLAS_NO_SOURCE : 0;
    uint32_t tries = work->layout.is_trying ? DW_ATLAS_IS_TRYING : 0;

    DW_TRY(record_step(work, stage, STEP_SHARES, stage->shares,
                       DW_ATLAS_ONLY_SOURCE | DW_ATLAS_COUNTS_SHARES, err));
    DW_TRY(record_step(work, stage, STEP_BINS, stage->bins, reads | DW_ATLAS_COUNTS_BINS, err));
    DW_TRY(record_step(work, stage, STEP_CHOOSE, stage->choose, reads | counts | tries, err));
    if (stage->correct.count == 0)
        return DW_OK;
    for (int round = 0; round <= DW_REFINE_ROUNDS; round++) {
        DW_TRY(record_step(work, stage, STEP_TRY, stage->bins, reads | counts | tries, err));
        DW_TRY(record_step(work, stage, STEP_CORRECT, stage->correct, counts | tries, err));
    }
    return DW_OK;
fail:
    return err->code;
}

static void bind_outputs(bake *work, uint64_t first, uint64_t end)
{
    static const uint32_t bytes[][2] = { { DW_ATLAS_LEVELS_OUT, 4 },
                                         { DW_ATLAS_ALPHA_OUT, 1 },
                                         { DW_ATLAS_ALPHA_OUT_QUADS, 1 } };

    work->output_base = (uint32_t)first;
    for (size_t i = 0; i < DW_COUNT_OF(bytes); i++) {
        work->bindings[bytes[i][0]].offset = first * bytes[i][1];
        work->bindings[bytes[i][0]].size = (end - first) * bytes[i][1];
    }
}

/* Each part sees its own levels of the outputs, so that the parts need not wait for each other. */
static dw_status record_finishes(bake *work, const dw_atlas_stage *stage, dw_error *err)
{
    const dw_atlas_layout *layout = &work->layout;

    for (int i = 0; i < DW_ATLAS_FINISHES; i++) {
        const dw_atlas_finish *part = &stage->finish[i];
        bool is_last = part->level_end == work->plan->level_total;

        if (part->span.count == 0)
            continue;
        bind_outputs(work, layout->levels[part->level_begin].first,
                     is_last ? layout->texel_total : layout->levels[part->level_end].first);
        DW_TRY(record_step(work, stage, STEP_FINISH, part->span, part->flags, err));
    }
    bind_outputs(work, 0, layout->texel_total);
    return record_step(work, stage, STEP_GUTTER, stage->gutters, 0, err);
fail:
    return err->code;
}

static dw_status record_stage(bake *work, const dw_atlas_stage *stage, dw_error *err)
{
    DW_TRY(record_step(work, stage, STEP_GUTTER, stage->seed, DW_ATLAS_FILLS_SUMS, err));
    DW_TRY(record_pyramid(work, stage, 0, err));
    DW_TRY(record_remaps(work, stage, err));
    if (work->plan->def.fill == DW_FILL_MODE_KEEP)
        DW_TRY(record_pyramid(work, stage, DW_ATLAS_IS_OPAQUE, err));
    return record_finishes(work, stage, err);
fail:
    return err->code;
}

/* Counts start anew in every run. */
static void reset_shares(bake *work)
{
    const dw_atlas_layout *layout = &work->layout;
    uint64_t offset = layout->part_offset[DW_ATLAS_PART_SHARES];
    uint64_t end = offset + layout->part_size[DW_ATLAS_PART_SHARES];

    for (; offset < end; offset += DW_INLINE_BYTES_MAX)
        dw_command_write(work->command, &work->buffers[BUFFER_PLAN], offset, layout->parts + offset,
                         end - offset < DW_INLINE_BYTES_MAX ? end - offset : DW_INLINE_BYTES_MAX);
}

static dw_status submit_kernels(bake *work, dw_ticket *ticket, dw_error *err)
{
    dw_command *command;

    if (dw_command_begin(work->gpu, "atlas_kernels", &work->command, err) != DW_OK)
        return err->code;
    dw_command_fill(work->command, &work->buffers[BUFFER_REMAPS], 0, 0, 0);
    if (work->plan->def.kernel_runs > 1)
        reset_shares(work);
    if (work->layout.slot_count > 0)
        dw_command_fill(work->command, &work->buffers[BUFFER_HISTOGRAMS], 0, 0, 0);
    for (int i = 0; i < DW_ATLAS_STAGES; i++)
        if (record_stage(work, &work->layout.stages[i], err) != DW_OK)
            return err->code;
    command = work->command;
    work->command = NULL;
    return dw_command_submit(command, ticket, err);
}

/* ---- results ---- */

static dw_gpu_rows level_rows(const bake *work, bake_buffer buffer, int level, void *data,
                              uint64_t texel_bytes)
{
    const dw_atlas_level *at = &work->layout.levels[level];

    return (dw_gpu_rows) { .buffer = &work->buffers[buffer],
                           .offset = at->first * texel_bytes,
                           .data = data,
                           .row_bytes = (uint64_t)at->width * texel_bytes,
                           .row_count = (uint64_t)at->height,
                           .pitch_bytes = (int64_t)at->width * (int64_t)texel_bytes };
}

static dw_status download(bake *work, const dw_run *run, dw_error *err)
{
    dw_gpu_rows parts[2 * DW_LEVELS_MAX + 1];
    uint32_t count = 0;

    for (int n = 0; n < work->plan->write_count; n++) {
        parts[count++] = level_rows(work, BUFFER_LEVELS_OUT, n, work->target->levels[n], 4);
        parts[count++] = level_rows(work, BUFFER_ALPHA_OUT, n, work->target->alpha[n], 1);
    }
    if (work->target->remaps != NULL) {
        uint64_t bytes = work->layout.remap_count * sizeof *work->remaps;

        DW_TRY(DW_ALLOC((size_t)work->layout.remap_count, &work->remaps, err));
        parts[count++] = (dw_gpu_rows) { .buffer = &work->buffers[BUFFER_REMAPS],
                                         .data = work->remaps,
                                         .row_bytes = bytes,
                                         .row_count = 1,
                                         .pitch_bytes = (int64_t)bytes };
    }
    return dw_gpu_download_rows(work->gpu, parts, count, run, err);
fail:
    return err->code;
}

static void publish_remaps(const bake *work)
{
    size_t levels = (size_t)work->plan->level_total;
    bool is_shared = work->plan->def.coverage == DW_COVERAGE_MODE_IMAGE;

    if (work->target->remaps == NULL)
        return;
    for (size_t tile = 0; tile < (size_t)work->plan->tile_count; tile++)
        memcpy(work->target->remaps + tile * levels, work->remaps + (is_shared ? 0 : tile * levels),
               levels * sizeof *work->remaps);
}

static void finish_bake(bake *work)
{
    dw_command_cancel(work->command);
    for (int i = 0; i < BUFFER_COUNT; i++)
        dw_gpu_buffer_destroy(&work->buffers[i]);
    dw_atlas_layout_finish(&work->layout);
    dw_free(work->remaps);
}

dw_status dw_atlas_bake_gpu(dw_gpu *gpu, const dw_atlas_plan *plan, const dw_atlas_source *source,
                            const dw_atlas_target *target, const dw_run *run, dw_error *err)
{
    bake work = { .gpu = gpu, .plan = plan, .source = source, .target = target };
    dw_run upload = dw_run_part(run, 0.0, 0.2), kernels = dw_run_part(run, 0.2, 0.6);
    dw_run results = dw_run_part(run, 0.6, 1.0);
    uint64_t source_bytes =
        (uint64_t)source->width * (uint64_t)source->height * (uint64_t)source->bits / 8 * 4;
    dw_ticket ticket;

    DW_TRY(dw_atlas_layout_init(plan, &work.layout, err));
    DW_TRY(create_buffers(&work, err));
    bind_all(&work);
    DW_TRY(dw_gpu_upload(gpu, &work.buffers[BUFFER_PLAN], 0, work.layout.parts,
                         work.layout.part_bytes, &upload, err));
    DW_TRY(dw_gpu_upload(gpu, &work.buffers[BUFFER_SOURCE], 0, source->texels, source_bytes,
                         &upload, err));
    for (int i = 0; i < plan->def.kernel_runs; i++)
        DW_TRY(submit_kernels(&work, &ticket, err));
    DW_TRY(dw_gpu_wait(gpu, ticket, &kernels, err));
    DW_TRY(download(&work, &results, err));
    publish_remaps(&work);
    finish_bake(&work);
    return DW_OK;
fail:
    finish_bake(&work);
    return err->code;
}
