// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of StableHLO, and functions of each element.
#include "Reduction.h"
#include "../TensorToPrim/EmptySums.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {

bool isNeutral(Combiner combiner, Value init, bool isUnsigned, Translator &e) {
  auto splat = e.splatOf(init);
  if (!splat)
    return false;
  if (auto number = dyn_cast<FloatAttr>(*splat)) {
    const APFloat &value = number.getValue();
    switch (combiner) {
    case Combiner::Add:
      return value.isZero();
    case Combiner::Mul:
      return value.isExactlyValue(1.0);
    case Combiner::Max:
      return value.isInfinity() && value.isNegative();
    case Combiner::Min:
      return value.isInfinity() && !value.isNegative();
    default:
      return false;
    }
  }
  auto number = dyn_cast<IntegerAttr>(*splat);
  if (!number)
    return false;
  const APInt &value = number.getValue();
  switch (combiner) {
  case Combiner::Add:
  case Combiner::Or:
  case Combiner::Xor:
    return value.isZero();
  case Combiner::Mul:
    return value.isOne();
  case Combiner::And:
    return value.isAllOnes();
  case Combiner::Max:
    return isUnsigned ? value.isZero() : value.isMinSignedValue();
  case Combiner::Min:
    return isUnsigned ? value.isAllOnes() : value.isMaxSignedValue();
  default:
    return false;
  }
}

Value combine(Combiner combiner, Value a, Value b, Translator &e) {
  switch (combiner) {
  case Combiner::Add:
    return e.add(a, b);
  case Combiner::Mul:
    return e.mul(a, b);
  case Combiner::Max:
    return e.binary<prim::MaximumOp>(a, b);
  case Combiner::Min:
    return e.binary<prim::MinimumOp>(a, b);
  case Combiner::And:
    return e.binary<prim::BitwiseAndOp>(a, b);
  case Combiner::Or:
    return e.binary<prim::BitwiseOrOp>(a, b);
  case Combiner::Xor:
    return e.binary<prim::BitwiseXorOp>(a, b);
  default:
    return {};
  }
}

Value flipTop(Value x, Translator &e) {
  unsigned width = e.elementOf(x).getIntOrFloatBitWidth();
  Value top =
      e.full(IntegerAttr::get(e.elementOf(x), APInt::getSignedMinValue(width)),
             e.sizesOf(x));
  return e.binary<prim::BitwiseXorOp>(x, top);
}

FailureOr<Operation *> makeCombining(Operation *op, StringRef name,
                                     ArrayRef<Value> operands,
                                     ArrayRef<Value> inits, TypeRange results,
                                     ArrayRef<NamedAttribute> attributes,
                                     Region &body, Translator &e) {
  Tensors all(operands);
  llvm::append_range(all, inits);
  auto made = make(op, name, all, results, e, attributes, 1);
  if (failed(made) ||
      failed(translateRegion(op, body, (*made)->getRegion(0), e)))
    return failure();
  return *made;
}

namespace {

/// What some of the values that a region yields are computed from.
struct Slice {
  llvm::SmallDenseSet<Operation *> operations;
  /// The pairs of arguments, at least those of the values themselves.
  BitVector pairs;
};

} // namespace

/// The slice of the values of `pairs`, and of the pairs that they use.
static Slice sliceOf(Region &body, BitVector pairs) {
  Block &block = body.front();
  Slice slice{{}, std::move(pairs)};
  auto need = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &block)
      slice.pairs.set(argument.getArgNumber() % slice.pairs.size());
    else if (!argument && value.getDefiningOp()->getBlock() == &block)
      slice.operations.insert(value.getDefiningOp());
  };
  BitVector before;
  do {
    before = slice.pairs;
    for (unsigned i : before.set_bits())
      need(block.getTerminator()->getOperand(i));
    for (Operation &op : llvm::reverse(block))
      if (slice.operations.contains(&op))
        op.walk([&](Operation *inner) {
          llvm::for_each(inner->getOperands(), need);
        });
  } while (slice.pairs != before);
  return slice;
}

