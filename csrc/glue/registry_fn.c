/* SPDX-License-Identifier: MIT */
/* What Python builds its enums, dtypes and checks from: REGISTRIES, STRUCT_LAYOUTS, LIMITS,
 * CONSTANTS. */
#include "glue/module.h"

#include "base/registry.h"
#include "shared/bindings.h"
#include "shared/dissolve.h"
#include "shared/dither.h"
#include "shared/forest.h"
#include "shared/ground.h"
#include "shared/particle.h"
#include "shared/particle_gpu.h"
#include "shared/particle_step.h"
#include "shared/particle_style.h"
#include "shared/particle_view.h"
#include "shared/scene.h"
#include "shared/skin.h"
#include "shared/terrain_compose.h"
#include "shared/tree.h"
#include "shared/tree_gpu.h"
#include "shared/tree_ray.h"
#include "shared/tree_scratch.h"
#include "shared/tree_walk.h"

#include <stddef.h>

static PyObject *make_rows(const dw_registry *registry)
{
    PyObject *rows = PyTuple_New(registry->count);

    for (int i = 0; rows != NULL && i < registry->count; i++) {
        PyObject *row = Py_BuildValue("(iss)", registry->rows[i].value, registry->rows[i].name,
                                      registry->rows[i].doc);

        if (row == NULL)
            Py_CLEAR(rows);
        else
            PyTuple_SET_ITEM(rows, i, row);
    }
    return rows;
}

static int add_registries(PyObject *module)
{
    PyObject *registries = PyDict_New();

    for (int i = 0; registries != NULL && i < DW_REGISTRY_COUNT; i++) {
        PyObject *rows = make_rows(&dw_registries[i]);
        PyObject *entry =
            rows == NULL ? NULL : Py_BuildValue("(sN)", dw_registries[i].argument, rows);

        if (entry == NULL || PyDict_SetItemString(registries, dw_registries[i].name, entry) < 0)
            Py_CLEAR(registries);
        Py_XDECREF(entry);
    }
    if (registries == NULL)
        return -1;
    return dw_module_add(module, "REGISTRIES", registries);
}

typedef struct layout_field {
    const char *name, *type;
    int count; /* 0: a scalar */
    size_t offset;
} layout_field;

typedef struct layout {
    const char *name;
    const layout_field *fields;
    size_t field_count, size;
} layout;

#define DW_LAYOUT_FIELD(type, name, count) { #name, #type, count, offsetof(DW_LAYOUT, name) },

