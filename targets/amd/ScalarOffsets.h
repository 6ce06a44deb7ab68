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
  uint64_t mostScalar = 0; ///< the scalar is at most this
};

/// How many values of an expression are looked at. Operands that are used
/// again and again would otherwise make their number exponential.
constexpr unsigned kMostOffsetValues = 256;

/// Whether all lanes of a wave have one value, as far as LLVM sees it, too:
/// what is computed from numbers of blocks, arguments and counters of loops.
/// With `throughChoices`, also what a branch that all take together chose.
bool isScalarNumber(mlir::Value value, bool throughChoices = false);

/// Splits offsets into what lanes differ in and what is the same for all of
/// them, such as where a block or an iteration begins. Then loops advance one
/// scalar for all accesses of a view, and what lanes have stays.
class ScalarOffsets {
public:
  /// `mostOf` gives the greatest that a number may be, and nothing if it may be
  /// negative.
  ScalarOffsets(llvm::function_ref<std::optional<int64_t>(mlir::Value)> mostOf,
                mlir::OpBuilder &b, mlir::Location loc)
      : mostOf(mostOf), b(b), loc(loc) {}

  /// Splits an offset of 64 bits; nothing where a part may be negative, or
  /// where no part of it is a scalar. What `staysWithLane` holds for counts as
  /// a part that lanes differ in.
  std::optional<SplitOffset>
  split(mlir::Value offset,
        llvm::function_ref<bool(mlir::Value)> staysWithLane = nullptr);

private:
  bool collect(mlir::Value value, int64_t factor);
  mlir::Value add(mlir::Value sum, mlir::Value value, int64_t factor);
  mlir::Value constant(int64_t value);

  llvm::function_ref<std::optional<int64_t>(mlir::Value)> mostOf;
  mlir::OpBuilder &b;
  mlir::Location loc;
  struct Term {
    mlir::Value value;
    int64_t factor, most;
  };
  llvm::SmallVector<Term> terms;
  int64_t constants = 0;
  unsigned seen = 0; ///< values that were looked at
};

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_SCALAR_OFFSETS_H
