/* SPDX-License-Identifier: MIT */
#include "cpu/srgb.h"

#include "base/alloc.h"

#include <math.h>

/* Every value that the tables round lies over 1e-6 from a tie, far beyond what two pow() differ by:
 * all machines make the same tables. */
double dw_light_from_code(dw_color_space space, double code)
{
    if (space == DW_COLOR_SPACE_LINEAR)
        return code;
    return code <= 0.04045 ? code / 12.92 : pow((code + 0.055) / 1.055, 2.4);
}

double dw_code_from_light(dw_color_space space, double light)
{
    if (space == DW_COLOR_SPACE_LINEAR)
        return light;
    return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1.0 / 2.4) - 0.055;
}

static void fill_encode(dw_color_space space, dw_light_tables *tables)
{
    int code = 0;

    for (int v = 0; v < DW_ENCODE_SIZE; v++) {
        int next = (int)floor(255.0 * dw_code_from_light(space, v / 65536.0) + 0.5);

        for (; code < next; code++)
            tables->threshold[code] = (uint32_t)v;
        tables->encode[v] = (uint8_t)next;
    }
}

dw_status dw_light_tables_create(dw_color_space space, int bits, dw_light_tables **out,
                                 dw_error *err)
{
    dw_light_tables *tables = NULL;

    *out = NULL;
    DW_TRY(DW_ALLOC_ZEROED(1, &tables, err));
    for (int i = 0; i < 256; i++)
        tables->decode_8[i] = (uint16_t)floor(65535.0 * dw_light_from_code(space, i / 255.0) + 0.5);
    fill_encode(space, tables);
    if (bits == 16) {
        DW_TRY(DW_ALLOC(65536, &tables->decode_16, err));
        for (int i = 0; i < 65536; i++)
            tables->decode_16[i] =
                (uint16_t)floor(65535.0 * dw_light_from_code(space, i / 65535.0) + 0.5);
    }
    *out = tables;
    return DW_OK;
fail:
    dw_light_tables_destroy(tables);
    return err->code;
}

void dw_light_tables_destroy(dw_light_tables *tables)
{
    if (tables == NULL)
        return;
    dw_free(tables->decode_16);
    dw_free(tables);
}
