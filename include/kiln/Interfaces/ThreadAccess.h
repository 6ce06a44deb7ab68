//===- ThreadAccess.h - Memory accesses of a thread -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_THREADACCESS_H
#define KILN_INTERFACES_THREADACCESS_H

#include "mlir/IR/OpDefinition.h"

namespace kiln {

/// How an operation accesses memory. An update reads and writes atomically.
enum class Touch : uint8_t { Read, Write, Update };

/// One access of a thread to adjacent bytes.
struct ThreadAccess {
  /// When the access is complete: with its operation, or behind a wait for
  /// groups of copies, for groups of matmuls, or for a barrier that counts the
  /// bytes of a copy unit.
  enum class Flight : uint8_t { None, Copies, Products, Barrier };

  mlir::Value address; ///< of the first byte, an `!llvm.ptr`
  mlir::Value mask;    ///< an i1: if false, no access; null: always
  int64_t bytes = 0;   ///< at most this many from the address on
  Touch touch = Touch::Update;
  Flight flight = Flight::None;
  /// The number of first lanes of a warp whose addresses count, of an operation
  /// that a warp executes together; 0: each thread accesses its own address.
  int64_t lanes = 0;

  bool isAsync() const { return flight != Flight::None; }
};

/// Returns the bytes that a load or a store of a scalar or a vector accesses; a
/// pointer has 8.
int64_t getAccessedBytes(mlir::Type type);

} // namespace kiln

#include "kiln/Interfaces/ThreadAccess.h.inc"

namespace kiln {

/// Returns the accesses of an operation that implements
/// `ThreadAccessOpInterface` or `AsyncCopyOpInterface`, of the latter that to
/// its target; none for others.
llvm::SmallVector<ThreadAccess, 2> getThreadAccesses(mlir::Operation *op);

} // namespace kiln

#endif // KILN_INTERFACES_THREADACCESS_H
