// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What values of StableHLO stand for, and regions of it.
#include "Rules.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kiln::stablehlo_to_prim {

using tensor_to_prim::text;

bool isComplex(Type type) {
  return isa<ComplexType>(getElementTypeOrSelf(type));
}

/// Several tensors stand behind one value of the source as the operands of a
/// cast, which disappears with the source.
static UnrealizedConversionCastOp castOf(Value value) {
  return value ? value.getDefiningOp<UnrealizedConversionCastOp>()
               : UnrealizedConversionCastOp();
}

Tensors tensorsOf(Value source, Translator &e) {
  Value value = e.get(source);
  if (auto cast = castOf(value))
    return Tensors(cast.getInputs());
  return value ? Tensors{value} : Tensors{};
}

Tensors tensorsOf(ValueRange sources, Translator &e) {
  Tensors all;
  for (Value source : sources)
    llvm::append_range(all, tensorsOf(source, e));
  return all;
}

LogicalResult bind(Value source, ArrayRef<Value> to, Translator &e) {
  if (isa<RankedTensorType>(source.getType()) && !isComplex(source.getType()) &&
      to.size() == 1)
    return source.getDefiningOp() ? e.set(source, to.front())
                                  : (e.alias(source, to.front()), success());
  auto cast = UnrealizedConversionCastOp::create(e.b, source.getType(), to);
  e.alias(source, cast.getResult(0));
  return success();
}

/// The types of the tensors behind one type; false if prim lacks one.
static bool collect(Type type, SmallVectorImpl<Type> &types, Translator &e) {
  if (isa<stablehlo::TokenType>(type))
    return true;
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(),
                        [&](Type each) { return collect(each, types, e); });
  if (auto future = dyn_cast<stablehlo::FutureType>(type))
    return llvm::all_of(future.getTypes(),
                        [&](Type each) { return collect(each, types, e); });
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto complex =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  if (complex)
    type = tensor.clone(complex.getElementType());
  RankedTensorType found = e.tensorType(type);
  if (!found)
    return false;
  types.append(complex ? 2 : 1, found);
  return true;
}

FailureOr<SmallVector<Type>> typesOf(Operation *op, TypeRange types,
                                     Translator &e) {
  SmallVector<Type> all;
  for (Type type : types)
    if (!collect(type, all, e))
      return e.unsupported(op, "has a value of type " + Twine(text(type)));
  return all;
}

LogicalResult bindAll(ValueRange sources, ArrayRef<Value> to, Translator &e) {
  for (Value source : sources) {
    SmallVector<Type> types;
    if (!collect(source.getType(), types, e) || types.size() > to.size())
      return failure();
    if (failed(bind(source, to.take_front(types.size()), e)))
      return failure();
    to = to.drop_front(types.size());
  }
  return success();
}

FailureOr<RankedTensorType> partType(Operation *op, Type type, Translator &e) {
  auto types = typesOf(op, type, e);
  if (failed(types))
    return failure();
  if (types->empty())
    return e.unsupported(op, "has a value of type " + Twine(text(type)));
  return cast<RankedTensorType>(types->front());
}

LogicalResult
eachPart(Operation *op, ValueRange operands, Translator &e,
         llvm::function_ref<Value(RankedTensorType, ArrayRef<Value>)> make) {
  auto type = partType(op, op->getResult(0).getType(), e);
  if (failed(type))
    return failure();
  SmallVector<Tensors> lists;
  for (Value operand : operands) {
    lists.push_back(tensorsOf(operand, e));
    if (lists.back().empty() || lists.back().size() != lists.front().size())
      return e.unsupported(op, "mixes complex and other operands");
  }
  Tensors results;
  size_t parts = isComplex(op->getResult(0).getType()) ? 2 : 1;
  if (!lists.empty() && lists.front().size() != parts)
    return e.unsupported(op, "mixes complex and other operands");
  for (size_t i = 0; i < parts; ++i) {
    Tensors part;
    for (const Tensors &list : lists)
      part.push_back(list[i]);
    Value result = make(*type, part);
    if (!result)
      return failure();
    results.push_back(result);
  }
  return bind(op->getResult(0), results, e);
}

LogicalResult checkCount(Operation *op, StringRef name, size_t found,
                         size_t expected, Translator &e) {
  if (found == expected)
    return success();
  e.reported = true;
  return op->emitError("expected ")
         << expected << " numbers in " << name << ", found " << found;
}

LogicalResult checkDims(Operation *op, StringRef name, ArrayRef<int64_t> dims,
                        int64_t rank, Translator &e) {
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank || seen[dim]) {
      e.reported = true;
      return op->emitError("expected distinct dimensions below ")
             << rank << " in " << name << ", found " << dim;
    }
    seen.set(dim);
  }
  return success();
}

