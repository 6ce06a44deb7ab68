//===- Pointers.cpp - Accesses through pointers, atomics ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FirstCopies.h"
#include "LayoutChoice.h"
#include "LoweringTable.h"
#include "Order.h"
#include "OwnLowerings.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

static LogicalResult lowerPointerOp(Operation *op, ThreadWriter &w) {
  auto one = [&](ArrayRef<Value> operands) -> Value {
    Type to = ThreadBuilder::scalarType(
        getElementTypeOrSelf(op->getResult(0).getType()));
    Value x = operands[0];
    return TypeSwitch<Operation *, Value>(op)
        .Case([&](tile::PtrAddOp op) -> Value {
          Type pointee =
              cast<tile::PtrType>(getElementTypeOrSelf(op.getPtr().getType()))
                  .getElementType();
          Value offset = operands[1];
          if (offset.getType().getIntOrFloatBitWidth() < 32)
            offset = w.b.createOrFold<arith::ExtSIOp>(w.loc, w.b.getI32Type(),
                                                      offset);
          Type element = ThreadBuilder::scalarType(pointee);
          return w.elementPointer(
              x, offset,
              element.isInteger(1) ? Type(w.b.getI8Type())
              : element.isIntOrFloat()
                  ? Type(w.b.getIntegerType(
                        ThreadBuilder::storedBytes(element) * 8))
                  : element);
        })
        .Case([&](tile::PtrCastOp) { return x; })
        .Case([&](tile::PtrToIntOp) -> Value {
          return LLVM::PtrToIntOp::create(w.b, w.loc, to, x);
        })
        .Case([&](tile::IntToPtrOp) -> Value {
          if (x.getType().getIntOrFloatBitWidth() < 64)
            x = w.b.createOrFold<arith::ExtUIOp>(w.loc, w.b.getI64Type(), x);
          return LLVM::IntToPtrOp::create(w.b, w.loc, to, x);
        });
  };
  LayoutAttr layout = getLayout(op->getResult(0));
  if (!layout) {
    auto operands = llvm::map_to_vector(
        op->getOperands(), [&](Value value) { return w.scalar(value); });
    w.define(op->getResult(0), one(operands));
    return success();
  }
  Regs regs;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    SmallVector<Value> operands;
    for (Value value : op->getOperands())
      operands.push_back(w.registers(value)[reg]);
    regs.push_back(one(operands));
  }
  w.define(op->getResult(0), std::move(regs));
  return success();
}

/// The register bits of the vectors that one access through pointers takes.
SmallVector<unsigned> simt::vectorsOf(ThreadWriter &w, Value pointers,
                                      Value mask) {
  auto type = cast<RankedTensorType>(pointers.getType());
  LayoutAttr layout = getLayout(type);
  Type element = cast<tile::PtrType>(type.getElementType()).getElementType();
  if (!element.isIntOrFloat())
    return {};
  Contiguity along = contiguityOf(pointers, mask, w.axes);
  // Other threads must not have elements in between.
  if (along.dim < 0 || !w.isDisjoint(layout, along.dim))
    return {};
  return vectorBits(layout, along.dim, along.count);
}

static LogicalResult lowerLoadPtr(tile::LoadPtrOp op, ThreadWriter &w) {
  Type element = ThreadBuilder::scalarType(getElementTypeOrSelf(op.getType()));
  Type stored = ThreadBuilder::storedType(element);
  auto load = [&](Value pointer, Value mask, ValueRange others,
                  int64_t count) -> Value {
    Value other;
    if (mask)
      other = others.empty() ? w.zero(stored) : Value();
    if (mask && other)
      other = w.pack(SmallVector<Value>(count, other));
    else if (mask)
      other = w.pack(llvm::map_to_vector(
          others, [&](Value value) { return w.toStored(value); }));
    Type type = count > 1 ? Type(VectorType::get({count}, stored)) : stored;
    return LoadOp::create(w.b, w.loc, type, pointer, mask, other,
                          count * ThreadBuilder::storedBytes(element),
                          op.getIsVolatile(), op.getCache(), op.getEvict());
  };
  LayoutAttr layout = getLayout(op.getResult());
  if (!layout) {
    SmallVector<Value> other;
    if (op.getOther())
      other.push_back(w.scalar(op.getOther()));
    Value mask = op.getMask() ? w.scalar(op.getMask()) : Value();
    w.define(
        op.getResult(),
        w.fromStored(load(w.scalar(op.getPtr()), mask, other, 1), element));
    return success();
  }
  auto shape = cast<RankedTensorType>(op.getType()).getShape();
  Regs regs(layout.getNumRegisters());
  forEachGroup(layout, vectorsOf(w, op.getPtr(), op.getMask()),
               [&](ArrayRef<int64_t> group) {
                 int64_t first = group[0];
                 Value mask = w.both(
                     op.getMask() ? w.registers(op.getMask())[first] : Value(),
                     w.isElement(layout, first, shape));
                 SmallVector<Value> others;
                 if (op.getOther())
                   for (int64_t reg : group)
                     others.push_back(w.registers(op.getOther())[reg]);
                 Value loaded = load(w.registers(op.getPtr())[first], mask,
                                     others, group.size());
                 for (auto [i, reg] : llvm::enumerate(group))
                   regs[reg] = w.fromStored(w.unpack(loaded, i), element);
               });
  w.define(op.getResult(), std::move(regs));
  return success();
}

