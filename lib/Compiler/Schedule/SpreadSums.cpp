//===- SpreadSums.cpp - A sum and its squared distances -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SpreadSums.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/Movement.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {
/// Emits one pair.
class SpreadSum {
public:
  SpreadSum(TileBuilder &emitter, const ReductionVisit &sum)
      : emitter(emitter), kernel(emitter.kernel), sum(sum) {}

  /// Finds out how elements are distributed; false where the result would not
  /// keep the bound of a sum.
  bool prepare();
  /// Whether the elements of an instance are so few that a cache has them when
  /// they are read again.
  bool isNear();
  /// Reads elements twice, for distances from the mean of all: `number`, f32.
  /// What `prepare` says does not matter then.
  void readTwice(Value number) { all = number; }
  /// Elements are in several blocks.
  bool hasLoops() const { return !loops.empty(); }
  /// s1, s2 and the shift; none on failure.
  SmallVector<Value> addUp();
  /// How many elements the first block has, where instances have different
  /// numbers; null: `first`.
  Value elements;
  /// Binds the sum and the squared distances from `base`.
  LogicalResult emit(const ReductionVisit &squares, Value base);

private:
  /// The elements of a block, of the shape in which they are added up.
  Value block();
  /// The mean of the first block, or of all elements that are read twice; zero
  /// where that is too large, or no number.
  Value findShift();
  Value add(Value a, Value c) {
    return arith::AddFOp::create(kernel.b, kernel.loc, a, c);
  }
  Value sub(Value a, Value c) {
    return arith::SubFOp::create(kernel.b, kernel.loc, a, c);
  }
  Value mul(Value a, Value c) {
    return arith::MulFOp::create(kernel.b, kernel.loc, a, c);
  }
  Value number(Value like, double value) {
    return constantLike(kernel.b, kernel.loc, like,
                        kernel.b.getF32FloatAttr(value));
  }

  TileBuilder &emitter;
  KernelBuilder &kernel;
  const ReductionVisit &sum;
  SmallVector<int> dims, loops;
  SmallVector<int64_t> shape;
  int64_t count = 1;  ///< elements that are summed
  int64_t behind = 1; ///< such sums that another kernel adds up
  int64_t first = 1;  ///< those of the first block
  Value all;          ///< their number, if they are read twice
};
} // namespace

/// What is subtracted from `x`, the same for all of them along what is reduced,
/// before `squares` are added up; null where it is another sum.
static Value baseOf(prim::TensorReductionOpInterface squares, Value x) {
  Operation *product = prim::getDefinition(squares.getReduced(),
                                           prim::ElementFunction::Multiply);
  if (!product || product->getOperand(0) != product->getOperand(1))
    return {};
  Operation *apart = prim::getDefinition(product->getOperand(0),
                                         prim::ElementFunction::Subtract);
  if (!apart || apart->getOperand(0) != x)
    return {};
  auto repeated = apart->getOperand(1).getDefiningOp<RepeatOpInterface>();
  if (!repeated)
    return {};
  auto type = cast<RankedTensorType>(repeated.getMoved().getType());
  for (auto [d, target] : llvm::enumerate(repeated.getKeptDims()))
    if (type.getDimSize(d) != 1 &&
        llvm::is_contained(squares.getReducedDims(), target))
      return {};
  return apart->getOperand(1);
}

bool SpreadSum::prepare() {
  int64_t blocks = 1;
  for (int dim : sum.dims) {
    int place = emitter.physical(dim);
    if (llvm::is_contained(emitter.later, place)) {
      if (!emitter.plan.sizes[dim].isStatic())
        return false;
      behind *= emitter.plan.sizes[dim].get();
      continue;
    }
    if (llvm::is_contained(dims, place))
      continue;
    dims.push_back(place);
    Extent size = kernel.dims[place].size, number = kernel.numBlocks(place);
    if (!size.isStatic() || !number.isStatic())
      return false;
    count *= size.get();
    blocks *= llvm::divideCeil(number.get(), kernel.dims[place].parts);
    if (number.is(1)) {
      first *= size.get();
    } else if (kernel.hasBlockOfEachPart(place)) {
      first *= kernel.dims[place].block;
    } else {
      first *= kernel.dims[place].block;
      loops.push_back(place);
    }
  }
  // With one block of `blocks` no mean of it is further than sqrt(blocks) times
  // the deviation from that of all, so that s2 is `blocks` times the result at
  // most. Each element has gone through so many additions and those of a block.
  constexpr int64_t kMostBlocks = 1 << 20, kRounds = 16, kRoom = 8;
  shape = emitter.shapeOf(sum.operandMap);
  int64_t own = count * behind;
  for (int dim : loops)
    own /= kernel.dims[dim].parts;
  return blocks == 1 ||
         (blocks <= kMostBlocks && kRoom * blocks * (blocks + kRounds) <= own);
}

