//===- LaunchBounds.cpp - Integers bounded by what a launch knows ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaunchBounds.h"
#include "TileSource.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/IndexMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace kiln::tile;

/// No tile has dimensions that those of the access are known of.
static constexpr TilePlace kNowhere = ~TilePlace(0);

static Type elementOf(Value value) { return getElementTypeOrSelf(value); }

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static TilePlace identityPlace(int64_t rank) {
  TilePlace place = 0;
  for (int64_t d = 0; d < rank; ++d)
    place |= TilePlace(d + 1) << (4 * d);
  return rank < 15 ? place : kNowhere;
}

/// Returns the place of the operand of an operation that moves elements.
static TilePlace placeOfSource(Operation *op, TilePlace place) {
  std::optional<TileSource> source = findTileSource(op);
  if (!source || place == kNowhere)
    return kNowhere;
  TilePlace result = 0;
  for (auto [from, to] : llvm::enumerate(source->dims))
    result |= (place >> (4 * to) & 15) << (4 * from);
  return result;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LaunchBounds::LaunchBounds(KernelOp kernel, bool assumes)
    : kernel(kernel), assumes(assumes), context(kernel.getContext()) {}

/// Subtracts the operations of an expression from `rest`; false where those are
/// more. An expression may share parts with itself, and everything that reads
/// expressions walks over each of them.
static bool isSmall(AffineExpr expr, int64_t &rest) {
  if (--rest < 0)
    return false;
  auto both = dyn_cast_or_null<AffineBinaryOpExpr>(expr);
  return !both ||
         (isSmall(both.getLHS(), rest) && isSmall(both.getRHS(), rest));
}

static bool isSmall(const LaunchBound &bound) {
  int64_t rest = 1024;
  return isSmall(bound.low, rest) && isSmall(bound.high, rest);
}

LaunchBound LaunchBounds::boundOf(Value value, TilePlace place) {
  Type type = elementOf(value);
  if (!type.isIntOrIndex())
    return {};
  // Scalars have no elements that a mask could leave out.
  if (!isa<RankedTensorType>(value.getType()))
    place = kNowhere;
  auto found = known.find({value, place});
  if (found != known.end())
    return found->second;
  constexpr unsigned most = 256;
  if (depth >= most)
    return ofType(type);
  known[{value, place}] = ofType(type);
  llvm::SaveAndRestore deeper(depth, depth + 1);
  LaunchBound bound = compute(value, place);
  auto restricted = enabled.find({value, place});
  if (restricted != enabled.end())
    bound = boundOfEnabled(std::move(bound), restricted->second);
  if (!isSmall(bound))
    bound = ofType(type);
  return known[{value, place}] = bound;
}

/// Bounds of what a mask leaves. A condition that only the mask spares is not
/// needed: the ends that it gives come first.
LaunchBound LaunchBounds::boundOfEnabled(LaunchBound bound,
                                         const Enabled &mask) {
  auto isBetter = [](AffineExpr old, AffineExpr fresh) {
    return fresh && (!old || !numberOf(old) || numberOf(fresh));
  };
  if (mask.high) {
    LaunchBound other = boundOf(mask.high, kNowhere);
    if (isBetter(bound.high, other.high)) {
      bound.high = mask.isBelow ? other.high - 1 : other.high;
      bound.bits = std::max(bound.bits, other.bits);
      merge(bound, other);
    }
  }
  if (mask.low) {
    LaunchBound other = boundOf(mask.low, kNowhere);
    if (isBetter(bound.low, other.low)) {
      bound.low = mask.isAbove ? other.low + 1 : other.low;
      bound.bits = std::max(bound.bits, other.bits);
      merge(bound, other);
    }
  }
  return bound;
}

LaunchBound LaunchBounds::ofArgument(BlockArgument argument) {
  Type type = argument.getType();
  Operation *parent = argument.getOwner()->getParentOp();
  if (parent == kernel && argument.getOwner() == &kernel.getBody().front()) {
    // Conditions compute with 64 bits: products of wide numbers do not fit.
    if (!assumes || type.isInteger(1) || !isNarrow(type))
      return ofType(type);
    LaunchBound bound;
    bound.low = bound.high =
        getAffineSymbolExpr(argument.getArgNumber(), context);
    bound.bits = type.getIntOrFloatBitWidth() - 1;
    return bound;
  }
  auto loop = dyn_cast_or_null<scf::ForOp>(parent);
  if (!loop || argument != loop.getInductionVar() || loop.getUnsignedCmp())
    return ofType(type);
  LaunchBound start = boundOf(loop.getLowerBound(), kNowhere);
  LaunchBound end = boundOf(loop.getUpperBound(), kNowhere);
  LaunchBound result = ofType(type);
  result.bits = std::max(start.bits, end.bits);
  // Steps are positive: a loop without that has no meaning.
  if (start.low && (!numberOf(start.low) || !result.low ||
                    *numberOf(start.low) >= *numberOf(result.low))) {
    result.low = start.low;
    merge(result, start);
  }
  if (end.high) {
    result.high = end.high - 1;
    merge(result, end);
  }
  return result;
}

static std::optional<std::pair<int64_t, int64_t>> rangeOf(Value value) {
  Type type = elementOf(value);
  if (!type.isIndex() && !type.isInteger(64) && !isNarrow(type))
    return std::nullopt;
  if (auto number = getConstantIntValue(value))
    return std::pair(*number, *number);
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || elements.empty())
    return std::nullopt;
  if (elements.isSplat()) {
    int64_t one = elements.getSplatValue<APInt>().getSExtValue();
    return std::pair(one, one);
  }
  int64_t low = std::numeric_limits<int64_t>::max();
  int64_t high = std::numeric_limits<int64_t>::min();
  for (const APInt &element : elements.getValues<APInt>()) {
    low = std::min(low, element.getSExtValue());
    high = std::max(high, element.getSExtValue());
  }
  return std::pair(low, high);
}

