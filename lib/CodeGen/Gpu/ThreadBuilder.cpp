//===- ThreadBuilder.cpp - Code of one thread -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Gpu/ThreadBuilder.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Overflow = arith::IntegerOverflowFlags;

unsigned ThreadBuilder::laneBits() const { return llvm::Log2_64(lanes); }
unsigned ThreadBuilder::warpBits() const { return llvm::Log2_64(warps); }

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value ThreadBuilder::constant(Type type, int64_t value) {
  Value &known = constants[{type, value}];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    known = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  return known;
}

Value ThreadBuilder::c32(int64_t value) {
  return constant(b.getI32Type(), value);
}
Value ThreadBuilder::c64(int64_t value) {
  return constant(b.getI64Type(), value);
}

Value ThreadBuilder::zero(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::ZeroOp::create(b, loc, type);
  return arith::ConstantOp::create(b, loc, type, b.getZeroAttr(type));
}

Value ThreadBuilder::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}
Value ThreadBuilder::sub(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(loc, x, y);
}
Value ThreadBuilder::mul(Value x, Value y) {
  return b.createOrFold<arith::MulIOp>(loc, x, y);
}
Value ThreadBuilder::xor_(Value x, Value y) {
  return b.createOrFold<arith::XOrIOp>(loc, x, y);
}
Value ThreadBuilder::and_(Value x, Value y) {
  return b.createOrFold<arith::AndIOp>(loc, x, y);
}
Value ThreadBuilder::or_(Value x, Value y) {
  return b.createOrFold<arith::OrIOp>(loc, x, y);
}
Value ThreadBuilder::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
}
Value ThreadBuilder::select(Value condition, Value x, Value y) {
  if (x == y || !condition)
    return x;
  return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
}
Value ThreadBuilder::min(Value x, Value y) {
  return b.createOrFold<arith::MinSIOp>(loc, x, y);
}
Value ThreadBuilder::max(Value x, Value y) {
  return b.createOrFold<arith::MaxSIOp>(loc, x, y);
}
Value ThreadBuilder::widen(Value x) {
  if (x.getType().isInteger(64))
    return x;
  return b.createOrFold<arith::ExtUIOp>(loc, b.getI64Type(), x);
}
Value ThreadBuilder::narrow(Value x) {
  if (x.getType().isInteger(32))
    return x;
  return b.createOrFold<arith::TruncIOp>(loc, b.getI32Type(), x);
}
Value ThreadBuilder::pack(ValueRange scalars) {
  if (scalars.size() == 1)
    return scalars[0];
  auto type = VectorType::get({int64_t(scalars.size())}, scalars[0].getType());
  Value vector = LLVM::PoisonOp::create(b, loc, type);
  for (auto [i, scalar] : llvm::enumerate(scalars))
    vector = LLVM::InsertElementOp::create(b, loc, vector, scalar, c32(i));
  return vector;
}

Value ThreadBuilder::unpack(Value vector, int64_t i) {
  return isa<VectorType>(vector.getType())
             ? LLVM::ExtractElementOp::create(b, loc, vector, c32(i))
             : vector;
}

Value ThreadBuilder::both(Value x, Value y) {
  if (!x || x == y)
    return y;
  return y ? and_(x, y) : x;
}

//===----------------------------------------------------------------------===//
// Who holds what
//===----------------------------------------------------------------------===//

Value ThreadBuilder::threadId() {
  if (!thread) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    Value id = ::mlir::gpu::ThreadIdOp::create(b, loc, b.getIndexType(),
                                               ::mlir::gpu::Dimension::x);
    Value narrow = arith::IndexCastUIOp::create(b, loc, b.getI32Type(), id);
    thread = narrow;
    if (threads() == 1)
      thread = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  }
  return thread;
}

Value ThreadBuilder::warpPart() {
  if (!ofWarp) {
    threadId();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(thread);
    Value mask =
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(-lanes)));
    ofWarp = UniformOp::create(b, loc, b.getI32Type(), and_(thread, mask));
  }
  return ofWarp;
}

Value ThreadBuilder::uniform(Value value) {
  return marksUniform ? Value(UniformOp::create(b, loc, value.getType(), value))
                      : value;
}

/// Terms that are parts of a lane's number or of a warp's, where these are
/// computed apart.
static SmallVector<layout::AddressTerm>
splitTerms(ArrayRef<layout::AddressTerm> terms, int64_t lanes) {
  SmallVector<layout::AddressTerm> parts;
  for (const layout::AddressTerm &term : terms)
    for (int64_t mask : {term.mask & (lanes - 1), term.mask & ~(lanes - 1)})
      if (mask) {
        parts.push_back(term);
        parts.back().mask = mask;
        parts.back().isWhole = false;
      }
  return parts;
}

Value ThreadBuilder::threadPart(ArrayRef<layout::AddressTerm> all) {
  SmallVector<layout::AddressTerm> terms(all);
  if (marksUniform)
    terms = splitTerms(all, lanes);
  Value sum;
  for (const layout::AddressTerm &term : terms) {
    bool isOfWarp = marksUniform && term.mask >= lanes;
    Value part = isOfWarp ? warpPart() : threadId();
    if (!term.isWhole)
      part = and_(part, c32(term.mask));
    if (term.shift > 0)
      part = b.createOrFold<arith::ShLIOp>(loc, part, c32(term.shift));
    else if (term.shift < 0)
      part = b.createOrFold<arith::ShRUIOp>(loc, part, c32(-term.shift));
    if (!sum)
      sum = part;
    else if (term.isDisjoint)
      sum = arith::AddIOp::create(b, loc, sum, part,
                                  Overflow::nsw | Overflow::nuw);
    else
      sum = xor_(sum, part);
  }
  return sum ? sum : c32(0);
}

