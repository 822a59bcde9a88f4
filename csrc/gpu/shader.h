/* SPDX-License-Identifier: MIT */
/* One embedded SPIR-V module, as shaders/build.py describes it.
 * Thread-safety: Safe; the tables are constant. */
#ifndef DW_GPU_SHADER_H
#define DW_GPU_SHADER_H

#include <stdint.h>

typedef struct dw_shader {
    const char *name; /* the source file without its folder */
    const uint32_t *words;
    uint32_t word_count;
    uint32_t stage;               /* one VkShaderStageFlagBits */
    uint32_t binding_count;       /* storage buffers 0..binding_count-1 of set 0 */
    uint32_t texture_count;       /* combined image samplers 0..texture_count-1 of set 1 */
    uint32_t push_constant_bytes; /* a multiple of 4 */
    uint32_t local_size[3];       /* invocations; zero outside compute */
} dw_shader;

#endif
