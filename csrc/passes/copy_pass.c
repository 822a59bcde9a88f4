/* SPDX-License-Identifier: MIT */
#include "passes/copy_pass.h"

#include "gpu/command.h"

static dw_status copy_buffer(dw_gpu *gpu, const dw_gpu_buffer *source, const dw_gpu_buffer *target,
                             const dw_run *run, dw_error *err)
{
    dw_command *command;
    dw_ticket ticket;

    if (dw_command_begin(gpu, "device_copies", &command, err) != DW_OK)
        return err->code;
    dw_command_fill(command, source, 0, 0, 1); /* pages are touched before they are timed */
    dw_command_fill(command, target, 0, 0, 0);
    dw_command_time_begin(command, "device_copy");
    dw_command_copy(command, source, 0, target, 0, source->size_bytes);
    dw_command_time_end(command);
    if (dw_command_submit(command, &ticket, err) != DW_OK)
        return err->code;
    return dw_gpu_wait(gpu, ticket, run, err);
}

dw_status dw_copy_pass(dw_gpu *gpu, uint64_t size_bytes, const dw_run *run, dw_error *err)
{
    dw_gpu_buffer source = { .gpu = NULL }, target = { .gpu = NULL };
    dw_status status = dw_gpu_buffer_create_device(gpu, size_bytes, "copy source", &source, err);

    if (status == DW_OK)
        status = dw_gpu_buffer_create_device(gpu, size_bytes, "copy target", &target, err);
    if (status == DW_OK)
        status = copy_buffer(gpu, &source, &target, run, err);
    dw_gpu_buffer_destroy(&source);
    dw_gpu_buffer_destroy(&target);
    return status;
}
