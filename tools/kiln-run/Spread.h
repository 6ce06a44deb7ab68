// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds that follow from what each operation may err by.
#ifndef KILN_TOOLS_KILN_RUN_SPREAD_H
#define KILN_TOOLS_KILN_RUN_SPREAD_H

#include "Compare.h"

namespace kiln::run {

/// Whether all elements are the same; NaN equals NaN, whatever its bits.
bool isSame(const runtime::Tensor &found, const runtime::Tensor &expected);

/// How far each element may be off: as far as it moves when `reference` lets
/// every operation err as far as its contract allows, in the directions that
/// gave `others`.
std::vector<double> spreadOf(const runtime::Tensor &exact,
                             const std::vector<runtime::Tensor> &others);

/// As `compareWithin`, without a word.
bool fitsWithin(const runtime::Tensor &found, const runtime::Tensor &expected,
                const std::vector<double> &spread, double least,
                runtime::DType coarsest, const Options &options);

/// As `compare`, with a bound for each element. `least` is added to each of
/// them. `coarsest` is a narrow type that is rounded to on the way, or none: a
/// rounding may fall to either side, but seldom does. `quiet`: a fit is not
/// worth a line. `share` becomes the largest error's part of its bound.
bool compareWithin(const std::string &name, const runtime::Tensor &found,
                   const runtime::Tensor &expected,
                   const std::vector<double> &spread, double least,
                   runtime::DType coarsest, const Options &options, bool quiet,
                   double *share = nullptr);

} // namespace kiln::run

#endif