bool SpreadSum::isNear() {
  // What a core's cache keeps beside what other instances read.
  constexpr int64_t kNear = 1 << 15;
  int64_t volume = 1;
  for (int64_t size : shape)
    volume *= size;
  for (int dim : loops) {
    const KernelDim &along = kernel.dims[dim];
    Extent blocks = kernel.numBlocks(dim);
    if (!blocks.isStatic())
      return false;
    volume = llvm::SaturatingMultiply<uint64_t>(
        volume, llvm::divideCeil(blocks.get(), along.parts));
  }
  return !shape.empty() && volume <= kNear;
}

Value SpreadSum::block() {
  Value tile = emitter.emit(sum.op->getOperand(0), sum.operandMap);
  return tile ? emitter.broadcast(tile, shape) : Value();
}

Value SpreadSum::findShift() {
  // A loop of one turn: what it emits is of the first block alone.
  SmallVector<Value> before;
  for (int dim : loops) {
    KernelDim &along = kernel.dims[dim];
    before.push_back(along.last);
    if (all)
      continue;
    along.last = kernel.constant(1);
    if (along.part)
      along.last = kernel.add(along.part, along.last);
  }
  TypedAttr zero = zeroOf(kernel.b.getF32Type());
  bool ok = true;
  Value tile = emitter.loop(loops, emitter.splat(zero, shape),
                            [&](ValueRange carried) -> SmallVector<Value> {
                              Value x = block();
                              ok &= static_cast<bool>(x);
                              if (!x)
                                return {carried[0]};
                              x = emitter.maskPartial(x, dims, zero);
                              return {all ? add(carried[0], x) : x};
                            })[0];
  for (auto [dim, last] : llvm::zip(loops, before))
    kernel.dims[dim].last = last;
  if (!ok)
    return {};
  Value total = emitter.reduceTile(sum.op, tile, dims);
  Value shared = all ? all : elements;
  Value mean = shared ? arith::DivFOp::create(
                            kernel.b, kernel.loc, total,
                            tile::SplatOp::create(kernel.b, kernel.loc,
                                                  total.getType(), shared))
                            .getResult()
                      : mul(total, number(total, 1.0 / double(first)));
  // What is added behind the sum is finite then, and leaves room for rounding.
  Value large = mul(mean, number(mean, 2.0 * double(count * behind)));
  Value rest = sub(large, large), none = number(mean, 0);
  Value isFinite = arith::CmpFOp::create(kernel.b, kernel.loc,
                                         arith::CmpFPredicate::OEQ, rest, none);
  return arith::SelectOp::create(kernel.b, kernel.loc, isFinite, mean, none);
}

SmallVector<Value> SpreadSum::addUp() {
  if (failed(emitter.hoistReductions(sum.op->getOperand(0), sum.operandMap,
                                     loops)))
    return {};
  Value shift = findShift();
  if (!shift)
    return {};
  Value everywhere = emitter.broadcast(shift, shape);
  TypedAttr zero = zeroOf(kernel.b.getF32Type());
  SmallVector<Value> inits(2, emitter.splat(zero, shape));
  bool ok = true;
  SmallVector<Value> sums =
      emitter.loop(loops, inits, [&](ValueRange carried) -> SmallVector<Value> {
        Value x = block();
        ok &= static_cast<bool>(x);
        if (!x)
          return SmallVector<Value>(carried);
        Value term = emitter.maskPartial(sub(x, everywhere), dims, zero);
        return {add(carried[0], term), add(carried[1], mul(term, term))};
      });
  if (!ok)
    return {};
  for (Value &tile : sums)
    tile = emitter.reduceTile(sum.op, tile, dims);
  sums.push_back(shift);
  return sums;
}

