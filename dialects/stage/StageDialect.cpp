//===- StageDialect.cpp - The dialect, its types and attributes -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Models.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Interfaces/KnownAttributes.h"
#include "kiln/Interfaces/Version.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::stage;

#include "kiln/Dialect/Stage/StageBase.cpp.inc"

#include "kiln/Dialect/Stage/StageAttrsEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Stage/StageAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "kiln/Dialect/Stage/StageTypes.cpp.inc"

namespace {

/// Constants that are expressions stay in their region.
struct StageFolds : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const final {
    return isa<ComputeOp>(region->getParentOp());
  }
};

} // namespace

/// Version 0.1 had an attribute of its own for each number.
static LogicalResult joinNumbers(Operation *top) {
  auto take = [](Operation *op, StringRef name) {
    return dyn_cast_or_null<IntegerAttr>(op->removeDiscardableAttr(name));
  };
  top->walk([&](Operation *op) {
    IntegerAttr depth = take(op, "stage.depth"),
                ahead = take(op, "stage.ahead");
    if (depth)
      op->setDiscardableAttr(
          kDecidedAttr,
          SlotsAttr::get(op->getContext(), depth.getInt(),
                         ahead ? std::optional(ahead.getInt()) : std::nullopt));
    for (bool first : {true, false})
      if (IntegerAttr number = take(op, first ? "stage.first" : "stage.again"))
        op->setDiscardableAttr(
            kDecidedAttr,
            CloneAttr::get(op->getContext(), number.getInt(), first));
  });
  return success();
}

/// Version 0.2 had an attribute of its own for each kind of decision.
static LogicalResult joinDecisions(Operation *top) {
  top->walk([](Operation *op) {
    for (StringRef kind : {"home", "slots", "clone"})
      if (Attribute value = op->removeDiscardableAttr(("stage." + kind).str()))
        op->setDiscardableAttr(kDecidedAttr, value);
  });
  return success();
}

/// What files of older versions have otherwise.
static constexpr kiln::DialectUpgrade kUpgrades[] = {{2, joinNumbers},
                                                     {3, joinDecisions}};

void StageDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerStorageOps();
  registerComputeOps();
  registerCopyOps();
  registerRingOps();
  registerProductOps();
  attachStorageModels(getContext());
  addInterfaces<StageFolds>();
  addInterface<kiln::VersionedBytecode>(
      ArrayRef<kiln::DialectUpgrade>(kUpgrades));
}

/// Attributes that operations have beside those of their definitions.
static constexpr kiln::KnownAttribute kKnownAttributes[] = {
    {kDecidedAttr, kiln::AttributeRole::Decision},
};

LogicalResult StageDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  if (failed(kiln::verifyKnownAttribute(op, attribute, kKnownAttributes)))
    return failure();
  Attribute value = attribute.getValue();
  if (!isa<HomeAttr, CloneAttr, SlotsAttr>(value) ||
      (isa<SlotsAttr>(value) && !isa<scf::ForOp>(op)))
    return op->emitOpError()
           << "expected '" << kDecidedAttr
           << "' to be '#stage.home', '#stage.clone', or '#stage.slots' on "
              "'scf.for', found "
           << value;
  return success();
}

LogicalResult StageDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned argument,
                                                     NamedAttribute attribute) {
  return kiln::refuseAttribute(op, "argument", argument, attribute);
}

LogicalResult StageDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  return kiln::refuseAttribute(op, "result", result, attribute);
}

void StageDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "kiln/Dialect/Stage/StageTypes.cpp.inc"
      >();
}

void StageDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Dialect/Stage/StageAttrs.cpp.inc"
      >();
}

LogicalResult FutureType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 RankedTensorType payload) {
  if (!payload.hasStaticShape() || !payload.getEncoding())
    return emitError() << "expected a future of a tile of static shape with an "
                          "encoding, found "
                       << payload;
  return success();
}

LogicalResult SlotsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t count, std::optional<int64_t> ahead) {
  // (C1) Slots that are filled, and one that is read.
  if (count < 1 || (ahead && (*ahead < 0 || *ahead >= count)))
    return emitError() << "expected at least 1 slot, and fewer that are filled "
                          "ahead, found "
                       << count << " and " << ahead.value_or(count - 1);
  return success();
}

Attribute CloneAttr::parse(AsmParser &parser, Type) {
  int64_t number = 0;
  bool first = false;
  if (parser.parseLess() || parser.parseInteger(number))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("first"))
      return {};
    first = true;
  }
  return parser.parseGreater()
             ? Attribute()
             : CloneAttr::get(parser.getContext(), number, first);
}

void CloneAttr::print(AsmPrinter &printer) const {
  printer << '<' << getNumber() << (getFirst() ? ", first>" : ">");
}

LogicalResult StreamAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t bytes, bool) {
  if (bytes < 1)
    return emitError() << "expected a positive number of bytes, found "
                       << bytes;
  return success();
}

//===----------------------------------------------------------------------===//
// Ring type
//===----------------------------------------------------------------------===//

Type RingType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t depth = 0;
  SmallVector<MemRefType> parts;
  if (parser.parseLess() || parser.parseInteger(depth) ||
      parser.parseKeyword("x") ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren,
          [&] { return parser.parseType(parts.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<RingType>(loc, parser.getContext(), depth, parts);
}

void RingType::print(AsmPrinter &printer) const {
  printer << '<' << getDepth() << " x (";
  llvm::interleaveComma(getParts(), printer);
  printer << ")>";
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t depth, ArrayRef<MemRefType> parts) {
  if (depth < 1)
    return emitError() << "expected a ring of at least 1 slot, found " << depth;
  if (parts.empty())
    return emitError() << "expected a slot of at least one part";
  for (MemRefType part : parts)
    if (!part.hasStaticShape())
      return emitError() << "expected parts of static shape, found " << part;
  return success();
}
