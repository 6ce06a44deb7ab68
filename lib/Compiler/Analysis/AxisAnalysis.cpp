//===- AxisAnalysis.cpp - Neighbours in tiles of indices ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AxisArith.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/IndexMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;
using namespace kiln::tile::axis;

/// Of what a pointer points to.
static int64_t elementBytes(Type pointers) {
  Type element = cast<PtrType>(getElementTypeOrSelf(pointers)).getElementType();
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 8;
}

//===----------------------------------------------------------------------===//
// Integers that wrap around
//===----------------------------------------------------------------------===//

/// The largest number of a type that is narrow enough to wrap around. Wider
/// ones count coordinates and addresses, which do not.
static std::optional<int64_t> largestOf(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  if (!integer || integer.getWidth() >= 64 || integer.getWidth() < 2)
    return std::nullopt;
  return llvm::maxIntN(integer.getWidth());
}

/// A number that no element of a tile exceeds, where none is less than 0.
static std::optional<int64_t> mostOf(Value tile, index::Analysis &scalars,
                                     unsigned depth = 0) {
  constexpr unsigned deepest = 8; // each step may ask for two operands
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  Operation *op = tile.getDefiningOp();
  if (!type || !op || depth == deepest)
    return std::nullopt;
  std::optional<int64_t> most;
  auto operand = [&](unsigned i) {
    return mostOf(op->getOperand(i), scalars, depth + 1);
  };
  DenseIntElementsAttr list;
  if (matchPattern(op, m_Constant(&list)) && list.isSplat()) {
    most = list.getSplatValue<APInt>().getSExtValue();
  } else if (Value fill = getFillValue(op)) {
    index::Facts facts = scalars.of(fill);
    if (facts.range.isNonNegative())
      most = facts.range.high;
  } else if (auto dim = getCountedDim(op)) {
    most = type.getDimSize(*dim) - 1;
  } else if (handsOnElements(op) && op->getNumOperands() == 1) {
    most = operand(0);
  } else if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
                 arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    most = operand(0);
  } else if (isa<arith::AddIOp, arith::MulIOp>(op)) {
    auto a = operand(0), b = operand(1);
    int64_t both;
    if (a && b &&
        !(isa<arith::AddIOp>(op) ? llvm::AddOverflow(*a, *b, both)
                                 : llvm::MulOverflow(*a, *b, both)))
      most = both;
  } else if (isa<arith::DivSIOp, arith::DivUIOp>(op)) {
    most = operand(1) ? operand(0) : std::nullopt;
  } else if (isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    auto a = operand(0), b = operand(1);
    if (a && b)
      most = std::min(*a, std::max<int64_t>(*b - 1, 0));
  }
  if (!most || *most < 0 || *most > largestOf(type).value_or(*most))
    return std::nullopt;
  return most;
}

/// Whether a sum or product of numbers that are not negative is none, either.
static bool staysNonNegative(Operation *op, const TileFacts &a,
                             const TileFacts &b, index::Analysis &scalars) {
  Value result = op->getResult(0);
  if (!largestOf(result.getType()) || mostOf(result, scalars))
    return true;
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  if (flags && flags.hasNoSignedWrap())
    return true;
  // What is less than a power of two does not carry into multiples of it.
  auto isBelow = [&](unsigned i, const TileFacts &other) {
    auto most = mostOf(op->getOperand(i), scalars);
    return most && *most < other.everyDivisor();
  };
  return isa<arith::AddIOp>(op) && (isBelow(1, a) || isBelow(0, b));
}

/// Runs of at most `length` neighbours.
static void shortenRuns(TileFacts &facts, int64_t length) {
  for (AxisFacts &axis : facts.axes) {
    int64_t run = std::min(axis.contiguity, length);
    axis.divisibility = divisorAt(axis, run);
    axis.contiguity = run;
  }
}