/// The operation for some pairs of inputs and inits alone.
static Operation *splitPairs(Operation *op, const Slice &slice) {
  size_t count = op->getNumOperands() / 2;
  Block &body = op->getRegion(0).front();
  OpBuilder b(op);
  OperationState state(op->getLoc(), op->getName());
  state.addAttributes(op->getAttrs());
  auto *block = new Block;
  state.addRegion()->push_back(block);
  IRMapping mapping;
  for (size_t from : {size_t(0), count})
    for (unsigned i : slice.pairs.set_bits()) {
      Value given = body.getArgument(from + i);
      mapping.map(given, block->addArgument(given.getType(), op->getLoc()));
      state.operands.push_back(op->getOperand(from + i));
    }
  b.setInsertionPointToStart(block);
  for (Operation &inner : body)
    if (slice.operations.contains(&inner))
      b.clone(inner, mapping);
  SmallVector<Value> yielded;
  for (unsigned i : slice.pairs.set_bits()) {
    yielded.push_back(
        mapping.lookupOrDefault(body.getTerminator()->getOperand(i)));
    state.addTypes(op->getResult(i).getType());
  }
  stablehlo::ReturnOp::create(b, op->getLoc(), yielded);
  b.setInsertionPoint(op);
  return b.create(state);
}

/// An operation of pairs that are not split any further.
static constexpr StringLiteral kTogether = "together";

FailureOr<bool> splitByInits(Operation *op, Translator &e) {
  if (op->hasAttr(kTogether))
    return false;
  size_t count = op->getNumOperands() / 2;
  Region &body = op->getRegion(0);
  BitVector together(count);
  SmallVector<std::pair<Operation *, Slice>> parts;
  bool changes = false;
  for (size_t i = 0; i < count; ++i) {
    BitVector alone(count);
    alone.set(i);
    Slice slice = sliceOf(body, alone);
    if (slice.pairs.count() > 1) {
      together.set(i);
      continue;
    }
    Operation *part = splitPairs(op, slice);
    Value init = op->getOperand(count + i);
    Combiner combiner = combinerOf(part->getRegion(0));
    bool isCombined = combiner != Combiner::Other &&
                      combiner != Combiner::First &&
                      combiner != Combiner::Second;
    for (Value number : tensorsOf(init, e))
      changes |= isCombined &&
                 !isNeutral(combiner, number, isUnsigned(init.getType()), e);
    parts.emplace_back(part, std::move(slice));
  }
  if (!changes) {
    for (auto &[part, slice] : parts)
      part->erase();
    return false;
  }
  // What other pairs use is reduced once more with them, without a result.
  if (together.any()) {
    Slice slice = sliceOf(body, together);
    Operation *part = splitPairs(op, slice);
    part->setAttr(kTogether, UnitAttr::get(op->getContext()));
    parts.emplace_back(part, std::move(slice));
  }
  for (auto &[part, slice] : parts) {
    if (failed(e.emit(part)))
      return failure();
    bool isAlone = part->getNumResults() == 1;
    for (auto [i, result] :
         llvm::zip_equal(slice.pairs.set_bits(), part->getResults()))
      if ((isAlone || together.test(i)) &&
          failed(bind(op->getResult(i), tensorsOf(result, e), e)))
        return failure();
  }
  return true;
}

