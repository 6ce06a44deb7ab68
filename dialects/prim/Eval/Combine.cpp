// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions with any combiner: the region is run for each element.
#include "Families.h"
#include "Points.h"

using namespace mlir;

namespace kiln::eval {

namespace {

/// An element as a tensor of rank 0.
Value elementOf(const Value &a, int64_t number) {
  return gatherStrided(a, {}, number, {});
}

/// Combines in place with the elements `number` of the operands.
LogicalResult fold(Region &combiner, Frame &frame, ArrayRef<Value> operands,
                   int64_t number, SmallVectorImpl<Value> &sums) {
  SmallVector<Value> both(sums.begin(), sums.end());
  for (const Value &operand : operands)
    both.push_back(elementOf(operand, number));
  return frame.run(combiner, both, sums);
}

/// Folds what `elements` calls its argument with, for each point of `shape`,
/// and sets the results.
template <typename Op, typename Elements>
LogicalResult foldAll(Op op, Frame &frame, ArrayRef<int64_t> shape,
                      Elements elements) {
  // What is outside of the region are constants.
  SmallVector<Value> operands = frame.get(op.getInputs());
  SmallVector<Value> inits = frame.get(op.getInits()), outs;
  for (const Value &operand : operands)
    outs.push_back(Value::tensor(operand.dtype(), shape));
  int64_t next = 0;
  LogicalResult result = forEachPoint(shape, [&](ArrayRef<int64_t> at) {
    SmallVector<Value> sums = inits;
    if (failed(elements(at, [&](int64_t number) {
          return fold(op.getCombiner(), frame, operands, number, sums);
        })))
      return failure();
    for (auto [sum, out] : llvm::zip(sums, outs))
      scatterStrided(sum, out, next, {});
    ++next;
    return success();
  });
  if (failed(result))
    return failure();
  for (auto [value, out] : llvm::zip(op.getResults(), outs))
    (void)frame.set(value, std::move(out));
  return success();
}

LogicalResult reduce(prim::ReduceOp op, Frame &frame) {
  SmallVector<Value> operands = frame.get(op.getInputs());
  if (failed(sameShape(op, operands)))
    return failure();
  ArrayRef<int64_t> whole = operands.front().shape();
  SmallVector<int64_t> kept, reduced;
  for (auto [d, size] : llvm::enumerate(whole))
    (llvm::is_contained(op.getDims(), int64_t(d)) ? reduced : kept)
        .push_back(size);
  return foldAll(op, frame, kept, [&](ArrayRef<int64_t> at, auto add) {
    return forEachPoint(reduced, [&](ArrayRef<int64_t> inner) {
      SmallVector<int64_t> point;
      unsigned k = 0, r = 0;
      for (size_t d = 0; d < whole.size(); ++d)
        point.push_back(llvm::is_contained(op.getDims(), int64_t(d))
                            ? inner[r++]
                            : at[k++]);
      return add(numberOf(point, whole));
    });
  });
}

LogicalResult reduceWindow(prim::ReduceWindowOp op, Frame &frame) {
  SmallVector<Value> operands = frame.get(op.getInputs());
  if (failed(sameShape(op, operands)))
    return failure();
  ArrayRef<int64_t> whole = operands.front().shape();
  SmallVector<int64_t> shape;
  for (auto [d, size] : llvm::enumerate(whole)) {
    int64_t spread = size ? (size - 1) * op.getInputDilation()[d] + 1 : 0;
    int64_t range = spread + op.getPadLow()[d] + op.getPadHigh()[d] -
                    ((op.getWindow()[d] - 1) * op.getDilation()[d] + 1);
    shape.push_back(range < 0 ? 0 : range / op.getStrides()[d] + 1);
  }
  return foldAll(op, frame, shape, [&](ArrayRef<int64_t> at, auto add) {
    return forEachPoint(op.getWindow(), [&](ArrayRef<int64_t> w) {
      SmallVector<int64_t> point;
      for (size_t d = 0; d < whole.size(); ++d) {
        int64_t x = at[d] * op.getStrides()[d] + w[d] * op.getDilation()[d] -
                    op.getPadLow()[d];
        int64_t holes = op.getInputDilation()[d];
        if (x < 0 || x % holes || x / holes >= whole[d])
          return success();
        point.push_back(x / holes);
      }
      return add(numberOf(point, whole));
    });
  });
}

LogicalResult selectAndScatter(prim::SelectAndScatterOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  const Value &source = frame.get(op.getSource());
  std::vector<double> sums(a.size(), 0), x = toDoubles(a),
                                         s = toDoubles(source);
  std::vector<int64_t> intSums(a.size(), 0);
  bool isFloat = runtime::isFloat(a.dtype());
  bool largest = op.getKind() == prim::ScanKind::max;
  std::vector<int64_t> ints, intSource;
  if (!isFloat) {
    ints = toInts(a);
    intSource = toInts(source);
  }
  for (auto [d, size] : llvm::enumerate(a.shape())) {
    int64_t range =
        size + op.getPadLow()[d] + op.getPadHigh()[d] - op.getWindow()[d];
    int64_t count = range < 0 ? 0 : range / op.getStrides()[d] + 1;
    if (source.dim(d) != count)
      return op.emitOpError("expected a source of ")
             << count << " elements in dimension " << d << ", found "
             << source.dim(d);
  }
  int64_t next = 0;
  (void)forEachPoint(source.shape(), [&](ArrayRef<int64_t> at) {
    int64_t best = -1;
    (void)forEachPoint(op.getWindow(), [&](ArrayRef<int64_t> w) {
      SmallVector<int64_t> point;
      for (size_t d = 0; d < w.size(); ++d) {
        point.push_back(at[d] * op.getStrides()[d] + w[d] - op.getPadLow()[d]);
        if (point.back() < 0 || point.back() >= a.dim(d))
          return success();
      }
      int64_t i = numberOf(point, a.shape());
      bool better =
          best < 0 ||
          (isFloat
               ? (x[best] == x[best] &&
                  (x[i] != x[i] || (largest ? x[i] > x[best] : x[i] < x[best])))
               : (largest ? ints[i] > ints[best] : ints[i] < ints[best]));
      if (better)
        best = i;
      return success();
    });
    if (best >= 0 && isFloat)
      sums[best] += s[next];
    else if (best >= 0)
      intSums[best] += intSource[next];
    ++next;
    return success();
  });
  Value out = Value::tensor(a.dtype(), a.shape());
  if (isFloat)
    fromDoubles(sums, out);
  else
    storeInts(out.dtype(), out.mutableData(), 0, out.size(), intSums.data());
  return finish(op, frame, std::move(out));
}

} // namespace

void addPrimCombine(PrimTable &table) {
  table.add<prim::ReduceOp>(reduce);
  table.add<prim::ReduceWindowOp>(reduceWindow);
  table.add<prim::SelectAndScatterOp>(selectAndScatter);
}

} // namespace kiln::eval
