//===- OwnLowerings.h - How the family lowers tiles in registers -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each operation, or for each kind of them. OwnLowerings.cpp
// registers them beside the functions that say what they borrow of shared
// memory (ScratchNeeds.h).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_OWNLOWERINGS_H
#define KILN_LIB_GPU_OWNLOWERINGS_H

#include "KernelWalk.h"

namespace kiln::tile {
class AssertOp;
class DimOp;
class ExchangeOp;
class GatherOp;
class GridCoordinatesOp;
class HistogramOp;
class InlineAsmOp;
class InstanceIdOp;
class LoadPtrOp;
class MakeViewOp;
class NumBlocksOp;
class NumInstancesOp;
class NumProgramsOp;
class PrintOp;
class ProgramIdOp;
class ReduceOp;
class ScanOp;
class SortOp;
class StorePtrOp;
} // namespace kiln::tile

namespace kiln::simt {

/// Registers all of them.
void addOwnLowerings(target::TargetRegistry &registry);

// Scalars.cpp
mlir::LogicalResult lowerElementwise(mlir::Operation *op, KernelWalk &w);
mlir::LogicalResult lowerConstant(mlir::arith::ConstantOp op, KernelWalk &w);
/// Arithmetic on scalars, also in regions of other operations.
mlir::LogicalResult lowerScalar(mlir::Operation *op, KernelWalk &w);

// ControlFlow.cpp
mlir::LogicalResult lowerFor(mlir::scf::ForOp op, KernelWalk &w);
mlir::LogicalResult lowerIf(mlir::scf::IfOp op, KernelWalk &w);
mlir::LogicalResult lowerWhile(mlir::scf::WhileOp op, KernelWalk &w);

// Movement.cpp
mlir::LogicalResult lowerMovement(mlir::Operation *op, KernelWalk &w);
mlir::LogicalResult lowerExchange(tile::ExchangeOp op, KernelWalk &w);
mlir::LogicalResult lowerGather(tile::GatherOp op, KernelWalk &w);
mlir::LogicalResult lowerExtract(mlir::tensor::ExtractOp op, KernelWalk &w);

// Access.cpp, Pointers.cpp
mlir::LogicalResult lowerViewAccess(ViewAccessOpInterface op, KernelWalk &w);
mlir::LogicalResult lowerPointerOp(mlir::Operation *op, KernelWalk &w);
mlir::LogicalResult lowerLoadPtr(tile::LoadPtrOp op, KernelWalk &w);
mlir::LogicalResult lowerStorePtr(tile::StorePtrOp op, KernelWalk &w);
mlir::LogicalResult lowerAtomicOp(mlir::Operation *op, KernelWalk &w);
/// The register bits of the vectors that one access through pointers takes.
llvm::SmallVector<unsigned> vectorsOf(KernelWalk &w, mlir::Value pointers,
                                      mlir::Value mask);

// Reduce.cpp, Scan.cpp, Dot.cpp
mlir::LogicalResult lowerReduce(tile::ReduceOp op, KernelWalk &w);
mlir::LogicalResult lowerScan(tile::ScanOp op, KernelWalk &w);
mlir::LogicalResult lowerSort(tile::SortOp op, KernelWalk &w);
mlir::LogicalResult lowerHistogram(tile::HistogramOp op, KernelWalk &w);
mlir::LogicalResult lowerProduct(mlir::Operation *op, KernelWalk &w);

// InlineAsm.cpp, Output.cpp
mlir::LogicalResult lowerInlineAsm(tile::InlineAsmOp op, KernelWalk &w);
mlir::LogicalResult lowerPrint(tile::PrintOp op, KernelWalk &w);
mlir::LogicalResult lowerAssert(tile::AssertOp op, KernelWalk &w);

// Grid.cpp
mlir::LogicalResult lowerProgramId(tile::ProgramIdOp op, KernelWalk &w);
mlir::LogicalResult lowerNumPrograms(tile::NumProgramsOp op, KernelWalk &w);
mlir::LogicalResult lowerInstanceId(tile::InstanceIdOp op, KernelWalk &w);
mlir::LogicalResult lowerNumInstances(tile::NumInstancesOp op, KernelWalk &w);
mlir::LogicalResult lowerGridCoordinates(tile::GridCoordinatesOp op,
                                         KernelWalk &w);
mlir::LogicalResult lowerMakeView(tile::MakeViewOp op, KernelWalk &w);
mlir::LogicalResult lowerDim(tile::DimOp op, KernelWalk &w);
mlir::LogicalResult lowerNumBlocks(tile::NumBlocksOp op, KernelWalk &w);

// Staged.cpp, StagedCopies.cpp
mlir::LogicalResult lowerRing(stage::RingOp op, KernelWalk &w);
mlir::LogicalResult lowerAlloc(stage::AllocOp op, KernelWalk &w);
mlir::LogicalResult lowerProduce(stage::ProduceOp op, KernelWalk &w);
mlir::LogicalResult lowerConsume(stage::ConsumeOp op, KernelWalk &w);
mlir::LogicalResult lowerRelease(stage::ReleaseOp op, KernelWalk &w);
mlir::LogicalResult lowerRead(stage::ReadOp op, KernelWalk &w);
mlir::LogicalResult lowerCopy(stage::CopyOp op, KernelWalk &w);
mlir::LogicalResult lowerWrite(stage::WriteOp op, KernelWalk &w);
/// A copy, or a load that becomes one; false for anything else.
bool fillStorage(mlir::Operation *op, KernelWalk &w);
/// Fills slots where a condition holds, without a branch: each copy asks for
/// itself, and the code around stays in one piece. Nothing where there is more
/// under the condition.
std::optional<mlir::LogicalResult> fillSlots(mlir::scf::IfOp op, KernelWalk &w);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_OWNLOWERINGS_H
