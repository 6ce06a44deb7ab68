//===- Squares.cpp - Nests that transpose what they read ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile whose elements lie along one dimension where they are read, and along
// another where they are stored. Its nest reads squares of vectors, transposes
// them in registers and stores them: each line of memory is touched by whole
// vectors. A vector of elements that lie apart would touch as many lines as it
// has elements, which the sets of a cache do not hold if their distance is a
// power of two.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "NestBuilder.h"
#include "Pack.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <functional>

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

Squares NestBuilder::squaresOf(const Nest &nest, Value root) {
  // More rows than there are registers would go through memory.
  constexpr int64_t kMostRows = 16, kFewestRows = 4;
  // Scalable registers exchange elements across all of their length only.
  if (nest.laneDim < 0 || nest.lanes < kFewestRows || nest.neverFast ||
      extraOf(kernel, "vscale"))
    return {};
  int rank = nest.shape.size();
  SmallVector<int> identity;
  for (auto [d, size] : llvm::enumerate(nest.shape))
    identity.push_back(size == 1 ? kZero : int(d));
  SmallVector<double> scores(rank, 0);
  scoreLanes(root, identity, scores, nest.shape);
  Squares squares;
  squares.side = std::min(nest.lanes, kMostRows);
  if (scores[nest.laneDim] == 0 || nest.shape[nest.laneDim] < squares.side)
    return {};
  for (int d = rank; d-- > 0;)
    if (d != nest.laneDim && scores[d] == 0 && nest.shape[d] >= squares.side &&
        llvm::any_of(nest.accesses, [&](const Access &access) {
          return llvm::is_contained(access.dims, d);
        })) {
      squares.across = d;
      break;
    }
  return squares;
}

Value NestBuilder::squaresCondition(const Nest &nest, const Squares &squares) {
  SmallVector<Bounds> safe;
  Value condition = safeRanges(nest, safe);
  for (auto [d, bounds] : llvm::enumerate(safe)) {
    Bounds range = rangeOf(nest, d);
    if (bounds.hi)
      condition = conjunction(
          condition, compare(arith::CmpIPredicate::sge, bounds.hi, range.hi));
    if (bounds.lo)
      condition = conjunction(
          condition, compare(arith::CmpIPredicate::sle, bounds.lo, range.lo));
    if (int(d) == nest.laneDim || int(d) == squares.across)
      condition = conjunction(condition, compare(arith::CmpIPredicate::sge,
                                                 sub(range.hi, range.lo),
                                                 c64(squares.side)));
  }
  return condition;
}

void NestBuilder::runSquares(
    const Nest &nest, const Squares &squares, Value root,
    llvm::function_ref<void(Value, const Point &)> store) {
  int rank = nest.shape.size();
  SmallVector<int> order;
  for (int d = 0; d < rank; ++d)
    if (d != nest.laneDim && d != squares.across)
      order.push_back(d);
  // Lines of what is read are used up first; what is stored is behind them.
  order.append({nest.laneDim, squares.across});
  Point first;
  first.coords.resize(rank);
  first.lanes = squares.side;
  // The points of the vectors along `lanes`, one for each place along `rows`.
  auto pointAt = [&](int lanes, int rows, int64_t row) {
    Point point = first;
    point.coords[lanes].lane = 1;
    point.coords[rows].constant += row;
    return point;
  };
  std::function<void(size_t)> descend = [&](size_t depth) {
    if (depth == order.size()) {
      SmallVector<Value> rows;
      for (int64_t i = 0; i < squares.side; ++i)
        rows.push_back(toStorage(
            evaluateLanes(root, pointAt(squares.across, nest.laneDim, i))));
      transposeRegisters(b, loc, rows);
      for (int64_t i = 0; i < squares.side; ++i)
        store(rows[i], pointAt(nest.laneDim, squares.across, i));
      return;
    }
    int d = order[depth];
    Bounds range = rangeOf(nest, d);
    bool isSide = d == nest.laneDim || d == squares.across;
    forLoop(range.lo, range.hi, isSide ? squares.side : 1, {}, /*fast=*/true,
            [&](Coord at, ValueRange) {
              // The last square ends where the tile does.
              if (isSide)
                at = Coord{
                    minimum(coordValue(at), sub(range.hi, c64(squares.side))),
                    0, 0, currentLevel()};
              first.coords[d] = at;
              descend(depth + 1);
              return SmallVector<Value>();
            });
  };
  descend(0);
}
