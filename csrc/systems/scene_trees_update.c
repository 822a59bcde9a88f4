/* SPDX-License-Identifier: MIT */
/* One update: what was changed is committed, at most one build begins, one submission refits. */
#include "base/alloc.h"
#include "systems/scene_trees_internal.h"

#include <math.h>
#include <string.h>

#define CREDIT_UPDATES 60.0  /* budgets that may be saved up */
#define LARGE          65536 /* triangles from which threads work on one tree together */

const char *dw_trees_cause_name(dw_trees_cause cause)
{
    static const char *const names[] = {
        [DW_TREES_FIRST] = "first",           [DW_TREES_ASKED] = "asked",
        [DW_TREES_DRIFT] = "drift",           [DW_TREES_FRESH] = "fresh",
        [DW_TREES_DEGENERATE] = "degenerate",
    };

    return names[cause];
}

/* ---- trees come and go ---- */

void dw_trees_end_flight(dw_scene_trees *trees)
{
    if (trees->flight.stage == DW_FLIGHT_BUILDING)
        trees->backend->cancel_build(trees);
    dw_trees_drop_tree(trees, &trees->flight.tree);
    trees->flight = (dw_trees_flight) { .stage = DW_FLIGHT_NONE };
}

static dw_status note_build(dw_scene_trees *trees, const dw_trees_mesh *mesh, dw_trees_cause cause,
                            dw_error *err)
{
    dw_trees_result *result = &trees->result;

    if (dw_trees_reserve((void **)&trees->builds, result->build_count + 1ull,
                         &trees->build_capacity, sizeof *trees->builds, err) != DW_OK)
        return err->code;
    trees->builds[result->build_count++] = (dw_trees_build) {
        .mesh = mesh->id,
        .cause = cause,
        .shape = mesh->tree->shape,
        .milliseconds = mesh->tree->milliseconds,
    };
    if (cause == DW_TREES_FIRST)
        return DW_OK;
    result->rebuilds++;
    trees->counts.rebuilds++;
    if (cause == DW_TREES_ASKED || cause == DW_TREES_DRIFT)
        trees->counts.drift_rebuilds++;
    return DW_OK;
}

dw_status dw_trees_place(dw_scene_trees *trees, dw_trees_mesh *mesh, dw_placed_tree **tree,
                         dw_trees_cause cause, dw_error *err)
{
    dw_drift_state before = mesh->drift;

    dw_trees_drop_tree(trees, &mesh->tree);
    mesh->tree = *tree;
    *tree = NULL;
    mesh->needs_boxes = true;
    mesh->is_looked_at = false;
    mesh->is_degenerate = mesh->tree->shape.inactive > mesh->triangle_count / 2;
    mesh->inactive = mesh->tree->shape.inactive;
    mesh->refits = 0;
    mesh->builds++;
    mesh->asked_at = 0;
    mesh->wants_real = mesh->wants_drift = mesh->wants_probe = false;
    mesh->drift = (dw_drift_state) { .samples = before.samples, .ratio = 1.0, .cost = before.cost };
    if (!mesh->is_deforming) {
        dw_free(mesh->indices);
        mesh->indices = NULL;
    }
    return note_build(trees, mesh, cause, err);
}

/* The first trees of meshes. Large ones take all threads one after another, the others one each. */
typedef struct first_builds {
    dw_scene_trees *trees;
    dw_trees_mesh **meshes; /* large ones first */
    uint32_t large_count;
    dw_placed_tree *built;
    dw_status *states; /* of each: DW_ERROR_INTERRUPTED until it is built */
    dw_error *errors;
    uint32_t count;
} first_builds;

static void first_item(void *user, int64_t item, int worker)
{
    static const dw_run alone;
    first_builds *self = user;
    uint32_t i = self->large_count + (uint32_t)item;
    dw_trees_mesh *mesh = self->meshes[i];

    (void)worker;
    self->states[i] = self->trees->backend->build(self->trees, mesh, mesh->builder, &alone,
                                                  &self->built[i], &self->errors[i]);
}

