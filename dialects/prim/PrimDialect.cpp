// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prim dialect: registration of all families, constants.
#include "Models.h"
#include "Work.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Prim/CallbackOps.h"
#include "kiln/Dialect/Prim/CollectiveOps.h"
#include "kiln/Dialect/Prim/LinearAlgebraOps.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Interfaces/KnownAttributes.h"
#include "kiln/Interfaces/Version.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace kiln::prim;

#include "kiln/Dialect/Prim/PrimAttrsEnums.cpp.inc"
#include "kiln/Dialect/Prim/PrimBase.cpp.inc"

/// An attribute of versions before 0.3 put a schedule first. It changed how
/// fast a program runs and no value, so it is left out; scripts choose
/// schedules.
static constexpr llvm::StringLiteral kOldSchedule = "kiln.schedule";
static LogicalResult dropSchedules(Operation *top) {
  top->walk([](Operation *op) { op->removeDiscardableAttr(kOldSchedule); });
  return success();
}

/// What files of older versions have otherwise.
static constexpr kiln::DialectUpgrade kUpgrades[] = {
    {3, dropSchedules}, {3, kiln::target::joinArgumentEntries}};

void PrimDialect::initialize() {
  addInterface<kiln::VersionedBytecode>(
      llvm::ArrayRef<kiln::DialectUpgrade>(kUpgrades));
  registerElementwiseOps();
  registerFunctionOps();
  registerRandomOps();
  registerRealOps();
  registerSpecialOps();
  registerBitwiseOps();
  registerCompareOps();
  registerConvertOps();
  registerMovementOps();
  registerCreationOps();
  registerReductionOps();
  registerGatherOps();
  registerMatMulOps();
  registerConvOps();
  registerPoolingOps();
  registerCompositeOps();
  registerGroupOps();
  registerControlOps();
  registerDynamicOps();
  registerScatterOps();
  registerScanOps();
  registerSortOps();
  registerCombineOps();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/CollectiveOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/LinearAlgebraOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/CallbackOps.cpp.inc"
      >();
  attachWorkModels(getContext());
  attachTensorModels(getContext());
}

Operation *PrimDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value);
      elements && elements.getType() == type)
    return ConstantOp::create(builder, loc, type, elements);
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult PrimDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  return kiln::verifyKnownAttribute(op, attribute, {});
}

LogicalResult PrimDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  return kiln::refuseAttribute(op, "argument", argument, attribute);
}

LogicalResult PrimDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  return kiln::refuseAttribute(op, "result", result, attribute);
}
