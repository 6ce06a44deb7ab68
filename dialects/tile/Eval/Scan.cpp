// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans and other operations that relate elements of a tile.
#include "Families.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/SegmentOps.h"
#include "kiln/Eval/Perturb.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;

namespace kiln::eval {

namespace {

/// A tile as [outer, length, inner] around an axis.
struct Lines {
  int64_t outer = 1, length, inner = 1;
  Lines(ArrayRef<int64_t> shape, int64_t axis) : length(shape[axis]) {
    for (auto [d, size] : llvm::enumerate(shape))
      if (static_cast<int64_t>(d) != axis)
        (static_cast<int64_t>(d) < axis ? outer : inner) *= size;
  }
  int64_t lanes() const { return outer * inner; }
  /// The element `i` of a lane.
  int64_t at(int64_t lane, int64_t i) const {
    return (lane / inner * length + i) * inner + lane % inner;
  }
};

void setElement(Value &out, int64_t at, const Value &element) {
  int64_t bytes = runtime::dtypeBytes(out.dtype());
  std::memcpy(out.as<char>() + at * bytes, element.data(), bytes);
  if (element.hasPoison())
    out.makePoison()[at] = 1;
}

/// The part of all lanes from `first` on, `count` elements along the axis.
Value part(const Value &a, const Lines &lines, int64_t first, int64_t count) {
  return gatherStrided(a, {lines.outer, count, lines.inner},
                       first * lines.inner,
                       {lines.length * lines.inner, lines.inner, 1});
}

/// Combines with the element 1, 2, 4 ... before, all lanes at once.
LogicalResult scanLanes(tile::ScanOp op, Frame &frame, const Lines &lines,
                        SmallVector<Value> &values) {
  bool reverse = op.getReverse();
  for (int64_t step = 1; step < lines.length; step *= 2) {
    int64_t count = lines.length - step;
    // The prefix comes first: from the end it lies behind.
    SmallVector<Value> args, next;
    for (bool isPrefix : {true, false})
      for (const Value &value : values)
        args.push_back(
            part(value, lines, isPrefix == reverse ? step : 0, count));
    if (failed(frame.run(op.getCombiner(), args, next)))
      return failure();
    for (auto [value, combined] : llvm::zip(values, next)) {
      Value whole = part(value, lines, 0, lines.length);
      if (value.hasPoison()) {
        // Lanes that are written anew lose what they had.
        Value clean = Value::tensor(value.dtype(), combined.shape());
        std::memcpy(clean.mutableData(), combined.data(), combined.bytes());
        clean.sharePoison(combined);
        if (!clean.hasPoison())
          clean.makePoison();
        combined = clean;
      }
      scatterStrided(combined, whole, reverse ? 0 : step * lines.inner,
                     {lines.length * lines.inner, lines.inner, 1});
      value = whole;
    }
  }
  for (Value &value : values)
    value = value.reshaped(tileShape(op.getSources().front()));
  return success();
}

/// The sums or products of all prefixes, off by as much as their lengths allow,
/// when errors are wanted and the combiner is one of the two.
/// `starts` says where sums begin anew, null: at the first element alone.
template <typename OpT>
bool scanWithin(OpT op, const Lines &lines, const Value &source,
                const uint8_t *starts, Value &out) {
  Block &body = op.getCombiner().front();
  if (!perturbation().isOn() || op.getSources().size() != 1 ||
      body.getOperations().size() != 2 ||
      !isa<arith::AddFOp, arith::MulFOp>(body.front()))
    return false;
  bool isSum = isa<arith::AddFOp>(body.front());
  double unit = runtime::dtypeEpsilon(source.dtype()) / 2;
  double most = largestFinite(source.dtype());
  for (int64_t lane = 0; lane < lines.lanes(); ++lane) {
    double sum = isSum ? 0 : 1, size = sum;
    for (int64_t n = 0; n < lines.length; ++n) {
      int64_t at = lines.at(lane, op.getReverse() ? lines.length - 1 - n : n);
      double x;
      loadDoubles(source.dtype(), source.data(), at, 1, &x);
      if (starts && starts[at])
        sum = size = isSum ? 0 : 1;
      sum = isSum ? sum + x : sum * x;
      if (!isSum)
        size *= std::max(1., std::fabs(x));
      else if (!std::isinf(x))
        size += std::fabs(x);
      // Parts of a product may be subnormal before the large elements come.
      double error =
          double(n + 1) * unit *
          (isSum ? size
                 : std::fabs(sum) + size * smallestNormal(source.dtype()));
      double value = sum;
      if (size > most)
        value = unboundedNear(sum, source.dtype());
      else if (std::isfinite(sum))
        value += errorDirection(at) * error;
      storeDoubles(out.dtype(), out.mutableData(), at, 1, &value);
    }
  }
  return true;
}

/// Combines element by element, anew where `starts` (null: nowhere but at the
/// first element) says so.
template <typename OpT>
LogicalResult scanOneByOne(OpT op, Frame &frame, const Lines &lines,
                           ArrayRef<Value> sources, const uint8_t *starts) {
  SmallVector<Value> results;
  for (const Value &source : sources)
    results.push_back(Value::tensor(source.dtype(), source.shape()));
  for (int64_t lane = 0; lane < lines.lanes(); ++lane) {
    SmallVector<Value> prefix;
    for (int64_t n = 0; n < lines.length; ++n) {
      int64_t at = lines.at(lane, op.getReverse() ? lines.length - 1 - n : n);
      bool isStart = n == 0 || (starts && starts[at]);
      SmallVector<Value> args;
      if (!isStart)
        args = prefix;
      for (const Value &source : sources)
        args.push_back(source.element(at));
      if (isStart)
        prefix = args;
      else if (failed(frame.run(op.getCombiner(), args, prefix)))
        return failure();
      for (auto [result, element] : llvm::zip(results, prefix))
        setElement(result, at, element);
    }
  }
  for (auto [result, value] : llvm::zip(op->getResults(), results))
    (void)frame.set(result, value);
  return success();
}

LogicalResult scan(tile::ScanOp op, Frame &frame) {
  SmallVector<Value> sources = frame.get(op.getSources());
  Lines lines(sources.front().shape(), op.getAxis());
  Value errs = Value::tensor(sources.front().dtype(), sources.front().shape());
  if (scanWithin(op, lines, sources.front(), nullptr, errs))
    return frame.set(op->getResult(0), std::move(errs));
  if (isLaneWise(op.getCombiner().front())) {
    if (failed(scanLanes(op, frame, lines, sources)))
      return failure();
    for (auto [result, value] : llvm::zip(op->getResults(), sources))
      (void)frame.set(result, value);
    return success();
  }
  return scanOneByOne(op, frame, lines, sources, nullptr);
}

LogicalResult segmentedScan(tile::SegmentedScanOp op, Frame &frame) {
  SmallVector<Value> sources = frame.get(op.getSources());
  const Value starts = frame.get(op.getStarts());
  if (starts.poison() &&
      llvm::is_contained(
          ArrayRef<uint8_t>(starts.poison(), size_t(starts.size())), 1))
    return op.emitOpError("where a segment starts is poison");
  Lines lines(sources.front().shape(), op.getAxis());
  Value errs = Value::tensor(sources.front().dtype(), sources.front().shape());
  if (scanWithin(op, lines, sources.front(), starts.as<uint8_t>(), errs))
    return frame.set(op->getResult(0), std::move(errs));
  return scanOneByOne(op, frame, lines, sources, starts.as<uint8_t>());
}

LogicalResult histogram(tile::HistogramOp op, Frame &frame) {
  const Value &a = frame.get(op.getSource());
  Value mask = op.getMask() ? frame.get(op.getMask()) : Value();
  Value out = Value::like(op.getResult().getType());
  std::vector<int64_t> values(a.size()), counts(out.size());
  loadInts(a.dtype(), a.data(), 0, a.size(), values.data(), Extend::sign);
  for (int64_t i = 0; i < a.size(); ++i) {
    if (!mask.isNone() && !mask.as<uint8_t>()[i])
      continue;
    if (a.poison() && a.poison()[i])
      return op.emitOpError("an element that is counted is poison");
    if (values[i] >= 0 && values[i] < out.size())
      ++counts[values[i]];
  }
  storeInts(out.dtype(), out.mutableData(), 0, out.size(), counts.data());
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult take(tile::GatherOp op, Frame &frame) {
  const Value &a = frame.get(op.getSource());
  const Value &indices = frame.get(op.getIndices());
  Lines from(a.shape(), op.getAxis()), to(indices.shape(), op.getAxis());
  Value out = Value::tensor(a.dtype(), indices.shape());
  std::vector<int64_t> index(indices.size());
  loadInts(indices.dtype(), indices.data(), 0, indices.size(), index.data(),
           Extend::sign);
  for (int64_t lane = 0; lane < to.lanes(); ++lane)
    for (int64_t i = 0; i < to.length; ++i) {
      int64_t at = to.at(lane, i);
      if (indices.poison() && indices.poison()[at]) {
        setElement(out, at, Value::scalar(a.dtype()));
        out.makePoison()[at] = 1;
        continue;
      }
      if (index[at] < 0 || index[at] >= from.length)
        return op.emitOpError("expected indices in [0, ")
               << from.length << "), found " << index[at];
      setElement(out, at, a.element(from.at(lane, index[at])));
    }
  return frame.set(op.getResult(), std::move(out));
}

/// The order of the elements of each lane.
class Orders {
public:
  Orders(const Value &a, const Lines &lines, bool descending)
      : lines(lines), isFloat(runtime::isFloat(a.dtype())), down(descending),
        x(isFloat ? a.size() : 0), y(isFloat ? 0 : a.size()) {
    if (isFloat)
      loadDoubles(a.dtype(), a.data(), 0, a.size(), x.data());
    else
      loadInts(a.dtype(), a.data(), 0, a.size(), y.data(), Extend::sign);
  }

  /// The coordinates of a lane's elements, in the order of these. Those of
  /// equal elements ascend.
  std::vector<int64_t> of(int64_t lane) const {
    std::vector<int64_t> order(lines.length);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
      int64_t p = lines.at(lane, i), q = lines.at(lane, j);
      if (isBefore(p, q) || isBefore(q, p))
        return isBefore(p, q);
      return i < j;
    });
    return order;
  }

private:
  bool isBefore(int64_t p, int64_t q) const {
    if (!isFloat)
      return down ? y[p] > y[q] : y[p] < y[q];
    // NaN comes last either way; -0 comes before +0.
    if (std::isnan(x[p]) || std::isnan(x[q]))
      return !std::isnan(x[p]) && std::isnan(x[q]);
    if (x[p] == x[q])
      return down ? std::signbit(x[p]) < std::signbit(x[q])
                  : std::signbit(x[p]) > std::signbit(x[q]);
    return down ? x[p] > x[q] : x[p] < x[q];
  }