static LogicalResult lowerStorePtr(tile::StorePtrOp op, ThreadWriter &w) {
  auto store = [&](Value pointer, ValueRange values, Value mask) {
    auto list = llvm::map_to_vector(
        values, [&](Value value) { return w.toStored(value); });
    StoreOp::create(w.b, w.loc, w.pack(list), pointer, mask,
                    values.size() *
                        ThreadBuilder::storedBytes(values[0].getType()),
                    /*is_volatile=*/false, op.getCache(), op.getEvict());
  };
  LayoutAttr layout = getLayout(op.getPtr());
  if (!layout) {
    Value first;
    if (!isInFirstThread(op))
      first = w.compare(arith::CmpIPredicate::eq, w.threadId(), w.c32(0));
    store(w.scalar(op.getPtr()), w.scalar(op.getValue()),
          w.both(first, op.getMask() ? w.scalar(op.getMask()) : Value()));
    return success();
  }
  auto shape = cast<RankedTensorType>(op.getPtr().getType()).getShape();
  forEachGroup(layout, vectorsOf(w, op.getPtr(), op.getMask()),
               [&](ArrayRef<int64_t> group) {
                 int64_t first = group[0];
                 Value mask = w.both(
                     op.getMask() ? w.registers(op.getMask())[first] : Value(),
                     w.isElement(layout, first, shape));
                 auto values = llvm::map_to_vector(group, [&](int64_t reg) {
                   return w.registers(op.getValue())[reg];
                 });
                 store(w.registers(op.getPtr())[first], values,
                       w.both(w.isFirstCopy(layout), mask));
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

static ScratchNeeds atomicNeeds(Operation *op, const BlockShape &block) {
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

namespace {
/// The memory order of the updates that a thread makes for one operation on
/// tiles. Where each of them would cost a fence, they are relaxed between two
/// fences for all.
struct UpdateOrder {
  template <typename Atomic>
  UpdateOrder(Atomic op, LayoutAttr layout, ThreadWriter &w)
      : order(orderOf(op.getOrder())), scope(op.getScope()), w(w),
        isFenced(layout && layout.getNumRegisters() > 1 &&
                 fencesUpdates(w.description)) {}

  LLVM::AtomicOrdering ofEach() const {
    return isFenced ? LLVM::AtomicOrdering::monotonic : order;
  }
  void begin() { fence(LLVM::AtomicOrdering::release); }
  void end() { fence(LLVM::AtomicOrdering::acquire); }

  LLVM::AtomicOrdering order;
  tile::MemoryScope scope;

private:
  /// A fence of one half of the order, if the order has it.
  void fence(LLVM::AtomicOrdering half) {
    if (isFenced && (order == half || order == LLVM::AtomicOrdering::acq_rel))
      FenceOp::create(w.b, w.loc, half, scope);
  }

  ThreadWriter &w;
  bool isFenced;
};
} // namespace

/// Adds neighbours with one operation for as many as go together.
static void addWords(tile::AtomicRMWOp op, LayoutAttr layout, Value first,
                     const UpdateOrder &order, ThreadWriter &w) {
  auto shape = cast<RankedTensorType>(op.getPtr().getType()).getShape();
  SmallVector<unsigned> bits = vectorsOf(w, op.getPtr(), op.getMask());
  bits.resize(
      std::min<size_t>(bits.size(), llvm::Log2_64(countAddedTogether(op))));
  forEachGroup(layout, bits, [&](ArrayRef<int64_t> group) {
    Value mask = op.getMask() ? w.registers(op.getMask())[group[0]] : Value();
    mask = w.both(w.both(first, w.isElement(layout, group[0], shape)), mask);
    auto values = llvm::map_to_vector(
        group, [&](int64_t reg) { return w.registers(op.getValue())[reg]; });
    w.guarded(mask, [&] {
      Value sum = w.pack(values);
      AtomicRMWOp::create(w.b, w.loc, sum.getType(), LLVM::AtomicBinOp::fadd,
                          order.ofEach(), order.scope,
                          w.registers(op.getPtr())[group[0]], sum);
    });
  });
  w.define(op.getResult(),
           Regs(layout.getNumRegisters(),
                w.zero(ThreadBuilder::scalarType(
                    getElementTypeOrSelf(op.getResult().getType())))));
}

static LogicalResult lowerAtomicOp(Operation *op, ThreadWriter &w) {
  auto rmw = dyn_cast<tile::AtomicRMWOp>(op);
  auto cas = dyn_cast<tile::AtomicCASOp>(op);
  Value maskOperand = rmw ? rmw.getMask() : Value();
  Type element = ThreadBuilder::scalarType(
      getElementTypeOrSelf(op->getResult(0).getType()));
  if (ThreadBuilder::storedType(element) != element)
    return w.decline(op, "atomic accesses to elements of one bit");
  LayoutAttr layout = getLayout(op->getOperand(0));
  UpdateOrder order =
      rmw ? UpdateOrder(rmw, layout, w) : UpdateOrder(cas, layout, w);
  auto one = [&](Value pointer, Value first, Value second) -> Value {
    if (rmw)
      return AtomicRMWOp::create(
          w.b, w.loc, first.getType(),
          binaryOf(rmw.getKind(), isa<FloatType>(element)), order.ofEach(),
          order.scope, pointer, first);
    // By bits.
    Type integer = w.b.getIntegerType(element.getIntOrFloatBitWidth());
    bool isFloat = isa<FloatType>(element);
    if (isFloat) {
      first = arith::BitcastOp::create(w.b, w.loc, integer, first);
      second = arith::BitcastOp::create(w.b, w.loc, integer, second);
    }
    Value old = AtomicCASOp::create(w.b, w.loc, integer, order.ofEach(),
                                    order.scope, pointer, first, second);
    return isFloat ? Value(arith::BitcastOp::create(w.b, w.loc, element, old))
                   : old;
  };
  /// The old value where `mask` holds, else anything.
  auto masked = [&](Value mask, function_ref<Value()> make) -> Value {
    if (!mask)
      return make();
    auto choice = scf::IfOp::create(w.b, w.loc, TypeRange{element}, mask,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToEnd(choice.thenBlock());
    scf::YieldOp::create(w.b, w.loc, make());
    w.b.setInsertionPointToEnd(choice.elseBlock());
    scf::YieldOp::create(w.b, w.loc, w.zero(element));
    return choice.getResult(0);
  };
  bool isUsed = !op->getResult(0).use_empty();
  auto operand = [&](unsigned i, int64_t reg) {
    return layout ? w.registers(op->getOperand(i))[reg]
                  : w.scalar(op->getOperand(i));
  };
  unsigned second = rmw ? 1 : 2;
  if (!layout) {
    // One thread does it; what it found goes to all.
    Value first = w.compare(arith::CmpIPredicate::eq, w.threadId(), w.c32(0));
    Value mask = w.both(first, maskOperand ? w.scalar(maskOperand) : Value());
    Value old = masked(mask, [&] {
      return one(operand(0, 0), operand(1, 0), operand(second, 0));
    });
    w.define(op->getResult(0), isUsed ? shareFirstCopy(w, first, old) : old);
    return success();
  }
  auto shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  Value first = w.isFirstCopy(layout);
  order.begin();
  if (rmw && countAddedTogether(rmw) > 1) {
    addWords(rmw, layout, first, order, w);
    order.end();
    return success();
  }
  Regs regs;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    Value mask = w.both(w.both(first, w.isElement(layout, reg, shape)),
                        maskOperand ? w.registers(maskOperand)[reg] : Value());
    regs.push_back(masked(mask, [&] {
      return one(operand(0, reg), operand(1, reg), operand(second, reg));
    }));
  }
  order.end();
  if (isUsed && first)
    shareFirstCopies(w, first, layout, shape, regs);
  w.define(op->getResult(0), std::move(regs));
  return success();
}

void simt::addPointersLowerings(LoweringTable &table) {
  for (StringRef op :
       {tile::PtrAddOp::getOperationName(), tile::PtrCastOp::getOperationName(),
        tile::PtrToIntOp::getOperationName(),
        tile::IntToPtrOp::getOperationName()})
    table.add<Operation *>(op, lowerPointerOp);
  table.add<tile::LoadPtrOp>(lowerLoadPtr);
  table.add<tile::StorePtrOp>(lowerStorePtr);
  for (StringRef op : {tile::AtomicRMWOp::getOperationName(),
                       tile::AtomicCASOp::getOperationName()})
    table.add<Operation *>(op, lowerAtomicOp, atomicNeeds);
}
