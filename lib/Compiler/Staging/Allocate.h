//===- Allocate.h - Places of storage by its lifetime -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_STAGING_ALLOCATE_H
#define KILN_LIB_STAGING_ALLOCATE_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <string>

namespace kiln::staging {

/// Storage that does not fit into its space.
struct Overflow {
  /// What lives at the same time and has a place.
  struct Other {
    mlir::Operation *op;
    int64_t bytes, offset;
  };
  mlir::Operation *op;
  std::string space;
  int64_t bytes; ///< that the space would need
  int64_t limit; ///< that it has
  llvm::SmallVector<Other> others;

  std::string text() const;
};

/// Bytes by space of texts as `pad=65536`; else an error at `op`. A memory of
/// kind explicit has no more than its description says.
mlir::FailureOr<llvm::StringMap<int64_t>>
parseLimits(mlir::Operation *op, llvm::ArrayRef<std::string> limits);

/// An error at `op`, which names the target of its module, where a number that
/// this asks for, `what`, is less than 1.
mlir::LogicalResult checkAtLeastOne(mlir::Operation *op, int64_t number,
                                    llvm::StringRef what);

/// Places the storage of a kernel, until something does not fit.
std::optional<Overflow> allocate(tile::KernelOp kernel,
                                 const llvm::StringMap<int64_t> &limits,
                                 int64_t align);

} // namespace kiln::staging

#endif // KILN_LIB_STAGING_ALLOCATE_H
