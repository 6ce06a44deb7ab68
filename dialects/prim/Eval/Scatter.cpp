// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing windows at computed places.
#include "Families.h"
#include "Points.h"
#include "kiln/Eval/Perturb.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace kiln::eval {

namespace {

/// Where the windows of a gather or scatter are.
struct Places {
  ArrayRef<int64_t> operand;   ///< shape
  SmallVector<int64_t> places; ///< shape of the indices but the coordinates
  SmallVector<int64_t> window; ///< one size for each dimension not matched
  ArrayRef<int64_t> dims;
  unsigned batch;
  std::vector<int64_t> indices;

  /// The first element of the window of a place.
  SmallVector<int64_t> start(ArrayRef<int64_t> place) const {
    SmallVector<int64_t> at(operand.size(), 0);
    std::copy_n(place.begin(), batch, at.begin());
    int64_t row = numberOf(place, places) * dims.size();
    for (auto [k, dim] : llvm::enumerate(dims))
      at[dim] = indices[row + k];
    return at;
  }
};

LogicalResult checkBatch(Operation *op, const Value &a, const Value &other,
                         unsigned batch) {
  for (unsigned d = 0; d < batch; ++d)
    if (a.dim(d) != other.dim(d))
      return op->emitOpError("expected ")
             << a.dim(d) << " elements in batch dimension " << d << ", found "
             << other.dim(d);
  return success();
}

FailureOr<Places> placesOf(Operation *op, const Value &a, const Value &indices,
                           ArrayRef<int64_t> dims, unsigned batch) {
  if (failed(checkBatch(op, a, indices, batch)))
    return failure();
  if (indices.shape().back() != static_cast<int64_t>(dims.size()))
    return op->emitOpError("expected ")
           << dims.size() << " coordinates, found " << indices.shape().back();
  Places result;
  result.operand = a.shape();
  result.places.assign(indices.shape().drop_back());
  result.dims = dims;
  result.batch = batch;
  result.indices = toInts(indices);
  return result;
}

LogicalResult gatherSlices(prim::GatherSlicesOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  unsigned batch = op.getBatchDims();
  FailureOr<Places> found =
      placesOf(op, a, frame.get(op.getIndices()), op.getDims(), batch);
  if (failed(found))
    return failure();
  Places &places = *found;
  SmallVector<int64_t> shape = places.places;
  for (auto [size, whole] :
       llvm::zip(op.getSliceSizes(), a.shape().drop_front(batch))) {
    places.window.push_back(size == -1 ? whole : size);
    if (places.window.back() > whole)
      return op.emitOpError("expected slices of at most ")
             << whole << " elements, found " << size;
  }
  llvm::append_range(shape, places.window);
  FailureOr<Value> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  int64_t bytes = runtime::dtypeBytes(a.dtype());
  char *to = result->as<char>();
  (void)forEachPoint(places.places, [&](ArrayRef<int64_t> place) {
    SmallVector<int64_t> start = places.start(place);
    for (auto [d, size] : llvm::enumerate(places.window))
      start[batch + d] =
          std::clamp<int64_t>(start[batch + d], 0, a.dim(batch + d) - size);
    return forEachPoint(places.window, [&](ArrayRef<int64_t> w) {
      SmallVector<int64_t> at = start;
      for (auto [d, x] : llvm::enumerate(w))
        at[batch + d] += x;
      std::memcpy(to, a.as<char>() + numberOf(at, a.shape()) * bytes, bytes);
      to += bytes;
      return success();
    });
  });
  return finish(op, frame, std::move(*result));
}

double combineFloats(prim::ScatterKind kind, double x, double y) {
  switch (kind) {
  case prim::ScatterKind::add:
    return x + y;
  case prim::ScatterKind::mul:
    return x * y;
  case prim::ScatterKind::min:
    return smallerOf(x, y);
  case prim::ScatterKind::max:
    return largerOf(x, y);
  default:
    return y;
  }
}

int64_t combineInts(prim::ScatterKind kind, DType dtype, int64_t x, int64_t y) {
  unsigned bits = 8 * runtime::dtypeBytes(dtype);
  uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  auto below = [&] { return (uint64_t(x) & mask) < (uint64_t(y) & mask); };
  bool truth = dtype == DType::i1;
  switch (kind) {
  case prim::ScatterKind::set:
    return y;
  case prim::ScatterKind::add:
    return truth ? x | y : int64_t(uint64_t(x) + uint64_t(y));
  case prim::ScatterKind::mul:
    return truth ? x & y : int64_t(uint64_t(x) * uint64_t(y));
  case prim::ScatterKind::min:
    return truth ? x & y : std::min(x, y);
  case prim::ScatterKind::max:
    return truth ? x | y : std::max(x, y);
  case prim::ScatterKind::umin:
    return truth ? x & y : below() ? x : y;
  case prim::ScatterKind::umax:
    return truth ? x | y : below() ? y : x;
  case prim::ScatterKind::and_:
    return x & y;
  case prim::ScatterKind::or_:
    return x | y;
  case prim::ScatterKind::xor_:
    return x ^ y;
  }
  return y;
}

/// The errors of sums and products of floats, which a target may take in any
/// order. Both orders round each time: at most to half an ulp of all partial
/// results.
class AnyOrder {
public:
  AnyOrder(prim::ScatterKind kind, const Value &out)
      : isSum(kind == prim::ScatterKind::add), dtype(out.dtype()) {
    bool errs = runtime::isFloat(dtype) && perturbation().isOn() &&
                (isSum || kind == prim::ScatterKind::mul);
    terms.resize(errs ? out.size() : 0);
    sizes.resize(terms.size(), isSum ? 0 : 1);
  }

