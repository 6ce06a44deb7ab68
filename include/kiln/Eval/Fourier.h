// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms, as prim.fourier and tile.fourier define them.
#ifndef KILN_EVAL_FOURIER_H
#define KILN_EVAL_FOURIER_H

#include "kiln/Eval/Value.h"

namespace kiln::eval {

/// Transforms lines along dimension `axis`, in extended precision. `sources`
/// are the real parts, or the real and the imaginary parts. Returns `count`
/// tensors of `shape`: the real parts, and with a count of 2 the imaginary
/// parts. Under perturbation (kiln/Eval/Perturb.h) results err by the bound of
/// the operation.
llvm::SmallVector<Value, 2> transformLines(llvm::ArrayRef<Value> sources,
                                           llvm::ArrayRef<int64_t> shape,
                                           size_t count, int64_t axis,
                                           bool isInverse);

} // namespace kiln::eval

#endif // KILN_EVAL_FOURIER_H
