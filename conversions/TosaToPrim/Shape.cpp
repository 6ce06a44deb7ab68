// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes as values: `!tosa.shape`.
#include "Rules.h"

#include "kiln/Dialect/Prim/Shape.h"
#include "kiln/Index/List.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

LogicalResult constShape(tosa::ConstShapeOp op, Translator &e) {
  // One value may stand for all: dense<7> : tensor<3xindex>.
  auto numbers = index::readList(cast<DenseIntElementsAttr>(op.getValues()));
  if (!numbers)
    return e.unsupported(op, "has more than " + Twine(index::kLongestSplat) +
                                 " sizes");
  Sizes sizes;
  for (int64_t size : *numbers)
    sizes.push_back(e.size(size));
  e.setSizes(op, sizes);
  return success();
}

LogicalResult dim(tosa::DimOp op, Translator &e) {
  e.setSizes(op, {prim::dimSize(e.b, e.b.getLoc(), e.get(op.getInput1()),
                                op.getAxis())});
  return success();
}

LogicalResult concatShape(tosa::ConcatShapeOp op, Translator &e) {
  Sizes sizes;
  for (Value part : op.getInput())
    llvm::append_range(sizes, e.getSizes(part));
  e.setSizes(op, sizes);
  return success();
}

LogicalResult sliceShape(tosa::SliceShapeOp op, Translator &e) {
  auto start = e.integersOf(e.get(op.getStart()));
  auto count = e.integersOf(e.get(op.getSize()));
  Sizes sizes = e.getSizes(op.getInput());
  if (!start || !count)
    return e.unsupported(op, "has a start or a size that is not a constant");
  int64_t from = start->front(), number = count->front();
  int64_t size = sizes.size();
  if (from < 0 || number < 0 || from > size || number > size - from)
    return e.unsupported(op, "leaves its operand");
  e.setSizes(op, Sizes(ArrayRef(sizes).slice(from, number)));
  return success();
}

using index::ScalarBuilder;
using SizeOp = OpFoldResult (ScalarBuilder::*)(OpFoldResult, OpFoldResult);

/// Sums, differences and so on, size by size.
template <typename From>
LogicalResult elementwise(From op, Translator &e, SizeOp compute) {
  Sizes sizes;
  for (auto [a, c] : llvm::zip_equal(e.getSizes(op->getOperand(0)),
                                     e.getSizes(op->getOperand(1)))) {
    bool divides = compute == &ScalarBuilder::floorDiv ||
                   compute == &ScalarBuilder::ceilDiv ||
                   compute == &ScalarBuilder::truncRem;
    if (divides && getConstantIntValue(c) == 0)
      return e.unsupported(op, "divides by zero");
    sizes.push_back((e.sizeMath().*compute)(a, c));
  }
  e.setSizes(op, sizes);
  return success();
}

template <typename From> void addElementwise(Rules &rules, SizeOp compute) {
  rules.add(From::getOperationName(), [compute](Operation *op, Translator &e) {
    return elementwise(cast<From>(op), e, compute);
  });
}

/// Powers and logarithms, of known sizes only.
template <typename From>
LogicalResult known(From op, Translator &e, int64_t (*function)(uint64_t)) {
  auto numbers = e.getConstantSizes(op->getOperand(0));
  if (!numbers)
    return e.unsupported(op, "of a size that is known at run time only");
  Sizes sizes;
  for (int64_t number : *numbers) {
    if (number < 0 || number > (int64_t(1) << 40))
      return e.unsupported(op, "of " + Twine(number));
    sizes.push_back(e.size(function(number)));
  }
  e.setSizes(op, sizes);
  return success();
}

LogicalResult exp2Shape(tosa::Exp2ShapeOp op, Translator &e) {
  return known(op, e, [](uint64_t x) {
    return x < 62 ? int64_t(1) << x : std::numeric_limits<int64_t>::max();
  });
}

LogicalResult log2Ceil(tosa::Log2CeilShapeOp op, Translator &e) {
  return known(op, e, [](uint64_t x) {
    return int64_t(x <= 1 ? 0 : llvm::Log2_64_Ceil(x));
  });
}

LogicalResult log2Floor(tosa::Log2FloorShapeOp op, Translator &e) {
  return known(
      op, e, [](uint64_t x) { return int64_t(x == 0 ? 0 : llvm::Log2_64(x)); });
}

} // namespace

void addShapeRules(Rules &rules) {
  rules.add<tosa::ConstShapeOp>(constShape);
  rules.add<tosa::DimOp>(dim);
  rules.add<tosa::ConcatShapeOp>(concatShape);
  rules.add<tosa::SliceShapeOp>(sliceShape);
  addElementwise<tosa::AddShapeOp>(rules, &ScalarBuilder::add);
  addElementwise<tosa::SubShapeOp>(rules, &ScalarBuilder::sub);
  addElementwise<tosa::MulShapeOp>(rules, &ScalarBuilder::mul);
  addElementwise<tosa::MaxShapeOp>(rules, &ScalarBuilder::max);
  addElementwise<tosa::MinShapeOp>(rules, &ScalarBuilder::min);
  addElementwise<tosa::ModShapeOp>(rules, &ScalarBuilder::truncRem);
  addElementwise<tosa::DivFloorShapeOp>(rules, &ScalarBuilder::floorDiv);
  addElementwise<tosa::DivCeilShapeOp>(rules, &ScalarBuilder::ceilDiv);
  rules.add<tosa::Exp2ShapeOp>(exp2Shape);
  rules.add<tosa::Log2CeilShapeOp>(log2Ceil);
  rules.add<tosa::Log2FloorShapeOp>(log2Floor);
}

} // namespace kiln::tensor_to_prim
