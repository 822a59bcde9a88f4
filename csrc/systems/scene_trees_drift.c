/* SPDX-License-Identifier: MIT */
/* Samples of a posed tree's cost, and the rules that ask for another tree.
 *
 * The ratio compares the inner nodes' area over the root's with the same as built. It is blind
 * where the root grows with the pose, so that a fresh tree is compared, too: when the inner area
 * itself has moved by PROBE_MOVE since a tree was last built or probed, one is built from the
 * pose and the whole costs of both are compared. */
#include "systems/scene_trees_internal.h"

#include <math.h>
#include <string.h>

#define PROBE_MOVE 0.05 /* of the inner area */
#define TOP_LIMIT  1.2  /* cost of the top level over the same as built */

/* Neither empty nor a point, and at least half of the triangles there. */
static bool is_real(const dw_trees_mesh *mesh, bool has_box, const float box[6], uint32_t inactive)
{
    if (mesh->triangle_count == 0)
        return true;
    return has_box && (box[3] > box[0] || box[4] > box[1] || box[5] > box[2]) &&
           inactive <= mesh->triangle_count / 2;
}

/* A finite quotient, 1 where there is none: of trees without area. */
static double ratio_of(double a, double b)
{
    double ratio = a / b;

    return isfinite(ratio) && ratio > 0.0 ? ratio : 1.0;
}

static void set_baseline(dw_drift_state *drift, const dw_tree_cost *cost)
{
    drift->has_baseline = true;
    drift->is_above = false;
    drift->ratio = 1.0;
    drift->built_inner = cost->inner;
    drift->fresh_cost = cost->inner + cost->leaves;
    drift->probed_area = cost->inner * cost->root_area;
    drift->probed_cost = cost->inner + cost->leaves;
}

/* Since the last look at a fresh tree. The area of all boxes tells when a mesh is stretched, the
 * cost, which is relative to the root, when it is curled up. */
static bool has_moved(const dw_drift_state *drift)
{
    return fabs(drift->inner_area - drift->probed_area) > PROBE_MOVE * drift->probed_area ||
           fabs(drift->cost - drift->probed_cost) > PROBE_MOVE * drift->probed_cost;
}

static void compare(dw_scene_trees *trees, dw_trees_mesh *mesh, const dw_tree_cost *cost)
{
    dw_drift_state *drift = &mesh->drift;
    bool is_above;

    drift->samples++;
    drift->ratio = ratio_of(cost->inner, drift->built_inner);
    is_above = drift->ratio > trees->def.drift_limit;
    if (is_above && !drift->is_above)
        drift->above_since = trees->update_count;
    drift->is_above = is_above;
    mesh->wants_drift = mesh->wants_drift && is_above;
    if (trees->def.is_probing && !mesh->wants_probe && has_moved(drift)) {
        mesh->wants_probe = true;
        drift->probe_since = trees->update_count;
    }
}

static void take_placed(dw_scene_trees *trees, dw_trees_mesh *mesh, const dw_trees_sample *sample,
                        const dw_tree_cost *cost)
{
    dw_drift_state *drift = &mesh->drift;
    bool is_first = !drift->has_baseline;
    bool is_pose_real = is_real(mesh, sample->has_box, sample->box, sample->frame.inactive);

    drift->cost = cost->inner + cost->leaves;
    drift->inner_area = cost->inner * cost->root_area;
    mesh->inactive = sample->frame.inactive;
    dw_trees_look_at_box(trees, mesh, &sample->frame, sample->has_box, sample->box);
    if (!trees->backend->is_immediate && mesh->is_outside)
        trees->counts.outside_poses++;
    if (is_first) {
        set_baseline(drift, cost);
        mesh->is_degenerate = mesh->is_degenerate || !is_pose_real;
    } else {
        compare(trees, mesh, cost);
    }
    mesh->wants_real = mesh->is_deforming && mesh->is_degenerate && is_pose_real;
    mesh->was_real = is_pose_real;
}

/* The probe's tree against the mesh's, both refit to one pose. */
static dw_status judge_probe(dw_scene_trees *trees, dw_error *err)
{
    dw_trees_mesh *mesh = trees->flight.mesh;
    dw_drift_state *drift = &mesh->drift;
    double fresh = trees->flight.cost;
    bool is_better = ratio_of(drift->cost, fresh) > trees->def.drift_limit;
    dw_placed_tree *tree;

    drift->fresh_cost = fresh;
    drift->probed_area = drift->inner_area;
    drift->probed_cost = drift->cost;
    mesh->wants_probe = false;
    if (!is_better) {
        dw_trees_end_flight(trees);
        return DW_OK;
    }
    tree = trees->flight.tree;
    trees->flight.tree = NULL;
    dw_trees_end_flight(trees);
    return dw_trees_place(trees, mesh, &tree, DW_TREES_FRESH, err);
}

static dw_trees_mesh *find_quietly(const dw_scene_trees *trees, uint32_t id)
{
    dw_error ignored;

    return dw_trees_find_mesh(trees, id, &ignored);
}