/// Numbers that become wider, or offsets of pointers. A run that begins at a
/// multiple of its length does not wrap around within it; others may. One of 32
/// bits would have elements of one buffer 2^32 apart.
static TileFacts widened(TileFacts facts, Value from) {
  std::optional<int64_t> largest = largestOf(from.getType());
  auto flags = from.getDefiningOp<arith::ArithIntegerOverflowFlagsInterface>();
  if (!largest || *largest >= llvm::maxIntN(32) || facts.isNonNegative ||
      (flags && flags.hasNoSignedWrap()))
    return facts;
  for (AxisFacts &axis : facts.axes)
    axis.contiguity = std::min(axis.contiguity, axis.divisibility);
  return facts;
}

/// Numbers that keep their low bits.
static TileFacts narrowed(TileFacts facts, Operation *op,
                          index::Analysis &scalars) {
  std::optional<int64_t> largest = largestOf(op->getResult(0).getType());
  if (!largest)
    return facts;
  facts.isNonNegative &= mostOf(op->getResult(0), scalars).has_value();
  shortenRuns(facts, *largest + 1);
  return facts;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TileFacts AxisAnalysis::ofNumber(const index::Facts &facts,
                                 ArrayRef<int64_t> shape) {
  TileFacts tile = unknown(shape);
  for (auto [axis, size] : llvm::zip_equal(tile.axes, shape)) {
    axis.constancy = powerIn(size);
    axis.divisibility = powerIn(facts.divisor);
  }
  tile.isNonNegative = facts.range.isNonNegative();
  return tile;
}

TileFacts AxisAnalysis::ofScalar(Value scalar, ArrayRef<int64_t> shape) {
  index::Facts facts;
  if (isa<PtrType>(scalar.getType()))
    facts.divisor = alignmentOf(scalar, scalars);
  else if (scalar.getType().isIntOrIndex())
    facts = scalars.of(scalar);
  return ofNumber(facts, shape);
}

/// The number of bits that a shift shifts by; none where it is not known, or
/// too large to count with.
static std::optional<int64_t> shiftedBy(Operation *shift) {
  constexpr int64_t kMost = 40;
  IntegerAttr bits;
  DenseIntElementsAttr list;
  if (matchPattern(shift->getOperand(1), m_Constant(&list)) && list.isSplat())
    bits = IntegerAttr::get(list.getElementType(), list.getSplatValue<APInt>());
  else if (!matchPattern(shift->getOperand(1), m_Constant(&bits)))
    return std::nullopt;
  if (bits.getInt() < 0 || bits.getInt() > kMost)
    return std::nullopt;
  return bits.getInt();
}

/// A shift of `value`: a product with a power of two, or a quotient.
static TileFacts ofShift(Operation *op, const TileFacts &value,
                         const TileFacts &factor, index::Analysis &scalars,
                         ArrayRef<int64_t> shape) {
  if (isa<arith::ShLIOp>(op)) {
    TileFacts product = multiply(value, factor);
    product.isNonNegative &= staysNonNegative(op, value, factor, scalars);
    return product;
  }
  return isa<arith::ShRUIOp>(op) && !value.isNonNegative
             ? unknown(shape)
             : divide(value, factor);
}

/// What a selection by `by` leaves of what both choices have.
static TileFacts chosenBy(const TileFacts &by, TileFacts chosen) {
  for (auto [axis, along] : llvm::zip_equal(chosen.axes, by.axes)) {
    int64_t run = std::min(axis.contiguity, along.constancy);
    axis.divisibility = divisorAt(axis, run);
    axis.contiguity = run;
    axis.constancy = std::min(axis.constancy, along.constancy);
  }
  return chosen;
}

/// The division of a whose quotient by b makes a difference
/// a - (a / b) * b what it leaves; null where there is none.
static Operation *divisionBefore(Operation *op) {
  auto difference = dyn_cast<arith::SubIOp>(op);
  auto product = difference ? difference.getRhs().getDefiningOp<arith::MulIOp>()
                            : arith::MulIOp();
  if (!product)
    return nullptr;
  for (unsigned i : {0, 1}) {
    Operation *division = product->getOperand(i).getDefiningOp();
    if (isa_and_nonnull<arith::DivSIOp, arith::DivUIOp>(division) &&
        division->getOperand(0) == difference.getLhs() &&
        division->getOperand(1) == product->getOperand(1 - i))
      return division;
  }
  return nullptr;
}

/// A quotient a / b, or what it leaves. The sign of b only changes that of a
/// quotient: runs of a that are not negative stay within one.
static TileFacts ofDivision(Operation *op, const TileFacts &a,
                            const TileFacts &b) {
  bool isQuotient = isa<arith::DivSIOp, arith::DivUIOp>(op);
  if (!a.isNonNegative)
    return combine(a, b, [](const AxisFacts &x, const AxisFacts &y) {
      return AxisFacts{1, 1, std::min(x.constancy, y.constancy)};
    });
  TileFacts facts = isQuotient ? divide(a, b) : remainder(a, b);
  facts.isNonNegative = !isa<arith::DivSIOp>(op) || b.isNonNegative;
  return facts;
}

TileFacts AxisAnalysis::ofArith(Operation *op, ArrayRef<int64_t> shape) {
  auto operand = [&](unsigned i) -> TileFacts { return of(op->getOperand(i)); };
  TileFacts facts =
      TypeSwitch<Operation *, TileFacts>(op)
          .Case<arith::AddIOp, arith::SubIOp>([&](auto made) {
            bool subtracts = isa<arith::SubIOp>(op);
            if (Operation *division = divisionBefore(op))
              return ofDivision(op, of(division->getOperand(0)),
                                of(division->getOperand(1)));
            TileFacts sum =
                combine(operand(0), operand(1),
                        [&](const AxisFacts &a, const AxisFacts &b) {
                          return addAxes(a, b, 1, subtracts);
                        });
            sum.isNonNegative &=
                !subtracts &&
                staysNonNegative(op, operand(0), operand(1), scalars);
            return sum;
          })
          .Case([&](PointerOffsetOpInterface made) {
            int64_t bytes = elementBytes(op->getResult(0).getType());
            TileFacts from = operand(0);
            if (Value offset = made.getOffsetInElements())
              return combine(std::move(from), widened(operand(1), offset),
                             [&](const AxisFacts &a, const AxisFacts &b) {
                               return addAxes(a, b, bytes, false);
                             });
            if (bytes != elementBytes(made.getBasePointers().getType()))
              for (AxisFacts &axis : from.axes) {
                axis.divisibility = divisorAt(axis, 1);
                axis.contiguity = 1;
              }
            return from;
          })
          .Case([&](arith::MulIOp) {
            TileFacts a = operand(0), b = operand(1);
            TileFacts product = multiply(a, b);
            product.isNonNegative &= staysNonNegative(op, a, b, scalars);
            return product;
          })
          .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>([&](auto) {
            std::optional<int64_t> bits = shiftedBy(op);
            if (!bits)
              return unknown(shape);
            TileFacts factor =
                ofNumber(index::Facts::exactly(int64_t(1) << *bits), shape);
            return ofShift(op, operand(0), factor, scalars, shape);
          })
          .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
              [&](auto made) { return ofDivision(op, operand(0), operand(1)); })
          .Case([&](arith::CmpIOp made) {
            return compare(made.getPredicate(), operand(0), operand(1));
          })
          .Case([&](arith::SelectOp made) {
            TileFacts by = isa<RankedTensorType>(made.getCondition().getType())
                               ? operand(0)
                               : ofNumber({}, shape);
            return chosenBy(by, join(operand(1), operand(2)));
          })
          .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>([&](auto) {
            return narrowed(widened(operand(0), op->getOperand(0)), op,
                            scalars);
          })
          .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) {
            TileFacts value = operand(0);
            return value.isNonNegative ? value : unknown(shape);
          })
          .Default([&](Operation *) { return unknown(shape); });
  // What is computed from equal elements is equal.
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return facts;
  for (auto [d, axis] : llvm::enumerate(facts.axes)) {
    int64_t same = powerIn(shape[d]);
    for (Value value : op->getOperands())
      if (isa<RankedTensorType>(value.getType()))
        same = std::min(same, of(value).axes[d].constancy);
    axis.constancy = std::max(axis.constancy, same);
  }
  return facts;
}

