//===- TritonDialect.cpp - the tt dialect and its types -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Triton/Triton.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::tt;

#include "kiln/Dialect/Triton/TritonAttrsEnums.cpp.inc"
#include "kiln/Dialect/Triton/TritonBase.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "kiln/Dialect/Triton/TritonTypes.cpp.inc"

namespace {
/// Everything in the dialect may be inlined; `tt.return` becomes the call's
/// results.
struct TritonInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  void handleTerminator(Operation *op, Block *newDest) const final {
    auto returnOp = dyn_cast<ReturnOp>(op);
    if (!returnOp)
      return;
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), newDest, returnOp.getSrcs());
    op->erase();
  }
  void handleTerminator(Operation *op, ValueRange values) const final {
    for (auto [value, source] : llvm::zip(values, cast<ReturnOp>(op).getSrcs()))
      value.replaceAllUsesWith(source);
  }
};
} // namespace

void TritonDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "kiln/Dialect/Triton/TritonTypes.cpp.inc"
      >();
}

void TritonDialect::initialize() {
  registerTypes();
  registerFunctionOps();
  registerPointerOps();
  registerTensorOps();
  registerComputeOps();
  registerRegionOps();
  registerDescriptorOps();
  registerDebugOps();
  addInterfaces<TritonInlinerInterface>();
}

Type PointerType::parse(AsmParser &parser) {
  Type pointee;
  int space = 1;
  if (parser.parseLess() || parser.parseType(pointee))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parser.parseInteger(space))
    return {};
  if (parser.parseGreater())
    return {};
  return PointerType::get(parser.getContext(), pointee, space);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << "<" << getPointeeType();
  if (getAddressSpace() != 1)
    printer << ", " << getAddressSpace();
  printer << ">";
}

Type TensorDescType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  SMLoc location = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type element;
  // Up to 3.6 the block is a tensor type, later its shape and element type
  // alone.
  Type tensor;
  OptionalParseResult spelled = parser.parseOptionalType(tensor);
  if (spelled.has_value()) {
    if (failed(*spelled))
      return {};
  } else {
    if (parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
        parser.parseType(element))
      return {};
    tensor = RankedTensorType::get(shape, element);
  }
  // A shared-memory layout may follow the block; it means nothing here.
  if (succeeded(parser.parseOptionalComma())) {
    Attribute layout;
    if (parser.parseAttribute(layout))
      return {};
  }
  if (parser.parseGreater())
    return {};
  auto block = dyn_cast<RankedTensorType>(tensor);
  if (!block || !block.hasStaticShape()) {
    parser.emitError(location, "expected a tensor of static shape");
    return {};
  }
  return TensorDescType::get(parser.getContext(), block);
}

void TensorDescType::print(AsmPrinter &printer) const {
  printer << "<" << getBlockType() << ">";
}
