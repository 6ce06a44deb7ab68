// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches and loops over tensors.
#include "kiln/Dialect/Prim/ControlOps.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/Shape.h"
#include "kiln/Interfaces/RegionSyntax.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

/// A block without a terminator yields nothing.
static Operation *yieldNothing(OpBuilder &builder, Location loc) {
  OperationState state(loc, YieldOp::getOperationName());
  YieldOp::build(builder, state);
  return Operation::create(state);
}

static ParseResult parseBranches(OpAsmParser &parser, Region &first,
                                 Region &second) {
  return kiln::parseTwoRegions(parser, first, "else", second, yieldNothing);
}

static void printBranches(OpAsmPrinter &printer, Operation *, Region &first,
                          Region &second) {
  kiln::printTwoRegions(printer, first, "else", second);
}

static ParseResult parseLoop(OpAsmParser &parser, Region &condition,
                             Region &body) {
  return kiln::parseTwoRegions(parser, condition, "do", body, yieldNothing);
}

static void printLoop(OpAsmPrinter &printer, Operation *, Region &condition,
                      Region &body) {
  kiln::printTwoRegions(printer, condition, "do", body);
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/ControlOps.cpp.inc"

void PrimDialect::registerControlOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/ControlOps.cpp.inc"
      >();
}

static LogicalResult verifyYield(Operation *op, Region &region, StringRef what,
                                 TypeRange types) {
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (yield && yield.getValues().getTypes() == types)
    return success();
  InFlightDiagnostic diag =
      op->emitOpError() << "expected the " << what
                        << " to yield values of the types (" << types << ")";
  diag.attachNote(region.front().getTerminator()->getLoc())
      << "terminator is here";
  return diag;
}

LogicalResult IfOp::verify() {
  // C1
  if (getCondition().getType().getRank() != 0)
    return emitOpError() << "expected a condition of rank 0, found "
                         << getCondition().getType();
  // C2
  size_t missing = 0;
  for (Type type : getResultTypes())
    missing += cast<RankedTensorType>(type).getNumDynamicDims();
  if (getSizes().size() != missing)
    return emitOpError() << "expected " << missing
                         << " sizes for the '?' of the results, found "
                         << getSizes().size();
  for (Region *region : getRegions()) {
    // C3
    if (region->getNumArguments())
      return emitOpError() << "expected regions without arguments, found "
                           << region->getNumArguments();
    // C4
    if (failed(verifyYield(*this, *region, "regions", getResultTypes())))
      return failure();
  }
  return success();
}

LogicalResult WhileOp::verify() {
  // C1
  TypeRange types = getInits().getTypes();
  if (getResultTypes() != types)
    return emitOpError() << "expected results of the types of the inits ("
                         << types << "), found (" << getResultTypes() << ")";
  for (Region *region : getRegions())
    if (TypeRange(region->getArgumentTypes()) != types)
      return emitOpError() << "expected block arguments of the types of the "
                              "inits ("
                           << types << "), found ("
                           << TypeRange(region->getArgumentTypes()) << ")";
  // C2
  auto truth = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (failed(verifyYield(*this, getCondition(), "condition", Type(truth))))
    return failure();
  // C3
  return verifyYield(*this, getBody(), "body", types);
}
