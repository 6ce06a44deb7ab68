// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of StableHLO whose parameters are tensors: as the ones without
// where these are known, else of computed sizes.
#include "ComputedSizes.h"
#include "FunctionSizes.h"

#include "kiln/Dialect/Prim/Shape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// The sizes that a list computes for the result.
FailureOr<Sizes> resultSizes(Operation *op, Value list, Translator &e) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto sizes = sizesIn(op, list, "a shape", type.getRank(), e);
  if (failed(sizes))
    return failure();
  for (OpFoldResult size : *sizes)
    if (getConstantIntValue(size).value_or(0) < 0)
      return e.unsupported(op, "has a shape with sizes below 0");
  return withKnown(*sizes, type, e);
}

LogicalResult dynamicIota(stablehlo::DynamicIotaOp op, Translator &e) {
  auto sizes = resultSizes(op, op.getOutputShape(), e);
  auto type = partType(op, op.getType(), e);
  if (failed(sizes) || failed(type) ||
      failed(checkDims(op, "iota_dimension", int64_t(op.getIotaDimension()),
                       type->getRank(), e)))
    return failure();
  Type element = type->getElementType();
  bool isBool = element.isInteger(1);
  Value result = prim::IotaOp::create(
      e.b, e.typeFor(*sizes, isBool ? Type(e.b.getI32Type()) : element),
      e.dynamicSizes(*sizes), op.getIotaDimension());
  if (isComplex(op.getType()))
    return bind(op, {result, e.number(0, result)}, e);
  return e.set(op, isBool ? e.convert(result, element) : result);
}

LogicalResult dynamicReshape(stablehlo::DynamicReshapeOp op, Translator &e) {
  auto sizes = resultSizes(op, op.getOutputShape(), e);
  if (failed(sizes))
    return failure();
  return eachPart(op, op.getOperand(), e,
                  [&](RankedTensorType, ArrayRef<Value> x) {
                    return e.reshape(x[0], *sizes);
                  });
}

LogicalResult dynamicBroadcast(stablehlo::DynamicBroadcastInDimOp op,
                               FunctionSizes &known, Translator &e) {
  auto sizes = resultSizes(op, op.getOutputDimensions(), e);
  if (failed(sizes))
    return failure();
  return translateBroadcast(op, op.getOperand(), op.getBroadcastDimensions(),
                            *sizes, known, e);
}

LogicalResult dynamicPad(stablehlo::DynamicPadOp op, Translator &e) {
  Value lists[] = {op.getEdgePaddingLow(), op.getEdgePaddingHigh(),
                   op.getInteriorPadding()};
  SmallVector<SmallVector<int64_t>> known;
  SmallVector<Sizes> computed;
  size_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
  for (Value list : lists) {
    auto numbers = sizesIn(op, list, "padding", rank, e);
    if (failed(numbers))
      return failure();
    if (auto constants = getConstantIntValues(*numbers))
      known.push_back(*constants);
    computed.push_back(*numbers);
  }
  if (known.size() == 3)
    return translatePad(op, op.getOperand(), op.getPaddingValue(), known[0],
                        known[1], known[2], e);
  return eachPart(op, {op.getOperand(), op.getPaddingValue()}, e,
                  [&](RankedTensorType, ArrayRef<Value> x) {
                    return padComputed(x[0], x[1], computed[0], computed[1],
                                       computed[2], e);
                  });
}

