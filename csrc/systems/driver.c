/* SPDX-License-Identifier: MIT */
#include "systems/driver.h"

#include "base/platform.h"

dw_gpu_loader_info dw_driver_get_loader(void)
{
    return dw_gpu_loader_get_info();
}

void dw_driver_read_messages(bool clear, dw_validation_log *out)
{
    dw_gpu_validation_read(clear, out);
}

/* Hooks may be registered more than once, as when a module is loaded again. */
static int fork_depth;

void dw_driver_before_fork(void)
{
    if (fork_depth++ == 0)
        dw_global_lock();
}

void dw_driver_after_fork(void)
{
    if (--fork_depth == 0)
        dw_global_unlock();
}

void dw_driver_shutdown(void)
{
    dw_gpu_loader_shutdown();
}