Value spread(Value scalar, Value like, Translator &e) {
  if (e.typeOf(scalar).getRank() != 0)
    return scalar;
  return e.broadcastInDim(scalar, {}, e.sizesOf(like));
}

FailureOr<Operation *> make(Operation *op, StringRef name, ValueRange operands,
                            TypeRange results, Translator &e,
                            ArrayRef<NamedAttribute> attributes,
                            unsigned regions) {
  OperationState state(e.b.getLoc(), ("prim." + name).str());
  auto info = state.name.getRegisteredInfo();
  if (!info)
    return e.unsupported(op, "needs prim." + Twine(name));
  for (NamedAttribute attribute : attributes)
    if (!llvm::is_contained(info->getAttributeNames(), attribute.getName()))
      return e.unsupported(op, "needs prim." + Twine(name) + " with '" +
                                   attribute.getName().getValue() + "'");
  state.addOperands(operands);
  state.addTypes(results);
  state.addAttributes(attributes);
  for (unsigned i = 0; i < regions; ++i)
    state.addRegion();
  return e.b.create(state);
}

Value call(Operation *op, StringRef name, ValueRange operands, Translator &e,
           Type result) {
  auto made =
      make(op, name, operands, result ? result : operands[0].getType(), e);
  return failed(made) ? Value() : (*made)->getResult(0);
}

SmallVector<NamedAttribute> unsignedFlag(bool isUnsigned, Translator &e) {
  if (!isUnsigned)
    return {};
  return {e.b.getNamedAttr("is_unsigned", e.b.getUnitAttr())};
}

Combiner combinerOf(Region &region) {
  Block &block = region.front();
  Operation *last = block.getTerminator();
  if (block.getNumArguments() != 2 || last->getNumOperands() != 1)
    return Combiner::Other;
  Value result = last->getOperand(0);
  if (result == block.getArgument(0))
    return Combiner::First;
  if (result == block.getArgument(1))
    return Combiner::Second;
  Operation *op = result.getDefiningOp();
  if (!op || op->getBlock() != &block || op->getNumOperands() != 2)
    return Combiner::Other;
  bool both = (op->getOperand(0) == block.getArgument(0) &&
               op->getOperand(1) == block.getArgument(1)) ||
              (op->getOperand(0) == block.getArgument(1) &&
               op->getOperand(1) == block.getArgument(0));
  if (!both)
    return Combiner::Other;
  bool isBool = getElementTypeOrSelf(result.getType()).isInteger(1);
  return llvm::TypeSwitch<Operation *, Combiner>(op)
      .Case<stablehlo::AddOp>(
          [&](auto) { return isBool ? Combiner::Or : Combiner::Add; })
      .Case<stablehlo::MulOp>(
          [&](auto) { return isBool ? Combiner::And : Combiner::Mul; })
      .Case<stablehlo::MinOp>(
          [&](auto) { return isBool ? Combiner::And : Combiner::Min; })
      .Case<stablehlo::MaxOp>(
          [&](auto) { return isBool ? Combiner::Or : Combiner::Max; })
      .Case<stablehlo::AndOp>([](auto) { return Combiner::And; })
      .Case<stablehlo::OrOp>([](auto) { return Combiner::Or; })
      .Case<stablehlo::XorOp>([](auto) { return Combiner::Xor; })
      .Default([](auto) { return Combiner::Other; });
}

FailureOr<Tensors> inlineRegion(Region &source, ArrayRef<Value> arguments,
                                Translator &e) {
  Block &block = source.front();
  if (failed(bindAll(block.getArguments(), arguments, e)) ||
      failed(e.emitBlock(block)))
    return failure();
  Tensors results;
  for (Value value : block.getTerminator()->getOperands()) {
    if (!e.isKnown(value))
      return failure();
    llvm::append_range(results, tensorsOf(value, e));
  }
  return results;
}

LogicalResult translateRegion(Operation *op, Region &source, Region &target,
                              Translator &e) {
  auto types = typesOf(op, source.front().getArgumentTypes(), e);
  if (failed(types))
    return failure();
  OpBuilder::InsertionGuard guard(e.b);
  Block *block = e.b.createBlock(&target);
  Tensors arguments;
  for (Type type : *types)
    arguments.push_back(block->addArgument(type, op->getLoc()));
  auto results = inlineRegion(source, arguments, e);
  e.b.setLoc(op->getLoc());
  if (failed(results))
    return failure();
  prim::YieldOp::create(e.b, *results);
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (castOf(inner.getNumResults() == 1 ? inner.getResult(0) : Value()))
      inner.erase();
  return success();
}

} // namespace kiln::stablehlo_to_prim
