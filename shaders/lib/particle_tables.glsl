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

/* Vectors of an emitter: of its extent, and of where it was before its last move. */
#define EMITTER_EXTENT 4u
#define EMITTER_MOVE   6u

float as_float(uint bits)
{
    return uintBitsToFloat(bits);
}

uint as_uint(uint bits)
{
    return bits;
}

void load_vector(uint row, uint index, inout uint words[EMITTER_WORDS])
{
    uvec4 four = emitters[row * (EMITTER_WORDS / 4u) + index];

    for (uint j = 0u; j < 4u; j++)
        words[4u * index + j] = four[j];
}

dw_particle_emitter emitter_of(uint words[EMITTER_WORDS])
{
    uint at = 0u;
    dw_particle_emitter taken;

    DW_PARTICLE_EMITTER_FIELDS(TAKE)
    return taken;
}

dw_particle_emitter load_emitter(uint row)
{
    uint words[EMITTER_WORDS];

    for (uint i = 0u; i < EMITTER_WORDS / 4u; i++)
        load_vector(row, i, words);
    return emitter_of(words);
}

/* What slots need of it: no extent, which load_extent reads for the kinds that have use for it, no
 * clock, and no move but where it trails. */
dw_particle_emitter load_head(uint row)
{
    uint words[EMITTER_WORDS];
    bool has_tail = false;

    for (uint i = 0u; i < EMITTER_WORDS; i++)
        words[i] = 0u;
    for (uint i = 0u; i < EMITTER_EXTENT; i++)
        load_vector(row, i, words);
#ifdef DW_SLOTS_ARE_SHOWN
    has_tail = true; /* where its slots' states are */
#endif
    if (has_tail || (DW_EMITTER_FLAGS(words[0]) & DW_EMITTER_IS_TRAIL) != 0u)
        for (uint i = EMITTER_MOVE; i < EMITTER_WORDS / 4u; i++)
            load_vector(row, i, words);
    return emitter_of(words);
}

void load_extent(uint row, out float extent[3])
{
    uvec4 four = emitters[row * (EMITTER_WORDS / 4u) + EMITTER_EXTENT];

    for (uint i = 0u; i < 3u; i++)
        extent[i] = as_float(four[i]);
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
