//===- AlignRows.h - Copies of operands that lie badly ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_ALIGNROWS_H
#define KILN_LIB_SCHEDULE_ALIGNROWS_H

#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// The number of elements; 0 where it is not known.
int64_t countOf(llvm::ArrayRef<Extent> sizes);

/// How many pairs of elements a product multiplies; 0 where it is not known.
int64_t productsOf(HostProgramBuilder &host, prim::DotGeneralOp dot);

/// The value that transpositions in the group turn into `value`; `map`, if
/// there is one, becomes that of how it is read.
mlir::Value beforeTransposes(const Group &group, mlir::Value value,
                             AccessMap *map = nullptr);

/// Bytes that the rows of a buffer begin at multiples of, `most` at most; 0
/// where its shape is not known or it has no rows. `bytes` are an element's.
int64_t rowAlignment(const Buffer &buffer, int64_t bytes, int64_t most);

/// Copies of the factors of a product whose rows begin between the words that
/// copies of threads move, with rows that begin at wider places, of those whose
/// rows had better begin at lines (LineCosts.h), and of those whose rows are
/// not along the sum where the machine wants that, with rows that are: launched
/// before the product, which finds them in the place of the factors until
/// `leave`.
class AlignedRows {
public:
  AlignedRows(Group &group, prim::DotGeneralOp dot);

  /// The factors are themselves again.
  void leave();
  /// There is no product that uses the copies.
  void abandon();

private:
  /// Whether a factor has its copy: one value may be both factors.
  bool isMade(mlir::Value factor) const;
  /// Elements along `row` lie side by side in the copy, in rows of a multiple
  /// of `multiple` elements. With `rounds` they are rounded to tf32.
  void copy(mlir::Value factor, int row, int64_t multiple, bool rounds);

  struct Made {
    mlir::Value factor;
    Buffer from;
    tile::Kernel kernel;
    program::LaunchOp launch;
    mlir::Value memory;
  };
  Group &group;
  llvm::SmallVector<Made, 2> made;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_ALIGNROWS_H
