//===- FunctionControl.cpp - Branches and loops of host programs ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that come from several places get a register of their own, which each
// of the places assigns.
//
//===----------------------------------------------------------------------===//

#include "FunctionBuilder.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using runtime::IntOp;
using runtime::kNone;

LogicalResult FunctionBuilder::declare(ValueRange values, Operation *op) {
  for (Value value : values) {
    if (isa<MemRefType>(value.getType()))
      bufs[value] = function.newBuf();
    else if (value.getType().isIntOrIndex())
      regs[value] = function.newReg();
    else
      return op->emitError()
             << "unsupported: a value of type " << value.getType()
             << " from a branch or loop of a host program";
  }
  return success();
}

/// Another name for a buffer: the view of all of it.
void FunctionBuilder::copyBuffer(Buf to, Buf from, int64_t rank) {
  runtime::ViewInst view;
  view.dst = to;
  view.src = from;
  for (int32_t dim = 0; dim < rank; ++dim) {
    Reg size = function.newReg(), stride = function.newReg();
    emit(runtime::DimInst{size, from, dim});
    emit(runtime::StrideInst{stride, from, dim});
    view.sizes.push_back(size);
    view.strides.push_back(stride);
  }
  emit(std::move(view));
}

/// All at once: what is assigned may be among what is read.
void FunctionBuilder::assign(ValueRange to, ValueRange from) {
  SmallVector<int32_t> temporaries;
  for (Value value : from) {
    if (auto type = dyn_cast<MemRefType>(value.getType())) {
      temporaries.push_back(function.newBuf());
      copyBuffer(temporaries.back(), buf(value), type.getRank());
      continue;
    }
    temporaries.push_back(function.newReg());
    emit(runtime::IntInst{IntOp::mov, temporaries.back(), reg(value), kNone});
  }
  for (auto [value, temporary] : llvm::zip(to, temporaries))
    if (auto type = dyn_cast<MemRefType>(value.getType()))
      copyBuffer(buf(value), temporary, type.getRank());
    else
      emit(runtime::IntInst{IntOp::mov, reg(value), temporary, kNone});
}

LogicalResult
FunctionBuilder::lowerBlock(Block &block,
                            std::vector<runtime::Instruction> &target,
                            llvm::function_ref<void()> atEnd) {
  // Constants that are made in here are not known behind it.
  llvm::DenseMap<int64_t, Reg> outerConstants = constants;
  std::vector<runtime::Instruction> *outer = code;
  code = &target;
  LogicalResult result = success();
  for (Operation &op : block.without_terminator())
    if (failed(lower(op))) {
      result = failure();
      break;
    }
  if (succeeded(result))
    atEnd();
  code = outer;
  constants = std::move(outerConstants);
  return result;
}

LogicalResult FunctionBuilder::lowerIf(scf::IfOp op) {
  if (failed(declare(op.getResults(), op)))
    return failure();
  runtime::IfInst inst;
  inst.cond = reg(op.getCondition());
  auto finish = [&](Block *block) {
    return [this, op, block]() mutable {
      assign(op.getResults(), block->getTerminator()->getOperands());
    };
  };
  if (failed(
          lowerBlock(*op.thenBlock(), inst.thenCode, finish(op.thenBlock()))) ||
      (op.elseBlock() && failed(lowerBlock(*op.elseBlock(), inst.elseCode,
                                           finish(op.elseBlock())))))
    return failure();
  emit(std::move(inst));
  return success();
}

LogicalResult FunctionBuilder::lowerWhile(scf::WhileOp op) {
  // Results are what the condition hands on, at the last time.
  if (failed(declare(op.getBeforeArguments(), op)) ||
      failed(declare(op.getResults(), op)))
    return failure();
  for (auto [inner, result] :
       llvm::zip(op.getAfterArguments(), op.getResults()))
    if (isa<MemRefType>(inner.getType()))
      bufs[inner] = buf(result);
    else
      regs[inner] = reg(result);
  assign(op.getBeforeArguments(), op.getInits());
  runtime::WhileInst inst;
  if (failed(lowerBlock(*op.getBeforeBody(), inst.before,
                        [&] {
                          scf::ConditionOp condition = op.getConditionOp();
                          inst.cond = function.newReg();
                          emit(runtime::IntInst{IntOp::mov, inst.cond,
                                                reg(condition.getCondition()),
                                                kNone});
                          assign(op.getResults(), condition.getArgs());
                        })) ||
      failed(lowerBlock(*op.getAfterBody(), inst.body, [&] {
        assign(op.getBeforeArguments(), op.getYieldOp().getResults());
      })))
    return failure();
  emit(std::move(inst));
  return success();
}

LogicalResult FunctionBuilder::lowerFor(scf::ForOp op) {
  Value counter = op.getInductionVar();
  if (failed(declare(op.getResults(), op)) || failed(declare(counter, op)))
    return failure();
  for (auto [inner, result] :
       llvm::zip(op.getRegionIterArgs(), op.getResults()))
    if (isa<MemRefType>(inner.getType()))
      bufs[inner] = buf(result);
    else
      regs[inner] = reg(result);
  assign(op.getResults(), op.getInitArgs());
  emit(runtime::IntInst{IntOp::mov, reg(counter), reg(op.getLowerBound()),
                        kNone});
  runtime::WhileInst inst;
  inst.cond = function.newReg();
  inst.before.push_back(runtime::IntInst{IntOp::lt, inst.cond, reg(counter),
                                         reg(op.getUpperBound())});
  if (failed(lowerBlock(*op.getBody(), inst.body, [&] {
        assign(op.getResults(), op.getBody()->getTerminator()->getOperands());
        emit(runtime::IntInst{IntOp::add, reg(counter), reg(counter),
                              reg(op.getStep())});
      })))
    return failure();
  emit(std::move(inst));
  return success();
}
