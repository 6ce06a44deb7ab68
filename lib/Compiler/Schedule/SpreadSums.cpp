//===- SpreadSums.cpp - A sum and its squared distances -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SpreadSums.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {
/// Emits one pair.
class SpreadSum {
public:
  SpreadSum(TileBuilder &emitter, const ReductionVisit &sum,
            const ReductionVisit &squares, Value base)
      : emitter(emitter), kernel(emitter.kernel), sum(sum), squares(squares),
        base(base) {}

  /// Finds out how elements are distributed; false where the pair is better
  /// two sums.
  bool prepare();
  LogicalResult emit();

private:
  /// The elements of a block, of the shape in which they are added up.
  Value block();
  /// The mean of the first block, or zero where that is no number.
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
  const ReductionVisit &sum, &squares;
  Value base;
  SmallVector<int> dims, loops;
  SmallVector<int64_t> shape;
  int64_t count = 1; ///< elements that are summed
  int64_t first = 1; ///< those of the first block
};
} // namespace

/// What is subtracted from `x`, the same for all of them along what is reduced,
/// before `squares` are added up; null where it is another sum.
static Value baseOf(prim::SumOp squares, Value x) {
  auto product = squares.getOperand().getDefiningOp<prim::MulOp>();
  if (!product || product.getLhs() != product.getRhs())
    return {};
  auto apart = product.getLhs().getDefiningOp<prim::SubOp>();
  if (!apart || apart.getLhs() != x)
    return {};
  auto repeated = apart.getRhs().getDefiningOp<prim::BroadcastInDimOp>();
  if (!repeated)
    return {};
  auto type = cast<RankedTensorType>(repeated.getOperand().getType());
  for (auto [d, target] : llvm::enumerate(repeated.getDims()))
    if (type.getDimSize(d) != 1 &&
        llvm::is_contained(reducedDims(squares), target))
      return {};
  return repeated.getResult();
}

bool SpreadSum::prepare() {
  int64_t blocks = 1;
  for (int dim : sum.dims) {
    int place = emitter.physical(dim);
    if (llvm::is_contained(dims, place))
      continue;
    dims.push_back(place);
    Extent size = kernel.dims[place].size, number = kernel.numBlocks(place);
    if (!size.isStatic() || !number.isStatic())
      return false;
    count *= size.get();
    blocks *= number.get();
    if (number.is(1)) {
      first *= size.get();
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
  return !loops.empty() && blocks <= kMostBlocks &&
         kRoom * blocks * (blocks + kRounds) <= count;
}

Value SpreadSum::block() {
  Value tile = emitter.emit(sum.op->getOperand(0), sum.operandMap);
  return tile ? emitter.broadcast(tile, shape) : Value();
}

Value SpreadSum::findShift() {
  // A loop of one turn: what it emits is of the first block alone.
  SmallVector<Value> before;
  for (int dim : loops) {
    before.push_back(kernel.dims[dim].last);
    kernel.dims[dim].last = kernel.constant(1);
  }
  TypedAttr zero = zeroOf(kernel.b.getF32Type());
  bool ok = true;
  Value tile = emitter.loop(loops, emitter.splat(zero, shape),
                            [&](ValueRange carried) -> SmallVector<Value> {
                              Value x = block();
                              ok &= static_cast<bool>(x);
                              if (!x)
                                return {carried[0]};
                              return {emitter.maskPartial(x, dims, zero)};
                            })[0];
  for (auto [dim, last] : llvm::zip(loops, before))
    kernel.dims[dim].last = last;
  if (!ok)
    return {};
  Value total = emitter.reduceTile(sum.op, tile, dims);
  Value mean = mul(total, number(total, 1.0 / double(first)));
  Value rest = sub(mean, mean), none = number(mean, 0);
  Value isFinite = arith::CmpFOp::create(kernel.b, kernel.loc,
                                         arith::CmpFPredicate::OEQ, rest, none);
  return arith::SelectOp::create(kernel.b, kernel.loc, isFinite, mean, none);
}

LogicalResult SpreadSum::emit() {
  if (failed(emitter.hoistReductions(sum.op->getOperand(0), sum.operandMap,
                                     loops)))
    return failure();
  Value shift = findShift();
  if (!shift)
    return failure();
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
    return failure();
  for (Value &tile : sums)
    tile = emitter.reduceTile(sum.op, tile, dims);
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
    auto sum = dyn_cast<prim::SumOp>(visit.op);
    if (!sum || !getElementTypeOrSelf(sum.getType()).isF32() ||
        !isPlaced(visit))
      continue;
    for (const ReductionVisit &other : plan.reductions) {
      auto squares = dyn_cast<prim::SumOp>(other.op);
      if (!squares || squares == sum || !(other.map == visit.map) ||
          !(other.operandMap == visit.operandMap) ||
          reducedDims(squares) != reducedDims(sum))
        continue;
      Value base = baseOf(squares, sum.getOperand());
      if (!base)
        continue;
      SpreadSum pair(emitter, visit, other, base);
      if (!pair.prepare())
        continue;
      if (failed(pair.emit()))
        return failure();
      break;
    }
  }
  return success();
}
