// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations, calls and the values they stand for.
#include "Translator.h"

#include "kiln/Dialect/Prim/Shape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln::tensor_to_prim {

Type primElement(Type type) {
  MLIRContext *context = type.getContext();
  if (isa<IndexType>(type))
    return IntegerType::get(context, 64);
  if (auto real = dyn_cast<FloatType>(type))
    return prim::isSmallFloat(type) ||
                   isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
                       type)
               ? real
               : Type();
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return {};
  unsigned width = integer.getWidth();
  if (width == 0 || width > 64)
    return {};
  unsigned own = width == 1 ? 1 : std::max(8u, llvm::bit_ceil(width));
  // Others lie in the next wider type, extended as they are signed or not.
  return IntegerType::get(context, own);
}

bool isUnsigned(Type type) {
  return getElementTypeOrSelf(type).isUnsignedInteger();
}

Translator::Translator(ModuleOp module, const Rules &rules)
    : b(module.getLoc(), module.getContext()), module(module), rules(rules) {}

LogicalResult Translator::unsupported(Operation *op, const Twine &reason) {
  reported = true;
  InFlightDiagnostic diag = op->emitError("unsupported: ")
                            << op->getName().getStringRef() << ' ' << reason;
  for (func::CallOp call : llvm::reverse(calls))
    diag.attachNote(call.getLoc()) << "called from here";
  return diag;
}

RankedTensorType Translator::tensorType(Type type) {
  auto ranked = dyn_cast<ShapedType>(type);
  if (!ranked || !ranked.hasRank() || !isa<RankedTensorType, MemRefType>(type))
    return {};
  if (auto tensor = dyn_cast<RankedTensorType>(type);
      tensor && tensor.getEncoding())
    return {};
  Type element = primElement(ranked.getElementType());
  return element ? RankedTensorType::get(ranked.getShape(), element)
                 : RankedTensorType();
}

/// Whether `value` comes from outside of the region that is evaluated.
static bool isOutside(Translator::Body *body, Value value) {
  return body && !body->region->isAncestor(value.getParentRegion());
}

/// What a buffer holds, read through the views of it; null after a report.
static Value contents(Place &place) {
  if (!place.base)
    return place.value;
  Value whole = contents(*place.base);
  FailureOr<Value> part = whole ? place.read(whole) : FailureOr<Value>();
  return failed(part) ? Value() : *part;
}

Value Translator::get(Value source) {
  if (auto place = places.lookup(source))
    return contents(*place);
  Value value = values.lookup(source);
  if (!value && isa<IndexType>(source.getType())) {
    // Inside of a body an index is a tensor of i64, outside it may be a size.
    auto it = shapes.find(source);
    return it == shapes.end() || it->second.size() != 1
               ? Value()
               : sizeTensor(it->second.front());
  }
  if (!value || !isOutside(body, source) || isa<ShapedType>(source.getType()))
    return value;
  return broadcastInDim(value, {}, body->sizes);
}

Value Translator::sizeTensor(OpFoldResult size) {
  ArrayRef<OpFoldResult> space =
      body ? ArrayRef<OpFoldResult>(body->sizes) : ArrayRef<OpFoldResult>();
  if (auto number = getConstantIntValue(size))
    return full(integerAttr(b.getI64Type(), *number), space);
  // Sums and products of sizes are computed on tensors; only what a size is
  // read from is counted.
  Value value = cast<Value>(size);
  Operation *op = value.getDefiningOp();
  auto both = [&](auto make) {
    Value lhs = sizeTensor(op->getOperand(0));
    return make(lhs, sizeTensor(op->getOperand(1)));
  };
  if (auto read = dyn_cast_or_null<prim::ToIndexOp>(op); read && space.empty())
    return convert(read.getOperand(), b.getI64Type());
  if (isa<arith::AddIOp>(op))
    return both([&](Value a, Value c) { return add(a, c); });
  if (isa<arith::SubIOp>(op))
    return both([&](Value a, Value c) { return sub(a, c); });
  if (isa<arith::MulIOp>(op))
    return both([&](Value a, Value c) { return mul(a, c); });
  if (isa<arith::MaxSIOp>(op))
    return both(
        [&](Value a, Value c) { return binary<prim::MaximumOp>(a, c); });
  if (isa<arith::MinSIOp>(op))
    return both(
        [&](Value a, Value c) { return binary<prim::MinimumOp>(a, c); });
  if (isa<arith::DivSIOp, arith::DivUIOp>(op))
    return both([&](Value a, Value c) { return binary<prim::DivOp>(a, c); });
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return both([&](Value a, Value c) { return binary<prim::FmodOp>(a, c); });
  if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp>(op))
    return both([&](Value a, Value c) {
      return divide(a, c, isa<arith::CeilDivSIOp>(op));
    });
  Value ones = full(integerAttr(b.getI64Type(), 1), {size});
  Value count = prim::SumOp::create(
      b, RankedTensorType::get({}, b.getI64Type()), ones, ArrayRef<int64_t>{0});
  return space.empty() ? count : broadcastInDim(count, {}, space);
}

