//===- PointerOps.cpp - Pointers and tiles of pointers --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Interfaces/PointerAccess.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/PointerOps.cpp.inc"

namespace {

/// The access of an operation with operands `ptr` and `mask`.
template <typename Self, typename OpT, AccessKind kind>
struct PointerModel : PointerAccessOpInterface::ExternalModel<Self, OpT> {
  Value getAccessedPointers(Operation *op) const {
    return cast<OpT>(op).getPtr();
  }
  AccessKind getAccessKind(Operation *) const { return kind; }
  Value getAccessMask(Operation *op) const { return cast<OpT>(op).getMask(); }
};

struct LoadModel : PointerModel<LoadModel, LoadPtrOp, AccessKind::Read> {
  Value getDisabledValue(Operation *op) const {
    return cast<LoadPtrOp>(op).getOther();
  }
  bool isVolatileAccess(Operation *op) const {
    return cast<LoadPtrOp>(op).getIsVolatile();
  }
};

struct StoreModel : PointerModel<StoreModel, StorePtrOp, AccessKind::Write> {
  Value getStoredElements(Operation *op) const {
    return cast<StorePtrOp>(op).getValue();
  }
};

} // namespace

void TileDialect::registerPointerOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/PointerOps.cpp.inc"
      >();
  LoadPtrOp::attachInterface<LoadModel>(*getContext());
  StorePtrOp::attachInterface<StoreModel>(*getContext());
}

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

void LoadPtrOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable());
}

void StorePtrOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable());
}

/// `type` with its element type (or itself, a scalar) replaced.
static Type withElement(Type type, Type element) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return tile.clone(element);
  return element;
}

static Type getPointee(Type type) {
  return withElement(
      type, cast<PtrType>(getElementTypeOrSelf(type)).getElementType());
}

static Type getMaskType(Type type) {
  return withElement(type, IntegerType::get(type.getContext(), 1));
}

/// Checks that both are scalars or tiles of one shape.
static LogicalResult verifySameShape(Operation *op, Type first, Type second) {
  auto a = dyn_cast<RankedTensorType>(first);
  auto b = dyn_cast<RankedTensorType>(second);
  if (static_cast<bool>(a) != static_cast<bool>(b) ||
      (a && a.getShape() != b.getShape()))
    return op->emitOpError()
           << "expected one shape, found " << first << " and " << second;
  return success();
}

LogicalResult PtrAddOp::verify() {
  return verifySameShape(*this, getPtr().getType(), getOffset().getType());
}
LogicalResult IntToPtrOp::verify() {
  return verifySameShape(*this, getSource().getType(), getResult().getType());
}
LogicalResult PtrToIntOp::verify() {
  return verifySameShape(*this, getSource().getType(), getResult().getType());
}
LogicalResult PtrCastOp::verify() {
  return verifySameShape(*this, getSource().getType(), getResult().getType());
}

static LogicalResult expectType(Operation *op, StringRef what, Type expected,
                                Type found) {
  if (expected == found)
    return success();
  return op->emitOpError() << "expected " << what << " of type " << expected
                           << ", found " << found;
}

LogicalResult LoadPtrOp::verify() {
  Type value = getPointee(getPtr().getType());
  // (C1) The result is what the pointers point to.
  if (!isSameTile(value, getResult().getType()))
    return expectType(*this, "a result", value, getResult().getType());
  value = getResult().getType();
  // (C2) The mask has one bit for every pointer.
  if (getMask() && failed(expectType(*this, "a mask", getMaskType(value),
                                     getMask().getType())))
    return failure();
  // (C3) The other value has the result's type, and a mask.
  if (getOther() && !getMask())
    return emitOpError() << "expected a mask beside the other value";
  if (getOther())
    return expectType(*this, "another value", value, getOther().getType());
  return success();
}

LogicalResult StorePtrOp::verify() {
  Type value = getPointee(getPtr().getType());
  // (C1) The value is what the pointers point to.
  if (!isSameTile(value, getValue().getType()))
    return expectType(*this, "a value", value, getValue().getType());
  value = getValue().getType();
  // (C2) The mask has one bit for every pointer.
  if (getMask())
    return expectType(*this, "a mask", getMaskType(value), getMask().getType());
  return success();
}