  const Lines &lines;
  bool isFloat, down;
  std::vector<double> x;
  std::vector<int64_t> y;
};

bool hasPoison(const Value &a, const Lines &lines, int64_t lane) {
  for (int64_t i = 0; a.poison() && i < lines.length; ++i)
    if (a.poison()[lines.at(lane, i)])
      return true;
  return false;
}

LogicalResult sort(tile::SortOp op, Frame &frame) {
  const Value &a = frame.get(op.getSource());
  Lines lines(a.shape(), op.getAxis());
  Value out = Value::tensor(a.dtype(), a.shape());
  Orders orders(a, lines, op.getDescending());
  for (int64_t lane = 0; lane < lines.lanes(); ++lane) {
    std::vector<int64_t> order = orders.of(lane);
    bool poison = hasPoison(a, lines, lane);
    for (int64_t i = 0; i < lines.length; ++i) {
      setElement(out, lines.at(lane, i), a.element(lines.at(lane, order[i])));
      if (poison)
        out.makePoison()[lines.at(lane, i)] = 1;
    }
  }
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult topK(tile::TopKOp op, Frame &frame) {
  const Value &a = frame.get(op.getSource());
  Value values = Value::like(op.getValues().getType());
  Value indices = Value::like(op.getIndices().getType());
  Lines from(a.shape(), op.getAxis()), to(values.shape(), op.getAxis());
  Orders orders(a, from, !op.getSmallest());
  for (int64_t lane = 0; lane < from.lanes(); ++lane) {
    std::vector<int64_t> order = orders.of(lane);
    bool poison = hasPoison(a, from, lane);
    for (int64_t i = 0; i < to.length; ++i) {
      int64_t at = to.at(lane, i);
      setElement(values, at, a.element(from.at(lane, order[i])));
      storeInts(indices.dtype(), indices.mutableData(), at, 1, &order[i]);
      if (poison)
        values.makePoison()[at] = indices.makePoison()[at] = 1;
    }
  }
  (void)frame.set(op.getValues(), std::move(values));
  return frame.set(op.getIndices(), std::move(indices));
}

LogicalResult join(tile::JoinOp op, Frame &frame) {
  Value out = Value::like(op.getResult().getType());
  auto strides = rowMajorStrides(out.shape());
  strides.pop_back();
  scatterStrided(frame.get(op.getLhs()), out, 0, strides);
  scatterStrided(frame.get(op.getRhs()), out, 1, strides);
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult split(tile::SplitOp op, Frame &frame) {
  const Value a = frame.get(op.getSource());
  ArrayRef<int64_t> shape = tileShape(op.getFirst());
  auto strides = rowMajorStrides(a.shape());
  strides.pop_back();
  (void)frame.set(op.getFirst(), gatherStrided(a, shape, 0, strides));
  return frame.set(op.getSecond(), gatherStrided(a, shape, 1, strides));
}

} // namespace

void addTileScan(EvaluationInterface &table) {
  table.add<tile::ScanOp>(scan);
  table.add<tile::SegmentedScanOp>(segmentedScan);
  table.add<tile::HistogramOp>(histogram);
  table.add<tile::GatherOp>(take);
  table.add<tile::SortOp>(sort);
  table.add<tile::TopKOp>(topK);
  table.add<tile::JoinOp>(join);
  table.add<tile::SplitOp>(split);
}

} // namespace kiln::eval