LogicalResult SpreadSum::emit(const ReductionVisit &squares, Value base) {
  SmallVector<Value> sums = addUp();
  if (sums.empty())
    return failure();
  Value shift = sums[2];
  Value n = number(shift, double(count));
  emitter.bind(sum.op->getResult(0), sum.map, add(sums[0], mul(n, shift)));
  Value found = emitter.emit(base, sum.operandMap);
  if (!found)
    return failure();
  auto kept = cast<RankedTensorType>(shift.getType()).getShape();
  Value d = sub(emitter.broadcast(found, kept), shift);
  Value both = sub(mul(number(d, 2), sums[0]), mul(n, d));
  Value result = sub(sums[1], mul(d, both));
  // Rounding may leave less than nothing where all are the same.
  result = arith::MaximumFOp::create(kernel.b, kernel.loc, result,
                                     number(result, 0));
  // An infinite sum of squares stays so for a finite base, and has no value for
  // another one.
  Value infinity = number(result, std::numeric_limits<double>::infinity());
  Value isInfinite = arith::CmpFOp::create(
      kernel.b, kernel.loc, arith::CmpFPredicate::OEQ, sums[1], infinity);
  result = arith::SelectOp::create(kernel.b, kernel.loc, isInfinite,
                                   add(sums[1], sub(d, d)), result);
  emitter.bind(squares.op->getResult(0), squares.map, result);
  return success();
}

LogicalResult kiln::schedule::emitSpreadSums(TileBuilder &emitter) {
  GroupPlan &plan = emitter.plan;
  auto isPlaced = [&](const ReductionVisit &visit) {
    llvm::SmallBitVector support = visit.map.support(plan.sizes.size());
    return llvm::all_of(support.set_bits(), [&](int dim) {
      return emitter.kernel.dims[emitter.physical(dim)].offset;
    });
  };
  for (const ReductionVisit &visit : plan.reductions) {
    auto sum = prim::asReduction(visit.op, prim::ReductionFunction::Sum);
    if (!sum || !getElementTypeOrSelf(sum.getReduction()).isF32() ||
        !isPlaced(visit))
      continue;
    for (const ReductionVisit &other : plan.reductions) {
      auto squares = prim::asReduction(other.op, prim::ReductionFunction::Sum);
      if (!squares || squares == sum || !(other.map == visit.map) ||
          !(other.operandMap == visit.operandMap) ||
          squares.getReducedDims() != sum.getReducedDims())
        continue;
      Value base = baseOf(squares, sum.getReduced());
      if (!base)
        continue;
      SpreadSum pair(emitter, visit);
      if (!pair.prepare() || !pair.hasLoops())
        continue;
      if (failed(pair.emit(other, base)))
        return failure();
      break;
    }
  }
  return success();
}

/// Whether values of two groups are the same: operands that both groups have in
/// common, or what the same operations compute from these, element by element.
/// One difference ends the comparison, so that no pair in `seen` needs another.
static bool isSameElement(Value x, Operation *of, Value y, Operation *other,
                          llvm::SmallDenseSet<std::pair<Value, Value>> &seen) {
  if (x.getType() != y.getType())
    return false;
  if (!seen.insert({x, y}).second)
    return true;
  auto first = dyn_cast<BlockArgument>(x), second = dyn_cast<BlockArgument>(y);
  if (first && second)
    return of->getOperand(first.getArgNumber()) ==
           other->getOperand(second.getArgNumber());
  Operation *made = x.getDefiningOp(), *alike = y.getDefiningOp();
  return made && alike && made->getName() == alike->getName() &&
         (isElementwisePrim(made) || isViewMovement(made) ||
          splatValue(made)) &&
         made->getAttrDictionary() == alike->getAttrDictionary() &&
         llvm::all_of_zip(made->getOperands(), alike->getOperands(),
                          [&](Value a, Value b) {
                            return isSameElement(a, of, b, other, seen);
                          });
}

