//===- AnchoredBox.h - Boxes as parts of one view of a launch ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that computes pointers reads a box of a view that begins where the
// box does. A copy unit wants the same elements as a box of a view that begins
// at a parameter and whose sizes and strides are known when the kernel is
// launched. What the pointer is moved by then becomes coordinates, some of them
// along dimensions of their own:
//
//   p + z * sz + (i + d0) * si + d1   ->   view(p)[z, i + d0, d1], strides sz,
//                                          si, 1
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_ANCHOREDBOX_H
#define KILN_ANALYSIS_ANCHOREDBOX_H

#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Index/Analysis.h"
#include "kiln/Index/Reader.h"

namespace kiln::tile {

/// Returns the number of at most 64 bits that a value is, where that is
/// extended with its sign; else the value.
mlir::Value extendedFrom(mlir::Value value);

/// The size of a dimension that nothing bounds: of more, copy units do not
/// copy.
inline constexpr int64_t kEndless = int64_t(1) << 31;

/// Finds the view that one box of a kernel is a part of, and makes it.
class AnchoredBox {
public:
  explicit AnchoredBox(KernelOp kernel) : kernel(kernel) {}

  /// Looks at the box of `sizes` at `from` (of elements, or of boxes where
  /// `countsBoxes`) of a view that a `tile.make_view` makes. False where it is
  /// no part of a view that a launch knows, or where an access to elements
  /// that the kernel does not read could not be excluded.
  bool find(mlir::Value view, llvm::ArrayRef<mlir::OpFoldResult> from,
            llvm::ArrayRef<int64_t> sizes, bool countsBoxes);

  struct Dim {
    index::Expr stride, size, at;
    int64_t box; ///< elements of the box
  };
  mlir::Value getBase() const { return base; }
  llvm::ArrayRef<Dim> getDims() const { return dims; }
  /// What the stride along a dimension is a multiple of.
  int64_t strideDivisor(const Dim &dim, index::Analysis &facts) {
    return facts.of(dim.stride, symbols).divisor;
  }
  /// What a launch has to meet, as in the condition of the kernel: strides and
  /// sizes that are computed are positive, and strides not too large.
  llvm::ArrayRef<mlir::AffineExpr> getConditions() const { return conditions; }

  /// Whether what the view and the coordinates are computed from is outside of
  /// the regions of an operation.
  bool isOutside(mlir::Operation *op) const;

  /// Makes the view and the coordinates of the box, in elements.
  mlir::Value make(mlir::OpBuilder &b, mlir::Location loc,
                   llvm::SmallVectorImpl<mlir::Value> &at);

private:
  using Term = index::Expr::Term;

  bool findOnce(mlir::Value view, llvm::ArrayRef<mlir::OpFoldResult> from,
                llvm::ArrayRef<int64_t> sizes, bool countsBoxes);
  index::Interval rangeOf(const index::Expr &at, index::Analysis &facts);
  index::Expr read(mlir::OpFoldResult scalar);
  index::Expr readNarrow(mlir::Value value);
  bool followPointer(mlir::Value pointer);
  bool placeTerm(const Term &term);
  bool bound(Dim &dim, mlir::OpFoldResult size, const index::Expr &within);
  bool isOfLaunch(const index::Expr &expr) const;
  bool isOfLaunch(unsigned symbol) const;
  mlir::AffineExpr asCondition(const index::Expr &expr);
  bool need(const index::Expr &expr, int64_t least);
  bool isBelowEnd(const index::Expr &size, index::Analysis &facts);
  bool check(index::Analysis &facts);

  KernelOp kernel;
  mlir::Value base;
  index::Expr offset;
  llvm::SmallVector<Dim> dims; ///< extra ones first, then those of the view
  unsigned extra = 0;
  unsigned unopened = 0; ///< operations that may still be opened
  bool opensNarrow = false, keepsFar = false;
  index::Symbols symbols;
  llvm::SmallVector<mlir::AffineExpr> conditions;
};

} // namespace kiln::tile

#endif // KILN_ANALYSIS_ANCHOREDBOX_H
