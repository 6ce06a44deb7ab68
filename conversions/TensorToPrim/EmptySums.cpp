// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EmptySums.h"

using namespace mlir;

namespace kiln::tensor_to_prim {

bool mayBeMinusZero(Value value, Translator &e) {
  if (!isa<FloatType>(e.elementOf(value)))
    return false;
  std::optional<TypedAttr> splat = e.splatOf(value);
  auto number = splat ? dyn_cast<FloatAttr>(*splat) : FloatAttr();
  return !number || number.getValue().isNegZero();
}

Value unlessEmpty(Value result, Value init, ArrayRef<OpFoldResult> sizes,
                  Translator &e) {
  Value isEmpty;
  for (OpFoldResult size : sizes) {
    if (std::optional<int64_t> known = getConstantIntValue(size)) {
      if (*known == 0)
        return init;
      continue;
    }
    Value count = prim::FromIndexOp::create(
        e.b, RankedTensorType::get({}, e.b.getI64Type()), cast<Value>(size));
    Value isZero = e.compare<prim::EqOp>(count, e.integer(0, count));
    isEmpty = isEmpty ? e.binary<prim::BitwiseOrOp>(isEmpty, isZero) : isZero;
  }
  if (!isEmpty)
    return result;
  return e.where(e.broadcastInDim(isEmpty, {}, e.sizesOf(result)), init,
                 result);
}

} // namespace kiln::tensor_to_prim
