// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over the elements of shapes. Private to this folder.
#ifndef KILN_DIALECTS_PRIM_EVAL_POINTS_H
#define KILN_DIALECTS_PRIM_EVAL_POINTS_H

#include "kiln/Eval/Elements.h"
#include <cmath>

namespace kiln::eval {

/// Calls `fn` with each point of a shape, in row-major order, until it fails.
template <typename Fn>
mlir::LogicalResult forEachPoint(llvm::ArrayRef<int64_t> shape, Fn fn) {
  if (llvm::is_contained(shape, 0))
    return mlir::success();
  llvm::SmallVector<int64_t> at(shape.size(), 0);
  while (true) {
    if (failed(fn(llvm::ArrayRef<int64_t>(at))))
      return mlir::failure();
    int d = static_cast<int>(shape.size()) - 1;
    for (; d >= 0; --d) {
      if (++at[d] < shape[d])
        break;
      at[d] = 0;
    }
    if (d < 0)
      return mlir::success();
  }
}

/// The number of a point in row-major order.
inline int64_t numberOf(llvm::ArrayRef<int64_t> at,
                        llvm::ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (auto [x, size] : llvm::zip(at, shape))
    number = number * size + x;
  return number;
}

/// The same elements in memory of their own.
inline Value copyOf(const Value &value) {
  return gatherStrided(value, value.shape(), 0, rowMajorStrides(value.shape()));
}

/// All elements as integers, in row-major order.
inline std::vector<int64_t> toInts(const Value &value) {
  std::vector<int64_t> result(value.size());
  loadInts(value.dtype(), value.data(), 0, value.size(), result.data());
  return result;
}

/// The larger and the smaller of two floats: NaN wins, and +0 is larger than
/// -0.
inline double largerOf(double x, double y) {
  if (x == y)
    return std::signbit(x) ? y : x;
  return x > y || x != x ? x : y;
}
inline double smallerOf(double x, double y) {
  if (x == y)
    return std::signbit(x) ? x : y;
  return x < y || x != x ? x : y;
}

} // namespace kiln::eval

#endif // KILN_DIALECTS_PRIM_EVAL_POINTS_H
