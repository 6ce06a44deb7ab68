//===- Span.cpp - Subspaces of vectors of bits ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/Span.h"
#include "llvm/ADT/bit.h"
#include <cassert>

using namespace kiln::layout;

Span::Span(llvm::ArrayRef<uint64_t> vectors) {
  for (uint64_t vector : vectors)
    add(vector);
}

Span::Reduced Span::reduce(uint64_t vector) const {
  Reduced result = {vector, 0};
  for (const Row &row : rows)
    if (result.rest & row.pivot) {
      result.rest ^= row.vector;
      result.sources ^= row.sources;
    }
  return result;
}

bool Span::add(uint64_t vector) {
  assert(numAdded < 64 && "more vectors than a mask has bits");
  uint64_t source = uint64_t(1) << numAdded++;
  Reduced reduced = reduce(vector);
  if (reduced.rest == 0)
    return false;
  uint64_t pivot = llvm::bit_floor(reduced.rest);
  Row added = {reduced.rest, pivot, reduced.sources ^ source};
  for (Row &row : rows)
    if (row.vector & pivot) {
      row.vector ^= added.vector;
      row.sources ^= added.sources;
    }
  rows.push_back(added);
  return true;
}

std::optional<uint64_t> Span::solve(uint64_t vector) const {
  Reduced reduced = reduce(vector);
  if (reduced.rest != 0)
    return std::nullopt;
  return reduced.sources;
}

uint64_t Span::getPivots() const {
  uint64_t pivots = 0;
  for (const Row &row : rows)
    pivots |= row.pivot;
  return pivots;
}

unsigned kiln::layout::getCommonRank(llvm::ArrayRef<uint64_t> a,
                                     llvm::ArrayRef<uint64_t> b) {
  Span both(a);
  unsigned rank = both.getRank();
  // Dimension of the sum from those of the parts.
  Span second(b);
  for (uint64_t vector : b)
    both.add(vector);
  return rank + second.getRank() - both.getRank();
}
