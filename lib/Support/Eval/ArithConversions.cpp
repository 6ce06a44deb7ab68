// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arith: comparisons, selection and conversions.
#include "ArithConversions.h"
#include "Lanes.h"
#include "kiln/Eval/Perturb.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

LogicalResult compareInts(arith::CmpIOp op, Frame &frame) {
  if (failed(checkLanes(op, frame)))
    return failure();
  using P = arith::CmpIPredicate;
  const Value &a = frame.get(op.getLhs()), &b = frame.get(op.getRhs());
  Value out = sameForm(a, DType::i1);
  auto go = [&](auto type, auto fn) {
    using T = decltype(type);
    Extend extend = std::is_signed_v<T> ? Extend::sign : Extend::zero;
    mapInts(a, b, out, extend, [fn](int64_t x, int64_t y) -> int64_t {
      return fn(static_cast<T>(x), static_cast<T>(y));
    });
  };
  int64_t s = 0;
  uint64_t u = 0;
  switch (op.getPredicate()) {
  case P::eq:
    go(s, [](auto x, auto y) { return x == y; });
    break;
  case P::ne:
    go(s, [](auto x, auto y) { return x != y; });
    break;
  case P::slt:
    go(s, [](auto x, auto y) { return x < y; });
    break;
  case P::sle:
    go(s, [](auto x, auto y) { return x <= y; });
    break;
  case P::sgt:
    go(s, [](auto x, auto y) { return x > y; });
    break;
  case P::sge:
    go(s, [](auto x, auto y) { return x >= y; });
    break;
  case P::ult:
    go(u, [](auto x, auto y) { return x < y; });
    break;
  case P::ule:
    go(u, [](auto x, auto y) { return x <= y; });
    break;
  case P::ugt:
    go(u, [](auto x, auto y) { return x > y; });
    break;
  case P::uge:
    go(u, [](auto x, auto y) { return x >= y; });
    break;
  }
  spreadPoison(out, {&a, &b});
  return frame.set(op.getResult(), std::move(out));
}

