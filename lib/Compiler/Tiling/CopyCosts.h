//===- CopyCosts.h - What operands of products cost to bring ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TILING_COPYCOSTS_H
#define KILN_LIB_TILING_COPYCOSTS_H

#include "ThreadMachine.h"

namespace kiln::tiling {

/// What blocks make of a product.
struct ProductWork {
  double instances, steps, results; ///< steps of an instance, all results
  double rows = 1, columns = 1, depth = 1; ///< all
  int64_t parts = 1;                       ///< instances that share the depth
  int64_t m = 1, n = 1, k = 1;             ///< the block
  int64_t lhsBits = 8, rhsBits = 8, accBits = 32; ///< of an element
};

/// Bytes that copies bring a core in a cycle.
struct CopyRates {
  double whole;      ///< from the cache, in whole lines
  double fromCache;  ///< from the cache, as rows of a step are
  double together;   ///< the same, while all cores copy
  double fromMemory; ///< from memory, while all cores copy
};

/// `isFew`: of few rows, which wait for memory.
CopyRates copyRates(const OperandCopies &copies, const ProductWork &work,
                    ThreadMachine::By by, bool isFew);

/// Cycles in which copies bring the operands of an instance that has all of
/// the depth in one step of `bytes`.
double copyCyclesOfOneStep(const OperandCopies &copies, const ProductWork &work,
                           ThreadMachine::By by, double bytes);

/// How many times as long as by one instruction a block of several pieces of
/// columns takes.
double shareOfPieces(const OperandCopies &copies, int64_t columns);

/// How often a core computes the steps of an instance, and its ends: what comes
/// before the first and behind the last step.
struct Rounds {
  double steps, ends;
};

/// The rounds of a product of which `round` instances fit at once, where a ring
/// of an instance has `ringBytes`.
Rounds roundsOf(const ProductWork &work, ThreadMachine::By by, double round,
                double ringBytes, const ThreadMachine &machine);

/// Cycles of `whole` that also wait for memory, out of which operands come once
/// at least.
double withMemory(double whole, double ends, const ProductWork &work,
                  int64_t instances, double bytesOfCycle);

} // namespace kiln::tiling

#endif // KILN_LIB_TILING_COPYCOSTS_H
