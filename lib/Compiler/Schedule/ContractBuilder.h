//===- ContractBuilder.h - The kernel of one product ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_CONTRACTBUILDER_H
#define KILN_LIB_SCHEDULE_CONTRACTBUILDER_H

#include "ColumnPieces.h"
#include "kiln/Schedule/Schedules.h"
#include <array>

namespace kiln::schedule {

/// The iteration dimensions of a product by role, outermost first.
struct ContractDims {
  llvm::SmallVector<int> batch, m, n, k;
};

/// Builds the kernel of one product.
class ContractBuilder {
public:
  /// `isSingleRow`: the kernel runs only where there is one row.
  ContractBuilder(Group &group, KernelBuilder &kernel, const Buffer &out,
                  bool isSingleRow = false)
      : group(group), kernel(kernel), out(out), isSingleRow(isSingleRow),
        anchor(group.plan.anchors.front()),
        dot(llvm::cast<prim::DotGeneralOp>(anchor.op)) {}

  /// Emits the bodies; `last` is the second kernel, made if it is needed.
  mlir::LogicalResult run(std::optional<KernelBuilder> &last);
  /// The number of rows, once it has run.
  Extent rows() const { return kernel.dims[tileM].size; }
  program::LaunchOp launch;
  std::string reason;

private:
  void findDims();
  /// Whether the factors exchange their sides: the result lies along its rows.
  bool liesAlongRows() const;
  void findRows(target::TilingProblem &problem);
  void chooseBlocks();
  /// The dimensions of a result's blocks, the one first along which instances
  /// follow each other.
  std::array<int, 2> gridOrder() const;
  /// Whether the time of the product is that of the lines of memory which an
  /// instance fetches, as rows begin within lines.
  bool isWorthPairing() const;
  /// Has pairs of instances run as a cluster in which both read the same
  /// blocks of one factor, and copy these for each other, where that pays or
  /// is asked for.
  void pairInstances();
  /// Ends the kernel and launches it, in whole pairs.
  void finish(Extent flops);
  /// Whether the result may have memory of what the epilogue reads: of two
  /// instances that compute an element, the later one would read the result.
  bool mayShareResult() const;
  /// Whether last blocks that begin earlier take less time: the sum is deep,
  /// and rows are whole accesses of threads.
  bool isWorthShifting() const;
  /// Whether the last blocks begin earlier, so that all of a block is in the
  /// operands: copy units are slow where it is not.
  bool shiftsEdges() const;
  void shiftEdges();
  /// Why threads cannot share out the blocks, which an option may ask for;
  /// empty where they can.
  std::string whyNoBlocks() const;
  /// Whether several instances may share out K.
  bool canSplit() const;
  /// Gives the parts of K a dimension, and each the blocks that it goes
  /// through.
  void split();
  /// Leaves a part's sum in memory, and makes the kernel that adds them up.
  mlir::LogicalResult storeParts(mlir::Value sum, TileBuilder &emitter,
                                 std::optional<KernelBuilder> &last);
  /// Whether tile.dot takes these types; if not, products are added one by one.
  bool hasDot() const {
    return hasTileDot(llvm::cast<mlir::RankedTensorType>(dot.getLhs().getType())
                          .getElementType(),
                      accumulator());
  }
  /// The only row, again for every column, so that each thread reads what it
  /// multiplies: columns x depth. Null where it is not read from memory as is.
  mlir::Value repeatedRow();
  /// Whether a block of columns may have two pieces.
  bool takesPieces() const;
  /// Whether the right factor's elements of a column's neighbours lie side by
  /// side.
  bool liesAlongColumns() const;
  /// The pieces of a block of columns, in tiles of the product.
  llvm::SmallVector<ColumnPiece, 2> findPieces() {
    const KernelDim &columns = kernel.dims[tileN];
    if (!takesPieces())
      return {{columns.block, columns.offset, columns.coord}};
    return findColumnPieces(kernel, tileM, tileN);
  }
  /// Gives tiles along the columns those of a piece from here on.
  void enter(const ColumnPiece &piece) { enterPiece(kernel, tileN, piece); }
  /// The product of a step, of a piece of the columns, added to `sum`.
  mlir::Value multiply(mlir::Value x, mlir::Value y, mlir::Value sum,
                       TileBuilder &lhs, TileBuilder &epilogue);
  /// What follows the product of a piece, and its store; false if it cannot be
  /// emitted.
  bool storeResult(mlir::Value sum);
  /// The left (0) or right factor.
  mlir::Value factor(unsigned side) const {
    return dot->getOperand(operandOf[side]);
  }
  /// The tile of a factor as a matrix of these two dimensions.
  mlir::Value operandTile(TileBuilder &emitter, unsigned side, int rows,
                          int cols);
  mlir::Type accumulator() const {
    return sumType(
        llvm::cast<mlir::RankedTensorType>(anchor.op->getResult(0).getType())
            .getElementType());
  }
  mlir::LogicalResult fail(const llvm::Twine &why) {
    reason = why.str();
    return mlir::failure();
  }

  Group &group;
  KernelBuilder &kernel;
  const Buffer &out;
  bool isSingleRow;
  const AnchorVisit &anchor;
  mutable prim::DotGeneralOp dot;
  /// Which operand each factor is.
  std::array<unsigned, 2> operandOf = {0, 1};
  ContractDims dims;
  int tileM = -1, tileN = -1, tileK = -1;
  int64_t parts = 1;
  int paired = -1;        ///< the dimension along which instances are pairs
  int part = -1;          ///< the dimension that counts parts, in both kernels
  bool isCluster = false; ///< instances of a block add up the sums of parts
  /// The dimension of the left factor that is a single row of a made-up one;
  /// where there are parts it can be padded for the matrix unit.
  int singleRow = -1;
  /// Where there are few rows, what the right factor lies along.
  int along = -1;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_CONTRACTBUILDER_H