static const layout_field tile_level_fields[] = {
#define DW_LAYOUT struct dw_tile_level
    DW_TILE_LEVEL_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field alpha_remap_fields[] = {
#define DW_LAYOUT struct dw_alpha_remap
    DW_ALPHA_REMAP_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field atlas_block_fields[] = {
#define DW_LAYOUT struct dw_atlas_block
    DW_ATLAS_BLOCK_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field atlas_level_fields[] = {
#define DW_LAYOUT struct dw_atlas_level
    DW_ATLAS_LEVEL_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field atlas_share_fields[] = {
#define DW_LAYOUT struct dw_atlas_share
    DW_ATLAS_SHARE_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field atlas_push_fields[] = {
#define DW_LAYOUT struct dw_atlas_push
    DW_ATLAS_PUSH_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field dissolve_state_fields[] = {
#define DW_LAYOUT struct dw_dissolve_state
    DW_DISSOLVE_STATE_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field dither_push_fields[] = {
#define DW_LAYOUT struct dw_dither_push
    DW_DITHER_PUSH_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field forest_record_fields[] = {
#define DW_LAYOUT struct dw_forest_record
    DW_FOREST_RECORD_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field forest_state_fields[] = {
#define DW_LAYOUT struct dw_forest_state
    DW_FOREST_STATE_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field forest_entry_fields[] = {
#define DW_LAYOUT struct dw_forest_entry
    DW_FOREST_ENTRY_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field forest_bucket_fields[] = {
#define DW_LAYOUT struct dw_forest_bucket
    DW_FOREST_BUCKET_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field forest_cell_fields[] = {
#define DW_LAYOUT struct dw_forest_cell
    DW_FOREST_CELL_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field forest_draw_fields[] = {
#define DW_LAYOUT struct dw_forest_draw
    DW_FOREST_DRAW_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field forest_command_fields[] = {
#define DW_LAYOUT struct dw_forest_command
    DW_FOREST_COMMAND_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field forest_rules_fields[] = {
#define DW_LAYOUT struct dw_forest_rules
    DW_FOREST_RULES_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field forest_cut_fields[] = {
#define DW_LAYOUT struct dw_forest_cut
    DW_FOREST_CUT_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field forest_view_fields[] = {
#define DW_LAYOUT struct dw_forest_view
    DW_FOREST_VIEW_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field scene_view_fields[] = {
#define DW_LAYOUT struct dw_scene_view
    DW_SCENE_VIEW_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field scene_material_fields[] = {
#define DW_LAYOUT struct dw_scene_material
    DW_SCENE_MATERIAL_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field scene_push_fields[] = {
#define DW_LAYOUT struct dw_scene_push
    DW_SCENE_PUSH_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field ground_look_fields[] = {
#define DW_LAYOUT struct dw_ground_look
    DW_GROUND_LOOK_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field ground_surface_fields[] = {
#define DW_LAYOUT struct dw_ground_surface
    DW_GROUND_SURFACE_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field ground_node_fields[] = {
#define DW_LAYOUT struct dw_ground_node
    DW_GROUND_NODE_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field scene_item_fields[] = {
#define DW_LAYOUT struct dw_scene_item
    DW_SCENE_ITEM_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_child_fields[] = {
#define DW_LAYOUT struct dw_tree_child
    DW_TREE_CHILD_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_child_f32_fields[] = {
#define DW_LAYOUT struct dw_tree_child_f32
    DW_TREE_CHILD_F32_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_triangle_fields[] = {
#define DW_LAYOUT struct dw_tree_triangle
    DW_TREE_TRIANGLE_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_treelet_fields[] = {
#define DW_LAYOUT struct dw_tree_treelet
    DW_TREE_TREELET_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_shape_fields[] = {
#define DW_LAYOUT struct dw_tree_shape
    DW_TREE_SHAPE_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_frame_fields[] = {
#define DW_LAYOUT struct dw_tree_frame
    DW_TREE_FRAME_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_sums_fields[] = {
#define DW_LAYOUT struct dw_tree_sums
    DW_TREE_SUMS_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_mesh_fields[] = {
#define DW_LAYOUT struct dw_tree_mesh
    DW_TREE_MESH_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_build_push_fields[] = {
#define DW_LAYOUT struct dw_tree_build_push
    DW_TREE_BUILD_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_job_fields[] = {
#define DW_LAYOUT struct dw_tree_job
    DW_TREE_JOB_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_instance_fields[] = {
#define DW_LAYOUT struct dw_tree_instance
    DW_TREE_INSTANCE_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_ray_fields[] = {
#define DW_LAYOUT struct dw_tree_ray
    DW_TREE_RAY_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_walk_fields[] = {
#define DW_LAYOUT struct dw_tree_walk
    DW_TREE_WALK_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field tree_hit_fields[] = {
#define DW_LAYOUT struct dw_tree_hit
    DW_TREE_HIT_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field skin_push_fields[] = {
#define DW_LAYOUT struct dw_skin_push
    DW_SKIN_PUSH_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field skin_target_fields[] = {
#define DW_LAYOUT struct dw_skin_target
    DW_SKIN_TARGET_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field skin_vector_fields[] = {
#define DW_LAYOUT struct dw_skin_vector
    DW_SKIN_VECTOR_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field skin_matrix_fields[] = {
#define DW_LAYOUT struct dw_skin_matrix
    DW_SKIN_MATRIX_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_emitter_fields[] = {
#define DW_LAYOUT struct dw_particle_emitter
    DW_PARTICLE_EMITTER_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_part_fields[] = {
#define DW_LAYOUT struct dw_particle_part
    DW_PARTICLE_PART_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_region_fields[] = {
#define DW_LAYOUT struct dw_particle_region
    DW_PARTICLE_REGION_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_view_fields[] = {
#define DW_LAYOUT struct dw_particle_view
    DW_PARTICLE_VIEW_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_style_fields[] = {
#define DW_LAYOUT struct dw_particle_style
    DW_PARTICLE_STYLE_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_push_fields[] = {
#define DW_LAYOUT struct dw_particle_push
    DW_PARTICLE_PUSH_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_fields[] = {
#define DW_LAYOUT struct dw_particle
    DW_PARTICLE_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_sprite_fields[] = {
#define DW_LAYOUT struct dw_particle_sprite
    DW_PARTICLE_SPRITE_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_sizes_fields[] = {
#define DW_LAYOUT struct dw_particle_sizes
    DW_PARTICLE_SIZES_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_dispatch_fields[] = {
#define DW_LAYOUT struct dw_particle_dispatch
    DW_PARTICLE_DISPATCH_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_span_fields[] = {
#define DW_LAYOUT struct dw_particle_span
    DW_PARTICLE_SPAN_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_words_fields[] = {
#define DW_LAYOUT struct dw_particle_words
    DW_PARTICLE_WORDS_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_life_fields[] = {
#define DW_LAYOUT struct dw_particle_life
    DW_PARTICLE_LIFE_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_input_fields[] = {
#define DW_LAYOUT struct dw_particle_input
    DW_PARTICLE_INPUT_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_motion_fields[] = {
#define DW_LAYOUT struct dw_particle_motion
    DW_PARTICLE_MOTION_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_law_fields[] = {
#define DW_LAYOUT struct dw_particle_law
    DW_PARTICLE_LAW_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_collider_fields[] = {
#define DW_LAYOUT struct dw_particle_collider
    DW_PARTICLE_COLLIDER_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_vector_fields[] = {
#define DW_LAYOUT struct dw_particle_vector
    DW_PARTICLE_VECTOR_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_flight_fields[] = {
#define DW_LAYOUT struct dw_particle_flight
    DW_PARTICLE_FLIGHT_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_hit_fields[] = {
#define DW_LAYOUT struct dw_particle_hit
    DW_PARTICLE_HIT_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_shown_fields[] = {
#define DW_LAYOUT struct dw_particle_shown
    DW_PARTICLE_SHOWN_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_stream_fields[] = {
#define DW_LAYOUT struct dw_particle_stream
    DW_PARTICLE_STREAM_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_relay_fields[] = {
#define DW_LAYOUT struct dw_particle_relay
    DW_PARTICLE_RELAY_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_beat_fields[] = {
#define DW_LAYOUT struct dw_particle_beat
    DW_PARTICLE_BEAT_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_slot_fields[] = {
#define DW_LAYOUT struct dw_particle_slot
    DW_PARTICLE_SLOT_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field particle_step_push_fields[] = {
#define DW_LAYOUT struct dw_particle_step_push
    DW_PARTICLE_STEP_PUSH_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field terrain_law_fields[] = {
#define DW_LAYOUT struct dw_terrain_law
    DW_TERRAIN_LAW_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field terrain_push_fields[] = {
#define DW_LAYOUT struct dw_terrain_push
    DW_TERRAIN_PUSH_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

static const layout_field terrain_paint_fields[] = {
#define DW_LAYOUT struct dw_terrain_paint
    DW_TERRAIN_PAINT_FIELDS(DW_LAYOUT_FIELD)
#undef DW_LAYOUT
};

#define DW_LAYOUT_ROW(name)                                                              \
    {                                                                                    \
        "dw_" #name, name##_fields, DW_COUNT_OF(name##_fields), sizeof(struct dw_##name) \
    }

static const layout layouts[] = {
    DW_LAYOUT_ROW(tile_level),         DW_LAYOUT_ROW(alpha_remap),
    DW_LAYOUT_ROW(atlas_block),        DW_LAYOUT_ROW(atlas_level),
    DW_LAYOUT_ROW(atlas_share),        DW_LAYOUT_ROW(atlas_push),
    DW_LAYOUT_ROW(dissolve_state),     DW_LAYOUT_ROW(dither_push),
    DW_LAYOUT_ROW(forest_record),      DW_LAYOUT_ROW(forest_state),
    DW_LAYOUT_ROW(forest_entry),       DW_LAYOUT_ROW(forest_bucket),
    DW_LAYOUT_ROW(forest_cell),        DW_LAYOUT_ROW(forest_draw),
    DW_LAYOUT_ROW(forest_command),     DW_LAYOUT_ROW(forest_rules),
    DW_LAYOUT_ROW(forest_cut),         DW_LAYOUT_ROW(forest_view),
    DW_LAYOUT_ROW(scene_view),         DW_LAYOUT_ROW(scene_material),
    DW_LAYOUT_ROW(scene_push),         DW_LAYOUT_ROW(scene_item),
    DW_LAYOUT_ROW(tree_child),         DW_LAYOUT_ROW(tree_child_f32),
    DW_LAYOUT_ROW(tree_triangle),      DW_LAYOUT_ROW(tree_treelet),
    DW_LAYOUT_ROW(tree_shape),         DW_LAYOUT_ROW(tree_frame),
    DW_LAYOUT_ROW(tree_sums),          DW_LAYOUT_ROW(tree_mesh),
    DW_LAYOUT_ROW(tree_build_push),    DW_LAYOUT_ROW(tree_job),
    DW_LAYOUT_ROW(tree_instance),      DW_LAYOUT_ROW(tree_ray),
    DW_LAYOUT_ROW(tree_hit),           DW_LAYOUT_ROW(tree_walk),
    DW_LAYOUT_ROW(skin_push),          DW_LAYOUT_ROW(skin_target),
    DW_LAYOUT_ROW(skin_vector),        DW_LAYOUT_ROW(skin_matrix),
    DW_LAYOUT_ROW(particle_emitter),   DW_LAYOUT_ROW(particle_part),
    DW_LAYOUT_ROW(particle_style),     DW_LAYOUT_ROW(particle_push),
    DW_LAYOUT_ROW(particle_view),      DW_LAYOUT_ROW(particle_region),
    DW_LAYOUT_ROW(particle),           DW_LAYOUT_ROW(particle_sprite),
    DW_LAYOUT_ROW(particle_words),     DW_LAYOUT_ROW(particle_life),
    DW_LAYOUT_ROW(particle_input),     DW_LAYOUT_ROW(particle_motion),
    DW_LAYOUT_ROW(particle_sizes),     DW_LAYOUT_ROW(particle_dispatch),
    DW_LAYOUT_ROW(particle_span),      DW_LAYOUT_ROW(particle_law),
    DW_LAYOUT_ROW(particle_collider),  DW_LAYOUT_ROW(particle_vector),
    DW_LAYOUT_ROW(particle_flight),    DW_LAYOUT_ROW(particle_hit),
    DW_LAYOUT_ROW(particle_stream),    DW_LAYOUT_ROW(particle_relay),
    DW_LAYOUT_ROW(particle_beat),      DW_LAYOUT_ROW(particle_slot),
    DW_LAYOUT_ROW(particle_step_push), DW_LAYOUT_ROW(particle_shown),
    DW_LAYOUT_ROW(terrain_law),        DW_LAYOUT_ROW(terrain_push),
    DW_LAYOUT_ROW(terrain_paint),      DW_LAYOUT_ROW(ground_look),
    DW_LAYOUT_ROW(ground_surface),     DW_LAYOUT_ROW(ground_node),
};

static PyObject *make_layout(const layout *one)
{
    PyObject *fields = PyTuple_New((Py_ssize_t)one->field_count);

    for (size_t i = 0; fields != NULL && i < one->field_count; i++) {
        const layout_field *field = &one->fields[i];
        PyObject *row = Py_BuildValue("(ssin)", field->name, field->type, field->count,
                                      (Py_ssize_t)field->offset);

        if (row == NULL)
            Py_CLEAR(fields);
        else
            PyTuple_SET_ITEM(fields, (Py_ssize_t)i, row);
    }
    return fields == NULL ? NULL : Py_BuildValue("(nN)", (Py_ssize_t)one->size, fields);
}

static int add_layouts(PyObject *module)
{
    PyObject *all = PyDict_New();

    for (size_t i = 0; all != NULL && i < DW_COUNT_OF(layouts); i++) {
        PyObject *entry = make_layout(&layouts[i]);

        if (entry == NULL || PyDict_SetItemString(all, layouts[i].name, entry) < 0)
            Py_CLEAR(all);
        Py_XDECREF(entry);
    }
    return all == NULL ? -1 : dw_module_add(module, "STRUCT_LAYOUTS", all);
}

static int add_limits(PyObject *module)
{
    PyObject *limits =
        Py_BuildValue("{s:i,s:i,s:i,s:i,s:i,s:i}", "levels", DW_LEVELS_MAX, "side", DW_SIDE_MAX,
                      "tiles", DW_TILES_MAX, "cutoffs", DW_CUTOFFS_MAX, "dilate_radius",
                      DW_DILATE_RADIUS, "coverage_side", DW_COVERAGE_SIDE_MIN);

    return limits == NULL ? -1 : dw_module_add(module, "LIMITS", limits);
}

typedef struct constant {
    const char *name;
    double value; /* whole numbers of 32 bits are exact */
} constant;

#define DW_CONSTANT(name)         \
    {                             \
#name, (double)DW_##name, \
    }

/* What Python writes into tables or reads from them, by the names of the shared headers. */
static const constant constants[] = {
    DW_CONSTANT(GROUND_PATCH),
    DW_CONSTANT(GROUND_LEVELS),
    DW_CONSTANT(GROUND_MATERIALS),
    DW_CONSTANT(GROUND_IS_SMOOTH),
    DW_CONSTANT(GROUND_IS_PIXELS),
    DW_CONSTANT(GROUND_HAS_NORMALS),
    DW_CONSTANT(GROUND_IS_LINEAR),
    DW_CONSTANT(GROUND_IS_UNLIT),
    DW_CONSTANT(GROUND_FORM_FLOAT),
    DW_CONSTANT(GROUND_FORM_BYTES),
    DW_CONSTANT(GROUND_FORM_PACKED),
    DW_CONSTANT(GROUND_SHOWS_COLOR),
    DW_CONSTANT(GROUND_SHOWS_IDS),
    DW_CONSTANT(GROUND_SHOWS_WEIGHTS),
    DW_CONSTANT(GROUND_SHOWS_EXPECTATION),
    DW_CONSTANT(GROUND_SHOWS_CHANNEL),
    DW_CONSTANT(SCENE_IS_FOREST),
    DW_CONSTANT(SCENE_IS_FADING),
    DW_CONSTANT(SCENE_IS_MASKED),
    DW_CONSTANT(SCENE_IS_COVERING),
    DW_CONSTANT(SCENE_IS_DITHERED),
    DW_CONSTANT(SCENE_IS_UNLIT),
    DW_CONSTANT(SCENE_HAS_NORMALS),
    DW_CONSTANT(SCENE_IS_IMPOSTER),
    DW_CONSTANT(SCENE_IS_BLENDED),
    DW_CONSTANT(SCENE_IS_DIRECTED),
    DW_CONSTANT(SCENE_IS_EARLY),
    DW_CONSTANT(SCENE_IS_FAR),
    DW_CONSTANT(SCENE_STAGE_SOLID),
    DW_CONSTANT(SCENE_STAGE_CUT),
    DW_CONSTANT(SCENE_STAGE_BLENDED),
    DW_CONSTANT(SCENE_NONE),
    DW_CONSTANT(SCENE_SWAY),
    DW_CONSTANT(SCENE_TONE_KNEE),
    DW_CONSTANT(CUTOUT_SIDE),
    DW_CONSTANT(VERTEX_WORDS),
    DW_CONSTANT(FOREST_IS_SHADOW),
    DW_CONSTANT(FOREST_IS_HARD),
    DW_CONSTANT(FOREST_INTERACTABLE),
    DW_CONSTANT(FOREST_CASTS_SHADOW),
    DW_CONSTANT(TICKS_PER_SECOND),
    DW_CONSTANT(TREE_TREELET),
    DW_CONSTANT(PARTICLE_NONE),
    DW_CONSTANT(PARTICLE_KNOTS),
    DW_CONSTANT(PARTICLE_RATE_ONE),
    DW_CONSTANT(PARTICLE_LAYERS_MAX),
    DW_CONSTANT(PARTICLE_PARAMS),
    DW_CONSTANT(PARTICLE_PARTS_MAX),
    DW_CONSTANT(PARTICLE_ROW_GROUP),
    DW_CONSTANT(PARTICLE_TONE_CORE),
    DW_CONSTANT(PARTICLE_TONE_MIDDLE),
    DW_CONSTANT(PARTICLE_TONE_OUTER),
    DW_CONSTANT(PARTICLE_TONE_WHITE),
    DW_CONSTANT(PARTICLE_TONE_ANY),
    DW_CONSTANT(EMITTER_IS_HIDDEN),
    DW_CONSTANT(EMITTER_IS_TRAIL),
    DW_CONSTANT(EMITTER_IS_COLD),
    DW_CONSTANT(EMITTER_IS_ONCE),
    DW_CONSTANT(EMITTER_IS_SEED),
    DW_CONSTANT(PART_IS_EVEN),
    DW_CONSTANT(PART_IS_BURST),
    DW_CONSTANT(PART_IS_RENEWED),
    DW_CONSTANT(PART_IS_DYNAMIC),
    DW_CONSTANT(PART_IS_RAMPED),
    DW_CONSTANT(PART_IS_VIEW),
    DW_CONSTANT(PART_IS_ONCE),
    DW_CONSTANT(PARTICLE_BLEND_ADD),
    DW_CONSTANT(PARTICLE_BLEND_PREMULTIPLIED),
    DW_CONSTANT(PARTICLE_BLEND_SORTED),
    DW_CONSTANT(PARTICLE_FACE_CAMERA),
    DW_CONSTANT(PARTICLE_FACE_FLAT),
    DW_CONSTANT(PARTICLE_FACE_STREAK),
    DW_CONSTANT(PARTICLE_IMAGE_GLOW),
    DW_CONSTANT(PARTICLE_IMAGE_RING),
    DW_CONSTANT(PARTICLE_IMAGE_FLAME),
    DW_CONSTANT(PARTICLE_IMAGE_PUFF),
    DW_CONSTANT(PARTICLE_IMAGE_CHIP),
    DW_CONSTANT(PARTICLE_IMAGE_STREAK),
    DW_CONSTANT(PARTICLE_IMAGE_TEXTURE),
    DW_CONSTANT(STYLE_IS_LIT),
    DW_CONSTANT(STYLE_IS_LINEAR),
    DW_CONSTANT(STYLE_IS_BARE),
    DW_CONSTANT(STYLE_IS_SPECKS),
    DW_CONSTANT(STYLE_NO_SPECKS),
    DW_CONSTANT(PARTICLE_ASPECT_MOST),
    DW_CONSTANT(PARTICLE_STRETCH_MOST),
    DW_CONSTANT(PARTICLE_REACH),
    DW_CONSTANT(LAW_IS_BALL),
    DW_CONSTANT(LAW_DROPS_NEWEST),
    DW_CONSTANT(LAW_IS_OF_DEATHS),
    DW_CONSTANT(LAW_IS_OF_COLLISIONS),
    DW_CONSTANT(LAW_KEEPS_LIFE),
    DW_CONSTANT(LAW_AGES_TO_LIFE),
    DW_CONSTANT(COLLIDER_PLANE),
    DW_CONSTANT(COLLIDER_SPHERE),
    DW_CONSTANT(COLLIDER_BOX),
    DW_CONSTANT(COLLIDER_HEIGHTFIELD),
    DW_CONSTANT(COLLIDER_KILLS),
    DW_CONSTANT(PARTICLE_STEP),
    DW_CONSTANT(PARTICLE_STEPS_MOST),
    DW_CONSTANT(PARTICLE_STATE_GROUP),
    DW_CONSTANT(PARTICLE_SKIN),
    DW_CONSTANT(TERRAIN_SLOTS),
    DW_CONSTANT(TERRAIN_MATERIALS),
    DW_CONSTANT(TERRAIN_BAYER),
    DW_CONSTANT(TERRAIN_FORM_FLOAT),
    DW_CONSTANT(TERRAIN_FORM_HALF),
    DW_CONSTANT(TERRAIN_FORM_BYTE),
    DW_CONSTANT(TERRAIN_FORM_NIBBLE),
    DW_CONSTANT(TERRAIN_FORM_INDEX),
};

/* (blend, face, image, sharpness) of each layer. */
static int add_layers(PyObject *module)
{
    static const dw_particle_style styles[] = {
#define DW_PARTICLE_LAYER(value, NAME, name, blend_, face_, image_, sharpness_, doc) \
    [value] = { .blend = DW_PARTICLE_BLEND_##blend_,                                 \
                .face = DW_PARTICLE_FACE_##face_,                                    \
                .image = DW_PARTICLE_IMAGE_##image_,                                 \
                .sharpness = sharpness_ },
#include "shared/particle_layers.def"
#undef DW_PARTICLE_LAYER
    };
    PyObject *all = PyTuple_New(DW_COUNT_OF(styles));

    for (size_t i = 0; all != NULL && i < DW_COUNT_OF(styles); i++) {
        PyObject *row = Py_BuildValue("(IIId)", styles[i].blend, styles[i].face, styles[i].image,
                                      (double)styles[i].sharpness);

        if (row == NULL)
            Py_CLEAR(all);
        else
            PyTuple_SET_ITEM(all, (Py_ssize_t)i, row);
    }
    return all == NULL ? -1 : dw_module_add(module, "PARTICLE_LAYERS", all);
}

static int add_constants(PyObject *module)
{
    PyObject *all = PyDict_New();

    for (size_t i = 0; all != NULL && i < DW_COUNT_OF(constants); i++) {
        double value = constants[i].value;
        PyObject *number = value == (double)(long long)value ? PyLong_FromDouble(value)
                                                             : PyFloat_FromDouble(value);

        if (number == NULL || PyDict_SetItemString(all, constants[i].name, number) < 0)
            Py_CLEAR(all);
        Py_XDECREF(number);
    }
    return all == NULL ? -1 : dw_module_add(module, "CONSTANTS", all);
}

int dw_registry_exec(PyObject *module)
{
    return add_registries(module) < 0 || add_layouts(module) < 0 || add_limits(module) < 0 ||
                   add_layers(module) < 0 || add_constants(module) < 0
               ? -1
               : 0;
}
