//===- Assigner.h - Gives tiles their layouts -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_ASSIGNER_H
#define KILN_LIB_GPU_ASSIGNER_H

#include "LayoutChoice.h"
#include "LayoutRules.h"
#include "ProductChoice.h"
#include "RegisterCandidates.h"
#include "ThreadWriter.h"
#include "kiln/Analysis/TileSteps.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Interfaces/MatrixProduct.h"

namespace kiln::simt {

/// Goes through a kernel once, in program order. What costs nothing to make
/// waits until a layout is asked for, and is made in that one; everything else
/// gets one layout and is converted where another is needed.
class Assigner {
public:
  Assigner(tile::Kernel kernel, int64_t lanes, int64_t warps)
      : kernel(kernel), b(kernel.getContext()), lanes(lanes), warps(warps),
        description(target::getDescription(kernel)),
        block(kernel, lanes, warps, description) {}

  mlir::LogicalResult run();

private:
  using Basis = LayoutAttr::Basis;

  LayoutAttr canonical(llvm::ArrayRef<int64_t> shape);
  /// Threads take vectors of `count` neighbours along `dim`, and the axis that
  /// is reduced last. Warps share an axis that is scanned only where nothing
  /// else is left.
  LayoutAttr blocked(llvm::ArrayRef<int64_t> shape, int dim, int64_t count,
                     int64_t across = 1);
  LayoutAttr canonical(mlir::Value tile) {
    return canonical(
        mlir::cast<mlir::RankedTensorType>(tile.getType()).getShape());
  }
  /// A layout whose lanes access as many neighbours at once as can be: of this
  /// access, or with `isShared` of all accesses of tiles of its shape.
  LayoutAttr ofAccess(ViewAccessOpInterface access, bool isShared = true);
  int findNearest(ViewAccessOpInterface access);
  /// How many neighbours along the other dimension than `dim` each thread loads
  /// of a tile whose vectors lie along `dim`.
  int64_t countAcross(mlir::Value tile, int dim);
  LayoutAttr ofProduct(mlir::Operation *op);
  /// Whether neighbours of a loaded factor along a dimension, rather than along
  /// the other one, are side by side in memory.
  bool liesAlong(mlir::Value factor, int dim);
  /// How a product is computed. A lowering of a plug-in takes operands from
  /// registers.
  std::optional<ProductChoice> choiceOf(MatrixProductOpInterface product);
  /// The layout that a tile has or will have, as far as can be told before it
  /// is reached.
  LayoutAttr predict(mlir::Value tile, unsigned depth = 0);
  bool isDeferred(mlir::Operation *op);
  /// The layout that an operand needs for its result to have one.
  std::optional<LayoutAttr> operandLayout(mlir::OpOperand &operand,
                                          LayoutAttr layout);
  /// The layout that an undecided tile has where its elements stay in the
  /// registers that they come from; null where they are in none yet, or where
  /// some would be copied.
  LayoutAttr handedOn(mlir::Value tile,
                      llvm::function_ref<LayoutAttr(mlir::Value)> layoutOf);
  LayoutAttr handedOn(mlir::Value tile);
  LayoutAttr handedOn(mlir::Value tile, unsigned &budget);
  mlir::Value require(mlir::Value tile, LayoutAttr layout);
  /// Bytes of a thread that are exchanged in an iteration of a loop, whose body
  /// is `block`, for a tile to have another layout.
  int64_t costAgain(mlir::Value tile, LayoutAttr layout, mlir::Block *block,
                    unsigned depth = 0);
  /// Whether a tile of a loop is computed again in another layout rather than
  /// converted, since what it is computed from takes less.
  bool isWorthAgain(mlir::Value tile, LayoutAttr layout);
  mlir::Value makeAgain(mlir::Value tile, LayoutAttr layout);
  /// A layout it has, or the usual one.
  LayoutAttr settle(mlir::Value tile);
  void requireOperand(mlir::OpOperand &operand, LayoutAttr layout) {
    operand.set(require(operand.get(), layout));
  }
  void setResult(mlir::Value result, LayoutAttr layout) {
    result.setType(withLayout(result.getType(), layout));
  }
  void requireAll(mlir::Operation *op, LayoutAttr layout, bool results = true);

