// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments and results that prim has no type for. Private to the conversion.
#ifndef KILN_CONVERSIONS_STABLEHLOTOPRIM_BOUNDARY_H
#define KILN_CONVERSIONS_STABLEHLOTOPRIM_BOUNDARY_H

#include "mlir/IR/BuiltinOps.h"

namespace kiln::stablehlo_to_prim {

/// Complex tensors, tuples and tokens among the arguments and results of the
/// functions that are converted become real tensors.
void expandBoundaries(mlir::ModuleOp module,
                      llvm::ArrayRef<std::string> entries);

} // namespace kiln::stablehlo_to_prim

#endif // KILN_CONVERSIONS_STABLEHLOTOPRIM_BOUNDARY_H
