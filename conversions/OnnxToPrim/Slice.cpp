// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of tensors.
#include "Lists.h"

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

/// Everything may be data, lists of any length among it: positions are computed
/// for each dimension.
LogicalResult openSlice(Node &n) {
  Value x = n.in(0), zero = n.integer(0), one = n.integer(1);
  int64_t rank = n.rank(0);
  for (unsigned i = 1; i < n.numInputs(); ++i)
    if (n.has(i) && n.rank(i) != 1)
      return n.fail("has starts, ends, axes or steps that are no list");
  Type i64 = n.e.b.getI64Type();
  Value axes =
      n.has(3) ? axesFrom(n, 3, rank) : n.iota(n.e.sizesOf(n.in(1))[0], i64);
  for (int64_t dim = 0; dim < rank; ++dim) {
    OpFoldResult all = n.e.sizesOf(x)[dim];
    Value size = n.e.sizeTensor(all);
    auto entry = [&](unsigned i, Value otherwise) {
      return n.has(i) ? entryOf(n, n.in(i), axes, dim, otherwise) : otherwise;
    };
    Value step = entry(4, one);
    Value start = n.fromEnd(entry(1, zero), all);
    Value end = n.fromEnd(entry(2, size), all);
    // A step backwards begins at the last element at the latest, and may end
    // before the first.
    Value isBack = n.lt(step, zero);
    Value last = n.where(isBack, n.sub(size, one), size);
    start = n.min(n.max(start, zero), last);
    end = n.min(n.max(end, n.where(isBack, n.integer(-1), zero)), last);
    Value reach = n.where(isBack, n.sub(start, end), n.sub(end, start));
    Value by = n.max(n.unary<prim::AbsOp>(step), one);
    Value count = n.where(n.gt(reach, zero),
                          n.add(n.div(n.sub(reach, one), by), one), zero);
    Value at = n.add(start, n.mul(n.iota(n.sizeFrom(count), i64), step));
    x = n.take(x, at, dim);
  }
  return n.set(x);
}

