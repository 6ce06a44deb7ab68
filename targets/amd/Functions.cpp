//===- Functions.cpp - Functions of scalars -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Functions.h"
#include "LowerOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

Value AmdFloat32::rsqrt(Value x) const {
  // The instruction takes subnormal numbers for zero.
  Value isSmall = less(x, f32(0x1p-126));
  Value scaled = select(isSmall, mul(x, f32(0x1p24)), x);
  Value y = callIntrinsic(b, loc, b.getF32Type(), "rsq", scaled);
  return select(isSmall, mul(y, f32(0x1p12)), y);
}

Value AmdFloat32::reciprocal(Value x) const {
  return callIntrinsic(b, loc, b.getF32Type(), "rcp", x);
}

namespace {
/// The blocks of a function that multiplies by squaring.
class PowerBuilder {
public:
  PowerBuilder(LLVM::LLVMFuncOp function, Type type, Type exponents)
      : function(function), b(function.getContext()), loc(function.getLoc()),
        type(type), exponents(exponents) {}

  void build() {
    Region &body = function.getBody();
    Block *entry = function.addEntryBlock(b);
    SmallVector<Location> places(3, loc);
    Block *head =
        b.createBlock(&body, body.end(), {type, type, exponents}, places);
    Block *step = b.createBlock(&body, body.end());
    Block *negative = b.createBlock(&body, body.end());
    Block *done = b.createBlock(&body, body.end());
    Value base = entry->getArgument(0), exponent = entry->getArgument(1);
    b.setInsertionPointToStart(entry);
    Value isNegative = compare(arith::CmpIPredicate::slt, exponent, 0);
    if (isFloat()) {
      Value size = arith::SelectOp::create(
          b, loc, isNegative, arith::SubIOp::create(b, loc, whole(0), exponent),
          exponent);
      cf::BranchOp::create(b, loc, head, ValueRange{number(1), base, size});
    } else {
      cf::CondBranchOp::create(b, loc, isNegative, negative, ValueRange{}, head,
                               ValueRange{number(1), base, exponent});
    }
    Value product = head->getArgument(0), factor = head->getArgument(1),
          left = head->getArgument(2);
    b.setInsertionPointToStart(head);
    cf::CondBranchOp::create(b, loc, compare(arith::CmpIPredicate::eq, left, 0),
                             done, step);
    b.setInsertionPointToStart(step);
    Value next = arith::SelectOp::create(b, loc, isOdd(left),
                                         times(product, factor), product);
    cf::BranchOp::create(
        b, loc, head,
        ValueRange{next, times(factor, factor),
                   arith::ShRUIOp::create(b, loc, left, whole(1))});
    b.setInsertionPointToStart(done);
    if (isFloat())
      product = arith::SelectOp::create(
          b, loc, isNegative, arith::DivFOp::create(b, loc, number(1), product),
          product);
    LLVM::ReturnOp::create(b, loc, product);
    b.setInsertionPointToStart(negative);
    LLVM::ReturnOp::create(b, loc, quotient(base, exponent));
  }

private:
  bool isFloat() const { return isa<FloatType>(type); }
  Value whole(int64_t value) {
    return arith::ConstantOp::create(b, loc,
                                     b.getIntegerAttr(exponents, value));
  }
  Value number(int64_t value) {
    if (isFloat())
      return arith::ConstantOp::create(b, loc,
                                       b.getFloatAttr(type, double(value)));
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, int64_t y) {
    return arith::CmpIOp::create(b, loc, predicate, x, whole(y));
  }
  Value isOdd(Value n) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                 arith::AndIOp::create(b, loc, n, whole(1)),
                                 whole(0));
  }
  Value times(Value x, Value y) {
    if (isFloat())
      return arith::MulFOp::create(b, loc, x, y);
    return arith::MulIOp::create(b, loc, x, y);
  }
  /// Of 1 and -1 only the truncated quotient is not 0.
  Value quotient(Value base, Value exponent) {
    if (isFloat())
      return base;
    Value sign =
        arith::SelectOp::create(b, loc, isOdd(exponent), base, number(1));
    Value rest = arith::SelectOp::create(
        b, loc, compare(arith::CmpIPredicate::eq, base, -1), sign, number(0));
    return arith::SelectOp::create(
        b, loc, compare(arith::CmpIPredicate::eq, base, 1), number(1), rest);
  }

  LLVM::LLVMFuncOp function;
  OpBuilder b;
  Location loc;
  Type type, exponents;
};
} // namespace

LLVM::LLVMFuncOp amd::powerFunction(ModuleOp module, Type type) {
  bool isFloat = isa<FloatType>(type);
  std::string name = std::string("amd_power_") + (isFloat ? "f" : "i") +
                     std::to_string(type.getIntOrFloatBitWidth());
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder b(module.getBodyRegion());
  Type exponents = isFloat ? b.getI32Type() : type;
  auto function = LLVM::LLVMFuncOp::create(
      b, module.getLoc(), name,
      LLVM::LLVMFunctionType::get(type, {type, exponents}),
      LLVM::Linkage::Internal);
  PowerBuilder(function, type, exponents).build();
  return function;
}
