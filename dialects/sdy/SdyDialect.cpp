//===- SdyDialect.cpp - the sdy dialect -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Sdy/Sdy.h"

using namespace mlir;
using namespace kiln::sdy;

#include "kiln/Dialect/Sdy/SdyOpsDialect.cpp.inc"

static ParseResult parseMesh(OpAsmParser &parser, MeshAttr &mesh) {
  mesh = llvm::cast_if_present<MeshAttr>(MeshAttr::parse(parser, {}));
  return success(bool(mesh));
}

static void printMesh(OpAsmPrinter &printer, Operation *, MeshAttr mesh) {
  mesh.print(printer);
}

static ParseResult parseSharding(OpAsmParser &parser,
                                 TensorShardingAttr &sharding) {
  sharding = llvm::cast_if_present<TensorShardingAttr>(
      TensorShardingAttr::parse(parser, {}));
  return success(bool(sharding));
}

static void printSharding(OpAsmPrinter &printer, Operation *,
                          TensorShardingAttr sharding) {
  sharding.print(printer);
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Sdy/SdyOps.cpp.inc"

void SdyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Sdy/SdyOps.cpp.inc"
      >();
  registerAttributes();
  addBytecodeInterface(*this);
}

/// `in_shardings=[<@mesh, [{}]>]`.
static ParseResult parseShardings(OpAsmParser &parser, StringRef name,
                                  ArrayAttr &shardings) {
  SmallVector<Attribute> list;
  auto element = [&] {
    list.push_back(TensorShardingAttr::parse(parser, {}));
    return success(bool(list.back()));
  };
  if (parser.parseKeyword(name) || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element))
    return failure();
  shardings = parser.getBuilder().getArrayAttr(list);
  return success();
}

ParseResult ManualComputationOp::parse(OpAsmParser &parser,
                                       OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  ArrayAttr in, out;
  SmallVector<Attribute> axes;
  auto axis = [&]() -> ParseResult {
    std::string name;
    if (parser.parseString(&name))
      return failure();
    axes.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, AsmParser::Delimiter::Paren) ||
      parseShardings(parser, "in_shardings", in) ||
      parseShardings(parser, "out_shardings", out) ||
      parser.parseKeyword("manual_axes") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, axis) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseRegion(*state.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon())
    return failure();
  FunctionType type;
  if (parser.parseType(type) ||
      parser.resolveOperands(operands, type.getInputs(), location,
                             state.operands))
    return failure();
  state.addTypes(type.getResults());
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.in_shardings = in;
  properties.out_shardings = out;
  properties.manual_axes = parser.getBuilder().getArrayAttr(axes);
  return success();
}

void ManualComputationOp::print(OpAsmPrinter &printer) {
  printer << "(" << getTensors() << ")";
  for (auto [name, list] : {std::pair("in_shardings", getInShardings()),
                            std::pair("out_shardings", getOutShardings())}) {
    printer << " " << name << "=[";
    llvm::interleaveComma(list, printer, [&](Attribute sharding) {
      cast<TensorShardingAttr>(sharding).print(printer);
    });
    printer << "]";
  }
  printer << " manual_axes={";
  llvm::interleaveComma(getManualAxes(), printer);
  printer << "} (";
  llvm::interleaveComma(
      getBody().getArguments(), printer,
      [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict(
      (*this)->getAttrs(), {"in_shardings", "out_shardings", "manual_axes"});
  printer << " : ";
  printer.printFunctionalType(*this);
}

LogicalResult ManualComputationOp::verify() {
  auto areShardings = [](ArrayAttr list) {
    return llvm::all_of(list, llvm::IsaPred<TensorShardingAttr>);
  };
  if (!areShardings(getInShardings()) || !areShardings(getOutShardings()))
    return emitOpError("expected shardings in in_shardings and out_shardings");
  if (!llvm::all_of(getManualAxes(), llvm::IsaPred<StringAttr>))
    return emitOpError("expected names in manual_axes");
  if (getInShardings().size() != getTensors().size() ||
      getOutShardings().size() != getNumResults())
    return emitOpError("expected a sharding for each operand and result");
  if (getBody().empty() || getBody().getNumArguments() != getTensors().size() ||
      getBody().front().empty() || !isa<ReturnOp>(getBody().front().back()) ||
      getBody().front().back().getNumOperands() != getNumResults())
    return emitOpError("expected a region with an argument for each operand "
                       "and a returned value for each result");
  return success();
}
