// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between ranks, of the prim dialect.
#ifndef KILN_DIALECT_PRIM_COLLECTIVEOPS_H
#define KILN_DIALECT_PRIM_COLLECTIVEOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/CollectiveOps.h.inc"

namespace kiln::prim {

/// The lists of ranks of an operation of this family, its groups or pairs;
/// empty for others.
llvm::SmallVector<llvm::ArrayRef<int64_t>> rankLists(mlir::Operation *op);

/// Whether an operation exchanges data between ranks.
bool isCollective(mlir::Operation *op);

} // namespace kiln::prim

#endif // KILN_DIALECT_PRIM_COLLECTIVEOPS_H
