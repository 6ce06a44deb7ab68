//===- ThreadCoordinates.cpp - Elements that a thread holds
//----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Gpu/ThreadCoordinates.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Overflow = arith::IntegerOverflowFlags;

Value ThreadCoordinates::threadId() {
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

Value ThreadCoordinates::warpPart() {
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

Value ThreadCoordinates::uniform(Value value) {
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

Value ThreadCoordinates::threadPart(ArrayRef<layout::AddressTerm> all) {
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
static SmallVector<LayoutAttr::Basis>
threadBases(const ThreadCoordinates &builder, LayoutAttr layout) {
  auto bases = layout.getLaneBases(builder.laneBits());
  bases.append(layout.getWarpBases(builder.warpBits()));
  return bases;
}

Value ThreadCoordinates::threadCoordinate(LayoutAttr layout, unsigned dim) {
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

bool ThreadCoordinates::isDisjoint(LayoutAttr layout, unsigned dim) const {
  int64_t ofThreads = 0, ofRegisters = 0;
  for (const Basis &basis : threadBases(*this, layout))
    ofThreads |= basis[dim];
  for (const Basis &basis : layout.getRegisterBases())
    ofRegisters |= basis[dim];
  return !(ofThreads & ofRegisters);
}

Value ThreadCoordinates::coordinate(LayoutAttr layout, int64_t reg,
                                    unsigned dim) {
  Value base = threadCoordinate(layout, dim);
  int64_t offset = layout.getRegisterOffset(reg)[dim];
  if (!offset)
    return base;
  if (isDisjoint(layout, dim))
    return add(base, c32(offset));
  return xor_(base, c32(offset));
}

int64_t ThreadCoordinates::copyMask(LayoutAttr layout, unsigned laneBits,
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

Value ThreadCoordinates::isFirstCopy(LayoutAttr layout) {
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

Value ThreadCoordinates::isElement(LayoutAttr layout, int64_t reg,
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
