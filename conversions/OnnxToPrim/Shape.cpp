// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other shapes and orders of the same elements.
#include "../TensorToPrim/OpenSizes.h"
#include "Lists.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

using tensor_to_prim::areEqual;
using tensor_to_prim::assertRepeats;

namespace {

Sizes asSizes(Node &n, ArrayRef<int64_t> shape) {
  return Sizes(getAsIndexOpFoldResult(n.e.b.getContext(), shape));
}

LogicalResult toShape(Node &n, ArrayRef<OpFoldResult> to) {
  auto from = getConstantIntValues(n.e.sizesOf(n.in(0)));
  auto known = getConstantIntValues(to);
  if (from && known) {
    int64_t have = 1, want = 1;
    for (int64_t size : *from)
      have *= size;
    for (int64_t size : *known)
      want *= size;
    if (have != want)
      return n.fail("makes " + Twine(want) + " elements of " + Twine(have));
  }
  return n.set(n.e.reshape(n.in(0), to));
}

/// A shape that is data: the host reads what 0 and -1 stand for, too.
LogicalResult computedShape(Node &n) {
  Sizes from = n.e.sizesOf(n.in(0)), to;
  Value list = n.in(1);
  if (n.rank(1) != 1 || !n.e.typeOf(list).hasStaticShape())
    return n.fail("has a shape that is not known");
  list = n.i64(list);
  int64_t rank = n.shape(list)[0];
  auto sizeOf = [&](OpFoldResult size) {
    return n.e.reshape(n.e.sizeTensor(size), Ints{1});
  };
  if (!n.getInt("allowzero", 0)) {
    SmallVector<Value> kept;
    for (int64_t d = 0; d < rank; ++d)
      kept.push_back(sizeOf(d < int64_t(from.size()) ? from[d] : n.e.size(0)));
    if (rank)
      list = n.where(n.eq(list, n.integer(0)), n.e.concat(kept, 0), list);
  }
  // What is left is the whole over the product of the others.
  Value isOpen = n.lt(list, n.integer(0));
  Value others =
      n.reduce<prim::ProdOp>(n.where(isOpen, n.integer(1), list), {0}, false);
  Value whole = n.e.sizeTensor(n.e.sizeMath().product(from));
  Value left = n.div(whole, n.max(others, n.integer(1)));
  list = n.where(isOpen, left, list);
  for (int64_t d = 0; d < rank; ++d)
    to.push_back(n.sizeFrom(n.slice(list, 0, d, 1)));
  return n.broken ? failure() : n.set(n.e.reshape(n.in(0), to));
}

/// Reshape: 0 is the size that there was, -1 what is left.
LogicalResult reshape(Node &n) {
  std::optional<Sizes> wanted;
  if (auto given = n.getInts("shape"))
    wanted = asSizes(n, *given);
  else if (n.has(1))
    wanted = n.sizes(1);
  auto declared = n.declared();
  if (!wanted && declared &&
      !(n.has(1) && n.shape(n.in(1)).size() == 1 &&
        n.shape(n.in(1))[0] != int64_t(declared->size())))
    return toShape(n, asSizes(n, *declared));
  if (!wanted && n.has(1))
    return computedShape(n);
  if (!wanted)
    return n.fail("has a shape that is not known");
  Sizes from = n.e.sizesOf(n.in(0));
  bool allowZero = n.getInt("allowzero", 0);
  std::optional<size_t> open;
  for (auto [d, size] : llvm::enumerate(*wanted)) {
    auto number = getConstantIntValue(size);
    if (number == 0 && !allowZero) {
      if (d >= from.size())
        return n.fail("keeps a size that is not there");
      size = from[d];
    } else if (number && *number < 0) {
      if (*number != -1 || open)
        return n.fail("has a shape with more than one size left open, or below "
                      "-1");
      open = d;
    }
  }
  if (open) {
    // What both shapes have in common at the front is not divided by.
    Sizes rest = from, known;
    for (auto [d, size] : llvm::enumerate(*wanted)) {
      if (d == *open)
        continue;
      auto it = llvm::find(rest, size);
      if (it != rest.end() && getConstantIntValue(size) != 0)
        rest.erase(it);
      else
        known.push_back(size);
    }
    auto &math = n.e.sizeMath();
    OpFoldResult divisor = math.product(known);
    if (getConstantIntValue(divisor) == 0)
      return n.fail("divides by a size of 0");
    OpFoldResult total = math.product(rest);
    (*wanted)[*open] = getConstantIntValue(divisor) == 1
                           ? total
                           : math.floorDiv(total, divisor);
  }
  return toShape(n, *wanted);
}

LogicalResult flatten(Node &n) {
  int64_t rank = n.rank(0), given = n.getInt("axis", 1);
  int64_t axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis > rank)
    return n.fail("has axis " + Twine(given) + " of a tensor of rank " +
                  Twine(rank));
  Sizes sizes = n.e.sizesOf(n.in(0));
  auto &math = n.e.sizeMath();
  return toShape(n, {math.product(ArrayRef(sizes).take_front(axis)),
                     math.product(ArrayRef(sizes).drop_front(axis))});
}

