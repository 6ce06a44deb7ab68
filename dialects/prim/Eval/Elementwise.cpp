// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise arithmetic and bits.
#include "Families.h"
#include "kiln/Eval/Perturb.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;

namespace kiln::eval {

namespace {

/// Adds an operation with one function for floats and one for integers.
template <typename OpTy, typename Floats, typename Ints>
void addUnary(PrimTable &table, Floats onFloats, Ints onInts) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op->getOperand(0));
    Value out = Value::tensor(a.dtype(), a.shape());
    if (runtime::isFloat(a.dtype()))
      mapFloats(a, out, onFloats);
    else
      mapInts(a, out, Extend::truth,
              [=, w = runtime::dtypeBits(a.dtype())](int64_t x) {
                return onInts(x, w);
              });
    return finish(op, frame, std::move(out));
  });
}

/// The same for two operands.
template <typename OpTy, typename Floats, typename Ints>
void addBinary(PrimTable &table, Floats onFloats, Ints onInts) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op->getOperand(0));
    const Value &b = frame.get(op->getOperand(1));
    if (failed(sameShape(op, {a, b})))
      return failure();
    Value out = Value::tensor(a.dtype(), a.shape());
    if (runtime::isFloat(a.dtype()))
      mapFloats(a, b, out, onFloats);
    else
      mapInts(a, b, out, Extend::truth,
              [=, w = runtime::dtypeBits(a.dtype())](int64_t x, int64_t y) {
                return onInts(x, y, w);
              });
    return finish(op, frame, std::move(out));
  });
}

/// The same where integers may be unsigned; `onUnsigned` has both extended by
/// zeros.
template <typename OpTy, typename Floats, typename Ints, typename Unsigned>
void addOrdered(PrimTable &table, Floats onFloats, Ints onInts,
                Unsigned onUnsigned) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op.getLhs()), &b = frame.get(op.getRhs());
    if (failed(sameShape(op, {a, b})))
      return failure();
    Value out = Value::tensor(a.dtype(), a.shape());
    if (runtime::isFloat(a.dtype()))
      mapFloats(a, b, out, onFloats);
    else if (op.getIsUnsigned())
      mapInts(a, b, out, Extend::zero, [=](int64_t x, int64_t y) {
        return static_cast<int64_t>(
            onUnsigned(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
      });
    else
      mapInts(a, b, out, Extend::truth, onInts);
    return finish(op, frame, std::move(out));
  });
}

double noFloat(double x) { return x; }
double noFloats(double x, double) { return x; }
int64_t noInt(int64_t x, int) { return x; }
int64_t noInts(int64_t x, int64_t, int) { return x; }

double maximum(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  if (x == y)
    return std::signbit(x) ? y : x;
  return x > y ? x : y;
}
double minimum(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  if (x == y)
    return std::signbit(x) ? x : y;
  return x < y ? x : y;
}
double maximumNumber(double x, double y) {
  return std::isnan(x) ? y : std::isnan(y) ? x : maximum(x, y);
}
double minimumNumber(double x, double y) {
  return std::isnan(x) ? y : std::isnan(y) ? x : minimum(x, y);
}

/// Remainder with the sign of the divisor.
double remainderOf(double x, double y) {
  double r = std::fmod(x, y);
  if (r != 0 && std::signbit(r) != std::signbit(y))
    r += y;
  return r == 0 ? std::copysign(0.0, y) : r;
}

/// Where the specification leaves the value open, zero.
int64_t divide(int64_t x, int64_t y) {
  if (y == 0)
    return 0;
  return y == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x / y;
}
uint64_t divideUnsigned(uint64_t x, uint64_t y) { return y ? x / y : 0; }
uint64_t restUnsigned(uint64_t x, uint64_t y) { return y ? x % y : 0; }
int64_t fmodOf(int64_t x, int64_t y) { return y == 0 || y == -1 ? 0 : x % y; }
int64_t remainderOf(int64_t x, int64_t y) {
  if (y == 0 || y == -1)
    return 0;
  int64_t r = x % y;
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

int64_t power(int64_t x, int64_t y, int) {
  if (y < 0)
    return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
  uint64_t result = 1, base = x;
  for (; y; y >>= 1, base *= base)
    if (y & 1)
      result *= base;
  return static_cast<int64_t>(result);
}

int64_t shiftLeft(int64_t x, int64_t y, int w) {
  return y < 0 || y >= w ? 0
                         : static_cast<int64_t>(static_cast<uint64_t>(x) << y);
}
int64_t shiftRight(int64_t x, int64_t y, int w) {
  return x >> (y < 0 || y >= w ? w - 1 : y);
}
int64_t shiftRightLogical(int64_t x, int64_t y, int w) {
  uint64_t low = static_cast<uint64_t>(x) & llvm::maskTrailingOnes<uint64_t>(w);
  return y < 0 || y >= w ? 0 : static_cast<int64_t>(low >> y);
}

LogicalResult clamp(prim::ClampOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  Value low = constantValue(op.getMin()), high = constantValue(op.getMax());
  Value out = Value::tensor(a.dtype(), a.shape());
  if (runtime::isFloat(a.dtype())) {
    double least = low.asDouble(), most = high.asDouble();
    bool ignoreNan = op.getIgnoreNan();
    mapFloats(a, out, [=](double x) {
      if (std::isnan(x))
        return ignoreNan ? least : x;
      return minimum(maximum(x, least), most);
    });
  } else if (op.getIsUnsigned()) {
    uint64_t mask =
        llvm::maskTrailingOnes<uint64_t>(runtime::dtypeBits(a.dtype()));
    uint64_t least = low.asInt() & mask, most = high.asInt() & mask;
    mapInts(a, out, Extend::zero, [=](int64_t x) -> int64_t {
      return std::min(std::max<uint64_t>(x, least), most);
    });
  } else {
    int64_t least = low.asInt(), most = high.asInt();
    mapInts(a, out, Extend::truth,
            [=](int64_t x) { return std::min(std::max(x, least), most); });
  }
  return finish(op, frame, std::move(out));
}

} // namespace

