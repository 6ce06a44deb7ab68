//===- Scalars.cpp - Small arithmetic, constants and lanes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegisterBuilder.h"
#include "SmallFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

Value ScalarEmitter::c64(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    known = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  return known;
}

Value ScalarEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value ScalarEmitter::add(Value x, Value y) {
  return math().materialize(scalarMath.add(x, y));
}

Value ScalarEmitter::sub(Value x, Value y) {
  return math().materialize(scalarMath.sub(x, y));
}

Value ScalarEmitter::mul(Value x, Value y) {
  return math().materialize(scalarMath.mul(x, y));
}

Value ScalarEmitter::minimum(Value x, Value y) {
  return math().materialize(scalarMath.min(x, y));
}

Value ScalarEmitter::maximum(Value x, Value y) {
  return math().materialize(scalarMath.max(x, y));
}

Value ScalarEmitter::ceilDivPositive(Value x, int64_t divisor) {
  return math().materialize(
      scalarMath.ceilDiv(x, scalarMath.constant(divisor)));
}

Value ScalarEmitter::roundDown(Value x, int64_t powerOfTwo) {
  if (powerOfTwo == 1)
    return x;
  if (auto cx = getConstantIntValue(x))
    return c64(*cx & -powerOfTwo);
  return arith::AndIOp::create(b, loc, x, c64(-powerOfTwo));
}

Value ScalarEmitter::conjunction(Value x, Value y) {
  if (!x || x == y)
    return y;
  if (!y)
    return x;
  return arith::AndIOp::create(b, loc, x, y);
}

Value ScalarEmitter::select(Value condition, Value x, Value y) {
  if (x == y)
    return x;
  if (!condition)
    return x;
  return arith::SelectOp::create(b, loc, condition, x, y);
}

Value ScalarEmitter::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(b, loc, predicate, x, y);
}

Value RegisterBuilder::scalar64(Value value) {
  if (auto known = getConstantIntValue(value))
    return c64(*known);
  Value found = mapping.lookup(value);
  if (auto known = getConstantIntValue(found))
    return c64(*known);
  if (!found.getType().isIndex())
    return found;
  if (auto cast = found.getDefiningOp<arith::IndexCastOp>())
    if (cast.getIn().getType().isInteger(64))
      return cast.getIn();
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), found);
}

Value ScalarEmitter::constantOf(Type type, Attribute value) {
  if (isSmallFloat(type)) {
    APInt bits = cast<FloatAttr>(value).getValue().bitcastToAPInt();
    return arith::ConstantOp::create(b, loc,
                                     b.getIntegerAttr(b.getI16Type(), bits));
  }
  return arith::ConstantOp::create(b, loc, type, cast<TypedAttr>(value));
}

Value ScalarEmitter::zeroOf(Type type) {
  type = registerElement(type);
  return arith::ConstantOp::create(b, loc, type, b.getZeroAttr(type));
}

Type RegisterBuilder::vectorOf(Type element, int64_t lanes) {
  return lanes == 1 ? element : VectorType::get({lanes}, element);
}

Value RegisterBuilder::broadcastLanes(Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, loc, VectorType::get({lanes}, value.getType()), value);
}

Value RegisterBuilder::laneIds(Type integer, int64_t lanes) {
  SmallVector<Attribute> ids;
  for (int64_t lane = 0; lane < lanes; ++lane)
    ids.push_back(b.getIntegerAttr(integer, lane));
  auto type = VectorType::get({lanes}, integer);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ids));
}

Value RegisterBuilder::laneMask(Value count, int64_t lanes) {
  Value bounded = maximum(minimum(count, c64(lanes)), c64(0));
  Type i32 = b.getI32Type();
  Value narrow = arith::TruncIOp::create(b, loc, i32, bounded);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                               laneIds(i32, lanes),
                               broadcastLanes(narrow, lanes));
}