/// What `done` does not have yet is added to it.
static Value spreadOut(Value scalar, IRMapping &done, RankedTensorType shape,
                       Operation *before, Translator &e) {
  if (Value array = done.lookupOrNull(scalar))
    return array;
  auto type = dyn_cast<RankedTensorType>(scalar.getType());
  if (!type || type.getRank() != 0)
    return {};
  OpBuilder b(before);
  auto array = shape.clone(type.getElementType());
  Operation *op = scalar.getDefiningOp();
  bool isInside = op && before->isProperAncestor(op);
  bool isConstant = isa_and_nonnull<stablehlo::ConstantOp>(op);
  Operation *made;
  if (!isInside || isConstant) {
    Value source = isInside ? b.clone(*op)->getResult(0) : scalar;
    if (isInside && failed(e.emit(source.getDefiningOp())))
      return {};
    made = stablehlo::BroadcastInDimOp::create(b, before->getLoc(), array,
                                               source, ArrayRef<int64_t>{});
    if (!array.hasStaticShape()) {
      // As large as what there is already.
      Tensors parts = tensorsOf(source, e), like;
      for (auto [from, to] : done.getValueMap())
        if (auto type = dyn_cast<RankedTensorType>(to.getType());
            like.empty() && type && type.getShape() == array.getShape())
          like = tensorsOf(to, e);
      if (like.empty())
        return {};
      for (Value &part : parts)
        part = e.broadcastInDim(part, {}, e.sizesOf(like.front()));
      if (failed(bind(made->getResult(0), parts, e)))
        return {};
      done.map(scalar, made->getResult(0));
      return made->getResult(0);
    }
  } else {
    if (op->getNumResults() != 1 || op->getNumRegions() != 0)
      return {};
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(spreadOut(operand, done, shape, before, e));
      if (!operands.back())
        return {};
    }
    made = b.clone(*op);
    made->setOperands(operands);
    made->getResult(0).setType(array);
  }
  if (failed(e.emit(made)))
    return {};
  done.map(scalar, made->getResult(0));
  return made->getResult(0);
}

Value vectorize(Value scalar, const IRMapping &arrays, RankedTensorType shape,
                Operation *before, Translator &e) {
  IRMapping mapping = arrays;
  return spreadOut(scalar, mapping, shape, before, e);
}

