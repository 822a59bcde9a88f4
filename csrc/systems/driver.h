/* SPDX-License-Identifier: MIT */
/* The Vulkan side of this process as a whole: loader, validation messages, end of process.
 * Thread-safety: Safe. */
#ifndef DW_SYSTEMS_DRIVER_H
#define DW_SYSTEMS_DRIVER_H

#include "gpu/loader.h"

dw_gpu_loader_info dw_driver_get_loader(void);

/* Copies the messages of every validating device; `clear` forgets them. */
void dw_driver_read_messages(bool clear, dw_validation_log *out);

/* Around fork(), on the thread that forks: hold off and let go of device creation, so that a child
 * never inherits it half done. The latter in parent and child. The caller holds one lock around
 * all of these calls (Python's GIL). */
void dw_driver_before_fork(void);
void dw_driver_after_fork(void);

/* Gives back what no open device uses, driver threads included. */
void dw_driver_shutdown(void);

#endif
