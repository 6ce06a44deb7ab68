//===- AttentionBuilder.h - The kernel of one attention ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_ATTENTIONBUILDER_H
#define KILN_LIB_SCHEDULE_ATTENTIONBUILDER_H

#include "AttentionParts.h"
#include "kiln/Dialect/Tile/ShapeOps.h"

namespace kiln::schedule {

/// Builds the kernel of one attention.
class AttentionBuilder {
public:
  AttentionBuilder(ScheduleContext &ctx, GroupPlan &plan, AttentionDims dims,
                   GroupPlan::InGroupFn inGroup, KernelBuilder &kernel,
                   mlir::Value root, const Buffer &out, const Buffer *sums)
      : ctx(ctx), plan(plan), dims(std::move(dims)),
        inGroup(std::move(inGroup)), kernel(kernel), b(kernel.b),
        loc(kernel.loc), root(root), out(out), sums(sums),
        anchor(plan.anchors.front()),
        op(mlir::cast<prim::AttentionOp>(anchor.op)),
        wide(sumType(mlir::getElementTypeOrSelf(op.getQuery().getType()))),
        ownProductRows(rowsOfThreadProducts(
            ctx.description, ctx.tiling.model(),
            mlir::getElementTypeOrSelf(op.getQuery().getType()),
            std::max(op.getQuery().getType().getShape().back(),
                     op.getValue().getType().getShape().back()))),
        isThreaded(ownProductRows ||
                   multipliesWithThreads(
                       ctx.description, ctx.tiling.model(),
                       mlir::getElementTypeOrSelf(op.getQuery().getType()))),
        weights(isThreaded && ctx.options.get("attention") != "wide"
                    ? mlir::getElementTypeOrSelf(op.getValue().getType())
                    : wide),
        isPowerOfTwo(weights != wide && op.getScale().convertToDouble() > 0) {}

  mlir::LogicalResult run();
  std::string reason;

private:
  /// What is carried over blocks of keys.
  struct Softmax {
    mlir::Value largest, sum, result;
  };
  /// Of a block of keys: the exponentials, and what earlier results are
  /// multiplied by, as there is a new largest score.
  struct Weights {
    mlir::Value largest, power, factor;
  };

  // AttentionBlocks.cpp
  void chooseBlocks();
  void chooseThreadedBlocks();
  bool hasTallWarps(int64_t rows, int64_t keys) const;
  /// Whether cores have several instances, so that one computes while others
  /// wait for what they load.
  bool sharesCores() const;
  void chooseParts();
  void placeGrid();
  void placeInBands();
  /// Whether at most one block of keys is cut, the last one of an instance, so
  /// that one loop can begin with it.
  bool cutsOne();

  // AttentionSchedule.cpp
  /// Through the blocks from `first` on; `isBackwards`: all of them, from the
  /// last one to the first, of which the last alone is cut.
  Softmax loop(mlir::Value first, mlir::Value last, bool isCut,
               const Softmax &before, bool isBackwards = false);
  /// All loops, or those for this instance's part of the keys.
  Softmax loops(Softmax all);
  /// A tile with the single element of dimensions that the plan does not have:
  /// behind the one of a head are zeros, and rows of one query are copies.
  mlir::Value withoutCopies(mlir::Value tile);
  /// Whether movements alone stand between attention and what is stored, so
  /// that a tile may hold queries of several heads.
  bool isMovedOnly();
  /// Divides by the sum of the exponentials, and stores.
  mlir::LogicalResult storeResult(const Softmax &all);
  /// Stores the logarithm of the sum of the exponentials.
  void storeSums(const Softmax &all);
  /// Stores what the kernel that combines the parts reads.
  PartialSoftmax storePart(const Softmax &all);
  Softmax step(const Softmax &before, bool isCut);
  mlir::Value scores();
  mlir::Value masked(mlir::Value score, double unit, bool isCut);
  Weights weigh(mlir::Value largest, bool isCut);
  Weights weighByPowersOfTwo(mlir::Value largest, bool isCut);
  /// What exponentials count from: the largest score, or zero where there are
  /// none yet, so that all exponentials are zero.
  mlir::Value shiftOf(mlir::Value largest);
  /// The rows of a tile, each reduced to one element.
  template <typename Op> mlir::Value reduce(mlir::Value tile);

  TileBuilder tiles(int rows, int columns) {
    return TileBuilder(kernel, plan, inGroup, Space{{rows, columns}});
  }
  /// The same where rows are queries of several heads: with a dimension for
  /// each.
  TileBuilder parted(int rows, int columns) {
    Space space{{rows, columns}};
    if (rows == dims.query)
      space.axes.insert(space.axes.begin(), rowDims.begin(), rowDims.end());
    return TileBuilder(kernel, plan, inGroup, space);
  }
  /// The tile of an operand as a matrix, in type `element`.
  mlir::Value operand(unsigned number, int rows, int columns,
                      mlir::Type element);
  mlir::Value splat(double value, int64_t rows, int64_t columns) {
    auto type = mlir::RankedTensorType::get({rows, columns}, wide);
    return mlir::arith::ConstantOp::create(
        b, loc,
        mlir::DenseElementsAttr::get(
            type, mlir::Attribute(mlir::FloatAttr::get(wide, value))));
  }
  int64_t block(int dim) const { return kernel.dims[dim].block; }
  /// The rows of tiles.
  int64_t numRows() const {
    int64_t rows = block(dims.query);
    for (int dim : rowDims)
      rows *= block(dim);
    return rows;
  }
  mlir::Value across(mlir::Value column, int64_t columns) {
    auto type = mlir::cast<mlir::RankedTensorType>(column.getType());
    return tile::BroadcastOp::create(
        b, loc, type.clone({type.getDimSize(0), columns}), column);
  }
  template <typename Op> mlir::Value make(mlir::Value x, mlir::Value y) {
    return Op::create(b, loc, x, y);
  }

  ScheduleContext &ctx;
  GroupPlan &plan;
  AttentionDims dims;
  GroupPlan::InGroupFn inGroup;
  KernelBuilder &kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value root;
  const Buffer &out;
  const Buffer *sums; ///< for the logarithm of the sums, if it is wanted
  const AnchorVisit &anchor;
  prim::AttentionOp op;
  mlir::Type wide;
  /// The most queries of a tile where each thread multiplies for itself, else
  /// 0.
  int64_t ownProductRows;
  /// Threads share tiles.
  bool isThreaded;
  mlir::Type weights; ///< of what multiplies the values
  /// Weights that are rounded to few bits are powers of two that chips compute
  /// at once.
  bool isPowerOfTwo;
  MaskBound bound;
  /// Heads that are rows of the tile beside the queries, whose block is whole.
  llvm::SmallVector<int> rowDims;
  std::vector<KeyPiece> pieces;
  const KeyPiece *piece = nullptr; ///< that a loop goes through
  int part = -1;     ///< the dimension of instances that share out keys, if any
  mlir::Value query; ///< the tile
  /// Of the blocks of keys.
  mlir::Value cut, end;
  /// Keys of a tile are so many that products and exponentials overlap.
  bool overlaps = false;
  /// In a loop that begins with the last block, which alone is cut: whether a
  /// block is that one. Else null.
  mlir::Value isLastBlock;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_ATTENTIONBUILDER_H
