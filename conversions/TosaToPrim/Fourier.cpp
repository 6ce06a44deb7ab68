// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms as products with matrices of cosines and sines.
#include "Rules.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

#include <cmath>

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// A tensor of complex numbers.
struct Complex {
  Value real, imaginary; // no imaginary part: zero
};

/// cos and sin of 2 pi i k / size, for i < size and k < count.
Complex roots(int64_t size, int64_t count, Type element, bool inverse,
              Translator &e) {
  SmallVector<Attribute> cosines, sines;
  double sign = inverse ? 1.0 : -1.0;
  for (int64_t i = 0; i < size; ++i)
    for (int64_t k = 0; k < count; ++k) {
      // The angle is reduced exactly, before it is rounded.
      double angle = 2 * M_PI * double((i * k) % size) / double(size);
      cosines.push_back(numberAttr(element, std::cos(angle)));
      sines.push_back(numberAttr(element, sign * std::sin(angle)));
    }
  auto type = RankedTensorType::get({size, count}, element);
  return {e.constant(DenseElementsAttr::get(type, cosines)),
          e.constant(DenseElementsAttr::get(type, sines))};
}

/// Sums over dimension `dim` of a tensor of rank 3 with a matrix; the new
/// dimension takes its place.
Value contract(Value x, Value matrix, int64_t dim, Translator &e) {
  SmallVector<int64_t> shape(e.typeOf(x).getShape()), permutation{0, 1, 2};
  shape.erase(shape.begin() + dim);
  shape.push_back(e.typeOf(matrix).getDimSize(1));
  Value product = prim::DotGeneralOp::create(
      e.b, e.typeOf(x).clone(shape), x, matrix, ArrayRef<int64_t>{},
      ArrayRef<int64_t>{}, ArrayRef<int64_t>{dim}, ArrayRef<int64_t>{0},
      prim::Precision::ieee);
  if (dim == 1)
    permutation = {0, 2, 1};
  return e.transpose(product, permutation);
}

/// The transform along one dimension, `count` frequencies of it.
Complex transform(Complex x, int64_t dim, int64_t count, bool inverse,
                  Translator &e) {
  RankedTensorType type = e.typeOf(x.real);
  Complex w =
      roots(type.getDimSize(dim), count, type.getElementType(), inverse, e);
  Complex result{contract(x.real, w.real, dim, e),
                 contract(x.real, w.imaginary, dim, e)};
  if (!x.imaginary)
    return result;
  return {e.sub(result.real, contract(x.imaginary, w.imaginary, dim, e)),
          e.add(result.imaginary, contract(x.imaginary, w.real, dim, e))};
}

template <typename Op>
LogicalResult fourier(Op op, Complex x, bool inverse, bool half,
                      Translator &e) {
  RankedTensorType type = e.typeOf(x.real);
  int64_t height = type.getDimSize(1), width = type.getDimSize(2);
  if (ShapedType::isDynamic(height) || ShapedType::isDynamic(width))
    return e.unsupported(op, "of a height or a width that is not known");
  if (!type.getElementType().isF32())
    return e.unsupported(op, "of other elements than f32");
  if (height > 2048 || width > 2048)
    return e.unsupported(op, "of more than 2048 elements along a dimension");
  Complex rows = transform(x, 2, half ? width / 2 + 1 : width, inverse, e);
  Complex result = transform(rows, 1, height, inverse, e);
  return success(succeeded(e.set(op.getOutputReal(), result.real)) &&
                 succeeded(e.set(op.getOutputImag(), result.imaginary)));
}

LogicalResult fft(tosa::FFT2dOp op, Translator &e) {
  Complex x{e.get(op.getInputReal()), e.get(op.getInputImag())};
  return fourier(op, x, op.getInverse(), false, e);
}

LogicalResult rfft(tosa::RFFT2dOp op, Translator &e) {
  return fourier(op, {e.get(op.getInputReal()), {}}, false, true, e);
}

} // namespace

void addFourierRules(Rules &rules) {
  rules.add<tosa::FFT2dOp>(fft);
  rules.add<tosa::RFFT2dOp>(rfft);
}

} // namespace kiln::tensor_to_prim
