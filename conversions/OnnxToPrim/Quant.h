// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What quantised operators share. Private to the conversion.
#ifndef KILN_CONVERSIONS_ONNXTOPRIM_QUANT_H
#define KILN_CONVERSIONS_ONNXTOPRIM_QUANT_H

#include "Node.h"

namespace kiln::onnx_to_prim {

/// Rounds floats and limits them, with the zero point added, to the range of a
/// narrow type; `zero` is in i32, or null.
Value quantize(Node &n, Value scaled, Value zero, Type element);

/// An integer input in i32.
Value i32(Node &n, unsigned i);

/// An input without its zero point, in i32. One for each row or column stands
/// along the dimension before or behind the one that is summed.
Value centred(Node &n, unsigned i, unsigned point, int64_t fromEnd);

/// The scale of an operand behind a product of `rank` dimensions: one for all,
/// or one for each column.
Value scaleOf(Node &n, unsigned i, int64_t rank);

/// Bytes whose last dimension is of a known size as `count` integers of `bits`
/// bits each in i32, the low ones first.
Value unpackBits(Node &n, Value bytes, int64_t bits, int64_t count);

/// Mixtures of experts, quantised or not.
void addExpertRules(NodeRules &rules);

} // namespace kiln::onnx_to_prim

#endif // KILN_CONVERSIONS_ONNXTOPRIM_QUANT_H
