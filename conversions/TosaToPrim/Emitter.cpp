// Operations, calls and the values they stand for.
#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;

namespace kiln::tosa_to_prim {

Type primElement(Type type) {
  MLIRContext *context = type.getContext();
  if (isa<IndexType>(type))
    return IntegerType::get(context, 64);
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return type;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return {};
  switch (integer.getWidth()) {
  case 1:
  case 8:
  case 16:
  case 32:
  case 64:
    return IntegerType::get(context, integer.getWidth());
  case 4:
    return integer.isUnsigned() ? Type() : IntegerType::get(context, 8);
  case 48:
    return integer.isUnsigned() ? Type() : IntegerType::get(context, 64);
  default:
    return {};
  }
}

bool isUnsigned(Type type) {
  return getElementTypeOrSelf(type).isUnsignedInteger();
}

Emitter::Emitter(ModuleOp module, const Rules &rules)
    : b(module.getLoc(), module.getContext()), module(module), rules(rules) {}

LogicalResult Emitter::unsupported(Operation *op, const Twine &reason) {
  reported = true;
  InFlightDiagnostic diag = op->emitError("unsupported: ")
                            << op->getName().getStringRef() << ' ' << reason;
  for (func::CallOp call : llvm::reverse(calls))
    diag.attachNote(call.getLoc()) << "called from here";
  return diag;
}

RankedTensorType Emitter::tensorType(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || ranked.getEncoding())
    return {};
  Type element = primElement(ranked.getElementType());
  return element ? RankedTensorType::get(ranked.getShape(), element)
                 : RankedTensorType();
}

/// Whether `value` comes from outside of the region that is evaluated.
static bool isOutside(Emitter::Body *body, Value value) {
  return body && !body->region->isAncestor(value.getParentRegion());
}

Value Emitter::get(Value source) {
  if (isa<IndexType>(source.getType())) {
    // Inside of a body an index is a tensor of i64, outside it is a size.
    if (Value value = values.lookup(source))
      return value;
    auto constant = getConstantSizes(source);
    if (!constant)
      return {};
    return full(integerAttr(b.getI64Type(), constant->front()),
                body ? ArrayRef<OpFoldResult>(body->sizes)
                     : ArrayRef<OpFoldResult>());
  }
  Value value = values.lookup(source);
  if (!value || !isOutside(body, source) || isa<ShapedType>(source.getType()))
    return value;
  return broadcastInDim(value, {}, body->sizes);
}

Sizes Emitter::getSizes(Value source) { return shapes.lookup(source); }

std::optional<SmallVector<int64_t>> Emitter::getConstantSizes(Value source) {
  auto it = shapes.find(source);
  if (it == shapes.end())
    return std::nullopt;
  return getConstantIntValues(it->second);
}

LogicalResult Emitter::set(Value source, Value value) {
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

LogicalResult Emitter::emit(Operation *op) {
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
        for (Value result : op->getResults())
          setOpaque(result, call);
        return success();
      }
    for (Value operand : op->getOperands())
      if (!isKnown(operand))
        return failure(); // reported where it was to be computed
  }
  for (Value result : op->getResults())
    opaque.erase(result);
  const Rule *rule = nullptr;
  if (op->isRegistered()) {
    rule = rules.find(op->getName().getStringRef());
    if (!rule) // one for all operations of a dialect
      rule = rules.find((op->getName().getDialectNamespace() + ".*").str());
  }
  if (rule) {
    // Positions that are computed from elements are tensors, not sizes.
    for (Value operand : op->getOperands())
      if (!body && isa<IndexType>(operand.getType()) &&
          getSizes(operand).empty() &&
          !isa<arith::ArithDialect>(op->getDialect()) &&
          !isa<tensor::ExtractSliceOp, tensor::ExtractOp, tensor::InsertOp>(op))
        return unsupported(op, "uses a size that is computed from elements");
    for (Value operand : op->getOperands())
      if (isa<IndexType>(operand.getType()) && isOutside(body, operand) &&
          !getConstantSizes(operand))
        return unsupported(op, "reads a size that is known at run time only");
    return (*rule)(op, *this);
  }
  if (op->getName().getDialectNamespace() ==
      prim::PrimDialect::getDialectNamespace()) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, isa<IndexType>(operand.getType())
                               ? sizeValue(getSizes(operand).front())
                               : get(operand));
    Operation *copy = b.clone(*op, mapping);
    for (auto [from, to] :
         llvm::zip_equal(op->getResults(), copy->getResults()))
      values[from] = to;
    return success();
  }
  return unsupported(op, "has no translation to prim");
}

LogicalResult Emitter::emitBlock(Block &block) {
  // Go on after an error: a file with several gets them all reported at once.
  bool good = true;
  for (Operation &op : block.without_terminator())
    good &= succeeded(emit(&op));
  return success(good);
}

LogicalResult Emitter::inlineCall(func::CallOp call, func::FuncOp callee) {
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
  // Read everything before anything is overwritten: a function may be given
  // its own values.
  struct State {
    Operation *opaque;
    std::optional<Sizes> sizes;
    Value value;
  };
  auto copyStates = [&](ValueRange from, ValueRange to) {
    SmallVector<State> states;
    for (Value source : from)
      states.push_back({getOpaque(source),
                        shapes.count(source) ? std::optional(getSizes(source))
                                             : std::nullopt,
                        values.lookup(source)});
    for (auto [state, target] : llvm::zip(states, to)) {
      forget(target);
      opaque.erase(target);
      if (state.opaque)
        setOpaque(target, state.opaque);
      else if (state.sizes)
        setSizes(target, *state.sizes);
      else if (state.value)
        alias(target, state.value);
    }
  };
  copyStates(call.getOperands(), block.getArguments());
  calls.push_back(call);
  LogicalResult result = emitBlock(block);
  calls.pop_back();
  b.setLoc(call.getLoc());
  if (failed(result))
    return failure();
  copyStates(block.getTerminator()->getOperands(), call.getResults());
  return success();
}

} // namespace kiln::tosa_to_prim
