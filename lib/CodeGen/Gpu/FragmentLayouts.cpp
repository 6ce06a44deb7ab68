//===- FragmentLayouts.cpp - Layouts of a product's operands --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FragmentLayouts.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

LayoutAttr FragmentLayouts::of(LayoutAttr atom, int operand,
                               std::pair<int64_t, int64_t> shape, int64_t first,
                               int64_t second) const {
  // Rows and columns that the product does not have are copies.
  auto lift = [&](const Basis &basis) {
    return at(basis[0] < shape.first ? basis[0] : 0,
              basis[1] < shape.second ? basis[1] : 0);
  };
  auto isCopy = [](const Basis &basis) {
    return llvm::all_of(basis, [](int64_t n) { return n == 0; });
  };
  SmallVector<Basis> registers, lanes, ofWarps;
  for (const Basis &basis : atom.getRegisterBases())
    if (Basis own = lift(basis); !isCopy(own))
      registers.push_back(own);
  for (const Basis &basis : atom.getLaneBases(0))
    lanes.push_back(lift(basis));
  // Rows of warps run fastest; a factor has copies along the other side.
  bool hasRows = operand != 1, hasColumns = operand != 0;
  for (int64_t w = 1; w < grid.rows; w *= 2)
    ofWarps.push_back(at(hasRows ? first * w : 0, 0));
  for (int64_t w = 1; w < grid.columns; w *= 2)
    ofWarps.push_back(at(0, hasColumns ? second * w : 0));
  auto batch = [&](int64_t x) {
    Basis basis(acc.size(), 0);
    basis[0] = x;
    return basis;
  };
  for (int64_t x = 1; x < grid.batches; x *= 2)
    ofWarps.push_back(batch(x));
  for (int64_t x = second * (hasColumns ? grid.columns : 1); x < shape.second;
       x *= 2)
    registers.push_back(at(0, x));
  for (int64_t x = first * (hasRows ? grid.rows : 1); x < shape.first; x *= 2)
    registers.push_back(at(x, 0));
  if (acc.size() == 3)
    for (int64_t x = grid.batches; x < acc[0]; x *= 2)
      registers.push_back(batch(x));
  return LayoutAttr::get(row.getContext(), acc.size(), registers, lanes,
                         ofWarps);
}
