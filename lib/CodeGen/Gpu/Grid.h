//===- Grid.h - Where an instance is in the grid ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_GRID_H
#define KILN_LIB_GPU_GRID_H

#include "mlir/IR/Operation.h"

namespace kiln::simt {

class ThreadWriter;

/// The coordinates, as i64, that `op` names in what it prints; `programIds` are
/// those of the block.
llvm::SmallVector<mlir::Value>
printedIds(ThreadWriter &walk, mlir::Operation *op,
           llvm::ArrayRef<mlir::Value> programIds);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_GRID_H
