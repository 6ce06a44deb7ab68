// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types of tensors in packages and at run time.
#ifndef KILN_SYSTEM_DTYPE_H
#define KILN_SYSTEM_DTYPE_H

#include "kiln-c/DType.h"
#include <cstdint>
#include <string>
#include <string_view>

namespace kiln::runtime {

/// An element type; the values are those of KilnDType.
enum class DType : uint32_t {
  none = KILN_DTYPE_NONE,
  i1 = KILN_DTYPE_I1,
  i4 = KILN_DTYPE_I4,
  i8 = KILN_DTYPE_I8,
  i16 = KILN_DTYPE_I16,
  i32 = KILN_DTYPE_I32,
  i48 = KILN_DTYPE_I48,
  i64 = KILN_DTYPE_I64,
  u8 = KILN_DTYPE_U8,
  u16 = KILN_DTYPE_U16,
  u32 = KILN_DTYPE_U32,
  u64 = KILN_DTYPE_U64,
  f16 = KILN_DTYPE_F16,
  bf16 = KILN_DTYPE_BF16,
  f32 = KILN_DTYPE_F32,
  f64 = KILN_DTYPE_F64,
  f8E4M3FN = KILN_DTYPE_F8E4M3FN,
  f8E5M2 = KILN_DTYPE_F8E5M2,
  f8E4M3FNUZ = KILN_DTYPE_F8E4M3FNUZ,
  f8E5M2FNUZ = KILN_DTYPE_F8E5M2FNUZ,
  f8E8M0FNU = KILN_DTYPE_F8E8M0FNU,
  f6E2M3FN = KILN_DTYPE_F6E2M3FN,
  f6E3M2FN = KILN_DTYPE_F6E3M2FN,
  f4E2M1FN = KILN_DTYPE_F4E2M1FN,
  index = KILN_DTYPE_INDEX,
  f8E4M3 = KILN_DTYPE_F8E4M3,
  f8E3M4 = KILN_DTYPE_F8E3M4,
  f8E4M3B11FNUZ = KILN_DTYPE_F8E4M3B11FNUZ,
};

/// The name as MLIR spells the type ("f32", "bf16", "i1", "ui8" as "u8").
std::string_view dtypeName(DType dtype);
/// The inverse of dtypeName; DType::none when the name is unknown. Accepts
/// "ui8" and "si8" as well.
DType parseDType(std::string_view name);
/// Bytes one element takes in memory; 0 for none.
int64_t dtypeBytes(DType dtype);
/// Bits that carry the value.
int dtypeBits(DType dtype);
bool isFloat(DType dtype);
bool isUnsigned(DType dtype);
/// The type without sign that an unsigned one has the bits of; others as they
/// are.
DType signlessType(DType dtype);
inline bool isInteger(DType dtype) {
  return dtype != DType::none && !isFloat(dtype);
}
/// Distance from 1 to the next value of a floating type; 0 for integers.
double dtypeEpsilon(DType dtype);
/// Element `index` of a buffer as a double (integers are converted).
double loadAsDouble(DType dtype, const void *data, int64_t index);
/// Element `index` of an integer buffer, sign- or zero-extended.
int64_t loadAsInt(DType dtype, const void *data, int64_t index);
/// Rounds to nearest even; integers are truncated and wrapped.
void storeDouble(DType dtype, void *data, int64_t index, double value);
void storeInt(DType dtype, void *data, int64_t index, int64_t value);

} // namespace kiln::runtime

#endif
