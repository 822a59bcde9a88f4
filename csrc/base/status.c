/* SPDX-License-Identifier: MIT */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

dw_status dw_fail(dw_error *err, dw_status code, const char *format, ...)
{
    va_list arguments;

    err->code = code;
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    return code;
}

dw_status dw_fail_memory(dw_error *err, const char *what, size_t size_bytes)
{
    return dw_fail(err, DW_ERROR_MEMORY, "out of memory: %s needs %zu bytes", what, size_bytes);
}

const char *dw_status_name(dw_status status)
{
    static const char *const names[] = {
        [DW_OK] = "ok",
        [DW_ERROR_ARGUMENT] = "argument",
        [DW_ERROR_TYPE] = "type",
        [DW_ERROR_MEMORY] = "memory",
        [DW_ERROR_DEVICE_NOT_FOUND] = "device not found",
        [DW_ERROR_DEVICE_LOST] = "device lost",
        [DW_ERROR_DEVICE] = "device",
        [DW_ERROR_CAPACITY] = "capacity",
        [DW_ERROR_FORMAT] = "format",
        [DW_ERROR_FORKED] = "forked",
        [DW_ERROR_CLOSED] = "closed",
        [DW_ERROR_INTERRUPTED] = "interrupted",
    };

    return (size_t)status < DW_COUNT_OF(names) ? names[status] : "unknown";
}

void dw_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "dapplewood: assertion failed: %s (%s:%d)\n", condition, file, line);
    abort();
}
