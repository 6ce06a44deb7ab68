// Structured operations: elementwise bodies and reductions.
#include "Linalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::tosa_to_prim {
namespace {

/// Reduces `value` over `dims` with the operation of a body. Null if prim has
/// no such reduction.
Value reduceWith(Operation *combine, Value value, ArrayRef<int64_t> dims,
                 Emitter &e) {
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

/// Reduces with any associative operation of a body: halves of a dimension are
/// combined until one element remains.
FailureOr<Value> foldHalves(linalg::LinalgOp op, const Combine &combine,
                            Value out, Value value, ArrayRef<int64_t> dims,
                            Emitter &e) {
  Sizes kept;
  for (auto [dim, size] : llvm::enumerate(e.sizesOf(value)))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      kept.push_back(size);
  for (int64_t dim : dims) {
    int64_t size = e.typeOf(value).getDimSize(dim);
    if (ShapedType::isDynamic(size) || size < 1)
      return e.unsupported(op,
                           "reduces a dimension of a size that is not known");
    for (; size > 1; size -= size / 2) {
      int64_t half = size / 2;
      Value first = e.sliceDim(value, dim, 0, half);
      Value rest = size % 2 ? e.sliceDim(value, dim, 2 * half, size) : Value();
      BodyScope scope(e, *op.getBlock()->getParent(), e.sizesOf(first));
      scope.bind(out, first);
      scope.bind(combine.value, e.sliceDim(value, dim, half, 2 * half));
      auto both = scope.evaluate(combine.op->getResult(0));
      if (failed(both))
        return failure();
      value = rest ? e.concat({*both, rest}, dim) : *both;
    }
  }
  return e.reshape(value, kept);
}

/// Whether the operation of a body gives its other operand for this one.
bool isNeutral(Operation *combine, Value init, Emitter &e) {
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

/// The loops of an operation and what their body works on.
struct Loops {
  linalg::LinalgOp op;
  Sizes sizes;
  SmallVector<int64_t> all, kept, reduced; // dimensions
};

/// Binds the arguments of the body to the operands, in the iteration space.
LogicalResult bindOperands(const Loops &loops, BodyScope &scope,
                           const llvm::SetVector<BlockArgument> &needed,
                           Emitter &e) {
  linalg::LinalgOp op = loops.op;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!needed.contains(argument))
      continue;
    Value value = materialize(op, e.get(operand.get()),
                              op.getMatchingIndexingMap(&operand), loops.all,
                              loops.sizes, e);
    if (!value)
      return failure();
    scope.bind(argument, value);
  }
  return success();
}

/// A value of the body over the whole iteration space.
FailureOr<Value> evaluate(const Loops &loops, Value value, Emitter &e) {
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
                             Emitter &e) {
  linalg::LinalgOp op = loops.op;
  OpOperand *init = op.getDpsInitOperand(index);
  Value before = e.get(init->get());
  if (isNeutral(combine.op, before, e))
    return reduced;
  Sizes sizes = e.sizesOf(reduced);
  Value start = materialize(op, before, op.getMatchingIndexingMap(init),
                            loops.kept, sizes, e);
  if (!start)
    return failure();
  BodyScope scope(e, *op.getBlock()->getParent(), sizes);
  scope.bind(op.getMatchingBlockArgument(init), start);
  scope.bind(combine.value, reduced);
  return scope.evaluate(combine.op->getResult(0));
}

/// One result of an operation with loops.
FailureOr<Value> emitResult(const Loops &loops, unsigned index, Emitter &e) {
  linalg::LinalgOp op = loops.op;
  Block *block = op.getBlock();
  Value yielded = block->getTerminator()->getOperand(index);
  bool long_ = llvm::any_of(loops.reduced, [&](int64_t dim) {
    return getConstantIntValue(loops.sizes[dim]) != 1;
  });
  Slice slice = sliceOf(yielded, *block->getParent());
  bool readsOut = llvm::any_of(slice.arguments, [&](BlockArgument argument) {
    return argument.getArgNumber() >= op.getNumDpsInputs();
  });
  if (long_ && readsOut) {
    std::optional<Combine> combine = matchCombine(op, index);
    if (!combine)
      return e.unsupported(op, "has a reduction whose body is not a sum, a "
                               "product, a minimum or a maximum");
    auto value = evaluate(loops, combine->value, e);
    if (failed(value))
      return failure();
    Value reduced = reduceWith(combine->op, *value, loops.reduced, e);
    if (!reduced) {
      if (!isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::AddIOp,
               arith::MulIOp>(combine->op))
        return e.unsupported(op, "reduces with " +
                                     combine->op->getName().getStringRef());
      auto folded = foldHalves(op, *combine,
                               block->getArgument(op.getNumDpsInputs() + index),
                               *value, loops.reduced, e);
      if (failed(folded))
        return failure();
      reduced = *folded;
    }
    return combineInit(loops, index, *combine, reduced, e);
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

LogicalResult structured(Operation *operation, Emitter &e) {
  auto op = dyn_cast<linalg::LinalgOp>(operation);
  if (!op)
    return e.unsupported(operation, "has no translation to prim");
  if (!op.hasPureTensorSemantics())
    return e.unsupported(op, "on buffers");
  if (e.body)
    return e.unsupported(op, "inside of a body");
  for (Value result : op->getResults())
    if (!e.tensorType(result.getType()))
      return e.unsupported(op, "has a result of type " +
                                   Twine(text(result.getType())));
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
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    auto value = emitResult(loops, i, e);
    if (failed(value))
      return failure();
    e.b.setLoc(op.getLoc());
    auto arranged =
        arrange(op, *value, loops.kept,
                op.getMatchingIndexingMap(op.getDpsInitOperand(i)), e);
    if (failed(arranged) || failed(e.set(op->getResult(i), *arranged)))
      return failure();
  }
  return success();
}

LogicalResult index(linalg::IndexOp op, Emitter &e) {
  if (!e.body)
    return e.unsupported(op, "outside of a body");
  const int64_t *found =
      llvm::find(e.body->dims, static_cast<int64_t>(op.getDim()));
  if (found == e.body->dims.end())
    return e.unsupported(op, "of a dimension that is not evaluated");
  e.alias(op, prim::IotaOp::create(
                  e.b, e.typeFor(e.body->sizes, e.b.getI64Type()),
                  e.dynamicSizes(e.body->sizes), found - e.body->dims.begin()));
  return success();
}

LogicalResult softmax(linalg::SoftmaxOp op, Emitter &e) {
  Value x = e.get(op.getInput());
  if (op.getNumResults() != 1 || !isa<FloatType>(e.elementOf(x)))
    return e.unsupported(op, "on integers or buffers");
  return e.set(op.getResult()[0],
               prim::SoftmaxOp::create(e.b, x.getType(), x, op.getDimension()));
}

} // namespace

void addLinalgRules(Rules &rules) {
  rules.add<linalg::IndexOp>(index);
  rules.add<linalg::SoftmaxOp>(softmax);
  rules.add("linalg.*", structured);
}

} // namespace kiln::tosa_to_prim