LaunchBound LaunchBounds::compute(Value value, TilePlace place) {
  Type type = elementOf(value);
  if (auto range = rangeOf(value))
    return between(range->first, range->second);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument);
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  auto gridExtent = [&] {
    return getAffineSymbolExpr(kernel.getNumArguments() + number, context);
  };
  if (std::optional<unsigned> dim = getCountedDim(op)) {
    auto tile = cast<RankedTensorType>(value.getType());
    return fit(between(0, tile.getDimSize(*dim) - 1), type);
  }
  if (Value fill = getFillValue(op))
    return boundOf(fill, kNowhere);
  if (Value moved = getMovedTile(op))
    return boundOf(moved, placeOfSource(op, place));
  LaunchBound bound;
  return TypeSwitch<Operation *, LaunchBound>(op)
      .Case([&](ProgramIdOp) {
        bound.low = constant(0);
        bound.high =
            assumes ? gridExtent() - 1 : constant(llvm::maxIntN(32) - 1);
        bound.bits = kLaunchBits;
        return bound;
      })
      .Case([&](NumProgramsOp) {
        if (!assumes)
          return between(1, llvm::maxIntN(32));
        bound.low = bound.high = gridExtent();
        bound.bits = kLaunchBits;
        return bound;
      })
      .Case([&](tensor::ExtractOp extract) {
        return boundOf(extract.getTensor(), kNowhere);
      })
      .Case([&](scf::IfOp choice) {
        if (choice.getElseRegion().empty())
          return ofType(type);
        return join(boundOf(choice.thenYield().getOperand(number), kNowhere),
                    boundOf(choice.elseYield().getOperand(number), kNowhere));
      })
      .Default([&](Operation *) { return ofArith(op, place); });
}