static void collect_new(first_builds *self)
{
    const dw_scene_trees *trees = self->trees;

    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < trees->mesh_count; i++) {
            dw_trees_mesh *mesh = trees->meshes[i];
            bool is_large = mesh->triangle_count > LARGE || !trees->backend->is_immediate;

            if (mesh->tree == NULL && is_large == (pass == 0))
                self->meshes[self->count++] = mesh;
        }
        if (pass == 0)
            self->large_count = self->count;
    }
}

static dw_status begin_first_builds(dw_scene_trees *trees, first_builds *self, dw_error *err)
{
    *self = (first_builds) { .trees = trees };
    DW_TRY(DW_ALLOC(trees->mesh_count, &self->meshes, err));
    collect_new(self);
    DW_TRY(DW_ALLOC_ZEROED(self->count, &self->built, err));
    DW_TRY(DW_ALLOC(self->count, &self->states, err));
    DW_TRY(DW_ALLOC_ZEROED(self->count, &self->errors, err));
    for (uint32_t i = 0; i < self->count; i++)
        self->states[i] = DW_ERROR_INTERRUPTED;
    return DW_OK;
fail:
    self->count = 0;
    return err->code;
}

static dw_status place_first(dw_scene_trees *trees, dw_trees_mesh *mesh, dw_placed_tree *built,
                             dw_error *err)
{
    dw_placed_tree *tree = NULL;

    if (DW_ALLOC_ZEROED(1, &tree, err) != DW_OK) {
        trees->backend->finish_tree(trees, built);
        return err->code;
    }
    *tree = *built;
    tree->serial = ++trees->next_serial;
    return dw_trees_place(trees, mesh, &tree, DW_TREES_FIRST, err);
}

/* Also after a failure or an interrupt: what was built is there for the next update. */
static dw_status end_first_builds(first_builds *self, dw_status status, dw_error *err)
{
    for (uint32_t i = 0; i < self->count; i++) {
        if (self->states[i] == DW_OK)
            self->states[i] =
                place_first(self->trees, self->meshes[i], &self->built[i], &self->errors[i]);
        if (self->states[i] == DW_OK || self->states[i] == DW_ERROR_INTERRUPTED || status != DW_OK)
            continue;
        status = self->states[i];
        *err = self->errors[i];
    }
    dw_free(self->meshes);
    dw_free(self->built);
    dw_free(self->states);
    dw_free(self->errors);
    return status;
}

/* Meshes without a tree get one now. */
static dw_status build_new(dw_scene_trees *trees, const dw_run *run, dw_error *err)
{
    first_builds self;
    dw_status status = begin_first_builds(trees, &self, err);

    for (uint32_t i = 0; i < self.large_count && status == DW_OK; i++)
        status = self.states[i] = trees->backend->build(
            trees, self.meshes[i], self.meshes[i]->builder, run, &self.built[i], err);
    if (status == DW_OK)
        status = dw_parallel_for(run, self.count - self.large_count, first_item, &self, err);
    return end_first_builds(&self, status, err);
}

/* A mesh is rebuilt by H-PLOC, which also the device builds by, unless it asks for less. */
static dw_tree_builder rebuilder_of(const dw_trees_mesh *mesh)
{
    return mesh->builder == DW_TREE_BUILDER_SAH ? DW_TREE_BUILDER_HPLOC : mesh->builder;
}

/* After a build that failed: the tree that is there serves on, and the next update is not to fail
 * likewise. What was interrupted is taken up again. */
static void drop_wishes(dw_trees_mesh *mesh, const dw_error *err)
{
    if (err->code == DW_ERROR_INTERRUPTED)
        return;
    mesh->asked_at = 0;
    mesh->wants_real = mesh->wants_drift = mesh->wants_probe = false;
    mesh->drift.is_above = false;
    mesh->drift.probed_area = mesh->drift.inner_area;
    mesh->drift.probed_cost = mesh->drift.cost;
}

