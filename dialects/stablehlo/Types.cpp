//===- Types.cpp - types in the text of stablehlo -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Text.h"

using namespace mlir;

namespace kiln::stablehlo {

/// What a type in the place of all types turned out to be: a function type is
/// spread over `types`.
static ParseResult spread(OpAsmParser &parser, SMLoc location,
                          FunctionType function, ArrayRef<Type *> types) {
  size_t inputs = types.size() - 1;
  if (function.getNumInputs() != inputs || function.getNumResults() != 1)
    return parser.emitError(location, "expected ")
           << inputs << " operand types and one result type";
  for (size_t i = 0; i < inputs; ++i)
    *types[i] = function.getInput(i);
  *types[inputs] = function.getResult(0);
  return success();
}

ParseResult parseTypes(OpAsmParser &parser, ArrayRef<Type *> types) {
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return spread(parser, location, function, types);
  for (Type *each : types)
    *each = type;
  return success();
}

void printTypes(OpAsmPrinter &printer, ArrayRef<Type> types) {
  if (llvm::all_equal(types))
    printer << types.back();
  else
    printer.printFunctionalType(types.drop_back(), types.take_back());
}

ParseResult parseVariadicSameType(OpAsmParser &parser, Operands &operands,
                                  SmallVectorImpl<Type> &types, Type &result) {
  types.resize(operands.size());
  SmallVector<Type *> all;
  for (Type &type : types)
    all.push_back(&type);
  all.push_back(&result);
  return parseTypes(parser, all);
}

void printVariadicSameType(OpAsmPrinter &printer, Operation *, ValueRange,
                           TypeRange types, Type result) {
  SmallVector<Type> all(types);
  all.push_back(result);
  printTypes(printer, all);
}

ParseResult parsePairwiseTypes(OpAsmParser &parser,
                               SmallVectorImpl<Type> &operands,
                               SmallVectorImpl<Type> &results) {
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseTypeList(operands))
    return failure();
  // Generic text writes a function type here.
  auto function = operands.size() == 1 ? dyn_cast<FunctionType>(operands[0])
                                       : FunctionType();
  if (!function) {
    results.assign(operands.begin(), operands.end());
    return success();
  }
  if (function.getNumInputs() != function.getNumResults())
    return parser.emitError(location, "expected as many results as operands");
  operands.assign(function.getInputs().begin(), function.getInputs().end());
  results.assign(function.getResults().begin(), function.getResults().end());
  return success();
}

void printPairwiseTypes(OpAsmPrinter &printer, Operation *, TypeRange operands,
                        TypeRange results) {
  llvm::interleaveComma(results, printer);
}

ParseResult parseTupleType(OpAsmParser &parser, SmallVectorImpl<Type> &operands,
                           Type &result) {
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type)) {
    operands.assign(function.getInputs().begin(), function.getInputs().end());
    if (function.getNumResults() != 1)
      return parser.emitError(location, "expected one result type");
    result = function.getResult(0);
    return success();
  }
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return parser.emitError(location, "expected a tuple type");
  operands.assign(tuple.begin(), tuple.end());
  result = tuple;
  return success();
}

void printTupleType(OpAsmPrinter &printer, Operation *, TypeRange,
                    Type result) {
  printer << result;
}

ParseResult parseComplexType(OpAsmParser &parser, Type &lhs, Type &rhs,
                             Type &result) {
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return spread(parser, location, function, {&lhs, &rhs, &result});
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto element =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  if (!element)
    return parser.emitError(location, "expected a tensor of complex numbers");
  lhs = rhs = tensor.clone(element.getElementType());
  result = tensor;
  return success();
}

void printComplexType(OpAsmPrinter &printer, Operation *, Type lhs, Type rhs,
                      Type result) {
  auto tensor = cast<RankedTensorType>(result);
  auto element = dyn_cast<ComplexType>(tensor.getElementType());
  if (element && lhs == rhs && lhs == tensor.clone(element.getElementType()))
    printer << result;
  else
    printer.printFunctionalType(ArrayRef<Type>{lhs, rhs},
                                ArrayRef<Type>{result});
}

ParseResult parseSelectType(OpAsmParser &parser, Type &pred, Type &yes,
                            Type &no, Type &result) {
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return spread(parser, location, function, {&pred, &yes, &no, &result});
  pred = type;
  if (parser.parseComma() || parser.parseType(result))
    return failure();
  yes = no = result;
  return success();
}

void printSelectType(OpAsmPrinter &printer, Operation *, Type pred, Type yes,
                     Type no, Type result) {
  if (yes == no && yes == result)
    printer << pred << ", " << result;
  else
    printer.printFunctionalType(ArrayRef<Type>{pred, yes, no},
                                ArrayRef<Type>{result});
}

ParseResult parseOperandsThenAttribute(OpAsmParser &parser,
                                       Operands &operands) {
  for (;;) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value())
      return success();
    if (failed(*parsed) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

void printOperandsThenAttribute(OpAsmPrinter &printer, Operation *,
                                OperandRange operands) {
  llvm::interleave(
      operands, [&](Value operand) { printer << operand << ","; },
      [&] { printer << " "; });
}

LogicalResult verifyArguments(Operation *op, Region &region, size_t count) {
  if (region.getNumArguments() != count)
    return op->emitOpError("expected a region of ")
           << count << " arguments, found " << region.getNumArguments();
  return success();
}

} // namespace kiln::stablehlo
