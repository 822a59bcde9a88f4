/* SPDX-License-Identifier: MIT */
/* One tree built on a thread of its own, from a copy of the vertices, while frames go on.
 * Thread-safety: one thread at a time for each object. */
#ifndef DW_SYSTEMS_SCENE_TREES_BACKGROUND_H
#define DW_SYSTEMS_SCENE_TREES_BACKGROUND_H

#include "cpu/tree.h"

typedef struct dw_background_build dw_background_build;

/* The source's indices stay until the end; its vertices are copied. */
dw_status dw_background_begin(const dw_tree_source *source, dw_tree_builder builder,
                              dw_node_format format, dw_background_build **out, dw_error *err);

bool dw_background_is_done(dw_background_build *build);

/* Waits, gives the tree and the time that it took, and frees the build, also on failure. */
dw_status dw_background_take(dw_background_build *build, dw_tree **out, double *milliseconds,
                             dw_error *err);

/* Stops it as soon as it looks up, and frees it. Accepts NULL. */
void dw_background_cancel(dw_background_build *build);

#endif
