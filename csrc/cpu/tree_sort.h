/* SPDX-License-Identifier: MIT */
/* Stable sort of 64-bit keys by their upper halves.
 * Thread-safety: Safe on distinct arrays. */
#ifndef DW_CPU_TREE_SORT_H
#define DW_CPU_TREE_SORT_H

#include "base/status.h"
#include "base/threads.h"

#include <stdint.h>

/* Keys of equal upper halves stay in their order. *keys and *spare, of `count` each, may change
 * places: the result is in *keys. */
dw_status dw_tree_sort(uint64_t **keys, uint64_t **spare, uint32_t count, const dw_run *run,
                       dw_error *err);

#endif
