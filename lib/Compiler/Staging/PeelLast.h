//===- PeelLast.h - Ends of a pipelined loop --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_STAGING_PEELLAST_H
#define KILN_LIB_STAGING_PEELLAST_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace kiln::staging {

/// Marks the operations of the last step, in the copies that pipelining makes.
inline constexpr llvm::StringLiteral kOfLastStep = "stage.of_last_step";

/// Whether a loop has at least one iteration, whatever a launch gives.
bool hasIterations(mlir::scf::ForOp loop);

/// Says of the numbers of later iterations in a pipelined loop that they do not
/// wrap around: where they would there is no such iteration, and nothing is
/// done for it. Sums of the program, the `given` operations, may wrap.
void markNumbers(mlir::scf::ForOp loop,
                 const llvm::SmallPtrSetImpl<mlir::Operation *> &given);

/// Ends a pipelined loop that has iterations one iteration earlier. Behind it
/// stands what the marked operations do in that iteration: there is no further
/// one, for which the others would do anything.
void peelLast(mlir::scf::ForOp loop);

/// Takes the tiles that are chosen by a number that is known where a pipelined
/// loop stands, such as whether an iteration is the first one, and does at once
/// what is guarded by one that is true.
void foldChoices(mlir::Block &block);

} // namespace kiln::staging

#endif // KILN_LIB_STAGING_PEELLAST_H
