// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole slices at computed coordinates: `tensor.gather` and `tensor.scatter`.
#include "Positions.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// Coordinate `k` of each place that `indices` lists, as i64.
Value coordinate(Value indices, int64_t k, Translator &e) {
  int64_t last = e.typeOf(indices).getRank() - 1;
  Value one = e.sliceDim(indices, last, k, k + 1);
  return e.convert(e.reshape(one, ArrayRef(e.sizesOf(indices)).drop_back()),
                   e.b.getI64Type());
}

/// The sizes of slices of `x`: 1 along `dims`, or nothing if `dropped`.
Sizes sliceSizes(Value x, ArrayRef<int64_t> dims, bool dropped, Translator &e) {
  Sizes sizes;
  for (auto [d, size] : llvm::enumerate(e.sizesOf(x)))
    if (!llvm::is_contained(dims, int64_t(d)))
      sizes.push_back(size);
    else if (!dropped)
      sizes.push_back(e.size(1));
  return sizes;
}

/// The dimensions of the coordinates come first, as one; its elements are then
/// gathered.
LogicalResult gather(tensor::GatherOp op, Translator &e) {
  Value x = e.get(op.getSource()), indices = e.get(op.getIndices());
  if (!x || !indices || e.body)
    return failure();
  ArrayRef<int64_t> dims = op.getGatherDims();
  SmallVector<int64_t> order(dims);
  for (int64_t d = 0, rank = e.typeOf(x).getRank(); d < rank; ++d)
    if (!llvm::is_contained(dims, d))
      order.push_back(d);
  x = e.transpose(x, order);
  SmallVector<Value> coordinates;
  for (size_t k = 0; k < dims.size(); ++k)
    coordinates.push_back(coordinate(indices, k, e));
  Value position = flatPositions(x, 0, coordinates, e);
  Sizes sizes = e.sizesOf(x), joined{e.size(1)};
  for (OpFoldResult size : ArrayRef(sizes).take_front(dims.size()))
    joined.front() = e.sizeMath().mul(joined.front(), size);
  ArrayRef<OpFoldResult> rest = ArrayRef(sizes).drop_front(dims.size());
  llvm::append_range(joined, rest);
  Sizes places = e.sizesOf(position), gathered = places;
  llvm::append_range(gathered, rest);
  Value result =
      prim::GatherOp::create(e.b, e.typeFor(gathered, e.elementOf(x)),
                             e.reshape(x, joined), position, 0, 0);
  bool dropped = op.getResultType().getRank() == int64_t(gathered.size());
  if (!dropped) {
    Sizes whole = places;
    llvm::append_range(whole,
                       sliceSizes(e.get(op.getSource()), dims, false, e));
    result = e.reshape(result, whole);
  }
  return e.set(op, result);
}

LogicalResult scatter(tensor::ScatterOp op, Translator &e) {
  Value x = e.get(op.getDest()), indices = e.get(op.getIndices()),
        source = e.get(op.getSource());
  if (!x || !indices || !source || e.body)
    return failure();
  ArrayRef<int64_t> dims = op.getScatterDims();
  for (auto [k, dim] : llvm::enumerate(dims))
    e.limitIndices(coordinate(indices, k, e), e.typeOf(x).getDimSize(dim));
  Sizes sizes = e.sizesOf(indices);
  sizes.pop_back();
  llvm::append_range(sizes, sliceSizes(x, dims, false, e));
  return e.set(op, prim::ScatterOp::create(e.b, x.getType(),
                                           prim::ScatterKind::set, x, indices,
                                           e.reshape(source, sizes), dims,
                                           /*batch_dims=*/0, /*unique=*/true));
}

} // namespace

void addCoordinateRules(Rules &rules) {
  rules.add<tensor::GatherOp>(gather);
  rules.add<tensor::ScatterOp>(scatter);
}

} // namespace kiln::tensor_to_prim
