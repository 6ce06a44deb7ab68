// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms of TOSA, one dimension after the other.
#include "Rules.h"

#include "kiln/Dialect/Prim/FourierOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// A tensor of complex numbers.
struct Complex {
  Value real, imaginary; // no imaginary part: zero
};

/// The transform along one dimension, `count` frequencies of it.
Complex transform(Complex x, int64_t dim, int64_t count, bool inverse,
                  Translator &e) {
  SmallVector<Value> parts{x.real};
  if (x.imaginary)
    parts.push_back(x.imaginary);
  SmallVector<int64_t> shape(e.typeOf(x.real).getShape());
  shape[dim] = count;
  SmallVector<Type> types(2, e.typeOf(x.real).clone(shape));
  auto made =
      prim::FourierOp::create(e.b, types, parts, uint64_t(dim), inverse);
  return {made.getResult(0), made.getResult(1)};
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
  constexpr int64_t kLongest = 1 << 22;
  if (height < 1 || width < 1 || height > kLongest || width > kLongest)
    return e.unsupported(op,
                         "of lengths outside of [1, " + Twine(kLongest) + "]");
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
