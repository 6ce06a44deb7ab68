//===- PointerOps.cpp - pointers and memory -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//

#include "kiln/Dialect/Effects.h"
#include "kiln/Dialect/Triton/Triton.h"

using namespace mlir;
using namespace kiln::tt;

#define GET_OP_CLASSES
#include "kiln/Dialect/Triton/TritonPointerOps.cpp.inc"

void TritonDialect::registerPointerOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Triton/TritonPointerOps.cpp.inc"
      >();
}

void LoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

void StoreOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable());
}

void AtomicRMWOp::getEffects(Effects &effects) { addReadWrite(effects); }
void AtomicCASOp::getEffects(Effects &effects) { addReadWrite(effects); }
void AtomicPollOp::getEffects(Effects &effects) { addReadWrite(effects); }

/// The type behind a pointer, a tensor of pointers or a block pointer.
static Type getPointee(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(
        cast<PointerType>(tensor.getElementType()).getPointeeType());
  return cast<PointerType>(type).getPointeeType();
}

/// The type like `type` with elements of i1.
static Type getMaskType(Type type) {
  Type i1 = IntegerType::get(type.getContext(), 1);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(i1);
  return i1;
}

/// The pointer type that an access of `type` names: older dumps print the type
/// of the value instead of that of the pointers.
static Type getPointerType(Type type) {
  if (isa<PointerType>(getElementTypeOrSelf(type)))
    return type;
  MLIRContext *context = type.getContext();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(PointerType::get(context, tensor.getElementType(), 1));
  return PointerType::get(context, type, 1);
}

/// Parses `cacheModifier = x` and `evictionPolicy = y` in any order.
static ParseResult parseHints(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  auto parseEnum = [&](StringRef name, auto symbolize) -> ParseResult {
    StringRef keyword;
    SMLoc location = parser.getCurrentLocation();
    if (parser.parseEqual() || parser.parseKeyword(&keyword))
      return failure();
    auto value = symbolize(keyword);
    if (!value)
      return parser.emitError(location, "unknown value '")
             << keyword << "' of " << name;
    result.addAttribute(
        name, builder.getI32IntegerAttr(static_cast<int32_t>(*value)));
    return success();
  };
  while (true) {
    if (succeeded(parser.parseOptionalKeyword("cacheModifier"))) {
      if (parseEnum("cache", [](StringRef text) {
            return symbolizeCacheModifier(text);
          }))
        return failure();
    } else if (succeeded(parser.parseOptionalKeyword("evictionPolicy"))) {
      if (parseEnum("evict", [](StringRef text) {
            return symbolizeEvictionPolicy(text);
          }))
        return failure();
    } else {
      return success();
    }
  }
}

/// Dumps carry enumerations as i32 attributes of the dictionary; turns them
/// into the attributes of the definitions and rejects numbers that mean
/// nothing.
static ParseResult normaliseEnums(OpAsmParser &parser, OperationState &result,
                                  SMLoc location) {
  MLIRContext *context = parser.getContext();
  auto normalise = [&](StringRef name, auto make) -> ParseResult {
    Attribute attribute = result.attributes.get(name);
    if (!attribute)
      return success();
    auto integer = dyn_cast<IntegerAttr>(attribute);
    Attribute typed = integer ? make(integer.getInt()) : Attribute();
    if (!typed)
      return parser.emitError(location, "unknown value of attribute '")
             << name << "': " << attribute;
    result.attributes.set(name, typed);
    return success();
  };
  if (normalise("cache", [&](int64_t value) -> Attribute {
        auto known = symbolizeCacheModifier(value);
        return known ? CacheModifierAttr::get(context, *known) : Attribute();
      }))
    return failure();
  if (normalise("evict", [&](int64_t value) -> Attribute {
        auto known = symbolizeEvictionPolicy(value);
        return known ? EvictionPolicyAttr::get(context, *known) : Attribute();
      }))
    return failure();
  return normalise("padding", [&](int64_t value) -> Attribute {
    auto known = symbolizePaddingOption(value);
    return known ? PaddingOptionAttr::get(context, *known) : Attribute();
  });
}