/// `value`, whose dimensions become `targets`, or what it is a reshape of that
/// inserts dimensions of one element: with the dimensions `kept` and of the
/// type `type`. Null if neither is.
static Value withDims(Value value, ArrayRef<int64_t> targets, Type type,
                      ArrayRef<int64_t> kept) {
  if (value.getType() == type)
    return llvm::equal(targets, kept) ? value : Value();
  auto reshape = value.getDefiningOp<ReshapeOpInterface>();
  if (!reshape || reshape.getMoved().getType() != type)
    return {};
  size_t found = 0;
  for (auto [size, target] :
       llvm::zip(cast<RankedTensorType>(value.getType()).getShape(), targets)) {
    if (found < kept.size() && target == kept[found])
      ++found;
    else if (size != 1)
      return {};
  }
  return found == kept.size() ? reshape.getMoved() : Value();
}

/// What `squares` are distances of `x` from, before it is repeated, if it has
/// one element for each result of `sum`; null otherwise.
static Value centreOf(prim::TensorReductionOpInterface squares,
                      prim::TensorReductionOpInterface sum, Value x) {
  RankedTensorType type = sum.getReduction().getType();
  Value base = baseOf(squares, x);
  if (!base || !type.getElementType().isF32() ||
      squares.getReduction().getType() != type ||
      squares.getReducedDims() != sum.getReducedDims())
    return {};
  auto repeated = base.getDefiningOp<RepeatOpInterface>();
  SmallVector<int64_t> reduced = sum.getReducedDims(), kept;
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(reduced, d))
      kept.push_back(d);
  return withDims(repeated.getMoved(), repeated.getKeptDims(), type, kept);
}

/// The elements whose distances are squared and added up; null if there are
/// none.
static Value squaredElements(prim::TensorReductionOpInterface squares) {
  Operation *product = prim::getDefinition(squares.getReduced(),
                                           prim::ElementFunction::Multiply);
  Operation *apart = product
                         ? prim::getDefinition(product->getOperand(0),
                                               prim::ElementFunction::Subtract)
                         : nullptr;
  return apart ? apart->getOperand(0) : Value();
}

/// The sums of a group, in order.
static auto sumsOf(prim::GroupOpInterface group) {
  SmallVector<prim::TensorReductionOpInterface> sums;
  for (Operation &op : group.getGroupBlock())
    if (auto sum = prim::asReduction(&op, prim::ReductionFunction::Sum))
      sums.push_back(sum);
  return sums;
}

SquaresBehind kiln::schedule::findSquaresBehind(Group &group) {
  SquaresBehind found;
  if (group.plan.reductions.size() != 1 || group.fusion->getNumResults() != 1)
    return found;
  auto sum = prim::asReduction(group.plan.reductions[0].op,
                               prim::ReductionFunction::Sum);
  if (!sum || sum.getReduction().getType() != group.root.getType())
    return found;
  for (OpOperand &use : group.fusion.getResult(0).getUses()) {
    auto next = dyn_cast<prim::GroupOpInterface>(use.getOwner());
    // Groups with several results read their rows once themselves.
    if (!next || next.isClaim() ||
        next->getBlock() != group.fusion->getBlock() ||
        next->getNumResults() != 1)
      continue;
    Block &body = next.getGroupBlock();
    for (prim::TensorReductionOpInterface squares : sumsOf(next)) {
      Value x = squaredElements(squares);
      llvm::SmallDenseSet<std::pair<Value, Value>> seen;
      if (!x || !isSameElement(sum.getReduced(), group.fusion, x, next, seen) ||
          centreOf(squares, sum, x) != body.getArgument(use.getOperandNumber()))
        continue;
      found.squares = squares;
      return found;
    }
  }
  return found;
}

SquaresBehind
kiln::schedule::findSquaresOf(prim::TensorReductionOpInterface sum,
                              Group &group, Value &centre) {
  SquaresBehind found;
  auto own = cast<prim::GroupOpInterface>(group.fusion.getOperation());
  for (prim::TensorReductionOpInterface squares : sumsOf(own)) {
    centre =
        squares == sum ? Value() : centreOf(squares, sum, sum.getReduced());
    if (!centre || (centre != sum.getReduction() && !sum->hasOneUse()))
      continue;
    found.squares = squares;
    return found;
  }
  return found;
}

bool SpreadParts::isExact() const {
  SpreadSum pair(emitter, sum);
  return pair.prepare() || pair.isNear();
}

