// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms of StableHLO as products with matrices of cosines and
// sines.
#include "Rules.h"

#include <cmath>

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// cos and sin of 2 pi i k / period, for i < rows and k < columns, each times
/// a factor of its row.
Complex roots(int64_t rows, int64_t columns, int64_t period, bool inverse,
              llvm::function_ref<double(int64_t)> factor, Type element,
              Translator &e) {
  SmallVector<Attribute> cosines, sines;
  double sign = inverse ? 1.0 : -1.0;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < columns; ++k) {
      // The angle is reduced exactly, before it is rounded.
      double angle = 2 * M_PI * double((i * k) % period) / double(period);
      cosines.push_back(numberAttr(element, factor(i) * std::cos(angle)));
      sines.push_back(numberAttr(element, factor(i) * sign * std::sin(angle)));
    }
  auto type = RankedTensorType::get({rows, columns}, element);
  return {e.constant(DenseElementsAttr::get(type, cosines)),
          e.constant(DenseElementsAttr::get(type, sines))};
}

/// Sums over dimension `dim` with a matrix; the new dimension takes its place.
Value contract(Value x, Value matrix, int64_t dim, Translator &e) {
  SmallVector<int64_t> shape(e.typeOf(x).getShape()), order;
  int64_t rank = shape.size();
  shape.erase(shape.begin() + dim);
  shape.push_back(e.typeOf(matrix).getDimSize(1));
  Value product = prim::DotGeneralOp::create(
      e.b, e.typeOf(x).clone(shape), x, matrix, ArrayRef<int64_t>{},
      ArrayRef<int64_t>{}, ArrayRef<int64_t>{dim}, ArrayRef<int64_t>{0},
      prim::Precision::ieee);
  for (int64_t i = 0; i < rank; ++i)
    order.push_back(i < dim ? i : i == dim ? rank - 1 : i - 1);
  return e.transpose(product, order);
}

/// `x` with `size` elements along a dimension: cut off, or zeros behind it.
Value resize(Value x, int64_t dim, int64_t size, Translator &e) {
  int64_t have = e.typeOf(x).getDimSize(dim);
  if (have >= size)
    return e.sliceDim(x, dim, 0, size);
  size_t rank = e.typeOf(x).getRank();
  SmallVector<int64_t> none(rank, 0), high(rank, 0);
  high[dim] = size - have;
  return pad(x, e.full(numberAttr(e.elementOf(x), 0), {}), none, high, none, e);
}

Complex transform(Complex x, int64_t dim, int64_t columns, bool inverse,
                  Translator &e) {
  int64_t size = e.typeOf(x.re).getDimSize(dim);
  double scale = inverse ? 1.0 / double(size) : 1.0;
  Complex w = roots(
      size, columns, size, inverse, [&](int64_t) { return scale; },
      e.elementOf(x.re), e);
  return {e.sub(contract(x.re, w.re, dim, e), contract(x.im, w.im, dim, e)),
          e.add(contract(x.re, w.im, dim, e), contract(x.im, w.re, dim, e))};
}

/// Real numbers of half of their frequencies: each one but the first, and the
/// middle one, stands for two.
Value realInverse(Complex x, int64_t dim, int64_t size, Translator &e) {
  int64_t half = size / 2 + 1;
  auto factor = [&](int64_t i) {
    bool single = i == 0 || 2 * i == size;
    return (single ? 1.0 : 2.0) / double(size);
  };
  Complex w = roots(half, size, size, true, factor, e.elementOf(x.re), e);
  return e.sub(contract(resize(x.re, dim, half, e), w.re, dim, e),
               contract(resize(x.im, dim, half, e), w.im, dim, e));
}

LogicalResult fft(stablehlo::FftOp op, Translator &e) {
  auto source = cast<RankedTensorType>(op.getOperand().getType());
  ArrayRef<int64_t> length = op.getFftLength();
  int64_t rank = source.getRank(), first = rank - int64_t(length.size());
  auto type = partType(op, op.getType(), e);
  if (failed(type))
    return failure();
  if (!source.hasStaticShape() || first < 0 || length.empty())
    return e.unsupported(op, "on a size that is not known");
  for (int64_t size : length)
    if (size < 1 || size > 4096)
      return e.unsupported(op, "of lengths outside of [1, 4096]");
  bool half = op.getFftType() == stablehlo::FftType::RFFT,
       back = op.getFftType() == stablehlo::FftType::IRFFT;
  bool inverse = back || op.getFftType() == stablehlo::FftType::IFFT;
  if (isComplex(source) == half || isComplex(op.getType()) == back)
    return e.unsupported(op, "of elements that its type does not take");
  if (type->getNumElements() == 0 || source.getNumElements() == 0) {
    Value zero =
        e.full(numberAttr(type->getElementType(), 0),
               getAsIndexOpFoldResult(op->getContext(), type->getShape()));
    return back ? e.set(op, zero) : bind(op, {zero, zero}, e);
  }
  Complex x = complexOf(op.getOperand(), e);
  // What is halved goes first of all, and what becomes whole last.
  for (size_t i = length.size(); i-- > 0;) {
    int64_t dim = first + i;
    bool last = i + 1 == length.size();
    if (last && back)
      continue;
    x = {resize(x.re, dim, length[i], e), resize(x.im, dim, length[i], e)};
    x = transform(x, dim, last && half ? length[i] / 2 + 1 : length[i], inverse,
                  e);
  }
  if (back)
    return e.set(op, realInverse(x, rank - 1, length.back(), e));
  return bind(op, {x.re, x.im}, e);
}

} // namespace

void addFourierRules(Rules &rules) { rules.add<stablehlo::FftOp>(fft); }

} // namespace kiln::stablehlo_to_prim
