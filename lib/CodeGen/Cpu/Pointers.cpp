//===- Pointers.cpp - Memory behind pointers, lane by lane ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelEmitter.h"
#include "SmallFloats.h"
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

bool KernelEmitter::emitScalarPointer(Operation *op) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  if (auto offset = dyn_cast<tile::PtrAddOp>(op)) {
    Value distance = scalar(offset.getOffset());
    if (distance.getType().isIndex())
      distance = arith::IndexCastOp::create(b, loc, b.getI64Type(), distance);
    else if (!distance.getType().isInteger(64))
      distance = arith::ExtSIOp::create(b, loc, b.getI64Type(), distance);
    Type element =
        cast<tile::PtrType>(op->getResult(0).getType()).getElementType();
    mapping.map(op->getResult(0),
                gep(scalar(offset.getPtr()), distance, element));
    return true;
  }
  if (isa<tile::PtrCastOp>(op)) {
    mapping.map(op->getResult(0), scalar(op->getOperand(0)));
    return true;
  }
  if (auto cast = dyn_cast<tile::PtrToIntOp>(op)) {
    Value address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(),
                                             scalar(cast.getSource()));
    Type type = cast.getResult().getType();
    if (type.isIndex())
      address = arith::IndexCastOp::create(b, loc, type, address);
    else if (!type.isInteger(64))
      address = arith::TruncIOp::create(b, loc, type, address);
    mapping.map(op->getResult(0), address);
    return true;
  }
  if (auto cast = dyn_cast<tile::IntToPtrOp>(op)) {
    if (isTile(cast.getResult().getType()))
      return true; // read by the access
    Value address = scalar(cast.getSource());
    if (address.getType().isIndex())
      address = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
    else if (!address.getType().isInteger(64))
      address = arith::ExtSIOp::create(b, loc, b.getI64Type(), address);
    mapping.map(op->getResult(0),
                LLVM::IntToPtrOp::create(b, loc, pointer, address));
    return true;
  }
  return false;
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

LogicalResult KernelEmitter::emitLoadPtr(tile::LoadPtrOp load) {
  Type element = getElementTypeOrSelf(load.getResult().getType());
  Type stored = storageType(element);
  unsigned align = storageBytes(element);
  if (!isTile(load.getResult().getType())) {
    Value pointer = scalar(load.getPtr());
    Value mask = load.getMask() ? scalar(load.getMask()) : Value();
    Value value = ifEnabled(
        mask, stored,
        [&]() -> Value {
          return LLVM::LoadOp::create(b, loc, stored, pointer, align,
                                      load.getIsVolatile());
        },
        [&]() -> Value {
          if (load.getOther())
            return toStorage(scalar(load.getOther()));
          return zeroOf(stored);
        });
    mapping.map(load.getResult(), fromStorage(value, element));
    return success();
  }

  freshLevels();
  Value addresses = addressTile(load.getPtr());
  SmallVector<Value> roots = {addresses};
  for (Value optional : {load.getMask(), load.getOther()})
    if (optional)
      roots.push_back(optional);
  TileBuffer buffer = resultBuffer(load.getResult());
  Nest nest = nestOver(buffer.shape, roots, /*oneByOne=*/false);
  runNest(nest, [&](Point point, Value count) {
    Value address = evaluateLanes(addresses, point);
    Value enabled = enabledLanes(*this, load.getMask(), point, count);
    Value other =
        load.getOther() ? evaluateLanes(load.getOther(), point) : Value();
    Value pointer = toPointers(*this, address);
    Value value;
    if (point.lanes == 1) {
      value = ifEnabled(
          enabled, stored,
          [&]() -> Value {
            return LLVM::LoadOp::create(b, loc, stored, pointer, align,
                                        load.getIsVolatile());
          },
          [&]() -> Value { return other ? toStorage(other) : zeroOf(stored); });
    } else {
      Type type = vectorOf(stored, point.lanes);
      if (!enabled)
        enabled = laneMask(c64(point.lanes), point.lanes);
      value = LLVM::masked_gather::create(
          b, loc, type, pointer, enabled,
          ValueRange{other ? toStorage(other) : zeroOf(type)},
          b.getI32IntegerAttr(align));
    }
    storeBuffer(fromStorage(value, element), buffer, point, count);
  });
  define(load.getResult(), buffer);
  return success();
}

