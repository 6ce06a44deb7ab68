//===- AtomicOps.cpp - Atomic accesses ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Effects.h"
#include "kiln/Interfaces/PointerAccess.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/AtomicOps.cpp.inc"

namespace {

/// An update, whose order says what it releases.
template <typename Self, typename OpT>
struct UpdateModel : PointerAccessOpInterface::ExternalModel<Self, OpT> {
  Value getAccessedPointers(Operation *op) const {
    return cast<OpT>(op).getPtr();
  }
  AccessKind getAccessKind(Operation *) const { return AccessKind::Update; }
  bool isRelease(Operation *op) const {
    MemoryOrder order = cast<OpT>(op).getOrder();
    return order == MemoryOrder::release || order == MemoryOrder::acq_rel;
  }
};

struct CombineModel : UpdateModel<CombineModel, AtomicRMWOp> {
  Value getAccessMask(Operation *op) const {
    return cast<AtomicRMWOp>(op).getMask();
  }
  Value getStoredElements(Operation *op) const {
    return cast<AtomicRMWOp>(op).getValue();
  }
};

struct ExchangeModel : UpdateModel<ExchangeModel, AtomicCASOp> {};

} // namespace

void TileDialect::registerAtomicOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/AtomicOps.cpp.inc"
      >();
  AtomicRMWOp::attachInterface<CombineModel>(*getContext());
  AtomicCASOp::attachInterface<ExchangeModel>(*getContext());
}

void AtomicRMWOp::getEffects(Effects &effects) { addReadWrite(effects); }
void AtomicCASOp::getEffects(Effects &effects) { addReadWrite(effects); }

/// `type` with its element type (or itself, a scalar) replaced.
static Type withElement(Type type, Type element) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return tile.clone(element);
  return element;
}

/// Checks that `ptr` points to elements of `value`'s type, lane by lane.
static LogicalResult verifyAccess(Operation *op, Type ptr, Type value) {
  auto pointer = cast<PtrType>(getElementTypeOrSelf(ptr));
  Type expected = withElement(ptr, pointer.getElementType());
  if (!isSameTile(value, expected))
    return op->emitOpError()
           << "expected values of type " << expected << ", found " << value;
  return success();
}

LogicalResult AtomicRMWOp::verify() {
  // (C1) Pointers and values agree, and the result is like the value.
  Type value = getValue().getType();
  if (failed(verifyAccess(*this, getPtr().getType(), value)))
    return failure();
  if (getResult().getType() != value)
    return emitOpError() << "expected a result of type " << value << ", found "
                         << getResult().getType();
  // (C2) The mask has one bit for every pointer.
  Type mask = withElement(value, IntegerType::get(getContext(), 1));
  if (getMask() && getMask().getType() != mask)
    return emitOpError() << "expected a mask of type " << mask << ", found "
                         << getMask().getType();
  // (C3) fadd is for floats; bit operations, add and unsigned kinds for
  // integers.
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value));
  AtomicKind kind = getKind();
  bool either = kind == AtomicKind::exchange || kind == AtomicKind::max ||
                kind == AtomicKind::min;
  if (!either && isFloat != (kind == AtomicKind::fadd))
    return emitOpError() << "expected "
                         << (isFloat ? "an integer type" : "a float type")
                         << " for this kind, found " << value;
  return success();
}

LogicalResult AtomicCASOp::verify() {
  Type value = getValue().getType();
  if (failed(verifyAccess(*this, getPtr().getType(), value)))
    return failure();
  if (getCompare().getType() != value || getResult().getType() != value)
    return emitOpError() << "expected comparison and result of type " << value;
  return success();
}

template <typename EnumT, typename SymbolizeT>
static ParseResult parseEnum(OpAsmParser &parser, SymbolizeT symbolize,
                             StringRef what, EnumT &value) {
  StringRef keyword;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<EnumT> known = symbolize(keyword);
  if (!known)
    return parser.emitError(location, "unknown ")
           << what << " '" << keyword << "'";
  value = *known;
  return success();
}

static ParseResult parseOrderAndScope(OpAsmParser &parser,
                                      OperationState &result) {
  MemoryOrder order;
  MemoryScope scope;
  if (parseEnum(
          parser, [](StringRef text) { return symbolizeMemoryOrder(text); },
          "memory order", order) ||
      parseEnum(
          parser, [](StringRef text) { return symbolizeMemoryScope(text); },
          "memory scope", scope))
    return failure();
  result.addAttribute("order",
                      MemoryOrderAttr::get(parser.getContext(), order));
  result.addAttribute("scope",
                      MemoryScopeAttr::get(parser.getContext(), scope));
  return success();
}

ParseResult AtomicRMWOp::parse(OpAsmParser &parser, OperationState &result) {
  AtomicKind kind;
  OpAsmParser::UnresolvedOperand ptr, value, mask;
  if (parseEnum(
          parser, [](StringRef text) { return symbolizeAtomicKind(text); },
          "atomic kind", kind) ||
      parseOrderAndScope(parser, result) || parser.parseOperand(ptr) ||
      parser.parseComma() || parser.parseOperand(value))
    return failure();
  bool hasMask = succeeded(parser.parseOptionalKeyword("mask"));
  if (hasMask && parser.parseOperand(mask))
    return failure();
  Type ptrType, type;
  result.addAttribute("kind", AtomicKindAttr::get(parser.getContext(), kind));
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(ptrType) || parser.parseComma() ||
      parser.parseType(type) ||
      parser.resolveOperand(ptr, ptrType, result.operands) ||
      parser.resolveOperand(value, type, result.operands))
    return failure();
  result.addTypes(type);
  if (!hasMask)
    return success();
  return parser.resolveOperand(
      mask, withElement(type, parser.getBuilder().getI1Type()),
      result.operands);
}

void AtomicRMWOp::print(OpAsmPrinter &printer) {
  printer << " " << stringifyAtomicKind(getKind()) << " "
          << stringifyMemoryOrder(getOrder()) << " "
          << stringifyMemoryScope(getScope()) << " " << getPtr() << ", "
          << getValue();
  if (getMask())
    printer << " mask " << getMask();
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"kind", "order", "scope"});
  printer << " : " << getPtr().getType() << ", " << getValue().getType();
}

ParseResult AtomicCASOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand ptr, compare, value;
  Type ptrType, type;
  if (parseOrderAndScope(parser, result) || parser.parseOperand(ptr) ||
      parser.parseComma() || parser.parseOperand(compare) ||
      parser.parseComma() || parser.parseOperand(value) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(ptrType) || parser.parseComma() ||
      parser.parseType(type))
    return failure();
  result.addTypes(type);
  return failure(parser.resolveOperand(ptr, ptrType, result.operands) ||
                 parser.resolveOperand(compare, type, result.operands) ||
                 parser.resolveOperand(value, type, result.operands));
}

void AtomicCASOp::print(OpAsmPrinter &printer) {
  printer << " " << stringifyMemoryOrder(getOrder()) << " "
          << stringifyMemoryScope(getScope()) << " " << getPtr() << ", "
          << getCompare() << ", " << getValue();
  printer.printOptionalAttrDict((*this)->getAttrs(), {"order", "scope"});
  printer << " : " << getPtr().getType() << ", " << getValue().getType();
}