/// Ordered predicates are false, unordered ones true when an operand is NaN.
LogicalResult compareFloatOp(arith::CmpFOp op, Frame &frame) {
  if (failed(checkLanes(op, frame)))
    return failure();
  using P = arith::CmpFPredicate;
  const Value &a = frame.get(op.getLhs()), &b = frame.get(op.getRhs());
  Value out = sameForm(a, DType::i1);
  // Which of less, equal, greater, unordered make the predicate true.
  bool lt = false, eq = false, gt = false, un = false;
  P p = op.getPredicate();
  lt = llvm::is_contained(
      {P::AlwaysTrue, P::OLT, P::OLE, P::ONE, P::ORD, P::ULT, P::ULE, P::UNE},
      p);
  eq = llvm::is_contained(
      {P::AlwaysTrue, P::OEQ, P::OLE, P::OGE, P::ORD, P::UEQ, P::ULE, P::UGE},
      p);
  gt = llvm::is_contained(
      {P::AlwaysTrue, P::OGT, P::OGE, P::ONE, P::ORD, P::UGT, P::UGE, P::UNE},
      p);
  un = llvm::is_contained(
      {P::AlwaysTrue, P::UEQ, P::ULT, P::ULE, P::UGT, P::UGE, P::UNE, P::UNO},
      p);
  compareFloats(a, b, out, [=](double x, double y) -> uint8_t {
    return (lt & (x < y)) | (eq & (x == y)) | (gt & (x > y)) |
           (un & ((x != x) | (y != y)));
  });
  spreadPoison(out, {&a, &b});
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult select(arith::SelectOp op, Frame &frame) {
  const Value condition = frame.get(op.getCondition());
  const Value yes = frame.get(op.getTrueValue());
  const Value no = frame.get(op.getFalseValue());
  if (condition.isScalar()) {
    Value out = condition.asInt() ? yes : no;
    if (condition.hasPoison() && !out.isView())
      std::fill_n(out.makePoison(), out.size(), 1);
    return frame.set(op.getResult(), std::move(out));
  }
  if (failed(checkLanes(op, frame)))
    return failure();
  Value out = Value::tensor(yes.dtype(), yes.shape());
  const uint8_t *c = condition.as<uint8_t>();
  int64_t n = out.size(), bytes = runtime::dtypeBytes(out.dtype());
  char *to = out.as<char>();
  const char *a = yes.as<char>(), *b = no.as<char>();
  auto choose = [&](auto zero) {
    using T = decltype(zero);
    const T *x = yes.as<T>(), *y = no.as<T>();
    T *r = out.as<T>();
    for (int64_t i = 0; i < n; ++i)
      r[i] = c[i] ? x[i] : y[i];
  };
  if (bytes == 4)
    choose(uint32_t());
  else if (bytes == 2)
    choose(uint16_t());
  else
    for (int64_t i = 0; i < n; ++i)
      std::memcpy(to + i * bytes, (c[i] ? a : b) + i * bytes, bytes);
  // Only the chosen lane's poison matters, and the condition's.
  if (condition.hasPoison() || yes.hasPoison() || no.hasPoison()) {
    uint8_t *poison = out.makePoison();
    for (int64_t i = 0; i < n; ++i) {
      const uint8_t *from = c[i] ? yes.poison() : no.poison();
      poison[i] =
          (from && from[i]) || (condition.poison() && condition.poison()[i]);
    }
  }
  return frame.set(op.getResult(), std::move(out));
}

template <typename OpTy>
void addIntConversion(EvaluationInterface &table, Extend extend) {
  table.add<OpTy>([extend](OpTy op, Frame &frame) -> LogicalResult {
    if (failed(checkLanes(op, frame)))
      return failure();
    const Value &a = frame.get(op->getOperand(0));
    Value out = sameForm(a, dtypeOf(op->getResult(0).getType()));
    mapInts(a, out, extend, [](int64_t x) { return x; });
    spreadPoison(out, {&a});
    return frame.set(op->getResult(0), std::move(out));
  });
}

template <typename OpTy> void addFloatConversion(EvaluationInterface &table) {
  table.add<OpTy>([](OpTy op, Frame &frame) -> LogicalResult {
    if (failed(checkLanes(op, frame)))
      return failure();
    if (auto mode =
            op->template getAttrOfType<arith::RoundingModeAttr>("roundingmode"))
      if (mode.getValue() != arith::RoundingMode::to_nearest_even)
        return op.emitOpError("unsupported: evaluation with another rounding "
                              "mode than to_nearest_even");
    const Value &a = frame.get(op->getOperand(0));
    Value out = sameForm(a, dtypeOf(op->getResult(0).getType()));
    mapFloats(a, out, [](double x) { return x; });
    spreadPoison(out, {&a});
    return frame.set(op->getResult(0), std::move(out));
  });
}

/// Conversions by a power of two: the scale, read as f8E8M0FNU, multiplies what
/// is widened and divides what is narrowed; the result is rounded once.
template <typename OpTy>
void addScaledConversion(EvaluationInterface &table, bool divides) {
  table.add<OpTy>([divides](OpTy op, Frame &frame) -> LogicalResult {
    if (failed(checkLanes(op, frame)))
      return failure();
    if (auto mode =
            op->template getAttrOfType<arith::RoundingModeAttr>("roundingmode"))
      if (mode.getValue() != arith::RoundingMode::to_nearest_even)
        return op.emitOpError("unsupported: evaluation with another rounding "
                              "mode than to_nearest_even");
    const Value &a = frame.get(op.getIn()), &scale = frame.get(op.getScale());
    Value power = sameForm(scale, DType::f8E8M0FNU);
    mapFloats(scale, power, [](double x) { return x; });
    Value out = sameForm(a, dtypeOf(op.getType()));
    double x[kChunk], s[kChunk];
    for (int64_t i = 0; i < out.size(); i += kChunk) {
      int64_t n = std::min(kChunk, out.size() - i);
      loadDoubles(a.dtype(), a.data(), i, n, x);
      loadDoubles(power.dtype(), power.data(), i, n, s);
      for (int64_t k = 0; k < n; ++k)
        x[k] = divides ? x[k] / s[k] : x[k] * s[k];
      storeDoubles(out.dtype(), out.mutableData(), i, n, x);
    }
    spreadPoison(out, {&a, &scale});
    return frame.set(op.getResult(), std::move(out));
  });
}

/// Integers to floats, rounded once.
template <typename OpTy>
void addIntToFloat(EvaluationInterface &table, bool isUnsigned) {
  table.add<OpTy>([isUnsigned](OpTy op, Frame &frame) -> LogicalResult {
    if (failed(checkLanes(op, frame)))
      return failure();
    const Value &a = frame.get(op->getOperand(0));
    Value out = sameForm(a, dtypeOf(op->getResult(0).getType()));
    bool direct = out.dtype() == DType::f64;
    int64_t x[kChunk];
    double y[kChunk];
    for (int64_t i = 0; i < out.size(); i += kChunk) {
      int64_t n = std::min(kChunk, out.size() - i);
      loadInts(a.dtype(), a.data(), i, n, x,
               isUnsigned ? Extend::zero : Extend::sign);
      for (int64_t k = 0; k < n; ++k) {
        auto u = static_cast<uint64_t>(x[k]);
        y[k] = direct ? (isUnsigned ? static_cast<double>(u)
                                    : static_cast<double>(x[k]))
                      : (isUnsigned ? narrowToOdd(u) : narrowToOdd(x[k]));
      }
      storeDoubles(out.dtype(), out.mutableData(), i, n, y);
    }
    spreadPoison(out, {&a});
    return frame.set(op->getResult(0), std::move(out));
  });
}

/// Floats to integers: what does not fit is poison.
template <typename OpTy>
void addFloatToInt(EvaluationInterface &table, bool isUnsigned) {
  table.add<OpTy>([isUnsigned](OpTy op, Frame &frame) -> LogicalResult {
    if (failed(checkLanes(op, frame)))
      return failure();
    const Value &a = frame.get(op->getOperand(0));
    Value out = sameForm(a, dtypeOf(op->getResult(0).getType()));
    int bits = runtime::dtypeBits(out.dtype());
    double least = isUnsigned ? 0 : -std::ldexp(1.0, bits - 1);
    double limit = std::ldexp(1.0, isUnsigned ? bits : bits - 1);
    double x[kChunk];
    int64_t y[kChunk];
    for (int64_t i = 0; i < out.size(); i += kChunk) {
      int64_t n = std::min(kChunk, out.size() - i);
      loadDoubles(a.dtype(), a.data(), i, n, x);
      for (int64_t k = 0; k < n; ++k) {
        double whole = std::trunc(x[k]);
        if (!(whole >= least && whole < limit)) {
          out.makePoison()[i + k] = 1;
          y[k] = 0;
        } else {
          y[k] = isUnsigned ? static_cast<int64_t>(static_cast<uint64_t>(whole))
                            : static_cast<int64_t>(whole);
        }
      }
      storeInts(out.dtype(), out.mutableData(), i, n, y);
    }
    spreadPoison(out, {&a});
    return frame.set(op->getResult(0), std::move(out));
  });
}

/// trunci, whose flags make lost bits poison.
LogicalResult truncate(arith::TruncIOp op, Frame &frame) {
  if (failed(checkLanes(op, frame)))
    return failure();
  const Value &a = frame.get(op.getIn());
  Value out = sameForm(a, dtypeOf(op.getType()));
  mapInts(a, out, Extend::sign, [](int64_t x) { return x; });
  auto flags = op.getOverflowFlags();
  auto lost = [&](Extend extend) {
    int64_t x[kChunk], y[kChunk];
    for (int64_t i = 0; i < out.size(); i += kChunk) {
      int64_t n = std::min(kChunk, out.size() - i);
      loadInts(a.dtype(), a.data(), i, n, x, extend);
      loadInts(out.dtype(), out.data(), i, n, y, extend);
      for (int64_t k = 0; k < n; ++k)
        if (x[k] != y[k])
          out.makePoison()[i + k] = 1;
    }
  };
  if (bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nsw))
    lost(Extend::sign);
  if (bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nuw))
    lost(Extend::zero);
  spreadPoison(out, {&a});
  return frame.set(op.getResult(), std::move(out));
}

