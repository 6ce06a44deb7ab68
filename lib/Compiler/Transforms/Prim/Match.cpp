// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matching of values through what frontends put in between.
#include "Match.h"
#include "kiln/Interfaces/Movement.h"

#include <cmath>

using namespace mlir;

namespace kiln::prim::match {

std::optional<double> splat(Value value) {
  // Shape changes of a splat are splats.
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ReshapeOpInterface, RepeatOpInterface, PermutationOpInterface>(op))
      break;
    value = op->getOperand(0);
  }
  Attribute attribute;
  if (auto full = def<FullOp>(value))
    attribute = full.getValue();
  else if (DenseElementsAttr dense; matchPattern(value, m_Constant(&dense)) &&
                                    dense.isSplat() && !dense.empty())
    attribute = dense.getSplatValue<Attribute>();
  if (auto real = dyn_cast_if_present<FloatAttr>(attribute))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast_if_present<IntegerAttr>(attribute))
    return static_cast<double>(integer.getValue().getSExtValue());
  return std::nullopt;
}

bool isNear(double value, double expected) {
  return std::abs(value - expected) <= std::abs(expected) * 0x1p-8;
}

bool isSplatNear(Value value, double expected) {
  std::optional<double> found = splat(value);
  if (!found)
    return false;
  // What rounding to the element type may have done, and no more.
  Type element = cast<ShapedType>(value.getType()).getElementType();
  double epsilon = element.isBF16()  ? 0x1p-8
                   : element.isF16() ? 0x1p-11
                                     : 0x1p-20;
  return std::abs(*found - expected) <= std::abs(expected) * epsilon;
}

std::optional<std::pair<Value, double>> scaled(Value value) {
  if (auto product = withSplat<MulOp>(value))
    return product;
  if (auto quotient = def<DivOp>(value))
    if (std::optional<double> divisor = splat(quotient.getRhs()))
      return std::make_pair(Value(quotient.getLhs()), 1 / *divisor);
  return std::nullopt;
}

/// The dimensions of a reshape's operand in terms of those of its result, if
/// only dimensions of size 1 come and go.
static std::optional<SmallVector<int64_t>>
matchUnits(ArrayRef<int64_t> operand, ArrayRef<int64_t> result) {
  SmallVector<int64_t> map;
  size_t next = 0;
  int64_t dynamic = 0;
  for (int64_t size : operand) {
    if (size == 1) {
      map.push_back(-1);
      continue;
    }
    while (next < result.size() && result[next] == 1)
      ++next;
    if (next == result.size() || result[next] != size)
      return std::nullopt;
    dynamic += ShapedType::isDynamic(size);
    map.push_back(next++);
  }
  bool rest = llvm::all_of(result.drop_front(next),
                           [](int64_t size) { return size == 1; });
  if (!rest || dynamic > 1)
    return std::nullopt;
  return map;
}

Row throughShape(Row row) {
  while (true) {
    SmallVector<int64_t> dims;
    if (auto broadcast = def<BroadcastInDimOp>(row.value)) {
      for (auto [dim, size] :
           llvm::zip_equal(broadcast.getDims(),
                           broadcast.getOperand().getType().getShape()))
        dims.push_back(size == 1 ? -1 : row.dims[dim]);
      row = {broadcast.getOperand(), dims};
    } else if (auto reshape = def<ReshapeOp>(row.value)) {
      auto map = matchUnits(reshape.getOperand().getType().getShape(),
                            reshape.getType().getShape());
      if (!map)
        return row;
      for (int64_t dim : *map)
        dims.push_back(dim < 0 ? -1 : row.dims[dim]);
      row = {reshape.getOperand(), dims};
    } else {
      return row;
    }
  }
}

Row throughShape(Value value) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return throughShape({value, llvm::to_vector(llvm::seq<int64_t>(0, rank))});
}

std::optional<Row> meanOf(Row row) {
  auto quotient = scaled(row.value);
  if (!quotient)
    return std::nullopt;
  Row sum = throughShape({quotient->first, row.dims});
  auto op = def<SumOp>(sum.value);
  if (!op)
    return std::nullopt;
  double count = 1;
  for (int64_t dim : op.getDims()) {
    if (op.getOperand().getType().isDynamicDim(dim))
      return std::nullopt;
    count *= static_cast<double>(op.getOperand().getType().getDimSize(dim));
  }
  // 1 / count as the element type rounds it.
  Type element = op.getType().getElementType();
  double epsilon = element.isBF16()  ? 0x1p-7
                   : element.isF16() ? 0x1p-10
                                     : 0x1p-20;
  if (std::abs(quotient->second * count - 1) > epsilon)
    return std::nullopt;
  return sum;
}

} // namespace kiln::prim::match