static void take_top(dw_top_state *top, const dw_trees_sample *sample, const dw_tree_cost *cost)
{
    double whole = cost->inner + cost->leaves;

    if (sample->serial != top->serial)
        return;
    if (!top->has_baseline)
        top->built_cost = whole;
    top->has_baseline = true;
    top->is_dear = ratio_of(whole, top->built_cost) > TOP_LIMIT;
}

static dw_status take_sample(dw_scene_trees *trees, const dw_trees_sample *sample, dw_error *err)
{
    dw_trees_mesh *mesh = find_quietly(trees, sample->mesh);
    dw_trees_flight *flight = &trees->flight;
    dw_tree_cost cost =
        dw_tree_cost_of(&sample->sums, &sample->frame, sample->box, sample->box + 3);

    if (sample->mesh == DW_SAMPLE_TOP)
        take_top(&trees->top, sample, &cost);
    if (mesh == NULL)
        return DW_OK;
    if (mesh->tree != NULL && mesh->tree->serial == sample->serial)
        take_placed(trees, mesh, sample, &cost);
    if (flight->stage != DW_FLIGHT_MEASURING || flight->tree->serial != sample->serial)
        return DW_OK;
    flight->cost = cost.inner + cost.leaves;
    return judge_probe(trees, err);
}

dw_status dw_trees_take_samples(dw_scene_trees *trees, dw_error *err)
{
    dw_status status = trees->backend->take_samples(trees, err);

    for (uint32_t i = 0; i < trees->sample_count && status == DW_OK; i++)
        status = take_sample(trees, &trees->samples[i], err);
    trees->sample_count = 0;
    return status;
}

bool dw_trees_is_sample_due(const dw_scene_trees *trees, const dw_trees_mesh *mesh)
{
    const dw_drift_state *drift = &mesh->drift;

    if (!drift->has_baseline && mesh->needs_boxes)
        return true;
    if (!mesh->is_deforming)
        return false;
    return mesh->is_degenerate ||
           trees->update_count - drift->sampled_at >= trees->def.sample_every;
}

void dw_trees_check_holds(dw_scene_trees *trees)
{
    for (uint32_t i = 0; i < trees->mesh_count; i++) {
        dw_trees_mesh *mesh = trees->meshes[i];

        if (!mesh->is_removed && mesh->drift.is_above &&
            trees->update_count - mesh->drift.above_since >= trees->def.hold_updates)
            mesh->wants_drift = true;
    }
}

/* How much a build is wanted: classes apart by more than any value within one. */
static double urgency(const dw_scene_trees *trees, const dw_trees_mesh *mesh, dw_trees_cause *cause)
{
    if (mesh->is_removed || mesh->tree == NULL || !mesh->is_deforming)
        return 0.0;
    if (mesh->asked_at != 0) {
        *cause = DW_TREES_ASKED; /* the earlier, the sooner */
        return 4e15 - (double)mesh->asked_at;
    }
    if (mesh->wants_real) {
        *cause = DW_TREES_DEGENERATE;
        return 3e15;
    }
    if (mesh->wants_drift) { /* the longest above the limit */
        *cause = DW_TREES_DRIFT;
        return 2e15 - (double)mesh->drift.above_since;
    }
    if (mesh->wants_probe && trees->probe_credit >= 0.0) { /* the longest waiting */
        *cause = DW_TREES_FRESH;
        return 1e15 - (double)mesh->drift.probe_since;
    }
    return 0.0;
}

dw_trees_mesh *dw_trees_choose_build(const dw_scene_trees *trees, dw_trees_cause *cause)
{
    dw_trees_mesh *chosen = NULL;
    double most = 0.0;

    for (uint32_t i = 0; i < trees->mesh_count; i++) {
        dw_trees_cause why = DW_TREES_ASKED;
        double wish = urgency(trees, trees->meshes[i], &why);

        if (wish <= most)
            continue;
        most = wish;
        chosen = trees->meshes[i];
        *cause = why;
    }
    return chosen;
}

bool dw_trees_is_watched(const dw_trees_mesh *mesh)
{
    return !mesh->is_removed && mesh->is_deforming &&
           (mesh->asked_at != 0 || mesh->wants_real || mesh->wants_drift || mesh->wants_probe ||
            mesh->drift.is_above || mesh->drift.is_stale);
}

dw_status dw_scene_trees_get_drift(const dw_scene_trees *trees, uint32_t id, dw_trees_drift *out,
                                   dw_error *err)
{
    const dw_trees_mesh *mesh = dw_trees_find_mesh(trees, id, err);

    if (mesh == NULL)
        return err->code;
    *out = (dw_trees_drift) {
        .ratio = mesh->drift.has_baseline ? mesh->drift.ratio : 1.0,
        .fresh_ratio =
            mesh->drift.has_baseline ? ratio_of(mesh->drift.cost, mesh->drift.fresh_cost) : 1.0,
        .cost = mesh->drift.cost,
        .samples = mesh->drift.samples,
    };
    return DW_OK;
}