/// Dimensions without a stride are one part, the others follow one by one.
LogicalResult dynamicSlice(stablehlo::RealDynamicSliceOp op, Translator &e) {
  size_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
  auto starts = sizesIn(op, op.getStartIndices(), "a start", rank, e);
  auto limits = sizesIn(op, op.getLimitIndices(), "a limit", rank, e);
  auto strides = sizesIn(op, op.getStrides(), "a stride", rank, e);
  if (failed(starts) || failed(limits) || failed(strides))
    return failure();
  Sizes counts;
  auto &math = e.sizeMath();
  for (auto [start, limit, stride] :
       llvm::zip_equal(*starts, *limits, *strides)) {
    auto first = getConstantIntValue(start), end = getConstantIntValue(limit),
         step = getConstantIntValue(stride);
    if ((first && *first < 0) || (step && *step < 1) ||
        (first && end && *end < *first))
      return e.unsupported(op, "has bounds that are no range");
    OpFoldResult count = math.sub(limit, start);
    counts.push_back(step == 1 ? count : math.ceilDiv(count, stride));
  }
  counts = withKnown(counts, cast<RankedTensorType>(op.getType()), e);
  return eachPart(
      op, op.getOperand(), e, [&](RankedTensorType, ArrayRef<Value> parts) {
        Value x = parts[0];
        Sizes have = e.sizesOf(x), sizes = have;
        SmallVector<Value> begin(rank, numberOf(e.size(0), e));
        bool isPart = false;
        for (size_t dim = 0; dim < rank; ++dim) {
          if (getConstantIntValue((*strides)[dim]) != 1 ||
              (getConstantIntValue((*starts)[dim]) == 0 &&
               isSameSize(have[dim], counts[dim], e)))
            continue;
          sizes[dim] = counts[dim];
          begin[dim] = numberOf((*starts)[dim], e);
          isPart = true;
        }
        if (isPart)
          x = prim::DynamicSliceOp::create(e.b,
                                           e.typeFor(sizes, e.elementOf(x)), x,
                                           begin, e.dynamicSizes(sizes));
        for (size_t dim = 0; dim < rank; ++dim)
          if (getConstantIntValue((*strides)[dim]) != 1)
            x = every(x, dim, (*starts)[dim], (*strides)[dim], counts[dim], e);
        return x;
      });
}

/// Slices of known bounds, for which there are views.
LogicalResult dynamicSliceOp(stablehlo::RealDynamicSliceOp op, Translator &e) {
  auto starts = e.integersOf(e.get(op.getStartIndices()));
  auto limits = e.integersOf(e.get(op.getLimitIndices()));
  auto strides = e.integersOf(e.get(op.getStrides()));
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  if (!starts || !limits || !strides || !source.hasStaticShape())
    return dynamicSlice(op, e);
  SmallVector<int64_t> shape;
  for (const auto &list : {*starts, *limits, *strides})
    if (failed(checkCount(op, "the bounds", list.size(), source.getRank(), e)))
      return failure();
  for (auto [start, limit, stride, size] :
       llvm::zip_equal(*starts, *limits, *strides, source.getShape())) {
    if (start < 0 || stride < 1 || limit < start || limit > size)
      return e.unsupported(op, "has bounds that are no range");
    shape.push_back((limit - start + stride - 1) / stride);
  }
  return eachPart(op, op.getOperand(), e,
                  [&](RankedTensorType type, ArrayRef<Value> x) -> Value {
                    return prim::SliceOp::create(e.b, type.clone(shape), x[0],
                                                 *starts, *limits, *strides);
                  });
}

} // namespace

/// What the message leaves open is said by numbers that few need.
LogicalResult checkSizes(stablehlo::CustomCallOp op, Translator &e) {
  auto list = op.getInputs();
  Value holds = list.empty() ? Value() : e.get(list.front());
  if (!holds || e.typeOf(holds).getRank() != 0 ||
      !e.elementOf(holds).isInteger(1) || op->getNumResults() != 0)
    return e.unsupported(op, "of 'shape_assertion' without a condition");
  auto given = op->getAttrOfType<StringAttr>("error_message");
  StringRef message = given ? given.getValue() : "a condition of sizes";
  OpFoldResult found = sizeAt(holds, 0, e);
  auto known = getConstantIntValue(found);
  if (known && *known)
    return success();
  if (known)
    return e.unsupported(op, "of 'shape_assertion' that fails: " + message);
  Value zero = arith::ConstantIndexOp::create(e.b, 0);
  Value condition = arith::CmpIOp::create(e.b, arith::CmpIPredicate::ne,
                                          cast<Value>(found), zero);
  cf::AssertOp::create(e.b, condition, message);
  return success();
}

void addDynamicRules(Rules &rules,
                     const std::shared_ptr<FunctionSizes> &sizes) {
  using namespace stablehlo;
  rules.add<DynamicIotaOp>(dynamicIota);
  rules.add<DynamicReshapeOp>(dynamicReshape);
  rules.add(DynamicBroadcastInDimOp::getOperationName(),
            [sizes](Operation *op, Translator &e) {
              return dynamicBroadcast(cast<DynamicBroadcastInDimOp>(op), *sizes,
                                      e);
            });
  rules.add<DynamicPadOp>(dynamicPad);
  rules.add<RealDynamicSliceOp>(dynamicSliceOp);
}

} // namespace kiln::stablehlo_to_prim
