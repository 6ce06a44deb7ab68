//===- AxisArith.h - Arithmetic on facts about neighbours -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_ANALYSIS_AXISARITH_H
#define KILN_LIB_ANALYSIS_AXISARITH_H

#include "kiln/Analysis/AxisAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kiln::tile::axis {
/// Divides 0, and is more than anybody asks for.
constexpr int64_t kMost = int64_t(1) << 40;
/// The greatest power of two that divides a number, kMost at most.
int64_t powerIn(int64_t n);
/// Nothing is known.
TileFacts unknown(llvm::ArrayRef<int64_t> shape);
/// What elements at multiples of `count` along an axis are multiples of.
int64_t divisorAt(const AxisFacts &axis, int64_t count);
/// What holds of both.
TileFacts join(const TileFacts &a, const TileFacts &b);
/// a + b * unit, or a - b where `subtracts`.
AxisFacts addAxes(const AxisFacts &a, const AxisFacts &b, int64_t unit,
                  bool subtracts);
/// Dimension by dimension; not negative where neither is.
TileFacts combine(
    const TileFacts &a, const TileFacts &b,
    llvm::function_ref<AxisFacts(const AxisFacts &, const AxisFacts &)> axis);
TileFacts multiply(const TileFacts &a, const TileFacts &b);
/// Quotients rounded down, and what they leave; for what is not negative,
/// rounded to zero, too.
TileFacts divide(const TileFacts &a, const TileFacts &b);
TileFacts remainder(const TileFacts &a, const TileFacts &b);
/// Where runs of neighbours are on one side of a bound that is a multiple of
/// their length.
TileFacts compare(mlir::arith::CmpIPredicate predicate, const TileFacts &a,
                  const TileFacts &b);
} // namespace kiln::tile::axis

#endif // KILN_LIB_ANALYSIS_AXISARITH_H
