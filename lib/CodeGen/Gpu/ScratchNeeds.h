//===- ScratchNeeds.h - Shared memory that lowerings borrow -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some operations exchange elements through shared memory. What each of them
// borrows follows from its types and layouts alone, so that places and barriers
// are decided before there is any code of a thread. Beside each lowering stands
// a function that says what it will ask for.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_SCRATCHNEEDS_H
#define KILN_LIB_GPU_SCRATCHNEEDS_H

#include "ExchangeMachine.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::simt {

/// One piece of shared memory that an operation writes, then reads. Between the
/// two all threads of the block wait for each other.
struct ScratchNeed {
  int64_t bytes = 0;
  /// If positive, each warp has a part of so many bytes for itself, and only
  /// the lanes of a warp wait for each other.
  int64_t warpBytes = 0;
};
/// In the order in which they are used. Each begins when the one before has
/// been read.
using ScratchNeeds = llvm::SmallVector<ScratchNeed, 1>;

/// The threads of a block, and what needs depend on beside an operation.
struct BlockShape {
  int64_t lanes, warps;
  ExchangeMachine machine;
  target::TargetAttr description;

  BlockShape(int64_t lanes, int64_t warps, target::TargetAttr description)
      : lanes(lanes), warps(warps), machine(description),
        description(description) {}
  unsigned laneBits() const { return llvm::Log2_64(lanes); }
  unsigned warpBits() const { return llvm::Log2_64(warps); }
  int64_t threads() const { return lanes * warps; }
};

/// What an operation of a kernel with layouts borrows; nothing for most.
ScratchNeeds scratchNeeds(mlir::Operation *op, const BlockShape &block);

// Those of one lowering each.
ScratchNeeds reduceNeeds(tile::ReduceOp op, const BlockShape &block);
ScratchNeeds scanNeeds(tile::ScanOp op, const BlockShape &block);
ScratchNeeds sortNeeds(tile::SortOp op, const BlockShape &block);
ScratchNeeds histogramNeeds(tile::HistogramOp op);
ScratchNeeds movementNeeds(mlir::Operation *op, const BlockShape &block);
ScratchNeeds gatherNeeds(tile::GatherOp op);
ScratchNeeds extractNeeds(mlir::tensor::ExtractOp op);
ScratchNeeds atomicNeeds(mlir::Operation *op, const BlockShape &block);
ScratchNeeds inlineAsmNeeds(tile::InlineAsmOp op, const BlockShape &block);
/// Of what prints tiles, or asserts all elements of one.
ScratchNeeds outputNeeds(mlir::Operation *op);
ScratchNeeds productNeeds(MatrixProductOpInterface op, const BlockShape &block);
ScratchNeeds memoryProductNeeds(MatrixProductOpInterface op,
                                target::TargetAttr description);

/// What handing a value that one thread found to all threads takes, and the
/// elements of a tile to the threads that hold copies of them.
ScratchNeed firstCopyNeed();
ScratchNeed firstCopiesNeed(llvm::ArrayRef<int64_t> shape, mlir::Type element);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_SCRATCHNEEDS_H
