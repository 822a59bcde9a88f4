/* SPDX-License-Identifier: MIT */
/* The Python type Buffer: bytes on a device, and how other glue files get at them.
 * Thread-safety: the GIL is held. */
#ifndef DW_GLUE_BUFFER_TYPE_H
#define DW_GLUE_BUFFER_TYPE_H

#include "glue/device_type.h"

#include "systems/buffer.h"

typedef struct dw_py_buffer {
    PyObject_HEAD PyObject *device; /* the Device, strong */
    dw_buffer *buffer;              /* NULL once closed */
    int use_count;                  /* calls that run without the GIL; close() refuses meanwhile */
} dw_py_buffer;

/* The buffer inside `object`; NULL with TypeError (no Buffer) or ValueError (closed, or made on
 * another device than `device_object`, unless that is NULL) that names `argument`. */
dw_buffer *dw_py_buffer_get(const dw_module_state *state, PyObject *object, PyObject *device_object,
                            const char *argument);

#endif
