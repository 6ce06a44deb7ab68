//===- Order.h - Accesses to global memory that may meet --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_ORDER_H
#define KILN_LIB_GPU_ORDER_H

#include "kiln/Dialect/Tile/TileDialect.h"

namespace kiln::simt {

/// Global memory that an operation reaches, and how.
struct Reach {
  mlir::Value place; ///< a view, a pointer or a tile of these; null: anywhere
  bool reads = false, writes = false;
};
using Reaches = llvm::SmallVector<Reach, 2>;
/// What an operation reaches: of plug-ins' operations by their effects. A loop
/// that the first thread runs reaches all that is in it.
Reaches reachesOf(mlir::Operation *op);

/// Whether the first thread of a block can do alone what an operation does to
/// memory: a store of a scalar, or a loop of scalars whose results nothing
/// uses. It needs no barriers within, and none between two of these.
/// `simt-insert-barriers` asks it, and marks such loops.
bool runsInFirstThread(mlir::Operation *op);
/// Whether a kernel computes with scalars alone, so that its first thread can
/// do all of it.
bool hasOnlyScalars(mlir::Operation *kernel);
/// Whether only the first thread comes to an operation: it is in what
/// `simt-insert-barriers` has marked (`first_thread` in `simt.decided`).
bool isInFirstThread(mlir::Operation *op);

/// Whether one of two operations writes what the other one may reach.
bool mayConflict(llvm::ArrayRef<Reach> a, llvm::ArrayRef<Reach> b);

/// Whether two accesses may come in either order: both are stores that combine
/// alike; they reach different known places along a dimension of a parameter;
/// or a loop around one of them says that it is independent, and they go
/// through different parameters of the kernel, or are one and the same access
/// in two iterations.
bool isUnordered(mlir::Operation *first, mlir::Operation *second);

bool isAtomic(mlir::Operation *op);

/// How many neighbours one atomic instruction adds at most: one, unless they
/// are floats that are narrower than the words in which memory adds, with old
/// values that nothing uses. Each instruction that orders other accesses waits
/// for them, so there are as few of these as can be.
int64_t countAddedTogether(mlir::Operation *op);

/// Whether an atomic operation orders what is around it for other instances.
bool isFence(mlir::Operation *op);

/// Whether each thread reads first what it writes second, and no other thread
/// does: where threads have copies, one writes what others may yet read. Nor is
/// another thread there where the first one does both.
bool isOwnAccess(mlir::Operation *first, mlir::Operation *second,
                 unsigned laneBits, unsigned warpBits);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_ORDER_H
