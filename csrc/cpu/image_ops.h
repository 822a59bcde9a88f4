/* SPDX-License-Identifier: MIT */
/* Whole-image steps around the baker: leaving premultiplied alpha, shrinking pieces of an image.
 * Thread-safety: Safe; callers own all memory. */
#ifndef DW_CPU_IMAGE_OPS_H
#define DW_CPU_IMAGE_OPS_H

#include "base/threads.h"
#include "cpu/atlas_plan.h"

/* Straight colour from premultiplied codes: c = min(max, round(max * c / a)), 0 where a is 0.
 * clipped receives the number of channel values that lay above their alpha. */
dw_status dw_image_unpremultiply(const dw_atlas_source *source, void *out, int64_t *clipped,
                                 const dw_run *run, dw_error *err);

/* Each rect of the source shrunk or stretched to width x height by exact area averaging of light,
 * weighted by alpha. out: [count][height][width][4], 16 bits, straight alpha, coded as `space`. */
dw_status dw_image_resample_rects(const dw_atlas_source *source, dw_color_space space,
                                  const dw_rect *rects, int count, int width, int height,
                                  const dw_run *run, uint16_t *out, dw_error *err);

#endif
