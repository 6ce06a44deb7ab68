// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structured operations: elementwise bodies and reductions.
#include "Linalg.h"
#include "../TensorToPrim/EmptySums.h"
#include "../TensorToPrim/Narrow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// Reduces `value` over `dims` with the operation of a body. Null if prim has
/// no such reduction.
Value reduceWith(Operation *combine, Value value, ArrayRef<int64_t> dims,
                 Translator &e) {
  SmallVector<int64_t> shape;
  RankedTensorType type = e.typeOf(value);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(type.getDimSize(dim));
  auto create = [&](auto tag, Value operand) -> Value {
    return decltype(tag)::create(e.b, type.clone(shape), operand, dims);
  };
  double infinity = std::numeric_limits<double>::infinity();
  bool isBool = type.getElementType().isInteger(1);
  if (isa<arith::AddFOp>(combine) || (isa<arith::AddIOp>(combine) && !isBool))
    return create(prim::SumOp(), value);
  if (isa<arith::MulFOp>(combine) || (isa<arith::MulIOp>(combine) && !isBool))
    return create(prim::ProdOp(), value);
  if (isa<arith::MaximumFOp, arith::MaxSIOp>(combine) ||
      (isBool && isa<arith::OrIOp, arith::MaxUIOp>(combine)))
    return create(prim::AmaxOp(), value);
  if (isa<arith::MinimumFOp, arith::MinSIOp>(combine) ||
      (isBool && isa<arith::AndIOp, arith::MinUIOp, arith::MulIOp>(combine)))
    return create(prim::AminOp(), value);
  if (isa<arith::MaxNumFOp>(combine))
    return create(prim::AmaxOp(),
                  e.where(e.isNan(value), e.number(-infinity, value), value));
  if (isa<arith::MinNumFOp>(combine))
    return create(prim::AminOp(),
                  e.where(e.isNan(value), e.number(infinity, value), value));
  if (isa<arith::MaxUIOp, arith::MinUIOp>(combine)) {
    // Unsigned order is signed order with the first bit flipped.
    unsigned width = type.getElementType().getIntOrFloatBitWidth();
    auto flip = [&](Value operand) {
      Value bit = e.integer(int64_t(1) << (width - 1), operand);
      return e.binary<prim::BitwiseXorOp>(operand, bit);
    };
    return flip(isa<arith::MaxUIOp>(combine)
                    ? create(prim::AmaxOp(), flip(value))
                    : create(prim::AminOp(), flip(value)));
  }
  return {};
}

/// Reduces with an operation on bits; sums modulo 2 are one.
Value reduceBits(Operation *combine, Value value, ArrayRef<int64_t> dims,
                 Translator &e) {
  Type element = e.elementOf(value);
  Sizes kept;
  for (auto [dim, size] : llvm::enumerate(e.sizesOf(value)))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      kept.push_back(size);
  int64_t neutral = isa<arith::AndIOp>(combine) ? -1 : 0;
  Value start = e.full(integerAttr(element, neutral), {});
  auto reduce =
      prim::ReduceOp::create(e.b, TypeRange{e.typeFor(kept, element)},
                             ValueRange{value}, ValueRange{start}, dims);
  OpBuilder::InsertionGuard guard(e.b);
  Type scalar = start.getType();
  Block *block =
      e.b.createBlock(&reduce.getCombiner(), {}, TypeRange{scalar, scalar},
                      {e.b.getLoc(), e.b.getLoc()});
  Value x = block->getArgument(0), y = block->getArgument(1);
  Value both = isa<arith::AndIOp>(combine) ? e.binary<prim::BitwiseAndOp>(x, y)
               : isa<arith::OrIOp>(combine)
                   ? e.binary<prim::BitwiseOrOp>(x, y)
                   : e.binary<prim::BitwiseXorOp>(x, y);
  prim::YieldOp::create(e.b, both);
  return reduce.getResult(0);
}

/// Whether the operation of a body gives its other operand for this one.
bool isNeutral(Operation *combine, Value init, Translator &e) {
  std::optional<TypedAttr> splat = e.splatOf(init);
  if (!splat)
    return false;
  if (isa<arith::AddFOp, arith::AddIOp>(combine))
    return isZero(init, e);
  if (auto number = dyn_cast<FloatAttr>(*splat)) {
    const APFloat &value = number.getValue();
    if (isa<arith::MaximumFOp>(combine))
      return value.isInfinity() && value.isNegative();
    return isa<arith::MinimumFOp>(combine) && value.isInfinity() &&
           !value.isNegative();
  }
  const APInt &value = cast<IntegerAttr>(*splat).getValue();
  if (isa<arith::MaxSIOp>(combine))
    return value.isMinSignedValue();
  return isa<arith::MinSIOp>(combine) && value.isMaxSignedValue();
}

