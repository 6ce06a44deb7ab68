//===- ComputeOps.cpp - arithmetic and products ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//

#include "kiln/Dialect/Effects.h"
#include "kiln/Dialect/Triton/Triton.h"

using namespace mlir;
using namespace kiln::tt;

#define GET_OP_CLASSES
#include "kiln/Dialect/Triton/TritonComputeOps.cpp.inc"

void TritonDialect::registerComputeOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Triton/TritonComputeOps.cpp.inc"
      >();
}

void ExternElementwiseOp::getEffects(Effects &effects) {
  addCallEffects(getPure(), effects);
}

void ElementwiseInlineAsmOp::getEffects(Effects &effects) {
  addCallEffects(getPure(), effects);
}

LogicalResult DotScaledOp::verify() {
  int64_t rank = getC().getType().getRank();
  if (rank != 2 && rank != 3)
    return emitOpError("expected tensors of rank 2 or 3, found ")
           << getC().getType();
  for (Value operand : getOperands())
    if (cast<RankedTensorType>(operand.getType()).getRank() != rank)
      return emitOpError("expected tensors of rank ")
             << rank << ", found " << operand.getType();
  auto check = [&](Value operand, ScaleDotElemType kind) -> LogicalResult {
    bool isPacked = kind == ScaleDotElemType::e2m1 ||
                    kind == ScaleDotElemType::e2m3 ||
                    kind == ScaleDotElemType::e3m2;
    if (isPacked && !getElementTypeOrSelf(operand.getType()).isInteger(8))
      return emitOpError("expected bytes of ")
             << stringifyScaleDotElemType(kind) << ", found "
             << operand.getType();
    return success();
  };
  return failure(failed(check(getA(), getAElemType())) ||
                 failed(check(getB(), getBElemType())));
}

ParseResult HistogramOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc location = parser.getCurrentLocation();
  RankedTensorType source, counts;
  if (parser.parseOperandList(operands) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(source) || parser.parseArrow() ||
      parser.parseType(counts))
    return failure();
  if (operands.empty() || operands.size() > 2)
    return parser.emitError(location, "expected one or two operands");
  SmallVector<Type> types = {source,
                             source.clone(parser.getBuilder().getI1Type())};
  types.resize(operands.size());
  result.addTypes(counts);
  return parser.resolveOperands(operands, types, location, result.operands);
}

void HistogramOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printOperands(getOperands());
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getSrc().getType() << " -> " << getResult().getType();
}