void addPrimElementwise(PrimTable &table) {
  using namespace prim;
  auto wrap = [](auto fn) {
    return [fn](int64_t x, int64_t y, int) {
      return static_cast<int64_t>(
          fn(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
    };
  };
  addUnary<CeilOp>(table, [](double x) { return std::ceil(x); }, noInt);
  addUnary<FloorOp>(table, [](double x) { return std::floor(x); }, noInt);
  addUnary<RoundOp>(table, [](double x) { return std::nearbyint(x); }, noInt);
  addUnary<RoundHalfAwayOp>(
      table, [](double x) { return std::round(x); }, noInt);
  addUnary<TruncOp>(table, [](double x) { return std::trunc(x); }, noInt);
  addUnary<SignOp>(
      table, [](double x) { return x > 0   ? 1.0
                                   : x < 0 ? -1.0
                                           : x; },
      [](int64_t x, int) -> int64_t { return (x > 0) - (x < 0); });
  addUnary<SqrtOp>(table, [](double x) { return std::sqrt(x); }, noInt);
  addUnary<ReciprocalOp>(table, [](double x) { return 1 / x; }, noInt);
  addUnary<BitwiseNotOp>(table, noFloat, [](int64_t x, int) { return ~x; });
  addUnary<ClzOp>(table, noFloat, [](int64_t x, int w) -> int64_t {
    uint64_t low =
        static_cast<uint64_t>(x) & llvm::maskTrailingOnes<uint64_t>(w);
    return llvm::countl_zero(low) - (64 - w);
  });
  addBinary<AddOp>(
      table, [](double x, double y) { return x + y; },
      wrap([](uint64_t x, uint64_t y) { return x + y; }));
  addBinary<SubOp>(
      table, [](double x, double y) { return x - y; },
      wrap([](uint64_t x, uint64_t y) { return x - y; }));
  addBinary<MulOp>(
      table, [](double x, double y) { return x * y; },
      wrap([](uint64_t x, uint64_t y) { return x * y; }));
  addOrdered<DivOp>(
      table, [](double x, double y) { return x / y; }, divide, divideUnsigned);
  addOrdered<RemainderOp>(
      table, [](double x, double y) { return remainderOf(x, y); },
      [](int64_t x, int64_t y) { return remainderOf(x, y); }, restUnsigned);
  addOrdered<FmodOp>(
      table, [](double x, double y) { return std::fmod(x, y); }, fmodOf,
      restUnsigned);
  addOrdered<MaximumOp>(
      table, maximum, [](int64_t x, int64_t y) { return std::max(x, y); },
      [](uint64_t x, uint64_t y) { return std::max(x, y); });
  addOrdered<MinimumOp>(
      table, minimum, [](int64_t x, int64_t y) { return std::min(x, y); },
      [](uint64_t x, uint64_t y) { return std::min(x, y); });
  addBinary<GcdOp>(table, noFloats, [](int64_t x, int64_t y, int) {
    auto magnitude = [](int64_t v) {
      return v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
    };
    return static_cast<int64_t>(std::gcd(magnitude(x), magnitude(y)));
  });
  addUnary<PopulationCountOp>(table, noFloat, [](int64_t x, int w) -> int64_t {
    return llvm::popcount(static_cast<uint64_t>(x) &
                          llvm::maskTrailingOnes<uint64_t>(w));
  });
  addBinary<FmaxOp>(table, maximumNumber, noInts);
  addBinary<FminOp>(table, minimumNumber, noInts);
  addBinary<BitwiseAndOp>(table, noFloats,
                          [](int64_t x, int64_t y, int) { return x & y; });
  addBinary<BitwiseOrOp>(table, noFloats,
                         [](int64_t x, int64_t y, int) { return x | y; });
  addBinary<BitwiseXorOp>(table, noFloats,
                          [](int64_t x, int64_t y, int) { return x ^ y; });
  addBinary<ShiftLeftOp>(table, noFloats, shiftLeft);
  addBinary<ShiftRightArithmeticOp>(table, noFloats, shiftRight);
  addBinary<ShiftRightLogicalOp>(table, noFloats, shiftRightLogical);
  table.add<ClampOp>(clamp);

  // Integer powers are exact; those of floats are functions.
  table.add<PowOp>([](PowOp op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op.getLhs()), &b = frame.get(op.getRhs());
    if (failed(sameShape(op, {a, b})))
      return failure();
    Value out = Value::tensor(a.dtype(), a.shape());
    if (runtime::isFloat(a.dtype()))
      evaluateWithin(16, out,
                     [&](Value &to) { mapFunction(a, b, to, std::pow, powl); });
    else
      mapInts(a, b, out, Extend::truth,
              [](int64_t x, int64_t y) { return power(x, y, 64); });
    return finish(op, frame, std::move(out));
  });
}

} // namespace kiln::eval
