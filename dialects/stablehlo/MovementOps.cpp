//===- MovementOps.cpp - operations that make or move elements ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Text.h"

using namespace mlir;
using namespace kiln::stablehlo;

/// [0:4, 2:8:3]
static ParseResult parseSliceRanges(OpAsmParser &parser,
                                    DenseI64ArrayAttr &starts,
                                    DenseI64ArrayAttr &limits,
                                    DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> from, to, by;
  auto range = [&]() -> ParseResult {
    by.push_back(1);
    if (parser.parseInteger(from.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(to.emplace_back()))
      return failure();
    return succeeded(parser.parseOptionalColon())
               ? parser.parseInteger(by.back())
               : success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, range))
    return failure();
  Builder &builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(from);
  limits = builder.getDenseI64ArrayAttr(to);
  strides = builder.getDenseI64ArrayAttr(by);
  return success();
}

static void printSliceRanges(OpAsmPrinter &printer, Operation *,
                             ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                             ArrayRef<int64_t> strides) {
  printer << "[";
  llvm::interleaveComma(llvm::zip_first(starts, limits, strides), printer,
                        [&](auto range) {
                          auto [start, limit, stride] = range;
                          printer << start << ":" << limit;
                          if (stride != 1)
                            printer << ":" << stride;
                        });
  printer << "]";
}

/// A number alone, or the generic form, whose result may have another type.
ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  ElementsAttr value;
  if (succeeded(parser.parseOptionalLParen())) {
    FunctionType function;
    SMLoc location = parser.getCurrentLocation();
    if (parser.parseRParen())
      return failure();
    if (succeeded(parser.parseOptionalLess())) {
      if (parser.parseAttribute(result.propertiesAttr) || parser.parseGreater())
        return failure();
    }
    if (parser.parseOptionalAttrDict(result.attributes) ||
        parser.parseColonType(function))
      return failure();
    if (function.getNumInputs() != 0 || function.getNumResults() != 1)
      return parser.emitError(location, "expected no operands and one result");
    result.addTypes(function.getResults());
    return success();
  }
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value, "value", result.attributes))
    return failure();
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  bool same = getValue().getType() == getType();
  if (!same)
    printer << "()";
  SmallVector<StringRef, 1> elided;
  if (same)
    elided.push_back("value");
  printer.printOptionalAttrDict((*this)->getAttrs(), elided);
  if (same)
    printer << " " << getValue();
  else
    printer << " : () -> " << getType();
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloMovementOps.cpp.inc"

void StablehloDialect::registerMovementOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Stablehlo/StablehloMovementOps.cpp.inc"
      >();
}
