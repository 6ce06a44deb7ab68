// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of element types, rescale and table.
#include "Families.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace kiln::eval {

namespace {

/// Rounds, then saturates to the integers of `bits` bits; NaN gives 0.
int64_t toInt(double x, int bits, bool isUnsigned, bool nearest) {
  if (std::isnan(x))
    return 0;
  x = nearest ? std::nearbyint(x) : std::trunc(x);
  if (isUnsigned) {
    if (x <= 0)
      return 0;
    if (x >= std::ldexp(1.0, bits))
      return static_cast<int64_t>(llvm::maskTrailingOnes<uint64_t>(bits));
    return static_cast<int64_t>(static_cast<uint64_t>(x));
  }
  double limit = std::ldexp(1.0, bits - 1);
  if (x >= limit)
    return static_cast<int64_t>(llvm::maskTrailingOnes<uint64_t>(bits - 1));
  if (x < -limit)
    return -static_cast<int64_t>(uint64_t(1) << (bits - 2)) * 2;
  return static_cast<int64_t>(x);
}

LogicalResult convert(prim::ConvertElementTypeOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  DType from = a.dtype(), to = dtypeOf(op.getResult().getType());
  if (from == to)
    return finish(op, frame, a);
  Value out = Value::tensor(to, a.shape());
  bool fromFloat = runtime::isFloat(from), toFloat = runtime::isFloat(to);
  Extend extend = op.getFromUnsigned() ? Extend::zero : Extend::truth;
  if (fromFloat && toFloat) {
    mapFloats(a, out, [](double x) { return x; });
  } else if (!fromFloat && toFloat) {
    bool isUnsigned = op.getFromUnsigned();
    parallelFor(a.size(), 1 << 15, [&](int64_t begin, int64_t end) {
      int64_t x[kChunk];
      double y[kChunk];
      for (int64_t i = begin; i < end; i += kChunk) {
        int64_t n = std::min(kChunk, end - i);
        loadInts(from, a.data(), i, n, x, extend);
        for (int64_t k = 0; k < n; ++k) {
          // A 64-bit integer must be rounded once: directly for f64, by way
          // of a rounding to odd for narrower types.
          if (to == DType::f64)
            y[k] = isUnsigned ? static_cast<double>(static_cast<uint64_t>(x[k]))
                              : static_cast<double>(x[k]);
          else
            y[k] = isUnsigned ? narrowToOdd(static_cast<uint64_t>(x[k]))
                              : narrowToOdd(x[k]);
        }
        storeDoubles(to, out.mutableData(), i, n, y);
      }
    });
  } else if (fromFloat) {
    int bits = runtime::dtypeBits(to);
    bool isUnsigned = op.getToUnsigned(), nearest = op.getRound();
    parallelFor(a.size(), 1 << 15, [&](int64_t begin, int64_t end) {
      double x[kChunk];
      int64_t y[kChunk];
      for (int64_t i = begin; i < end; i += kChunk) {
        int64_t n = std::min(kChunk, end - i);
        loadDoubles(from, a.data(), i, n, x);
        for (int64_t k = 0; k < n; ++k)
          y[k] = to == DType::i1 ? x[k] != 0
                                 : toInt(x[k], bits, isUnsigned, nearest);
        storeInts(to, out.mutableData(), i, n, y);
      }
    });
  } else if (to == DType::i1) {
    mapInts(a, out, extend, [](int64_t x) -> int64_t { return x != 0; });
  } else {
    mapInts(a, out, extend, [](int64_t x) { return x; });
  }
  return finish(op, frame, std::move(out));
}

LogicalResult rescale(prim::RescaleOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  Value out = Value::tensor(dtypeOf(op.getResult().getType()), a.shape());
  ArrayRef<int32_t> multipliers = op.getMultiplier();
  ArrayRef<int8_t> shifts = op.getShift();
  int64_t channels = a.rank() ? a.shape().back() : 1;
  bool perChannel = multipliers.size() != 1;
  if (perChannel && static_cast<int64_t>(multipliers.size()) != channels)
    return op.emitOpError("expected ")
           << channels << " multipliers, found " << multipliers.size();
  bool twice = op.getRounding() == prim::Rounding::double_;
  int64_t inputZero = static_cast<int32_t>(op.getInputZp());
  int64_t outputZero = static_cast<int32_t>(op.getOutputZp());
  int bits = runtime::dtypeBits(out.dtype());
  int64_t least = op.getOutputUnsigned() ? 0 : smallestInt(out.dtype());
  int64_t most = op.getOutputUnsigned() && bits < 64 ? (int64_t(1) << bits) - 1
                                                     : largestInt(out.dtype());
  Extend extend = op.getInputUnsigned() ? Extend::zero : Extend::sign;
  parallelFor(a.size(), 1 << 15, [&](int64_t begin, int64_t end) {
    int64_t x[kChunk];
    for (int64_t i = begin; i < end; i += kChunk) {
      int64_t n = std::min(kChunk, end - i);
      loadInts(a.dtype(), a.data(), i, n, x, extend);
      for (int64_t k = 0; k < n; ++k) {
        size_t c = perChannel ? (i + k) % channels : 0;
        int64_t v = x[k] - inputZero;
        int shift = shifts[shifts.size() == 1 ? 0 : c];
        int64_t round = int64_t(1) << (shift - 1);
        if (twice && shift > 31)
          round += v >= 0 ? int64_t(1) << 30 : -(int64_t(1) << 30);
        uint64_t product = static_cast<uint64_t>(v) *
                           static_cast<uint64_t>(int64_t(multipliers[c]));
        int64_t scaled =
            static_cast<int64_t>(product + static_cast<uint64_t>(round)) >>
            shift;
        x[k] = std::min(std::max(scaled + outputZero, least), most);
      }
      storeInts(out.dtype(), out.mutableData(), i, n, x);
    }
  });
  return finish(op, frame, std::move(out));
}

LogicalResult table(prim::TableOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  const Value &entries = frame.get(op.getTable());
  Value out = Value::tensor(dtypeOf(op.getResult().getType()), a.shape());
  bool wide = a.dtype() != DType::i8;
  if (entries.size() != (wide ? 513 : 256))
    return op.emitOpError("expected a table of ")
           << (wide ? 513 : 256) << " entries, found " << entries.size();
  std::vector<int64_t> t(entries.size());
  for (int64_t i = 0; i < entries.size(); i += kChunk)
    loadInts(entries.dtype(), entries.data(), i,
             std::min(kChunk, entries.size() - i), t.data() + i);
  if (wide)
    mapInts(a, out, Extend::sign, [&](int64_t x) {
      int64_t value = x + 32768, index = value >> 7, fraction = value & 0x7f;
      return t[index] * 128 + (t[index + 1] - t[index]) * fraction;
    });
  else
    mapInts(a, out, Extend::sign, [&](int64_t x) { return t[x + 128]; });
  return finish(op, frame, std::move(out));
}

} // namespace

void addPrimConvert(PrimTable &functions) {
  functions.add<prim::ConvertElementTypeOp>(convert);
  functions.add<prim::RescaleOp>(rescale);
  functions.add<prim::TableOp>(table);
}

} // namespace kiln::eval