/// The bases of the bits of a thread's number.
static SmallVector<LayoutAttr::Basis> threadBases(const ThreadBuilder &builder,
                                                  LayoutAttr layout) {
  auto bases = layout.getLaneBases(builder.laneBits());
  bases.append(layout.getWarpBases(builder.warpBits()));
  return bases;
}

Value ThreadBuilder::threadCoordinate(LayoutAttr layout, unsigned dim) {
  Value &known = coordinates[{layout, dim}];
  if (known)
    return known;
  threadId();
  auto bases = threadBases(*this, layout);
  if (marksUniform)
    warpPart();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(marksUniform ? ofWarp : thread);
  auto local = [&](int64_t n) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(n));
  };
  Value sum;
  int64_t seen = 0;
  for (size_t bit = 0; bit < bases.size();) {
    int64_t first = bases[bit][dim];
    if (!first) {
      ++bit;
      continue;
    }
    // Bits that move together.
    size_t count = 1;
    auto isApart = [&](size_t other) {
      return marksUniform && other == laneBits();
    };
    while (bit + count < bases.size() && !isApart(bit + count) &&
           bases[bit + count][dim] == first << count)
      ++count;
    Value id = marksUniform && bit >= laneBits() ? warpPart() : thread;
    bool single = llvm::isPowerOf2_64(first);
    Value part;
    if (single) {
      int64_t to = llvm::Log2_64(first), mask = ((int64_t(1) << count) - 1)
                                                << bit;
      part = id;
      if (bit + count < bases.size() || bit)
        part = and_(part, local(mask));
      if (to > int64_t(bit))
        part = b.createOrFold<arith::ShLIOp>(loc, part, local(to - bit));
      else if (to < int64_t(bit))
        part = b.createOrFold<arith::ShRUIOp>(loc, part, local(bit - to));
      bit += count;
    } else {
      // Several bits of the coordinate from one of the thread.
      Value one =
          and_(b.createOrFold<arith::ShRUIOp>(loc, id, local(bit)), local(1));
      part = mul(one, local(first));
      count = 1;
      ++bit;
    }
    int64_t covers = 0;
    for (size_t k = 0; k < count; ++k)
      covers |= first << k;
    if (!sum)
      sum = part;
    else if (seen & covers)
      sum = xor_(sum, part);
    else
      sum = arith::AddIOp::create(b, loc, sum, part,
                                  Overflow::nsw | Overflow::nuw);
    seen |= covers;
  }
  known = sum ? sum : local(0);
  return known;
}

bool ThreadBuilder::isDisjoint(LayoutAttr layout, unsigned dim) const {
  int64_t ofThreads = 0, ofRegisters = 0;
  for (const Basis &basis : threadBases(*this, layout))
    ofThreads |= basis[dim];
  for (const Basis &basis : layout.getRegisterBases())
    ofRegisters |= basis[dim];
  return !(ofThreads & ofRegisters);
}

Value ThreadBuilder::coordinate(LayoutAttr layout, int64_t reg, unsigned dim) {
  Value base = threadCoordinate(layout, dim);
  int64_t offset = layout.getRegisterOffset(reg)[dim];
  if (!offset)
    return base;
  if (isDisjoint(layout, dim))
    return add(base, c32(offset));
  return xor_(base, c32(offset));
}

int64_t ThreadBuilder::copyMask(LayoutAttr layout, unsigned laneBits,
                                unsigned warpBits) {
  int64_t mask = 0;
  // A bit whose basis others make, too, holds copies where it is set.
  SmallVector<Basis> found;
  auto add = [&](const Basis &basis) {
    Basis rest = basis;
    auto reduce = [&] {
      for (const Basis &known : found) {
        // The leading bit of `known` decides.
        for (size_t d = 0; d < known.size(); ++d) {
          if (!known[d])
            continue;
          if (rest[d] >> llvm::Log2_64(known[d]) & 1)
            for (size_t e = 0; e < rest.size(); ++e)
              rest[e] ^= known[e];
          break;
        }
      }
    };
    reduce();
    if (llvm::all_of(rest, [](int64_t n) { return n == 0; }))
      return false;
    found.push_back(rest);
    return true;
  };
  for (const Basis &basis : layout.getRegisterBases())
    add(basis);
  auto threads = layout.getLaneBases(laneBits);
  threads.append(layout.getWarpBases(warpBits));
  for (auto [bit, basis] : llvm::enumerate(threads))
    if (!add(basis))
      mask |= int64_t(1) << bit;
  return mask;
}

Value ThreadBuilder::isFirstCopy(LayoutAttr layout) {
  auto [it, isNew] = firstCopies.try_emplace(layout);
  if (!isNew)
    return it->second;
  Value result;
  if (int64_t mask = copyMask(layout, laneBits(), warpBits())) {
    threadId();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(thread);
    auto local = [&](int64_t n) -> Value {
      return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(n));
    };
    result =
        compare(arith::CmpIPredicate::eq, and_(thread, local(mask)), local(0));
  }
  firstCopies[layout] = result;
  return result;
}

Value ThreadBuilder::isElement(LayoutAttr layout, int64_t reg,
                               ArrayRef<int64_t> shape) {
  Value all;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (llvm::isPowerOf2_64(size))
      continue;
    all = both(all, compare(arith::CmpIPredicate::ult,
                            coordinate(layout, reg, d), c32(size)));
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Memory of the block
//===----------------------------------------------------------------------===//

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
