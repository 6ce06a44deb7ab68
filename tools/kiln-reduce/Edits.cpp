//===- Edits.cpp - What makes a program smaller ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reducer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace kiln::reduce;

namespace {
/// A zero of a type, if `arith` has one.
Value makeZero(OpBuilder &builder, Location loc, Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    if (!shaped.hasStaticShape() || !isa<TensorType, VectorType>(type))
      return nullptr;
  if (!getElementTypeOrSelf(type).isIntOrIndexOrFloat())
    return nullptr;
  TypedAttr zero = builder.getZeroAttr(type);
  return zero ? arith::ConstantOp::create(builder, loc, zero) : Value();
}

/// A value of the same type that is there at `op` anyway.
Value findValue(Operation *op, Type type) {
  for (Value operand : op->getOperands())
    if (operand.getType() == type)
      return operand;
  // One constant does for all of a type.
  if (op->hasTrait<OpTrait::ConstantLike>())
    for (Operation *at = op->getPrevNode(); at; at = at->getPrevNode())
      if (at->hasTrait<OpTrait::ConstantLike>() &&
          at->getResult(0).getType() == type)
        return at->getResult(0);
  for (Operation *at = op; at; at = at->getParentOp()) {
    if (at != op && at->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return nullptr;
    for (BlockArgument argument : at->getBlock()
                                      ? at->getBlock()->getArguments()
                                      : Block::BlockArgListType())
      if (argument.getType() == type)
        return argument;
  }
  return nullptr;
}

/// Whether a function may get an argument of a type. Functions of tensors take
/// any; kernels what is of the kind that they have already.
bool takesArgument(FunctionOpInterface function, Type type) {
  return isa<func::FuncOp>(function.getOperation()) ||
         llvm::any_of(function.getArgumentTypes(), [&](Type other) {
           return other.getTypeID() == type.getTypeID();
         });
}

/// A new last argument of the function around `op`.
Value addArgument(Operation *op, Type type) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function || function.isExternal() || !takesArgument(function, type))
    return nullptr;
  for (Operation *at = op->getParentOp(); at != function;
       at = at->getParentOp())
    if (at->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return nullptr;
  unsigned index = function.getNumArguments();
  if (failed(function.insertArgument(index, type, {}, op->getLoc())))
    return nullptr;
  return function.getArgument(index);
}

/// What takes the place of a result that is needed.
Value substituteFor(Operation *op, Type type, Substitute with) {
  OpBuilder builder(op);
  // A constant in place of a constant makes nothing smaller.
  bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
  auto zero = [&] {
    return isConstant ? Value() : makeZero(builder, op->getLoc(), type);
  };
  Value value;
  if (with == Substitute::Argument)
    value = addArgument(op, type);
  if (with == Substitute::Constant)
    value = zero();
  if (!value)
    value = findValue(op, type);
  if (!value)
    value = zero();
  return value ? value : addArgument(op, type);
}

/// The only terminator of a function with one block.
Operation *terminatorOf(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || !llvm::hasSingleElement(function.getFunctionBody()))
    return nullptr;
  Block &body = function.getFunctionBody().front();
  return body.mightHaveTerminator() ? body.getTerminator() : nullptr;
}
} // namespace

bool kiln::reduce::dropOperation(Operation *op, Substitute with) {
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    Value value = substituteFor(op, result.getType(), with);
    if (!value)
      return false;
    result.replaceAllUsesWith(value);
  }
  op->erase();
  return true;
}

