// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the prims that sum accumulate, for bounds on their results.
#include "kiln/Dialect/Prim/Prim.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::prim;

/// The sizes of some dimensions of a tensor.
static SmallVector<int64_t> sizesOf(Value value, ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(value.getType());
  return llvm::map_to_vector(dims,
                             [&](int64_t d) { return type.getDimSize(d); });
}

static SmallVector<int64_t> trailingSizes(Value value, int64_t count) {
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  return llvm::to_vector(shape.take_back(count));
}

Accumulation DotGeneralOp::getAccumulation() {
  return Accumulation::sumOver(sizesOf(getLhs(), getLhsContract()));
}

Accumulation ConvOp::getAccumulation() {
  int64_t rank = cast<RankedTensorType>(getFilter().getType()).getRank();
  return Accumulation::sumOver(trailingSizes(getFilter(), rank - 1));
}

Accumulation SumOp::getAccumulation() {
  return Accumulation::sumOver(sizesOf(getOperand(), getDims()));
}

Accumulation ProdOp::getAccumulation() {
  return Accumulation::sumOver(sizesOf(getOperand(), getDims()));
}

Accumulation SumPoolOp::getAccumulation() {
  return Accumulation::sumOver(getWindow());
}

Accumulation AvgPoolOp::getAccumulation() {
  return Accumulation::sumOver(getWindow());
}

Accumulation SoftmaxOp::getAccumulation() {
  return Accumulation::sumOver(
      sizesOf(getOperand(), {static_cast<int64_t>(getDim())}), 4);
}

Accumulation RmsNormOp::getAccumulation() {
  return Accumulation::sumOver(trailingSizes(getOperand(), getAxes()), 8);
}

Accumulation LayerNormOp::getAccumulation() {
  return Accumulation::sumOver(trailingSizes(getOperand(), getAxes()), 8);
}

Accumulation AttentionOp::getAccumulation() {
  // Scores, values, and the sum of the weights.
  Accumulation result = Accumulation::sumOver(trailingSizes(getQuery(), 1), 8);
  result.sums.push_back(trailingSizes(getKey(), 1));
  int64_t rank = cast<RankedTensorType>(getKey().getType()).getRank();
  result.sums.push_back(sizesOf(getKey(), {rank - 2}));
  return result;
}

Accumulation AttentionBackwardOp::getAccumulation() {
  // Scores, their gradients, and the sums over queries and over keys.
  Accumulation result = Accumulation::sumOver(trailingSizes(getQuery(), 1), 16);
  result.sums.push_back(trailingSizes(getValue(), 1));
  int64_t rank = cast<RankedTensorType>(getKey().getType()).getRank();
  result.sums.push_back(sizesOf(getKey(), {rank - 2}));
  result.sums.push_back(sizesOf(getQuery(), {rank - 2}));
  return result;
}

Accumulation ScanOp::getAccumulation() {
  if (getKind() == ScanKind::max || getKind() == ScanKind::min)
    return Accumulation::exact();
  return Accumulation::sumOver(
      sizesOf(getOperand(), {static_cast<int64_t>(getDim())}), 4);
}

/// Everything may go to one element.
Accumulation ScatterOp::getAccumulation() {
  if (getCombine() != ScatterKind::add && getCombine() != ScatterKind::mul)
    return Accumulation::exact();
  return Accumulation::sumOver(getUpdates().getType().getShape(), 2);
}

Accumulation SelectAndScatterOp::getAccumulation() {
  return Accumulation::sumOver(getWindow(), 2);
}

Accumulation ReduceOp::getAccumulation() {
  return Accumulation::sumOver(sizesOf(getOperands().front(), getDims()), 4);
}

Accumulation ReduceWindowOp::getAccumulation() {
  return Accumulation::sumOver(getWindow(), 4);
}
