/* SPDX-License-Identifier: MIT */
/* DW_SIMD marks a function whose loops the compiler vectorises: it is built for several
 * instruction sets and the loader picks one. A build with DW_SCALAR_ONLY has one plain version.
 * Thread-safety: Safe; no state. */
#ifndef DW_BASE_SIMD_H
#define DW_BASE_SIMD_H

#if !defined(DW_SCALAR_ONLY) && defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Sanitizers instrument the resolvers, which run before they are ready. */
#define DW_SIMD __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define DW_SIMD
#endif

/* Asks for memory that is read soon, in no order that a processor could guess. */
#if defined(__GNUC__)
#define DW_PREFETCH(address)     __builtin_prefetch(address)
#define DW_PREFETCH_OUT(address) __builtin_prefetch(address, 1, 2) /* written soon */
#else
#define DW_PREFETCH(address)     ((void)(address))
#define DW_PREFETCH_OUT(address) ((void)(address))
#endif

/* Into each caller, with the instructions that it is built for. */
#if defined(__GNUC__)
#define DW_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define DW_ALWAYS_INLINE inline
#endif

#endif
