//===- ScalarOffsets.cpp - The part of an offset that is a scalar ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScalarOffsets.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

/// Adds what a number is computed from; false where lanes may differ in it.
static bool addSources(Value value, bool throughChoices,
                       SmallVectorImpl<Value> &sources) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      sources.append({loop.getLowerBound(), loop.getStep()});
      return argument == loop.getInductionVar();
    }
    auto function = dyn_cast<LLVM::LLVMFuncOp>(parent);
    return function && simt::isThreadFunction(function) &&
           argument.getOwner()->isEntryBlock();
  }
  Operation *op = value.getDefiningOp();
  if (isa<gpu::BlockIdOp, gpu::GridDimOp, gpu::BlockDimOp>(op))
    return true;
  if (auto choice = dyn_cast<scf::IfOp>(op); choice && throughChoices) {
    unsigned at = cast<OpResult>(value).getResultNumber();
    sources.push_back(choice.getCondition());
    for (Region &region : choice->getRegions())
      sources.push_back(region.front().getTerminator()->getOperand(at));
    return true;
  }
  llvm::append_range(sources, op->getOperands());
  return isa<arith::ArithDialect>(op->getDialect()) &&
         (throughChoices ? isMemoryEffectFree(op) : isPure(op));
}

bool amd::isScalarNumber(Value value, bool throughChoices) {
  llvm::SmallDenseSet<Value, 32> seen;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (seen.size() > kMostOffsetValues ||
        !addSources(next, throughChoices, work))
      return false;
  }
  return true;
}

/// Adds the terms of a sum; false where one of them may be negative.
bool ScalarOffsets::collect(Value value, int64_t factor) {
  if (++seen > kMostOffsetValues)
    return false;
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
    return more < kMost / factor && more > 0 && collect(rest, factor * more);
  };
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return collect(sum.getLhs(), factor) && collect(sum.getRhs(), factor);
  if (auto product = value.getDefiningOp<arith::MulIOp>()) {
    if (matchPattern(product.getRhs(), m_ConstantInt(&number)))
      return scaled(product.getLhs(), number, /*isShift=*/false);
    if (matchPattern(product.getLhs(), m_ConstantInt(&number)))
      return scaled(product.getRhs(), number, /*isShift=*/false);
  }
  if (auto shift = value.getDefiningOp<arith::ShLIOp>())
    if (matchPattern(shift.getRhs(), m_ConstantInt(&number)))
      return scaled(shift.getLhs(), number, /*isShift=*/true);
  std::optional<int64_t> most = mostOf(value);
  if (!most)
    return false;
  terms.push_back({value, factor, *most});
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

std::optional<SplitOffset>
ScalarOffsets::split(Value offset, function_ref<bool(Value)> staysWithLane) {
  terms.clear();
  constants = 0;
  seen = 0;
  if (!offset.getType().isInteger(64) || !collect(offset, 1))
    return std::nullopt;
  SplitOffset result;
  for (const Term &term : terms) {
    if (!isScalarNumber(term.value) ||
        (staysWithLane && staysWithLane(term.value))) {
      result.lane = add(result.lane, term.value, term.factor);
      continue;
    }
    result.scalar = add(result.scalar, term.value, term.factor);
    result.mostScalar = llvm::SaturatingMultiplyAdd(
        uint64_t(term.most), uint64_t(term.factor), result.mostScalar);
  }
  if (!result.scalar)
    return std::nullopt;
  if (constants || !result.lane)
    result.lane = add(result.lane, constant(constants), 1);
  return result;
}