/// Elements of one tile at other places.
std::optional<TileFacts> AxisAnalysis::ofMoved(Operation *op,
                                               ArrayRef<int64_t> shape) {
  if (!handsOnElements(op) || op->getNumOperands() != 1)
    return std::nullopt;
  OpOperand &operand = op->getOpOperand(0);
  OperandRead read = getOperandRead(operand);
  auto from = cast<RankedTensorType>(operand.get().getType());
  const TileFacts source = of(operand.get());
  TileFacts facts = unknown(shape);
  facts.isNonNegative = source.isNonNegative;
  int64_t every = source.everyDivisor();
  for (auto [d, axis] : llvm::enumerate(facts.axes))
    axis.divisibility = every;
  if (!read || read.domain)
    return facts;
  for (auto [d, axis] : llvm::enumerate(facts.axes)) {
    SmallVector<unsigned, 2> along;
    for (auto [e, expr] : llvm::enumerate(read.map.getResults()))
      if (expr.isFunctionOfDim(d) && from.getDimSize(e) != 1)
        along.push_back(e);
    if (along.empty())
      axis.constancy = powerIn(shape[d]);
    else if (along.size() == 1 &&
             isa<AffineDimExpr>(read.map.getResult(along[0])) &&
             from.getDimSize(along[0]) == shape[d])
      axis = source.axes[along[0]];
  }
  return facts;
}

