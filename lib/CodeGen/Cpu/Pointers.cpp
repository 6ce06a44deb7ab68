//===- Pointers.cpp - Memory behind pointers, lane by lane ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "SmallFloats.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// The addresses behind the pointers of an access: what `tile.int_to_ptr`
/// takes.
static Value addressTile(Value pointers) {
  return pointers.getDefiningOp<tile::IntToPtrOp>().getSource();
}

Type KernelEmitter::scalarType(Type type) {
  if (isa<tile::PtrType>(type))
    return LLVM::LLVMPointerType::get(b.getContext());
  return type;
}

/// An integer of a kernel, read as signed, as i64.
static Value asI64(KernelEmitter &e, Value value) {
  Type i64 = e.b.getI64Type();
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(e.b, e.loc, i64, value);
  if (value.getType().isInteger(64))
    return value;
  return arith::ExtSIOp::create(e.b, e.loc, i64, value);
}

LogicalResult cpu::lowerPtrAdd(tile::PtrAddOp op, KernelEmitter &e) {
  Value distance = asI64(e, e.scalar(op.getOffset()));
  Type element = cast<tile::PtrType>(op.getResult().getType()).getElementType();
  e.mapping.map(op.getResult(),
                e.gep(e.scalar(op.getPtr()), distance, element));
  return success();
}

LogicalResult cpu::lowerPtrCast(tile::PtrCastOp op, KernelEmitter &e) {
  e.mapping.map(op->getResult(0), e.scalar(op->getOperand(0)));
  return success();
}

LogicalResult cpu::lowerPtrToInt(tile::PtrToIntOp op, KernelEmitter &e) {
  Value address = LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(),
                                           e.scalar(op.getSource()));
  Type type = op.getResult().getType();
  if (type.isIndex())
    address = arith::IndexCastOp::create(e.b, e.loc, type, address);
  else if (!type.isInteger(64))
    address = arith::TruncIOp::create(e.b, e.loc, type, address);
  e.mapping.map(op.getResult(), address);
  return success();
}

LogicalResult cpu::lowerIntToPtr(tile::IntToPtrOp op, KernelEmitter &e) {
  if (isTile(op.getResult().getType()))
    return success(); // read by the access
  Type pointer = LLVM::LLVMPointerType::get(e.b.getContext());
  Value address = asI64(e, e.scalar(op.getSource()));
  e.mapping.map(op.getResult(),
                LLVM::IntToPtrOp::create(e.b, e.loc, pointer, address));
  return success();
}

Value RegisterBuilder::ifEnabled(Value mask, Type type,
                                 llvm::function_ref<Value()> emit,
                                 llvm::function_ref<Value()> otherwise) {
  if (!mask)
    return emit();
  SmallVector<Type> types;
  if (type)
    types.push_back(type);
  auto branch = scf::IfOp::create(b, loc, types, mask, /*withElse=*/!!type);
  OpBuilder::InsertionGuard guard(b);
  auto fillBlock = [&](Block *block, llvm::function_ref<Value()> make) {
    if (!block->empty())
      block->getTerminator()->erase();
    b.setInsertionPointToEnd(block);
    Value value = make();
    scf::YieldOp::create(b, loc, type ? ValueRange{value} : ValueRange());
  };
  fillBlock(branch.thenBlock(), emit);
  if (!type)
    return {};
  fillBlock(branch.elseBlock(), otherwise);
  return branch.getResult(0);
}

Nest NestBuilder::nestOver(ArrayRef<int64_t> shape, ArrayRef<Value> roots,
                           bool oneByOne) {
  Nest nest;
  nest.shape.assign(shape.begin(), shape.end());
  SmallVector<int> identity;
  for (auto [d, size] : llvm::enumerate(shape))
    identity.push_back(size == 1 ? kZero : int(d));
  chooseLanes(nest, roots, {});
  if (oneByOne)
    nest.lanes = 1;
  for (Value root : roots)
    collect(root, identity, nest);
  return nest;
}

/// Vector of pointers from vector of addresses.
static Value toPointers(KernelEmitter &e, Value addresses) {
  Type pointer = LLVM::LLVMPointerType::get(e.b.getContext());
  if (auto vector = dyn_cast<VectorType>(addresses.getType()))
    pointer = VectorType::get(vector.getShape(), pointer);
  return LLVM::IntToPtrOp::create(e.b, e.loc, pointer, addresses);
}

/// The lanes that the mask enables and that exist; null if those are all.
static Value enabledLanes(KernelEmitter &e, Value mask, const Point &point,
                          Value count) {
  Value enabled;
  if (mask)
    enabled = point.lanes == 1 ? e.evaluate(mask, point)
                               : e.evaluateLanes(mask, point);
  if (count && point.lanes > 1)
    enabled = e.conjunction(enabled, e.laneMask(count, point.lanes));
  return enabled;
}

