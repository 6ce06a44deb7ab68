// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of widths that prim lacks.
#include "Narrow.h"

using namespace mlir;

namespace kiln::tensor_to_prim {

unsigned spareBits(Type type) {
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  Type own = element ? primElement(element) : Type();
  return own ? own.getIntOrFloatBitWidth() - element.getWidth() : 0;
}

Value wrapTo(Type type, Value value, Translator &e) {
  unsigned spare = spareBits(type);
  if (!spare)
    return value;
  Value by = e.integer(spare, value);
  return e.binary<prim::ShiftRightArithmeticOp>(
      e.binary<prim::ShiftLeftOp>(value, by), by);
}

Value clearSpare(Type type, Value value, Translator &e) {
  unsigned spare = spareBits(type);
  if (!spare)
    return value;
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return e.binary<prim::BitwiseAndOp>(
      value, e.integer((int64_t(1) << width) - 1, value));
}

} // namespace kiln::tensor_to_prim