/// The result of an addition, a subtraction or a product of whole numbers.
LaunchBound LaunchBounds::whole(Operation *op, TilePlace place) {
  LaunchBound a = boundOf(op->getOperand(0), place);
  if (auto shift = dyn_cast<arith::ShLIOp>(op)) {
    auto amount = rangeOf(shift.getRhs());
    if (!amount || amount->first != amount->second || amount->first < 0 ||
        amount->first >= kLaunchBits)
      return {};
    return mul(
        a, between(int64_t(1) << amount->first, int64_t(1) << amount->first));
  }
  if (op->getNumOperands() == 1)
    return a;
  LaunchBound b = boundOf(op->getOperand(1), place);
  if (isa<arith::MulIOp>(op))
    return mul(a, b);
  return add(a, b, isa<arith::SubIOp>(op));
}

LaunchBound LaunchBounds::ofArith(Operation *op, TilePlace place) {
  Type type = elementOf(op->getResult(0));
  auto operand = [&](unsigned i) { return boundOf(op->getOperand(i), place); };
  return TypeSwitch<Operation *, LaunchBound>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp,
            arith::TruncIOp, arith::IndexCastOp>(
          [&](auto) { return fit(whole(op, place), type); })
      .Case([&](arith::ExtSIOp) { return operand(0); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) {
        Type from = elementOf(op->getOperand(0));
        LaunchBound bound = operand(0);
        if (bound.low && !from.isInteger(1) && need(bound, bound.low))
          return fit(bound, type);
        if (!isNarrow(from))
          return ofType(type);
        return fit(between(0, llvm::maxUIntN(from.getIntOrFloatBitWidth())),
                   type);
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>([&](auto) {
        return fit(quotient(operand(0), operand(1), false), type);
      })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([&](auto) {
        return fit(quotient(operand(0), operand(1), true), type);
      })
      .Case([&](arith::RemSIOp) {
        return fit(remainder(operand(0), operand(1)), type);
      })
      .Case<arith::MinSIOp, arith::MaxSIOp>([&](auto) {
        return fit(choose(operand(0), operand(1), isa<arith::MinSIOp>(op)),
                   type);
      })
      .Case([&](arith::SelectOp) {
        return fit(join(operand(1), operand(2)), type);
      })
      .Default([&](Operation *) { return ofBits(op, place); });
}

LaunchBound LaunchBounds::ofBits(Operation *op, TilePlace place) {
  if (op->getNumResults() != 1)
    return {};
  Type type = elementOf(op->getResult(0));
  auto operand = [&](unsigned i) { return boundOf(op->getOperand(i), place); };
  if (isa<arith::AndIOp>(op))
    // What is not negative bounds both.
    for (unsigned i : {0u, 1u}) {
      auto range = rangeOf(op->getOperand(i));
      if (range && range->first >= 0)
        return fit(between(0, range->second), type);
    }
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op)) {
    auto amount = rangeOf(op->getOperand(1));
    LaunchBound bound = operand(0);
    if (amount && amount->first == amount->second && amount->first >= 0 &&
        amount->first < kLaunchBits && bound.low && bound.high &&
        (isa<arith::ShRSIOp>(op) || need(bound, bound.low))) {
      int64_t divisor = int64_t(1) << amount->first;
      bound.low = bound.low.floorDiv(divisor);
      bound.high = bound.high.floorDiv(divisor);
      return bound;
    }
  }
  if (isa<arith::RemUIOp>(op)) {
    LaunchBound a = operand(0), b = operand(1);
    if (a.low && need(a, a.low))
      return fit(remainder(a, b), type);
  }
  if (isa<arith::OrIOp, arith::XOrIOp>(op)) {
    LaunchBound a = operand(0), b = operand(1), result = ofType(type);
    merge(result, a);
    merge(result, b);
    if (a.low && b.low && need(result, a.low) && need(result, b.low)) {
      result.low = constant(0);
      return result;
    }
  }
  return ofType(type);
}

//===----------------------------------------------------------------------===//
// Exactness
//===----------------------------------------------------------------------===//