/// `name` and a hint, or nothing.
template <typename HintT, typename Symbolize, typename Make>
static ParseResult parseHint(OpAsmParser &parser, StringRef name,
                             Symbolize symbolize, Make add) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<HintT> hint = symbolize(word);
  if (!hint)
    return parser.emitError(loc, "expected a hint for '")
           << name << "', found '" << word << "'";
  add(*hint);
  return success();
}

template <typename OpT>
static ParseResult parseHints(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<typename OpT::Properties>();
  MLIRContext *context = parser.getContext();
  return failure(
      parseHint<CacheHint>(
          parser, "cache", [](StringRef w) { return symbolizeCacheHint(w); },
          [&](CacheHint hint) {
            properties.cache = CacheHintAttr::get(context, hint);
          }) ||
      parseHint<EvictHint>(
          parser, "evict", [](StringRef w) { return symbolizeEvictHint(w); },
          [&](EvictHint hint) {
            properties.evict = EvictHintAttr::get(context, hint);
          }));
}

template <typename OpT> static void printHints(OpAsmPrinter &printer, OpT op) {
  if (op.getCache() != CacheHint::none)
    printer << " cache " << stringifyCacheHint(op.getCache());
  if (op.getEvict() != EvictHint::normal)
    printer << " evict " << stringifyEvictHint(op.getEvict());
}

ParseResult LoadPtrOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand ptr, mask, other;
  bool hasMask = false, hasOther = false;
  if (parser.parseOperand(ptr))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("mask"))) {
    hasMask = true;
    if (parser.parseOperand(mask))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("other"))) {
    hasOther = true;
    if (parser.parseOperand(other))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("volatile")))
    result.addAttribute("is_volatile", parser.getBuilder().getUnitAttr());
  Type ptrType, type;
  if (parseHints<LoadPtrOp>(parser, result) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(ptrType) || parser.parseArrow() ||
      parser.parseType(type) ||
      parser.resolveOperand(ptr, ptrType, result.operands) ||
      (hasMask &&
       parser.resolveOperand(mask, getMaskType(type), result.operands)) ||
      (hasOther && parser.resolveOperand(other, type, result.operands)))
    return failure();
  result.getOrAddProperties<LoadPtrOp::Properties>().operandSegmentSizes = {
      1, hasMask, hasOther};
  result.addTypes(type);
  return success();
}

void LoadPtrOp::print(OpAsmPrinter &printer) {
  printer << " " << getPtr();
  if (getMask())
    printer << " mask " << getMask();
  if (getOther())
    printer << " other " << getOther();
  if (getIsVolatile())
    printer << " volatile";
  printHints(printer, *this);
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {"operandSegmentSizes", "is_volatile", "cache", "evict"});
  printer << " : " << getPtr().getType() << " -> " << getResult().getType();
}

ParseResult StorePtrOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand ptr, value, mask;
  bool hasMask = false;
  if (parser.parseOperand(ptr) || parser.parseComma() ||
      parser.parseOperand(value))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("mask"))) {
    hasMask = true;
    if (parser.parseOperand(mask))
      return failure();
  }
  Type ptrType, type;
  return failure(parseHints<StorePtrOp>(parser, result) ||
                 parser.parseOptionalAttrDict(result.attributes) ||
                 parser.parseColonType(ptrType) || parser.parseComma() ||
                 parser.parseType(type) ||
                 parser.resolveOperand(ptr, ptrType, result.operands) ||
                 parser.resolveOperand(value, type, result.operands) ||
                 (hasMask && parser.resolveOperand(mask, getMaskType(type),
                                                   result.operands)));
}

void StorePtrOp::print(OpAsmPrinter &printer) {
  printer << " " << getPtr() << ", " << getValue();
  if (getMask())
    printer << " mask " << getMask();
  printHints(printer, *this);
  printer.printOptionalAttrDict((*this)->getAttrs(), {"cache", "evict"});
  printer << " : " << getPtr().getType() << ", " << getValue().getType();
}
