//===- AccessUpdates.cpp - Copies and updates through views ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Access.h"
#include "LayoutChoice.h"
#include "RowCopies.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Target/Limits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Pred = arith::CmpIPredicate;

/// Whether a vector that begins at a register is inside (i1), or how many bytes
/// of it are (i32); null: all.
Value Access::validBytes(int64_t reg, int64_t count) {
  int64_t bytes = ThreadBuilder::storedBytes(element);
  Value mask = everywhere, left;
  for (auto [i, a] : llvm::enumerate(axes)) {
    if (a.axis.isIndirect())
      mask = w.both(mask, isIndexInside(a, reg));
    if (!a.rest)
      continue;
    // Vectors begin at multiples of their size, and so does the view.
    if (a.low)
      mask = w.both(mask, w.compare(Pred::sge,
                                    w.coordinate(layout, reg, a.axis.tileDim),
                                    a.low));
    // Where the view ends with a vector, too, it is inside as a whole.
    bool isWhole =
        int(i) != unit || (a.facts.divisor % count == 0 &&
                           sizeDivisor(view, a.dim, w.facts) % count == 0);
    if (isWhole) {
      mask = w.both(mask, isBeforeEnd(a, reg));
      continue;
    }
    Value rest =
        a.left ? w.sub(a.left,
                       w.c32(layout.getRegisterOffset(reg)[a.axis.tileDim]))
               : w.sub(a.rest, w.coordinate(layout, reg, a.axis.tileDim));
    rest = w.mul(rest, w.c32(bytes));
    left = w.max(w.min(rest, w.c32(count * bytes)), w.c32(0));
  }
  if (!mask || !left)
    return mask ? mask : left;
  return w.select(mask, left, w.c32(0));
}

void Access::copyAsync(const FillCondition &condition,
                       function_ref<Value(int64_t)> target,
                       function_ref<void(const CopyPiece &)> start) {
  prepare(condition);
  bool isIndirect =
      llvm::any_of(axes, [](const Axis &a) { return a.axis.isIndirect(); });
  unsigned bits = chooseVector();
  if (int64_t bytes = rowCopyBytesOf(w.description)) {
    // Other lanes' elements are in between only as storage is permuted.
    vectorOrder = vectorBits(layout, contiguityOf(view, viewAxes, w.axes).dim,
                             bytes / ThreadBuilder::storedBytes(element));
    bits = vectorOrder.size();
  }
  forEachVector(bits, [&](ArrayRef<int64_t> registers) {
    int64_t count = registers.size(), first = registers[0];
    Value valid;
    if (whole || isIndirect)
      valid = validBytes(first, count);
    Value from = w.elementPointer(base, offsetOf(first), stored);
    start({from, target(first), alignmentFor(count),
           w.both(condition.mask, w.isFirstCopy(layout)), valid});
  });
}

/// The larger, or the smaller, of a float in memory and `value`, by an update
/// of integers: floats of one sign are ordered as their bits are. Devices have
/// no such update of floats; one that reads and exchanges until no other thread
/// comes between takes longer. `current`: the bits in memory a moment ago.
/// Updates only increase them, or only decrease them: where they already win,
/// there is no update. NaN gets the sign with which it wins in either order.
/// One of the other sign, in memory from before, would lose: the first thread
/// that finds it puts NaN in its place, and no thread puts another number
/// there.
static void updateExtreme(RegisterCode &w, bool isMax, Value address,
                          Value value, Value current) {
  using Bin = LLVM::AtomicBinOp;
  OpBuilder &b = w.b;
  auto type = cast<FloatType>(value.getType());
  Type integer = current.getType();
  auto bitsOf = [&](const APFloat &number) -> Value {
    return arith::ConstantOp::create(
        b, w.loc, b.getIntegerAttr(integer, number.bitcastToAPInt()));
  };
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  Value nan = bitsOf(APFloat::getQNaN(semantics, /*Negative=*/!isMax));
  Value infinity = bitsOf(APFloat::getInf(semantics, /*Negative=*/isMax));
  Value zero = bitsOf(APFloat::getZero(semantics));
  Value isNaN = arith::OrIOp::create(
      b, w.loc,
      arith::CmpFOp::create(b, w.loc, arith::CmpFPredicate::UNO, value, value),
      w.compare(isMax ? Pred::ugt : Pred::sgt, current, infinity));
  Value bits =
      w.select(isNaN, nan, arith::BitcastOp::create(b, w.loc, integer, value));
  auto put = [&](Value isThere, Pred wins, Bin kind) {
    w.guarded(w.both(isThere, w.compare(wins, bits, current)), [&] {
      AtomicRMWOp::create(b, w.loc, integer, kind,
                          LLVM::AtomicOrdering::monotonic,
                          tile::MemoryScope::device, address, bits);
    });
  };
  put(w.compare(Pred::slt, bits, zero), isMax ? Pred::ult : Pred::ugt,
      isMax ? Bin::umin : Bin::umax);
  put(w.compare(Pred::sge, bits, zero), isMax ? Pred::sgt : Pred::slt,
      isMax ? Bin::max : Bin::min);
}