/// The largest power of two that divides all elements. Wrapping around keeps
/// it.
int64_t LaunchBounds::powerOf(Value value) {
  if (auto range = rangeOf(value)) {
    if (range->first != range->second)
      return 1;
    return range->first ? range->first & -range->first : int64_t(1) << 62;
  }
  if (!isa<RankedTensorType>(value.getType())) {
    int64_t divisor = facts.of(value).divisor;
    return divisor ? divisor & -divisor : int64_t(1) << 62;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return 1;
  if (auto found = powers.find(value); found != powers.end())
    return found->second;
  int64_t power = powerOf(op);
  powers[value] = power;
  return power;
}

int64_t LaunchBounds::powerOf(Operation *op) {
  if (Value fill = getFillValue(op))
    return powerOf(fill);
  if (Value moved = getMovedTile(op))
    return powerOf(moved);
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op))
    return powerOf(op->getOperand(0));
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return std::min(powerOf(op->getOperand(0)), powerOf(op->getOperand(1)));
  if (isa<arith::MulIOp>(op)) {
    int64_t a = powerOf(op->getOperand(0)), b = powerOf(op->getOperand(1));
    return a > (int64_t(1) << 62) / b ? int64_t(1) << 62 : a * b;
  }
  return 1;
}

bool LaunchBounds::isExact(Operation *op, TilePlace place) {
  Type type = elementOf(op->getResult(0));
  if (!isNarrow(type))
    return true;
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    if (flags.hasNoSignedWrap())
      return true;
  // A multiple of a power of two and less than that do not carry.
  if (isa<arith::AddIOp>(op))
    for (unsigned i : {0u, 1u}) {
      LaunchBound rest = boundOf(op->getOperand(1 - i), place);
      auto low = numberOf(rest.low), high = numberOf(rest.high);
      if (low && high && *low >= 0 && rest.needs.empty() &&
          *high < powerOf(op->getOperand(i)))
        return true;
    }
  LaunchBound bound = whole(op, place);
  if (!fits(bound, type))
    return false;
  pending.insert(bound.needs.begin(), bound.needs.end());
  return true;
}

void LaunchBounds::examine(Value tile, TilePlace place) {
  // What several operations use is met once: there may be many ways to it.
  SmallVector<Key> left = {{tile, place}};
  llvm::DenseSet<Key> met;
  while (!left.empty()) {
    auto [value, at] = left.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !isa<RankedTensorType>(value.getType()) ||
        !met.insert({value, at}).second)
      continue;
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::IndexCastOp>(
            op)) {
      bool isGood = isExact(op, at);
      auto [found, isNew] = exact.try_emplace(value, isGood);
      found->second &= isGood;
      if (!isGood)
        continue;
    }
    if (Value moved = getMovedTile(op))
      left.push_back({moved, placeOfSource(op, at)});
    else if (asPointerStep(op) ||
             isa<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                 arith::IndexCastOp, arith::ExtSIOp>(op))
      for (Value operand : llvm::reverse(op->getOperands()))
        left.push_back({operand, at});
  }
}

void LaunchBounds::examine(Value tile, Value mask) {
  exact.clear();
  if (mask || !enabled.empty()) {
    // What was known of all elements may be known better of fewer.
    known.clear();
    enabled.clear();
  }
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  TilePlace place = type ? identityPlace(type.getRank()) : kNowhere;
  masks.clear();
  powers.clear();
  if (mask && place != kNowhere)
    readMask(mask, place);
  examine(tile, place);
}

