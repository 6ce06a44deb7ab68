//===- PartSums.h - Partial accumulators of split-K -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Split-K: several instances share the depth of a matmul. Each leaves its
// partial accumulator in a workspace. A second kernel adds the partial
// accumulators, always in the same order, and applies the epilogue. Where the
// description asks for it, the instances of a block wait for each other, as a
// cluster, and do both themselves, each for as many columns.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_PARTSUMS_H
#define KILN_LIB_SCHEDULE_PARTSUMS_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// A loop over the blocks of `dim` goes through those of the instance's part:
/// neighbours, as many for each part but the last.
void limitLoop(KernelBuilder &kernel, int dim, int part);

/// Whether the instances that share the depth of a block wait for each other
/// and add up their sums, each for some columns (tiling::addsInCluster); of the
/// dimensions of the kernel, `part` counts them.
bool addInCluster(const KernelBuilder &kernel, int part, int row, int column,
                  target::TargetAttr description);

/// The dimension of the left factor, which must be in memory, that has its only
/// row; -1 if there is none. Only where its rows are all single ones.
int singleRowOf(Group &group, prim::DotGeneralOp dot);

/// The sums of the parts in memory, and the kernel that adds them up.
class PartSums {
public:
  /// `part`: the dimension of both kernels that counts parts; `column`: the
  /// innermost one of the product.
  PartSums(Group &group, const AnchorVisit &anchor, int part, int column)
      : group(group), anchor(anchor), part(part), column(column) {}

  llvm::SmallVector<int> kept; ///< dimensions of the product, outermost first
  Buffer buffer;               ///< for each part all that is kept
  AccessMap map;               ///< of the buffer
  std::string reason;

  /// Makes the buffer.
  void allocate(KernelBuilder &first, mlir::Type accumulator);
  /// The body of the second kernel, whose result goes to `out`.
  mlir::LogicalResult emit(KernelBuilder &last, const KernelBuilder &first,
                           const Buffer &out);

  /// Adds up sums of `kernel` with those of the instances of its cluster.
  /// Pairs of instances each leave half of their columns to the other one, and
  /// go on with the rest: the order of additions is that of the parts. Returns
  /// the sums of the columns that are left, which tiles along `column` have
  /// from here on. `rows` is their other dimension; `place` sets the
  /// coordinates of one of the sums.
  llvm::SmallVector<mlir::Value>
  exchange(KernelBuilder &kernel, int rows, llvm::ArrayRef<mlir::Value> sums,
           llvm::function_ref<void(int64_t)> place);
  /// What follows the product of this sum, and its store in `out`.
  mlir::LogicalResult finish(TileBuilder &emitter, mlir::Value sum,
                             const Buffer &out);

private:
  /// The dimension that its tiles lie along, which gets its block.
  int chooseTile(KernelBuilder &last) const;

  Group &group;
  const AnchorVisit &anchor;
  int part, column;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_PARTSUMS_H
