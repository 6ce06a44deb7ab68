//===- Pointers.cpp - Accesses through pointers, atomics ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FirstCopies.h"
#include "LayoutChoice.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

LogicalResult KernelWalk::emitPointerOp(Operation *op) {
  auto one = [&](ArrayRef<Value> operands) -> Value {
    Type to = scalarType(getElementTypeOrSelf(op->getResult(0).getType()));
    Value x = operands[0];
    return TypeSwitch<Operation *, Value>(op)
        .Case([&](tile::PtrAddOp op) -> Value {
          Type pointee =
              cast<tile::PtrType>(getElementTypeOrSelf(op.getPtr().getType()))
                  .getElementType();
          Value offset = operands[1];
          if (offset.getType().getIntOrFloatBitWidth() < 32)
            offset =
                b.createOrFold<arith::ExtSIOp>(loc, b.getI32Type(), offset);
          Type element = scalarType(pointee);
          return elementPointer(
              x, offset,
              element.isInteger(1) ? Type(b.getI8Type())
              : element.isIntOrFloat()
                  ? Type(b.getIntegerType(storedBytes(element) * 8))
                  : element);
        })
        .Case([&](tile::PtrCastOp) { return x; })
        .Case([&](tile::PtrToIntOp) -> Value {
          return LLVM::PtrToIntOp::create(b, loc, to, x);
        })
        .Case([&](tile::IntToPtrOp) -> Value {
          if (x.getType().getIntOrFloatBitWidth() < 64)
            x = b.createOrFold<arith::ExtUIOp>(loc, b.getI64Type(), x);
          return LLVM::IntToPtrOp::create(b, loc, to, x);
        });
  };
  LayoutAttr layout = getLayout(op->getResult(0));
  if (!layout) {
    auto operands = llvm::map_to_vector(
        op->getOperands(), [&](Value value) { return scalar(value); });
    define(op->getResult(0), one(operands));
    return success();
  }
  Regs regs;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    SmallVector<Value> operands;
    for (Value value : op->getOperands())
      operands.push_back(registers(value)[reg]);
    regs.push_back(one(operands));
  }
  define(op->getResult(0), std::move(regs));
  return success();
}

/// The register bits of the vectors that one access through pointers takes.
SmallVector<unsigned> KernelWalk::vectorsOf(Value pointers, Value mask) {
  auto type = cast<RankedTensorType>(pointers.getType());
  LayoutAttr layout = getLayout(type);
  Type element = cast<tile::PtrType>(type.getElementType()).getElementType();
  if (!element.isIntOrFloat())
    return {};
  Contiguity along = contiguityOf(pointers, mask, axes);
  // Other threads must not have elements in between.
  if (along.dim < 0 || !isDisjoint(layout, along.dim))
    return {};
  return vectorBits(layout, along.dim, along.count);
}

LogicalResult KernelWalk::emitLoadPtr(tile::LoadPtrOp op) {
  Type element = scalarType(getElementTypeOrSelf(op.getType()));
  Type stored = storedType(element);
  auto load = [&](Value pointer, Value mask, ValueRange others,
                  int64_t count) -> Value {
    Value other;
    if (mask)
      other = others.empty() ? zero(stored) : Value();
    if (mask && other)
      other = pack(SmallVector<Value>(count, other));
    else if (mask)
      other = pack(llvm::map_to_vector(
          others, [&](Value value) { return toStored(value); }));
    Type type = count > 1 ? Type(VectorType::get({count}, stored)) : stored;
    return LoadOp::create(b, loc, type, pointer, mask, other,
                          count * storedBytes(element), op.getIsVolatile(),
                          op.getCache(), op.getEvict());
  };
  LayoutAttr layout = getLayout(op.getResult());
  if (!layout) {
    SmallVector<Value> other;
    if (op.getOther())
      other.push_back(scalar(op.getOther()));
    Value mask = op.getMask() ? scalar(op.getMask()) : Value();
    define(op.getResult(),
           fromStored(load(scalar(op.getPtr()), mask, other, 1), element));
    return success();
  }
  auto shape = cast<RankedTensorType>(op.getType()).getShape();
  Regs regs(layout.getNumRegisters());
  forEachGroup(layout, vectorsOf(op.getPtr(), op.getMask()),
               [&](ArrayRef<int64_t> group) {
                 int64_t first = group[0];
                 Value mask = both(op.getMask() ? registers(op.getMask())[first]
                                                : Value(),
                                   isElement(layout, first, shape));
                 SmallVector<Value> others;
                 if (op.getOther())
                   for (int64_t reg : group)
                     others.push_back(registers(op.getOther())[reg]);
                 Value loaded = load(registers(op.getPtr())[first], mask,
                                     others, group.size());
                 for (auto [i, reg] : llvm::enumerate(group))
                   regs[reg] = fromStored(unpack(loaded, i), element);
               });
  define(op.getResult(), std::move(regs));
  return success();
}

LogicalResult KernelWalk::emitStorePtr(tile::StorePtrOp op) {
  auto store = [&](Value pointer, ValueRange values, Value mask) {
    auto list = llvm::map_to_vector(
        values, [&](Value value) { return toStored(value); });
    StoreOp::create(b, loc, pack(list), pointer, mask,
                    values.size() * storedBytes(values[0].getType()),
                    /*is_volatile=*/false, op.getCache(), op.getEvict());
  };
  LayoutAttr layout = getLayout(op.getPtr());
  if (!layout) {
    Value first = compare(arith::CmpIPredicate::eq, threadId(), c32(0));
    store(scalar(op.getPtr()), scalar(op.getValue()),
          both(first, op.getMask() ? scalar(op.getMask()) : Value()));
    return success();
  }
  auto shape = cast<RankedTensorType>(op.getPtr().getType()).getShape();
  forEachGroup(layout, vectorsOf(op.getPtr(), op.getMask()),
               [&](ArrayRef<int64_t> group) {
                 int64_t first = group[0];
                 Value mask = both(op.getMask() ? registers(op.getMask())[first]
                                                : Value(),
                                   isElement(layout, first, shape));
                 auto values = llvm::map_to_vector(group, [&](int64_t reg) {
                   return registers(op.getValue())[reg];
                 });
                 store(registers(op.getPtr())[first], values,
                       both(isFirstCopy(layout), mask));
               });
  return success();
}

