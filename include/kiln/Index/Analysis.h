//===- Analysis.h - What is known of indices --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges and divisors of integer and index scalars, asked for one by one: from
// `arith`, the bounds of loops, operations with IndexFactsOpInterface, what
// such operations assume and, for the rest, upstream's InferIntRangeInterface.
// (Upstream's dataflow analysis of ranges looks at whole functions, takes sums
// of sizes to wrap and knows no divisors.)
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INDEX_ANALYSIS_H
#define KILN_INDEX_ANALYSIS_H

#include "kiln/Index/Facts.h"
#include "kiln/Index/Math.h"
#include "mlir/IR/Operation.h"

namespace kiln::index {

/// Facts about the values of a function. A snapshot: rewriting what a value is
/// computed from makes its facts stale.
class Analysis {
public:
  /// Sums, differences, products and casts of coordinates are taken not to wrap
  /// (see Integer.h).
  Facts of(mlir::Value value);
  /// Of an expression over `symbols`, with facts about dimensions.
  Facts of(const Expr &expr, const Symbols &symbols,
           llvm::function_ref<Facts(int)> ofDim = nullptr);

  bool isNonNegative(mlir::Value value) {
    return of(value).range.isNonNegative();
  }

private:
  Facts compute(mlir::Value value);
  Facts ofArgument(mlir::BlockArgument argument);
  Facts ofArith(mlir::Operation *op, mlir::Value value);
  Facts ofSymbol(unsigned symbol, const Symbols &symbols);
  Facts ofUpstream(mlir::Operation *op, mlir::Value value);
  Facts ofAssumptions(mlir::Value value);

  llvm::DenseMap<mlir::Value, Facts> known;
  unsigned depth = 0; ///< operations that are being looked through
};

} // namespace kiln::index

#endif // KILN_INDEX_ANALYSIS_H
