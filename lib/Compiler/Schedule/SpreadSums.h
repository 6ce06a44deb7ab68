//===- SpreadSums.h - A sum and its squared distances -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The statistics of norms: sum(x), and sum((x - b)^2) with a value b that is
// computed from the first one, as a mean is. Elements are read once, apart from
// those of one block: with a value a near the mean, s1 = sum(x - a) and
// s2 = sum((x - a)^2) give both, sum(x) = s1 + n * a and
// sum((x - b)^2) = s2 - d * (2 * s1 - n * d) for d = b - a and any b. Where
// blocks have too few elements for such a value, but an instance has so few
// that they stay in a cache, it reads them twice, and a is the mean of all of
// them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_SPREADSUMS_H
#define KILN_LIB_SCHEDULE_SPREADSUMS_H

#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Emits such pairs of sums of f32 for the blocks of the kernel, and binds
/// their tiles to their values: those whose elements are in several blocks, so
/// many that the result keeps the bound of a sum. Fails with the emitter's
/// reason.
mlir::LogicalResult emitSpreadSums(TileBuilder &emitter);

/// A sum of squared distances of the elements that a kernel sums, from the
/// result of that kernel. The kernel can compute it as well, so that no other
/// one reads the elements again.
struct SquaresBehind {
  prim::TensorReductionOpInterface squares; ///< null: there is none
  Buffer buffer; ///< where the kernel stored it; without a base: nowhere

  bool isMade() const { return static_cast<bool>(buffer.base); }
};
/// The squares that another group adds up, from the result of `group`, whose
/// only reduction is a sum.
SquaresBehind findSquaresBehind(Group &group);
/// The squares that `group` itself adds up, of the elements of `sum`, from
/// `centre`. That is the sum, or a value that is its only user.
SquaresBehind findSquaresOf(prim::TensorReductionOpInterface sum, Group &group,
                            mlir::Value &centre);

/// The sums of the elements of a kernel, or of a part of them, from which both
/// come: s1, s2 and a of the formulas above, and how many elements there are.
class SpreadParts {
public:
  /// The elements of `sum`, of which an instance takes every `parts`-th block
  /// along `along`; -1: all of them.
  SpreadParts(TileBuilder &emitter, const ReductionVisit &sum, int along)
      : emitter(emitter), sum(sum), along(along) {}

  /// False where the result would not keep the bound of a sum.
  bool isExact() const;
  /// The four tiles, reduced; none after the emitter's reason was set.
  llvm::SmallVector<mlir::Value> emit();
  /// Joins them along `dims`, binds the sum, and gives the value of `base`,
  /// accessed by `map`, with the squared distances from it; none on failure.
  static llvm::SmallVector<mlir::Value>
  join(TileBuilder &emitter, const ReductionVisit &sum,
       llvm::ArrayRef<mlir::Value> tiles, llvm::ArrayRef<int> dims,
       mlir::Value base, const AccessMap &map);

private:
  mlir::Value count();

  TileBuilder &emitter;
  const ReductionVisit &sum;
  int along;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SPREADSUMS_H