SmallVector<Value> SpreadParts::emit() {
  SpreadSum pair(emitter, sum);
  bool isExactOnce = pair.prepare();
  if (!isExactOnce && !pair.isNear())
    return {};
  bool hasOtherNumbers = along >= 0 && emitter.isPartial(along) &&
                         emitter.kernel.hasBlockOfEachPart(along);
  Value number;
  if (!isExactOnce || hasOtherNumbers)
    number = count();
  if (!isExactOnce)
    pair.readTwice(number);
  else
    pair.elements = number;
  SmallVector<Value> tiles = pair.addUp();
  if (tiles.empty())
    return {};
  if (!number)
    number = count();
  tiles.push_back(tile::SplatOp::create(emitter.kernel.b, emitter.kernel.loc,
                                        tiles[0].getType(), number));
  return tiles;
}

/// How many elements the instance has, as f32.
Value SpreadParts::count() {
  KernelBuilder &kernel = emitter.kernel;
  OpBuilder &b = kernel.b;
  Location loc = kernel.loc;
  int64_t others = 1;
  SmallVector<int> dims;
  for (int dim : sum.dims)
    if (int place = emitter.physical(dim);
        !llvm::is_contained(dims, place) &&
        !llvm::is_contained(emitter.later, place)) {
      dims.push_back(place);
      if (place != along)
        others *= kernel.dims[place].size.get();
    }
  if (along < 0)
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(others));
  const KernelDim &dim = kernel.dims[along];
  int64_t blocks = kernel.numBlocks(along).get(), parts = dim.parts;
  Value mine = arith::DivUIOp::create(
      b, loc, kernel.sub(kernel.constant(blocks + parts - 1), dim.part),
      kernel.constant(parts));
  Value all = kernel.mul(mine, kernel.constant(dim.block * others));
  if (int64_t beyond = blocks * dim.block - dim.size.get()) {
    Value isLast =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, dim.part,
                              kernel.constant((blocks - 1) % parts));
    all = arith::SelectOp::create(
        b, loc, isLast, kernel.sub(all, kernel.constant(beyond * others)), all);
  }
  all = arith::IndexCastOp::create(b, loc, b.getI64Type(), all);
  return arith::SIToFPOp::create(b, loc, b.getF32Type(), all);
}

SmallVector<Value> SpreadParts::join(TileBuilder &emitter,
                                     const ReductionVisit &sum,
                                     ArrayRef<Value> tiles, ArrayRef<int> dims,
                                     Value base, const AccessMap &map) {
  OpBuilder &b = emitter.kernel.b;
  Location loc = emitter.kernel.loc;
  Value s1 = tiles[0], s2 = tiles[1], shift = tiles[2], n = tiles[3];
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, loc, x, y);
  };
  auto sub = [&](Value x, Value y) -> Value {
    return arith::SubFOp::create(b, loc, x, y);
  };
  auto mul = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(b, loc, x, y);
  };
  Value zero = constantLike(b, loc, s1, b.getF32FloatAttr(0));
  // Places where there is no part have no elements, and no mean.
  auto total = [&](Value tile) {
    tile = emitter.maskPartial(tile, dims, zeroOf(b.getF32Type()));
    return emitter.reduceTile(sum.op, tile, dims);
  };
  emitter.bind(sum.op->getResult(0), sum.map, total(add(s1, mul(n, shift))));
  Value found = emitter.emit(base, map);
  if (!found)
    return {};
  // Distances from the mean of the part, and of that from the base.
  auto shape = cast<RankedTensorType>(s1.getType()).getShape();
  Value d = sub(emitter.broadcast(found, shape), shift);
  Value mean = arith::DivFOp::create(b, loc, s1, n), rest = sub(mean, d);
  Value own = arith::MaximumFOp::create(b, loc, sub(s2, mul(s1, mean)), zero);
  Value squares = add(own, mul(n, mul(rest, rest)));
  // An infinite sum of squares stays so for a finite base.
  Value infinity = constantLike(
      b, loc, s2, b.getF32FloatAttr(std::numeric_limits<float>::infinity()));
  Value isInfinite =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, s2, infinity);
  squares =
      arith::SelectOp::create(b, loc, isInfinite, add(s2, sub(d, d)), squares);
  return {found, total(squares)};
}