Sizes Translator::sizesOfType(RankedTensorType type, ValueRange dynamic) {
  Sizes sizes = getAsIndexOpFoldResult(type.getContext(), type.getShape());
  for (auto [size, extent] : llvm::zip_equal(sizes, type.getShape()))
    if (ShapedType::isDynamic(extent)) {
      size = getSizes(dynamic.front()).front();
      dynamic = dynamic.drop_front();
    }
  return sizes;
}

LogicalResult Translator::setDim(Operation *op, Value source, Value dim) {
  auto index = getConstantSizes(dim);
  Value x = get(source);
  if (!x)
    return failure();
  if (!index || index->front() < 0 || index->front() >= typeOf(x).getRank())
    return unsupported(op, "of a dimension that is not a constant of the rank");
  OpFoldResult size = prim::dimSize(b, b.getLoc(), x, index->front());
  if (body)
    return set(op->getResult(0), sizeTensor(size));
  setSizes(op->getResult(0), {size});
  return success();
}

void Translator::share(ValueRange from, ValueRange to) {
  // Read everything before anything is overwritten: a function may be given
  // its own values.
  struct State {
    Operation *opaque;
    std::optional<Sizes> sizes;
    Value value;
    std::shared_ptr<Place> place;
  };
  SmallVector<State> states;
  for (Value source : from)
    states.push_back(
        {opaque.lookup(source),
         shapes.count(source) ? std::optional(getSizes(source)) : std::nullopt,
         values.lookup(source), places.lookup(source)});
  for (auto [state, target] : llvm::zip(states, to)) {
    forget(target);
    opaque.erase(target);
    if (state.opaque)
      setOpaque(target, state.opaque);
    else if (state.place)
      places[target] = state.place;
    else if (state.sizes)
      setSizes(target, *state.sizes);
    else if (state.value)
      alias(target, state.value);
  }
}

std::shared_ptr<Place> Translator::newPlace(Value value) {
  auto place = std::make_shared<Place>();
  place->value = value;
  buffers.push_back(place);
  return place;
}

/// Hands what a view is to hold to what it is a view of.
static LogicalResult store(Place &place, Value value, Translator &e) {
  if (!place.base) {
    place.value = e.refine(value, e.typeOf(place.value).getShape());
    place.written = true;
    return success();
  }
  Value whole = contents(*place.base);
  FailureOr<Value> changed =
      whole ? place.write(whole, value) : FailureOr<Value>();
  return failed(changed) ? failure() : store(*place.base, *changed, e);
}

LogicalResult Translator::write(Operation *op, Value source, Value value) {
  auto place = places.lookup(source);
  if (!place)
    return unsupported(op, "writes to a buffer that is not known");
  if (body)
    return unsupported(op, "writes to a buffer inside of a body");
  RankedTensorType want = tensorType(source.getType());
  if (want && (want.getElementType() != elementOf(value) ||
               failed(verifyCompatibleShape(want, typeOf(value)))))
    return unsupported(op, "writes " + llvm::Twine(text(typeOf(value))) +
                               " to " + text(source.getType()));
  return store(*place, value, *this);
}

SmallVector<Value> Translator::saveBuffers() {
  return llvm::map_to_vector(buffers,
                             [](const auto &place) { return place->value; });
}

void Translator::restoreBuffers(ArrayRef<Value> saved) {
  for (auto [place, value] : llvm::zip(buffers, saved))
    place->value = value;
}

LogicalResult Translator::setOrWrite(Operation *op, unsigned result,
                                     Value destination, Value value) {
  return isa<BaseMemRefType>(destination.getType())
             ? write(op, destination, value)
             : set(op->getResult(result), value);
}

Sizes Translator::getSizes(Value source) { return shapes.lookup(source); }

std::optional<SmallVector<int64_t>> Translator::getConstantSizes(Value source) {
  auto it = shapes.find(source);
  if (it == shapes.end())
    return std::nullopt;
  return getConstantIntValues(it->second);
}

LogicalResult Translator::set(Value source, Value value) {
  Operation *op = source.getDefiningOp();
  Type type = source.getType();
  if (isa<ShapedType>(type)) {
    RankedTensorType want = tensorType(type);
    if (!want)
      return unsupported(op, "has a result of type " + llvm::Twine(text(type)));
    RankedTensorType found = typeOf(value);
    if (want.getElementType() != found.getElementType() ||
        failed(verifyCompatibleShape(want, found)))
      return unsupported(op, "gives " + llvm::Twine(text(found)) +
                                 " where its result type says " + text(type));
    value = refine(value, want.getShape());
  }
  values[source] = value;
  return success();
}

