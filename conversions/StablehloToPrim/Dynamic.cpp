// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of StableHLO whose parameters are tensors, where these are known.
#include "Rules.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// The numbers that a tensor is known to hold, or a report.
FailureOr<SmallVector<int64_t>> numbers(Operation *op, Value source,
                                        StringRef what, Translator &e) {
  auto list = e.integersOf(e.get(source));
  if (!list)
    return e.unsupported(op, "has " + Twine(what) + " that is not a constant");
  return *list;
}

/// The result, which has the type that its operation says or one that says
/// more.
LogicalResult finish(Operation *op, Operation *made, Translator &e) {
  if (failed(e.emit(made)))
    return failure();
  return bind(op->getResult(0), tensorsOf(made->getResult(0), e), e);
}

/// The type of the result with sizes that are known.
RankedTensorType resultType(Operation *op, ArrayRef<int64_t> shape) {
  return cast<RankedTensorType>(op->getResult(0).getType()).clone(shape);
}

bool valid(ArrayRef<int64_t> shape) {
  return llvm::all_of(shape, [](int64_t size) { return size >= 0; });
}

LogicalResult dynamicIota(stablehlo::DynamicIotaOp op, Translator &e) {
  auto shape = numbers(op, op.getOutputShape(), "a shape", e);
  if (failed(shape) || !valid(*shape))
    return failure();
  OpBuilder b(op);
  return finish(op,
                stablehlo::IotaOp::create(b, op.getLoc(),
                                          resultType(op, *shape),
                                          op.getIotaDimension()),
                e);
}

LogicalResult dynamicReshape(stablehlo::DynamicReshapeOp op, Translator &e) {
  auto shape = numbers(op, op.getOutputShape(), "a shape", e);
  if (failed(shape) || !valid(*shape))
    return failure();
  OpBuilder b(op);
  return finish(op,
                stablehlo::ReshapeOp::create(
                    b, op.getLoc(), resultType(op, *shape), op.getOperand()),
                e);
}

LogicalResult dynamicBroadcast(stablehlo::DynamicBroadcastInDimOp op,
                               Translator &e) {
  auto shape = numbers(op, op.getOutputDimensions(), "a shape", e);
  if (failed(shape) || !valid(*shape))
    return failure();
  OpBuilder b(op);
  return finish(op,
                stablehlo::BroadcastInDimOp::create(
                    b, op.getLoc(), resultType(op, *shape), op.getOperand(),
                    op.getBroadcastDimensions()),
                e);
}

LogicalResult dynamicPad(stablehlo::DynamicPadOp op, Translator &e) {
  auto low = numbers(op, op.getEdgePaddingLow(), "padding", e);
  auto high = numbers(op, op.getEdgePaddingHigh(), "padding", e);
  auto interior = numbers(op, op.getInteriorPadding(), "padding", e);
  if (failed(low) || failed(high) || failed(interior))
    return failure();
  return translatePad(op, op.getOperand(), op.getPaddingValue(), *low, *high,
                      *interior, e);
}

LogicalResult dynamicSlice(stablehlo::RealDynamicSliceOp op, Translator &e) {
  auto starts = numbers(op, op.getStartIndices(), "a start", e);
  auto limits = numbers(op, op.getLimitIndices(), "a limit", e);
  auto strides = numbers(op, op.getStrides(), "a stride", e);
  if (failed(starts) || failed(limits) || failed(strides))
    return failure();
  size_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
  SmallVector<int64_t> shape;
  for (const auto &list : {*starts, *limits, *strides})
    if (failed(checkCount(op, "the bounds", list.size(), rank, e)))
      return failure();
  for (auto [start, limit, stride] :
       llvm::zip_equal(*starts, *limits, *strides)) {
    if (start < 0 || stride < 1 || limit < start)
      return e.unsupported(op, "has bounds that are no range");
    shape.push_back((limit - start + stride - 1) / stride);
  }
  OpBuilder b(op);
  return finish(
      op,
      stablehlo::SliceOp::create(b, op.getLoc(), resultType(op, shape),
                                 op.getOperand(), *starts, *limits, *strides),
      e);
}

} // namespace

void addDynamicRules(Rules &rules) {
  using namespace stablehlo;
  rules.add<DynamicIotaOp>(dynamicIota);
  rules.add<DynamicReshapeOp>(dynamicReshape);
  rules.add<DynamicBroadcastInDimOp>(dynamicBroadcast);
  rules.add<DynamicPadOp>(dynamicPad);
  rules.add<RealDynamicSliceOp>(dynamicSlice);
}

} // namespace kiln::stablehlo_to_prim
