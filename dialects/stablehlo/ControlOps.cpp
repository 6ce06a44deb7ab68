//===- ControlOps.cpp - control flow, calls, tuples and tokens ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Text.h"

#include "kiln/Interfaces/RegionSyntax.h"

using namespace mlir;
using namespace kiln::stablehlo;

/// @name or @"a name"
static ParseResult parseCustomCallTarget(OpAsmParser &parser,
                                         StringAttr &target) {
  return parser.parseSymbolName(target);
}

static void printCustomCallTarget(OpAsmPrinter &printer, Operation *,
                                  StringAttr target) {
  printer.printSymbolName(target.getValue());
}

/// `({...}, {...}) {attributes} : (types) -> types`. The regions may be left
/// out.
static ParseResult
parseCompositeEnd(OpAsmParser &parser,
                  SmallVectorImpl<std::unique_ptr<Region>> &regions,
                  NamedAttrList &attributes, SmallVectorImpl<Type> &inputs,
                  SmallVectorImpl<Type> &results) {
  auto parseOne = [&] {
    return parser.parseRegion(
        *regions.emplace_back(std::make_unique<Region>()));
  };
  auto parseAttributes = [&]() -> ParseResult {
    SMLoc at = parser.getCurrentLocation();
    OperationName name(CompositeOp::getOperationName(), parser.getContext());
    return failure(
        parser.parseOptionalAttrDict(attributes) ||
        failed(CompositeOp::verifyInherentAttrs(
            name, attributes, [&] { return parser.emitError(at); })));
  };
  FunctionType type;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalParen,
                                     parseOne) ||
      parseAttributes() || parser.parseColonType(type))
    return kiln::failBehind(llvm::map_to_vector(
        regions, [](auto &region) { return region.get(); }));
  llvm::append_range(inputs, type.getInputs());
  llvm::append_range(results, type.getResults());
  return success();
}

static void printCompositeEnd(OpAsmPrinter &printer, CompositeOp op,
                              MutableArrayRef<Region> regions,
                              DictionaryAttr attributes, TypeRange inputs,
                              TypeRange results) {
  if (!regions.empty()) {
    printer << " (";
    llvm::interleaveComma(regions, printer,
                          [&](Region &one) { printer.printRegion(one); });
    printer << ')';
  }
  SmallVector<StringRef> elided = {op.getNameAttrName()};
  if (op.getVersion() == 0)
    elided.push_back(op.getVersionAttrName());
  printer.printOptionalAttrDict(attributes.getValue(), elided);
  printer << " : ";
  printer.printFunctionalType(inputs, results);
}

/// while(%a = %x, ...) : types attributes {...} cond {...} do {...}
ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto assignment = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, assignment))
    return failure();
  if (!operands.empty() && parser.parseColonTypeList(result.types))
    return failure();
  if (parser.resolveOperands(operands, result.types, location,
                             result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (auto [argument, type] : llvm::zip_equal(arguments, result.types))
    argument.type = type;
  return failure(parser.parseKeyword("cond") ||
                 parser.parseRegion(*result.addRegion(), arguments) ||
                 parser.parseKeyword("do") ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void WhileOp::print(OpAsmPrinter &printer) {
  // The body is printed with the names of the condition.
  printer.shadowRegionArgs(getBody(), getCond().getArguments());
  printer << "(";
  llvm::interleaveComma(
      llvm::zip_equal(getCond().getArguments(), getOperands()), printer,
      [&](auto pair) {
        printer << std::get<0>(pair) << " = " << std::get<1>(pair);
      });
  printer << ")";
  if (getNumOperands() > 0) {
    printer << " : ";
    llvm::interleaveComma(getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << " cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// Checks that a region returns `count` values of the operation.
static LogicalResult verifyReturn(Operation *op, Region &region, size_t count) {
  Operation *last = region.front().empty() ? nullptr : &region.front().back();
  if (!isa_and_nonnull<ReturnOp>(last) || last->getNumOperands() != count)
    return op->emitOpError("expected a region that returns ")
           << count << " values";
  return success();
}

LogicalResult WhileOp::verify() {
  for (Region *region : {&getCond(), &getBody()})
    if (failed(verifyArguments(*this, *region, getNumOperands())))
      return failure();
  if (getNumResults() != getNumOperands())
    return emitOpError("expected one result for each of its operands");
  if (failed(verifyReturn(*this, getCond(), 1)))
    return failure();
  return verifyReturn(*this, getBody(), getNumOperands());
}

LogicalResult IfOp::verify() {
  for (Region *region : {&getTrueBranch(), &getFalseBranch()})
    if (failed(verifyArguments(*this, *region, 0)) ||
        failed(verifyReturn(*this, *region, getNumResults())))
      return failure();
  return success();
}

LogicalResult CaseOp::verify() {
  if (getBranches().empty())
    return emitOpError("expected at least one region");
  for (Region &region : getBranches())
    if (failed(verifyArguments(*this, region, 0)) ||
        failed(verifyReturn(*this, region, getNumResults())))
      return failure();
  return success();
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloControlOps.cpp.inc"

void StablehloDialect::registerControlOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Stablehlo/StablehloControlOps.cpp.inc"
      >();
}
