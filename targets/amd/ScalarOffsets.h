//===- ScalarOffsets.h - The part of an offset that is a scalar -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_SCALAR_OFFSETS_H
#define KILN_TARGETS_AMD_SCALAR_OFFSETS_H

#include "mlir/IR/Builders.h"

namespace kiln::amd {

/// The offset of an access to a buffer, in bytes, as the sum of one in a vector
/// register and one in a scalar register. Neither wraps around.
struct SplitOffset {
  mlir::Value lane, scalar;
};

/// Whether all lanes of a wave have one value, as far as LLVM sees it, too:
/// what is computed from numbers of blocks, arguments and counters of loops.
bool isScalarNumber(mlir::Value value);

/// Splits offsets into what lanes differ in and what is the same for all of
/// them, such as where a block or an iteration begins. Then loops advance one
/// scalar for all accesses of a view, and what lanes have stays.
class ScalarOffsets {
public:
  /// `isNonNegative` says of a number whether it is known not to be negative.
  ScalarOffsets(llvm::function_ref<bool(mlir::Value)> isNonNegative,
                mlir::OpBuilder &b, mlir::Location loc)
      : isNonNegative(isNonNegative), b(b), loc(loc) {}

  /// Splits an offset of 64 bits; nothing where a part may be negative, or
  /// where no part of it is a scalar.
  std::optional<SplitOffset> split(mlir::Value offset);

private:
  bool collect(mlir::Value value, int64_t factor, unsigned depth);
  mlir::Value add(mlir::Value sum, mlir::Value value, int64_t factor);
  mlir::Value constant(int64_t value);

  llvm::function_ref<bool(mlir::Value)> isNonNegative;
  mlir::OpBuilder &b;
  mlir::Location loc;
  struct Term {
    mlir::Value value;
    int64_t factor;
    bool isScalar;
  };
  llvm::SmallVector<Term> terms;
  int64_t constants = 0;
};

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_SCALAR_OFFSETS_H
