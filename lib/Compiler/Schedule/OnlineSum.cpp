//===- OnlineSum.cpp - A largest element and a sum in one pass ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OnlineSum.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Interfaces/Movement.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using prim::ElementFunction;

Operation *kiln::schedule::onlineSumOf(Operation *max,
                                       GroupPlan::InGroupFn inGroup) {
  auto amax = prim::asReduction(max, prim::ReductionFunction::Maximum);
  if (!amax || !getElementTypeOrSelf(amax.getReduction()).isF32())
    return nullptr;
  Value x = amax.getReduced();
  SmallVector<int64_t> dims = reducedDims(max), kept;
  for (int64_t d = 0, e = cast<RankedTensorType>(x.getType()).getRank(); d < e;
       ++d)
    if (!llvm::is_contained(dims, d))
      kept.push_back(d);
  // max, repeated; x - max; exp; sum.
  for (Operation *wide : max->getUsers()) {
    auto repeated = dyn_cast<RepeatOpInterface>(wide);
    if (!repeated || repeated.getKeptDims() != kept ||
        wide->getResult(0).getType() != x.getType())
      continue;
    for (Operation *sub : wide->getUsers()) {
      if (prim::getElementFunction(sub) != ElementFunction::Subtract ||
          sub->getOperand(0) != x || sub->getOperand(1) != wide->getResult(0))
        continue;
      for (Operation *exp : sub->getUsers())
        if (prim::getElementFunction(exp) == ElementFunction::Exponential)
          for (Operation *user : exp->getUsers())
            if (auto sum =
                    prim::asReduction(user, prim::ReductionFunction::Sum);
                sum && inGroup(sum) && sum.getReducedDims() == dims)
              return sum;
    }
  }
  return {};
}

static Value numberLike(OpBuilder &b, Location loc, Value like, float number) {
  return constantLike(b, loc, like, b.getF32FloatAttr(number));
}

/// Two pairs as one; a null `sum` of the second stands for one element.
static SmallVector<Value> combinePairs(OpBuilder &b, Location loc,
                                       ValueRange first, Value max, Value sum) {
  Value before = first[0];
  Value most = arith::MaximumFOp::create(b, loc, before, max);
  Value least = arith::MinimumFOp::create(b, loc, before, max);
  // Nothing was there so far: no distance is infinite then.
  Value lowest =
      numberLike(b, loc, most, -std::numeric_limits<float>::infinity());
  Value none =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, most, lowest);
  Value base =
      arith::SelectOp::create(b, loc, none, numberLike(b, loc, most, 0), most);
  Value factor =
      math::ExpOp::create(b, loc, arith::SubFOp::create(b, loc, least, base));
  Value isLarger =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, max, before);
  Value own = sum ? sum : numberLike(b, loc, most, 1);
  Value scaled = arith::AddFOp::create(
      b, loc, arith::MulFOp::create(b, loc, first[1], factor), own);
  Value added =
      sum ? arith::MulFOp::create(b, loc, sum, factor).getResult() : factor;
  added = arith::AddFOp::create(b, loc, first[1], added);
  return {most, arith::SelectOp::create(b, loc, isLarger, scaled, added)};
}

SmallVector<Value> kiln::schedule::reduceOnlineSum(TileBuilder &emitter,
                                                   ValueRange pairs,
                                                   ArrayRef<int> axes) {
  KernelBuilder &kernel = emitter.kernel;
  SmallVector<Value> found(pairs);
  for (int axis : axes)
    found = reduceAxis(kernel.b, kernel.loc, found, axis,
                       [&](OpBuilder &inside, ValueRange x, ValueRange y) {
                         return combinePairs(inside, kernel.loc, x, y[0], y[1]);
                       });
  return found;
}

SmallVector<Value> kiln::schedule::emitOnlineSum(TileBuilder &emitter,
                                                 const ReductionVisit &max,
                                                 ArrayRef<int> axes) {
  KernelBuilder &kernel = emitter.kernel;
  SmallVector<int> dims, loops;
  for (int dim : max.dims)
    if (int place = emitter.physical(dim); !llvm::is_contained(dims, place))
      dims.push_back(place);
  for (int dim : dims)
    if (!kernel.numBlocks(dim).is(1))
      loops.push_back(dim);
  Value x = max.op->getOperand(0);
  if (!loops.empty() &&
      failed(emitter.hoistReductions(x, max.operandMap, loops)))
    return {};
  SmallVector<int64_t> shape = emitter.shapeOf(max.operandMap);
  Type f32 = kernel.b.getF32Type();
  TypedAttr lowest = neutralValue(max.op, f32);
  SmallVector<Value> inits = {emitter.splat(lowest, shape),
                              emitter.splat(zeroOf(f32), shape)};
  bool ok = true;
  SmallVector<Value> pair =
      emitter.loop(loops, inits, [&](ValueRange carried) -> SmallVector<Value> {
        Value tile = emitter.emit(x, max.operandMap);
        ok &= static_cast<bool>(tile);
        if (!tile)
          return SmallVector<Value>(carried);
        tile =
            emitter.maskPartial(emitter.broadcast(tile, shape), dims, lowest);
        return combinePairs(kernel.b, kernel.loc, carried, tile, Value());
      });
  return ok ? reduceOnlineSum(emitter, pair, axes) : SmallVector<Value>();
}

Value kiln::schedule::finishOnlineSum(TileBuilder &emitter, ValueRange pair) {
  KernelBuilder &kernel = emitter.kernel;
  // Zero, or no number.
  Value rest = arith::SubFOp::create(kernel.b, kernel.loc, pair[0], pair[0]);
  return arith::AddFOp::create(kernel.b, kernel.loc, pair[1], rest);
}
