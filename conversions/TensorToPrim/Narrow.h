// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of widths that prim lacks lie in the next wider type, extended by
// their sign. Private to the conversions of functions on tensors.
#ifndef KILN_CONVERSIONS_TENSORTOPRIM_NARROW_H
#define KILN_CONVERSIONS_TENSORTOPRIM_NARROW_H

#include "Translator.h"

namespace kiln::tensor_to_prim {

/// How many bits of the element that stands for one of `type` are no bits of
/// it; 0 for all types that prim has.
unsigned spareBits(mlir::Type type);

/// The low bits of `value`, extended by the sign of `type`.
mlir::Value wrapTo(mlir::Type type, mlir::Value value, Translator &e);

/// What stands for an element of `type`, with zeros in the bits beyond it.
mlir::Value clearSpare(mlir::Type type, mlir::Value value, Translator &e);

} // namespace kiln::tensor_to_prim

#endif // KILN_CONVERSIONS_TENSORTOPRIM_NARROW_H
