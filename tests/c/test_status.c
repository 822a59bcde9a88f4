/* SPDX-License-Identifier: MIT */
#include "base/status.h"

#include "check.h"

#include <string.h>

static void fail_fills_the_record(void)
{
    dw_error err = { 0 };

    CHECK(dw_fail(&err, DW_ERROR_ARGUMENT, "size must be at most %d, got %d", 4, 5) ==
          DW_ERROR_ARGUMENT);
    CHECK(err.code == DW_ERROR_ARGUMENT);
    CHECK(strcmp(err.text, "size must be at most 4, got 5") == 0);
}

static void long_text_is_cut_not_overrun(void)
{
    struct {
        dw_error err;
        unsigned char guard[16];
    } framed;
    char text[4096];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    memset(framed.guard, 0xa5, sizeof framed.guard);
    dw_fail(&framed.err, DW_ERROR_FORMAT, "%s", text);
    CHECK(strlen(framed.err.text) == sizeof framed.err.text - 1);
    for (size_t i = 0; i < sizeof framed.guard; i++)
        CHECK(framed.guard[i] == 0xa5);
}

static void memory_failure_names_thing_and_size(void)
{
    dw_error err = { 0 };

    CHECK(dw_fail_memory(&err, "levels", 12345) == DW_ERROR_MEMORY);
    CHECK(strstr(err.text, "levels") != NULL && strstr(err.text, "12345") != NULL);
}

static void every_status_has_its_own_name(void)
{
    for (int i = DW_OK; i <= DW_ERROR_INTERRUPTED; i++) {
        CHECK(dw_status_name((dw_status)i) != NULL);
        for (int j = DW_OK; j < i; j++)
            CHECK(strcmp(dw_status_name((dw_status)i), dw_status_name((dw_status)j)) != 0);
    }
    CHECK(strcmp(dw_status_name((dw_status)99), "unknown") == 0);
}

static dw_status leave_through_label(int *steps)
{
    dw_error err;

    ++*steps;
    DW_TRY(dw_fail(&err, DW_ERROR_CLOSED, "closed"));
    ++*steps;
    return DW_OK;
fail:
    return err.code;
}

static void try_leaves_at_the_first_failure(void)
{
    int steps = 0;

    CHECK(leave_through_label(&steps) == DW_ERROR_CLOSED);
    CHECK(steps == 1);
}

int main(void)
{
    fail_fills_the_record();
    long_text_is_cut_not_overrun();
    memory_failure_names_thing_and_size();
    every_status_has_its_own_name();
    try_leaves_at_the_first_failure();
    return 0;
}
