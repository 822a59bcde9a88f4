// SPDX-License-Identifier: MIT
// Those of a workgroup's candidates that are kept, one behind the other in their order: a bit each,
// counted. The candidates come in rounds of DW_PARTICLE_LANES.
#ifndef DW_LIB_PARTICLE_PACK_GLSL
#define DW_LIB_PARTICLE_PACK_GLSL

#include "shared/particle.h"
#include "shared/particle_gpu.h"

#define ROUNDS      (DW_PARTICLE_SLOT_GROUP / DW_PARTICLE_LANES)
#define ROUND_WORDS (DW_PARTICLE_LANES / 32)

/* A bit of each candidate, or how many a subgroup of 32 keeps. */
shared uint kept_words[ROUNDS * ROUND_WORDS];

/* A barrier has to follow. */
void clear_kept(uint lane)
{
    if (lane < ROUNDS * ROUND_WORDS)
        kept_words[lane] = 0u;
}

/* How many lanes before this one keep theirs; `total`: of all. All lanes come here. */
uint rank_kept(uint lane, uint round, bool is_kept, out uint total)
{
    uint word = round * ROUND_WORDS, rank = 0u;

    total = 0u;
#ifdef DW_PARTICLE_IS_WIDE
    uvec4 bits = subgroupBallot(is_kept);

    rank = subgroupBallotExclusiveBitCount(bits);
    if (gl_SubgroupInvocationID == 0u)
        kept_words[word + lane / 32u] = subgroupBallotBitCount(bits);
    barrier();
    for (uint i = 0u; i < ROUND_WORDS; i++) {
        uint count = kept_words[word + i];

        rank += i < lane / 32u ? count : 0u;
        total += count;
    }
#else
    if (is_kept)
        atomicOr(kept_words[word + lane / 32u], 1u << lane % 32u);
    barrier();
    for (uint i = 0u; i < ROUND_WORDS; i++) {
        uint bits = kept_words[word + i];

        rank += i < lane / 32u ? bitCount(bits) : 0u;
        rank += i == lane / 32u ? bitCount(bits & (1u << lane % 32u) - 1u) : 0u;
        total += bitCount(bits);
    }
#endif
    return rank;
}

#endif
