//===- OwnLowerings.h - How the family lowers operations --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each operation, or for each kind of them. Those of the tile
// level are registered as lowerings of the family `cpu`, before which a
// plug-in's of higher priority are asked. The frame of a kernel has a table of
// its own: control flow, the grid, views, scalar pointers, and storage and
// regions of the stage level.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CPU_OWNLOWERINGS_H
#define KILN_LIB_CPU_OWNLOWERINGS_H

#include "KernelEmitter.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/FourierOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"

namespace kiln::tile {
class NumProgramsOp;
class ProgramIdOp;
} // namespace kiln::tile

namespace kiln::cpu {

/// Registers the lowerings of the tile level.
void addOwnLowerings(target::TargetRegistry &registry);

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

// DirectSums.cpp
/// Notes where products may write what storage would only hold until it is
/// stored.
void findDirectSums(KernelEmitter &e, stage::AllocOp alloc);

// Products.cpp
mlir::LogicalResult lowerProduct(stage::ProductOp op, KernelEmitter &e);
mlir::LogicalResult lowerPrefetch(stage::PrefetchOp op, KernelEmitter &e);
/// A region that writes one panel of an operand.
mlir::LogicalResult lowerPack(stage::ComputeOp region, stage::WriteOp write,
                              KernelEmitter &e);
bool writesPanels(stage::WriteOp write);
/// A matmul that was kept whole because a plug-in might have taken it.
mlir::LogicalResult lowerDot(MatrixProductOpInterface op, KernelEmitter &e);
/// The instruction of all products in a loop, where it is to be prepared for
/// all of the loop; else null.
mlir::FlatSymbolRefAttr unitOf(KernelEmitter &e, mlir::Operation *nest);

// Reduce.cpp, Scan.cpp, Fourier.cpp
mlir::LogicalResult lowerReduce(tile::ReduceOp op, KernelEmitter &e);
mlir::LogicalResult lowerScan(tile::ScanOp op, KernelEmitter &e);
mlir::LogicalResult lowerGather(tile::GatherOp op, KernelEmitter &e);
mlir::LogicalResult lowerSort(tile::SortOp op, KernelEmitter &e);
mlir::LogicalResult lowerFourier(tile::FourierOp op, KernelEmitter &e);
mlir::LogicalResult lowerHistogram(tile::HistogramOp op, KernelEmitter &e);
mlir::LogicalResult lowerJoin(tile::JoinOp op, KernelEmitter &e);
mlir::LogicalResult lowerSplit(tile::SplitOp op, KernelEmitter &e);

// Store.cpp
mlir::LogicalResult lowerStore(ViewAccessOpInterface op, KernelEmitter &e);

// Pointers.cpp
mlir::LogicalResult lowerPtrAdd(tile::PtrAddOp op, KernelEmitter &e);
mlir::LogicalResult lowerPtrCast(tile::PtrCastOp op, KernelEmitter &e);
mlir::LogicalResult lowerPtrToInt(tile::PtrToIntOp op, KernelEmitter &e);
mlir::LogicalResult lowerIntToPtr(tile::IntToPtrOp op, KernelEmitter &e);
mlir::LogicalResult lowerLoadPtr(tile::LoadPtrOp op, KernelEmitter &e);
mlir::LogicalResult lowerStorePtr(tile::StorePtrOp op, KernelEmitter &e);
mlir::LogicalResult lowerAtomicRMW(tile::AtomicRMWOp op, KernelEmitter &e);
mlir::LogicalResult lowerAtomicCAS(tile::AtomicCASOp op, KernelEmitter &e);

// Combine.cpp
/// What a store or an atomic operation combines: elements of the type that it
/// has, or floats whose bits they are.
mlir::Type combinedType(mlir::Operation *op, mlir::Type element);
/// *pointer = *pointer `kind` value, in storage types; returns the old one.
Value combineAtomically(KernelEmitter &e, mlir::LLVM::AtomicBinOp kind,
                        mlir::LLVM::AtomicOrdering order, mlir::Type element,
                        Value pointer, Value value);

// Output.cpp, InlineAsm.cpp
mlir::LogicalResult lowerAssert(tile::AssertOp op, KernelEmitter &e);
mlir::LogicalResult lowerPrint(tile::PrintOp op, KernelEmitter &e);
mlir::LogicalResult lowerInlineAsm(tile::InlineAsmOp op, KernelEmitter &e);

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_OWNLOWERINGS_H