/// Notes comparisons that hold at all enabled elements.
void LaunchBounds::readMask(Value mask, TilePlace place) {
  Operation *op = mask.getDefiningOp();
  if (!op || place == kNowhere || !masks.insert({mask, place}).second)
    return;
  if (isa<arith::AndIOp>(op)) {
    readMask(op->getOperand(0), place);
    return readMask(op->getOperand(1), place);
  }
  if (std::optional<TileSource> source = findTileSource(op))
    return readMask(source->value, placeOfSource(op, place));
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !isa<RankedTensorType>(compare.getLhs().getType()))
    return;
  auto note = [&](Value value, Value other, bool isHigh, bool isStrict) {
    // Through what repeats elements along dimensions of the access.
    for (auto source = findTileSource(value.getDefiningOp());
         source && source->keepsDims();
         source = findTileSource(value.getDefiningOp()))
      value = source->value;
    Enabled &entry = enabled[{value, place}];
    (isHigh ? entry.high : entry.low) = other;
    (isHigh ? entry.isBelow : entry.isAbove) = isStrict;
  };
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  bool isStrict = predicate == P::slt || predicate == P::sgt;
  if (predicate == P::slt || predicate == P::sle) {
    note(compare.getLhs(), compare.getRhs(), true, isStrict);
    note(compare.getRhs(), compare.getLhs(), false, isStrict);
  } else if (predicate == P::sgt || predicate == P::sge) {
    note(compare.getLhs(), compare.getRhs(), false, isStrict);
    note(compare.getRhs(), compare.getLhs(), true, isStrict);
  }
}

bool LaunchBounds::isExact(Value value) {
  auto found = exact.find(value);
  if (found != exact.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  return op && isExact(op, kNowhere);
}

bool LaunchBounds::isNear(OpFoldResult scalar, int64_t steps) {
  constexpr int64_t most = int64_t(1) << 30;
  LaunchBound bound;
  if (auto number = getConstantIntValue(scalar)) {
    if (std::abs(*number) > most)
      return false;
    bound = between(*number, *number);
  } else {
    bound = boundOf(cast<Value>(scalar), kNowhere);
  }
  bound = mul(bound, between(steps, steps));
  if (!bound.low || !bound.high || !need(bound, bound.low + (most - 1)) ||
      !need(bound, constant(most - 1) - bound.high))
    return false;
  pending.insert(bound.needs.begin(), bound.needs.end());
  return true;
}

bool LaunchBounds::areWithin(ArrayRef<std::pair<OpFoldResult, int64_t>> scalars,
                             int64_t most) {
  LaunchConditions needs;
  for (auto [scalar, steps] : scalars) {
    LaunchBound bound = boundOf(cast<Value>(scalar), kNowhere);
    if (!bound.low || !need(bound, bound.low))
      return false;
    bound = mul(bound, between(steps, steps));
    if (!bound.high || !need(bound, constant(most) - bound.high))
      return false;
    needs.insert(bound.needs.begin(), bound.needs.end());
  }
  pending.insert(needs.begin(), needs.end());
  return true;
}

bool LaunchBounds::isNonNegative(Value value) {
  LaunchBound bound = boundOf(value, kNowhere);
  if (!bound.low || !need(bound, bound.low))
    return false;
  pending.insert(bound.needs.begin(), bound.needs.end());
  return true;
}

void LaunchBounds::commit() {
  noted.insert(pending.begin(), pending.end());
  pending.clear();
}

bool LaunchBounds::isWhole(Operation *op) {
  Type type = elementOf(op->getResult(0));
  LaunchBound bound = whole(op, kNowhere);
  return isNarrow(type) && fits(bound, type) &&
         llvm::all_of(bound.needs,
                      [&](AffineExpr expr) { return noted.contains(expr); });
}

void LaunchBounds::invalidate() {
  known.clear();
  enabled.clear();
  exact.clear();
  facts = index::Analysis();
}

IntegerSetAttr LaunchBounds::conditions() {
  if (noted.empty())
    return {};
  unsigned extents = kernel.getNumArguments();
  SmallVector<AffineExpr> kept = prune(noted, extents);
  // A set has at least one.
  if (kept.empty())
    kept.push_back(constant(0));
  SmallVector<bool> areEqualities(kept.size(), false);
  return IntegerSetAttr::get(
      IntegerSet::get(/*dimCount=*/0, extents + 3, kept, areEqualities));
}
