// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of tiles whose factors have scales.
#include "Families.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Eval/Kernel.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

using tile::ScaledFormat;

/// A float of 4 or 6 bits: a sign, then exponent and mantissa of so many bits;
/// neither infinity nor NaN.
double decode(unsigned bits, int exponentBits, int mantissaBits) {
  int bias = (1 << (exponentBits - 1)) - 1;
  int mantissa = bits & ((1 << mantissaBits) - 1);
  int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  if (exponent)
    mantissa += 1 << mantissaBits;
  double value =
      std::ldexp(mantissa, std::max(exponent, 1) - bias - mantissaBits);
  return bits >> (exponentBits + mantissaBits) & 1 ? -value : value;
}

/// Elements as the type that they are of, with bytes read as `bytes`.
double elementOf(const Value &value, int64_t index, DType bytes) {
  DType type = value.dtype() == DType::i8 ? bytes : value.dtype();
  double result;
  loadDoubles(type, value.data(), index, 1, &result);
  return result;
}

double factorOf(const Value &value, int64_t index, ScaledFormat format,
                bool isHigh) {
  switch (format) {
  case ScaledFormat::e2m1: {
    uint8_t byte = value.as<uint8_t>()[index];
    return decode(isHigh ? byte >> 4 : byte & 15, 2, 1);
  }
  case ScaledFormat::e2m3:
    return decode(value.as<uint8_t>()[index], 2, 3);
  case ScaledFormat::e3m2:
    return decode(value.as<uint8_t>()[index], 3, 2);
  case ScaledFormat::e4m3:
    return elementOf(value, index, DType::f8E4M3FN);
  case ScaledFormat::e5m2:
    return elementOf(value, index, DType::f8E5M2);
  case ScaledFormat::bf16:
  case ScaledFormat::fp16:
    return elementOf(value, index, value.dtype());
  }
  return 0;
}

/// A power of two, or a factor.
double scaleOf(const Value &value, int64_t index) {
  if (value.dtype() == DType::f8E4M3FN)
    return elementOf(value, index, value.dtype());
  unsigned bits = value.as<uint8_t>()[index];
  return bits == 255 ? std::numeric_limits<double>::quiet_NaN()
                     : std::ldexp(1.0, int(bits) - 127);
}

bool isPoison(const Value &value, int64_t index) {
  return value.poison() && value.poison()[index];
}

/// A factor as f32, each element times its scale. `isRhs` says that k is the
/// dimension before the last, and the last one that of the scales' rows.
Value expand(const Value &factor, const Value *scale, ScaledFormat format,
             bool packsK, bool isRhs) {
  unsigned rank = factor.rank();
  SmallVector<int64_t> shape(factor.shape());
  unsigned kDim = rank - (isRhs ? 2 : 1), rowDim = rank - (isRhs ? 1 : 2);
  int64_t packed = tile::DotScaledOp::getPacked(format);
  unsigned packedDim = packsK ? kDim : rowDim;
  shape[packedDim] *= packed;
  Value out = Value::tensor(DType::f32, shape);
  int64_t rows = shape[rank - 2], columns = shape[rank - 1];
  int64_t blocks = scale ? scale->dim(rank - 1) : 1;
  bool anyPoison = factor.hasPoison() || (scale && scale->hasPoison());
  uint8_t *bad = anyPoison ? out.makePoison() : nullptr;
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t at[] = {i / (rows * columns), i / columns % rows, i % columns};
    int64_t k = at[isRhs ? 1 : 2], row = at[isRhs ? 2 : 1];
    int64_t place = at[packedDim == rank - 2 ? 1 : 2];
    at[packedDim == rank - 2 ? 1 : 2] /= packed;
    int64_t index =
        (at[0] * factor.dim(rank - 2) + at[1]) * factor.dim(rank - 1) + at[2];
    double value = factorOf(factor, index, format, place % packed);
    bool poison = isPoison(factor, index);
    if (scale) {
      int64_t block = k / (shape[kDim] / blocks);
      int64_t of = (at[0] * shape[rowDim] + row) * blocks + block;
      value *= scaleOf(*scale, of);
      poison |= isPoison(*scale, of);
    }
    storeDoubles(DType::f32, out.mutableData(), i, 1, &value);
    if (bad)
      bad[i] = poison;
  }
  return out;
}

LogicalResult dotScaled(tile::DotScaledOp op, Frame &frame) {
  auto scale = [&](mlir::Value value) {
    return value ? &frame.get(value) : nullptr;
  };
  Value lhs = expand(frame.get(op.getLhs()), scale(op.getLhsScale()),
                     op.getLhsFormat(), op.getLhsKPack(), /*isRhs=*/false);
  Value rhs = expand(frame.get(op.getRhs()), scale(op.getRhsScale()),
                     op.getRhsFormat(), op.getRhsKPack(), /*isRhs=*/true);
  return frame.set(op.getResult(),
                   dotOf(lhs, rhs, frame.get(op.getAcc()), DotMode()));
}

} // namespace

void addTileDotScaled(EvaluationInterface &table) {
  table.add<tile::DotScaledOp>(dotScaled);
}

} // namespace kiln::eval