static void printHints(OpAsmPrinter &printer, CacheModifier cache,
                       EvictionPolicy evict) {
  if (cache != CacheModifier::none)
    printer << " cacheModifier = " << stringifyCacheModifier(cache);
  if (evict != EvictionPolicy::evict_normal)
    printer << " evictionPolicy = " << stringifyEvictionPolicy(evict);
}

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseOperandList(operands) || parseHints(parser, result) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  if (operands.empty() || operands.size() > 3)
    return parser.emitError(location, "expected one to three operands");
  type = getPointerType(type);
  Type value = getPointee(type);
  SmallVector<Type> types = {type, getMaskType(value), value};
  types.resize(operands.size());
  if (parser.resolveOperands(operands, types, location, result.operands) ||
      normaliseEnums(parser, result, location))
    return failure();
  size_t count = operands.size();
  result.attributes.erase("operandSegmentSizes");
  result.getOrAddProperties<LoadOp::Properties>().operandSegmentSizes = {
      1, count > 1, count > 2};
  result.addTypes(value);
  return success();
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printOperands(getOperands());
  printHints(printer, getCache(), getEvict());
  SmallVector<StringRef> elided = {"operandSegmentSizes", "cache", "evict"};
  if (getBoundaryCheck().empty())
    elided.push_back("boundaryCheck");
  if (!getIsVolatile())
    elided.push_back("isVolatile");
  printer.printOptionalAttrDict((*this)->getAttrs(), elided);
  printer << " : " << getPtr().getType();
}

LogicalResult LoadOp::verify() {
  Type value = getPointee(getPtr().getType());
  if (getResult().getType() != value)
    return emitOpError("expected a result of type ")
           << value << ", found " << getResult().getType();
  if (getMask() && getMask().getType() != getMaskType(value))
    return emitOpError("expected a mask of type ")
           << getMaskType(value) << ", found " << getMask().getType();
  if (getOther() && getOther().getType() != value)
    return emitOpError("expected another value of type ")
           << value << ", found " << getOther().getType();
  return success();
}

ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseOperandList(operands) || parseHints(parser, result) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  if (operands.size() < 2 || operands.size() > 3)
    return parser.emitError(location, "expected two or three operands");
  type = getPointerType(type);
  Type value = getPointee(type);
  SmallVector<Type> types = {type, value, getMaskType(value)};
  types.resize(operands.size());
  return failure(
      parser.resolveOperands(operands, types, location, result.operands) ||
      normaliseEnums(parser, result, location));
}

void StoreOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printOperands(getOperands());
  printHints(printer, getCache(), getEvict());
  SmallVector<StringRef> elided = {"cache", "evict"};
  if (getBoundaryCheck().empty())
    elided.push_back("boundaryCheck");
  printer.printOptionalAttrDict((*this)->getAttrs(), elided);
  printer << " : " << getPtr().getType();
}

LogicalResult StoreOp::verify() {
  Type value = getPointee(getPtr().getType());
  if (getValue().getType() != value)
    return emitOpError("expected a value of type ")
           << value << ", found " << getValue().getType();
  if (getMask() && getMask().getType() != getMaskType(value))
    return emitOpError("expected a mask of type ")
           << getMaskType(value) << ", found " << getMask().getType();
  return success();
}

ParseResult MakeTensorPtrOp::parse(OpAsmParser &parser,
                                   OperationState &result) {
  OpAsmParser::UnresolvedOperand base;
  SmallVector<OpAsmParser::UnresolvedOperand> shape, strides, offsets;
  PointerType type;
  SMLoc location = parser.getCurrentLocation();
  auto list = [&](auto &operands) -> ParseResult {
    return failure(
        parser.parseComma() ||
        parser.parseOperandList(operands, OpAsmParser::Delimiter::Square));
  };
  Builder &builder = parser.getBuilder();
  if (parser.parseOperand(base) || list(shape) || list(strides) ||
      list(offsets) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColon() || parser.parseCustomTypeWithFallback(type))
    return failure();
  auto block = dyn_cast<RankedTensorType>(type.getPointeeType());
  if (!block)
    return parser.emitError(location, "expected a pointer to a tensor");
  auto rank = static_cast<size_t>(block.getRank());
  if (shape.size() != rank || strides.size() != rank || offsets.size() != rank)
    return parser.emitError(location, "expected ")
           << rank << " sizes, strides and offsets";
  Type basePtr = PointerType::get(parser.getContext(), block.getElementType(),
                                  type.getAddressSpace());
  result.addTypes(type);
  return failure(
      parser.resolveOperand(base, basePtr, result.operands) ||
      parser.resolveOperands(shape, builder.getI64Type(), result.operands) ||
      parser.resolveOperands(strides, builder.getI64Type(), result.operands) ||
      parser.resolveOperands(offsets, builder.getI32Type(), result.operands));
}

void MakeTensorPtrOp::print(OpAsmPrinter &printer) {
  printer << " " << getBase() << ", [" << getShape() << "], [" << getStrides()
          << "], [" << getOffsets() << "]";
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getResult().getType();
}
