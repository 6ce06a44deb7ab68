//===- Reducer.h - The kernels of one reduction -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_REDUCER_H
#define KILN_LIB_SCHEDULE_REDUCER_H

#include "SpreadSums.h"
#include "kiln/Schedule/Schedules.h"
#include <optional>

namespace kiln::schedule {

/// One kernel, or two: where few instances would have much to reduce, several
/// share out a dimension and leave partial results in a workspace, from which a
/// second kernel makes the result.
class Reducer {
public:
  Reducer(Group &group, KernelBuilder &kernel, const Buffer &out)
      : group(group), plan(group.plan), kernel(kernel), out(out) {}

  /// Decides on tiles and blocks.
  void prepare();
  /// Whether the reductions are better kernels of their own.
  bool isSeparate() const { return separate; }
  /// Leaves dimensions of the grid without blocks.
  void keepGrid() { fills = false; }
  /// Whether tiles have several places of such dimensions.
  bool isFilled() const { return filled; }
  /// The group is a largest element, and what onlineSumOf finds for it goes
  /// here.
  void addSums(const Buffer &buffer) { sums = &buffer; }
  /// The group is a sum and what follows from it, and squared distances from
  /// that may be made as well.
  void addSquares(SquaresBehind &more) { squares = &more; }
  /// The group is a sum, and so is `other`, over the same dimensions: both are
  /// made from what is read, and the other one goes to `buffer`.
  void addPair(Group &other, const Buffer &buffer) {
    pair = &other;
    pairOut = &buffer;
    keepsShortLines = false;
  }
  /// Emits the bodies; `last` is the second kernel, made if it is needed.
  mlir::LogicalResult run(std::optional<KernelBuilder> &last);
  std::string reason;

private:
  void classify();
  void chooseBlocks();
  /// Finds a reduced dimension of which a line of memory holds several, side by
  /// side along a kept one, as the channels of groups are if channels lie
  /// innermost. The first kernel keeps both as one dimension, so that it reads
  /// whole lines, and the second one reduces it.
  void findShortLines(const llvm::SmallBitVector &isReduced);
  /// Blocks and parts of such a reduction; false if it needs no second kernel.
  bool shareShortLines();
  /// The dimensions of the second kernel, and what its tiles lie along.
  Space placeShortLines(KernelBuilder &last);
  /// What the second kernel reduces.
  llvm::SmallVector<int> joinedDims() const;
  /// One reduction, whose result decides all that is written.
  bool canSplit() const;
  bool isBetterShared() const;
  bool isNear(const target::TilingProblem &problem) const;
  bool widen(const target::TilingProblem &problem);
  void deepen();
  void fill();
  void askThreads(int64_t wanted);
  void split();
  void placeLoops();
  mlir::LogicalResult emitParts(TileBuilder &emitter, KernelBuilder &last);
  mlir::LogicalResult emitWhole(TileBuilder &emitter);
  /// The axes of tiles that are reduced.
  llvm::SmallVector<int> reducedAxes(const Space &space) const;
  void storeOnline(TileBuilder &emitter, llvm::ArrayRef<mlir::Value> pair);
  mlir::LogicalResult storeSquares(TileBuilder &emitter,
                                   llvm::ArrayRef<mlir::Value> tiles,
                                   llvm::ArrayRef<int> dims);
  /// The groups of a pair of sums.
  std::pair<Group *, Buffer> groupOfPair(bool isSecond) const {
    return isSecond ? std::pair(pair, *pairOut) : std::pair(&group, out);
  }
  /// Both sums of a pair, of an instance's elements.
  llvm::SmallVector<mlir::Value> emitPair(TileBuilder &emitter);
  /// Stores the results of a pair, from its sums in a kernel, which are added
  /// up along `dims`.
  mlir::LogicalResult storePair(KernelBuilder &last, const Space &axes,
                                llvm::ArrayRef<mlir::Value> sums,
                                llvm::ArrayRef<int> dims);
  /// Merges neighbours among dimensions.
  void mergeDims(llvm::ArrayRef<int> dims);
  /// The dimensions of the kernel that adds up parts, and what its tiles lie
  /// along.
  Space placeParts(KernelBuilder &last);
  /// Whether many parts of one result lie side by side: each block of the
  /// kernel that adds them up then reads whole lines of a few results, where
  /// it would read a few elements of the row of every part.
  bool hasPartsInLine() const;
  /// A buffer with one row for each part, of all that is kept, or with one row
  /// of parts for each result.
  Buffer allocateParts(mlir::Type element, AccessMap &map);

  Group &group;
  GroupPlan &plan;
  KernelBuilder &kernel;
  const Buffer &out;
  llvm::SmallVector<int> kept, reduced; ///< physical
  llvm::SmallVector<int> loops; ///< reduced dimensions of several blocks
  int vector = -1, rows = -1;
  int64_t parts = 1;
  int part = -1; ///< the dimension that counts parts, in both kernels
  bool separate = false;
  bool fills = true, filled = false;
  int along = -1; ///< the longest loop of those that parts share out
  /// A reduced dimension that the second kernel reduces, and the kept one that
  /// is merged into it in the first; -1: none.
  int later = -1, beside = -1;
  bool keepsShortLines = true; ///< false: `later` stays -1
  const Buffer *sums = nullptr;
  SquaresBehind *squares = nullptr;
  Group *pair = nullptr;
  const Buffer *pairOut = nullptr;
  Space space; ///< of tiles
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_REDUCER_H
