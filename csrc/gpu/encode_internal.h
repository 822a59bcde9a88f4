/* SPDX-License-Identifier: MIT */
/* The parts of encoding that bind pipelines: dispatches and draws. Barriers are encode.c's.
 * Thread-safety: the caller holds the device's lock. */
#ifndef DW_GPU_ENCODE_INTERNAL_H
#define DW_GPU_ENCODE_INTERNAL_H

#include "gpu/command_internal.h"

dw_status dw_encode_dispatch(dw_command *command, struct dw_command_slot *slot, const dw_op *op,
                             dw_error *err);
dw_status dw_encode_draw(dw_command *command, struct dw_command_slot *slot, const dw_op *op,
                         dw_error *err);
void dw_encode_render_begin(const dw_command *command, struct dw_command_slot *slot,
                            const dw_op *op);

#endif
