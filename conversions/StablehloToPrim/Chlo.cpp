// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CHLO: functions, operations that broadcast, the largest elements.
#include "Indexing.h"
#include "Reduction.h"

#include "kiln/Dialect/Prim/Shape.h"

#include "kiln/Dialect/Chlo/Chlo.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// A function that prim has under `name`.
LogicalResult function(Operation *op, StringRef name, Translator &e) {
  if (isComplex(op->getOperand(0).getType())) {
    ComplexMath math(op, e);
    auto z = math.named(op->getName().stripDialect(),
                        complexOf(op->getOperand(0), e));
    if (!z)
      return e.unsupported(op, "on complex numbers");
    return math.good ? bind(op->getResult(0), {z->re, z->im}, e) : failure();
  }
  Tensors operands;
  for (Value operand : op->getOperands())
    operands.push_back(e.get(operand));
  if (!isa<FloatType>(e.elementOf(operands.front())))
    return e.unsupported(op, "on integers");
  if (name == "nextafter" && prim::isSmallFloat(operands.front().getType()))
    return e.unsupported(op, "on floats of at most 8 bits");
  Value result = call(op, name, operands, e);
  return result ? e.set(op->getResult(0), result) : failure();
}

LogicalResult conj(chlo::ConjOp op, Translator &e) {
  if (!isComplex(op.getType()))
    return e.set(op, e.get(op.getOperand()));
  Complex z = ComplexMath(op, e).conj(complexOf(op.getOperand(), e));
  return bind(op, {z.re, z.im}, e);
}

LogicalResult square(chlo::SquareOp op, Translator &e) {
  if (isComplex(op.getType()))
    return function(op, "square", e);
  Value x = e.get(op.getOperand());
  return e.set(op, e.mul(x, x));
}

/// 1 for infinity of the sign that is asked for, 0 for any.
template <int sign, typename Op>
LogicalResult isInfinite(Op op, Translator &e) {
  Value x = e.get(op.getOperand());
  double infinity = std::numeric_limits<double>::infinity();
  if (sign == 0)
    x = e.unary<prim::AbsOp>(x);
  return e.set(op, e.compare<prim::EqOp>(
                       x, e.number(sign < 0 ? -infinity : infinity, x)));
}

LogicalResult constant(chlo::ConstantOp op, Translator &e) {
  OpBuilder b(op);
  auto made = stablehlo::ConstantOp::create(b, op.getLoc(), op.getType(),
                                            op.getValue());
  if (failed(e.emit(made)))
    return failure();
  e.share(made->getResults(), op->getResults());
  return success();
}

LogicalResult constantLike(chlo::ConstantLikeOp op, Translator &e) {
  Tensors like = tensorsOf(op.getOperand(), e);
  Type element = like.empty() ? Type() : e.elementOf(like[0]);
  auto number = dyn_cast<TypedAttr>(op.getValue());
  if (!element || !number || isComplex(op.getType()))
    return e.unsupported(op, "of a number of another type");
  if (auto integer = dyn_cast<IntegerAttr>(number);
      integer && isa<IntegerType>(element) &&
      integer.getValue().getBitWidth() == element.getIntOrFloatBitWidth())
    return e.set(op, e.full(IntegerAttr::get(element, integer.getValue()),
                            e.sizesOf(like[0])));
  auto real = dyn_cast<FloatAttr>(number);
  if (!real || real.getType() != element)
    return e.unsupported(op, "of a number of another type");
  return e.set(op, e.full(real, e.sizesOf(like[0])));
}

/// The operand in the shape of the result: by `dims`, or its dimensions are
/// the last ones of the result.
FailureOr<Value> repeated(Operation *op, Value operand,
                          std::optional<ArrayRef<int64_t>> dims,
                          Translator &e) {
  auto source = cast<RankedTensorType>(operand.getType());
  auto target = cast<RankedTensorType>(op->getResult(0).getType());
  if (!target.hasStaticShape() || !source.hasStaticShape())
    return e.unsupported(op, "to a size that is not known");
  auto type = target.clone(source.getElementType());
  if (source == type)
    return operand;
  int64_t missing = target.getRank() - source.getRank();
  SmallVector<int64_t> places;
  if (dims && int64_t(dims->size()) == source.getRank())
    places.assign(dims->begin(), dims->end());
  else if (missing >= 0)
    places = llvm::to_vector(llvm::seq(missing, target.getRank()));
  else
    return e.unsupported(op, "to fewer dimensions");
  OpBuilder b(op);
  auto made = stablehlo::BroadcastInDimOp::create(b, op->getLoc(), type,
                                                  operand, places);
  if (failed(e.emit(made)))
    return failure();
  return Value(made);
}

