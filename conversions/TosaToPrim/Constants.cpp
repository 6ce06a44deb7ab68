// Constants of TOSA and arith.
#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;

namespace kiln::tosa_to_prim {
namespace {

/// Elements of a type that prim lacks, in the type that stands for it.
DenseElementsAttr widen(DenseElementsAttr value, Type element, bool isSigned) {
  unsigned width = element.getIntOrFloatBitWidth();
  return cast<DenseIntElementsAttr>(value).mapValues(
      element, [&](const APInt &number) {
        return isSigned ? number.sextOrTrunc(width) : number.zextOrTrunc(width);
      });
}

LogicalResult elements(Operation *op, ElementsAttr value, Emitter &e) {
  auto constant = constantValue(op, value, e);
  return failed(constant) ? failure() : e.set(op->getResult(0), *constant);
}

LogicalResult tosaConst(tosa::ConstOp op, Emitter &e) {
  return elements(op, op.getValues(), e);
}

/// A scalar becomes a tensor of rank 0, or of the iteration space in a body.
LogicalResult arithConstant(arith::ConstantOp op, Emitter &e) {
  TypedAttr value = op.getValue();
  if (auto attr = dyn_cast<ElementsAttr>(value))
    return isa<RankedTensorType>(attr.getType())
               ? elements(op, attr, e)
               : e.unsupported(op, "is not a tensor or a scalar");
  if (isa<IndexType>(value.getType())) {
    e.setSizes(op, {OpFoldResult(value)});
    return success();
  }
  Type element = primElement(value.getType());
  if (!element)
    return e.unsupported(op, "has type " + Twine(text(value.getType())));
  if (auto number = dyn_cast<IntegerAttr>(value))
    value = IntegerAttr::get(element, number.getValue().sextOrTrunc(
                                          element.getIntOrFloatBitWidth()));
  return e.set(op, e.full(value, e.body ? ArrayRef<OpFoldResult>(e.body->sizes)
                                        : ArrayRef<OpFoldResult>()));
}

/// Prim has no state: a global that keeps its first value is a constant.
template <typename Op> LogicalResult globalLoad(Op op, Emitter &e) {
  auto global = dyn_cast_or_null<ml_program::GlobalOp>(
      e.lookupSymbol(op.getGlobal().getRootReference().getValue()));
  if (!global || !op.getGlobal().getNestedReferences().empty())
    return e.unsupported(op, "reads what is not a global of this module");
  if (global.getIsMutable())
    return e.unsupported(op, "reads '" + global.getSymName() +
                                 "', whose value can change");
  auto value = dyn_cast_or_null<ElementsAttr>(global.getValueAttr());
  if (!value)
    return e.unsupported(op, "reads '" + global.getSymName() +
                                 "', whose value is not given");
  return elements(op, value, e);
}

} // namespace

FailureOr<Value> constantValue(Operation *op, ElementsAttr value, Emitter &e) {
  RankedTensorType type = e.tensorType(value.getType());
  if (!type)
    return e.unsupported(op, "has type " + Twine(text(value.getType())));
  if (type != value.getType()) {
    auto dense = dyn_cast<DenseElementsAttr>(value);
    if (!dense)
      return e.unsupported(op, "is a resource of type " +
                                   Twine(text(value.getType())));
    value = widen(dense, type.getElementType(),
                  !value.getElementType().isUnsignedInteger());
  }
  if (!isa<DenseElementsAttr, DenseResourceElementsAttr>(value))
    return e.unsupported(op, "is neither dense nor a resource");
  return Value(prim::ConstantOp::create(e.b, type, value));
}

void addConstantRules(Rules &rules) {
  rules.add<tosa::ConstOp>(tosaConst);
  rules.add<arith::ConstantOp>(arithConstant);
  rules.add<ml_program::GlobalLoadOp>(globalLoad<ml_program::GlobalLoadOp>);
  rules.add<ml_program::GlobalLoadConstOp>(
      globalLoad<ml_program::GlobalLoadConstOp>);
}

} // namespace kiln::tosa_to_prim
