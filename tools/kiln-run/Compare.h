// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparing results with what they should be.
#ifndef KILN_TOOLS_KILN_RUN_COMPARE_H
#define KILN_TOOLS_KILN_RUN_COMPARE_H

#include "Options.h"
#include "kiln/Runtime/Session.h"

namespace kiln::run {

/// An element fits when |found - expected| <= atol + rtol * |expected|.
struct Bound {
  double rtol = 0;
  double atol = 0;
};

/// The bound of a result: by its type and the coarsest rounding on the way, and
/// by the longest sum that it depends on, relative to the largest element.
Bound chooseBound(runtime::DType dtype, const runtime::Tolerance &tolerance,
                  int64_t accumulation, double largest, const Options &options);

/// Prints one line; true when every element fits. Both are row-major.
bool compare(const std::string &name, const runtime::Tensor &found,
             const runtime::Tensor &expected,
             const runtime::Tolerance &tolerance, int64_t accumulation,
             const Options &options);

/// Whether every element fits; prints nothing.
bool fits(const runtime::Tensor &found, const runtime::Tensor &expected,
          const runtime::Tolerance &tolerance, const Options &options);

/// The largest element that is finite, without its sign.
double largestFinite(const runtime::Tensor &tensor);
/// Room for a few roundings and approximate functions in a row, relative to a
/// number of that type.
double baseTolerance(runtime::DType dtype);
/// "50%", never 0% or 100% of what is only nearly that.
std::string percentText(int64_t part, int64_t whole);
/// "[1,2]" and "0.5" of an element of a row-major tensor.
std::string positionText(const runtime::Tensor &tensor, int64_t index);
std::string valueText(const runtime::Tensor &tensor, int64_t index);

/// Prints a line about a result, with its values when they are few.
void summarize(const std::string &name, const runtime::Tensor &tensor);

} // namespace kiln::run

#endif