TileFacts AxisAnalysis::ofCarried(Value carried, Value first, Value next) {
  // From what holds at first to what the next round leaves of it.
  TileFacts facts = of(first);
  constexpr int most = 8;
  constexpr unsigned deepest = 4; // each may ask for the next one in each round
  llvm::SaveAndRestore deeper(carriedDepth, carriedDepth + 1);
  for (int round = 0; round < most && carriedDepth <= deepest; ++round) {
    auto before = known;
    known[carried] = facts;
    TileFacts after = join(facts, of(next));
    known = std::move(before);
    if (after == facts)
      return facts;
    facts = after;
  }
  return unknown(cast<RankedTensorType>(carried.getType()).getShape());
}

TileFacts AxisAnalysis::ofArgument(BlockArgument argument) {
  auto shape = cast<RankedTensorType>(argument.getType()).getShape();
  auto loop =
      dyn_cast_or_null<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  if (!loop)
    return unknown(shape);
  OpOperand *init = loop.getTiedLoopInit(argument);
  OpOperand *next = loop.getTiedLoopYieldedValue(argument);
  return init && next ? ofCarried(argument, init->get(), next->get())
                      : unknown(shape);
}

TileFacts AxisAnalysis::ofResult(OpResult result) {
  Operation *op = result.getOwner();
  auto shape = cast<RankedTensorType>(result.getType()).getShape();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    // What comes of loops with a region for their condition is that region's.
    BlockArgument carried = op->getNumRegions() == 1
                                ? loop.getTiedLoopRegionIterArg(result)
                                : BlockArgument();
    return carried ? of(carried) : unknown(shape);
  }
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    std::optional<TileFacts> facts;
    for (Region &region : op->getRegions()) {
      if (region.empty() || !region.hasOneBlock())
        return unknown(shape);
      Operation *end = region.front().getTerminator();
      if (end->getNumOperands() != op->getNumResults())
        return unknown(shape);
      TileFacts one = of(end->getOperand(result.getResultNumber()));
      facts = facts ? join(*facts, one) : one;
    }
    return facts.value_or(unknown(shape));
  }
  DenseElementsAttr list;
  if (matchPattern(op, m_Constant(&list))) {
    if (!list.isSplat() || !list.getElementType().isIntOrIndex())
      return unknown(shape);
    return ofNumber(
        index::Facts::exactly(list.getSplatValue<APInt>().getSExtValue()),
        shape);
  }
  if (Value fill = getFillValue(op))
    return ofScalar(fill, shape);
  if (auto dim = getCountedDim(op)) {
    TileFacts facts = ofNumber(index::Facts::exactly(0), shape);
    for (AxisFacts &axis : facts.axes)
      axis.divisibility = 1;
    AxisFacts &axis = facts.axes[*dim];
    axis.contiguity = axis.constancy;
    axis.divisibility = powerIn(axis.contiguity);
    axis.constancy = 1;
    // One run from 0 on, or several.
    if (axis.contiguity == shape[*dim])
      axis.divisibility = kMost;
    return narrowed(facts, op, scalars);
  }
  if (auto moved = ofMoved(op, shape))
    return *moved;
  return ofArith(op, shape);
}