/// The axes that an input or, before version 13, an attribute names.
std::optional<Ints> axesOf(Node &n) {
  if (auto given = n.getInts("axes"))
    return given;
  return n.has(1) ? n.ints(1) : std::nullopt;
}

/// Squeeze and Unsqueeze with axes that are data. The type of the result says
/// how many there are.
LogicalResult computedAxes(Node &n, bool isAdded) {
  auto declared = n.declared();
  auto to = n.declaredRank();
  int64_t from = n.rank(0);
  if (!to || !n.has(1) || n.rank(1) != 1 ||
      (isAdded ? *to <= from : *to >= from))
    return n.fail("has axes that are not known");
  int64_t count = isAdded ? *to - from : from - *to;
  n.replace(1, n.requireSize(n.in(1), 0, count));
  if (declared)
    return toShape(n, asSizes(n, *declared));
  if (*to == 0)
    return toShape(n, {});
  Value axes = axesFrom(n, 1, isAdded ? *to : from);
  SmallVector<Value> own;
  for (OpFoldResult size : n.e.sizesOf(n.in(0)))
    own.push_back(n.e.reshape(n.e.sizeTensor(size), Ints{1}));
  Value sizes = own.empty() ? Value() : n.e.concat(own, 0);
  auto sizeAt = [&](Value place) {
    place = n.min(n.max(place, n.integer(0)), n.integer(from - 1));
    return n.take(sizes, n.e.reshape(place, Ints{1}), 0);
  };
  // How many sizes are kept before each place: that is where they come from,
  // and where they go to.
  Value kept = n.integer(0);
  Sizes made;
  SmallVector<Value> left(*to, n.integer(0));
  for (int64_t d = 0; d < std::max(from, *to); ++d) {
    Value named = isNamed(n, axes, d);
    if (isAdded) {
      Value size =
          sizes ? n.e.reshape(sizeAt(kept), ArrayRef<int64_t>()) : n.integer(1);
      made.push_back(n.sizeFrom(n.where(named, n.integer(1), size)));
    } else {
      Value size = n.e.reshape(own[d], ArrayRef<int64_t>());
      for (int64_t k = 0; k < *to; ++k) {
        Value here = n.both(n.no(named), n.eq(kept, n.integer(k)));
        left[k] = n.where(here, size, left[k]);
      }
    }
    kept = n.where(named, kept, n.add(kept, n.integer(1)));
  }
  for (int64_t k = 0; k < *to && !isAdded; ++k)
    made.push_back(n.sizeFrom(left[k]));
  return n.broken ? failure() : toShape(n, made);
}

LogicalResult squeeze(Node &n) {
  auto given = axesOf(n);
  Ints gone;
  if (given) {
    gone = n.axes(*given, n.rank(0));
  } else if (n.has(1)) {
    return computedAxes(n, /*isAdded=*/false);
  } else {
    for (auto [d, size] : llvm::enumerate(n.shape(n.in(0))))
      if (size == 1)
        gone.push_back(d);
  }
  for (int64_t d : gone)
    if (!n.broken && n.shape(n.in(0))[d] != 1 &&
        !ShapedType::isDynamic(n.shape(n.in(0))[d]))
      return n.fail("drops a dimension of size " + Twine(n.shape(n.in(0))[d]));
  return n.broken ? failure() : n.set(n.squeeze(n.in(0), gone));
}