/// How many lanes a mask of `laneMask` has, where that is constant.
static std::optional<int64_t> lanesOf(Value mask) {
  auto compared = mask.getDefiningOp<arith::CmpIOp>();
  if (!compared || compared.getPredicate() != arith::CmpIPredicate::slt)
    return std::nullopt;
  Value count = compared.getRhs();
  if (auto spread = count.getDefiningOp<vector::BroadcastOp>())
    count = spread.getSource();
  if (auto narrow = count.getDefiningOp<arith::TruncIOp>())
    count = narrow.getIn();
  return getConstantIntValue(count);
}

void RegisterBuilder::storeMasked(Value value, Value address, Value mask,
                                  unsigned align) {
  // LLVM 22 stores too many bytes where one lane of a truncated vector is left.
  std::optional<int64_t> lanes = lanesOf(mask);
  if (lanes == 1) {
    Value first = vector::ExtractOp::create(b, loc, value, int64_t(0));
    LLVM::StoreOp::create(b, loc, first, address, align);
    return;
  }
  // Nor may it find that out by itself: the count passes through code that it
  // does not look into.
  auto compared = mask.getDefiningOp<arith::CmpIOp>();
  auto spread = compared
                    ? compared.getRhs().getDefiningOp<vector::BroadcastOp>()
                    : vector::BroadcastOp();
  if (!lanes && align < 4 && spread &&
      spread.getSource().getType().isInteger(32)) {
    Value hidden =
        LLVM::InlineAsmOp::create(b, loc, b.getI32Type(), spread.getSource(),
                                  "", "=r,0", /*has_side_effects=*/false,
                                  /*is_align_stack=*/false,
                                  LLVM::tailcallkind::TailCallKind::None,
                                  /*asm_dialect=*/nullptr,
                                  /*operand_attrs=*/nullptr)
            .getResult(0);
    Value count = vector::BroadcastOp::create(b, loc, spread.getType(), hidden);
    mask = arith::CmpIOp::create(b, loc, compared.getPredicate(),
                                 compared.getLhs(), count);
  }
  LLVM::MaskedStoreOp::create(b, loc, value, address, mask, align);
}

Type RegisterBuilder::storageType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isIndex())
    return IntegerType::get(element.getContext(), 64);
  return registerElement(element);
}

int64_t RegisterBuilder::storageBytes(Type element) {
  return storageType(element).getIntOrFloatBitWidth() / 8;
}

Value ScalarEmitter::toI64(Value value) {
  Type element = getElementTypeOrSelf(value.getType()), wide = b.getI64Type();
  if (element == wide)
    return value;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    wide = vector.clone(wide);
  if (element.isIndex())
    return arith::IndexCastOp::create(b, loc, wide, value);
  return arith::ExtSIOp::create(b, loc, wide, value);
}

Value RegisterBuilder::toStorage(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  Type stored = storageType(element);
  if (stored == element)
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  Type type = vector ? Type(vector.clone(stored)) : stored;
  if (element.isIndex())
    return arith::IndexCastOp::create(b, loc, type, value);
  return arith::ExtUIOp::create(b, loc, type, value);
}

Value RegisterBuilder::fromStorage(Value value, Type element) {
  if (!element.isInteger(1) && !element.isIndex())
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  if (element.isIndex()) {
    Type type = vector ? Type(vector.clone(element)) : element;
    return arith::IndexCastOp::create(b, loc, type, value);
  }
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value,
                               zeroOf(value.getType()));
}

Value RegisterBuilder::gep(Value base, Value index, Type element) {
  auto known = getConstantIntValue(index);
  if (known && *known == 0)
    return base;
  Type stored = storageType(element);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  if (known && llvm::isInt<31>(*known))
    return LLVM::GEPOp::create(b, loc, pointer, stored, base,
                               ArrayRef<LLVM::GEPArg>{int32_t(*known)});
  return LLVM::GEPOp::create(b, loc, pointer, stored, base, ValueRange{index});
}