LogicalResult KernelEmitter::emitStorePtr(tile::StorePtrOp store) {
  Type element = getElementTypeOrSelf(store.getValue().getType());
  unsigned align = storageBytes(element);
  if (!isTile(store.getValue().getType())) {
    Value value = toStorage(scalar(store.getValue()));
    Value pointer = scalar(store.getPtr());
    Value mask = store.getMask() ? scalar(store.getMask()) : Value();
    ifEnabled(mask, Type(), [&]() -> Value {
      LLVM::StoreOp::create(b, loc, value, pointer, align);
      return {};
    });
    return success();
  }

  freshLevels();
  Value addresses = addressTile(store.getPtr());
  SmallVector<Value> roots = {addresses, store.getValue()};
  if (store.getMask())
    roots.push_back(store.getMask());
  auto shape = cast<RankedTensorType>(store.getValue().getType()).getShape();
  Nest nest = nestOver(shape, roots, /*oneByOne=*/false);
  runNest(nest, [&](Point point, Value count) {
    Value value = toStorage(evaluateLanes(store.getValue(), point));
    Value address = evaluateLanes(addresses, point);
    Value enabled = enabledLanes(*this, store.getMask(), point, count);
    Value pointer = toPointers(*this, address);
    if (point.lanes == 1) {
      ifEnabled(enabled, Type(), [&]() -> Value {
        LLVM::StoreOp::create(b, loc, value, pointer, align);
        return {};
      });
      return;
    }
    if (!enabled)
      enabled = laneMask(c64(point.lanes), point.lanes);
    LLVM::masked_scatter::create(b, loc, value, pointer, enabled, align);
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

LogicalResult KernelEmitter::emitAtomicRMW(tile::AtomicRMWOp op) {
  Type element = getElementTypeOrSelf(op.getValue().getType());
  Type stored = storageType(element), combined = combinedType(op, element);
  LLVM::AtomicBinOp kind = kindOf(op.getKind(), isa<FloatType>(combined));
  auto access = [&](Value pointer, Value value, Value mask) -> Value {
    return ifEnabled(
        mask, stored,
        [&]() -> Value {
          return combineAtomically(kind, orderOf(op.getOrder()), combined,
                                   pointer, value);
        },
        [&]() -> Value { return zeroOf(stored); });
  };
  if (!isTile(op.getValue().getType())) {
    Value old = access(scalar(op.getPtr()), toStorage(scalar(op.getValue())),
                       op.getMask() ? scalar(op.getMask()) : Value());
    mapping.map(op.getResult(), fromStorage(old, element));
    return success();
  }
  freshLevels();
  Value addresses = addressTile(op.getPtr());
  SmallVector<Value> roots = {addresses, op.getValue()};
  if (op.getMask())
    roots.push_back(op.getMask());
  bool used = !op.getResult().use_empty();
  TileBuffer buffer = used ? resultBuffer(op.getResult()) : TileBuffer();
  auto shape = cast<RankedTensorType>(op.getValue().getType()).getShape();
  Nest nest = nestOver(shape, roots, /*oneByOne=*/true);
  runNest(nest, [&](Point point, Value count) {
    Value value = toStorage(evaluate(op.getValue(), point));
    Value pointer = toPointers(*this, evaluate(addresses, point));
    Value mask = enabledLanes(*this, op.getMask(), point, count);
    Value old = access(pointer, value, mask);
    if (used)
      storeBuffer(fromStorage(old, element), buffer, point);
  });
  if (used)
    define(op.getResult(), buffer);
  return success();
}

LogicalResult KernelEmitter::emitAtomicCAS(tile::AtomicCASOp op) {
  Type element = getElementTypeOrSelf(op.getValue().getType());
  if (!isTile(op.getValue().getType())) {
    Value old = compareAndSwap(*this, op, scalar(op.getPtr()),
                               toStorage(scalar(op.getCompare())),
                               toStorage(scalar(op.getValue())));
    mapping.map(op.getResult(), fromStorage(old, element));
    return success();
  }
  freshLevels();
  Value addresses = addressTile(op.getPtr());
  TileBuffer buffer = resultBuffer(op.getResult());
  Nest nest =
      nestOver(buffer.shape, {addresses, op.getCompare(), op.getValue()},
               /*oneByOne=*/true);
  runNest(nest, [&](Point point, Value) {
    Value old =
        compareAndSwap(*this, op, toPointers(*this, evaluate(addresses, point)),
                       toStorage(evaluate(op.getCompare(), point)),
                       toStorage(evaluate(op.getValue(), point)));
    storeBuffer(fromStorage(old, element), buffer, point);
  });
  define(op.getResult(), buffer);
  return success();
}
