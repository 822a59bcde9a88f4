/* SPDX-License-Identifier: MIT */
/* Laws of terrain transitions among the arguments of a call.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_TERRAIN_FN_H
#define DW_GLUE_TERRAIN_FN_H

#include "glue/module.h"

#include "shared/terrain.h"

/* The law in bytes that _core.terrain_law made. 0, or -1 with TypeError set. */
int dw_take_terrain_law(PyObject *object, struct dw_terrain_law *law);

#endif
