/* SPDX-License-Identifier: MIT */
/* Host memory: checked sizes, live counts.
 * Thread-safety: Safe. */
#ifndef DW_BASE_ALLOC_H
#define DW_BASE_ALLOC_H

#include "base/status.h"

#include <stdint.h>

/* count * size bytes, 64-byte aligned. *out is NULL on failure, and for an empty request, which
 * succeeds. `what` names the thing in the error text. */
dw_status dw_alloc_array(size_t count, size_t size, const char *what, void **out, dw_error *err);
dw_status dw_alloc_array_zeroed(size_t count, size_t size, const char *what, void **out,
                                dw_error *err);

/* Accepts NULL. */
void dw_free(void *memory);

/* Blocks handed out and not yet freed. */
int64_t dw_alloc_live_count(void);

/* Blocks ever handed out: what stands still is done without allocating. */
int64_t dw_alloc_total_count(void);

#define DW_ALLOC(count, out, err) \
    dw_alloc_array((count), sizeof **(out), #out, (void **)(out), (err))
#define DW_ALLOC_ZEROED(count, out, err) \
    dw_alloc_array_zeroed((count), sizeof **(out), #out, (void **)(out), (err))

#endif