bool kiln::reduce::inlineRegion(Operation *op, Region &region) {
  if (!llvm::hasSingleElement(region) || isa<FunctionOpInterface>(op) ||
      isa<ModuleOp>(op))
    return false;
  Block &body = region.front();
  Operation *end = body.mightHaveTerminator() ? body.getTerminator() : nullptr;
  if (op->getNumResults() &&
      (!end || end->getOperandTypes() != op->getResultTypes()))
    return false;
  // Values that enter the region: of the operands the last ones, as loops have
  // their bounds in front.
  unsigned numArgs = body.getNumArguments();
  SmallVector<Value> operands(op->getOperands());
  for (BlockArgument argument : llvm::reverse(body.getArguments())) {
    Value value;
    if (operands.size() >= numArgs || argument.getArgNumber() < operands.size())
      for (size_t i = operands.size(); i > 0 && !value; --i)
        if (operands[i - 1].getType() == argument.getType()) {
          value = operands[i - 1];
          operands.erase(operands.begin() + (i - 1));
        }
    if (!value && !argument.use_empty())
      value = substituteFor(op, argument.getType(), Substitute::Value);
    if (!value && !argument.use_empty())
      return false;
    if (value)
      argument.replaceAllUsesWith(value);
  }
  if (end) {
    if (op->getNumResults())
      op->replaceAllUsesWith(end->getOperands());
    end->erase();
  }
  op->getBlock()->getOperations().splice(Block::iterator(op),
                                         body.getOperations());
  op->erase();
  return true;
}

bool kiln::reduce::returnResults(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op->getParentOp());
  if (!function || op->getNumResults() == 0 || !terminatorOf(function))
    return false;
  Operation *end = terminatorOf(function);
  if (end == op || function.getNumResults() == 0)
    return false;
  end->setOperands(op->getResults());
  function.setFunctionTypeAttr(TypeAttr::get(function.cloneTypeWith(
      function.getArgumentTypes(), op->getResultTypes())));
  function.removeResAttrsAttr();
  while (end->getPrevNode() != op)
    end->getPrevNode()->erase();
  return true;
}

bool kiln::reduce::dropResult(Operation *op, unsigned index) {
  Operation *end = terminatorOf(op);
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!end || end->getNumOperands() != function.getNumResults() ||
      failed(function.eraseResult(index)))
    return false;
  end->eraseOperand(index);
  return true;
}

bool kiln::reduce::dropUnusedArguments(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || function.isExternal())
    return false;
  llvm::BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    unused[argument.getArgNumber()] = argument.use_empty();
  return unused.any() && succeeded(function.eraseArguments(unused));
}

/// A splat where there were different elements.
static ElementsAttr asSplat(Attribute attr) {
  auto elements = dyn_cast<ElementsAttr>(attr);
  if (!elements || elements.isSplat() || elements.empty())
    return nullptr;
  auto type = dyn_cast<RankedTensorType>(elements.getShapedType());
  if (!type || !type.hasStaticShape() ||
      !type.getElementType().isIntOrIndexOrFloat())
    return nullptr;
  if (auto dense = dyn_cast<DenseElementsAttr>(attr))
    return DenseElementsAttr::get(type, *dense.getValues<Attribute>().begin());
  return dyn_cast_or_null<ElementsAttr>(
      Builder(attr.getContext()).getZeroAttr(type));
}

bool kiln::reduce::simplifyAttributes(Operation *op) {
  bool changed = false;
  for (NamedAttribute attr : llvm::to_vector(op->getAttrs()))
    if (ElementsAttr splat = asSplat(attr.getValue())) {
      op->setAttr(attr.getName(), splat);
      changed = true;
    }
  for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs())) {
    op->removeDiscardableAttr(attr.getName());
    changed = true;
  }
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    changed |= bool(function.getResAttrsAttr());
    function.removeResAttrsAttr();
  }
  return changed;
}

Cost kiln::reduce::costOf(ModuleOp module) {
  Cost cost{};
  module->walk([&](Operation *op) {
    ++cost[op->hasTrait<OpTrait::ConstantLike>() ? 1 : 0];
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      cost[2] += function.getNumArguments() + function.getNumResults();
      cost[3] += bool(function.getResAttrsAttr());
    }
    cost[3] += llvm::range_size(op->getDiscardableAttrs());
    for (NamedAttribute attr : op->getAttrs())
      cost[3] += bool(asSplat(attr.getValue()));
  });
  return cost;
}