/// A value of the body over the whole iteration space.
FailureOr<Value> evaluate(const Loops &loops, Value value, Translator &e) {
  linalg::LinalgOp op = loops.op;
  Region &region = *op.getBlock()->getParent();
  // What comes from outside has to be seen as a scalar of this operation.
  BodyScope scope(e, region, loops.sizes);
  if (failed(bindOperands(loops, scope, sliceOf(value, region).arguments, e)))
    return failure();
  return scope.evaluate(value);
}

/// combine(init, reduced), over the dimensions that remain.
FailureOr<Value> combineInit(const Loops &loops, unsigned index,
                             const Combine &combine, Value reduced,
                             Translator &e) {
  linalg::LinalgOp op = loops.op;
  OpOperand *init = op.getDpsInitOperand(index);
  Value before = e.get(init->get());
  // A sum may begin with -0.0, which is left where there is nothing to add.
  Sizes counts;
  if (isa<arith::AddFOp>(combine.op) && mayBeMinusZero(before, e))
    for (int64_t dim : loops.reduced)
      counts.push_back(loops.sizes[dim]);
  if (counts.empty() && combine.yielded == combine.op->getResult(0) &&
      isNeutral(combine.op, before, e))
    return reduced;
  Sizes sizes = e.sizesOf(reduced);
  Value start = materialize(op, before, op.getMatchingIndexingMap(init),
                            loops.kept, sizes, e);
  if (!start)
    return failure();
  BodyScope scope(e, *op.getBlock()->getParent(), sizes);
  scope.bind(op.getMatchingBlockArgument(init), start);
  scope.bind(combine.value, reduced);
  FailureOr<Value> result = scope.evaluate(combine.yielded);
  if (failed(result) || counts.empty())
    return result;
  return unlessEmpty(*result, start, counts, e);
}

/// Whether a result depends on what the iterations before gave.
bool readsOuts(const Loops &loops, unsigned index) {
  linalg::LinalgOp op = loops.op;
  Block *block = op.getBlock();
  bool isLong = llvm::any_of(loops.reduced, [&](int64_t dim) {
    return getConstantIntValue(loops.sizes[dim]) != 1;
  });
  Slice slice =
      sliceOf(block->getTerminator()->getOperand(index), *block->getParent());
  return isLong && llvm::any_of(slice.arguments, [&](BlockArgument argument) {
           return argument.getArgNumber() >= op.getNumDpsInputs();
         });
}

/// One result of an operation with loops.
FailureOr<Value> emitResult(const Loops &loops, unsigned index, Translator &e) {
  linalg::LinalgOp op = loops.op;
  Block *block = op.getBlock();
  Value yielded = block->getTerminator()->getOperand(index);
  if (readsOuts(loops, index)) {
    Combine combine = *matchCombine(op, index);
    auto value = evaluate(loops, combine.value, e);
    if (failed(value))
      return failure();
    Value reduced = reduceWith(combine.op, *value, loops.reduced, e);
    if (!reduced) {
      bool isModulo =
          isa<arith::AddIOp>(combine.op) && e.elementOf(*value).isInteger(1);
      if (!isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(combine.op) &&
          !isModulo)
        return e.unsupported(op, "reduces with " +
                                     combine.op->getName().getStringRef());
      reduced = reduceBits(combine.op, *value, loops.reduced, e);
    }
    reduced = wrapTo(yielded.getType(), reduced, e);
    return combineInit(loops, index, combine, reduced, e);
  }
  auto value = evaluate(loops, yielded, e);
  if (failed(value))
    return failure();
  // Without a sum, what the last iteration yields remains.
  Sizes kept;
  for (int64_t dim : loops.reduced) {
    std::optional<int64_t> size = getConstantIntValue(loops.sizes[dim]);
    if (!size || *size < 1)
      return e.unsupported(op, "has a loop of a size that is not known");
    *value = e.sliceDim(*value, dim, *size - 1, *size);
  }
  for (int64_t dim : loops.kept)
    kept.push_back(loops.sizes[dim]);
  return loops.reduced.empty() ? *value : e.reshape(*value, kept);
}

/// Whether all results are elementwise, or sums and the like on their own.
bool isSeparable(const Loops &loops) {
  linalg::LinalgOp op = loops.op;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    if (!readsOuts(loops, i))
      continue;
    auto combine = matchCombine(op, i);
    if (!combine ||
        !isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::AddIOp, arith::MulIOp,
             arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp>(combine->op))
      return false;
  }
  return true;
}

