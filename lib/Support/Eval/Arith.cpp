// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arith: integers and floats, lane by lane.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "ArithConversions.h"
#include "Lanes.h"
#include "kiln/Eval/Register.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace kiln::eval {

namespace {

using Wide = unsigned __int128;

uint64_t low(int64_t x, int width) {
  return static_cast<uint64_t>(x) & llvm::maskTrailingOnes<uint64_t>(width);
}
int64_t signExtended(__int128 x, int width) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) << (64 - width)) >>
         (64 - width);
}

/// Adds, subtracts or multiplies with the overflow flags of the operation.
template <typename OpTy, typename Fn>
void addOverflowing(EvaluationInterface &table, Fn fn) {
  table.add<OpTy>([fn](OpTy op, Frame &frame) -> LogicalResult {
    if (failed(checkLanes(op, frame)))
      return failure();
    const Value &a = frame.get(op->getOperand(0));
    const Value &b = frame.get(op->getOperand(1));
    Value out = sameForm(a, a.dtype());
    auto flags = op.getOverflowFlags();
    bool nsw = bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nsw);
    bool nuw = bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nuw);
    if (!nsw && !nuw) {
      mapInts(a, b, out, Extend::sign, [fn](int64_t x, int64_t y) {
        return static_cast<int64_t>(
            fn(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
      });
    } else {
      mapChecked(a, b, out, Extend::sign,
                 [=](int64_t x, int64_t y, int w, bool &bad) {
                   __int128 exact = fn(__int128(x), __int128(y));
                   Wide bits = fn(Wide(low(x, w)), Wide(low(y, w)));
                   int64_t result = signExtended(exact, w);
                   bad = (nsw && exact != result) || (nuw && bits >> w != 0);
                   return result;
                 });
    }
    spreadPoison(out, {&a, &b});
    return frame.set(op.getResult(), std::move(out));
  });
}

/// Division in which a zero divisor or an overflow gives poison.
template <typename OpTy, typename Fn>
void addSignedDivision(EvaluationInterface &table, Fn fn) {
  addCheckedInts<OpTy>(
      table, Extend::sign, [=](int64_t x, int64_t y, int w, bool &bad) {
        int64_t least = signExtended(__int128(1) << (w - 1), w);
        bad = y == 0 || (y == -1 && x == least);
        return bad ? int64_t(0) : fn(x, y);
      });
}

template <typename OpTy, typename Fn>
void addUnsignedDivision(EvaluationInterface &table, Fn fn) {
  addCheckedInts<OpTy>(
      table, Extend::zero, [=](int64_t x, int64_t y, int, bool &bad) {
        bad = y == 0;
        return bad ? int64_t(0)
                   : static_cast<int64_t>(fn(static_cast<uint64_t>(x),
                                             static_cast<uint64_t>(y)));
      });
}

int64_t floorDiv(int64_t x, int64_t y) {
  int64_t q = x / y;
  return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
}
int64_t ceilDiv(int64_t x, int64_t y) {
  int64_t q = x / y;
  return x % y != 0 && (x < 0) == (y < 0) ? q + 1 : q;
}

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

LogicalResult constant(arith::ConstantOp op, Frame &frame) {
  Value value = constantValue(op.getValue());
  if (value.isNone())
    return op.emitOpError("unsupported: evaluation of this constant");
  return frame.set(op.getResult(), std::move(value));
}

/// Results of arith that are two values.
template <typename OpTy>
void addExtended(EvaluationInterface &table, bool isSigned, bool isAdd) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    if (failed(checkLanes(op, frame)))
      return failure();
    const Value a = frame.get(op->getOperand(0));
    const Value b = frame.get(op->getOperand(1));
    int w = runtime::dtypeBits(a.dtype());
    Value first = sameForm(a, a.dtype());
    Value second = sameForm(a, dtypeOf(op->getResult(1).getType()));
    Extend extend = isSigned ? Extend::sign : Extend::zero;
    auto wide = [=](int64_t x, int64_t y) -> __int128 {
      if (isSigned)
        return __int128(x) * y;
      Wide l = static_cast<uint64_t>(x), r = static_cast<uint64_t>(y);
      return static_cast<__int128>(isAdd ? l + r : l * r);
    };
    mapInts(a, b, first, extend, [=](int64_t x, int64_t y) {
      return static_cast<int64_t>(wide(x, y));
    });
    mapInts(a, b, second, extend, [=](int64_t x, int64_t y) {
      return static_cast<int64_t>(wide(x, y) >> w);
    });
    spreadPoison(first, {&a, &b});
    spreadPoison(second, {&a, &b});
    (void)frame.set(op->getResult(0), std::move(first));
    return frame.set(op->getResult(1), std::move(second));
  });
}

