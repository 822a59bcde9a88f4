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

#define DW_REGISTRY(name, argument, rows)       \
    {                                           \
        name, argument, rows, DW_COUNT_OF(rows) \
    }

const dw_registry dw_registries[DW_REGISTRY_COUNT] = {
    [DW_REGISTRY_MIP_FILTER] = DW_REGISTRY("MipFilter", "filter", mip_filter_rows),
    [DW_REGISTRY_FILL_MODE] = DW_REGISTRY("FillMode", "fill", fill_mode_rows),
    [DW_REGISTRY_COVERAGE_MODE] = DW_REGISTRY("CoverageMode", "coverage", coverage_mode_rows),
    [DW_REGISTRY_COLOR_SPACE] = DW_REGISTRY("ColorSpace", "color_space", color_space_rows),
};
