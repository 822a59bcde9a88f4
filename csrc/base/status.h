/* SPDX-License-Identifier: MIT */
/* Status codes and the error record that every fallible function fills.
 * Thread-safety: Safe; a record belongs to one call. */
#ifndef DW_BASE_STATUS_H
#define DW_BASE_STATUS_H

#include <stddef.h>

typedef enum dw_status {
    DW_OK = 0,
    DW_ERROR_ARGUMENT,         /* a value out of range, a contradiction between arguments */
    DW_ERROR_TYPE,             /* the wrong kind of thing */
    DW_ERROR_MEMORY,           /* host or device memory is exhausted */
    DW_ERROR_DEVICE_NOT_FOUND, /* no loader, no driver, no device that will do */
    DW_ERROR_DEVICE_LOST,      /* the driver gave the device up; no later call can work */
    DW_ERROR_DEVICE,           /* any other failure that a driver reports */
    DW_ERROR_CAPACITY,         /* a fixed limit is exceeded */
    DW_ERROR_FORMAT,           /* a file or pixel format that cannot be read or written */
    DW_ERROR_FORKED,           /* a device made before fork() is used in the child */
    DW_ERROR_CLOSED,           /* the object was closed */
    DW_ERROR_INTERRUPTED,      /* the poll callback asked to stop */
} dw_status;

typedef struct dw_error {
    dw_status code;
    char text[1024]; /* UTF-8, one paragraph: what, limit, value given, way out */
} dw_error;

#if defined(__GNUC__) || defined(__clang__)
#define DW_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DW_PRINTF(text, first)
#endif

/* Fills err and returns code, so that `return dw_fail(...)` is the only way out of a failed check.
 */
dw_status dw_fail(dw_error *err, dw_status code, const char *format, ...) DW_PRINTF(3, 4);

dw_status dw_fail_memory(dw_error *err, const char *what, size_t size_bytes);

/* The word for a status, for logs and tests. */
const char *dw_status_name(dw_status status);

/* The only control-flow macro: leaves through the function's single `fail:` label. */
#define DW_TRY(expression)         \
    do {                           \
        if ((expression) != DW_OK) \
            goto fail;             \
    } while (0)

void dw_assert_failed(const char *condition, const char *file, int line);

#ifdef DW_ENABLE_ASSERT
#define DW_ASSERT(condition) \
    ((condition) ? (void)0 : dw_assert_failed(#condition, __FILE__, __LINE__))
#else
#define DW_ASSERT(condition) ((void)0)
#endif

/* An enumerator outside its registry: a bug of ours, never of the caller. */
#define dw_unreachable() dw_assert_failed("unreachable", __FILE__, __LINE__)

#define DW_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
