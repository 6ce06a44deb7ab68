//===- TileDialect.cpp - The dialect, its types and attributes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/TileDialect.h"
#include "KernelDecisions.h"
#include "Models.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Interfaces/Cost.h"
#include "kiln/Interfaces/KnownAttributes.h"
#include "kiln/Interfaces/Layout.h"
#include "kiln/Interfaces/Version.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/IntegerSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::tile;

#include "kiln/Dialect/Tile/TileBase.cpp.inc"

#include "kiln/Dialect/Tile/TileAttrsEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Tile/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "kiln/Dialect/Tile/TileTypes.cpp.inc"

/// What files of older versions have otherwise.
static constexpr kiln::DialectUpgrade kUpgrades[] = {{2, upgradeKernels},
                                                     {2, upgradeExternOps},
                                                     {3, upgradeFacts},
                                                     {5, upgradeProductSplits}};

void TileDialect::initialize() {
  addInterface<kiln::VersionedBytecode>(
      llvm::ArrayRef<kiln::DialectUpgrade>(kUpgrades));
  registerTypes();
  registerAttributes();
  registerKernelOps();
  registerYieldOps();
  registerMemoryOps();
  registerShapeOps();
  registerDotOps();
  registerReduceOps();
  registerPointerOps();
  registerAtomicOps();
  registerScanOps();
  registerExternOps();
  attachModels(getContext());
  attachUpstreamModels(getContext());
  attachLayoutModels(getContext());
}

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "kiln/Dialect/Tile/TileTypes.cpp.inc"
      >();
}

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Dialect/Tile/TileAttrs.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult
LoopHintsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t stages, int64_t unroll, bool, bool, bool, bool) {
  for (int64_t number : {stages, unroll})
    if (number < 0)
      return emitError() << "expected numbers of at least 0, found " << number;
  return success();
}

LogicalResult
KernelHintsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        int64_t warps, int64_t threadsPerWarp, int64_t cluster,
                        int64_t registers) {
  for (int64_t number : {warps, threadsPerWarp, cluster, registers})
    if (number < 0)
      return emitError() << "expected numbers of at least 0, found " << number;
  if (threadsPerWarp && !llvm::isPowerOf2_64(threadsPerWarp))
    return emitError()
           << "expected a power of two as 'threads_per_warp', found "
           << threadsPerWarp;
  return success();
}

/// Attributes that operations have beside those of their definitions. Facts of
/// kernel parameters are verified with the kernel.
static constexpr kiln::KnownAttribute kKnownAttributes[] = {
    {kFactsAttr, kiln::AttributeRole::Hint},
    {kHintsAttr, kiln::AttributeRole::Hint},
};

static LogicalResult verifyHints(Operation *op, Attribute hints) {
  if (isa<LoopHintsAttr>(hints))
    return isa<scf::ForOp, scf::WhileOp>(op)
               ? success()
               : op->emitOpError() << "expected '#tile.loop_hints' on "
                                      "'scf.for' or 'scf.while'";
  if (isa<KernelHintsAttr>(hints))
    return isa<KernelOp>(op) ? success()
                             : op->emitOpError() << "expected "
                                                    "'#tile.kernel_hints' on "
                                                    "'tile.kernel'";
  return op->emitOpError() << "expected '" << kHintsAttr
                           << "' to be '#tile.loop_hints' or "
                              "'#tile.kernel_hints', found "
                           << hints;
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (failed(kiln::verifyKnownAttribute(op, attribute, kKnownAttributes)))
    return failure();
  return attribute.getName() == kFactsAttr
             ? verifyFacts(op, attribute.getValue())
             : verifyHints(op, attribute.getValue());
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  return verifyParameterFacts(op, argument, attribute);
}

LogicalResult TileDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  return kiln::refuseAttribute(op, "result", result, attribute);
}

bool kiln::tile::isSameTile(Type a, Type b) {
  if (a == b)
    return true;
  auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
  return x && y && x.getShape() == y.getShape() &&
         x.getElementType() == y.getElementType();
}

bool kiln::tile::isElementType(Type type) {
  return isa<FloatType, IndexType>(type) || type.isSignlessInteger();
}

//===----------------------------------------------------------------------===//
// View type
//===----------------------------------------------------------------------===//

static void printExtent(AsmPrinter &printer, int64_t value) {
  if (ShapedType::isDynamic(value))
    printer << '?';
  else
    printer << value;
}

Type ViewType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape, strides;
  Type elementType;
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parser.parseType(elementType))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    auto parseStride = [&]() -> ParseResult {
      if (succeeded(parser.parseOptionalQuestion())) {
        strides.push_back(ShapedType::kDynamic);
        return success();
      }
      return parser.parseInteger(strides.emplace_back());
    };
    if (parser.parseKeyword("strides") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parseStride))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ViewType>(loc, parser.getContext(), shape,
                                     elementType, strides);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t size : getShape()) {
    printExtent(printer, size);
    printer << 'x';
  }
  printer << getElementType();
  if (!getStrides().empty()) {
    printer << ", strides = [";
    llvm::interleave(
        getStrides(), [&](int64_t s) { printExtent(printer, s); },
        [&] { printer << ", "; });
    printer << ']';
  }
  printer << '>';
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType,
                               ArrayRef<int64_t> strides) {
  if (!isElementType(elementType))
    return emitError() << "expected a view of floats, signless integers or "
                          "index, found "
                       << elementType;
  for (int64_t size : shape)
    if (size < 0 && !ShapedType::isDynamic(size))
      return emitError() << "expected sizes of a view to be at least 0, found "
                         << size;
  if (!strides.empty() && strides.size() != shape.size())
    return emitError() << "expected one stride per dimension: " << shape.size()
                       << ", found " << strides.size();
  return success();
}

int64_t ViewType::getStaticStride(int64_t d) const {
  if (d < 0 || d >= getRank())
    return ShapedType::kDynamic;
  if (!isDense())
    return getStrides()[d];
  int64_t stride = 1;
  for (int64_t size : getShape().drop_front(d + 1)) {
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(stride, size, stride))
      return ShapedType::kDynamic;
  }
  return stride;
}
