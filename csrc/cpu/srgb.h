/* SPDX-License-Identifier: MIT */
/* Colour codes to linear light and back, as tables that both backends read (IEC 61966-2-1).
 * Thread-safety: Safe once made; the tables are constant after init. */
#ifndef DW_CPU_SRGB_H
#define DW_CPU_SRGB_H

#include "base/registry.h"
#include "base/status.h"

#include <stdint.h>

#define DW_ENCODE_SIZE 65537

/* The curve of a colour space and its inverse; both run from 0 to 1. */
double dw_light_from_code(dw_color_space space, double code);
double dw_code_from_light(dw_color_space space, double light);

typedef struct dw_light_tables {
    uint16_t decode_8[256];         /* 8-bit code to light, 65535 = white */
    uint16_t *decode_16;            /* 65536 entries; NULL unless asked for */
    uint8_t encode[DW_ENCODE_SIZE]; /* round(65536 * P / A) to an 8-bit code */
    uint32_t threshold[255];        /* the same as steps: code = count of thresholds <= v */
} dw_light_tables;

dw_status dw_light_tables_create(dw_color_space space, int bits, dw_light_tables **out,
                                 dw_error *err);
void dw_light_tables_destroy(dw_light_tables *tables);

#endif