/// The operation without `broadcast_`, on operands of one shape.
LogicalResult broadcasting(Operation *op, Translator &e) {
  StringRef name = op->getName().stripDialect();
  name.consume_front("broadcast_");
  auto dims = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    // The dimensions are those of the operand that has fewer.
    bool smaller = llvm::any_of(op->getOperandTypes(), [&](Type other) {
      return type.getRank() < cast<RankedTensorType>(other).getRank();
    });
    auto value = repeated(
        op, operand,
        dims && smaller ? std::optional(dims.asArrayRef()) : std::nullopt, e);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  bool inChlo = name == "next_after" || name == "polygamma" || name == "zeta";
  OperationState state(op->getLoc(),
                       ((inChlo ? "chlo." : "stablehlo.") + name).str());
  state.addOperands(operands);
  state.addTypes(op->getResultTypes());
  if (auto compare = dyn_cast<chlo::BroadcastCompareOp>(op)) {
    auto direction = stablehlo::symbolizeComparisonDirection(
        uint32_t(compare.getComparisonDirection()));
    state.addAttribute(
        "comparison_direction",
        stablehlo::ComparisonDirectionAttr::get(op->getContext(), *direction));
    if (auto kind = compare.getCompareType())
      state.addAttribute(
          "compare_type",
          stablehlo::ComparisonTypeAttr::get(
              op->getContext(),
              *stablehlo::symbolizeComparisonType(uint32_t(*kind))));
  }
  OpBuilder b(op);
  Operation *made = b.create(state);
  if (failed(e.emit(made)))
    return failure();
  e.share(made->getResults(), op->getResults());
  return success();
}

/// The upper half of the product.
LogicalResult mulhi(chlo::MulhiOp op, Translator &e) {
  Value a = e.get(op.getLhs()), b = e.get(op.getRhs());
  if (e.elementOf(a).getIntOrFloatBitWidth() < 8)
    return e.unsupported(op, "on integers of this width");
  return e.set(op, highProduct(a, b, isUnsigned(op.getType()), e));
}

/// The largest, by the total order of IEEE 754: NaNs are at both ends, by their
/// signs.
LogicalResult topK(chlo::TopKOp op, Translator &e) {
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  int64_t dim = source.getRank() - 1;
  if (dim < 0 || isComplex(source))
    return e.unsupported(op, "on scalars, or on complex numbers");
  Value x = e.get(op.getOperand());
  auto values = partType(op, op.getValues().getType(), e);
  if (failed(values))
    return failure();
  bool flips = isUnsigned(source) && !e.elementOf(x).isInteger(1);
  bool isFloat = isa<FloatType>(e.elementOf(x));
  Value keys = flips ? flipTop(x, e) : isFloat ? totalOrder(op, x, e) : x;
  if (!keys)
    return failure();
  auto made = make(
      op, "top_k", keys,
      {values->clone(e.elementOf(keys)), values->clone(e.b.getI32Type())}, e,
      {e.b.getNamedAttr("k", e.b.getI64IntegerAttr(op.getK())),
       e.b.getNamedAttr("dim", e.b.getI64IntegerAttr(dim))});
  if (failed(made))
    return failure();
  Value best = (*made)->getResult(0), at = (*made)->getResult(1);
  Type index = getElementTypeOrSelf(op.getIndices().getType());
  if (flips)
    best = flipTop(best, e);
  if (isFloat)
    best = call(op, "bitcast", orderedBits(best, e), e, *values);
  if (!best)
    return failure();
  return success(
      succeeded(e.set(op.getValues(), best)) &&
      succeeded(e.set(op.getIndices(), e.convert(at, primElement(index)))));
}

} // namespace

