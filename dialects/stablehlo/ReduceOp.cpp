//===- ReduceOp.cpp - the text of stablehlo.reduce ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Text.h"

using namespace mlir;
using namespace kiln::stablehlo;

using Operand = OpAsmParser::UnresolvedOperand;

/// `applies OP across dimensions = [..] : type`: the region that it stands for.
static ParseResult buildRegion(OpAsmParser &parser, OperationState &result,
                               OperationName inner) {
  SMLoc location = parser.getNameLoc();
  auto type = dyn_cast<RankedTensorType>(result.types.front());
  if (result.types.size() != 1 || !type)
    return parser.emitError(location, "expected one tensor");
  if (!inner.isRegistered() || inner.hasTrait<OpTrait::IsTerminator>() ||
      !inner.hasTrait<OpTrait::NOperands<2>::Impl>() ||
      !inner.hasTrait<OpTrait::OneResult>() ||
      !inner.hasTrait<OpTrait::ZeroRegions>() ||
      !inner.getAttributeNames().empty())
    return parser.emitError(location)
           << "'" << inner << "' cannot be applied to two elements";
  Region *region = result.addRegion();
  Block *block = new Block();
  region->push_back(block);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Location where = parser.getEncodedSourceLoc(location);
  block->addArguments({scalar, scalar}, {where, where});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToStart(block);
  OperationState state(where, inner);
  state.addOperands(block->getArguments());
  state.addTypes(Type(scalar));
  ReturnOp::create(builder, where, builder.create(state)->getResults());
  return success();
}

/// `reducer(%a: t, %b: t) (%c: u, %d: u) {...}`: pairs for each of the inputs,
/// of which the first ones come first in the region.
static ParseResult parseReducer(OpAsmParser &parser, OperationState &result,
                                size_t inputs) {
  SmallVector<OpAsmParser::Argument> left, right;
  for (size_t i = 0; i < inputs; ++i) {
    OpAsmParser::Argument a, b;
    if (parser.parseLParen() || parser.parseArgument(a, true) ||
        parser.parseComma() || parser.parseArgument(b, true) ||
        parser.parseRParen())
      return failure();
    left.push_back(a);
    right.push_back(b);
  }
  llvm::append_range(left, right);
  return parser.parseRegion(*result.addRegion(), left);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<Operand> operands, inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  size_t inputs = operands.size();
  llvm::append_range(operands, inits);
  std::optional<OperationName> inner;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    auto name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    inner = *name;
  }
  DenseI64ArrayAttr dims;
  FunctionType function;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual())
    return failure();
  dims = dyn_cast_or_null<DenseI64ArrayAttr>(
      DenseI64ArrayAttr::parse(parser, Type()));
  if (!dims || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(function) ||
      parser.resolveOperands(operands, function.getInputs(), location,
                             result.operands))
    return failure();
  result.addAttribute("dimensions", dims);
  result.addTypes(function.getResults());
  if (result.types.empty())
    return parser.emitError(location, "expected a result");
  if (inner)
    return buildRegion(parser, result, *inner);
  if (parser.parseKeyword("reducer"))
    return failure();
  return parseReducer(parser, result, inputs);
}

void ReduceOp::print(OpAsmPrinter &printer) {
  llvm::interleaveComma(llvm::zip_equal(getInputs(), getInitValues()), printer,
                        [&](auto pair) {
                          printer << "(" << std::get<0>(pair)
                                  << " init: " << std::get<1>(pair) << ")";
                        });
  printer << " across dimensions = ";
  getDimensionsAttr().print(printer);
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  printer.printNewline();
  printer << " reducer";
  size_t inputs = getInputs().size();
  for (size_t i = 0; i < inputs; ++i) {
    printer << "(";
    printer.printRegionArgument(getBody().getArgument(i));
    printer << ", ";
    printer.printRegionArgument(getBody().getArgument(inputs + i));
    printer << ") ";
  }
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult ReduceOp::verify() {
  size_t inputs = getInputs().size();
  if (inputs == 0 || getNumResults() != inputs)
    return emitOpError("expected one result for each of its inputs");
  return verifyArguments(*this, getBody(), 2 * inputs);
}
