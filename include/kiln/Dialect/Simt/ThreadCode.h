//===- ThreadCode.h - Functions of one thread -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the function of one thread says about the kernel that it is the code
// of. Those who need no more of the dialect do without its headers.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_SIMT_THREADCODE_H
#define KILN_DIALECT_SIMT_THREADCODE_H

#include "mlir/IR/Operation.h"

namespace kiln::simt {

class ThreadBlockAttr;

/// Threads of a warp where neither the function nor the description says.
inline constexpr int64_t kUsualLanes = 32;
/// On the function of a thread: what a launch needs (`#simt.thread_block`).
inline constexpr llvm::StringLiteral kBlockAttr = "simt.block";

/// Returns that attribute; null if the operation is no function of a thread.
ThreadBlockAttr getThreadBlock(mlir::Operation *function);
/// Whether the operation is the function of a thread.
bool isThreadFunction(mlir::Operation *function);
/// The types of the kernel's parameters at the level of tiles, if the function
/// of a thread lists them.
std::optional<llvm::SmallVector<mlir::Type>>
getKernelParameters(mlir::Operation *function);
/// Whether each block loops over points of the grid.
bool isPersistentFunction(mlir::Operation *function);

} // namespace kiln::simt

#endif // KILN_DIALECT_SIMT_THREADCODE_H