/// The product of an element in memory and `value`: reads and exchanges until
/// no other thread comes between, as devices have no such update.
static void updateProduct(RegisterCode &w, Value address, Value value) {
  OpBuilder &b = w.b;
  Type type = value.getType();
  auto floats = dyn_cast<FloatType>(type);
  Type integer = b.getIntegerType(type.getIntOrFloatBitWidth());
  // Products begin with one, often enough to save a read.
  Value guess = arith::ConstantOp::create(
      b, w.loc,
      floats ? b.getIntegerAttr(
                   integer,
                   APFloat::getOne(floats.getFloatSemantics()).bitcastToAPInt())
             : b.getIntegerAttr(integer, 1));
  auto loop = scf::WhileOp::create(b, w.loc, TypeRange{integer},
                                   ValueRange{guess}, nullptr, nullptr);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBeforeBody());
  Value before = loop.getBeforeArguments()[0], after;
  if (floats) {
    Value product = arith::MulFOp::create(
        b, w.loc, arith::BitcastOp::create(b, w.loc, type, before), value);
    after = arith::BitcastOp::create(b, w.loc, integer, product);
  } else {
    after = arith::MulIOp::create(b, w.loc, before, value);
  }
  Value old =
      AtomicCASOp::create(b, w.loc, integer, LLVM::AtomicOrdering::monotonic,
                          tile::MemoryScope::device, address, before, after);
  Value again = arith::CmpIOp::create(b, w.loc, Pred::ne, old, before);
  scf::ConditionOp::create(b, w.loc, again, ValueRange{old});
  b.setInsertionPointToEnd(loop.getAfterBody());
  scf::YieldOp::create(b, w.loc, loop.getAfterArguments());
}

/// The update of a store that combines; `xchg` for products, which have none.
static LLVM::AtomicBinOp updateOf(tile::Combine combine, Type element) {
  using Bin = LLVM::AtomicBinOp;
  bool isFloat = isa<FloatType>(element), isTruth = element.isInteger(1);
  switch (combine) {
  case tile::Combine::add:
    // One bit lies in a byte, whose other bits stay zero.
    return isTruth ? Bin::_xor : isFloat ? Bin::fadd : Bin::add;
  case tile::Combine::mul:
    return isTruth ? Bin::_and : Bin::xchg;
  case tile::Combine::max:
    return isFloat ? Bin::fmaximum : Bin::max;
  case tile::Combine::min:
    return isFloat ? Bin::fminimum : Bin::min;
  case tile::Combine::umax:
    return Bin::umax;
  case tile::Combine::umin:
    return Bin::umin;
  case tile::Combine::and_:
    return Bin::_and;
  case tile::Combine::or_:
    return Bin::_or;
  case tile::Combine::xor_:
    return Bin::_xor;
  case tile::Combine::inc:
    return Bin::uinc_wrap;
  case tile::Combine::dec:
    return Bin::udec_wrap;
  case tile::Combine::assign:
    break;
  }
  return Bin::xchg;
}

/// Whether an element of 16 bits and its neighbour in a word both lie in the
/// view, a line of memory whose elements an index names.
bool Access::hasWholeWords() {
  auto viewType = cast<tile::ViewType>(view.getType());
  constexpr int64_t kWordBytes = 4, kInWord = 2;
  return axes.size() == 1 && axes[0].axis.isIndirect() &&
         viewType.getStaticStride(0) == 1 &&
         alignmentOf(view, w.facts) % kWordBytes == 0 &&
         sizeDivisor(view, 0, w.facts) % kInWord == 0;
}

/// Adds a float of 16 bits by an update of the word that it is in. -0 is added
/// to its neighbour, which changes no number.
void Access::addInWord(int64_t reg, Value value) {
  Value index = indexOf(axes[0], reg);
  Value isLate = w.compare(Pred::ne, w.and_(index, w.c64(1)), w.c64(0));
  auto type = cast<FloatType>(value.getType());
  Value nothing = arith::ConstantOp::create(
      w.b, w.loc,
      w.b.getFloatAttr(type, APFloat::getZero(type.getFloatSemantics(),
                                              /*Negative=*/true)));
  Value word = w.pack(
      {w.select(isLate, nothing, value), w.select(isLate, value, nothing)});
  Value address =
      w.elementPointer(base, w.and_(index, w.c64(~int64_t(1))), stored);
  AtomicRMWOp::create(w.b, w.loc, word.getType(), LLVM::AtomicBinOp::fadd,
                      LLVM::AtomicOrdering::monotonic,
                      tile::MemoryScope::device, address, word);
}

