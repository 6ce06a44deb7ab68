//===- ThreadMath.cpp - Arithmetic of one thread
//---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Gpu/ThreadMath.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

unsigned ThreadMath::laneBits() const { return llvm::Log2_64(lanes); }
unsigned ThreadMath::warpBits() const { return llvm::Log2_64(warps); }

Value ThreadMath::constant(Type type, int64_t value) {
  Value &known = constants[{type, value}];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    known = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  return known;
}

Value ThreadMath::c32(int64_t value) { return constant(b.getI32Type(), value); }
Value ThreadMath::c64(int64_t value) { return constant(b.getI64Type(), value); }

Value ThreadMath::zero(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::ZeroOp::create(b, loc, type);
  return arith::ConstantOp::create(b, loc, type, b.getZeroAttr(type));
}

Value ThreadMath::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}
Value ThreadMath::sub(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(loc, x, y);
}
Value ThreadMath::mul(Value x, Value y) {
  return b.createOrFold<arith::MulIOp>(loc, x, y);
}
Value ThreadMath::xor_(Value x, Value y) {
  return b.createOrFold<arith::XOrIOp>(loc, x, y);
}
Value ThreadMath::and_(Value x, Value y) {
  return b.createOrFold<arith::AndIOp>(loc, x, y);
}
Value ThreadMath::or_(Value x, Value y) {
  return b.createOrFold<arith::OrIOp>(loc, x, y);
}
Value ThreadMath::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
}
Value ThreadMath::select(Value condition, Value x, Value y) {
  if (x == y || !condition)
    return x;
  return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
}
Value ThreadMath::min(Value x, Value y) {
  return b.createOrFold<arith::MinSIOp>(loc, x, y);
}
Value ThreadMath::max(Value x, Value y) {
  return b.createOrFold<arith::MaxSIOp>(loc, x, y);
}
Value ThreadMath::widen(Value x) {
  if (x.getType().isInteger(64))
    return x;
  return b.createOrFold<arith::ExtUIOp>(loc, b.getI64Type(), x);
}
Value ThreadMath::narrow(Value x) {
  if (x.getType().isInteger(32))
    return x;
  return b.createOrFold<arith::TruncIOp>(loc, b.getI32Type(), x);
}
Value ThreadMath::pack(ValueRange scalars) {
  if (scalars.size() == 1)
    return scalars[0];
  auto type = VectorType::get({int64_t(scalars.size())}, scalars[0].getType());
  Value vector = LLVM::PoisonOp::create(b, loc, type);
  for (auto [i, scalar] : llvm::enumerate(scalars))
    vector = LLVM::InsertElementOp::create(b, loc, vector, scalar, c32(i));
  return vector;
}

Value ThreadMath::unpack(Value vector, int64_t i) {
  return isa<VectorType>(vector.getType())
             ? LLVM::ExtractElementOp::create(b, loc, vector, c32(i))
             : vector;
}

Value ThreadMath::both(Value x, Value y) {
  if (!x || x == y)
    return y;
  return y ? and_(x, y) : x;
}
