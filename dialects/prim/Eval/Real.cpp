// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What floats are made of: tests, signs, neighbours, precision, bits.
#include "Families.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace kiln::eval {

namespace {

uint64_t bitsAt(const Value &a, int64_t i, int64_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(a.data()) + i * bytes, bytes);
  return bits;
}

void setBits(Value &out, int64_t i, int64_t bytes, uint64_t bits) {
  std::memcpy(static_cast<char *>(out.mutableData()) + i * bytes, &bits, bytes);
}

double numberOf(DType dtype, uint64_t bits) {
  double number;
  loadDoubles(dtype, &bits, 0, 1, &number);
  return number;
}

/// A test of numbers.
template <typename OpTy, typename Fn> void addTest(PrimTable &table, Fn fn) {
  table.add<OpTy>([fn](OpTy op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op.getOperand());
    Value out = Value::tensor(DType::i1, a.shape());
    compareFloats(a, a, out, [fn](double x, double) { return fn(x); });
    return finish(op, frame, std::move(out));
  });
}

/// Changes the sign of a float and nothing else: a NaN keeps its payload.
template <typename OpTy, typename Bits, typename Floats, typename Ints>
void addSignChange(PrimTable &table, Bits onBits, Floats onFloats,
                   Ints onInts) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op->getOperand(0));
    DType dtype = a.dtype();
    Value out = Value::tensor(dtype, a.shape());
    if (!runtime::isFloat(dtype)) {
      mapInts(a, out, Extend::truth, onInts);
    } else if (!hasSignBit(dtype)) {
      mapFloats(a, out, onFloats);
    } else {
      int64_t bytes = runtime::dtypeBytes(dtype);
      uint64_t sign = uint64_t(1) << (runtime::dtypeBits(dtype) - 1);
      for (int64_t i = 0; i < out.size(); ++i)
        setBits(out, i, bytes, onBits(bitsAt(a, i, bytes), sign));
    }
    return finish(op, frame, std::move(out));
  });
}

/// The sign of a NaN, too, which it may lose as a double.
LogicalResult signbit(prim::SignbitOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  Value out = Value::tensor(DType::i1, a.shape());
  int64_t bytes = runtime::dtypeBytes(a.dtype());
  for (int64_t i = 0; i < out.size(); ++i)
    out.as<uint8_t>()[i] =
        bytes == 1 ? std::signbit(numberOf(a.dtype(), bitsAt(a, i, 1)))
                   : bitsAt(a, i, bytes) >> (bytes * 8 - 1) & 1;
  markNans(op.getOperand(), a, out);
  return finish(op, frame, std::move(out));
}

LogicalResult copysign(prim::CopysignOp op, Frame &frame) {
  const Value &a = frame.get(op.getLhs()), &b = frame.get(op.getRhs());
  if (failed(sameShape(op, {a, b})))
    return failure();
  Value out = Value::tensor(a.dtype(), a.shape());
  markNans(op.getRhs(), b, out);
  if (!hasSignBit(a.dtype())) {
    mapFloats(a, b, out,
              [](double x, double y) { return std::copysign(x, y); });
    return finish(op, frame, std::move(out));
  }
  int64_t bytes = runtime::dtypeBytes(a.dtype());
  uint64_t sign = uint64_t(1) << (runtime::dtypeBits(a.dtype()) - 1);
  for (int64_t i = 0; i < out.size(); ++i)
    setBits(out, i, bytes,
            (bitsAt(a, i, bytes) & ~sign) | (bitsAt(b, i, bytes) & sign));
  return finish(op, frame, std::move(out));
}

/// Encodings of one sign are ordered like their magnitudes.
LogicalResult nextafter(prim::NextafterOp op, Frame &frame) {
  const Value &a = frame.get(op.getLhs()), &b = frame.get(op.getRhs());
  if (failed(sameShape(op, {a, b})))
    return failure();
  Value out = Value::tensor(a.dtype(), a.shape());
  int64_t bytes = runtime::dtypeBytes(a.dtype());
  uint64_t sign = uint64_t(1) << (bytes * 8 - 1);
  for (int64_t i = 0; i < out.size(); ++i) {
    uint64_t from = bitsAt(a, i, bytes), to = bitsAt(b, i, bytes);
    double x = numberOf(a.dtype(), from), y = numberOf(a.dtype(), to);
    if (std::isnan(x))
      to = from;
    else if (x == 0 && x != y && !std::isnan(y))
      to = (to & sign) | 1;
    else if (x != y && !std::isnan(y))
      to = (y > x) == (x > 0) ? from + 1 : from - 1;
    setBits(out, i, bytes, to);
  }
  return finish(op, frame, std::move(out));
}

