//===- DescriptorOps.cpp - tensor descriptors -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//

#include "kiln/Dialect/Effects.h"
#include "kiln/Dialect/Triton/Triton.h"

using namespace mlir;
using namespace kiln::tt;

#define GET_OP_CLASSES
#include "kiln/Dialect/Triton/TritonDescriptorOps.cpp.inc"

void TritonDialect::registerDescriptorOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Triton/TritonDescriptorOps.cpp.inc"
      >();
}

void DescriptorLoadOp::getEffects(Effects &effects) { addRead(effects); }
void DescriptorGatherOp::getEffects(Effects &effects) { addRead(effects); }
void ExperimentalDescriptorLoadOp::getEffects(Effects &effects) {
  addRead(effects);
}
void DescriptorStoreOp::getEffects(Effects &effects) { addWrite(effects); }
void DescriptorScatterOp::getEffects(Effects &effects) { addWrite(effects); }
void ExperimentalDescriptorStoreOp::getEffects(Effects &effects) {
  addWrite(effects);
}
void DescriptorReduceOp::getEffects(Effects &effects) { addReadWrite(effects); }

/// `%base, [sizes], [strides] {...} : <f16>, <tensor<64x32xf16>>`
static ParseResult parseMakeDescriptor(OpAsmParser &parser,
                                       OperationState &result,
                                       SmallVectorImpl<int32_t> &segments) {
  OpAsmParser::UnresolvedOperand base;
  SmallVector<OpAsmParser::UnresolvedOperand> shape, strides;
  PointerType pointer;
  TensorDescType type;
  Builder &builder = parser.getBuilder();
  if (parser.parseOperand(base) || parser.parseComma() ||
      parser.parseOperandList(shape, OpAsmParser::Delimiter::Square) ||
      parser.parseComma() ||
      parser.parseOperandList(strides, OpAsmParser::Delimiter::Square) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseCustomTypeWithFallback(pointer) || parser.parseComma() ||
      parser.parseCustomTypeWithFallback(type))
    return failure();
  segments.assign({1, static_cast<int32_t>(shape.size()),
                   static_cast<int32_t>(strides.size())});
  result.addTypes(type);
  return failure(
      parser.resolveOperand(base, pointer, result.operands) ||
      parser.resolveOperands(shape, builder.getI32Type(), result.operands) ||
      parser.resolveOperands(strides, builder.getI64Type(), result.operands));
}

template <typename OpT>
static void printMakeDescriptor(OpAsmPrinter &printer, OpT op) {
  printer << " " << op.getBase() << ", [" << op.getShape() << "], ["
          << op.getStrides() << "]";
  printer.printOptionalAttrDict(op->getAttrs(), {"operandSegmentSizes"});
  printer << " : " << op.getBase().getType() << ", "
          << op.getResult().getType();
}

ParseResult MakeTensorDescOp::parse(OpAsmParser &parser,
                                    OperationState &result) {
  SmallVector<int32_t> segments;
  SMLoc location = parser.getCurrentLocation();
  if (parseMakeDescriptor(parser, result, segments))
    return failure();
  if (Attribute padding = result.attributes.get("padding")) {
    auto integer = dyn_cast<IntegerAttr>(padding);
    auto known = integer ? symbolizePaddingOption(integer.getInt())
                         : std::optional<PaddingOption>();
    if (!known)
      return parser.emitError(location, "unknown value of attribute 'padding'");
    result.attributes.set("padding",
                          PaddingOptionAttr::get(parser.getContext(), *known));
  }
  llvm::copy(segments, result.getOrAddProperties<MakeTensorDescOp::Properties>()
                           .operandSegmentSizes.begin());
  return success();
}

void MakeTensorDescOp::print(OpAsmPrinter &printer) {
  printMakeDescriptor(printer, *this);
}

ParseResult ExperimentalMakeTensorDescOp::parse(OpAsmParser &parser,
                                                OperationState &result) {
  SmallVector<int32_t> segments;
  if (parseMakeDescriptor(parser, result, segments))
    return failure();
  llvm::copy(
      segments,
      result.getOrAddProperties<ExperimentalMakeTensorDescOp::Properties>()
          .operandSegmentSizes.begin());
  return success();
}

void ExperimentalMakeTensorDescOp::print(OpAsmPrinter &printer) {
  printMakeDescriptor(printer, *this);
}
