//===- TileLoop.h - Loops over tiles of any shape as one kernel -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `prim.while` whose body computes whole tensors of a few thousand elements:
// the cell of a recurrent network, for example. Unlike in WideLoop.h a tensor
// is a tile of its own shape, so that it can be multiplied, reduced along some
// of its dimensions, repeated and transposed. Blocks at computed places are
// read from memory, and written to tensors that lie there.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_TILELOOP_H
#define KILN_LIB_SCHEDULE_TILELOOP_H

#include "WideLoop.h"
#include <algorithm>

namespace kiln::schedule {

/// Emits such a loop. Tensors of one element are scalars.
class TileLoopBuilder : public WideLoopBuilder {
public:
  /// `mostThreads` threads at most have a tile together.
  TileLoopBuilder(KernelBuilder &kernel, prim::WhileOp op, bool sharesTiles,
                  int64_t mostThreads)
      : WideLoopBuilder(kernel, op, sharesTiles), mostThreads(mostThreads) {}

  std::optional<llvm::SmallVector<LoopState>> classify() override;

protected:
  std::optional<llvm::SmallVector<int64_t>>
  tileShape(mlir::Value value) const override;
  /// A block of many threads holds a panel of a matrix.
  int64_t mostElements() const override {
    constexpr int64_t kOfThread = 16;
    return sharesTiles ? std::clamp(kOfThread * mostThreads, kMostElements,
                                    4 * kMostElements)
                       : kMostElements;
  }
  mlir::Value compute(mlir::Operation *op) override;
  mlir::Value readTile(const Buffer &buffer, mlir::Value value) override;
  void writeTile(mlir::Value tile, const Buffer &buffer) override;
  /// Operands of products and the like are read where they are used.
  bool isReadOnce(mlir::Value value) const override { return !isWide(value); }
  mlir::LogicalResult emitUpdates(llvm::ArrayRef<LoopState> states,
                                  llvm::ArrayRef<Buffer> memories) override;

private:
  const int64_t mostThreads;

  /// A block of a tensor in memory that is written.
  struct Update {
    Buffer memory;
    llvm::SmallVector<mlir::Value> at;
    mlir::Value tile;
    prim::ScatterOp op;
  };

  /// The scatter of one window that makes `value` out of `argument`, or null.
  prim::ScatterOp updateOf(mlir::Value value, mlir::BlockArgument argument);
  mlir::FailureOr<Update> planUpdate(prim::ScatterOp op, const Buffer &memory);
  mlir::FailureOr<mlir::Value> coordinateOf(mlir::Value indices,
                                            int64_t number);
  void emitUpdate(const Update &update);

  /// The tile of a value, even where it has only one element.
  mlir::Value asTile(mlir::Value value);
  /// A tile with the elements of `result` as the tile or scalar of it.
  mlir::Value asResult(mlir::Value tile, mlir::Value result);
  mlir::Value reshapeTo(mlir::Value tile, llvm::ArrayRef<int64_t> shape);
  mlir::Value broadcast(prim::BroadcastInDimOp op);
  mlir::Value reduce(mlir::Operation *op);
  mlir::Value product(prim::DotGeneralOp op);
  /// An operand of a product as batches of matrices: kept by contracted
  /// dimensions, or the other way round.
  mlir::Value matrix(mlir::Value operand, llvm::ArrayRef<int64_t> batch,
                     llvm::ArrayRef<int64_t> contract, bool contractLast);
  mlir::Value block(prim::GatherOp op);
  mlir::Value slice(prim::SliceOp op);
  mlir::Value join(prim::CatOp op);
  mlir::Value iota(prim::IotaOp op);
  mlir::Value constant(prim::ConstantOp op);
  mlir::Value reshape(prim::ReshapeOp op);
  mlir::Value transpose(prim::TransposeOp op);
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_TILELOOP_H
