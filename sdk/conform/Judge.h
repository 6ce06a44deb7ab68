// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether results are what they should be.
#ifndef KILN_SDK_CONFORM_JUDGE_H
#define KILN_SDK_CONFORM_JUDGE_H

#include "Suite.h"
#include "kiln/Runtime/Tensor.h"

namespace kiln::conform {

/// What one output of a case must be: the exact elements, and where operations
/// may err the elements that they may lie between. Rows of bytes in row-major
/// order.
struct Wanted {
  runtime::DType dtype = runtime::DType::none;
  std::vector<int64_t> shape;
  std::vector<char> exact;
  std::vector<char> low, high; ///< empty: the exact ones

  int64_t count() const;
};

/// From an evaluation and two that err in opposite directions.
Wanted wantedFrom(const runtime::Tensor &exact, const runtime::Tensor *plus,
                  const runtime::Tensor *minus, bool isChained);

/// How well an output fits.
struct Fit {
  int64_t misfits = 0;
  double error = 0;  ///< the largest
  double bound = 0;  ///< of the element that is nearest to its bound or beyond
  double share = 0;  ///< its error as a part of the bound
  std::string worst; ///< "[3,1]: expected 1, found 2"
};

/// `isBitwise`: NaN keep their bits; `hasFreeZeros`: zeros have any sign.
Fit compare(const runtime::Tensor &found, const Wanted &wanted, bool isBitwise,
            bool hasFreeZeros);

} // namespace kiln::conform

#endif
