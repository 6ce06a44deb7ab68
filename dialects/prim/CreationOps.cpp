// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that make tensors from nothing.
#include "kiln/Dialect/Prim/CreationOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/CreationOps.cpp.inc"

void PrimDialect::registerCreationOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/CreationOps.cpp.inc"
      >();
}

OpFoldResult ConstantOp::fold(FoldAdaptor adaptor) { return getValue(); }

LogicalResult ConstantOp::verify() {
  // C2
  if (!isa<DenseElementsAttr, DenseResourceElementsAttr>(getValue()))
    return emitOpError("expected a dense value or a resource blob");
  // C3: a blob is read as raw memory, so its length has to be right.
  auto resource = dyn_cast<DenseResourceElementsAttr>(getValue());
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return success();
  Type element = getType().getElementType();
  int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  std::optional<int64_t> count = checkedProduct(getType().getShape());
  std::optional<int64_t> expected =
      count ? llvm::checkedMul(*count, bytes) : std::nullopt;
  if (!expected || static_cast<int64_t>(blob->getData().size()) != *expected)
    return emitOpError() << "expected a resource blob of "
                         << (expected ? Twine(*expected) : Twine("more"))
                         << " bytes, found " << blob->getData().size();
  return success();
}

LogicalResult FullOp::verify() {
  // C1
  if (failed(check::verifySizes(*this, getSizes().size(), getType())))
    return failure();
  // C2
  Type element = getType().getElementType();
  if (getValue().getType() != element ||
      !isa<IntegerAttr, FloatAttr>(getValue()))
    return emitOpError() << "expected a value of type " << element << ", found "
                         << getValue();
  return success();
}

LogicalResult IotaOp::verify() {
  // C1
  if (failed(check::verifySizes(*this, getSizes().size(), getType())))
    return failure();
  // C2
  return check::verifyDim(*this, "'dim'", getDim(), getType().getRank());
}