OpFoldResult Translator::readSize(Value source) {
  Value number = reshape(values.lookup(source), ArrayRef<int64_t>());
  return b.createOrFold<prim::ToIndexOp>(number);
}

/// Whether an operation takes indices as sizes only, not as numbers.
static bool needsSizes(Operation *op) {
  return isa<tensor::EmptyOp, tensor::ExpandShapeOp, tensor::SplatOp,
             tensor::GenerateOp, tensor::DimOp, tensor::ReshapeOp,
             bufferization::AllocTensorOp, memref::AllocOp, memref::AllocaOp,
             memref::DimOp, memref::ExpandShapeOp, memref::ReinterpretCastOp>(
      op);
}

/// Whether an operation may write to a buffer among its operands.
static bool mayWrite(Operation *op, Value buffer) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return true;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffectsOnValue(buffer, effects);
  return llvm::any_of(effects, [](const auto &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect());
  });
}

LogicalResult Translator::emit(Operation *op) {
  b.setLoc(op->getLoc());
  // Calls and loops are expanded: a short file can stand for a very long one.
  constexpr int64_t most = 1000000;
  if (emitted > most)
    return failure();
  if (++emitted > most)
    return unsupported(op, "makes the function longer than " + Twine(most) +
                               " operations");
  if (!isa<func::CallOp>(op)) {
    for (Value operand : op->getOperands())
      if (Operation *call = getOpaque(operand)) {
        for (Value result : op->getResults()) {
          forget(result);
          setOpaque(result, call);
        }
        // What it would have written is not known either.
        for (Value other : op->getOperands())
          if (auto place = places.lookup(other); place && mayWrite(op, other)) {
            place->root().call = call;
            place->root().written = true;
          }
        return success();
      }
    for (Value operand : op->getOperands())
      if (!isKnown(operand))
        return failure(); // reported where it was to be computed
  }
  // A loop or a second call may have made it something else before.
  for (Value result : op->getResults()) {
    opaque.erase(result);
    forget(result);
  }
  const Rule *rule = nullptr;
  if (op->isRegistered()) {
    rule = rules.find(op->getName().getStringRef());
    if (!rule) // one for all operations of a dialect
      rule = rules.find((op->getName().getDialectNamespace() + ".*").str());
  }
  if (rule) {
    // Positions that are computed from elements are tensors, not sizes, but
    // where a size is wanted.
    SmallVector<Value> read;
    for (Value operand : op->getOperands())
      if (!body && isa<IndexType>(operand.getType()) &&
          getSizes(operand).empty() && needsSizes(op)) {
        setSizes(operand, {readSize(operand)});
        read.push_back(operand);
      }
    sizeBuilder.overflowed = false;
    LogicalResult result = (*rule)(op, *this);
    for (Value operand : read)
      shapes.erase(operand);
    if (succeeded(result) && sizeBuilder.overflowed)
      return unsupported(op, "computes a size that does not fit 64 bits");
    return result;
  }
  if (op->getName().getDialectNamespace() ==
      prim::PrimDialect::getDialectNamespace()) {
    IRMapping mapping;
    llvm::SetVector<Value> operands(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), operands);
    for (Value operand : operands) {
      if (!isa<IndexType>(operand.getType())) {
        mapping.map(operand, get(operand));
        continue;
      }
      Sizes known = getSizes(operand);
      mapping.map(operand,
                  sizeValue(known.empty() ? readSize(operand) : known.front()));
    }
    Operation *copy = b.clone(*op, mapping);
    for (auto [from, to] :
         llvm::zip_equal(op->getResults(), copy->getResults())) {
      if (isa<IndexType>(from.getType()))
        setSizes(from, {to});
      else
        values[from] = to;
    }
    return success();
  }
  return unsupported(op, "has no translation to prim");
}

LogicalResult Translator::emitBlock(Block &block) {
  // Go on after an error: a file with several gets them all reported at once.
  bool good = true;
  for (Operation &op : block.without_terminator())
    good &= succeeded(emit(&op));
  return success(good);
}

LogicalResult Translator::inlineCall(func::CallOp call, func::FuncOp callee) {
  if (llvm::any_of(calls, [&](func::CallOp outer) {
        return outer.getCallee() == call.getCallee();
      }))
    return unsupported(call, "calls '" + callee.getName() + "' recursively");
  if (!llvm::hasSingleElement(callee.getBody()))
    return unsupported(callee, "has control flow between blocks");
  Block &block = callee.getBody().front();
  if (call.getNumOperands() != block.getNumArguments())
    return unsupported(call, "has another number of operands than '" +
                                 callee.getName() + "'");
  share(call.getOperands(), block.getArguments());
  calls.push_back(call);
  LogicalResult result = emitBlock(block);
  calls.pop_back();
  b.setLoc(call.getLoc());
  if (failed(result))
    return failure();
  share(block.getTerminator()->getOperands(), call.getResults());
  return success();
}

} // namespace kiln::tensor_to_prim
