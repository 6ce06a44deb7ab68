//===- StageDialect.cpp - The dialect, its types and attributes -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

void StageDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerStorageOps();
  registerComputeOps();
  registerCopyOps();
  registerRingOps();
  registerProductOps();
  addInterfaces<StageFolds, kiln::VersionedBytecode>();
}

/// Attributes that operations have beside those of their definitions.
static constexpr kiln::KnownAttribute kKnownAttributes[] = {
    {kFirstAttr, kiln::AttributeRole::Decision},
    {kAgainAttr, kiln::AttributeRole::Decision},
    {kDepthAttr, kiln::AttributeRole::Decision},
    {kAheadAttr, kiln::AttributeRole::Decision},
    // Staging
    {"stage.home", kiln::AttributeRole::Decision},
};

LogicalResult StageDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  return kiln::verifyKnownAttribute(op, attribute, kKnownAttributes);
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
