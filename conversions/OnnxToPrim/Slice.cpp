// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of tensors.
#include "Node.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// The entry of `list` for dimension `dim`, where `axes`, which may be
/// computed, says which dimension each entry is for.
Value entryFor(Node &n, Value list, Value axes, int64_t dim, int64_t rank,
               int64_t otherwise) {
  Value result = n.integer(otherwise);
  if (!list)
    return result;
  int64_t count = n.shape(list)[0];
  for (int64_t k = 0; k < count; ++k) {
    auto scalar = [&](Value from) {
      return n.e.reshape(n.i64(n.slice(from, 0, k, 1)), ArrayRef<int64_t>());
    };
    if (!axes) {
      if (k == dim)
        return scalar(list);
      continue;
    }
    Value at = n.fromEnd(scalar(axes), n.e.size(rank));
    result = n.where(n.eq(at, n.integer(dim)), scalar(list), result);
  }
  return result;
}

/// Starts that are computed: elements are read one by one, as many as the type
/// of the result says.
LogicalResult computedSlice(Node &n) {
  auto declared = n.declared();
  Value x = n.in(0);
  int64_t rank = n.rank(0);
  if (!declared || int64_t(declared->size()) != rank ||
      !n.e.typeOf(x).hasStaticShape())
    return n.fail("has starts, ends, axes or steps that are not known");
  for (unsigned i = 1; i < n.numInputs(); ++i)
    if (n.has(i) && (n.rank(i) != 1 || n.shape(n.in(i)) != n.shape(n.in(1)) ||
                     !n.e.typeOf(n.in(i)).hasStaticShape()))
      return n.fail("has lists of different lengths");
  if (!n.has(2))
    return n.fail("has no starts and ends");
  Value axes = n.has(3) ? n.in(3) : Value(),
        steps = n.has(4) ? n.in(4) : Value();
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = n.shape(x)[dim], count = (*declared)[dim];
    if (count == 0 || size == 0) {
      x = n.slice(x, dim, 0, 0);
      continue;
    }
    Value step = entryFor(n, steps, axes, dim, rank, 1);
    Value start = entryFor(n, n.in(1), axes, dim, rank, 0);
    start = n.fromEnd(start, n.e.size(size));
    // A start beyond the end is the last element for a step backwards.
    start = n.clamp(start, 0, size - 1);
    Value at = n.add(start, n.mul(n.iota(count, n.e.b.getI64Type()), step));
    x = n.take(x, n.clamp(at, 0, size - 1), dim);
  }
  return n.set(x);
}

/// One dimension with everything known.
Value part(Node &n, Value x, int64_t dim, int64_t start, int64_t end,
           int64_t step) {
  int64_t size = n.shape(x)[dim];
  constexpr int64_t open = std::numeric_limits<int32_t>::max() - 1;
  if (ShapedType::isDynamic(size)) {
    if (step != 1)
      return n.refuse("has a step along a size that is not known");
    if (start >= 0 && end >= open)
      return n.e.sliceDim(x, dim, start, -1);
    if (start >= 0 && end >= start)
      return n.e.sliceDim(x, dim, start, end);
    return n.refuse("counts from the end of a size that is not known");
  }
  auto clampTo = [&](int64_t at, int64_t low, int64_t high) {
    return std::clamp(at < 0 ? std::max(at, -size - 1) + size : at, low, high);
  };
  if (step == 0)
    return n.refuse("has a step of 0");
  if (step > 0) {
    start = clampTo(start, 0, size);
    end = clampTo(end, 0, size);
    return n.slice(x, dim, start,
                   end > start ? (end - start - 1) / step + 1 : 0, step);
  }
  start = clampTo(start, 0, size - 1);
  end = clampTo(end, -1, size - 1);
  int64_t count = start > end ? (start - end - 1) / -step + 1 : 0;
  if (size == 0 || count == 0)
    return n.slice(x, dim, 0, 0);
  int64_t last = start + (count - 1) * step;
  return n.reverse(n.slice(x, dim, last, count, -step), dim);
}

LogicalResult slice(Node &n) {
  std::optional<Ints> starts, ends, axes, steps;
  if (n.opset() < 10 || n.hasAttr("starts")) {
    starts = n.getInts("starts");
    ends = n.getInts("ends");
    axes = n.getInts("axes");
  } else {
    if (!n.has(2))
      return n.fail("has no starts and ends");
    starts = n.ints(1);
    ends = n.ints(2);
    if (n.has(3) && !(axes = n.ints(3)))
      return computedSlice(n);
    if (n.has(4) && !(steps = n.ints(4)))
      return computedSlice(n);
  }
  if (!starts || !ends)
    return computedSlice(n);
  if (!axes) {
    axes.emplace();
    for (size_t d = 0; d < starts->size(); ++d)
      axes->push_back(d);
  }
  if (!steps)
    steps = Ints(starts->size(), 1);
  if (ends->size() != starts->size() || axes->size() != starts->size() ||
      steps->size() != starts->size())
    return n.fail("has lists of different lengths");
  Value x = n.in(0);
  Ints dims = n.axes(*axes, n.rank(0));
  for (size_t k = 0; k < dims.size() && !n.broken && x; ++k)
    x = part(n, x, dims[k], (*starts)[k], (*ends)[k], (*steps)[k]);
  return n.set(x);
}

/// Split: sizes are an input, an attribute before version 13, equal parts, or
/// what the types of the results say.
LogicalResult split(Node &n) {
  Value x = n.in(0);
  int64_t dim = n.axisAttr("axis", 0, n.rank(0));
  if (n.broken)
    return failure();
  int64_t size = n.shape(x)[dim], count = n.numResults();
  std::optional<Ints> sizes = n.getInts("split");
  bool isInput = !sizes && n.has(1);
  if (isInput)
    sizes = n.ints(1);
  if (isInput && !sizes) {
    sizes.emplace();
    for (int64_t i = 0; i < count; ++i) {
      auto declared = n.declared(i);
      if (!declared || int64_t(declared->size()) != n.rank(0))
        return n.fail("has sizes that are not known");
      sizes->push_back((*declared)[dim]);
    }
  }
  if (!sizes) {
    if (ShapedType::isDynamic(size) || count == 0)
      return n.fail("of a size that is not known");
    int64_t each = llvm::divideCeil(size, count);
    sizes.emplace();
    for (int64_t i = 0, left = size; i < count; ++i, left -= each)
      sizes->push_back(std::clamp<int64_t>(left, 0, each));
  }
  int64_t total = 0;
  for (int64_t each : *sizes)
    total += each;
  if (int64_t(sizes->size()) != count ||
      (!ShapedType::isDynamic(size) && total != size) ||
      llvm::any_of(*sizes, [](int64_t each) { return each < 0; }))
    return n.fail("has sizes that do not make up the dimension, or one for "
                  "each result");
  int64_t start = 0;
  for (int64_t i = 0; i < count; start += (*sizes)[i], ++i)
    if (failed(n.set(i, n.slice(x, dim, start, (*sizes)[i]))))
      return failure();
  return success();
}

} // namespace

void addSliceRules(NodeRules &rules) {
  rules.add("Slice", slice);
  rules.add("Split", split);
}

} // namespace kiln::onnx_to_prim
