// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing at computed places.
#include "Node.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

std::optional<prim::ScatterKind> kindOf(Node &n) {
  using Kind = prim::ScatterKind;
  bool isUnsigned = n.isUnsigned(0);
  return llvm::StringSwitch<std::optional<Kind>>(
             n.getString("reduction", "none"))
      .Case("none", Kind::set)
      .Case("add", Kind::add)
      .Case("mul", Kind::mul)
      .Case("max", isUnsigned ? Kind::umax : Kind::max)
      .Case("min", isUnsigned ? Kind::umin : Kind::min)
      .Default(std::nullopt);
}

/// ScatterElements, Scatter: each update has a place along one axis.
LogicalResult scatterElements(Node &n) {
  Value x = n.in(0), updates = n.in(2);
  int64_t rank = n.rank(0), dim = n.axisAttr("axis", 0, rank);
  auto kind = kindOf(n);
  if (n.broken || !kind)
    return n.broken
               ? failure()
               : n.fail("has reduction '" + n.getString("reduction") + "'");
  if (n.rank(1) != rank || n.rank(2) != rank)
    return n.fail("has updates of another rank than the data");
  Value at = n.fromEnd(n.in(1), n.e.sizesOf(x)[dim]);
  Sizes to = n.e.sizesOf(updates);
  OpFoldResult count = n.e.sizeMath().product(to);
  // A tensor without elements has no place for a window of one.
  if (getConstantIntValue(count) == 0)
    return n.set(x);
  SmallVector<Value> parts;
  Ints dims;
  for (int64_t d = 0; d < rank; ++d) {
    Value part = at;
    if (d != dim)
      part = n.expand(n.along(n.iota(to[d], n.e.b.getI64Type()), d, rank), to);
    parts.push_back(n.e.reshape(part, Sizes{count, n.e.size(1)}));
    dims.push_back(d);
  }
  Sizes window(rank + 1, n.e.size(1));
  window[0] = count;
  return n.set(prim::ScatterOp::create(
      n.e.b, x.getType(), *kind, x, n.e.concat(parts, 1),
      n.e.reshape(updates, window), dims, 0, false));
}

/// ScatterND: each row of indices is the place of a slice.
LogicalResult scatterNd(Node &n) {
  Value x = n.in(0), places = n.in(1), updates = n.in(2);
  int64_t rank = n.rank(0);
  auto kind = kindOf(n);
  if (!kind)
    return n.fail("has reduction '" + n.getString("reduction") + "'");
  int64_t depth = n.rank(1) ? n.shape(places).back() : 0;
  // Of an open number of coordinates the rank of the updates tells which it is.
  if (ShapedType::isDynamic(depth))
    depth = rank + n.rank(1) - 1 - n.rank(2);
  if (depth < 1 || depth > rank)
    return n.fail("has indices that do not fit the data");
  if (llvm::is_contained(n.e.typeOf(updates).getShape(), 0))
    return n.set(x);
  places = n.requireSize(places, n.rank(1) - 1, depth);
  Sizes sizes = n.e.sizesOf(x), window = n.e.sizesOf(places);
  SmallVector<Value> parts;
  Ints dims;
  window.pop_back();
  for (int64_t k = 0; k < depth; ++k) {
    parts.push_back(n.fromEnd(n.slice(places, n.rank(1) - 1, k, 1), sizes[k]));
    dims.push_back(k);
  }
  for (int64_t d = 0; d < rank; ++d)
    window.push_back(d < depth ? n.e.size(1) : sizes[d]);
  return n.set(prim::ScatterOp::create(
      n.e.b, x.getType(), *kind, x, n.e.concat(parts, n.rank(1) - 1),
      n.e.reshape(updates, window), dims, 0, false));
}

/// TensorScatter: updates of a cache from an index of each batch on, round its
/// end in circular mode.
LogicalResult tensorScatter(Node &n) {
  Value x = n.in(0), updates = n.in(1);
  int64_t rank = n.rank(0), dim = n.axisAttr("axis", -2, rank);
  if (n.broken || dim == 0 || n.rank(1) != rank)
    return n.broken ? failure()
                    : n.fail("has updates that do not fit the cache");
  Sizes sizes = n.e.sizesOf(updates);
  Type i64 = n.e.b.getI64Type();
  Value at = n.along(n.iota(sizes[dim], i64), dim, rank);
  if (n.has(2))
    at = n.add(at, n.along(n.i64(n.in(2)), 0, rank));
  if (n.getString("mode", "linear") == "circular")
    at = n.binary<prim::RemainderOp>(at, n.e.sizeTensor(n.e.sizesOf(x)[dim]));
  at = n.expand(at, sizes);
  // A tensor without elements has no place for a window of one.
  if (llvm::is_contained(n.shape(updates), 0))
    return n.set(x);
  OpFoldResult count = n.e.sizeMath().product(sizes);
  SmallVector<Value> parts;
  Ints dims;
  for (int64_t d = 0; d < rank; ++d) {
    Value part = d == dim
                     ? at
                     : n.expand(n.along(n.iota(sizes[d], i64), d, rank), sizes);
    parts.push_back(n.e.reshape(part, Sizes{count, n.e.size(1)}));
    dims.push_back(d);
  }
  Sizes window(rank + 1, n.e.size(1));
  window[0] = count;
  return n.set(prim::ScatterOp::create(
      n.e.b, x.getType(), prim::ScatterKind::set, x, n.e.concat(parts, 1),
      n.e.reshape(updates, window), dims, 0, false));
}

} // namespace

void addScatterRules(NodeRules &rules) {
  rules.add("Scatter", scatterElements, 3);
  rules.add("ScatterElements", scatterElements, 3);
  rules.add("ScatterND", scatterNd, 3);
  rules.add("TensorScatter", tensorScatter, 2);
}

} // namespace kiln::onnx_to_prim