static LogicalResult lowerLoadPtr(tile::LoadPtrOp load, KernelEmitter &e) {
  Type element = getElementTypeOrSelf(load.getResult().getType());
  Type stored = e.storageType(element);
  unsigned align = e.storageBytes(element);
  if (!isTile(load.getResult().getType())) {
    Value pointer = e.scalar(load.getPtr());
    Value mask = load.getMask() ? e.scalar(load.getMask()) : Value();
    Value value = e.ifEnabled(
        mask, stored,
        [&]() -> Value {
          return LLVM::LoadOp::create(e.b, e.loc, stored, pointer, align,
                                      load.getIsVolatile());
        },
        [&]() -> Value {
          if (load.getOther())
            return e.toStorage(e.scalar(load.getOther()));
          return e.zeroOf(stored);
        });
    e.mapping.map(load.getResult(), e.fromStorage(value, element));
    return success();
  }

  e.freshLevels();
  Value addresses = addressTile(load.getPtr());
  SmallVector<Value> roots = {addresses};
  for (Value optional : {load.getMask(), load.getOther()})
    if (optional)
      roots.push_back(optional);
  TileBuffer buffer = e.resultBuffer(load.getResult());
  Nest nest = e.nestOver(buffer.shape, roots, /*oneByOne=*/false);
  e.runNest(nest, [&](Point point, Value count) {
    Value address = e.evaluateLanes(addresses, point);
    Value enabled = enabledLanes(e, load.getMask(), point, count);
    Value other =
        load.getOther() ? e.evaluateLanes(load.getOther(), point) : Value();
    Value pointer = toPointers(e, address);
    Value value;
    if (point.lanes == 1) {
      value = e.ifEnabled(
          enabled, stored,
          [&]() -> Value {
            return LLVM::LoadOp::create(e.b, e.loc, stored, pointer, align,
                                        load.getIsVolatile());
          },
          [&]() -> Value {
            return other ? e.toStorage(other) : e.zeroOf(stored);
          });
    } else {
      auto type = cast<VectorType>(e.vectorOf(stored, point.lanes));
      if (!enabled)
        enabled = e.laneMask(e.c64(point.lanes), point.lanes);
      value = e.gatherLanes(type, pointer, enabled,
                            other ? e.toStorage(other) : e.zeroOf(type), align);
    }
    e.storeBuffer(e.fromStorage(value, element), buffer, point, count);
  });
  e.define(load.getResult(), buffer);
  return success();
}

