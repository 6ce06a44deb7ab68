// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of several operands with any combiner.
#include "kiln/Dialect/Prim/CombineOps.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/CombineOps.cpp.inc"

void PrimDialect::registerCombineOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/CombineOps.cpp.inc"
      >();
}

/// There are operands of one shape, and inits of rank 0 and results of the same
/// element types.
template <typename Op> static LogicalResult verifyOperands(Op op) {
  // C1
  if (op.getInputs().empty())
    return op.emitOpError("expected at least one operand");
  if (op.getNumResults() != op.getInputs().size())
    return op.emitOpError() << "expected one result for each operand, found "
                            << op.getNumResults();
  auto first = cast<RankedTensorType>(op.getInputs().front().getType());
  for (auto [operand, init, result] :
       llvm::zip(op.getInputs(), op.getInits(), op.getResults())) {
    // C2
    auto type = cast<RankedTensorType>(operand.getType());
    if (failed(check::verifyShape(op, "an operand", first.getShape(), type)))
      return failure();
    // C3
    Type element = type.getElementType();
    auto initType = cast<RankedTensorType>(init.getType());
    if (initType != RankedTensorType::get({}, element))
      return op.emitOpError() << "expected an init of type tensor<" << element
                              << ">, found " << initType;
    // C4
    if (failed(check::verifyElement(op, "a result", element,
                                    cast<RankedTensorType>(result.getType()))))
      return failure();
  }
  return success();
}

/// Whether an operation may be in a combiner: elementwise, or a constant.
static bool mayCombine(Operation *op) {
  if (!isa_and_nonnull<PrimDialect>(op->getDialect()))
    return false;
  return op->hasTrait<OpTrait::Elementwise>() ||
         op->hasTrait<OpTrait::ConstantLike>() ||
         isa<WhereOp, ConvertElementTypeOp, ClampOp, FullOp, YieldOp>(op);
}

/// The region combines elements with elementwise prims.
template <typename Op> static LogicalResult verifyCombiner(Op op) {
  SmallVector<Type> elements;
  for (Value init : op.getInits())
    elements.push_back(init.getType());
  SmallVector<Type> both = elements;
  llvm::append_range(both, elements);
  // C5
  Region &region = op.getCombiner();
  if (region.getArgumentTypes() != TypeRange(both))
    return op.emitOpError() << "expected a region with arguments of the types ("
                            << TypeRange(both) << "), found ("
                            << TypeRange(region.getArgumentTypes()) << ")";
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (!yield || yield.getValues().getTypes() != TypeRange(elements)) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "expected the region to yield values of the "
                                 "types ("
                              << TypeRange(elements) << ")";
    diag.attachNote(region.front().getTerminator()->getLoc())
        << "terminator is here";
    return diag;
  }
  // C6
  for (Operation &inner : region.front()) {
    if (!mayCombine(&inner))
      return inner.emitOpError("expected elementwise prims and constants in a "
                               "combiner");
    for (Value operand : inner.getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      Operation *source = operand.getDefiningOp();
      if (!type || type.getRank() != 0)
        return inner.emitOpError()
               << "expected tensors of rank 0 in a combiner, found "
               << operand.getType();
      if (operand.getParentRegion() != &region &&
          !(source && source->hasTrait<OpTrait::ConstantLike>()) &&
          !isa_and_nonnull<FullOp>(source))
        return inner.emitOpError("expected a combiner that uses nothing from "
                                 "outside but constants");
    }
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  // C1, C3
  if (failed(verifyOperands(*this)))
    return failure();
  // C2
  auto operand = cast<RankedTensorType>(getInputs().front().getType());
  if (failed(check::verifyDims(*this, "'dims'", getDims(), operand.getRank())))
    return failure();
  // C4
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(operand.getShape()))
    if (!llvm::is_contained(getDims(), static_cast<int64_t>(dim)))
      shape.push_back(size);
  for (Type type : getResultTypes())
    if (failed(check::verifyShape(*this, "a result", shape,
                                  cast<RankedTensorType>(type))))
      return failure();
  return success();
}

LogicalResult ReduceOp::verifyRegions() { return verifyCombiner(*this); }

LogicalResult ReduceWindowOp::verify() {
  // C1, C3
  if (failed(verifyOperands(*this)))
    return failure();
  // C2
  auto operand = cast<RankedTensorType>(getInputs().front().getType());
  int64_t rank = operand.getRank(), least = ShapedType::kDynamic + 1;
  if (failed(check::verifyList(*this, "'window'", getWindow(), rank, 1)) ||
      failed(check::verifyList(*this, "'strides'", getStrides(), rank, 1)) ||
      failed(check::verifyList(*this, "'pad_low'", getPadLow(), rank, least)) ||
      failed(
          check::verifyList(*this, "'pad_high'", getPadHigh(), rank, least)) ||
      failed(check::verifyList(*this, "'dilation'", getDilation(), rank, 1)) ||
      failed(check::verifyList(*this, "'input_dilation'", getInputDilation(),
                               rank, 1)))
    return failure();
  // C4
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < rank; ++d)
    shape.push_back(
        check::windowPositions(operand.getDimSize(d),
                               {getWindow()[d], getStrides()[d], getPadLow()[d],
                                getPadHigh()[d], getDilation()[d],
                                getInputDilation()[d]})
            .value_or(0));
  for (Type type : getResultTypes())
    if (failed(check::verifyShape(*this, "a result", shape,
                                  cast<RankedTensorType>(type))))
      return failure();
  return success();
}

LogicalResult ReduceWindowOp::verifyRegions() { return verifyCombiner(*this); }

LogicalResult SelectAndScatterOp::verify() {
  RankedTensorType operand = getType(), source = getSource().getType();
  // C1
  if (getKind() != ScanKind::max && getKind() != ScanKind::min)
    return emitOpError() << "expected 'max' or 'min', found '"
                         << stringifyScanKind(getKind()) << "'";
  // C2
  int64_t rank = operand.getRank();
  if (failed(check::verifyList(*this, "'window'", getWindow(), rank, 1)) ||
      failed(check::verifyList(*this, "'strides'", getStrides(), rank, 1)) ||
      failed(check::verifyList(*this, "'pad_low'", getPadLow(), rank, 0)) ||
      failed(check::verifyList(*this, "'pad_high'", getPadHigh(), rank, 0)))
    return failure();
  for (auto [low, high, window] :
       llvm::zip(getPadLow(), getPadHigh(), getWindow()))
    if (low >= window || high >= window)
      return emitOpError() << "expected padding smaller than the window of "
                           << window << ", found " << low << " and " << high;
  // C3
  if (failed(check::verifyElement(*this, "a source", operand.getElementType(),
                                  source)))
    return failure();
  // C4
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < rank; ++d)
    shape.push_back(check::windowPositions(operand.getDimSize(d),
                                           {getWindow()[d], getStrides()[d],
                                            getPadLow()[d], getPadHigh()[d]})
                        .value_or(0));
  return check::verifyShape(*this, "a source", shape, source);
}
