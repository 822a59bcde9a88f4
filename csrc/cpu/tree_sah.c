/* SPDX-License-Identifier: MIT */
#include "cpu/tree_build.h"

dw_status dw_tree_split_all(dw_tree_work *work, const dw_run *run, dw_error *err)
{
    (void)run;
    (void)work;
    return dw_fail(err, DW_ERROR_ARGUMENT, "sah is not there");
}
