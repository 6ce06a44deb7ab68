// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that the program repeats where they are 1.
#include "OpenSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;

namespace kiln::tensor_to_prim {

Value areEqual(OpFoldResult a, OpFoldResult b, Translator &e) {
  return arith::CmpIOp::create(e.b, arith::CmpIPredicate::eq, e.sizeValue(a),
                               e.sizeValue(b));
}

void assertRepeats(Value holds, Translator &e) {
  cf::AssertOp::create(
      e.b, holds, "a size is neither 1 nor the size that it is repeated to");
}

/// Reads position 0 of a size of 1 again and again, and else each position.
Value repeatOpen(Value x, int64_t dim, OpFoldResult to, Translator &e) {
  OpFoldResult own = e.sizesOf(x)[dim];
  Value isOne = areEqual(own, e.size(1), e);
  assertRepeats(arith::OrIOp::create(e.b, isOne, areEqual(own, to, e)), e);
  Value step = arith::SelectOp::create(e.b, isOne, e.sizeValue(e.size(0)),
                                       e.sizeValue(e.size(1)));
  Type i64 = e.b.getI64Type();
  Sizes sizes{to};
  Value positions = prim::IotaOp::create(e.b, e.typeFor(sizes, i64),
                                         e.dynamicSizes(sizes), 0);
  Value steps = e.broadcastInDim(
      prim::FromIndexOp::create(e.b, RankedTensorType::get({}, i64), step), {},
      sizes);
  SmallVector<int64_t> shape(e.typeOf(x).getShape());
  shape[dim] = e.typeOf(positions).getDimSize(0);
  return prim::GatherOp::create(e.b, e.typeOf(x).clone(shape), x,
                                e.mul(positions, steps), dim, 0);
}

} // namespace kiln::tensor_to_prim
