/* SPDX-License-Identifier: MIT */
/* The parts of an effect as Python gives them.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_PARTICLES_EFFECT_H
#define DW_GLUE_PARTICLES_EFFECT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "systems/particle_hub.h"

/* rows: a tuple of tuples as particle_effect.part_row makes them, which must outlive *out, an array
 * to be freed by dw_free. -1 with an exception set. */
int dw_take_particle_parts(PyObject *rows, dw_hub_part **out, uint32_t *count);

#endif
