// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms, as prim.fourier and tile.fourier define them.
#ifndef KILN_EVAL_FOURIER_H
#define KILN_EVAL_FOURIER_H

#include "kiln/Eval/Value.h"

namespace kiln::eval {

/// `count` results of a shape, of one or two sources, which are transformed
/// along a dimension in extended precision. Each is off by as much as the
/// operations allow where evaluation errs on purpose.
llvm::SmallVector<Value, 2> transformLines(llvm::ArrayRef<Value> sources,
                                           llvm::ArrayRef<int64_t> shape,
                                           size_t count, int64_t axis,
                                           bool isInverse);

} // namespace kiln::eval

#endif // KILN_EVAL_FOURIER_H