static LLVM::AtomicOrdering orderOf(tile::MemoryOrder order) {
  switch (order) {
  case tile::MemoryOrder::relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case tile::MemoryOrder::acquire:
    return LLVM::AtomicOrdering::acquire;
  case tile::MemoryOrder::release:
    return LLVM::AtomicOrdering::release;
  case tile::MemoryOrder::acq_rel:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("unknown order");
}

static LLVM::AtomicBinOp binaryOf(tile::AtomicKind kind, bool isFloat) {
  using Bin = LLVM::AtomicBinOp;
  switch (kind) {
  case tile::AtomicKind::exchange:
    return Bin::xchg;
  case tile::AtomicKind::add:
    return Bin::add;
  case tile::AtomicKind::fadd:
    return Bin::fadd;
  case tile::AtomicKind::max:
    return isFloat ? Bin::fmax : Bin::max;
  case tile::AtomicKind::min:
    return isFloat ? Bin::fmin : Bin::min;
  case tile::AtomicKind::umax:
    return Bin::umax;
  case tile::AtomicKind::umin:
    return Bin::umin;
  case tile::AtomicKind::and_:
    return Bin::_and;
  case tile::AtomicKind::or_:
    return Bin::_or;
  case tile::AtomicKind::xor_:
    return Bin::_xor;
  }
  llvm_unreachable("unknown kind");
}

ScratchNeeds simt::atomicNeeds(Operation *op, const BlockShape &block) {
  if (op->getResult(0).use_empty())
    return {};
  LayoutAttr layout = getLayout(op->getOperand(0));
  if (!layout)
    return {firstCopyNeed()};
  if (!ThreadBuilder::copyMask(layout, block.laneBits(), block.warpBits()))
    return {};
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return {firstCopiesNeed(type.getShape(), type.getElementType())};
}

LogicalResult KernelWalk::emitAtomic(Operation *op) {
  auto rmw = dyn_cast<tile::AtomicRMWOp>(op);
  auto cas = dyn_cast<tile::AtomicCASOp>(op);
  Value maskOperand = rmw ? rmw.getMask() : Value();
  Type element = scalarType(getElementTypeOrSelf(op->getResult(0).getType()));
  if (storedType(element) != element)
    return decline(op, "atomic accesses to elements of one bit");
  auto one = [&](Value pointer, Value first, Value second) -> Value {
    if (rmw)
      return AtomicRMWOp::create(
          b, loc, first.getType(),
          binaryOf(rmw.getKind(), isa<FloatType>(element)),
          orderOf(rmw.getOrder()), rmw.getScope(), pointer, first);
    // By bits.
    Type integer = b.getIntegerType(element.getIntOrFloatBitWidth());
    bool isFloat = isa<FloatType>(element);
    if (isFloat) {
      first = arith::BitcastOp::create(b, loc, integer, first);
      second = arith::BitcastOp::create(b, loc, integer, second);
    }
    Value old = AtomicCASOp::create(b, loc, integer, orderOf(cas.getOrder()),
                                    cas.getScope(), pointer, first, second);
    return isFloat ? Value(arith::BitcastOp::create(b, loc, element, old))
                   : old;
  };
  /// The old value where `mask` holds, else anything.
  auto masked = [&](Value mask, function_ref<Value()> make) -> Value {
    if (!mask)
      return make();
    auto choice = scf::IfOp::create(b, loc, TypeRange{element}, mask,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(choice.thenBlock());
    scf::YieldOp::create(b, loc, make());
    b.setInsertionPointToEnd(choice.elseBlock());
    scf::YieldOp::create(b, loc, zero(element));
    return choice.getResult(0);
  };
  bool isUsed = !op->getResult(0).use_empty();
  LayoutAttr layout = getLayout(op->getOperand(0));
  auto operand = [&](unsigned i, int64_t reg) {
    return layout ? registers(op->getOperand(i))[reg]
                  : scalar(op->getOperand(i));
  };
  unsigned second = rmw ? 1 : 2;
  if (!layout) {
    // One thread does it; what it found goes to all.
    Value first = compare(arith::CmpIPredicate::eq, threadId(), c32(0));
    Value mask = both(first, maskOperand ? scalar(maskOperand) : Value());
    Value old = masked(mask, [&] {
      return one(operand(0, 0), operand(1, 0), operand(second, 0));
    });
    define(op->getResult(0), isUsed ? shareFirstCopy(*this, first, old) : old);
    return success();
  }
  auto shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  Value first = isFirstCopy(layout);
  Regs regs;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    Value mask = both(both(first, isElement(layout, reg, shape)),
                      maskOperand ? registers(maskOperand)[reg] : Value());
    regs.push_back(masked(mask, [&] {
      return one(operand(0, reg), operand(1, reg), operand(second, reg));
    }));
  }
  if (isUsed && first)
    shareFirstCopies(*this, first, layout, shape, regs);
  define(op->getResult(0), std::move(regs));
  return success();
}
