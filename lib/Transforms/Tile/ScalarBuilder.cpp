//===- ScalarBuilder.cpp - Index arithmetic that folds constants ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointerExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln::tile;

/// The constant result of a checked operation on two constants.
template <typename FnT>
static std::optional<int64_t> foldConstants(IndexScalar a, IndexScalar b,
                                            FnT &&overflows) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  int64_t result;
  if (!x || !y || overflows(*x, *y, result))
    return std::nullopt;
  return result;
}

IndexScalar ScalarBuilder::add(IndexScalar a, IndexScalar b) {
  if (isConstantIntValue(a, 0))
    return b;
  if (isConstantIntValue(b, 0))
    return a;
  if (auto folded = foldConstants(a, b, llvm::AddOverflow<int64_t>))
    return constant(*folded);
  return arith::AddIOp::create(builder, loc, materialize(a), materialize(b))
      .getResult();
}

IndexScalar ScalarBuilder::sub(IndexScalar a, IndexScalar b) {
  if (isConstantIntValue(b, 0))
    return a;
  if (auto folded = foldConstants(a, b, llvm::SubOverflow<int64_t>))
    return constant(*folded);
  return arith::SubIOp::create(builder, loc, materialize(a), materialize(b))
      .getResult();
}

IndexScalar ScalarBuilder::mul(IndexScalar a, IndexScalar b) {
  if (isConstantIntValue(a, 0) || isConstantIntValue(b, 1))
    return a;
  if (isConstantIntValue(b, 0) || isConstantIntValue(a, 1))
    return b;
  if (auto folded = foldConstants(a, b, llvm::MulOverflow<int64_t>))
    return constant(*folded);
  return arith::MulIOp::create(builder, loc, materialize(a), materialize(b))
      .getResult();
}

IndexScalar ScalarBuilder::min(IndexScalar a, IndexScalar b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(std::min(*x, *y));
  return arith::MinSIOp::create(builder, loc, materialize(a), materialize(b))
      .getResult();
}

IndexScalar ScalarBuilder::max(IndexScalar a, IndexScalar b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(std::max(*x, *y));
  return arith::MaxSIOp::create(builder, loc, materialize(a), materialize(b))
      .getResult();
}

IndexScalar ScalarBuilder::ceilDiv(IndexScalar a, int64_t b) {
  if (b == 1)
    return a;
  if (auto x = getConstantIntValue(a))
    return constant(llvm::divideCeilSigned(*x, b));
  return arith::CeilDivSIOp::create(builder, loc, materialize(a),
                                    materialize(constant(b)))
      .getResult();
}

IndexScalar ScalarBuilder::select(Value condition, IndexScalar a,
                                  IndexScalar b) {
  return arith::SelectOp::create(builder, loc, condition, materialize(a),
                                 materialize(b))
      .getResult();
}

IndexScalar ScalarBuilder::cast(Value integer) {
  if (auto known = getConstantIntValue(OpFoldResult(integer)))
    return constant(*known);
  if (isa<IndexType>(integer.getType()))
    return integer;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    integer)
      .getResult();
}

Value ScalarBuilder::materialize(IndexScalar scalar) {
  return getValueOrCreateConstantIndexOp(builder, loc, scalar);
}
