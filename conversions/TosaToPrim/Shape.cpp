// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes as values: `!tosa.shape`.
#include "Translator.h"

#include "kiln/Dialect/Prim/Shape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::tosa_to_prim {
namespace {

LogicalResult constShape(tosa::ConstShapeOp op, Translator &e) {
  Sizes sizes;
  for (const APInt &size : op.getValues().getValues<APInt>())
    sizes.push_back(e.size(size.getSExtValue()));
  // One value may stand for all: dense<7> : tensor<3xindex>.
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

/// Sums, differences and so on, size by size.
template <typename From, typename Arith>
LogicalResult elementwise(From op, Translator &e) {
  Sizes lhs = e.getSizes(op->getOperand(0)),
        rhs = e.getSizes(op->getOperand(1));
  Sizes sizes;
  for (auto [a, c] : llvm::zip_equal(lhs, rhs)) {
    // Division by zero is not for the folder to decide.
    std::optional<int64_t> x = getConstantIntValue(a),
                           y = getConstantIntValue(c);
    if (y == 0 && llvm::is_one_of<Arith, arith::FloorDivSIOp,
                                  arith::CeilDivSIOp, arith::RemSIOp>::value)
      return e.unsupported(op, "divides by zero");
    Value value = e.b.createOrFold<Arith>(e.sizeValue(a), e.sizeValue(c));
    std::optional<int64_t> number = getConstantIntValue(value);
    sizes.push_back(x && y && number ? e.size(*number) : OpFoldResult(value));
  }
  e.setSizes(op, sizes);
  return success();
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
  rules.add<tosa::AddShapeOp>(elementwise<tosa::AddShapeOp, arith::AddIOp>);
  rules.add<tosa::SubShapeOp>(elementwise<tosa::SubShapeOp, arith::SubIOp>);
  rules.add<tosa::MulShapeOp>(elementwise<tosa::MulShapeOp, arith::MulIOp>);
  rules.add<tosa::MaxShapeOp>(elementwise<tosa::MaxShapeOp, arith::MaxSIOp>);
  rules.add<tosa::MinShapeOp>(elementwise<tosa::MinShapeOp, arith::MinSIOp>);
  rules.add<tosa::ModShapeOp>(elementwise<tosa::ModShapeOp, arith::RemSIOp>);
  rules.add<tosa::DivFloorShapeOp>(
      elementwise<tosa::DivFloorShapeOp, arith::FloorDivSIOp>);
  rules.add<tosa::DivCeilShapeOp>(
      elementwise<tosa::DivCeilShapeOp, arith::CeilDivSIOp>);
  rules.add<tosa::Exp2ShapeOp>(exp2Shape);
  rules.add<tosa::Log2CeilShapeOp>(log2Ceil);
  rules.add<tosa::Log2FloorShapeOp>(log2Floor);
}

} // namespace kiln::tosa_to_prim
