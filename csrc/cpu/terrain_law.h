/* SPDX-License-Identifier: MIT */
/* What a transition between terrain materials asks for, checked, as backends read it.
 * Thread-safety: Safe; no state. */
#ifndef DW_CPU_TERRAIN_LAW_H
#define DW_CPU_TERRAIN_LAW_H

#include "base/status.h"
#include "shared/terrain.h"

#include <stdint.h>

/* Ranges: dw_terrain_law_make says them. */
typedef struct dw_terrain_def {
    uint32_t mode;      /* dw_terrain_mode */
    uint32_t noise;     /* dw_terrain_noise */
    int64_t noise_size; /* cells: side of the table, of BLUE */
    int64_t seed;
    double strength;
    double cell; /* map units */
    int64_t quantize;
    double min_weight; /* of the sum */
    double accent[2];  /* weight over that of the heaviest: none there, all there */
    int64_t accents;
    double depth;   /* of HEIGHT, in the weights' unit */
    double fade[2]; /* noise cells per pixel */
    double zoom[2]; /* pixels per map unit */
    int64_t empty_id;
    uint32_t count;                          /* slots */
    uint32_t keys[DW_TERRAIN_MATERIALS];     /* by slot: distinct, 0 to 255 */
    double priorities[DW_TERRAIN_MATERIALS]; /* by slot */
} dw_terrain_def;

/* DW_ERROR_ARGUMENT names what is out of range. */
dw_status dw_terrain_law_make(const dw_terrain_def *def, struct dw_terrain_law *law, dw_error *err);

#endif
