// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions along one axis, which TOSA keeps with size 1.
#include "Rules.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

template <typename To> Value reduce(Value x, int64_t axis, Translator &e) {
  Sizes sizes = e.sizesOf(x);
  SmallVector<int64_t> shape(e.typeOf(x).getShape());
  shape.erase(shape.begin() + axis);
  Value reduced =
      To::create(e.b, e.typeOf(x).clone(shape), x, ArrayRef<int64_t>{axis});
  sizes[axis] = e.size(1);
  return e.reshape(reduced, sizes);
}

template <typename From, typename To>
LogicalResult reduction(From op, Translator &e) {
  Value x = e.get(op.getInput());
  if (!e.elementOf(x).isInteger(1) ||
      !llvm::is_one_of<To, prim::SumOp, prim::ProdOp>::value)
    return e.set(op, reduce<To>(x, op.getAxis(), e));
  // One bit: a product is set if all are, a sum if an odd number is.
  if (std::is_same_v<To, prim::ProdOp>)
    return e.set(op, reduce<prim::AminOp>(x, op.getAxis(), e));
  Value sum =
      reduce<prim::SumOp>(e.convert(x, e.b.getI32Type()), op.getAxis(), e);
  Value last = e.binary<prim::BitwiseAndOp>(sum, e.integer(1, sum));
  return e.set(op, e.convert(last, e.b.getI1Type()));
}

/// With `nan_mode = IGNORE` a NaN loses, unless there is nothing else.
template <typename From, typename To>
LogicalResult extremum(From op, Translator &e) {
  Value x = e.get(op.getInput());
  if (isUnsigned(op.getType()))
    return e.unsupported(op, "on unsigned integers");
  if (op.getNanMode() != tosa::NanPropagationMode::IGNORE ||
      !isa<FloatType>(e.elementOf(x)))
    return reduction<From, To>(op, e);
  bool isMax = std::is_same_v<To, prim::AmaxOp>;
  Value nan = e.isNan(x);
  double infinity = std::numeric_limits<double>::infinity();
  Value neutral = e.number(isMax ? -infinity : infinity, x);
  Value result = reduce<To>(e.where(nan, neutral, x), op.getAxis(), e);
  Value nothing = reduce<prim::AminOp>(nan, op.getAxis(), e);
  Value quiet = e.number(std::numeric_limits<double>::quiet_NaN(), result);
  return e.set(op, e.where(nothing, quiet, result));
}

LogicalResult argmax(tosa::ArgMaxOp op, Translator &e) {
  Value x = e.get(op.getInput());
  if (isUnsigned(op.getInput().getType()))
    return e.unsupported(op, "on unsigned integers");
  Type element = primElement(getElementTypeOrSelf(op.getType()));
  if (!element || !isa<IntegerType>(element))
    return e.unsupported(op,
                         "has a result of type " + Twine(text(op.getType())));
  if (e.elementOf(x).isInteger(1))
    x = e.convert(x, e.b.getI8Type());
  SmallVector<int64_t> shape(e.typeOf(x).getShape());
  shape.erase(shape.begin() + op.getAxis());
  Type index =
      element.isInteger(64) ? Type(e.b.getI64Type()) : Type(e.b.getI32Type());
  bool ignore = isa<FloatType>(e.elementOf(x)) &&
                op.getNanMode() == tosa::NanPropagationMode::IGNORE;
  Value result = prim::ArgmaxOp::create(
      e.b, RankedTensorType::get(shape, index), x, op.getAxis(), ignore);
  return e.set(op, e.convert(result, element));
}

} // namespace

void addReductionRules(Rules &rules) {
  rules.add<tosa::ReduceSumOp>(reduction<tosa::ReduceSumOp, prim::SumOp>);
  rules.add<tosa::ReduceProductOp>(
      reduction<tosa::ReduceProductOp, prim::ProdOp>);
  rules.add<tosa::ReduceAllOp>(reduction<tosa::ReduceAllOp, prim::AminOp>);
  rules.add<tosa::ReduceAnyOp>(reduction<tosa::ReduceAnyOp, prim::AmaxOp>);
  rules.add<tosa::ReduceMaxOp>(extremum<tosa::ReduceMaxOp, prim::AmaxOp>);
  rules.add<tosa::ReduceMinOp>(extremum<tosa::ReduceMinOp, prim::AminOp>);
  rules.add<tosa::ArgMaxOp>(argmax);
}

} // namespace kiln::tensor_to_prim
