// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear algebra on the host, of the prim dialect.
#ifndef KILN_DIALECT_PRIM_LINEARALGEBRAOPS_H
#define KILN_DIALECT_PRIM_LINEARALGEBRAOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"
#include "kiln/Interfaces/HostOp.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/LinearAlgebraOps.h.inc"

namespace kiln::prim {

/// Where a size of a result is from: dimension `dim` of an operand, and the
/// less of that and dimension `other` unless that is negative.
struct SizeSource {
  unsigned operand = 0;
  int64_t dim = 0;
  int64_t other = -1;
};

/// One for each dimension of a result of an operation of this family. What is
/// static in the result's type need not be what it says.
llvm::SmallVector<SizeSource> sizeSources(mlir::Operation *op, unsigned result);

} // namespace kiln::prim

#endif // KILN_DIALECT_PRIM_LINEARALGEBRAOPS_H
