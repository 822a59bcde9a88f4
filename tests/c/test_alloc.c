/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"

#include "check.h"

#include <stdint.h>
#include <string.h>

static void blocks_are_aligned_counted_and_writable(void)
{
    int64_t before = dw_alloc_live_count();
    dw_error err;

    for (size_t count = 1; count <= 4097; count = count * 3 + 1) {
        unsigned char *block = NULL;

        CHECK(DW_ALLOC(count, &block, &err) == DW_OK);
        CHECK((uintptr_t)block % 64 == 0);
        CHECK(dw_alloc_live_count() == before + 1);
        memset(block, 0xff, count);
        dw_free(block);
    }
    CHECK(dw_alloc_live_count() == before);
}

static void zeroed_blocks_are_zero(void)
{
    dw_error err;

    for (int round = 0; round < 4; round++) {
        uint32_t *block = NULL;

        CHECK(DW_ALLOC_ZEROED(1000, &block, &err) == DW_OK);
        for (int i = 0; i < 1000; i++)
            CHECK(block[i] == 0);
        memset(block, 0xff, 1000 * sizeof *block);
        dw_free(block);
    }
}

static void empty_requests_give_null_and_succeed(void)
{
    int64_t before = dw_alloc_live_count();
    dw_error err;
    void *block = &err;

    CHECK(dw_alloc_array(0, 16, "rows", &block, &err) == DW_OK && block == NULL);
    block = &err;
    CHECK(dw_alloc_array_zeroed(16, 0, "rows", &block, &err) == DW_OK && block == NULL);
    dw_free(NULL);
    CHECK(dw_alloc_live_count() == before);
}

static void sizes_that_overflow_fail(void)
{
    dw_error err = { 0 };
    void *block = &err;

    CHECK(dw_alloc_array(SIZE_MAX / 8, 16, "rows", &block, &err) == DW_ERROR_MEMORY);
    CHECK(block == NULL && err.code == DW_ERROR_MEMORY);
    CHECK(strstr(err.text, "rows") != NULL);
    block = &err;
    CHECK(dw_alloc_array_zeroed(SIZE_MAX, SIZE_MAX, "rows", &block, &err) == DW_ERROR_MEMORY);
    CHECK(block == NULL);
}

int main(void)
{
    blocks_are_aligned_counted_and_writable();
    zeroed_blocks_are_zero();
    empty_requests_give_null_and_succeed();
    sizes_that_overflow_fail();
    CHECK(dw_alloc_live_count() == 0);
    return 0;
}
