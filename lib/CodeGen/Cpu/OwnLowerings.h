//===- OwnLowerings.h - How the family lowers operations --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each operation, or for each kind of them. Those of the tile
// level are registered as lowerings of the family `cpu` by the files that hold
// them; a plug-in's of higher priority are asked before. The frame of a kernel
// has a table of its own: control flow, the grid, views, scalar pointers, and
// storage and regions of the stage level.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CPU_OWNLOWERINGS_H
#define KILN_LIB_CPU_OWNLOWERINGS_H

#include "KernelEmitter.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"

namespace kiln::tile {
class NumProgramsOp;
class ProgramIdOp;
} // namespace kiln::tile

namespace kiln::cpu {
class LoweringTable;

/// Registers the lowerings of the tile level.
void addOwnLowerings(target::TargetRegistry &registry);

// Each file's: addScanLowerings is in Scan.cpp.
void addFourierLowerings(LoweringTable &table);
void addInlineAsmLowerings(LoweringTable &table);
void addOutputLowerings(LoweringTable &table);
void addPointersLowerings(LoweringTable &table);
void addProductsLowerings(LoweringTable &table);
void addReduceLowerings(LoweringTable &table);
void addScanLowerings(LoweringTable &table);
void addStoreLowerings(LoweringTable &table);

/// The lowering of an operation of the frame; null for others.
using FrameLowering = mlir::LogicalResult (*)(mlir::Operation *,
                                              KernelEmitter &);
FrameLowering findFrameLowering(mlir::Operation *op);

// Frame.cpp
mlir::LogicalResult lowerProgramId(tile::ProgramIdOp op, KernelEmitter &e);
mlir::LogicalResult lowerNumPrograms(tile::NumProgramsOp op, KernelEmitter &e);
mlir::LogicalResult lowerDim(tile::DimOp op, KernelEmitter &e);
mlir::LogicalResult lowerNumBlocks(tile::NumBlocksOp op, KernelEmitter &e);
mlir::LogicalResult lowerMakeView(tile::MakeViewOp op, KernelEmitter &e);
/// Arithmetic on scalars, constants, and what is cloned as it is.
mlir::LogicalResult lowerScalar(mlir::Operation *op, KernelEmitter &e);

// ControlFlow.cpp
mlir::LogicalResult lowerFor(mlir::scf::ForOp op, KernelEmitter &e);
mlir::LogicalResult lowerIf(mlir::scf::IfOp op, KernelEmitter &e);
mlir::LogicalResult lowerWhile(mlir::scf::WhileOp op, KernelEmitter &e);

// Regions.cpp
/// Storage, or another view of it, as an address.
mlir::LogicalResult lowerStorage(mlir::Operation *op, KernelEmitter &e);
mlir::LogicalResult lowerCompute(stage::ComputeOp op, KernelEmitter &e);
mlir::LogicalResult lowerPrefetch(stage::PrefetchOp op, KernelEmitter &e);

// DirectSums.cpp
/// Notes where products may write what storage would only hold until it is
/// stored.
void findDirectSums(KernelEmitter &e, stage::StorageOpInterface alloc);

// DirectRows.cpp
/// Notes where products may read the rows of a view that storage in panels
/// would only be a copy of.
void findDirectRows(KernelEmitter &e, stage::StorageOpInterface alloc);
/// The address of a left operand's rows in the memory of a view.
Value directRowsAt(KernelEmitter &e, const DirectRows &rows,
                   stage::ProductOp product);
/// How many steps of such rows lie at which distance, level by level, as
/// micro-kernels are told (kRuns); null where they lie side by side.
mlir::DenseI64ArrayAttr runsOfSteps(const DirectRows &rows,
                                    stage::ProductOp product);

// Products.cpp
mlir::LogicalResult lowerProduct(stage::ProductOp op, KernelEmitter &e);
/// The operation as a product that micro-kernels compute; else null.
stage::ProductOp microProduct(mlir::Operation *op);
/// How many rows of the accumulator the last micro-kernel of a product writes,
/// if that is fewer than a whole block and it may be that.
std::optional<int64_t> lastRows(stage::ProductOp product);
/// A region that writes one panel of an operand.
mlir::LogicalResult lowerPack(stage::ComputeOp region,
                              stage::StorageWriteOpInterface write,
                              KernelEmitter &e);
bool writesPanels(stage::StorageWriteOpInterface write);
/// The instruction of all products in a loop, where it is to be prepared for
/// all of the loop; else null.
mlir::FlatSymbolRefAttr unitOf(KernelEmitter &e, mlir::Operation *nest);

// Pointers.cpp
mlir::LogicalResult lowerPtrAdd(tile::PtrAddOp op, KernelEmitter &e);
mlir::LogicalResult lowerPtrCast(tile::PtrCastOp op, KernelEmitter &e);
mlir::LogicalResult lowerPtrToInt(tile::PtrToIntOp op, KernelEmitter &e);
mlir::LogicalResult lowerIntToPtr(tile::IntToPtrOp op, KernelEmitter &e);

// Combine.cpp
/// What a store or an atomic operation combines: elements of the type that it
/// has, or floats whose bits they are.
mlir::Type combinedType(mlir::Operation *op, mlir::Type element);
/// *pointer = *pointer `kind` value, in storage types; returns the old one.
Value combineAtomically(KernelEmitter &e, mlir::LLVM::AtomicBinOp kind,
                        mlir::LLVM::AtomicOrdering order, mlir::Type element,
                        Value pointer, Value value);
/// *pointer = *pointer * value, in storage types.
void multiplyAtomically(KernelEmitter &e, mlir::Type element, Value pointer,
                        Value value);

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_OWNLOWERINGS_H
