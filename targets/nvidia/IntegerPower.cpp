//===- IntegerPower.cpp - Powers of integers ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace kiln;

LLVM::LLVMFuncOp nvidia::integerPowerFunction(ModuleOp module, Type type) {
  std::string name =
      "nvidia_ipowi_i" + std::to_string(type.getIntOrFloatBitWidth());
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  Location loc = module.getLoc();
  OpBuilder b(module.getBodyRegion());
  auto function = LLVM::LLVMFuncOp::create(
      b, loc, name, LLVM::LLVMFunctionType::get(type, {type, type}),
      LLVM::Linkage::Internal);
  Region &body = function.getBody();
  Block *entry = function.addEntryBlock(b);
  SmallVector<Location> places(3, loc);
  Block *head = b.createBlock(&body, body.end(), {type, type, type}, places);
  Block *step = b.createBlock(&body, body.end());
  Block *negative = b.createBlock(&body, body.end());
  Block *done = b.createBlock(&body, body.end());
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  using P = arith::CmpIPredicate;
  auto compare = [&](P predicate, Value x, int64_t y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, x, number(y));
  };
  Value base = entry->getArgument(0), exponent = entry->getArgument(1);
  b.setInsertionPointToStart(entry);
  Value one = number(1), zero = number(0);
  cf::CondBranchOp::create(b, loc, compare(P::slt, exponent, 0), negative,
                           ValueRange{}, head, ValueRange{one, base, exponent});
  b.setInsertionPointToStart(head);
  Value product = head->getArgument(0), factor = head->getArgument(1),
        left = head->getArgument(2);
  cf::CondBranchOp::create(b, loc, compare(P::eq, left, 0), done, step);
  b.setInsertionPointToStart(step);
  auto isOdd = [&](Value n) -> Value {
    return arith::CmpIOp::create(b, loc, P::ne,
                                 arith::AndIOp::create(b, loc, n, one), zero);
  };
  Value next = arith::SelectOp::create(
      b, loc, isOdd(left), arith::MulIOp::create(b, loc, product, factor),
      product);
  cf::BranchOp::create(b, loc, head,
                       ValueRange{next,
                                  arith::MulIOp::create(b, loc, factor, factor),
                                  arith::ShRUIOp::create(b, loc, left, one)});
  // The truncated quotient: of 1 and -1 only it is not 0.
  b.setInsertionPointToStart(negative);
  Value sign = arith::SelectOp::create(b, loc, isOdd(exponent), base, one);
  Value isMinusOne = compare(P::eq, base, -1), isOne = compare(P::eq, base, 1);
  Value rest = arith::SelectOp::create(b, loc, isMinusOne, sign, zero);
  LLVM::ReturnOp::create(
      b, loc, arith::SelectOp::create(b, loc, isOne, one, rest).getResult());
  b.setInsertionPointToStart(done);
  LLVM::ReturnOp::create(b, loc, product);
  return function;
}
