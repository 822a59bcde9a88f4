/* SPDX-License-Identifier: MIT */
#include "base/simd.h"
#include "cpu/particles_block.h"

#include <stddef.h>

#if !defined(DW_SCALAR_ONLY) && defined(__GNUC__) && defined(__x86_64__)
#define DW_HAS_QUADS 1
#include <immintrin.h>
#endif

uint32_t dw_particles_block_count(const dw_particle_block *block)
{
    uint32_t count = 0;

    for (uint32_t r = 0; r < block->run_count; r++)
        for (uint32_t i = 0; i < block->runs[r].count; i++)
            count += block->is_alive[block->runs[r].lane + i];
    return count;
}

void dw_particles_block_expect(const dw_particle_block *block, const dw_particle *out)
{
    for (uint32_t at = 0; at < block->slot_count * sizeof *out; at += 64)
        DW_PREFETCH_OUT((const char *)out + at);
}

/* Lanes [i, i + count) of a row, count <= 4; returns the end of the living ones. */
#ifdef DW_HAS_QUADS

/* Words of four lanes, turned: those of a lane side by side. */
typedef struct quad {
    __m128i lanes[4];
} quad;

DW_ALWAYS_INLINE static quad turned(__m128i a, __m128i b, __m128i c, __m128i d)
{
    __m128i ab = _mm_unpacklo_epi32(a, b), ab_far = _mm_unpackhi_epi32(a, b);
    __m128i cd = _mm_unpacklo_epi32(c, d), cd_far = _mm_unpackhi_epi32(c, d);

    return (quad) { { _mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd),
                      _mm_unpacklo_epi64(ab_far, cd_far), _mm_unpackhi_epi64(ab_far, cd_far) } };
}

/* Of the lanes at `lane`; arrays are known by how far they lie apart, so that one address does. */
#define DW_BLOCK_WORDS(array) \
    _mm_loadu_si128((const __m128i *)(lane + offsetof(dw_particle_block, array)))

DW_ALWAYS_INLINE static dw_particle *write_some(const dw_particle_block *b, uint32_t row, size_t i,
                                                size_t count, dw_particle *out)
{
    const char *lane = (const char *)b + i * sizeof(uint32_t);
    quad first = turned(_mm_set1_epi32((int)row), DW_BLOCK_WORDS(slot), DW_BLOCK_WORDS(cycle),
                        DW_BLOCK_WORDS(age));
    quad second =
        turned(DW_BLOCK_WORDS(life), DW_BLOCK_WORDS(x), DW_BLOCK_WORDS(y), DW_BLOCK_WORDS(z));
    quad third = turned(DW_BLOCK_WORDS(size), DW_BLOCK_WORDS(opacity), DW_BLOCK_WORDS(color),
                        DW_BLOCK_WORDS(turn));
    quad fourth = turned(DW_BLOCK_WORDS(axis), DW_BLOCK_WORDS(frame), _mm_setzero_si128(),
                         _mm_setzero_si128());

    _Static_assert(sizeof(dw_particle) == 56, "14 words");
    for (size_t k = 0; k < 4; k++) {
        __m128i *words = (__m128i *)out;

        if (k >= count || b->is_alive[i + k] == 0)
            continue;
        _mm_storeu_si128(words, first.lanes[k]);
        _mm_storeu_si128(words + 1, second.lanes[k]);
        _mm_storeu_si128(words + 2, third.lanes[k]);
        _mm_storel_epi64(words + 3, fourth.lanes[k]);
        out++;
    }
    return out;
}

DW_ALWAYS_INLINE static dw_particle_sprite *draw_some(const dw_particle_block *b, size_t i,
                                                      size_t count, dw_particle_sprite *out)
{
    const char *lane = (const char *)b + i * sizeof(uint32_t);
    quad first =
        turned(DW_BLOCK_WORDS(x), DW_BLOCK_WORDS(y), DW_BLOCK_WORDS(z), DW_BLOCK_WORDS(size));
    quad second = turned(DW_BLOCK_WORDS(sprite_opacity), DW_BLOCK_WORDS(color),
                         DW_BLOCK_WORDS(sprite_frame), DW_BLOCK_WORDS(axis));

    _Static_assert(sizeof(dw_particle_sprite) == 32, "8 words");
    for (size_t k = 0; k < 4; k++) {
        __m128i *words = (__m128i *)out;

        if (k >= count || b->is_alive[i + k] == 0)
            continue;
        _mm_storeu_si128(words, first.lanes[k]);
        _mm_storeu_si128(words + 1, second.lanes[k]);
        out++;
    }
    return out;
}

#else

static dw_particle *write_some(const dw_particle_block *b, uint32_t row, size_t begin, size_t count,
                               dw_particle *out)
{
    for (size_t i = begin; i < begin + count; i++) {
        if (b->is_alive[i] == 0)
            continue;
        out->emitter = row;
        out->slot = b->slot[i];
        out->cycle = b->cycle[i];
        out->age = b->age[i];
        out->lifetime = b->life[i];
#define DW_BLOCK_PUT(type, array, place) out->place = b->array[i];
        DW_BLOCK_OF_RECORD(DW_BLOCK_PUT)
#undef DW_BLOCK_PUT
        out++;
    }
    return out;
}

static dw_particle_sprite *draw_some(const dw_particle_block *b, size_t begin, size_t count,
                                     dw_particle_sprite *out)
{
    for (size_t i = begin; i < begin + count; i++)
        if (b->is_alive[i] != 0)
            *out++ = (dw_particle_sprite) {
                .position = { b->x[i], b->y[i], b->z[i] },
                .size = b->size[i],
                .opacity = b->sprite_opacity[i],
                .color = b->color[i],
                .frame = b->sprite_frame[i],
                .axis = b->axis[i],
            };
    return out;
}

#endif

DW_SIMD dw_particle *dw_particles_block_write(const dw_particle_block *b, dw_particle *out)
{
    for (uint32_t r = 0; r < b->run_count; r++) {
        const struct dw_block_run *run = &b->runs[r];

        for (size_t i = 0; i < run->count; i += 4)
            out = write_some(b, run->row, run->lane + i, run->count - i < 4 ? run->count - i : 4,
                             out);
    }
    return out;
}

DW_SIMD dw_particle_sprite *dw_particles_block_draw(const dw_particle_block *b,
                                                    dw_particle_sprite *out)
{
    for (uint32_t r = 0; r < b->run_count; r++) {
        const struct dw_block_run *run = &b->runs[r];

        for (size_t i = 0; i < run->count; i += 4)
            out = draw_some(b, run->lane + i, run->count - i < 4 ? run->count - i : 4, out);
    }
    return out;
}
