// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms of tensors.
#ifndef KILN_DIALECT_PRIM_FOURIEROPS_H
#define KILN_DIALECT_PRIM_FOURIEROPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"
#include "kiln/Interfaces/Accumulation.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/FourierOps.h.inc"

namespace kiln::prim {

/// A tensor of floats with `size` elements along a dimension of known size:
/// what is longer is cut off, what is shorter has zeros behind it.
mlir::Value resizeLines(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                        int64_t dim, int64_t size);

} // namespace kiln::prim

#endif // KILN_DIALECT_PRIM_FOURIEROPS_H
