//===- KernelOps.cpp - Kernels and the grid -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/KernelOps.h"
#include "KernelDecisions.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/KernelOps.cpp.inc"

void TileDialect::registerKernelOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/KernelOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/GridOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  Region *body = state.addRegion();
  Block *entry = new Block();
  body->push_back(entry);
  for (Type input : type.getInputs())
    entry->addArgument(input, state.location);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  // Like a function, but the body may be empty: `{}` holds a tile.return.
  Builder &builder = parser.getBuilder();
  (void)impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  SMLoc signatureLoc;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(),
                             result.attributes) ||
      parser.getCurrentLocation(&signatureLoc) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs))
    return failure();
  if (!resultTypes.empty())
    return parser.emitError(signatureLoc,
                            "expected a kernel without results, found ")
           << resultTypes.size();
  SmallVector<Type> inputs;
  for (OpAsmParser::Argument &argument : arguments) {
    inputs.push_back(argument.type);
    argument.attrs = joinFacts(argument.attrs);
  }
  result.addAttribute(
      getFunctionTypeAttrName(result.name),
      TypeAttr::get(builder.getFunctionType(inputs, resultTypes)));

  NamedAttrList attributes;
  SMLoc attributesLoc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(attributes))
    return failure();
  renameKernelAttributes(attributes);
  for (StringRef taken :
       {SymbolTable::getVisibilityAttrName(), SymbolTable::getSymbolAttrName(),
        getFunctionTypeAttrName(result.name).strref()})
    if (attributes.get(taken))
      return parser.emitError(attributesLoc, "expected '")
             << taken << "' in its own place, found it among the attributes";
  if (failed(verifyInherentAttrs(result.name, attributes, [&] {
        return parser.emitError(attributesLoc) << "'" << result.name << "' op ";
      })))
    return failure();
  result.attributes.append(attributes);
  call_interface_impl::addArgAndResultAttrs(
      builder, result, arguments, resultAttrs, getArgAttrsAttrName(result.name),
      getResAttrsAttrName(result.name));

  Region *body = result.addRegion();
  OptionalParseResult parsed = parser.parseOptionalRegion(*body, arguments);
  if (!parsed.has_value())
    return parser.emitError(parser.getNameLoc(),
                            "expected a kernel to have a body");
  if (failed(*parsed))
    return failure();
  joinFacts(*body);
  if (body->empty())
    body->emplaceBlock();
  Block &last = body->back();
  if (last.empty() || !last.back().hasTrait<OpTrait::IsTerminator>()) {
    OpBuilder inBody(parser.getContext());
    inBody.setInsertionPointToEnd(&last);
    ReturnOp::create(inBody, result.location);
  }
  return success();
}

void KernelOp::print(OpAsmPrinter &p) {
  p << ' ';
  StringRef visibilityName = getSymVisibilityAttrName();
  if (auto visibility = getSymVisibilityAttr())
    p << visibility.getValue() << ' ';
  p.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(
      p, *this, getArgumentTypes(), /*isVariadic=*/false, getResultTypes());
  function_interface_impl::printFunctionAttributes(
      p, *this,
      {visibilityName, getFunctionTypeAttrName(), getArgAttrsAttrName(),
       getResAttrsAttrName()});
  p << ' ';
  // The terminator carries nothing, except when somebody gave it attributes.
  bool plain = !getBody().empty() && !getBody().front().empty() &&
               isa<ReturnOp>(getBody().front().back()) &&
               getBody().front().back().getAttrs().empty();
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/!plain);
}

index::Facts KernelOp::getResultFacts(unsigned,
                                      function_ref<index::Facts(Value)>) {
  return {};
}

index::Facts KernelOp::getArgumentFacts(BlockArgument argument,
                                        function_ref<index::Facts(Value)>) {
  index::Facts facts;
  if (auto divisor = getFact<IntegerAttr>(*this, argument.getArgNumber(),
                                          kDivisibilityFact))
    facts.divisor = divisor.getInt();
  return facts;
}

LogicalResult KernelOp::verify() {
  // (1) A kernel has no results.
  if (getFunctionType().getNumResults() != 0)
    return emitOpError() << "expected a kernel without results, found "
                         << getFunctionType().getNumResults();
  // (2) Parameters are views, pointers and scalars.
  for (auto [index, type] : llvm::enumerate(getFunctionType().getInputs())) {
    if (!isa<ViewType, PtrType>(type) && !isElementType(type))
      return emitOpError() << "expected parameter " << index
                           << " to be a view, a pointer or a scalar, found "
                           << type;
  }
  // (3) Facts have the form that their names ask for: the dialect verifies
  // them (Facts.cpp).
  // (4) Hints are grouped by target.
  if (DictionaryAttr hints = getHintsAttr())
    for (NamedAttribute hint : hints)
      if (!isa<DictionaryAttr>(hint.getValue()))
        return emitOpError()
               << "expected hints of '" << hint.getName().strref()
               << "' to be a dictionary, found " << hint.getValue();
  return verifyKernelDecisions(*this);
}

LogicalResult KernelOp::verifyRegions() {
  // (5) The body ends in tile.return.
  Block &body = getBody().front();
  if (body.empty() || !isa<ReturnOp>(body.back()))
    return emitOpError() << "expected the body to end in 'tile.return'";
  return success();
}

//===----------------------------------------------------------------------===//
// Grid
//===----------------------------------------------------------------------===//

/// The most instances along an axis of the grid. Launches of more than a signed
/// number of 32 bits are refused.
static int64_t mostInstances(Operation *op, unsigned axis) {
  auto kernel = op->getParentOfType<KernelOp>();
  auto most = kernel ? kernel.getMostInstancesAttr() : DenseI64ArrayAttr();
  return most ? most[axis] : llvm::maxIntN(32);
}

index::Facts ProgramIdOp::getResultFacts(unsigned axis,
                                         function_ref<index::Facts(Value)>) {
  return {index::Interval::between(0, mostInstances(*this, axis) - 1), 1};
}

index::Facts NumProgramsOp::getResultFacts(unsigned axis,
                                           function_ref<index::Facts(Value)>) {
  return {index::Interval::between(1, mostInstances(*this, axis)), 1};
}

static LogicalResult verifyGridResults(Operation *op) {
  // (1) One to three results.
  if (op->getNumResults() < 1 || op->getNumResults() > 3)
    return op->emitOpError()
           << "expected 1 to 3 results, found " << op->getNumResults();
  return success();
}

LogicalResult ProgramIdOp::verify() { return verifyGridResults(*this); }
LogicalResult NumProgramsOp::verify() { return verifyGridResults(*this); }
