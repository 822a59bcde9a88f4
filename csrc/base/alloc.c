/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"

#include "base/platform.h"

#include <stdatomic.h>
#include <string.h>

static atomic_int_fast64_t live_count;
static atomic_int_fast64_t total_count;

dw_status dw_alloc_array(size_t count, size_t size, const char *what, void **out, dw_error *err)
{
    void *memory;

    *out = NULL;
    if (count == 0 || size == 0)
        return DW_OK;
    if (count > (SIZE_MAX / 2) / size)
        return dw_fail_memory(err, what, SIZE_MAX);
    memory = dw_platform_alloc(count * size);
    if (memory == NULL)
        return dw_fail_memory(err, what, count * size);
    atomic_fetch_add(&live_count, 1);
    atomic_fetch_add(&total_count, 1);
    *out = memory;
    return DW_OK;
}

dw_status dw_alloc_array_zeroed(size_t count, size_t size, const char *what, void **out,
                                dw_error *err)
{
    dw_status status = dw_alloc_array(count, size, what, out, err);

    if (*out != NULL)
        memset(*out, 0, count * size);
    return status;
}

void dw_free(void *memory)
{
    if (memory == NULL)
        return;
    dw_platform_free(memory);
    atomic_fetch_sub(&live_count, 1);
}

int64_t dw_alloc_live_count(void)
{
    return atomic_load(&live_count);
}

int64_t dw_alloc_total_count(void)
{
    return atomic_load(&total_count);
}
