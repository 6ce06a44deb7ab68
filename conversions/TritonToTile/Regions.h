// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow in regions, before the conversion proper.
#ifndef KILN_CONVERSIONS_TRITONTOTILE_REGIONS_H
#define KILN_CONVERSIONS_TRITONTOTILE_REGIONS_H

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"

namespace kiln::triton_to_tile {

/// Upstream's lifting, for functions and regions of tt.
struct LiftControlFlow : mlir::ControlFlowToSCFTransformation {
  mlir::FailureOr<mlir::Operation *>
  createUnreachableTerminator(mlir::Location loc, mlir::OpBuilder &builder,
                              mlir::Region &region) override;
};

/// Turns the blocks of a region of `op` into one block with scf.
mlir::LogicalResult liftRegion(mlir::Operation *op, mlir::Region &region);

/// Erases assertions in what a reduction or scan combines with, with a warning:
/// they would see partial results of an unspecified order.
void dropAssertions(mlir::Region &region);

/// Turns choices without effects and loops in them into selections.
void flattenRegion(mlir::Region &region);

} // namespace kiln::triton_to_tile

#endif // KILN_CONVERSIONS_TRITONTOTILE_REGIONS_H
