/* SPDX-License-Identifier: MIT */
/* The native atlas baker.
 * Thread-safety: concurrent calls need distinct targets; the run's pool is shared in turn. */
#ifndef DW_CPU_ATLAS_BAKE_H
#define DW_CPU_ATLAS_BAKE_H

#include "base/threads.h"
#include "cpu/atlas_plan.h"

/* Writes every level of the target up to plan->write_count. On failure the target is unspecified.
 */
dw_status dw_atlas_bake_native(const dw_atlas_plan *plan, const dw_atlas_source *source,
                               const dw_atlas_target *target, const dw_run *run, dw_error *err);

#endif
