//===- Loops.h - How often loops run ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop of `scf` runs as often as its bounds say, to the ends of their type:
// the number behind the last one need not be a number of that type.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_LOOPS_H
#define KILN_INTERFACES_LOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln {

/// How often a loop over integers from `from` to `to` runs, in their type.
mlir::Value countTrips(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value from, mlir::Value to, mlir::Value step,
                       bool isUnsigned);

/// The `trip`th number of a loop from `from` on, from 0.
mlir::Value numberOfTrip(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value from, mlir::Value trip, mlir::Value step);

/// Replaces the loops in `root` over unsigned numbers, and those whose constant
/// bounds are too far apart, by loops over their trips: later passes, MLIR's
/// among them, take bounds for signed numbers and their distance for one.
void signLoops(mlir::Operation *root);

/// Replaces the loops in `root` by loops over their trips if the number behind
/// the last one may be beyond the type. Unknown ends of 64 bits, and of type
/// `index`, are sizes and places in memory, far from the largest number. For
/// the end of a pipeline, before loops become branches that add before they
/// compare.
void boundLoops(mlir::Operation *root);

} // namespace kiln

#endif // KILN_INTERFACES_LOOPS_H
