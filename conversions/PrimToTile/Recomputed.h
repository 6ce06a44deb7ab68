//===- Recomputed.h - What groups compute again ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CONVERSIONS_PRIMTOTILE_RECOMPUTED_H
#define KILN_CONVERSIONS_PRIMTOTILE_RECOMPUTED_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace kiln {

/// Elements of a value, or -1 where they are not known.
int64_t elementsOf(mlir::Value value);

/// Whether groups compute `op` again rather than read it. `groupOf`: the groups
/// of the operations so far.
bool isRecomputed(mlir::Operation *op,
                  const llvm::DenseMap<mlir::Operation *, int> &groupOf);

} // namespace kiln

#endif // KILN_CONVERSIONS_PRIMTOTILE_RECOMPUTED_H
