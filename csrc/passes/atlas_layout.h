/* SPDX-License-Identifier: MIT */
/* An atlas plan as the device reads it: tables, and the list of workgroups of every dispatch.
 * Thread-safety: a layout is constant after init. */
#ifndef DW_PASSES_ATLAS_LAYOUT_H
#define DW_PASSES_ATLAS_LAYOUT_H

#include "cpu/atlas_plan.h"
#include "shared/bindings.h"

/* A dispatch's part of the list of workgroups. */
typedef struct dw_atlas_span {
    uint32_t first, count;
} dw_atlas_span;

/* Levels that one dispatch finishes. */
typedef struct dw_atlas_finish {
    int level_begin, level_end;
    uint32_t flags; /* what they have in common */
    dw_atlas_span span;
} dw_atlas_finish;

#define DW_ATLAS_FINISHES 3 /* the source; levels of quads; the others */

/* Tiles that go through the steps together. */
typedef struct dw_atlas_stage {
    int tile_begin, tile_end;
    int first_level;            /* sums of this level are given; 0: the source */
    int write_begin, write_end; /* levels that are written */
    int halvings;               /* levels that are made of blocks of level 0 at once; 0 or >= 2 */
    dw_atlas_span seed;         /* gutters of first_level's sums */
    dw_atlas_span halve;        /* levels up to halvings */
    dw_atlas_span down[DW_LEVELS_MAX];
    dw_atlas_span tail; /* the small levels of each tile */
    dw_atlas_span shares, bins, choose;
    dw_atlas_span correct; /* tiles whose bins are counted, if their remaps are tried */
    dw_atlas_finish finish[DW_ATLAS_FINISHES];
    dw_atlas_span gutters;
} dw_atlas_stage;

typedef enum dw_atlas_stage_id {
    DW_ATLAS_BACKGROUND, /* the whole image, under the tiles */
    DW_ATLAS_TILES,
    DW_ATLAS_MERGED, /* the whole image, from the level at which the first tile ends */
    DW_ATLAS_STAGES,
} dw_atlas_stage_id;

/* Parts of the plan buffer. */
typedef enum dw_atlas_part {
    DW_ATLAS_PART_TABLES,
    DW_ATLAS_PART_PLACES,
    DW_ATLAS_PART_LEVELS,
    DW_ATLAS_PART_BLOCKS,
    DW_ATLAS_PART_AXES,
    DW_ATLAS_PART_SHARES,
    DW_ATLAS_PARTS,
} dw_atlas_part;

typedef struct dw_atlas_layout {
    const dw_atlas_plan *plan;
    int bits; /* per channel of the source */
    dw_atlas_level levels[DW_LEVELS_MAX];
    uint32_t texel_total; /* of all levels in the outputs, padding included */
    uint32_t plane_base;  /* texels of level 0 in the outputs */
    uint32_t slot_count;  /* histograms in device memory */
    uint32_t remap_count;
    uint32_t share_count;
    bool is_trying; /* remaps of counted tiles are corrected by trials */
    dw_atlas_stage stages[DW_ATLAS_STAGES];
    dw_atlas_block *blocks;
    size_t block_count, block_capacity;
    uint8_t *parts; /* the plan buffer's content */
    uint64_t part_offset[DW_ATLAS_PARTS], part_size[DW_ATLAS_PARTS], part_bytes;
} dw_atlas_layout;

/* Fills *out, which must be finished on success and on failure alike. */
dw_status dw_atlas_layout_init(const dw_atlas_plan *plan, dw_atlas_layout *out, dw_error *err);
void dw_atlas_layout_finish(dw_atlas_layout *layout);

/* Counts and sizes alone, without lists or tables. */
void dw_atlas_layout_measure(const dw_atlas_plan *plan, dw_atlas_layout *out);

#endif