/// Starts that are computed: elements are read one by one, as many as the type
/// of the result says.
LogicalResult computedSlice(Node &n) {
  auto declared = n.declared();
  Value x = n.in(0);
  int64_t rank = n.rank(0);
  if (!declared || int64_t(declared->size()) != rank ||
      !n.e.typeOf(x).hasStaticShape())
    return openSlice(n);
  for (unsigned i = 1; i < n.numInputs(); ++i)
    if (n.has(i) && (n.rank(i) != 1 || n.shape(n.in(i)) != n.shape(n.in(1))))
      return n.fail("has lists of different lengths");
  if (!n.e.typeOf(n.in(1)).hasStaticShape())
    return openSlice(n);
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

/// A position that is counted from the end where it is negative.
OpFoldResult fromEnd(Node &n, OpFoldResult at, OpFoldResult size) {
  auto &math = n.e.sizeMath();
  if (auto known = getConstantIntValue(at))
    return *known < 0 ? math.add(size, at) : at;
  // -1 or 0, times the size.
  OpFoldResult isBelow = math.max(math.min(at, n.e.size(0)), math.constant(-1));
  return math.sub(at, math.mul(isBelow, size));
}

/// A later end stands for all that there is.
constexpr int64_t openEnd = std::numeric_limits<int32_t>::max() - 1;

/// One dimension of which the size, the start or the end is known only when
/// the program runs.
Value openPart(Node &n, Value x, int64_t dim, OpFoldResult start,
               OpFoldResult end, int64_t step) {
  auto &math = n.e.sizeMath();
  Sizes sizes = n.e.sizesOf(x);
  OpFoldResult size = sizes[dim], zero = n.e.size(0), count;
  auto isOpen = [&](OpFoldResult at) {
    return getConstantIntValue(at).value_or(0) >= openEnd;
  };
  if (step > 0) {
    start = math.max(math.min(fromEnd(n, start, size), size), zero);
    end = isOpen(end) ? size
                      : math.max(math.min(fromEnd(n, end, size), size), zero);
    count = getConstantIntValue(start) == 0
                ? end
                : math.max(math.sub(end, start), zero);
  } else {
    OpFoldResult last = math.sub(size, n.e.size(1));
    start = isOpen(start)
                ? last
                : math.min(math.max(fromEnd(n, start, size), zero), last);
    end = getConstantIntValue(end).value_or(0) <= -openEnd
              ? math.constant(-1)
              : math.min(math.max(fromEnd(n, end, size), math.constant(-1)),
                         last);
    count = math.max(math.sub(start, end), zero);
  }
  Value first = n.e.sizeTensor(start);
  if (step == 1) {
    if (getConstantIntValue(start) == 0 && count == size)
      return x;
    SmallVector<Value> starts(sizes.size(), n.integer(0));
    starts[dim] = first;
    sizes[dim] = count;
    return prim::DynamicSliceOp::create(n.e.b,
                                        n.e.typeFor(sizes, n.e.elementOf(x)), x,
                                        starts, n.e.dynamicSizes(sizes));
  }
  count = math.ceilDiv(count, n.e.size(std::abs(step)));
  Value at =
      n.add(first, n.mul(n.iota(count, n.e.b.getI64Type()), n.integer(step)));
  return n.broken ? Value() : n.take(x, at, dim);
}

/// One dimension of a known size with everything known.
Value part(Node &n, Value x, int64_t dim, int64_t start, int64_t end,
           int64_t step) {
  int64_t size = n.shape(x)[dim];
  auto clampTo = [&](int64_t at, int64_t low, int64_t high) {
    return std::clamp(at < 0 ? std::max(at, -size - 1) + size : at, low, high);
  };
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
  std::optional<Ints> axes, steps;
  std::optional<Sizes> starts, ends;
  if (n.opset() < 10 || n.hasAttr("starts")) {
    auto asSizes = [&](std::optional<Ints> list) {
      return list ? std::optional(Sizes(
                        getAsIndexOpFoldResult(n.e.b.getContext(), *list)))
                  : std::nullopt;
    };
    starts = asSizes(n.getInts("starts"));
    ends = asSizes(n.getInts("ends"));
    axes = n.getInts("axes");
  } else {
    if (!n.has(2))
      return n.fail("has no starts and ends");
    if (n.has(3) && !(axes = n.ints(3)))
      return computedSlice(n);
    if (n.has(4) && !(steps = n.ints(4)))
      return computedSlice(n);
    bool isData = !n.sizes(1) || !n.sizes(2);
    if (isData && n.declared() && n.e.typeOf(n.in(0)).hasStaticShape())
      return computedSlice(n);
    starts = n.dataSizes(1);
    ends = n.dataSizes(2);
    if (!starts || !ends)
      return openSlice(n);
  }
  if (!starts || !ends)
    return n.fail("has starts, ends, axes or steps that are not known");
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
  if (llvm::is_contained(*steps, 0))
    return n.fail("has a step of 0");
  Value x = n.in(0);
  Ints dims = n.axes(*axes, n.rank(0));
  for (size_t k = 0; k < dims.size() && !n.broken && x; ++k) {
    auto start = getConstantIntValue((*starts)[k]),
         end = getConstantIntValue((*ends)[k]);
    bool isKnown = start && end && !ShapedType::isDynamic(n.shape(x)[dims[k]]);
    x = isKnown
            ? part(n, x, dims[k], *start, *end, (*steps)[k])
            : openPart(n, x, dims[k], (*starts)[k], (*ends)[k], (*steps)[k]);
  }
  return n.set(x);
}

/// The sizes of the parts of Split: an input, an attribute before version 13,
/// what the types of the results say, or equal parts.
std::optional<Sizes> splitSizes(Node &n, int64_t dim) {
  auto asSizes = [&](const Ints &list) {
    return Sizes(getAsIndexOpFoldResult(n.e.b.getContext(), list));
  };
  if (auto given = n.getInts("split"))
    return asSizes(*given);
  int64_t count = n.numResults();
  if (n.has(1)) {
    if (auto known = n.sizes(1))
      return known;
    Ints said;
    for (int64_t i = 0; i < count; ++i)
      if (auto declared = n.declared(i);
          declared && int64_t(declared->size()) == n.rank(0))
        said.push_back((*declared)[dim]);
    return int64_t(said.size()) == count ? asSizes(said) : n.dataSizes(1);
  }
  if (count == 0)
    return std::nullopt;
  // All of one size, but for the last.
  auto &math = n.e.sizeMath();
  OpFoldResult size = n.e.sizesOf(n.in(0))[dim], left = size;
  OpFoldResult each = math.ceilDiv(size, n.e.size(count));
  Sizes sizes;
  for (int64_t i = 0; i < count; ++i) {
    sizes.push_back(math.max(math.min(left, each), n.e.size(0)));
    left = math.sub(left, each);
  }
  return sizes;
}

LogicalResult split(Node &n) {
  Value x = n.in(0);
  int64_t dim = n.axisAttr("axis", 0, n.rank(0));
  if (n.broken)
    return failure();
  int64_t size = n.shape(x)[dim], count = n.numResults(), total = 0;
  auto sizes = splitSizes(n, dim);
  if (!sizes)
    return n.fail("has sizes that are not known");
  bool isKnown = !ShapedType::isDynamic(size), isPositive = true;
  for (OpFoldResult one : *sizes) {
    auto known = getConstantIntValue(one);
    isKnown &= known.has_value();
    isPositive &= known.value_or(0) >= 0;
    total += known.value_or(0);
  }
  if (int64_t(sizes->size()) != count || !isPositive ||
      (isKnown && total != size))
    return n.fail("has sizes that do not make up the dimension, or one for "
                  "each result");
  auto &math = n.e.sizeMath();
  OpFoldResult start = n.e.size(0);
  for (int64_t i = 0; i < count; ++i) {
    OpFoldResult each = (*sizes)[i], end = math.add(start, each);
    auto from = getConstantIntValue(start), known = getConstantIntValue(each);
    Value piece = from && known ? n.slice(x, dim, *from, *known)
                                : openPart(n, x, dim, start, end, 1);
    if (failed(n.set(i, piece)))
      return failure();
    start = end;
  }
  return success();
}

} // namespace

void addSliceRules(NodeRules &rules) {
  rules.add("Slice", slice);
  rules.add("Split", split);
}

} // namespace kiln::onnx_to_prim
