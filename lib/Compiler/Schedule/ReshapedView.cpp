//===- ReshapedView.cpp - Reshapes that need no copy ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Schedule/ReshapedView.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

std::optional<SmallVector<int64_t>> kiln::schedule::stridesOfReshape(
    ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides, ArrayRef<int64_t> to) {
  // Without dimensions of one element.
  SmallVector<std::pair<int64_t, int64_t>> from;
  for (auto [size, stride] : llvm::zip(sizes, strides))
    if (size != 1)
      from.push_back({size, stride});
  SmallVector<int64_t> result(to.size(), 1);
  int64_t next = to.size();
  while (!from.empty()) {
    auto [elements, stride] = from.pop_back_val();
    int64_t apart = stride;
    // What follows in memory as one dimension.
    while (!from.empty() && from.back().second == stride * elements)
      elements *= from.pop_back_val().first;
    // The dimensions of the shape that take all of it.
    int64_t taken = 1;
    while (next > 0 && taken < elements) {
      result[--next] = apart;
      apart *= to[next];
      taken *= to[next];
    }
    if (taken != elements)
      return std::nullopt;
  }
  return result;
}
