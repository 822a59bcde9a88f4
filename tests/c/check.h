/* SPDX-License-Identifier: MIT */
/* The little that a C test needs: a check that names its place and ends the program.
 * Thread-safety: Safe. */
#ifndef DW_TESTS_CHECK_H
#define DW_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

#endif
