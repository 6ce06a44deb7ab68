//===- Span.h - Subspaces of vectors of bits --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elimination over GF(2). A vector is the bits of a number, its sum with
// another their XOR.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LAYOUT_SPAN_H
#define KILN_LAYOUT_SPAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace kiln::layout {

/// What sums of given vectors reach. Vectors are numbered in the order in which
/// they are added, at most 64 of them.
class Span {
public:
  Span() = default;
  explicit Span(llvm::ArrayRef<uint64_t> vectors);

  /// Adds a vector. False if sums of earlier ones reach it: nothing needs it
  /// then, and `solve` never uses it.
  bool add(uint64_t vector);
  bool contains(uint64_t vector) const { return reduce(vector).rest == 0; }
  /// Which vectors (bit i for number i) sum up to `vector`; none if there are
  /// no such.
  std::optional<uint64_t> solve(uint64_t vector) const;
  /// What remains of a vector once every bit that leads a vector of the span is
  /// cleared; the same for two vectors that differ by one of the span.
  uint64_t remainder(uint64_t vector) const { return reduce(vector).rest; }
  unsigned getRank() const { return rows.size(); }
  /// The bits that lead the vectors of the echelon form.
  uint64_t getPivots() const;

private:
  struct Row {
    uint64_t vector, pivot, sources;
  };
  struct Reduced {
    uint64_t rest, sources;
  };
  Reduced reduce(uint64_t vector) const;

  llvm::SmallVector<Row> rows; ///< no row has the pivot of another
  unsigned numAdded = 0;
};

/// Returns the dimension of the intersection of the spans of `a` and `b`.
unsigned getCommonRank(llvm::ArrayRef<uint64_t> a, llvm::ArrayRef<uint64_t> b);

} // namespace kiln::layout

#endif // KILN_LAYOUT_SPAN_H