static dw_status begin_build(dw_scene_trees *trees, const dw_run *run, dw_error *err)
{
    dw_trees_cause cause = DW_TREES_ASKED;
    dw_trees_mesh *mesh;

    if (trees->flight.stage != DW_FLIGHT_NONE || trees->has_begun_build)
        return DW_OK;
    mesh = dw_trees_choose_build(trees, &cause);
    if (mesh == NULL)
        return DW_OK;
    if (trees->backend->begin_build(trees, mesh, rebuilder_of(mesh), run, err) != DW_OK) {
        drop_wishes(mesh, err);
        return err->code;
    }
    trees->flight = (dw_trees_flight) {
        .stage = DW_FLIGHT_BUILDING, .mesh = mesh, .cause = cause, .pose_number = mesh->pose_number
    };
    trees->has_begun_build = true;
    if (cause == DW_TREES_FRESH) {
        trees->result.probes++;
        trees->counts.probes++;
    }
    return DW_OK;
}

/* A build that has come back: a rebuild is placed, a probe is measured first. */
static dw_status land_build(dw_scene_trees *trees, dw_error *err)
{
    dw_trees_flight *flight = &trees->flight;
    dw_placed_tree *tree = NULL;
    bool is_done = false;

    if (flight->stage != DW_FLIGHT_BUILDING)
        return DW_OK;
    DW_TRY(DW_ALLOC_ZEROED(1, &tree, err));
    DW_TRY(trees->backend->poll_build(trees, tree, &is_done, err));
    if (!is_done) {
        dw_free(tree);
        return DW_OK;
    }
    tree->serial = ++trees->next_serial;
    trees->probe_credit -= flight->cause == DW_TREES_FRESH ? tree->milliseconds : 0.0;
    flight->tree = tree;
    flight->stage = DW_FLIGHT_LANDED;
    return DW_OK;
fail:
    dw_free(tree);
    drop_wishes(flight->mesh, err);
    *flight = (dw_trees_flight) { .stage = DW_FLIGHT_NONE };
    return err->code;
}

static dw_status place_rebuild(dw_scene_trees *trees, dw_error *err)
{
    dw_trees_flight flight = trees->flight;
    dw_trees_mesh *mesh = flight.mesh;

    if (flight.stage != DW_FLIGHT_LANDED || flight.cause == DW_TREES_FRESH)
        return DW_OK;
    trees->flight = (dw_trees_flight) { .stage = DW_FLIGHT_NONE };
    if (dw_trees_place(trees, mesh, &flight.tree, flight.cause, err) != DW_OK)
        return err->code;
    /* What it was built from may have been nothing yet: a fresh tree will tell. */
    mesh->wants_probe =
        trees->def.is_probing && mesh->pose_number != flight.pose_number && !mesh->was_real;
    return DW_OK;
}

/* ---- refits ---- */

static dw_status add_job(dw_scene_trees *trees, uint32_t *count, dw_trees_job job, dw_error *err)
{
    if (dw_trees_reserve((void **)&trees->jobs, *count + 1ull, &trees->job_capacity,
                         sizeof *trees->jobs, err) != DW_OK)
        return err->code;
    trees->jobs[(*count)++] = job;
    return DW_OK;
}

static dw_status add_mesh_jobs(dw_scene_trees *trees, dw_trees_mesh *mesh, uint32_t *count,
                               dw_error *err)
{
    bool is_due = dw_trees_is_sample_due(trees, mesh);
    bool is_probed = trees->flight.stage == DW_FLIGHT_LANDED && trees->flight.mesh == mesh;
    bool is_new = mesh->needs_boxes;

    if (mesh->is_posed || is_new || is_probed || (mesh->drift.is_stale && is_due))
        DW_TRY(add_job(trees, count,
                       (dw_trees_job) {
                           .mesh = mesh,
                           .tree = mesh->tree,
                           .dirty = mesh->is_partial && !is_new ? mesh->dirty : NULL,
                           .wants_sums = is_due || is_probed,
                       },
                       err));
    if (is_probed)
        DW_TRY(add_job(trees, count,
                       (dw_trees_job) {
                           .mesh = mesh,
                           .tree = trees->flight.tree,
                           .wants_sums = true,
                       },
                       err));
    return DW_OK;
fail:
    return err->code;
}