/// log2 of how many neighbours one update adds.
unsigned Access::bitsAddedTogether() {
  int64_t most = target::countAddedNeighbours(w.description, stored);
  unsigned bits = most > 1 ? chooseVector() : 0;
  // Floats of 16 bits are added in words, however many there are.
  while (stored.isF32() && int64_t(1) << bits > most)
    --bits;
  return bits;
}

/// log2 of how many neighbours an update of all elements, or none, takes.
unsigned Access::bitsUpdatedTogether(unsigned bits) {
  if (!bits || axes[unit].alwaysInside)
    return bits;
  // Those beside each other are inside of the view together, or none is.
  if (axes[unit].axis.isIndirect() ||
      !llvm::isPowerOf2_64(type.getDimSize(axes[unit].axis.tileDim)))
    return 0;
  int64_t divisor = sizeDivisor(view, axes[unit].dim, w.facts);
  while (bits && divisor % (int64_t(1) << bits))
    --bits;
  return bits;
}

/// Which threads update memory, null for all; none if no thread does.
std::optional<Value> Access::maskOfUpdate(int64_t reg) {
  Value inside = maskOf(reg, false);
  if (isNever(inside))
    return std::nullopt;
  return w.both(w.isFirstCopy(layout), inside);
}

/// Updates to the larger number, or to the smaller one. All threads read what
/// is there before they update.
void Access::updateExtremes(bool isMax) {
  const Regs &values = w.registers(op.getAccessedTile());
  Type integer = w.b.getIntegerType(stored.getIntOrFloatBitWidth());
  unsigned bits = bitsUpdatedTogether(chooseVector());
  struct Piece {
    SmallVector<int64_t> registers;
    Value mask, address, current;
  };
  SmallVector<Piece> pieces;
  forEachVector(bits, [&](ArrayRef<int64_t> group) {
    std::optional<Value> mask = maskOfUpdate(group[0]);
    if (!mask)
      return;
    int64_t count = group.size();
    Value address = w.elementPointer(base, offsetOf(group[0]), stored);
    Type read = count > 1 ? VectorType::get({count}, integer) : integer;
    Value current = LoadOp::create(
        w.b, w.loc, read, address, *mask, Value(), alignmentFor(count),
        /*is_volatile=*/true, tile::CacheHint::none, tile::EvictHint::normal);
    pieces.push_back({llvm::to_vector(group), *mask, address, current});
  });
  for (Piece &piece : pieces)
    w.guarded(piece.mask, [&] {
      for (auto [i, reg] : llvm::enumerate(piece.registers)) {
        Value address =
            w.elementPointer(piece.address, w.c64(int64_t(i)), stored);
        Value current = piece.registers.size() > 1 ? w.unpack(piece.current, i)
                                                   : piece.current;
        updateExtreme(w, isMax, address, w.toStored(values[reg]), current);
      }
    });
}

/// Combining stores: each element once.
void Access::update() {
  using Bin = LLVM::AtomicBinOp;
  Bin kind = updateOf(tile::combineOf(op), element);
  bool isMax = kind == Bin::fmaximum;
  if ((isMax || kind == Bin::fminimum) && (stored.isF32() || stored.isF64()))
    return updateExtremes(isMax);
  const Regs &values = w.registers(op.getAccessedTile());
  // Neighbours are added together: alone, floats of 16 bits would be read and
  // exchanged until no other thread comes between.
  unsigned bits =
      kind == Bin::fadd ? bitsUpdatedTogether(bitsAddedTogether()) : 0;
  bool isHalfWord = !bits && kind == Bin::fadd &&
                    (stored.isF16() || stored.isBF16()) && hasWholeWords();
  forEachVector(bits, [&](ArrayRef<int64_t> group) {
    std::optional<Value> mask = maskOfUpdate(group[0]);
    if (!mask)
      return;
    Value address = w.elementPointer(base, offsetOf(group[0]), stored);
    w.guarded(*mask, [&] {
      Value sum = w.pack(llvm::map_to_vector(
          group, [&](int64_t reg) { return w.toStored(values[reg]); }));
      if (isHalfWord)
        return addInWord(group[0], sum);
      if (kind == Bin::xchg)
        return updateProduct(w, address, sum);
      AtomicRMWOp::create(w.b, w.loc, sum.getType(), kind,
                          LLVM::AtomicOrdering::monotonic,
                          tile::MemoryScope::device, address, sum);
    });
  });
}