  /// Records that `y` is combined with `x`, which element `to` has.
  void add(int64_t to, double x, double y) {
    if (terms.empty())
      return;
    if (terms[to] == 0)
      addSize(sizes[to], x);
    addSize(sizes[to], y);
    terms[to] += 1;
  }

  /// Lets each element err as far as another order may.
  void perturb(Value &out) const {
    for (int64_t i = 0, e = terms.size(); i < e; ++i) {
      if (terms[i] == 0)
        continue;
      double x, size = sizes[i], largest = largestFinite(dtype);
      loadDoubles(dtype, out.data(), i, 1, &x);
      if (terms[i] > 1 && size > largest) {
        // A partial result may overflow although the whole does not.
        x = unboundedNear(x, dtype);
      } else if (std::isfinite(x)) {
        // A partial product may be subnormal before the large factors come.
        if (!isSum)
          size = std::fabs(x) + std::min(size, largest) * smallestNormal(dtype);
        x += errorDirection(i) * terms[i] * runtime::dtypeEpsilon(dtype) * size;
      }
      storeDoubles(dtype, out.mutableData(), i, 1, &x);
    }
  }

private:
  /// Sizes are the sum of the terms, or the largest part of the product.
  void addSize(double &size, double x) const {
    if (isSum)
      size += std::isfinite(x) ? std::fabs(x) : 0;
    else if (!std::isnan(x))
      size *= std::max(1.0, std::fabs(x));
  }

  bool isSum;
  DType dtype;
  std::vector<double> terms; ///< how many roundings each element has
  std::vector<double> sizes;
};

LogicalResult scatter(prim::ScatterOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  const Value &updates = frame.get(op.getUpdates());
  unsigned batch = op.getBatchDims();
  FailureOr<Places> found =
      placesOf(op, a, frame.get(op.getIndices()), op.getDims(), batch);
  if (failed(found))
    return failure();
  Places &places = *found;
  places.window.assign(updates.shape().drop_front(places.places.size()));
  if (updates.shape().take_front(places.places.size()) !=
      ArrayRef<int64_t>(places.places))
    return op.emitOpError("expected a window for each index");
  for (auto [size, whole] :
       llvm::zip(places.window, a.shape().drop_front(batch)))
    if (size > whole)
      return op.emitOpError("expected windows of at most ")
             << whole << " elements, found " << size;
  Value out = copyOf(a);
  bool isFloat = runtime::isFloat(a.dtype());
  AnyOrder order(op.getCombine(), out);
  int64_t next = 0;
  (void)forEachPoint(places.places, [&](ArrayRef<int64_t> place) {
    SmallVector<int64_t> start = places.start(place);
    return forEachPoint(places.window, [&](ArrayRef<int64_t> w) {
      SmallVector<int64_t> at = start;
      bool inside = true;
      for (auto [d, x] : llvm::enumerate(w)) {
        inside &= !__builtin_add_overflow(at[batch + d], x, &at[batch + d]);
        inside &= at[batch + d] >= 0 && at[batch + d] < a.dim(batch + d);
      }
      int64_t from = next++;
      if (!inside)
        return success();
      int64_t to = numberOf(at, a.shape());
      if (isFloat) {
        double x, y;
        loadDoubles(a.dtype(), out.data(), to, 1, &x);
        loadDoubles(a.dtype(), updates.data(), from, 1, &y);
        order.add(to, x, y);
        x = combineFloats(op.getCombine(), x, y);
        storeDoubles(a.dtype(), out.mutableData(), to, 1, &x);
      } else {
        int64_t x, y;
        loadInts(a.dtype(), out.data(), to, 1, &x);
        loadInts(a.dtype(), updates.data(), from, 1, &y);
        x = combineInts(op.getCombine(), a.dtype(), x, y);
        storeInts(a.dtype(), out.mutableData(), to, 1, &x);
      }
      return success();
    });
  });
  order.perturb(out);
  return finish(op, frame, std::move(out));
}

} // namespace

void addPrimScatter(PrimTable &table) {
  table.add<prim::GatherSlicesOp>(gatherSlices);
  table.add<prim::ScatterOp>(scatter);
}

} // namespace kiln::eval
