// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of two to seven bits.
#include "Narrow.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// The low bits, moved to the top and back.
template <typename Back> Value extended(Type type, Value x, Translator &e) {
  unsigned spare = spareBits(type);
  if (!spare)
    return x;
  Value amount = e.integer(spare, x);
  return e.binary<Back>(e.binary<prim::ShiftLeftOp>(x, amount), amount);
}

/// Lets a rule wrap the narrow results of its operation.
void wrapResults(Rules &rules, StringRef name) {
  const auto *rule = rules.find(name);
  if (!rule)
    return;
  rules.add(name, [inner = *rule](Operation *op, Translator &e) {
    if (failed(inner(op, e)))
      return failure();
    for (Value result : op->getResults()) {
      if (!spareBits(result.getType()) || !e.isKnown(result))
        continue;
      auto extend = isUnsigned(result.getType()) ? zeroExtended : signExtended;
      e.alias(result, extend(result.getType(), e.get(result), e));
    }
    return success();
  });
}

template <typename... Ops> void wrapResultsOf(Rules &rules) {
  (wrapResults(rules, Ops::getOperationName()), ...);
}

} // namespace

unsigned spareBits(Type type) {
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  bool isNarrow = element && element.getWidth() > 1 && element.getWidth() < 8;
  return isNarrow ? 8 - element.getWidth() : 0;
}

Value zeroExtended(Type type, Value x, Translator &e) {
  return extended<prim::ShiftRightLogicalOp>(type, x, e);
}

Value signExtended(Type type, Value x, Translator &e) {
  return extended<prim::ShiftRightArithmeticOp>(type, x, e);
}

void wrapNarrowResults(Rules &rules) {
  using namespace stablehlo;
  wrapResultsOf<AbsOp, stablehlo::AddOp, BitcastConvertOp, ConstantOp,
                ConvertOp, ConvolutionOp, stablehlo::DivOp, DotGeneralOp, DotOp,
                stablehlo::IotaOp, stablehlo::MulOp, stablehlo::NegOp, NotOp,
                stablehlo::PowOp, stablehlo::ReduceOp, ReduceWindowOp,
                stablehlo::ScatterOp, SelectAndScatterOp,
                stablehlo::ShiftLeftOp, stablehlo::ShiftRightArithmeticOp,
                stablehlo::ShiftRightLogicalOp, SubtractOp>(rules);
}

} // namespace kiln::stablehlo_to_prim
