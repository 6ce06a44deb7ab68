// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of constant factors that the compiler makes.
#ifndef KILN_TARGETS_AMD_RECODEDCONSTANTS_H
#define KILN_TARGETS_AMD_RECODEDCONSTANTS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace kiln::amd {

/// Whether the elements of a value of 8-bit floats are known: a constant, or
/// one whose dimensions `prim.transpose` permutes.
bool isRecodable(mlir::Value value);

/// The elements of such a value times `factor`, rounded to the element type of
/// `type`, which has 8 or 16 bits; `isTurned`: of a matrix, transposed. `type`
/// has the shape of the result.
mlir::Attribute recode(mlir::Value value, mlir::RankedTensorType type,
                       double factor, bool isTurned);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_RECODEDCONSTANTS_H
