//===- ScalarOffsets.cpp - The part of an offset that is a scalar ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScalarOffsets.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

/// How deep expressions of offsets are looked at.
constexpr unsigned kDeepest = 24;

static bool isScalar(Value value, unsigned depth = 0) {
  if (depth > kDeepest)
    return false;
  auto isDeeper = [&](Value other) { return isScalar(other, depth + 1); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return argument == loop.getInductionVar() &&
             isDeeper(loop.getLowerBound()) && isDeeper(loop.getStep());
    auto function = dyn_cast<LLVM::LLVMFuncOp>(parent);
    return function && simt::isThreadFunction(function) &&
           argument.getOwner()->isEntryBlock();
  }
  Operation *op = value.getDefiningOp();
  if (isa<gpu::BlockIdOp, gpu::GridDimOp, gpu::BlockDimOp>(op))
    return true;
  bool computes = isa<arith::ArithDialect>(op->getDialect()) && isPure(op);
  return computes && llvm::all_of(op->getOperands(), isDeeper);
}

bool amd::isScalarNumber(Value value) { return isScalar(value); }

/// Adds the terms of a sum; false where one of them may be negative.
bool ScalarOffsets::collect(Value value, int64_t factor, unsigned depth) {
  constexpr int64_t kMost = int64_t(1) << 31;
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    int64_t more = number.getSExtValue();
    if (more < 0 || more >= kMost)
      return false;
    constants += more * factor;
    return constants < kMost;
  }
  auto scaled = [&](Value rest, const APInt &by, bool isShift) {
    int64_t count = by.getSExtValue();
    if (count < 0 || (isShift && count > 30))
      return false;
    int64_t more = isShift ? int64_t(1) << count : count;
    return more < kMost / factor && more > 0 &&
           collect(rest, factor * more, depth + 1);
  };
  if (depth < kDeepest) {
    if (auto sum = value.getDefiningOp<arith::AddIOp>())
      return collect(sum.getLhs(), factor, depth + 1) &&
             collect(sum.getRhs(), factor, depth + 1);
    if (auto product = value.getDefiningOp<arith::MulIOp>()) {
      if (matchPattern(product.getRhs(), m_ConstantInt(&number)))
        return scaled(product.getLhs(), number, /*isShift=*/false);
      if (matchPattern(product.getLhs(), m_ConstantInt(&number)))
        return scaled(product.getRhs(), number, /*isShift=*/false);
    }
    if (auto shift = value.getDefiningOp<arith::ShLIOp>())
      if (matchPattern(shift.getRhs(), m_ConstantInt(&number)))
        return scaled(shift.getLhs(), number, /*isShift=*/true);
  }
  if (!isNonNegative(value))
    return false;
  terms.push_back({value, factor, isScalar(value)});
  return true;
}

Value ScalarOffsets::constant(int64_t value) {
  return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
}

Value ScalarOffsets::add(Value sum, Value value, int64_t factor) {
  if (value.getType() != b.getI32Type())
    value = arith::TruncIOp::create(b, loc, b.getI32Type(), value);
  if (factor != 1)
    value = arith::MulIOp::create(b, loc, value, constant(factor));
  return sum ? arith::AddIOp::create(b, loc, sum, value).getResult() : value;
}

std::optional<SplitOffset> ScalarOffsets::split(Value offset) {
  terms.clear();
  constants = 0;
  if (!offset.getType().isInteger(64) || !collect(offset, 1, 0))
    return std::nullopt;
  auto isOfLane = [](const Term &term) { return !term.isScalar; };
  if (llvm::all_of(terms, isOfLane))
    return std::nullopt;
  SplitOffset result;
  for (const Term &term : terms) {
    Value &sum = term.isScalar ? result.scalar : result.lane;
    sum = add(sum, term.value, term.factor);
  }
  if (constants || !result.lane)
    result.lane = add(result.lane, constant(constants), 1);
  return result;
}