LogicalResult approximateTopK(stablehlo::CustomCallOp op, Translator &e) {
  auto config = op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  auto number = config ? config.getAs<IntegerAttr>("reduction_dim") : nullptr;
  auto functions = op->getAttrOfType<ArrayAttr>("called_computations");
  auto name = functions && functions.size() == 1
                  ? dyn_cast<FlatSymbolRefAttr>(functions[0])
                  : FlatSymbolRefAttr();
  func::FuncOp function = name ? e.lookup(name.getValue()) : func::FuncOp();
  if (!number || !function || function.isExternal() ||
      op.getInputs().size() != 4 || op->getNumResults() != 2)
    return e.unsupported(op, "of 'ApproxTopK' of several operands");
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto target = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  int64_t dim = number.getInt();
  if (failed(checkDims(op, "reduction_dim", dim, type.getRank(), e)))
    return failure();
  // The comparator orders two values; places are those of the values.
  Block &block = function.getBody().front();
  auto compare = block.getTerminator()->getNumOperands() == 1
                     ? block.getTerminator()
                           ->getOperand(0)
                           .getDefiningOp<stablehlo::CompareOp>()
                     : stablehlo::CompareOp();
  using Direction = stablehlo::ComparisonDirection;
  bool isFirst = compare && block.getNumArguments() == 4 &&
                 compare.getLhs() == block.getArgument(0) &&
                 compare.getRhs() == block.getArgument(1);
  auto direction = isFirst ? compare.getComparisonDirection() : Direction::EQ;
  auto iota = op.getInputs()[1].getDefiningOp<stablehlo::IotaOp>();
  if (!target || target.getRank() != type.getRank() ||
      target.isDynamicDim(dim) || isComplex(type) || isUnsigned(type) ||
      (direction != Direction::GT && direction != Direction::LT) || !iota ||
      int64_t(iota.getIotaDimension()) != dim)
    return e.unsupported(op, "of 'ApproxTopK' by another order");
  auto values = partType(op, target, e);
  if (failed(values))
    return failure();
  SmallVector<NamedAttribute> flags{
      e.b.getNamedAttr("k", e.b.getI64IntegerAttr(target.getDimSize(dim))),
      e.b.getNamedAttr("dim", e.b.getI64IntegerAttr(dim))};
  if (direction == Direction::LT)
    flags.push_back(e.b.getNamedAttr("smallest", e.b.getUnitAttr()));
  auto made = make(op, "top_k", e.get(op.getInputs()[0]),
                   {*values, values->clone(e.b.getI32Type())}, e, flags);
  if (failed(made))
    return failure();
  Type index = getElementTypeOrSelf(op->getResult(1).getType());
  Value places = e.convert((*made)->getResult(1), primElement(index));
  return success(succeeded(e.set(op->getResult(0), (*made)->getResult(0))) &&
                 succeeded(e.set(op->getResult(1), places)));
}

void addChloRules(Rules &rules) {
  using namespace chlo;
  constexpr std::pair<StringRef, StringRef> functions[] = {
      {"acos", "acos"},
      {"acosh", "acosh"},
      {"asin", "asin"},
      {"asinh", "asinh"},
      {"atan", "atan"},
      {"atanh", "atanh"},
      {"cosh", "cosh"},
      {"sinh", "sinh"},
      {"tan", "tan"},
      {"digamma", "digamma"},
      {"erf", "erf"},
      {"erfc", "erfc"},
      {"erf_inv", "erfinv"},
      {"lgamma", "lgamma"},
      {"bessel_i1e", "bessel_i1e"},
      {"next_after", "nextafter"},
      {"polygamma", "polygamma"},
      {"zeta", "zeta"}};
  for (auto [source, name] : functions)
    rules.add(("chlo." + source).str(),
              [name = name](Operation *op, Translator &e) {
                return function(op, name, e);
              });
  for (StringRef name : {"add",
                         "atan2",
                         "divide",
                         "maximum",
                         "minimum",
                         "multiply",
                         "next_after",
                         "polygamma",
                         "power",
                         "remainder",
                         "shift_left",
                         "shift_right_arithmetic",
                         "shift_right_logical",
                         "subtract",
                         "zeta",
                         "and",
                         "or",
                         "xor",
                         "complex",
                         "compare",
                         "select"})
    rules.add(("chlo.broadcast_" + name).str(), broadcasting);
  rules.add<ConjOp>(conj);
  rules.add<SquareOp>(square);
  rules.add<IsInfOp>(isInfinite<0, IsInfOp>);
  rules.add<IsPosInfOp>(isInfinite<1, IsPosInfOp>);
  rules.add<IsNegInfOp>(isInfinite<-1, IsNegInfOp>);
  rules.add<chlo::ConstantOp>(constant);
  rules.add<ConstantLikeOp>(constantLike);
  rules.add<MulhiOp>(mulhi);
  rules.add<chlo::TopKOp>(topK);
}

} // namespace kiln::stablehlo_to_prim
