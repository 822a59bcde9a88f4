/* SPDX-License-Identifier: MIT */
/* A forest: instances by id in one table whose rows stay with an id for its life. A view (cull)
 * makes from it a list of rows for each LOD of each variant, natively or on a Vulkan device; state
 * lies by row, so that a change of LOD moves nothing.
 *
 * A renderer, for each frame: dw_forest_prepare, dw_forest_make_view, dw_forest_gpu_cull on the
 * frame's command for the main view and then for each light, and draws from the buffers of
 * passes/forest_pass.h.
 * Thread-safety: one thread at a time for each forest. */
#ifndef DW_SYSTEMS_FOREST_H
#define DW_SYSTEMS_FOREST_H

#include "base/registry.h"
#include "base/threads.h"
#include "cpu/forest_cull.h"
#include "passes/forest_pass.h"
#include "systems/device.h"
#include "systems/dissolve_field.h"

typedef struct dw_forest dw_forest;

typedef struct dw_forest_variant {
    uint32_t mesh_mask; /* bit i: LOD i has a mesh of its own */
    float sphere[4];    /* that all its LODs lie in, before transforms: centre and radius */
    float size;         /* m before transforms, for size scaling */
} dw_forest_variant;

typedef struct dw_forest_def {
    int lod_count, variant_count;
    double distances[DW_FOREST_LODS_MAX]; /* m, where a LOD begins; [0] is 0 */
    dw_forest_variant variants[DW_FOREST_VARIANTS_MAX];
    bool has_fade, has_near_fade;
    double fade[2];      /* m: whole up to the first, gone from the second on */
    double near_fade[2]; /* m: gone up to the first, whole from the second on */
    double crossfade;    /* s; 0: LODs switch at once */
    double hysteresis;   /* (0, 1]: a LOD is kept down to that share of its distance */
    bool is_size_scaled; /* LOD distances by clamp(size / 5 m, 0.3, 10) */
    uint32_t pattern, table_side, rule, combine; /* table_side: of a blue pattern */
    uint64_t capacity;                           /* most instances; 0: no limit */
    dw_dissolve_def dissolve;
} dw_forest_def;

dw_forest_def dw_forest_def_default(void);

dw_status dw_forest_create(const dw_forest_def *def, dw_forest **out, dw_error *err);

/* Accepts NULL. Before the devices that it was prepared for are destroyed. */
void dw_forest_destroy(dw_forest *forest);

/* ---- the table ---- */

typedef struct dw_forest_batch {
    const uint64_t *ids;
    const float *transforms;  /* [count][16], row-major, the last row 0 0 0 1 */
    const uint8_t *variants;  /* [count]; NULL: by dw_forest_variant_of */
    const bool *are_depleted; /* [count]; NULL: none */
    uint32_t count;
} dw_forest_batch;

/* All or none. An id that is there already is replaced. DW_ERROR_ARGUMENT names the id whose
 * transform is not finite, singular, mirroring or not affine, or that is there twice;
 * DW_ERROR_CAPACITY names those for which there is no room. */
dw_status dw_forest_add(dw_forest *forest, const dw_forest_batch *batch, dw_error *err);

/* are_known[i]: whether ids[i] was there. Unknown ids are left alone, or if is_strict an error that
 * names the first, with nothing done. */
typedef struct dw_forest_ids {
    const uint64_t *ids;
    uint32_t count;
    bool is_strict;
    bool *are_known; /* [count] */
} dw_forest_ids;

dw_status dw_forest_remove(dw_forest *forest, const dw_forest_ids *ids, dw_error *err);

/* Depleting makes an instance not interactable, the way back makes it so. */
dw_status dw_forest_dissolve_start(dw_forest *forest, const dw_forest_ids *ids,
                                   dw_dissolve_start start, dw_error *err);

/* Bits of the info word under `mask` become those of `bits`, one word an id. */
dw_status dw_forest_set_info(dw_forest *forest, const dw_forest_ids *ids, uint32_t mask,
                             const uint32_t *bits, dw_error *err);

/* Rows of ids; DW_ROW_NONE where unknown. */
dw_status dw_forest_find(const dw_forest *forest, const dw_forest_ids *ids, uint32_t *rows,
                         dw_error *err);

/* The variant of an id that comes without one. */
uint32_t dw_forest_variant_of(uint64_t id, uint32_t variant_count);

uint32_t dw_forest_count(const dw_forest *forest);
uint32_t dw_forest_row_count(const dw_forest *forest);
const dw_forest_def *dw_forest_get_def(const dw_forest *forest);
const dw_forest_params *dw_forest_get_params(const dw_forest *forest);
/* Its ticks are the time of views. */
dw_dissolve_field *dw_forest_field(dw_forest *forest);

/* The field, which is the caller's from now on; the forest may only be destroyed then. */
dw_dissolve_field *dw_forest_release_field(dw_forest *forest);

/* A box around the spheres of all instances: the lower corner, then the upper one. False when there
 * are none. Kept until an instance comes or goes. */
bool dw_forest_bounds(dw_forest *forest, float out[6]);

/* By row; valid until the next add. transforms: 12 floats a row. */
const uint32_t *dw_forest_infos(const dw_forest *forest);
const float *dw_forest_transforms(const dw_forest *forest);
const dw_forest_record *dw_forest_records(const dw_forest *forest);

/* ---- views ---- */

/* What each bucket draws; copied. DW_ERROR_ARGUMENT for a bucket out of range. */
dw_status dw_forest_set_draws(dw_forest *forest, const dw_forest_draw *draws, uint32_t count,
                              dw_error *err);

typedef struct dw_forest_frame {
    dw_forest_gpu *gpu; /* NULL on a native device */
    uint32_t flags;     /* DW_FOREST_IS_STILL when no time has passed since the frame before */
} dw_forest_frame;

/* Once for each frame of a device: uploads what changed since its last one. Inside
 * dw_device_begin_use. The device must outlive the forest. */
dw_status dw_forest_prepare(dw_forest *forest, dw_device *device, const dw_run *run,
                            dw_forest_frame *out, dw_error *err);

/* planes: 6 of (normal, offset), inside where dot(normal, p) + offset >= 0, of any length; zeros
 * exclude nothing. Lights take the position of the main camera, whose LODs and fades they follow.
 * flags: the frame's, and DW_FOREST_IS_SHADOW and DW_FOREST_IS_HARD. */
dw_status dw_forest_make_view(const dw_forest *forest, const double planes[24],
                              const double camera[3], uint32_t flags, dw_forest_view *out,
                              dw_error *err);

/* Lists in host memory, valid until the next call for this forest. */
typedef struct dw_forest_result {
    const dw_forest_bucket *buckets; /* [bucket_count + DW_FOREST_COUNTERS] */
    const dw_forest_entry *entries;
    uint32_t entry_count;
    const dw_forest_state *states;     /* [row_count] */
    const dw_forest_command *commands; /* [draw_count] */
    uint32_t draw_count;
} dw_forest_result;

/* Prepares, culls and waits; out NULL: leaves the lists where they are. */
dw_status dw_forest_see(dw_forest *forest, dw_device *device, const double planes[24],
                        const double camera[3], uint32_t flags, const dw_run *run,
                        dw_forest_result *out, dw_error *err);

/* States of all rows as the device's last view left them; those of rows that no view has seen have
 * another generation than their info. Valid until the next call. */
dw_status dw_forest_read_states(dw_forest *forest, dw_device *device, const dw_run *run,
                                const dw_forest_state **out, dw_error *err);

#endif