/// Programs on buffers: what is read must not be what another iteration
/// writes.
LogicalResult checkOverlap(linalg::LinalgOp op, Translator &e) {
  for (OpOperand &init : op.getDpsInitsMutable())
    for (OpOperand &other : op->getOpOperands()) {
      auto to = e.placeOf(init.get()), from = e.placeOf(other.get());
      if (!to || !from || &init == &other || &to->root() != &from->root())
        continue;
      bool same = to == from && op.getMatchingIndexingMap(&init) ==
                                    op.getMatchingIndexingMap(&other);
      bool apart = false;
      if (to->box && from->box)
        for (size_t dim = 0; dim < to->box->first.size(); ++dim)
          apart |= to->box->second[dim] <= from->box->first[dim] ||
                   from->box->second[dim] <= to->box->first[dim];
      if (!apart && (!same || op.isDpsInit(&other)))
        return e.unsupported(op, "reads and writes parts of one buffer that "
                                 "may overlap");
    }
  return success();
}

LogicalResult structured(Operation *operation, Translator &e) {
  auto op = dyn_cast<linalg::LinalgOp>(operation);
  if (!op)
    return e.unsupported(operation, "has no translation to prim");
  if (e.body)
    return e.unsupported(op, "inside of a body");
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!e.tensorType(init.get().getType()))
      return e.unsupported(op, "has a result of type " +
                                   Twine(text(init.get().getType())));
  if (failed(checkOverlap(op, e)))
    return failure();
  auto effect = op.getBlock()->walk([&](Operation *inner) {
    if (auto assertion = dyn_cast<cf::AssertOp>(inner)) {
      assertion.emitRemark("ignored: assertion '")
          << assertion.getMsg() << "' is not checked";
      return WalkResult::advance();
    }
    bool pure = inner == operation || isMemoryEffectFree(inner) ||
                hasSingleEffect<MemoryEffects::Read>(inner);
    return pure ? WalkResult::advance()
                : (void(e.unsupported(inner, "inside of a body")),
                   WalkResult::interrupt());
  });
  if (effect.wasInterrupted())
    return failure();
  simplifyCombine(op);
  if (auto done = emitContraction(op, e))
    return *done;
  if (auto done = emitWindow(op, e))
    return *done;
  Loops loops{op, {}, {}, {}, {}};
  auto sizes = loopSizes(op, e);
  if (failed(sizes))
    return failure();
  loops.sizes = *sizes;
  for (auto [dim, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    loops.all.push_back(dim);
    (type == utils::IteratorType::parallel ? loops.kept : loops.reduced)
        .push_back(dim);
  }
  SmallVector<Value> results;
  if (isSeparable(loops)) {
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
      auto value = emitResult(loops, i, e);
      if (failed(value))
        return failure();
      results.push_back(*value);
    }
  } else {
    auto values = reduceTogether(loops, e);
    if (failed(values))
      return failure();
    results = *values;
  }
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    e.b.setLoc(op.getLoc());
    OpOperand *init = op.getDpsInitOperand(i);
    auto arranged =
        arrange(op, results[i], loops.kept, op.getMatchingIndexingMap(init), e);
    if (failed(arranged) || failed(e.setOrWrite(op, i, init->get(), *arranged)))
      return failure();
  }
  return success();
}

LogicalResult index(linalg::IndexOp op, Translator &e) {
  if (!e.body)
    return e.unsupported(op, "outside of a body");
  const int64_t *found =
      llvm::find(e.body->dims, static_cast<int64_t>(op.getDim()));
  if (found == e.body->dims.end())
    return e.unsupported(op, "of a dimension that is not evaluated");
  int64_t dim = found - e.body->dims.begin();
  Value iota =
      prim::IotaOp::create(e.b, e.typeFor(e.body->sizes, e.b.getI64Type()),
                           e.dynamicSizes(e.body->sizes), dim);
  if (!e.body->starts.empty() && e.body->starts[dim] != 0)
    iota = e.add(iota, e.integer(e.body->starts[dim], iota));
  e.alias(op, iota);
  return success();
}

LogicalResult softmax(linalg::SoftmaxOp op, Translator &e) {
  Value x = e.get(op.getInput());
  if (!isa<FloatType>(e.elementOf(x)))
    return e.unsupported(op, "on integers");
  return e.setOrWrite(
      op, 0, op.getOutput(),
      prim::SoftmaxOp::create(e.b, x.getType(), x, op.getDimension()));
}

} // namespace

void addLinalgRules(Rules &rules) {
  rules.add<linalg::IndexOp>(index);
  rules.add<linalg::SoftmaxOp>(softmax);
  rules.add("linalg.*", structured);
}

} // namespace kiln::tensor_to_prim
