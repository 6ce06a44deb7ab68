// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding, and parts around the centre.
#include "Lists.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// Positions in a dimension of `size` for those in its padded form; what is
/// outside is where the mode takes it from.
Value wrapped(Node &n, Value at, Value size, StringRef mode) {
  Value one = n.integer(1), last = n.sub(size, one);
  auto mod = [&](Value by) { return n.binary<prim::RemainderOp>(at, by); };
  if (mode == "wrap")
    return mod(size);
  if (mode == "reflect") {
    Value period = n.mul(n.integer(2), last);
    Value there = mod(n.max(period, one)); // one element is all there is
    return n.where(n.lt(there, size), there, n.sub(period, there));
  }
  return n.min(n.max(at, n.integer(0)), last);
}

/// What is there before the first and behind the last element of each
/// dimension.
struct Pads {
  std::optional<Ints> low, high;     // where they are known
  SmallVector<Value> before, behind; // where they are not
};

/// Pads for axes that are data, of any number.
Pads padsByAxes(Node &n, int64_t rank, const std::optional<Ints> &all) {
  Value list = all ? n.list(*all) : n.i64(n.in(1)), axes = axesFrom(n, 3, rank);
  Value rows = n.e.reshape(list, Sizes{n.e.size(2), n.e.sizesOf(axes)[0]});
  Value low = n.squeeze(n.slice(rows, 0, 0, 1), {0});
  Value high = n.squeeze(n.slice(rows, 0, 1, 1), {0});
  Pads pads;
  for (int64_t d = 0; d < rank; ++d) {
    pads.before.push_back(entryOf(n, low, axes, d, n.integer(0)));
    pads.behind.push_back(entryOf(n, high, axes, d, n.integer(0)));
  }
  return pads;
}

/// Reads the pads, those of `axes` only if there are any.
FailureOr<Pads> padsOf(Node &n, int64_t rank) {
  Pads pads;
  std::optional<Ints> axes, all = n.getInts("pads");
  if (!all && n.hasAttr("paddings"))
    all = n.getInts("paddings");
  if (!all && !n.has(1))
    return n.fail("has no pads");
  Value axesIn = n.has(3) ? n.in(3) : Value();
  if (axesIn && !(axes = n.ints(3)) && n.e.typeOf(axesIn).getRank() != 1)
    return n.fail("has axes that are no list");
  if (!all)
    all = n.ints(1);
  // That of com.microsoft takes pads as the only row of a matrix, too.
  bool isRow = n.has(1) && n.name().starts_with("com.microsoft.") &&
               n.rank(1) == 2 && n.shape(n.in(1))[0] == 1;
  for (unsigned i : {1u, 3u})
    if (n.has(i) && n.rank(i) != 1 && !(i == 1 && isRow))
      return n.fail("has pads or axes that are no list");
  if (axesIn && !axes)
    return padsByAxes(n, rank, all);
  bool known = all.has_value();
  int64_t count = axes ? axes->size() : rank;
  int64_t length = all ? all->size() : 2 * count;
  if (!all && n.e.typeOf(n.in(1)).hasStaticShape())
    length = n.e.typeOf(n.in(1)).getNumElements();
  if (length != 2 * count)
    return n.fail("has " + Twine(length) + " pads of " + Twine(count) +
                  " dimensions");
  if (known) {
    Ints dims;
    for (int64_t d = 0; d < rank; ++d)
      dims.push_back(d);
    if (axes)
      dims = n.axes(*axes, rank);
    if (n.broken)
      return failure();
    pads.low = Ints(rank, 0);
    pads.high = Ints(rank, 0);
    for (int64_t k = 0; k < count; ++k) {
      (*pads.low)[dims[k]] = (*all)[k];
      (*pads.high)[dims[k]] = (*all)[k + count];
    }
    return pads;
  }
  Value list = all ? n.list(*all) : n.e.reshape(n.i64(n.in(1)), Ints{length});
  auto entry = [&](Value from, int64_t k) {
    return n.e.reshape(n.slice(n.i64(from), 0, k, 1), ArrayRef<int64_t>());
  };
  for (int64_t d = 0; d < rank; ++d) {
    Value before = n.integer(0), behind = before;
    for (int64_t k = 0; k < count; ++k) {
      if ((axes ? n.axis((*axes)[k], rank) : k) != d)
        continue;
      Value low = entry(list, k), high = entry(list, k + count);
      before = low;
      behind = high;
    }
    pads.before.push_back(before);
    pads.behind.push_back(behind);
  }
  return pads;
}