LogicalResult unsqueeze(Node &n) {
  auto given = axesOf(n);
  if (!given)
    return computedAxes(n, /*isAdded=*/true);
  Ints axes = n.axes(*given, n.rank(0) + given->size());
  return n.broken ? failure() : n.set(n.unsqueeze(n.in(0), axes));
}

LogicalResult transpose(Node &n) {
  int64_t rank = n.rank(0);
  Ints order;
  for (int64_t d = rank; d-- > 0;)
    order.push_back(d);
  if (auto given = n.getInts("perm"))
    order = n.axes(*given, rank);
  if (!n.broken && int64_t(order.size()) != rank)
    return n.fail("has a permutation of " + Twine(order.size()) +
                  " of a tensor of rank " + Twine(rank));
  return n.broken ? failure() : n.set(n.e.transpose(n.in(0), order));
}

/// The size of a result where `from` is repeated to `wanted`, as NumPy does:
/// one that is 1 has the other one's size.
OpFoldResult joined(Node &n, OpFoldResult from, OpFoldResult wanted) {
  auto own = getConstantIntValue(from), other = getConstantIntValue(wanted);
  if (other == 1 || n.graph.sizes.areEqual(from, wanted))
    return from;
  if (own == 1 || (!own && other))
    return wanted;
  if (own && other) {
    n.refuse("repeats size " + Twine(*own) + " to " + Twine(*other));
    return from;
  }
  Value keeps = areEqual(wanted, n.e.size(1), n.e);
  if (own) { // the shape has to have it, or 1
    assertRepeats(
        arith::OrIOp::create(n.e.b, keeps, areEqual(wanted, from, n.e)), n.e);
    return from;
  }
  return n.e.sizeMath().select(keeps, from, wanted);
}

/// Puts 1 in front of a shape of an open length, which has the rank of the data
/// or a lower one.
void completeShape(Node &n) {
  int64_t rank = n.rank(0);
  if (n.rank(1) != 1 || !ShapedType::isDynamic(n.shape(n.in(1))[0]) ||
      n.declaredRank() != rank || rank == 0)
    return;
  Value list = n.i64(n.in(1));
  Value all = n.e.concat({n.expand(n.integer(1), Ints{rank}), list}, 0);
  Value length = n.e.sizeTensor(n.e.sizesOf(list)[0]);
  Value at = n.add(n.iota(rank, n.e.b.getI64Type()), length);
  n.replace(1, n.take(all, at, 0));
}

/// The shape may be data, which the host reads.
LogicalResult expand(Node &n) {
  auto wanted = n.sizes(1);
  if (!wanted) {
    completeShape(n);
    auto declared = n.declared();
    wanted = declared && n.e.typeOf(n.in(1)).hasStaticShape() &&
                     int64_t(declared->size()) >=
                         n.e.typeOf(n.in(1)).getNumElements()
                 ? asSizes(n, *declared)
                 : n.dataSizes(1);
  }
  if (!wanted)
    return n.fail("has a shape that is not known");
  Value x = n.in(0);
  Sizes from = n.e.sizesOf(x);
  while (wanted->size() < from.size())
    wanted->insert(wanted->begin(), n.e.size(1));
  size_t missing = wanted->size() - from.size();
  for (auto [d, size] : llvm::enumerate(from)) {
    OpFoldResult &to = (*wanted)[missing + d];
    to = joined(n, size, to);
  }
  for (OpFoldResult size : *wanted)
    if (auto known = getConstantIntValue(size); known && *known < 0)
      return n.fail("has a shape with size " + Twine(*known));
  return n.broken ? failure() : n.set(n.expandOpen(x, *wanted));
}

