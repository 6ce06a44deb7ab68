//===- SemanticsCompare.h - Evaluating entries, and comparing ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_SEMANTICSCOMPARE_H
#define KILN_LIB_DRIVER_SEMANTICSCOMPARE_H

#include "SemanticsValues.h"
#include "kiln/Eval/Watch.h"

namespace kiln::driver {

/// What an entry gives: the results of a function, or the memory that a kernel
/// was given, after it has run.
struct Outcome {
  std::vector<eval::Value> values;
  std::vector<std::string> names;
  bool isExact = true;   ///< no operation may round otherwise
  bool isNarrow = false; ///< sums are rounded to less than f32 on their way
  bool isSlow = false;   ///< it took longer than it may
  std::string error;     ///< "file:line:column: why" where it failed
};

/// Evaluates an entry; nothing where its arguments do not fit. `sign` (1 or -1)
/// makes operations err as far as their contracts let them. `onLaunch` is told
/// what a host program launches.
std::optional<Outcome>
evaluateEntry(mlir::FunctionOpInterface entry, const Arguments &arguments,
              double seconds, int sign = 0,
              const decltype(eval::Watch::onLaunch) &onLaunch = {});

/// Whether evaluating the entry would take longer than `seconds`, as far as the
/// types of its operations tell.
bool isTooLong(mlir::FunctionOpInterface entry, double seconds);

/// How far each element of each value may be off; empty: not at all.
using Bounds = std::vector<std::vector<double>>;

/// What contracts allow: the distance that results of the same entry have when
/// operations err in both directions.
Bounds boundsOf(const Outcome &exact, const std::optional<Outcome> &plus,
                const std::optional<Outcome> &minus);

/// Whether all values are the same, bit for bit but for NaN.
bool isSame(const Outcome &before, const Outcome &after);

/// The worst place where they differ by more than `bounds` and some roundings
/// of the largest value: "result 0, element 12: expected 1, found 2, bound
/// 1e-6"; empty where there is none.
std::string findDifference(const Outcome &before, const Outcome &after,
                           const Bounds &bounds);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_SEMANTICSCOMPARE_H
