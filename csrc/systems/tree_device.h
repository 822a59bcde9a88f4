/* SPDX-License-Identifier: MIT */
/* Trees of host arrays built on a Vulkan device and fetched from it: for tests and measurements,
 * and for hosts that want a tree at once.
 * Thread-safety: Safe. Inside dw_device_begin_use .. dw_device_end_use. */
#ifndef DW_SYSTEMS_TREE_DEVICE_H
#define DW_SYSTEMS_TREE_DEVICE_H

#include "cpu/tree.h"
#include "systems/device.h"

typedef struct dw_tree_device_options {
    dw_tree_builder builder; /* HPLOC or MORTON */
    dw_node_format format;
    int merge_lanes; /* of a unit that merges; 0: the device's own choice, as are -1 below */
    int wide;        /* by subgroups of 32 lanes, or not */
    int place_lane;  /* treelets are placed by an invocation each, or by a workgroup */
    int repeat;      /* builds in a row, 1 or more; each takes the same scratch */
} dw_tree_device_options;

/* As dw_tree_build, the same bytes. milliseconds: [repeat][2], device times of both parts of each
 * build; NULL: not wanted; 0 without a clock. DW_ERROR_ARGUMENT on a native device. */
dw_status dw_tree_build_on_device(dw_device *device, const dw_tree_source *source,
                                  const dw_tree_device_options *options, dw_tree **out,
                                  double *milliseconds, const dw_run *run, dw_error *err);

#endif
