// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations with a decomposition into simpler ones.
#include "kiln/Dialect/Prim/CompositeOps.h"
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

LogicalResult AttentionOp::verify() {
  RankedTensorType query = getQuery().getType();
  RankedTensorType key = getKey().getType(), value = getValue().getType();
  int64_t rank = query.getRank();
  Type element = query.getElementType();
  // C1
  if (rank < 2)
    return emitOpError() << "expected a query of rank at least 2, found "
                         << rank;
  // C2
  if (failed(check::verifyElement(*this, "a key", element, key)) ||
      failed(check::verifyElement(*this, "a value", element, value)) ||
      failed(check::verifyElement(*this, "a result", element, getType())))
    return failure();
  // C3
  int64_t any = ShapedType::kDynamic;
  SmallVector<int64_t> batch(query.getShape().drop_back(2));
  auto shape = [&](int64_t rows, int64_t columns) {
    SmallVector<int64_t> result(batch);
    result.push_back(rows);
    result.push_back(columns);
    return result;
  };
  int64_t m = query.getDimSize(rank - 2), d = query.getDimSize(rank - 1);
  if (failed(check::verifyShape(*this, "a key", shape(any, d), key)))
    return failure();
  int64_t n = key.getDimSize(rank - 2);
  if (failed(check::verifyShape(*this, "a value", shape(n, any), value)) ||
      failed(check::verifyShape(
          *this, "a result", shape(m, value.getDimSize(rank - 1)), getType())))
    return failure();
  // C4
  if (!getMask())
    return success();
  RankedTensorType mask = getMask().getType();
  if (failed(check::verifyElement(*this, "a mask", element, mask)))
    return failure();
  return check::verifyShape(*this, "a mask", shape(m, n), mask);
}
