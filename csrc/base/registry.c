/* SPDX-License-Identifier: MIT */
#include "base/registry.h"

#include "base/status.h"

#define DW_ROW(value, name, doc) { value, #name, doc },

static const dw_registry_row mip_filter_rows[] = {
#define DW_MIP_FILTER(value, NAME, name, support, doc) DW_ROW(value, name, doc)
#include "shared/mip_filters.def"
#undef DW_MIP_FILTER
};

static const dw_registry_row fill_mode_rows[] = {
#define DW_FILL_MODE(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/fill_modes.def"
#undef DW_FILL_MODE
};

static const dw_registry_row coverage_mode_rows[] = {
#define DW_COVERAGE_MODE(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/coverage_modes.def"
#undef DW_COVERAGE_MODE
};

static const dw_registry_row color_space_rows[] = {
#define DW_COLOR_SPACE(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/color_spaces.def"
#undef DW_COLOR_SPACE
};

static const dw_registry_row dither_pattern_rows[] = {
#define DW_DITHER_PATTERN(value, NAME, name, ranks, doc) DW_ROW(value, name, doc)
#include "shared/dither_patterns.def"
#undef DW_DITHER_PATTERN
};

static const dw_registry_row dither_rule_rows[] = {
#define DW_DITHER_RULE(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/dither_rules.def"
#undef DW_DITHER_RULE
};

static const dw_registry_row easing_rows[] = {
#define DW_EASING(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/easings.def"
#undef DW_EASING
};

static const dw_registry_row dissolve_direction_rows[] = {
#define DW_DISSOLVE_DIRECTION(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/dissolve_directions.def"
#undef DW_DISSOLVE_DIRECTION
};

static const dw_registry_row dissolve_encoding_rows[] = {
#define DW_DISSOLVE_ENCODING(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/dissolve_encodings.def"
#undef DW_DISSOLVE_ENCODING
};

static const dw_registry_row dissolve_event_rows[] = {
#define DW_DISSOLVE_EVENT(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/dissolve_events.def"
#undef DW_DISSOLVE_EVENT
};

static const dw_registry_row fade_combine_rows[] = {
#define DW_FADE_COMBINE(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/fade_combines.def"
#undef DW_FADE_COMBINE
};

static const dw_registry_row shadow_mode_rows[] = {
#define DW_SHADOW_MODE(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/shadow_modes.def"
#undef DW_SHADOW_MODE
};

static const dw_registry_row node_format_rows[] = {
#define DW_NODE_FORMAT(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/node_formats.def"
#undef DW_NODE_FORMAT
};

static const dw_registry_row tree_builder_rows[] = {
#define DW_TREE_BUILDER(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/tree_builders.def"
#undef DW_TREE_BUILDER
};

static const dw_registry_row particle_kind_rows[] = {
#define DW_PARTICLE_KIND(value, NAME, name, traits, params, doc) DW_ROW(value, name, doc)
#include "shared/particle_kinds.def"
#undef DW_PARTICLE_KIND
};

static const dw_registry_row particle_layer_rows[] = {
#define DW_PARTICLE_LAYER(value, NAME, name, blend, face, image, sharpness, doc) \
    DW_ROW(value, name, doc)
#include "shared/particle_layers.def"
#undef DW_PARTICLE_LAYER
};

static const dw_registry_row terrain_mode_rows[] = {
#define DW_TERRAIN_MODE(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/terrain_modes.def"
#undef DW_TERRAIN_MODE
};

static const dw_registry_row terrain_noise_rows[] = {
#define DW_TERRAIN_NOISE(value, NAME, name, doc) DW_ROW(value, name, doc)
#include "shared/terrain_noises.def"
#undef DW_TERRAIN_NOISE
};

#define DW_REGISTRY(name, argument, rows)       \
    {                                           \
        name, argument, rows, DW_COUNT_OF(rows) \
    }

const dw_registry dw_registries[DW_REGISTRY_COUNT] = {
    [DW_REGISTRY_MIP_FILTER] = DW_REGISTRY("MipFilter", "filter", mip_filter_rows),
    [DW_REGISTRY_FILL_MODE] = DW_REGISTRY("FillMode", "fill", fill_mode_rows),
    [DW_REGISTRY_COVERAGE_MODE] = DW_REGISTRY("CoverageMode", "coverage", coverage_mode_rows),
    [DW_REGISTRY_COLOR_SPACE] = DW_REGISTRY("ColorSpace", "color_space", color_space_rows),
    [DW_REGISTRY_DITHER_PATTERN] = DW_REGISTRY("DitherPattern", "pattern", dither_pattern_rows),
    [DW_REGISTRY_DITHER_RULE] = DW_REGISTRY("DitherRule", "rule", dither_rule_rows),
    [DW_REGISTRY_EASING] = DW_REGISTRY("Easing", "easing", easing_rows),
    [DW_REGISTRY_DISSOLVE_DIRECTION] =
        DW_REGISTRY("DissolveDirection", "direction", dissolve_direction_rows),
    [DW_REGISTRY_DISSOLVE_ENCODING] =
        DW_REGISTRY("DissolveEncoding", "encoding", dissolve_encoding_rows),
    [DW_REGISTRY_DISSOLVE_EVENT] = DW_REGISTRY("DissolveEvent", "kind", dissolve_event_rows),
    [DW_REGISTRY_FADE_COMBINE] = DW_REGISTRY("FadeCombine", "combine", fade_combine_rows),
    [DW_REGISTRY_SHADOW_MODE] = DW_REGISTRY("ShadowMode", "shadow", shadow_mode_rows),
    [DW_REGISTRY_NODE_FORMAT] = DW_REGISTRY("NodeFormat", "node_format", node_format_rows),
    [DW_REGISTRY_TREE_BUILDER] = DW_REGISTRY("TreeBuilder", "builder", tree_builder_rows),
    [DW_REGISTRY_PARTICLE_KIND] = DW_REGISTRY("ParticleKind", "kind", particle_kind_rows),
    [DW_REGISTRY_PARTICLE_LAYER] = DW_REGISTRY("ParticleLayer", "layer", particle_layer_rows),
    [DW_REGISTRY_TERRAIN_MODE] = DW_REGISTRY("TerrainMode", "mode", terrain_mode_rows),
    [DW_REGISTRY_TERRAIN_NOISE] = DW_REGISTRY("TerrainNoise", "noise", terrain_noise_rows),
};
