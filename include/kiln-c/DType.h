/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Element types, shared by the C interfaces and the package format. */
#ifndef KILN_C_DTYPE_H
#define KILN_C_DTYPE_H

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are stable; new types are appended. Types of 4 and 6 bits take
   one byte per element, i1 one byte of value 0 or 1, i48 eight bytes. */
typedef enum KilnDType {
  KILN_DTYPE_NONE = 0,
  KILN_DTYPE_I1 = 1,
  KILN_DTYPE_I4 = 2,
  KILN_DTYPE_I8 = 3,
  KILN_DTYPE_I16 = 4,
  KILN_DTYPE_I32 = 5,
  KILN_DTYPE_I48 = 6,
  KILN_DTYPE_I64 = 7,
  KILN_DTYPE_U8 = 8,
  KILN_DTYPE_U16 = 9,
  KILN_DTYPE_U32 = 10,
  KILN_DTYPE_U64 = 11,
  KILN_DTYPE_F16 = 12,
  KILN_DTYPE_BF16 = 13,
  KILN_DTYPE_F32 = 14,
  KILN_DTYPE_F64 = 15,
  KILN_DTYPE_F8E4M3FN = 16,
  KILN_DTYPE_F8E5M2 = 17,
  KILN_DTYPE_F8E4M3FNUZ = 18,
  KILN_DTYPE_F8E5M2FNUZ = 19,
  KILN_DTYPE_F8E8M0FNU = 20,
  KILN_DTYPE_F6E2M3FN = 21,
  KILN_DTYPE_F6E3M2FN = 22,
  KILN_DTYPE_F4E2M1FN = 23,
  KILN_DTYPE_INDEX = 24,
  KILN_DTYPE_F8E4M3 = 25,
  KILN_DTYPE_F8E3M4 = 26,
  KILN_DTYPE_F8E4M3B11FNUZ = 27,
  KILN_DTYPE_COUNT = 28
} KilnDType;

#ifdef __cplusplus
}
#endif
#endif
