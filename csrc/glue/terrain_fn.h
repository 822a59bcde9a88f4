/* SPDX-License-Identifier: MIT */
/* Laws of terrain transitions, and maps, among the arguments of a call.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_TERRAIN_FN_H
#define DW_GLUE_TERRAIN_FN_H

#include "glue/arrays.h"
#include "glue/module.h"
#include "systems/terrain.h"

/* The law in bytes that _core.terrain_law made. 0, or -1 with TypeError set. */
int dw_take_terrain_law(PyObject *object, struct dw_terrain_law *law);

/* A view and the arrays that it reads. */
typedef struct dw_view_arguments {
    dw_terrain_view view;
    struct dw_terrain_law law;
    PyArrayObject *table, *weights, *heights;
} dw_view_arguments;

/* arguments: (law, table, form, weights, heights, origin x, origin y, scale, cell, is linear, is
 * strict). 0, or -1 with an exception set; either way dw_view_finish lets the arrays go. */
int dw_view_init(dw_view_arguments *self, PyObject *arguments);
void dw_view_finish(dw_view_arguments *self);

#endif
