//===- CountedLoop.h - Loops with a known number of iterations ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CONVERSION_PRIMTOTILE_COUNTEDLOOP_H
#define KILN_CONVERSION_PRIMTOTILE_COUNTEDLOOP_H

#include "kiln/Dialect/Prim/Prim.h"

namespace kiln {

/// A loop whose condition compares a counter with a constant: the counter
/// begins with a constant and grows by a constant in each iteration.
struct CountedLoop {
  int64_t iterations = 0;
  unsigned counter = 0; ///< its number among the carried values
};

/// Returns how often the body of a loop runs, if constants alone decide it.
/// Groups (`prim.fusion`) may surround the operations that compute the counter.
std::optional<CountedLoop> findCount(prim::WhileOp op);

/// Stops counting where only the condition reads the counter: the loop hands on
/// the counter unchanged then. For loops that are converted without their
/// condition.
void dropUnreadCounter(prim::WhileOp op, unsigned counter);

} // namespace kiln

#endif // KILN_CONVERSION_PRIMTOTILE_COUNTEDLOOP_H
