//===- FunctionArith.cpp - Size expressions of host programs --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using runtime::IntOp;

runtime::Reg FunctionBuilder::constant(int64_t value) {
  auto [it, isNew] = constants.try_emplace(value, runtime::kNone);
  if (isNew) {
    it->second = function.newReg();
    emit(runtime::ConstInst{it->second, value});
  }
  return it->second;
}

runtime::Reg FunctionBuilder::binary(IntOp op, Reg lhs, Reg rhs) {
  Reg dst = function.newReg();
  emit(runtime::IntInst{op, dst, lhs, rhs});
  return dst;
}

runtime::Reg FunctionBuilder::reg(Value value) {
  auto it = regs.find(value);
  return it == regs.end() ? runtime::kNone : it->second;
}

LogicalResult FunctionBuilder::lowerConstant(Operation &op) {
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  int64_t bits = 0;
  if (auto number = dyn_cast<IntegerAttr>(value))
    bits = number.getType().isInteger(1) ? number.getValue().getZExtValue()
                                         : number.getValue().getSExtValue();
  else if (auto number = dyn_cast<FloatAttr>(value))
    bits = number.getValue().bitcastToAPInt().getZExtValue();
  else
    return op.emitError() << "unsupported: this constant in a host program";
  regs[op.getResult(0)] = constant(bits);
  return success();
}

LogicalResult FunctionBuilder::lowerCompare(Operation &op) {
  auto compare = cast<arith::CmpIOp>(op);
  Reg lhs = reg(compare.getLhs()), rhs = reg(compare.getRhs());
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  bool isUnsigned = predicate == P::ult || predicate == P::ule ||
                    predicate == P::ugt || predicate == P::uge;
  if (isUnsigned) {
    // Flipping the sign bits turns the unsigned order into the signed one.
    Reg sign = constant(std::numeric_limits<int64_t>::min());
    lhs = binary(IntOp::xorI, lhs, sign);
    rhs = binary(IntOp::xorI, rhs, sign);
  }
  IntOp code = IntOp::eq;
  switch (predicate) {
  case P::eq:
    code = IntOp::eq;
    break;
  case P::ne:
    code = IntOp::ne;
    break;
  case P::slt:
  case P::ult:
    code = IntOp::lt;
    break;
  case P::sle:
  case P::ule:
    code = IntOp::le;
    break;
  case P::sgt:
  case P::ugt:
    code = IntOp::gt;
    break;
  case P::sge:
  case P::uge:
    code = IntOp::ge;
    break;
  }
  regs[op.getResult(0)] = binary(code, lhs, rhs);
  return success();
}

/// The instruction that does the same as `op` on sizes. Sizes are not negative,
/// so unsigned and signed division agree there.
static std::optional<IntOp> instructionFor(Operation &op) {
  return llvm::StringSwitch<std::optional<IntOp>>(op.getName().getStringRef())
      .Case("arith.addi", IntOp::add)
      .Case("arith.subi", IntOp::sub)
      .Case("arith.muli", IntOp::mul)
      .Cases({"arith.floordivsi", "arith.divui"}, IntOp::floordiv)
      .Cases({"arith.ceildivsi", "arith.ceildivui"}, IntOp::ceildiv)
      .Case("arith.remui", IntOp::mod)
      .Cases({"arith.minsi", "arith.minui"}, IntOp::min)
      .Cases({"arith.maxsi", "arith.maxui"}, IntOp::max)
      .Case("arith.andi", IntOp::andI)
      .Case("arith.ori", IntOp::orI)
      .Case("arith.xori", IntOp::xorI)
      .Default(std::nullopt);
}

LogicalResult FunctionBuilder::lowerArith(Operation &op) {
  for (Type type : op.getResultTypes())
    if (!type.isIndex() && !type.isInteger(64) && !type.isInteger(1) &&
        !isa<arith::ConstantOp>(op) && !isa<arith::SelectOp>(op) &&
        !isa<arith::IndexCastOp>(op))
      return op.emitError()
             << "unsupported: arithmetic on " << type << " in a host program";
  if (isa<arith::ConstantOp>(op))
    return lowerConstant(op);
  if (isa<arith::CmpIOp>(op))
    return lowerCompare(op);
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (isa<ShapedType>(select.getType()))
      return op.emitError() << "unsupported: a choice between buffers";
    Reg dst = function.newReg();
    emit(runtime::SelectInst{dst, reg(select.getCondition()),
                             reg(select.getTrueValue()),
                             reg(select.getFalseValue())});
    regs[op.getResult(0)] = dst;
    return success();
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp>(op)) {
    regs[op.getResult(0)] = reg(op.getOperand(0));
    return success();
  }
  if (isa<arith::DivSIOp, arith::RemSIOp>(op)) {
    // Towards zero: the floor of a positive quotient, the ceiling else.
    Reg lhs = reg(op.getOperand(0)), rhs = reg(op.getOperand(1));
    Reg zero = constant(0);
    Reg negative = binary(IntOp::ne, binary(IntOp::lt, lhs, zero),
                          binary(IntOp::lt, rhs, zero));
    Reg quotient = function.newReg();
    emit(runtime::SelectInst{quotient, negative,
                             binary(IntOp::ceildiv, lhs, rhs),
                             binary(IntOp::floordiv, lhs, rhs)});
    regs[op.getResult(0)] =
        isa<arith::DivSIOp>(op)
            ? quotient
            : binary(IntOp::sub, lhs, binary(IntOp::mul, quotient, rhs));
    return success();
  }
  std::optional<IntOp> code = instructionFor(op);
  if (!code)
    return op.emitError() << "unsupported: '" << op.getName()
                          << "' in a host program";
  regs[op.getResult(0)] =
      binary(*code, reg(op.getOperand(0)), reg(op.getOperand(1)));
  return success();
}
