//===- SharedPlaces.h - Accesses to a block's memory -------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_SHAREDPLACES_H
#define KILN_LIB_GPU_SHAREDPLACES_H

#include "kiln/Interfaces/Synchronization.h"
#include "kiln/Interfaces/ThreadAccess.h"
#include "mlir/IR/Operation.h"

namespace kiln::simt {

/// Returns whether a value points into the memory that a block shares.
bool isShared(mlir::Value pointer);

/// Returns the accesses of an operation to shared memory: those of its
/// interface, or of one of LLVM's loads, stores and atomic operations.
llvm::SmallVector<ThreadAccess, 2> sharedAccesses(mlir::Operation *op);

/// Returns the kind of synchronisation of an operation, or none: that of its
/// interface, or of upstream's `gpu.barrier`.
std::optional<Synchronization> synchronizationOf(mlir::Operation *op);

/// Returns whether an operation starts a copy that is in flight afterwards.
bool startsCopy(mlir::Operation *op);

/// Returns whether an operation (or null) is a synchronisation of a kind.
bool synchronizes(mlir::Operation *op, Synchronization::Kind kind);
/// Returns whether an operation (or null) makes a group of asynchronous
/// operations.
bool commits(mlir::Operation *op, Synchronization::Group group);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_SHAREDPLACES_H
