//===- Reader.h - Expressions of computed values ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what `arith` operations on scalars compute as an expression.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INDEX_READER_H
#define KILN_INDEX_READER_H

#include "kiln/Index/Expr.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>

namespace kiln::index {

/// Reads sums, differences, products and shifts of integer and index scalars.
class Reader {
public:
  enum Mode {
    /// Operations on `index` and 64-bit integers, products of any operands. The
    /// expression equals the value even where the computation wraps.
    Sizes,
    /// Operations of any width, through sign extension and casts; one operand
    /// of
    /// every product is a number. Coordinates are taken not to wrap in 32 bits
    /// or more; in fewer, what has no flag `nsw` is a leaf.
    Coordinates,
  };
  /// What stands for a value that was not computed as above, or nothing.
  using Leaf = std::function<std::optional<Expr>(mlir::Value)>;

  /// `first` is asked before a value is looked into, `last` afterwards.
  Reader(Mode mode, Leaf last, Leaf first = nullptr)
      : mode(mode), first(std::move(first)), last(std::move(last)) {}

  /// The expression of an integer or index scalar; nothing where a part of it
  /// has none, is not linear in the dimensions or does not fit.
  std::optional<Expr> read(mlir::Value value);

private:
  std::optional<Expr> compute(mlir::Value value);

  Mode mode;
  Leaf first, last;
  llvm::DenseMap<mlir::Value, std::optional<Expr>> known;
  unsigned depth = 0; ///< operations that are being looked through
};

} // namespace kiln::index

#endif // KILN_INDEX_READER_H