void addIntegers(EvaluationInterface &table) {
  using namespace arith;
  addOverflowing<AddIOp>(table, [](auto x, auto y) { return x + y; });
  addOverflowing<SubIOp>(table, [](auto x, auto y) { return x - y; });
  addOverflowing<MulIOp>(table, [](auto x, auto y) { return x * y; });
  addSignedDivision<DivSIOp>(table, [](int64_t x, int64_t y) { return x / y; });
  addSignedDivision<RemSIOp>(table, [](int64_t x, int64_t y) { return x % y; });
  addSignedDivision<FloorDivSIOp>(table, floorDiv);
  addSignedDivision<CeilDivSIOp>(table, ceilDiv);
  addUnsignedDivision<DivUIOp>(table,
                               [](uint64_t x, uint64_t y) { return x / y; });
  addUnsignedDivision<RemUIOp>(table,
                               [](uint64_t x, uint64_t y) { return x % y; });
  addUnsignedDivision<CeilDivUIOp>(
      table, [](uint64_t x, uint64_t y) { return x / y + (x % y != 0); });
  addInts<AndIOp>(table, Extend::sign,
                  [](int64_t x, int64_t y) { return x & y; });
  addInts<OrIOp>(table, Extend::sign,
                 [](int64_t x, int64_t y) { return x | y; });
  addInts<XOrIOp>(table, Extend::sign,
                  [](int64_t x, int64_t y) { return x ^ y; });
  addInts<MaxSIOp>(table, Extend::sign,
                   [](int64_t x, int64_t y) { return std::max(x, y); });
  addInts<MinSIOp>(table, Extend::sign,
                   [](int64_t x, int64_t y) { return std::min(x, y); });
  addInts<MaxUIOp>(table, Extend::zero, [](uint64_t x, uint64_t y) {
    return static_cast<int64_t>(std::max(x, y));
  });
  addInts<MinUIOp>(table, Extend::zero, [](uint64_t x, uint64_t y) {
    return static_cast<int64_t>(std::min(x, y));
  });
  addCheckedInts<ShRSIOp>(table, Extend::sign,
                          [](int64_t x, int64_t y, int w, bool &bad) {
                            bad = low(y, w) >= static_cast<uint64_t>(w);
                            return bad ? 0 : x >> low(y, w);
                          });
  addCheckedInts<ShRUIOp>(
      table, Extend::zero, [](int64_t x, int64_t y, int w, bool &bad) {
        bad = static_cast<uint64_t>(y) >= static_cast<uint64_t>(w);
        return bad ? 0 : static_cast<int64_t>(static_cast<uint64_t>(x) >> y);
      });
  table.add<ShLIOp>([](ShLIOp op, Frame &frame) -> LogicalResult {
    if (failed(checkLanes(op, frame)))
      return failure();
    const Value &a = frame.get(op.getLhs()), &b = frame.get(op.getRhs());
    Value out = sameForm(a, a.dtype());
    auto flags = op.getOverflowFlags();
    bool nsw = bitEnumContainsAny(flags, IntegerOverflowFlags::nsw);
    bool nuw = bitEnumContainsAny(flags, IntegerOverflowFlags::nuw);
    mapChecked(a, b, out, Extend::sign,
               [=](int64_t x, int64_t y, int w, bool &bad) -> int64_t {
                 uint64_t by = low(y, w);
                 bad = by >= static_cast<uint64_t>(w);
                 if (bad)
                   return 0;
                 __int128 exact = __int128(x) * (__int128(1) << by);
                 int64_t result = signExtended(exact, w);
                 bad = (nsw && exact != result) ||
                       (nuw && ((Wide(low(x, w)) << by) >> w) != 0);
                 return result;
               });
    spreadPoison(out, {&a, &b});
    return frame.set(op.getResult(), std::move(out));
  });
  addExtended<AddUIExtendedOp>(table, false, true);
  addExtended<MulUIExtendedOp>(table, false, false);
  addExtended<MulSIExtendedOp>(table, true, false);
}

void addFloatOps(EvaluationInterface &table) {
  using namespace arith;
  addSignOp<NegFOp>(
      table, [](uint64_t x, uint64_t, uint64_t sign) { return x ^ sign; },
      [](double x, double) { return -x; });
  addFloats<AddFOp>(table, [](double x, double y) { return x + y; });
  addFloats<SubFOp>(table, [](double x, double y) { return x - y; });
  addFloats<MulFOp>(table, [](double x, double y) { return x * y; });
  addFloats<DivFOp>(table, [](double x, double y) { return x / y; });
  addFloats<RemFOp>(table, [](double x, double y) { return std::fmod(x, y); });
  addFloats<MaximumFOp>(table, maximum);
  addFloats<MinimumFOp>(table, minimum);
  addFloats<MaxNumFOp>(table, [](double x, double y) {
    return std::isnan(x) ? y : std::isnan(y) ? x : maximum(x, y);
  });
  addFloats<MinNumFOp>(table, [](double x, double y) {
    return std::isnan(x) ? y : std::isnan(y) ? x : minimum(x, y);
  });
}

/// One function for each operation of arith.
struct ArithEvaluation : EvaluationInterface {
  explicit ArithEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<arith::ConstantOp>(constant);
    addIntegers(*this);
    addFloatOps(*this);
    addArithConversions(*this);
  }
};

} // namespace

void registerArithEvaluation(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect>();
  registry.addExtension(+[](MLIRContext *, arith::ArithDialect *dialect) {
    dialect->addInterfaces<ArithEvaluation>();
  });
}

} // namespace kiln::eval