LogicalResult pad(Node &n) {
  Value x = n.in(0);
  int64_t rank = n.rank(0);
  StringRef mode = n.getString("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" &&
      mode != "wrap")
    return n.fail("has mode '" + mode + "'");
  auto pads = padsOf(n, rank);
  if (failed(pads))
    return failure();
  Value value = n.has(2) ? n.e.reshape(n.in(2), ArrayRef<int64_t>())
                         : n.number(n.getFloat("value", 0), x);
  if (mode == "constant" && pads->low)
    return n.set(n.pad(x, *pads->low, *pads->high, value));
  auto declared = n.declared();
  if (declared && int64_t(declared->size()) != rank)
    declared = std::nullopt;
  Sizes sizes = n.e.sizesOf(x);
  Value outside;
  for (int64_t d = 0; d < rank; ++d) {
    if (pads->low && (*pads->low)[d] == 0 && (*pads->high)[d] == 0)
      continue;
    if (n.shape(x)[d] == 0)
      return n.fail("pads a dimension of size 0");
    Value size = n.e.sizeTensor(sizes[d]);
    Value before = pads->low ? n.integer((*pads->low)[d]) : pads->before[d];
    Value behind = pads->low ? n.integer((*pads->high)[d]) : pads->behind[d];
    OpFoldResult to = declared
                          ? n.e.size((*declared)[d])
                          : n.sizeFrom(n.max(n.add(n.add(size, before), behind),
                                             n.integer(0)));
    Value at = n.sub(n.iota(to, n.e.b.getI64Type()), before);
    if (mode == "constant") {
      Value out = n.either(n.lt(at, n.integer(0)), n.ge(at, size));
      out = n.along(out, d, rank);
      outside = outside ? n.either(outside, out) : out;
    }
    x = n.take(x, wrapped(n, at, size, mode), d);
  }
  if (n.broken)
    return failure();
  return n.set(outside ? n.where(outside, value, x) : x);
}

/// The middle of a dimension, or zeros around it, where only the program knows
/// the sizes.
Value openMiddle(Node &n, Value x, int64_t dim, OpFoldResult wanted) {
  Value size = n.e.sizeTensor(n.e.sizesOf(x)[dim]), zero = n.integer(0);
  Value more = n.sub(size, n.e.sizeTensor(wanted));
  Value first = n.div(more, n.integer(2)); // rounded towards 0
  Value at = n.add(n.iota(wanted, n.e.b.getI64Type()), first);
  Value isInside = n.both(n.ge(at, zero), n.lt(at, size));
  // A zero at the end is there for what is outside.
  Sizes one = n.e.sizesOf(x);
  one[dim] = n.e.size(1);
  auto none = tensor_to_prim::numberAttr(n.e.elementOf(x), 0);
  Value all = n.e.concat({x, n.e.full(none, one)}, dim);
  return n.take(all, n.where(isInside, at, size), dim);
}

/// CenterCropPad: the middle of each dimension, or zeros around it.
LogicalResult centerCropPad(Node &n) {
  Value x = n.in(0);
  int64_t rank = n.rank(0);
  Ints dims;
  for (int64_t d = 0; d < rank; ++d)
    dims.push_back(d);
  if (auto axes = n.getInts("axes"))
    dims = n.axes(*axes, rank);
  auto sizes = n.sizes(1);
  auto declared = n.declared();
  if (!sizes && declared && int64_t(declared->size()) == rank) {
    sizes.emplace();
    for (int64_t d : dims)
      sizes->push_back(n.e.size((*declared)[d]));
  } else if (!sizes) {
    sizes = n.dataSizes(1);
  }
  if (n.broken || !sizes)
    return n.broken ? failure() : n.fail("has a shape that is not known");
  if (sizes->size() != dims.size())
    return n.fail("has another number of sizes than axes");
  for (auto [d, wanted] : llvm::zip_equal(dims, *sizes)) {
    int64_t size = n.shape(x)[d];
    auto known = getConstantIntValue(wanted);
    if (!known || ShapedType::isDynamic(size)) {
      x = openMiddle(n, x, d, wanted);
      continue;
    }
    int64_t to = *known;
    Ints low(rank, 0), high(rank, 0);
    if (to < size) {
      x = n.slice(x, d, (size - to) / 2, to);
    } else {
      low[d] = (to - size) / 2;
      high[d] = to - size - low[d];
      x = n.pad(x, low, high, n.number(0, x));
    }
  }
  return n.set(x);
}

} // namespace

void addPadRules(NodeRules &rules) {
  rules.add("Pad", pad);
  rules.add("CenterCropPad", centerCropPad, 2);
}

} // namespace kiln::onnx_to_prim
