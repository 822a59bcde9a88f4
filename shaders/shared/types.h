/* SPDX-License-Identifier: MIT */
/* One vocabulary for files that are C11 and GLSL at once.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_TYPES_H
#define DW_SHARED_TYPES_H

#ifdef GL_core_profile /* glslang defines it, C compilers do not */
#define DW_INLINE
#define DW_INT(x)  int(x)
#define DW_UINT(x) uint(x)
#define DW_I64(x)  int64_t(x)
#define DW_U64(x)  uint64_t(x)
#else
#include <stdbool.h>
#include <stdint.h>
typedef uint32_t uint;
#ifndef DW_INLINE /* a file that needs them inside its loops says so before its includes */
#define DW_INLINE static inline
#endif
#define DW_INT(x)  ((int)(x))
#define DW_UINT(x) ((uint)(x))
#define DW_I64(x)  ((int64_t)(x))
#define DW_U64(x)  ((uint64_t)(x))
#endif

/* F(type, name, count) rows make the struct in both languages; count 0 is a scalar. Members are
 * 4-byte scalars, so that scalar block layout, C and NumPy agree without padding. */
#define DW_FIELD(type, name, count) DW_FIELD_##count(type, name)
#define DW_FIELD_0(type, name)      type name;
#define DW_FIELD_3(type, name)      type name[3];
#define DW_FIELD_4(type, name)      type name[4];
#define DW_FIELD_6(type, name)      type name[6];
#define DW_FIELD_8(type, name)      type name[8];
#define DW_FIELD_12(type, name)     type name[12];
#define DW_FIELD_16(type, name)     type name[16];
#define DW_FIELD_24(type, name)     type name[24];
#define DW_FIELD_32(type, name)     type name[32];

#endif
