//===- ThreadBuilder.cpp - Code of one thread -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Gpu/ThreadBuilder.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

Value ThreadBuilder::shared(int64_t offset) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), kShared);
  if (!sharedBase) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    sharedBase = LLVM::AddressOfOp::create(b, loc, type, kSharedSymbol);
  }
  if (!offset)
    return sharedBase;
  return LLVM::GEPOp::create(b, loc, type, b.getI8Type(), sharedBase,
                             ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

Value ThreadBuilder::elementPointer(Value base, Value index, Type element) {
  if (auto known = getConstantIntValue(index); known && !*known)
    return base;
  return LLVM::GEPOp::create(b, loc, base.getType(), element, base,
                             ArrayRef<LLVM::GEPArg>{index});
}

Type ThreadBuilder::storedType(Type type) {
  if (type.isInteger(1))
    return IntegerType::get(type.getContext(), 8);
  return type;
}

int64_t ThreadBuilder::storedBytes(Type type) {
  if (type.isIndex() || isa<LLVM::LLVMPointerType, tile::PtrType>(type))
    return 8;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

Value ThreadBuilder::toStored(Value value) {
  Type type = storedType(value.getType());
  return type == value.getType()
             ? value
             : b.createOrFold<arith::ExtUIOp>(loc, type, value);
}

Value ThreadBuilder::fromStored(Value value, Type type) {
  if (type == value.getType())
    return value;
  return compare(arith::CmpIPredicate::ne, value, zero(value.getType()));
}

int64_t ThreadBuilder::tileBytes(ArrayRef<int64_t> shape, Type element) {
  int64_t bytes = storedBytes(element);
  for (int64_t size : shape)
    bytes *= llvm::PowerOf2Ceil(size);
  return bytes;
}

int64_t ThreadBuilder::placeTiles(ValueRange values,
                                  SmallVectorImpl<int64_t> &places) {
  int64_t bytes = 0;
  for (Value value : values) {
    places.push_back(bytes);
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      bytes = llvm::alignTo(
          bytes + tileBytes(type.getShape(), type.getElementType()), 16);
  }
  return bytes;
}

Value ThreadBuilder::position(ArrayRef<Value> at, ArrayRef<int64_t> shape) {
  Value sum = c32(0);
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    sum = add(sum, mul(at[d], c32(stride)));
    stride *= llvm::PowerOf2Ceil(shape[d]);
  }
  return sum;
}

void ThreadBuilder::writeTile(int64_t offset, ArrayRef<Value> regs,
                              LayoutAttr layout, ArrayRef<int64_t> shape) {
  Value base = shared(offset);
  if (regs.empty())
    return;
  // Where a register only adds a constant, the instruction has it, and
  // neighbours are stored together.
  bool isPlain = true;
  SmallVector<Value> own;
  for (size_t d = 0; d < shape.size(); ++d) {
    isPlain &= isDisjoint(layout, d);
    own.push_back(threadCoordinate(layout, d));
  }
  Type type = toStored(regs[0]).getType();
  if (isPlain)
    base = elementPointer(base, position(own, shape), type);
  for (auto [reg, value] : llvm::enumerate(regs)) {
    SmallVector<Value> at;
    auto offsets = layout.getRegisterOffset(reg);
    for (size_t d = 0; d < shape.size(); ++d)
      at.push_back(isPlain ? c32(offsets[d]) : coordinate(layout, reg, d));
    Value place = position(at, shape), stored = toStored(value);
    Value address = base;
    if (auto known = getConstantIntValue(place); known && *known)
      address = LLVM::GEPOp::create(b, loc, base.getType(), type, base,
                                    ArrayRef<LLVM::GEPArg>{int32_t(*known)});
    else if (!known)
      address = elementPointer(base, place, type);
    LLVM::StoreOp::create(b, loc, stored, address);
  }
}

Value ThreadBuilder::readElement(int64_t offset, Value position, Type type) {
  Type stored = storedType(type);
  return fromStored(
      LLVM::LoadOp::create(b, loc, stored,
                           elementPointer(shared(offset), position, stored)),
      type);
}

void ThreadBuilder::barrier(Memories memories) {
  if (namesMemories)
    BarrierOp::create(b, loc, memories);
  else
    ::mlir::gpu::BarrierOp::create(b, loc);
}

//===----------------------------------------------------------------------===//
// Exchanges between lanes
//===----------------------------------------------------------------------===//

Value ThreadBuilder::shuffle(Value value, Value argument,
                             ::mlir::gpu::ShuffleMode mode) {
  Type type = value.getType(), i32 = b.getI32Type(), i64 = b.getI64Type();
  // A word at a time.
  if (isa<LLVM::LLVMPointerType>(type)) {
    Value word = LLVM::PtrToIntOp::create(b, loc, i64, value);
    return LLVM::IntToPtrOp::create(b, loc, type,
                                    shuffle(word, argument, mode));
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  Value word = value;
  if (isa<FloatType>(type))
    word = b.createOrFold<arith::BitcastOp>(loc, b.getIntegerType(bits), word);
  if (bits < 32)
    word = b.createOrFold<arith::ExtUIOp>(loc, i32, word);
  auto exchange = [&](Value part) -> Value {
    return ::mlir::gpu::ShuffleOp::create(b, loc, part, argument, c32(lanes),
                                          mode)
        .getShuffleResult();
  };
  if (bits == 64) {
    Value low = exchange(b.createOrFold<arith::TruncIOp>(loc, i32, word));
    Value high = exchange(b.createOrFold<arith::TruncIOp>(
        loc, i32, b.createOrFold<arith::ShRUIOp>(loc, word, c64(32))));
    word =
        or_(b.createOrFold<arith::ExtUIOp>(loc, i64, low),
            b.createOrFold<arith::ShLIOp>(
                loc, b.createOrFold<arith::ExtUIOp>(loc, i64, high), c64(32)));
  } else {
    word = exchange(word);
  }
  if (bits < 32)
    word = b.createOrFold<arith::TruncIOp>(loc, b.getIntegerType(bits), word);
  if (isa<FloatType>(type))
    word = b.createOrFold<arith::BitcastOp>(loc, type, word);
  return word;
}

Value ThreadBuilder::shuffleXor(Value value, int64_t mask) {
  return shuffle(value, c32(mask), ::mlir::gpu::ShuffleMode::XOR);
}

Value ThreadBuilder::shuffleFrom(Value value, Value source) {
  return shuffle(value, source, ::mlir::gpu::ShuffleMode::IDX);
}

Type ThreadBuilder::scalarType(Type type) {
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  if (isa<tile::PtrType>(type))
    return LLVM::LLVMPointerType::get(type.getContext(), kGlobal);
  // Floats that LLVM has no name for are their bits.
  if (isa<FloatType>(type) && !LLVM::isCompatibleType(type))
    return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
  return type;
}
