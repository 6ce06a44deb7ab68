// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call gives back.
#ifndef KILN_RUNTIME_RESULTS_H
#define KILN_RUNTIME_RESULTS_H

#include "kiln/Runtime/Program.h"
#include "kiln/Runtime/Tensor.h"

namespace kiln::runtime {

/// Programs have integers without sign. Gives each of `results`, those of a
/// call of `function`, the unsigned type that its source states.
void nameUnsigned(const Function &function, std::vector<Tensor> &results);

} // namespace kiln::runtime

#endif