/// The sign and the payload of a NaN are unspecified. While errors are made on
/// purpose, the bits of one are those of another: all of them, or few.
void moveNanBits(const Value &a, Value &out) {
  int sign = perturbation().sign;
  if (!sign || !runtime::isFloat(a.dtype()) || runtime::isFloat(out.dtype()))
    return;
  for (int64_t i = 0; i < a.size(); ++i) {
    double x;
    loadDoubles(a.dtype(), a.data(), i, 1, &x);
    if (x == x)
      continue;
    int64_t bits = -1;
    if (sign < 0) { // a quiet one, with the last bit of its payload
      double nan = std::numeric_limits<double>::quiet_NaN();
      storeDoubles(a.dtype(), out.mutableData(), i, 1, &nan);
      loadInts(out.dtype(), out.data(), i, 1, &bits);
      bits |= 1;
    }
    storeInts(out.dtype(), out.mutableData(), i, 1, &bits);
  }
}

LogicalResult bitcast(arith::BitcastOp op, Frame &frame) {
  if (failed(checkLanes(op, frame)))
    return failure();
  const Value &a = frame.get(op.getIn());
  Value out = sameForm(a, dtypeOf(op.getType()));
  if (out.bytes() != a.bytes())
    return op.emitOpError("unsupported: evaluation between ")
           << op.getIn().getType() << " and " << op.getType();
  std::memcpy(out.mutableData(), a.data(), a.bytes());
  moveNanBits(a, out);
  spreadPoison(out, {&a});
  return frame.set(op.getResult(), std::move(out));
}

} // namespace

void addArithConversions(EvaluationInterface &table) {
  using namespace arith;
  table.add<CmpIOp>(compareInts);
  table.add<CmpFOp>(compareFloatOp);
  table.add<SelectOp>(select);
  addIntConversion<ExtSIOp>(table, Extend::sign);
  addIntConversion<ExtUIOp>(table, Extend::zero);
  addIntConversion<IndexCastOp>(table, Extend::sign);
  addIntConversion<IndexCastUIOp>(table, Extend::zero);
  table.add<TruncIOp>(truncate);
  addFloatConversion<ExtFOp>(table);
  addFloatConversion<TruncFOp>(table);
  addScaledConversion<ScalingExtFOp>(table, /*divides=*/false);
  addScaledConversion<ScalingTruncFOp>(table, /*divides=*/true);
  addIntToFloat<SIToFPOp>(table, false);
  addIntToFloat<UIToFPOp>(table, true);
  addFloatToInt<FPToSIOp>(table, false);
  addFloatToInt<FPToUIOp>(table, true);
  table.add<BitcastOp>(bitcast);
}

} // namespace kiln::eval
