// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading at computed places.
#include "../TensorToPrim/Positions.h"
#include "Node.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

LogicalResult gather(Node &n) {
  Value x = n.in(0);
  int64_t dim = n.axisAttr("axis", 0, n.rank(0));
  if (n.broken)
    return failure();
  return n.set(n.take(x, n.fromEnd(n.in(1), n.e.sizesOf(x)[dim]), dim));
}

/// Positions of each element of `like` along each dimension, those along `dim`
/// being `at`, all in the shape of `at`.
SmallVector<Value> coordinates(Node &n, Value at, int64_t dim) {
  SmallVector<Value> all;
  Sizes sizes = n.e.sizesOf(at);
  int64_t rank = sizes.size();
  for (int64_t d = 0; d < rank; ++d)
    all.push_back(
        d == dim ? at
                 : n.e.broadcast(
                       n.along(n.iota(sizes[d], n.e.b.getI64Type()), d, rank),
                       sizes));
  return all;
}

LogicalResult gatherElements(Node &n) {
  Value x = n.in(0);
  int64_t dim = n.axisAttr("axis", 0, n.rank(0));
  if (n.broken)
    return failure();
  if (n.rank(1) != n.rank(0))
    return n.fail("has indices of another rank than the data");
  Value at = n.fromEnd(n.in(1), n.e.sizesOf(x)[dim]);
  return n.set(n.takeAt(x, coordinates(n, at, dim)));
}

LogicalResult gatherNd(Node &n) {
  Value x = n.in(0), places = n.in(1);
  int64_t batch = n.getInt("batch_dims", 0), rank = n.rank(0);
  int64_t depth = n.rank(1) ? n.shape(places).back() : 0;
  // Of an open number of coordinates the rank of the result tells which it is.
  if (auto all = n.declaredRank(); all && ShapedType::isDynamic(depth))
    depth = rank + n.rank(1) - 1 - batch - *all;
  if (n.rank(1) == 0 || batch < 0 || batch >= std::min(n.rank(1), rank) ||
      depth < 0 || depth > rank - batch)
    return n.fail("has indices that do not fit the data");
  if (depth == 0)
    return n.fail("has indices of no dimension");
  places = n.requireSize(places, n.rank(1) - 1, depth);
  Sizes sizes = n.e.sizesOf(x), flat(sizes.begin(), sizes.begin() + batch);
  OpFoldResult count = n.e.size(1);
  SmallVector<Value> indices;
  for (int64_t k = 0; k < depth; ++k) {
    Value column =
        n.squeeze(n.slice(places, n.rank(1) - 1, k, 1), {n.rank(1) - 1});
    indices.push_back(n.fromEnd(column, sizes[batch + k]));
    count = n.e.sizeMath().mul(count, sizes[batch + k]);
  }
  if (n.broken)
    return failure();
  Value at = tensor_to_prim::flatPositions(x, batch, indices, n.e);
  flat.push_back(count);
  flat.append(sizes.begin() + batch + depth, sizes.end());
  return n.set(n.take(n.e.reshape(x, flat), at, batch, batch));
}

/// ArrayFeatureExtractor: along the last dimension; a list is one row.
LogicalResult arrayFeatures(Node &n) {
  Value x = n.rank(0) == 1 ? n.unsqueeze(n.in(0), {0}) : n.in(0);
  int64_t last = n.e.typeOf(x).getRank() - 1;
  if (last < 1)
    return n.fail("of a scalar");
  Value at = n.e.reshape(n.i64(n.in(1)),
                         Sizes{n.e.sizeMath().product(n.e.sizesOf(n.in(1)))});
  return n.set(n.take(x, at, last));
}

/// OneHot: indices that are out of range have no value on.
LogicalResult oneHot(Node &n) {
  Value indices = n.in(0);
  int64_t rank = n.rank(0), dim = n.axisAttr("axis", -1, rank + 1);
  if (n.broken)
    return failure();
  std::optional<int64_t> depth;
  if (auto known = n.numbers(1); known && known->size() == 1)
    depth = known->front();
  else if (auto declared = n.declared();
           declared && int64_t(declared->size()) == rank + 1)
    depth = (*declared)[dim];
  OpFoldResult count = depth ? n.e.size(*depth) : n.sizeFrom(n.in(1));
  Value at = n.unsqueeze(n.i64(indices, n.isUnsigned(0)), {dim});
  at = n.fromEnd(at, count);
  Value place = n.along(n.iota(count, n.e.b.getI64Type()), dim, rank + 1);
  auto value = [&](int64_t k) {
    return n.e.reshape(n.slice(n.in(2), 0, k, 1), ArrayRef<int64_t>());
  };
  return n.set(n.where(n.eq(at, place), value(1), value(0)));
}

/// ReverseSequence: the first elements of each sequence in reverse.
LogicalResult reverseSequence(Node &n) {
  Value x = n.in(0);
  int64_t rank = n.rank(0), time = n.axisAttr("time_axis", 0, rank),
          batch = n.axisAttr("batch_axis", 1, rank);
  if (n.broken || time == batch)
    return n.broken ? failure() : n.fail("has one axis for time and batch");
  Sizes sizes = n.e.sizesOf(x);
  Value length = n.along(n.i64(n.in(1)), batch, rank);
  Value step = n.along(n.iota(sizes[time], n.e.b.getI64Type()), time, rank);
  Value back = n.sub(n.sub(length, n.integer(1)), step);
  Value at = n.expand(n.where(n.lt(step, length), back, step), sizes);
  return n.set(n.takeAt(x, coordinates(n, at, time)));
}

} // namespace

void addGatherRules(NodeRules &rules) {
  rules.add("Gather", gather, 2);
  rules.add("GatherElements", gatherElements, 2);
  rules.add("GatherND", gatherNd, 2);
  rules.add("ai.onnx.ml.ArrayFeatureExtractor", arrayFeatures, 2);
  rules.add("OneHot", oneHot, 3);
  rules.add("ReverseSequence", reverseSequence, 2);
}

} // namespace kiln::onnx_to_prim
