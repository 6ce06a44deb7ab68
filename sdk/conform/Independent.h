// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What elementwise operations give by formulas of their own, in numbers of 113
// bits and in exact integers: the check of the reference itself.
#ifndef KILN_SDK_CONFORM_INDEPENDENT_H
#define KILN_SDK_CONFORM_INDEPENDENT_H

#include "Judge.h"
#include <optional>

namespace kiln::conform {

/// The outputs of a case of an elementwise operation, or nothing where there is
/// no formula for it.
std::optional<std::vector<Wanted>>
independentResults(const Program &program, const Call &call, uint64_t seed);

} // namespace kiln::conform

#endif