  void assignBlock(mlir::Block *block);
  void assign(mlir::Operation *op);
  void assignByRule(mlir::Operation *op);
  /// The rule of an operation whose tiles have layouts by `layoutOf`: of the
  /// first one of a range that has one.
  LayoutRule ruleOf(mlir::Operation *op,
                    llvm::function_ref<LayoutAttr(mlir::ValueRange)> layoutOf);
  void assignAccess(ViewAccessOpInterface access);
  bool hasAll(LayoutAttr layout, int64_t elements) const;
  /// The layout in which a row of few elements is used, where each thread loads
  /// its elements by few instructions in that one; null elsewhere. `usual` is
  /// the layout in which it is loaded best.
  LayoutAttr ofRow(ViewAccessOpInterface access, LayoutAttr usual);
  /// The layout of a load that is split along its last dimension, and that
  /// threads share out by less than what two instructions bring: each thread
  /// that needs some of the parts loads all of these. Null elsewhere.
  LayoutAttr ofSplit(ViewAccessOpInterface access, LayoutAttr usual);
  /// The layout of the list that names each element of a load, where nothing
  /// tells which of them are neighbours: no other takes fewer instructions, and
  /// any other takes an exchange. Null elsewhere, and where the list has none.
  LayoutAttr ofListed(ViewAccessOpInterface access);
  /// The layout in which a product has `tile`, or what element-wise operations
  /// make of it, in registers as its left factor, each warp its own rows; null
  /// where none has.
  LayoutAttr wantedByProduct(mlir::Value tile);
  /// The layout of a tile that `tile` meets in an element-wise operation, as
  /// that tile's elements are spread over those of `tile`; null where none has
  /// one yet. At most `budget` operations are looked at. With `skipsOpen`,
  /// tiles that have no layout of their own yet tell nothing.
  LayoutAttr wantedLayout(mlir::Value tile, unsigned &budget,
                          bool skipsOpen = false);
  /// The layout of an access whose neighbours lie as `along` says, in which
  /// warps have the elements that they have in `has`, if it can be; else
  /// `best`.
  LayoutAttr keepWarps(const Contiguity &along, LayoutAttr best,
                       LayoutAttr has);
  bool assignPointers(mlir::Operation *op);
  void assignLoop(mlir::scf::ForOp loop);
  void assignIf(mlir::scf::IfOp op);
  void assignWhile(mlir::scf::WhileOp op);
  void assignYield(mlir::Operation *yield, mlir::ValueRange like,
                   unsigned skip = 0);

  tile::Kernel kernel;
  mlir::OpBuilder b;
  int64_t lanes, warps;
  target::TargetAttr description;
  BlockShape block;
  index::Analysis scalars;
  tile::AxisAnalysis facts{scalars};
  tile::TileSteps steps{scalars};
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> made;
  llvm::DenseMap<mlir::Attribute, Contiguity> widest; ///< by shape
  llvm::DenseMap<mlir::Attribute, int>
      reduced; ///< the axis of reductions, by shape; -1: several
  llvm::DenseMap<mlir::Attribute, int> scanned; ///< the same of scans
  bool replaces = false; ///< some tiles may have no use any more
};

/// An access through a tile of pointers.
struct PointerAccess {
  mlir::Value pointers, mask, stored;
  bool isAtomic = false;
  int64_t together = 1; ///< neighbours that an atomic instruction adds at most
};
std::optional<PointerAccess> getPointerAccess(mlir::Operation *op);

inline bool isTile(mlir::Type type) {
  return mlir::isa<mlir::RankedTensorType>(type);
}

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value tile) {
  return mlir::cast<mlir::RankedTensorType>(tile.getType()).getShape();
}

} // namespace kiln::simt

#endif // KILN_LIB_GPU_ASSIGNER_H
