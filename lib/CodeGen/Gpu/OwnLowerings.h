//===- OwnLowerings.h - How the family lowers tiles -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each operation, or for each kind of them. A file registers
// its lowerings itself, together with what they borrow and with the layouts of
// their tiles: an operation that a file comes to lower is named in this file
// alone.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_OWNLOWERINGS_H
#define KILN_LIB_GPU_OWNLOWERINGS_H

#include "ThreadWriter.h"

namespace kiln::simt {
class LoweringTable;

/// Registers all of them.
void addOwnLowerings(target::TargetRegistry &registry);

// Each file's: addScanLowerings is in Scan.cpp.
void addAccessLowerings(LoweringTable &table);
void addControlFlowLowerings(LoweringTable &table);
void addDotLowerings(LoweringTable &table);
void addGridLowerings(LoweringTable &table);
void addInlineAsmLowerings(LoweringTable &table);
void addMovementLowerings(LoweringTable &table);
void addOutputLowerings(LoweringTable &table);
void addPointersLowerings(LoweringTable &table);
void addReduceLowerings(LoweringTable &table);
void addScalarsLowerings(LoweringTable &table);
void addScanLowerings(LoweringTable &table);
void addSortLowerings(LoweringTable &table);
void addStagedLowerings(LoweringTable &table);
void addStagedCopiesLowerings(LoweringTable &table);
// LayoutRules.cpp
void addPairLayouts(LoweringTable &table);

// Scalars.cpp
/// Arithmetic on scalars, also in regions of other operations.
mlir::LogicalResult lowerScalar(mlir::Operation *op, ThreadWriter &w);

// Pointers.cpp
/// The register bits of the vectors that one access through pointers takes.
llvm::SmallVector<unsigned> vectorsOf(ThreadWriter &w, mlir::Value pointers,
                                      mlir::Value mask);

// Staged.cpp, StagedCopies.cpp
/// The condition that an operation of a kernel which fills a slot is under.
FillCondition conditionOf(mlir::Operation *op, ThreadWriter &w);
/// A copy, or a load that becomes one; false for anything else.
mlir::FailureOr<bool> fillStorage(mlir::Operation *op, ThreadWriter &w);
/// Fills slots where a condition holds, without a branch: each copy asks for
/// itself, and the code around stays in one piece. Nothing where there is more
/// under the condition.
std::optional<mlir::LogicalResult> fillSlots(mlir::scf::IfOp op,
                                             ThreadWriter &w);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_OWNLOWERINGS_H
