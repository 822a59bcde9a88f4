// SPDX-License-Identifier: MIT
// Records out of tables of vectors: as few loads as there can be. The includer declares
// `uvec4 emitters[]` and `uvec2 parts[]`.
#ifndef DW_LIB_PARTICLE_TABLES_GLSL
#define DW_LIB_PARTICLE_TABLES_GLSL

#include "shared/particle.h"

/* Words of a record, and its fields taken from `words` one after another. */
#define WORDS_OF(type, name, count)  +WORDS_OF_##count
#define WORDS_OF_0                   1u
#define WORDS_OF_3                   3u
#define WORDS_OF_24                  24u
#define TAKE(type, name, count)      TAKE_##count(type, name)
#define TAKE_0(type, name)           taken.name = as_##type(words[at++]);
#define TAKE_3(type, name)           TAKE_MANY(type, name, 3u)
#define TAKE_24(type, name)          TAKE_MANY(type, name, 24u)
#define TAKE_MANY(type, name, count)                   \
    for (uint i = 0u; i < count; i++)                  \
        taken.name[i] = as_##type(words[at + i]);      \
    at += count;

#define EMITTER_WORDS (0u DW_PARTICLE_EMITTER_FIELDS(WORDS_OF))
#define PART_WORDS    (0u DW_PARTICLE_PART_FIELDS(WORDS_OF))

float as_float(uint bits)
{
    return uintBitsToFloat(bits);
}

uint as_uint(uint bits)
{
    return bits;
}

dw_particle_emitter load_emitter(uint row)
{
    uint words[EMITTER_WORDS], at = 0u;
    dw_particle_emitter taken;

    for (uint i = 0u; i < EMITTER_WORDS / 4u; i++) {
        uvec4 four = emitters[row * (EMITTER_WORDS / 4u) + i];

        for (uint j = 0u; j < 4u; j++)
            words[4u * i + j] = four[j];
    }
    DW_PARTICLE_EMITTER_FIELDS(TAKE)
    return taken;
}

/* All but its params, which are read where they are needed. */
dw_particle_part load_part(uint index)
{
    uint words[PART_WORDS], at = 0u;
    dw_particle_part taken;

    for (uint i = 0u; i < PART_WORDS / 2u; i++) {
        bool is_head = i < (PART_WORDS - DW_PARTICLE_PARAMS) / 2u;
        uvec2 two = is_head ? parts[index * (PART_WORDS / 2u) + i] : uvec2(0u);

        words[2u * i] = two.x;
        words[2u * i + 1u] = two.y;
    }
    DW_PARTICLE_PART_FIELDS(TAKE)
    return taken;
}

/* The params of a part, which are its last words. */
void load_params(uint index, out float params[DW_PARTICLE_PARAMS])
{
    uint first = (index * PART_WORDS + PART_WORDS - DW_PARTICLE_PARAMS) / 2u;

    for (uint i = 0u; i < DW_PARTICLE_PARAMS / 2u; i++) {
        params[2u * i] = as_float(parts[first + i].x);
        params[2u * i + 1u] = as_float(parts[first + i].y);
    }
}

#endif
