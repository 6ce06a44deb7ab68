// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations with a decomposition into simpler ones.
#include "kiln/Dialect/Prim/CompositeOps.h"
#include "kiln/Dialect/Prim/FourierOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/CompositeOps.cpp.inc"

void PrimDialect::registerCompositeOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/CompositeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/FourierOps.cpp.inc"
      >();
}

LogicalResult SoftmaxOp::verify() {
  // C2
  return check::verifyDim(*this, "'dim'", getDim(), getType().getRank());
}

/// What rms_norm and layer_norm check: the number of axes, epsilon, and that
/// each parameter has the shape of the trailing dimensions.
static LogicalResult verifyNorm(Operation *op, RankedTensorType type,
                                int64_t axes, const APFloat &eps,
                                ArrayRef<std::pair<StringRef, Value>> params) {
  // C2
  if (axes < 1 || axes > type.getRank())
    return op->emitOpError() << "expected 'axes' in [1, " << type.getRank()
                             << "], found " << axes;
  // C3
  if (eps.isNaN() || eps.isInfinity() || (eps.isNegative() && !eps.isZero()))
    return op->emitOpError("expected a finite 'eps' of at least 0");
  // C4
  for (auto [name, value] : params) {
    if (!value)
      continue;
    auto found = cast<RankedTensorType>(value.getType());
    if (failed(check::verifyElement(op, name, type.getElementType(), found)) ||
        failed(check::verifyShape(op, name, type.getShape().take_back(axes),
                                  found)))
      return failure();
  }
  return success();
}

LogicalResult RmsNormOp::verify() {
  return verifyNorm(*this, getType(), getAxes(), getEps(),
                    {{"a weight", getWeight()}});
}

LogicalResult LayerNormOp::verify() {
  // C5: the types of the parameters are printed in order.
  if (getBias() && !getWeight())
    return emitOpError("expected a weight where there is a bias");
  return verifyNorm(*this, getType(), getAxes(), getEps(),
                    {{"a weight", getWeight()}, {"a bias", getBias()}});
}

/// What an operand or a result of attention has to be: its name, its shape, and
/// what is found.
struct AttentionPart {
  StringRef name;
  SmallVector<int64_t> shape;
  Value value;
};

/// The shape [B..., sizes...] for a query of [B..., M, D].
static SmallVector<int64_t> behindBatch(RankedTensorType query,
                                        ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> shape(query.getShape().drop_back(2));
  llvm::append_range(shape, sizes);
  return shape;
}

/// Checks rank and element types of attention and of its gradients, and the
/// shapes of keys and of values; null values are not there.
static LogicalResult verifyAttention(Operation *op, RankedTensorType query,
                                     RankedTensorType key,
                                     RankedTensorType value,
                                     ArrayRef<AttentionPart> others) {
  int64_t rank = query.getRank(), any = ShapedType::kDynamic;
  // C1
  if (rank < 2)
    return op->emitOpError()
           << "expected a query of rank at least 2, found " << rank;
  // C2
  Type element = query.getElementType();
  if (failed(check::verifyElement(op, "a key", element, key)) ||
      failed(check::verifyElement(op, "a value", element, value)))
    return failure();
  for (const AttentionPart &part : others)
    if (part.value && failed(check::verifyElement(
                          op, part.name, element,
                          cast<RankedTensorType>(part.value.getType()))))
      return failure();
  // C3
  return failure(
      failed(check::verifyShape(
          op, "a key", behindBatch(query, {any, query.getShape().back()}),
          key)) ||
      failed(check::verifyShape(
          op, "a value", behindBatch(query, {key.getDimSize(rank - 2), any}),
          value)));
}

/// Checks the logarithm of the sums of exponentials.
static LogicalResult verifyLogSumExp(Operation *op, RankedTensorType query,
                                     RankedTensorType found) {
  Type wide = query.getElementType().isF64()
                  ? query.getElementType()
                  : Float32Type::get(op->getContext());
  return failure(failed(check::verifyElement(op, "a logarithm", wide, found)) ||
                 failed(check::verifyShape(
                     op, "a logarithm", query.getShape().drop_back(), found)));
}

static LogicalResult verifyShapes(Operation *op,
                                  ArrayRef<AttentionPart> parts) {
  for (const AttentionPart &part : parts)
    if (part.value && failed(check::verifyShape(
                          op, part.name, part.shape,
                          cast<RankedTensorType>(part.value.getType()))))
      return failure();
  return success();
}

LogicalResult AttentionOp::verify() {
  RankedTensorType query = getQuery().getType(), key = getKey().getType(),
                   value = getValue().getType();
  SmallVector<AttentionPart> parts = {{"a result", {}, getResult()},
                                      {"a mask", {}, getMask()}};
  if (failed(verifyAttention(*this, query, key, value, parts)))
    return failure();
  // C3, C4
  int64_t m = query.getShape().drop_back().back();
  parts[0].shape = behindBatch(query, {m, value.getShape().back()});
  parts[1].shape = behindBatch(query, {m, key.getShape().drop_back().back()});
  if (failed(verifyShapes(*this, parts)))
    return failure();
  // C5
  if (!getLogsumexp())
    return success();
  return verifyLogSumExp(*this, query, getLogsumexp().getType());
}

LogicalResult AttentionBackwardOp::verify() {
  RankedTensorType query = getQuery().getType(), key = getKey().getType(),
                   value = getValue().getType();
  SmallVector<AttentionPart> parts = {{"an output", {}, getOutput()},
                                      {"a gradient", {}, getGradient()},
                                      {"a mask", {}, getMask()}};
  if (failed(verifyAttention(*this, query, key, value, parts)))
    return failure();
  // C4, C6
  int64_t m = query.getShape().drop_back().back();
  parts[0].shape = parts[1].shape =
      behindBatch(query, {m, value.getShape().back()});
  parts[2].shape = behindBatch(query, {m, key.getShape().drop_back().back()});
  if (failed(verifyShapes(*this, parts)))
    return failure();
  // C5
  return verifyLogSumExp(*this, query, getLogsumexp().getType());
}