TileFacts AxisAnalysis::of(Value tile) {
  if (auto it = known.find(tile); it != known.end())
    return it->second;
  TileFacts facts = compute(tile);
  known[tile] = facts;
  return facts;
}

TileFacts AxisAnalysis::compute(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto shape = type.getShape();
  constexpr unsigned most = 256;
  if (depth >= most || !(type.getElementType().isIntOrIndex() ||
                         isa<PtrType>(type.getElementType())))
    return unknown(shape);
  llvm::SaveAndRestore deeper(depth, depth + 1);
  if (auto argument = dyn_cast<BlockArgument>(tile))
    return ofArgument(argument);
  auto result = cast<OpResult>(tile);
  TileFacts facts = ofResult(result);
  // Hints are about what the operation makes.
  Operation *op = result.getOwner();
  if (op->getNumResults() != 1)
    return facts;
  auto hint = [&](StringRef name, int64_t AxisFacts::*field) {
    auto list = getFact<DenseI64ArrayAttr>(op, name);
    if (!list || size_t(list.size()) != facts.axes.size())
      return;
    for (auto [axis, n] : llvm::zip_equal(facts.axes, list.asArrayRef()))
      if (n > 0)
        axis.*field = std::max(axis.*field, powerIn(n));
  };
  bool isAccess = !isMemoryEffectFree(op);
  if (!isAccess) {
    hint(kContiguityFact, &AxisFacts::contiguity);
    hint(kDivisibilityFact, &AxisFacts::divisibility);
    hint(kConstancyFact, &AxisFacts::constancy);
  }
  return facts;
}

/// What a choice of indices takes where it does not take one that is outside of
/// every view; null for anything else.
static Value insideOf(arith::SelectOp choice) {
  auto isOutside = [](Value value) {
    DenseIntElementsAttr list;
    return matchPattern(value, m_Constant(&list)) && list.isSplat() &&
           list.getSplatValue<APInt>().isNegative();
  };
  if (isOutside(choice.getFalseValue()))
    return choice.getTrueValue();
  return isOutside(choice.getTrueValue()) ? choice.getFalseValue() : Value();
}

int64_t tile::coordinateDivisor(Value indices, AxisAnalysis &axes) {
  Operation *op = indices.getDefiningOp();
  if (op && handsOnElements(op) && op->getNumOperands() == 1)
    return coordinateDivisor(op->getOperand(0), axes);
  if (auto choice = dyn_cast_or_null<arith::SelectOp>(op))
    if (Value inside = insideOf(choice))
      return coordinateDivisor(inside, axes);
  return axes.of(indices).everyDivisor();
}

TileFacts tile::coordinateFacts(Value indices, AxisAnalysis &axes) {
  auto choice = indices.getDefiningOp<arith::SelectOp>();
  Value inside = choice ? insideOf(choice) : Value();
  if (!inside)
    return axes.of(indices);
  TileFacts facts = coordinateFacts(inside, axes);
  // Runs end where the choice may change.
  bool isTile = isa<RankedTensorType>(choice.getCondition().getType());
  if (isTile)
    for (auto [axis, mask] :
         llvm::zip_equal(facts.axes, axes.of(choice.getCondition()).axes))
      if (axis.contiguity > mask.constancy) {
        axis.contiguity = mask.constancy;
        axis.divisibility = std::min(axis.divisibility, mask.constancy);
      }
  return facts;
}
