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

} // namespace kiln::onnx_to_prim

#endif // KILN_CONVERSIONS_ONNXTOPRIM_QUANT_H
