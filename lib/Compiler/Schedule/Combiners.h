//===- Combiners.h - How reductions combine elements ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_COMBINERS_H
#define KILN_LIB_SCHEDULE_COMBINERS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"

namespace kiln::schedule {

enum class Combiner { Sum, Product, Largest, Smallest };

/// Returns how a reduction or a pooling of prim combines two elements.
Combiner combinerOf(mlir::Operation *reduction);

/// Returns the type of a reduction's partial results: sums and products of
/// floats of 16 bits are f32, others have the elements' type.
mlir::Type partialType(mlir::Operation *reduction, mlir::Type element);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_COMBINERS_H