LogicalResult tile(Node &n) {
  Value x = n.in(0);
  Sizes from = n.e.sizesOf(x), between, apart, joined;
  auto repeats = n.sizes(1);
  if (!repeats) {
    auto declared = n.declared();
    if (declared && declared->size() == from.size() &&
        n.e.typeOf(x).hasStaticShape()) {
      repeats.emplace();
      for (auto [to, size] : llvm::zip_equal(*declared, n.shape(x)))
        repeats->push_back(n.e.size(size ? to / size : 1));
    } else if (repeats = n.dataSizes(1); !repeats) {
      return n.fail("has repeats that are not known");
    }
  }
  if (repeats->size() != from.size())
    return n.fail("has " + Twine(repeats->size()) +
                  " repeats of a tensor of rank " + Twine(from.size()));
  for (auto [size, times] : llvm::zip_equal(from, *repeats)) {
    llvm::append_range(between, Sizes{n.e.size(1), size});
    llvm::append_range(apart, Sizes{times, size});
    joined.push_back(n.e.sizeMath().mul(times, size));
  }
  return n.set(
      n.e.reshape(n.e.broadcast(n.e.reshape(x, between), apart), joined));
}

LogicalResult concat(Node &n) {
  SmallVector<Value> parts;
  int64_t rank = n.rank(0);
  int64_t dim = n.axisAttr("axis", 1, rank);
  for (unsigned i = 0; i < n.numInputs(); ++i) {
    if (!n.has(i))
      return n.fail("has an input that is left out");
    if (n.rank(i) != rank)
      return n.fail("joins tensors of ranks " + Twine(rank) + " and " +
                    Twine(n.rank(i)));
    parts.push_back(n.in(i));
  }
  return n.broken ? failure() : n.set(n.e.concat(parts, dim));
}

/// DepthToSpace, SpaceToDepth: blocks of a picture and its channels.
LogicalResult blocks(Node &n, bool toSpace) {
  Value x = n.in(0);
  int64_t b = n.getInt("blocksize", 0);
  if (n.rank(0) != 4 || b < 1)
    return n.fail("needs pictures of rank 4 and a blocksize of at least 1");
  Sizes s = n.e.sizesOf(x);
  auto &math = n.e.sizeMath();
  OpFoldResult block = n.e.size(b);
  auto part = [&](OpFoldResult size, int64_t by) {
    return math.floorDiv(size, n.e.size(by));
  };
  if (toSpace) {
    bool isDcr = n.getString("mode", "DCR") == "DCR";
    OpFoldResult c = part(s[1], b * b);
    Value apart =
        n.e.reshape(x, isDcr ? Sizes{s[0], block, block, c, s[2], s[3]}
                             : Sizes{s[0], c, block, block, s[2], s[3]});
    Value moved = n.e.transpose(apart, isDcr ? Ints{0, 3, 4, 1, 5, 2}
                                             : Ints{0, 1, 4, 2, 5, 3});
    return n.set(n.e.reshape(
        moved, Sizes{s[0], c, math.mul(s[2], block), math.mul(s[3], block)}));
  }
  OpFoldResult h = part(s[2], b), w = part(s[3], b);
  Value apart = n.e.reshape(x, Sizes{s[0], s[1], h, block, w, block});
  bool isDcr = n.getString("mode", "DCR") == "DCR";
  Value moved = n.e.transpose(apart, isDcr ? Ints{0, 3, 5, 1, 2, 4}
                                           : Ints{0, 1, 3, 5, 2, 4});
  return n.set(
      n.e.reshape(moved, Sizes{s[0], math.mul(s[1], n.e.size(b * b)), h, w}));
}

LogicalResult depthToSpace(Node &n) { return blocks(n, true); }
LogicalResult spaceToDepth(Node &n) { return blocks(n, false); }

} // namespace

void addShapeRules(NodeRules &rules) {
  rules.add("Reshape", reshape);
  rules.add("Flatten", flatten);
  rules.add("Squeeze", squeeze);
  rules.add("Unsqueeze", unsqueeze);
  rules.add("Transpose", transpose);
  rules.add("Expand", expand, 2);
  rules.add("Tile", tile, 2);
  rules.add("Concat", concat);
  rules.add("DepthToSpace", depthToSpace);
  rules.add("SpaceToDepth", spaceToDepth);
}

} // namespace kiln::onnx_to_prim