namespace {

/// A reduction of one tensor that prim has an operation for; null if not.
Value simpleReduction(Combiner combiner, Value x, ArrayRef<int64_t> dims,
                      RankedTensorType type, bool isUnsigned, Translator &e) {
  bool isBool = e.elementOf(x).isInteger(1);
  switch (combiner) {
  case Combiner::Add:
    return prim::SumOp::create(e.b, type, x, dims);
  case Combiner::Mul:
    return prim::ProdOp::create(e.b, type, x, dims);
  case Combiner::And:
    return isBool ? prim::AminOp::create(e.b, type, x, dims) : Value();
  case Combiner::Or:
    return isBool ? prim::AmaxOp::create(e.b, type, x, dims) : Value();
  case Combiner::Max:
  case Combiner::Min: {
    Value ordered = isUnsigned ? flipTop(x, e) : x;
    Value best;
    if (combiner == Combiner::Max)
      best = prim::AmaxOp::create(e.b, type, ordered, dims);
    else
      best = prim::AminOp::create(e.b, type, ordered, dims);
    return isUnsigned ? flipTop(best, e) : best;
  }
  default:
    return {};
  }
}

/// A reduction of one tensor, or of both parts of complex numbers.
FailureOr<bool> reduceSimply(stablehlo::ReduceOp op, Combiner combiner,
                             Translator &e) {
  Value source = op.getInputs().front();
  bool unsignedElements = isUnsigned(source.getType());
  Tensors parts = tensorsOf(source, e);
  Tensors inits = tensorsOf(op.getInitValues().front(), e);
  if (parts.size() > 1 && combiner != Combiner::Add)
    return false;
  auto type = partType(op, op.getResult(0).getType(), e);
  if (failed(type))
    return failure();
  Tensors results;
  for (auto [x, init] : llvm::zip_equal(parts, inits)) {
    Value result = simpleReduction(combiner, x, op.getDimensions(), *type,
                                   unsignedElements, e);
    if (!result)
      return false;
    bool isMinusZero = combiner == Combiner::Add && mayBeMinusZero(init, e);
    if (isMinusZero || !isNeutral(combiner, init, unsignedElements, e)) {
      Value other = spread(init, result, e);
      if (unsignedElements &&
          (combiner == Combiner::Max || combiner == Combiner::Min))
        result = flipTop(
            combine(combiner, flipTop(result, e), flipTop(other, e), e), e);
      else
        result = combine(combiner, result, other, e);
      if (isMinusZero) {
        Sizes all = e.sizesOf(x), sizes;
        for (int64_t dim : op.getDimensions())
          sizes.push_back(all[dim]);
        result = unlessEmpty(result, other, sizes, e);
      }
    }
    results.push_back(result);
  }
  if (failed(bind(op.getResult(0), results, e)))
    return failure();
  return true;
}

/// The neutral number of an operation on bits, if it is one.
Attribute neutralBits(Combiner combiner, Type element) {
  auto type = dyn_cast<IntegerType>(element);
  if (!type || !llvm::is_contained({Combiner::And, Combiner::Or, Combiner::Xor},
                                   combiner))
    return {};
  return IntegerAttr::get(type, combiner == Combiner::And
                                    ? APInt::getAllOnes(type.getWidth())
                                    : APInt::getZero(type.getWidth()));
}

LogicalResult reduce(stablehlo::ReduceOp op, Translator &e) {
  auto source = cast<RankedTensorType>(op.getInputs()[0].getType());
  if (failed(
          checkDims(op, "dimensions", op.getDimensions(), source.getRank(), e)))
    return failure();
  Combiner combiner = combinerOf(op.getBody());
  if (op.getInputs().size() == 1 && combiner != Combiner::Other) {
    auto done = reduceSimply(op, combiner, e);
    if (failed(done) || *done)
      return success(succeeded(done));
  }
  if (op.getInputs().size() > 1) {
    auto done = splitByInits(op, e);
    if (failed(done) || *done)
      return success(succeeded(done));
  }
  auto types = typesOf(op, op.getResultTypes(), e);
  if (failed(types))
    return failure();
  Tensors inits = tensorsOf(op.getInitValues(), e);
  // A lane of a kernel may begin with the init each: what is not neutral is
  // combined once, at the end.
  Value once = inits.front();
  Attribute neutral = inits.size() == 1 && !isNeutral(combiner, once, false, e)
                          ? neutralBits(combiner, e.elementOf(once))
                          : Attribute();
  if (neutral)
    inits.front() = e.full(cast<TypedAttr>(neutral), {});
  auto made = makeCombining(
      op, "reduce", tensorsOf(op.getInputs(), e), inits, *types,
      e.b.getNamedAttr("dims", op.getDimensionsAttr()), op.getBody(), e);
  if (failed(made))
    return failure();
  Tensors results((*made)->getResults());
  if (neutral)
    results.front() =
        combine(combiner, results.front(), spread(once, results.front(), e), e);
  return bindAll(op.getResults(), results, e);
}

/// The function of whole tensors instead of their elements.
LogicalResult map(stablehlo::MapOp op, Translator &e) {
  IRMapping arrays;
  arrays.map(op.getComputation().getArguments(), op.getInputs());
  Operation *last = op.getComputation().front().getTerminator();
  Value result = last->getNumOperands() == 1
                     ? vectorize(last->getOperand(0), arrays,
                                 cast<RankedTensorType>(op.getType()), op, e)
                     : Value();
  if (!result)
    return e.reported ? failure()
                      : e.unsupported(op, "of a function that does not work "
                                          "on one element at a time");
  return bind(op, tensorsOf(result, e), e);
}

} // namespace

void addReductionRules(Rules &rules) {
  rules.add<stablehlo::ReduceOp>(reduce);
  rules.add<stablehlo::MapOp>(map);
}

} // namespace kiln::stablehlo_to_prim