static LogicalResult lowerStorePtr(tile::StorePtrOp store, KernelEmitter &e) {
  Type element = getElementTypeOrSelf(store.getValue().getType());
  unsigned align = e.storageBytes(element);
  if (!isTile(store.getValue().getType())) {
    Value value = e.toStorage(e.scalar(store.getValue()));
    Value pointer = e.scalar(store.getPtr());
    Value mask = store.getMask() ? e.scalar(store.getMask()) : Value();
    e.ifEnabled(mask, Type(), [&]() -> Value {
      LLVM::StoreOp::create(e.b, e.loc, value, pointer, align);
      return {};
    });
    return success();
  }

  e.freshLevels();
  Value addresses = addressTile(store.getPtr());
  SmallVector<Value> roots = {addresses, store.getValue()};
  if (store.getMask())
    roots.push_back(store.getMask());
  auto shape = cast<RankedTensorType>(store.getValue().getType()).getShape();
  Nest nest = e.nestOver(shape, roots, /*oneByOne=*/false);
  e.runNest(nest, [&](Point point, Value count) {
    Value value = e.toStorage(e.evaluateLanes(store.getValue(), point));
    Value address = e.evaluateLanes(addresses, point);
    Value enabled = enabledLanes(e, store.getMask(), point, count);
    Value pointer = toPointers(e, address);
    if (point.lanes == 1) {
      e.ifEnabled(enabled, Type(), [&]() -> Value {
        LLVM::StoreOp::create(e.b, e.loc, value, pointer, align);
        return {};
      });
      return;
    }
    if (!enabled)
      enabled = e.laneMask(e.c64(point.lanes), point.lanes);
    LLVM::masked_scatter::create(e.b, e.loc, value, pointer, enabled, align);
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
  return LLVM::AtomicOrdering::seq_cst;
}

static LLVM::AtomicBinOp kindOf(tile::AtomicKind kind, bool isFloat) {
  switch (kind) {
  case tile::AtomicKind::exchange:
    return LLVM::AtomicBinOp::xchg;
  case tile::AtomicKind::add:
    return isFloat ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
  case tile::AtomicKind::fadd:
    return LLVM::AtomicBinOp::fadd;
  case tile::AtomicKind::max:
    return isFloat ? LLVM::AtomicBinOp::fmax : LLVM::AtomicBinOp::max;
  case tile::AtomicKind::min:
    return isFloat ? LLVM::AtomicBinOp::fmin : LLVM::AtomicBinOp::min;
  case tile::AtomicKind::umax:
    return LLVM::AtomicBinOp::umax;
  case tile::AtomicKind::umin:
    return LLVM::AtomicBinOp::umin;
  case tile::AtomicKind::and_:
    return LLVM::AtomicBinOp::_and;
  case tile::AtomicKind::or_:
    return LLVM::AtomicBinOp::_or;
  case tile::AtomicKind::xor_:
    return LLVM::AtomicBinOp::_xor;
  }
  return LLVM::AtomicBinOp::xchg;
}

/// old = *pointer; if old has the bits of `compare`, *pointer = value.
static Value compareAndSwap(KernelEmitter &e, tile::AtomicCASOp op,
                            Value pointer, Value compare, Value value) {
  Type type = value.getType();
  Type bits = e.b.getIntegerType(type.getIntOrFloatBitWidth());
  auto toBits = [&](Value x) -> Value {
    return type == bits
               ? x
               : arith::BitcastOp::create(e.b, e.loc, bits, x).getResult();
  };
  LLVM::AtomicOrdering order = orderOf(op.getOrder());
  LLVM::AtomicOrdering onFailure = LLVM::AtomicOrdering::monotonic;
  if (order == LLVM::AtomicOrdering::acquire ||
      order == LLVM::AtomicOrdering::acq_rel)
    onFailure = LLVM::AtomicOrdering::acquire;
  Value pair = LLVM::AtomicCmpXchgOp::create(
      e.b, e.loc, pointer, toBits(compare), toBits(value), order, onFailure);
  Value old =
      LLVM::ExtractValueOp::create(e.b, e.loc, pair, ArrayRef<int64_t>{0});
  return type == bits
             ? old
             : arith::BitcastOp::create(e.b, e.loc, type, old).getResult();
}

static LogicalResult lowerAtomicRMW(tile::AtomicRMWOp op, KernelEmitter &e) {
  Type element = getElementTypeOrSelf(op.getValue().getType());
  Type stored = e.storageType(element), combined = combinedType(op, element);
  LLVM::AtomicBinOp kind = kindOf(op.getKind(), isa<FloatType>(combined));
  auto access = [&](Value pointer, Value value, Value mask) -> Value {
    return e.ifEnabled(
        mask, stored,
        [&]() -> Value {
          return combineAtomically(e, kind, orderOf(op.getOrder()), combined,
                                   pointer, value);
        },
        [&]() -> Value { return e.zeroOf(stored); });
  };
  if (!isTile(op.getValue().getType())) {
    Value old =
        access(e.scalar(op.getPtr()), e.toStorage(e.scalar(op.getValue())),
               op.getMask() ? e.scalar(op.getMask()) : Value());
    e.mapping.map(op.getResult(), e.fromStorage(old, element));
    return success();
  }
  e.freshLevels();
  Value addresses = addressTile(op.getPtr());
  SmallVector<Value> roots = {addresses, op.getValue()};
  if (op.getMask())
    roots.push_back(op.getMask());
  bool used = !op.getResult().use_empty();
  TileBuffer buffer = used ? e.resultBuffer(op.getResult()) : TileBuffer();
  auto shape = cast<RankedTensorType>(op.getValue().getType()).getShape();
  Nest nest = e.nestOver(shape, roots, /*oneByOne=*/true);
  e.runNest(nest, [&](Point point, Value count) {
    Value value = e.toStorage(e.evaluate(op.getValue(), point));
    Value pointer = toPointers(e, e.evaluate(addresses, point));
    Value mask = enabledLanes(e, op.getMask(), point, count);
    Value old = access(pointer, value, mask);
    if (used)
      e.storeBuffer(e.fromStorage(old, element), buffer, point);
  });
  if (used)
    e.define(op.getResult(), buffer);
  return success();
}

static LogicalResult lowerAtomicCAS(tile::AtomicCASOp op, KernelEmitter &e) {
  Type element = getElementTypeOrSelf(op.getValue().getType());
  if (!isTile(op.getValue().getType())) {
    Value old = compareAndSwap(e, op, e.scalar(op.getPtr()),
                               e.toStorage(e.scalar(op.getCompare())),
                               e.toStorage(e.scalar(op.getValue())));
    e.mapping.map(op.getResult(), e.fromStorage(old, element));
    return success();
  }
  e.freshLevels();
  Value addresses = addressTile(op.getPtr());
  TileBuffer buffer = e.resultBuffer(op.getResult());
  Nest nest =
      e.nestOver(buffer.shape, {addresses, op.getCompare(), op.getValue()},
                 /*oneByOne=*/true);
  e.runNest(nest, [&](Point point, Value) {
    Value old =
        compareAndSwap(e, op, toPointers(e, e.evaluate(addresses, point)),
                       e.toStorage(e.evaluate(op.getCompare(), point)),
                       e.toStorage(e.evaluate(op.getValue(), point)));
    e.storeBuffer(e.fromStorage(old, element), buffer, point);
  });
  e.define(op.getResult(), buffer);
  return success();
}

void cpu::addPointersLowerings(LoweringTable &table) {
  table.add<tile::LoadPtrOp>(lowerLoadPtr);
  table.add<tile::StorePtrOp>(lowerStorePtr);
  table.add<tile::AtomicRMWOp>(lowerAtomicRMW);
  table.add<tile::AtomicCASOp>(lowerAtomicCAS);
}