static dw_status collect_jobs(dw_scene_trees *trees, uint32_t *count, dw_error *err)
{
    *count = 0;
    for (uint32_t i = 0; i < trees->mesh_count; i++)
        if (add_mesh_jobs(trees, trees->meshes[i], count, err) != DW_OK)
            return err->code;
    return DW_OK;
}

/* After the submission: what each mesh has got. */
static dw_status note_job(dw_scene_trees *trees, const dw_trees_job *job, dw_error *err)
{
    dw_trees_mesh *mesh = job->mesh;

    if (job->tree != mesh->tree) {
        trees->flight.stage = DW_FLIGHT_MEASURING;
        return DW_OK;
    }
    if (mesh->is_posed) {
        trees->result.refits++;
        trees->counts.refits++;
        mesh->refits++;
    }
    mesh->drift.is_stale =
        mesh->is_deforming && !job->wants_sums && (mesh->is_posed || mesh->drift.is_stale);
    if (job->wants_sums)
        mesh->drift.sampled_at = trees->update_count;
    mesh->is_looked_at = false;
    if (trees->backend->is_immediate && trees->backend->look(trees, mesh, NULL, err) != DW_OK)
        return err->code;
    if (trees->backend->is_immediate && mesh->is_posed && mesh->is_outside)
        trees->counts.outside_poses++;
    mesh->is_posed = mesh->is_partial = mesh->needs_boxes = false;
    return DW_OK;
}

static bool is_top_sample_due(const dw_scene_trees *trees)
{
    return !trees->top.has_baseline ||
           trees->update_count - trees->top.sampled_at >= trees->def.sample_every;
}

static dw_top_work choose_top_work(const dw_scene_trees *trees, uint32_t job_count)
{
    if (trees->are_instances_changed || trees->top.is_dear || !trees->has_committed)
        return DW_TOP_BUILD;
    return trees->are_instances_moved || job_count > 0 ||
                   (trees->top.is_stale && is_top_sample_due(trees))
               ? DW_TOP_REFIT
               : DW_TOP_KEEP;
}

/* The first refit after a build gives what later ones are compared with. */
static void prepare_top(dw_scene_trees *trees, dw_top_work work)
{
    dw_top_state *top = &trees->top;

    if (work == DW_TOP_BUILD)
        *top = (dw_top_state) { .serial = top->serial + 1 };
    top->wants_sums = work == DW_TOP_REFIT && is_top_sample_due(trees);
    top->is_stale = !top->wants_sums && work == DW_TOP_REFIT;
    if (top->wants_sums)
        top->sampled_at = trees->update_count;
}

static dw_status refit(dw_scene_trees *trees, const dw_run *run, dw_error *err)
{
    dw_top_work top;
    uint32_t count;

    if (collect_jobs(trees, &count, err) != DW_OK)
        return err->code;
    top = choose_top_work(trees, count);
    if (top == DW_TOP_KEEP)
        return DW_OK;
    prepare_top(trees, top);
    trees->are_instances_changed |= top == DW_TOP_BUILD; /* until it is done */
    if (trees->backend->commit(trees, trees->jobs, count, top, run, err) != DW_OK)
        return err->code;
    trees->are_instances_changed = trees->are_instances_moved = false;
    trees->has_committed = true;
    for (uint32_t i = 0; i < count; i++)
        if (note_job(trees, &trees->jobs[i], err) != DW_OK)
            return err->code;
    return DW_OK;
}

/* ---- the update ---- */

