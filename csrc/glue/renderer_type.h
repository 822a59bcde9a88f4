/* SPDX-License-Identifier: MIT */
/* The Python type Renderer of the core, for the glue files that it is made of.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_RENDERER_TYPE_H
#define DW_GLUE_RENDERER_TYPE_H

#include "glue/arrays.h"
#include "glue/device_type.h"

#include "systems/renderer.h"

#define DW_PY_LEVELS_MAX 16

typedef struct dw_py_renderer {
    PyObject_HEAD PyObject *device; /* the Device, strong */
    dw_renderer *renderer;          /* NULL once closed */
    bool is_busy;                   /* a call runs without the GIL */
} dw_py_renderer;

/* A call on the renderer: the device in use, the GIL released; NULL with an exception set. */
dw_device *dw_py_renderer_begin(const dw_module_state *state, dw_py_renderer *self,
                                dw_glue_run *run);
int dw_py_renderer_end(const dw_module_state *state, dw_py_renderer *self, dw_device *device,
                       dw_glue_run *run, dw_status status, const dw_error *err);

/* Rows of bytes, each one struct of the core; NULL with an exception set. */
PyArrayObject *dw_py_records_input(PyObject *given, size_t size, const char *argument);

/* ---- terrain ---- */

PyObject *dw_py_renderer_add_layers(PyObject *object, PyObject *args);
PyObject *dw_py_renderer_add_ground(PyObject *object, PyObject *args);

/* The terrains of a frame. */
typedef struct dw_py_grounds {
    PyObject *sequence;
    PyArrayObject *looks[DW_RENDERER_GROUNDS_MAX];
    PyArrayObject *laws[DW_RENDERER_GROUNDS_MAX];
    PyArrayObject *surfaces[DW_RENDERER_GROUNDS_MAX];
    PyArrayObject *commands[DW_RENDERER_GROUNDS_MAX];
    dw_renderer_ground rows[DW_RENDERER_GROUNDS_MAX];
    uint32_t count;
} dw_py_grounds;

/* Of a zeroed one. -1 with an exception set; release it in any case. */
int dw_py_grounds_take(const dw_module_state *state, dw_py_grounds *self, PyObject *given);
void dw_py_grounds_release(dw_py_grounds *self);

#endif
