/* SPDX-License-Identifier: MIT */
/* The arguments of Forest's constructor.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_FOREST_DEF_H
#define DW_GLUE_FOREST_DEF_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "systems/forest.h"

/* *out comes with the defaults. -1 with an exception set. */
int dw_take_forest_def(PyObject *args, PyObject *kwargs, dw_forest_def *out);

#define DW_FOREST_NEW_DOC                                                                   \
    "Forest(distances, variants, *, fade=(1000.0, 1200.0), near_fade=None, "                \
    "crossfade=0.25, hysteresis=0.9, size_scaling=False, pattern=0, blue_size=64, rule=0, " \
    "combine=0, capacity=0, duration=0.3, scale=0.7, easing=0, encoding=0, direction=0, "   \
    "softness=0.2)\n--\n\n"                                                                 \
    "A table of instances. variants: (mask of LODs with a mesh, (x, y, z, radius), size)."

#endif
