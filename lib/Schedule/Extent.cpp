//===- Extent.cpp - Sizes that are known now or at launch -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Schedule/Extent.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln::schedule;

Extent Extent::of(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Extent(constant.getSExtValue());
  return symbol(value.getAsOpaquePointer());
}

Extent Extent::symbol(const void *symbol) {
  Extent result(ShapedType::kDynamic);
  result.tag = symbol;
  return result;
}

Value Extent::value() const {
  assert(!isStatic() && tag && "only dynamic extents have a value");
  return Value::getFromOpaquePointer(tag);
}

Value ExtentMath::value(Extent a) {
  if (!a.isStatic())
    return a.value();
  // Constants are cheap and merged later.
  return arith::ConstantIndexOp::create(*builder, *loc, a.get());
}

template <typename Op>
Extent ExtentMath::emit(unsigned kind, Extent a, Extent b) {
  if (!builder)
    return Extent::unknown();
  // Static operands are keyed by their number; tagged ones by their value.
  auto key = [](Extent e) {
    return e.isStatic() ? reinterpret_cast<const void *>(
                              static_cast<uintptr_t>(e.get()) * 2 + 1)
                        : e.value().getAsOpaquePointer();
  };
  const void *ka = key(a), *kb = key(b);
  bool commutes = kind == 0 || kind == 2 || kind > 4;
  if (commutes && std::less<const void *>()(kb, ka))
    std::swap(ka, kb);
  Value &result = known[{kind, {ka, kb}}];
  if (!result)
    result = Op::create(*builder, *loc, value(a), value(b));
  return Extent::of(result);
}

Extent ExtentMath::add(Extent a, Extent b) {
  if (a.is(0))
    return b;
  if (b.is(0))
    return a;
  if (a.isStatic() && b.isStatic())
    return a.get() + b.get();
  return emit<arith::AddIOp>(0, a, b);
}

Extent ExtentMath::sub(Extent a, Extent b) {
  if (b.is(0))
    return a;
  if (a.same(b))
    return 0;
  if (a.isStatic() && b.isStatic())
    return a.get() - b.get();
  return emit<arith::SubIOp>(1, a, b);
}

Extent ExtentMath::mul(Extent a, Extent b) {
  if (a.is(0) || b.is(0))
    return 0;
  if (a.is(1))
    return b;
  if (b.is(1))
    return a;
  if (a.isStatic() && b.isStatic())
    return a.get() * b.get();
  return emit<arith::MulIOp>(2, a, b);
}

Extent ExtentMath::floorDiv(Extent a, Extent b) {
  if (b.is(1))
    return a;
  if (a.same(b))
    return 1;
  if (a.isStatic() && b.isStatic() && b.get() != 0)
    return llvm::divideFloorSigned(a.get(), b.get());
  return emit<arith::FloorDivSIOp>(3, a, b);
}

Extent ExtentMath::ceilDiv(Extent a, Extent b) {
  if (b.is(1))
    return a;
  if (a.isStatic() && b.isStatic() && b.get() != 0)
    return llvm::divideCeilSigned(a.get(), b.get());
  return emit<arith::CeilDivSIOp>(4, a, b);
}

Extent ExtentMath::min(Extent a, Extent b) {
  if (a.same(b))
    return a;
  if (a.isStatic() && b.isStatic())
    return std::min(a.get(), b.get());
  return emit<arith::MinSIOp>(5, a, b);
}

Extent ExtentMath::max(Extent a, Extent b) {
  if (a.same(b))
    return a;
  if (a.isStatic() && b.isStatic())
    return std::max(a.get(), b.get());
  return emit<arith::MaxSIOp>(6, a, b);
}

Extent ExtentMath::product(ArrayRef<Extent> factors) {
  // Numbers first, so that equal products are computed alike.
  int64_t number = 1;
  Extent result = 1;
  for (Extent factor : factors)
    if (factor.isStatic())
      number *= factor.get();
    else
      result = mul(result, factor);
  return mul(result, number);
}
