/* SPDX-License-Identifier: MIT */
/* The kinds of things, read from the rows of shaders/shared/<kinds>.def: enumerators here, names
 * and one line of advice for each in dw_registries.
 * Thread-safety: Safe; constant tables. */
#ifndef DW_BASE_REGISTRY_H
#define DW_BASE_REGISTRY_H

#include "shared/dissolve.h"
#include "shared/dither.h"
#include "shared/forest.h"
#include "shared/particle.h"
#include "shared/terrain.h"

typedef enum dw_mip_filter {
#define DW_MIP_FILTER(value, NAME, name, support, doc) DW_MIP_FILTER_##NAME = value,
#include "shared/mip_filters.def"
#undef DW_MIP_FILTER
} dw_mip_filter;

typedef enum dw_fill_mode {
#define DW_FILL_MODE(value, NAME, name, doc) DW_FILL_MODE_##NAME = value,
#include "shared/fill_modes.def"
#undef DW_FILL_MODE
} dw_fill_mode;

typedef enum dw_coverage_mode {
#define DW_COVERAGE_MODE(value, NAME, name, doc) DW_COVERAGE_MODE_##NAME = value,
#include "shared/coverage_modes.def"
#undef DW_COVERAGE_MODE
} dw_coverage_mode;

typedef enum dw_color_space {
#define DW_COLOR_SPACE(value, NAME, name, doc) DW_COLOR_SPACE_##NAME = value,
#include "shared/color_spaces.def"
#undef DW_COLOR_SPACE
} dw_color_space;

typedef enum dw_dissolve_event {
#define DW_DISSOLVE_EVENT(value, NAME, name, doc) DW_DISSOLVE_EVENT_##NAME = value,
#include "shared/dissolve_events.def"
#undef DW_DISSOLVE_EVENT
} dw_dissolve_event;

typedef enum dw_shadow_mode {
#define DW_SHADOW_MODE(value, NAME, name, doc) DW_SHADOW_MODE_##NAME = value,
#include "shared/shadow_modes.def"
#undef DW_SHADOW_MODE
} dw_shadow_mode;

typedef enum dw_node_format {
#define DW_NODE_FORMAT(value, NAME, name, doc) DW_NODE_FORMAT_##NAME = value,
#include "shared/node_formats.def"
#undef DW_NODE_FORMAT
} dw_node_format;

typedef enum dw_tree_builder {
#define DW_TREE_BUILDER(value, NAME, name, doc) DW_TREE_BUILDER_##NAME = value,
#include "shared/tree_builders.def"
#undef DW_TREE_BUILDER
} dw_tree_builder;

typedef struct dw_registry_row {
    int value;
    const char *name; /* the word that Python takes */
    const char *doc;
} dw_registry_row;

typedef struct dw_registry {
    const char *name; /* of the Python enum */
    const char *argument;
    const dw_registry_row *rows;
    int count;
} dw_registry;

typedef enum dw_registry_id {
    DW_REGISTRY_MIP_FILTER,
    DW_REGISTRY_FILL_MODE,
    DW_REGISTRY_COVERAGE_MODE,
    DW_REGISTRY_COLOR_SPACE,
    DW_REGISTRY_DITHER_PATTERN,
    DW_REGISTRY_DITHER_RULE,
    DW_REGISTRY_EASING,
    DW_REGISTRY_DISSOLVE_DIRECTION,
    DW_REGISTRY_DISSOLVE_ENCODING,
    DW_REGISTRY_DISSOLVE_EVENT,
    DW_REGISTRY_FADE_COMBINE,
    DW_REGISTRY_SHADOW_MODE,
    DW_REGISTRY_NODE_FORMAT,
    DW_REGISTRY_TREE_BUILDER,
    DW_REGISTRY_PARTICLE_KIND,
    DW_REGISTRY_PARTICLE_LAYER,
    DW_REGISTRY_TERRAIN_MODE,
    DW_REGISTRY_TERRAIN_NOISE,
    DW_REGISTRY_COUNT,
} dw_registry_id;

extern const dw_registry dw_registries[DW_REGISTRY_COUNT];

#endif