/* Takes removed meshes and instances out of the tables. */
static void compact(dw_scene_trees *trees)
{
    uint32_t meshes = 0, instances = 0;

    for (uint32_t i = 0; i < trees->mesh_count; i++) {
        dw_trees_mesh *mesh = trees->meshes[i];

        if (mesh->is_removed)
            dw_free(mesh);
        else
            trees->meshes[meshes++] = mesh;
    }
    for (uint32_t i = 0; i < trees->instance_count; i++)
        if (!trees->instances[i].is_removed)
            trees->instances[instances++] = trees->instances[i];
    trees->mesh_count = meshes;
    trees->instance_count = instances;
    trees->has_removed = false;
}

static void number_meshes(dw_scene_trees *trees)
{
    for (uint32_t i = 0; i < trees->mesh_count; i++)
        trees->meshes[i]->row = i;
}

static bool has_urgent(const dw_scene_trees *trees)
{
    for (uint32_t i = 0; i < trees->mesh_count; i++)
        if (trees->meshes[i]->wants_real || trees->meshes[i]->needs_boxes)
            return true;
    return false;
}

/* Builds of a device land in later rounds, of other updates; native ones at once. */
static dw_status run_round(dw_scene_trees *trees, const dw_run *run, dw_error *err)
{
    DW_TRY(dw_trees_take_samples(trees, err));
    DW_TRY(land_build(trees, err));
    DW_TRY(begin_build(trees, run, err));
    if (trees->backend->is_immediate)
        DW_TRY(land_build(trees, err));
    DW_TRY(place_rebuild(trees, err));
    DW_TRY(refit(trees, run, err));
    if (trees->backend->is_immediate)
        DW_TRY(dw_trees_take_samples(trees, err));
    return DW_OK;
fail:
    return err->code;
}

static dw_status work(dw_scene_trees *trees, const dw_run *run, dw_error *err)
{
    if (trees->has_removed)
        compact(trees);
    number_meshes(trees);
    DW_TRY(build_new(trees, run, err));
    dw_trees_check_holds(trees);
    DW_TRY(run_round(trees, run, err));
    /* A probe's tree may have been adopted, or a first real pose seen, in this very round. */
    if (trees->backend->is_immediate && has_urgent(trees))
        DW_TRY(run_round(trees, run, err));
    trees->watched = 0;
    for (uint32_t i = 0; i < trees->mesh_count; i++)
        trees->watched += dw_trees_is_watched(trees->meshes[i]);
    return DW_OK;
fail:
    return err->code;
}

/* An update that failed hands its part of the result to the next one. */
static void begin_result(dw_scene_trees *trees)
{
    trees->has_begun_build = false;
    if (!trees->is_result_taken)
        return;
    trees->result = (dw_trees_result) { 0 };
    trees->is_result_taken = false;
}

static void save_credit(dw_scene_trees *trees)
{
    double most = CREDIT_UPDATES * trees->def.probe_budget;
    double credit = trees->probe_credit + trees->def.probe_budget;

    trees->probe_credit = isinf(trees->def.probe_budget) ? 0.0 : credit < most ? credit : most;
}

static bool is_idle(const dw_scene_trees *trees)
{
    return trees->has_committed && !trees->is_changed && trees->watched == 0 &&
           trees->samples_under_way == 0 && trees->flight.stage == DW_FLIGHT_NONE &&
           !trees->top.is_stale && !trees->top.is_dear;
}

dw_status dw_scene_trees_update(dw_scene_trees *trees, const dw_run *run, dw_trees_result *out,
                                dw_error *err)
{
    dw_status status;

    trees->update_count++;
    save_credit(trees);
    dw_trees_note_writes(trees);
    begin_result(trees);
    if (!is_idle(trees)) {
        trees->is_changed = true; /* until all is done */
        status = work(trees, run, err);
        if (status != DW_OK)
            return status;
    }
    trees->is_changed = false;
    trees->is_result_taken = true;
    trees->result.builds = trees->builds;
    *out = trees->result;
    return DW_OK;
}