LogicalResult fma(prim::FmaOp op, Frame &frame) {
  const Value &a = frame.get(op.getA()), &b = frame.get(op.getB());
  const Value &c = frame.get(op.getC());
  if (failed(sameShape(op, {a, b, c})))
    return failure();
  Value out = Value::tensor(a.dtype(), a.shape());
  mapFused(a, b, c, out);
  return finish(op, frame, std::move(out));
}

/// The nearest multiple of the format's last place, by magnitudes.
LogicalResult reducePrecision(prim::ReducePrecisionOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  Value out = Value::tensor(a.dtype(), a.shape());
  int ownMantissa = fractionBits(a.dtype());
  int ownExponent = runtime::dtypeBits(a.dtype()) - ownMantissa - 1;
  int mantissa = std::min<int>(op.getMantissaBits(), ownMantissa);
  bool isNarrow = int(op.getExponentBits()) < ownExponent;
  int bias =
      (1 << ((isNarrow ? int(op.getExponentBits()) : ownExponent) - 1)) - 1;
  // The smallest exponent of normal numbers.
  int lowest = 1 - bias;
  mapFloats(a, out, [=](double x) {
    if (!std::isfinite(x) || x == 0)
      return x;
    int exponent = std::ilogb(x);
    // Subnormal numbers of the own type have the own last place, which the
    // mantissa's last bits leave.
    int place =
        std::max(exponent, 1 - ((1 << (ownExponent - 1)) - 1)) - mantissa;
    double scaled = std::ldexp(x, -place);
    double nearest = std::nearbyint(scaled);
    // Without a mantissa the last bit is the exponent's; every bias is odd.
    if (mantissa == 0 && std::fabs(scaled) == 1.5 && exponent % 2 != 0)
      nearest = std::copysign(1.0, x);
    double rounded = std::ldexp(nearest, place);
    if (isNarrow && rounded != 0 && std::ilogb(rounded) < lowest)
      return std::copysign(0.0, x);
    if (std::ilogb(rounded) > bias && rounded != 0)
      return std::copysign(INFINITY, x);
    return rounded == 0 ? std::copysign(0.0, x) : rounded;
  });
  return finish(op, frame, std::move(out));
}

/// The same bytes as elements of another type.
template <typename OpTy> LogicalResult bitcast(OpTy op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  DType to = dtypeOf(op.getType());
  SmallVector<int64_t> shape(a.shape());
  int64_t from = runtime::dtypeBytes(a.dtype()),
          bytes = runtime::dtypeBytes(to);
  if (bytes < from) {
    shape.push_back(from / bytes);
  } else if (bytes > from) {
    if (shape.empty() || shape.back() != bytes / from)
      return op.emitOpError("expected a last dimension of ") << bytes / from;
    shape.pop_back();
  }
  Value out = Value::tensor(to, shape);
  std::memcpy(out.mutableData(), a.data(), size_t(out.size() * bytes));
  markNans(op.getOperand(), a, out);
  return finish(op, frame, std::move(out));
}

} // namespace

void addPrimReal(PrimTable &table) {
  using namespace prim;
  addSignChange<AbsOp>(
      table, [](uint64_t x, uint64_t sign) { return x & ~sign; },
      [](double x) { return std::fabs(x); },
      [](int64_t x) {
        return x < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x;
      });
  addSignChange<NegOp>(
      table, [](uint64_t x, uint64_t sign) { return x ^ sign; },
      [](double x) { return -x; },
      [](int64_t x) {
        return static_cast<int64_t>(0 - static_cast<uint64_t>(x));
      });
  addTest<IsNanOp>(table, [](double x) { return std::isnan(x); });
  addTest<IsInfOp>(table, [](double x) { return std::isinf(x); });
  addTest<IsFiniteOp>(table, [](double x) { return std::isfinite(x); });
  table.add<SignbitOp>(signbit);
  table.add<CopysignOp>(copysign);
  table.add<NextafterOp>(nextafter);
  table.add<FmaOp>(fma);
  table.add<ReducePrecisionOp>(reducePrecision);
  table.add<BitcastOp>(bitcast<BitcastOp>);
  table.add<BitcastConvertOp>(bitcast<BitcastConvertOp>);
}

} // namespace kiln::eval
