/* SPDX-License-Identifier: MIT */
#include "systems/driver.h"

dw_gpu_loader_info dw_driver_get_loader(void)
{
    return dw_gpu_loader_get_info();
}

void dw_driver_read_messages(bool clear, dw_validation_log *out)
{
    dw_gpu_validation_read(clear, out);
}

void dw_driver_shutdown(void)
{
    dw_gpu_loader_shutdown();
}
