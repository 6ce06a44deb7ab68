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

/// Prints a line about a result, with its values when they are few.
void summarize(const std::string &name, const runtime::Tensor &tensor);

} // namespace kiln::run

#endif
