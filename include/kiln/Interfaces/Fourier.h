//===- Fourier.h - Facts of discrete Fourier transforms ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operations that transform tensors and tiles share: the sizes that
// belong together, and roots of unity.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_FOURIER_H
#define KILN_INTERFACES_FOURIER_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeRange.h"
#include <complex>
#include <vector>

namespace kiln {

using ComplexNumbers = std::vector<std::complex<double>>;

/// exp(2 pi i number / period). The angle is brought below an eighth of a turn
/// before it is rounded, so that what is 0, 1 or equal is so.
std::complex<double> rootOfUnity(int64_t number, int64_t period);

/// The root by which a transform multiplies: exp(-2 pi i number / period), or
/// exp(2 pi i number / period) for the inverse transform.
std::complex<double> transformRoot(int64_t number, int64_t period,
                                   bool isInverse);

/// The real and the imaginary parts of numbers.
struct ComplexTable {
  mlir::DenseElementsAttr re, im;
};

/// A table of numbers as constants of a type, whose elements are f32 or f64.
ComplexTable tableOf(const ComplexNumbers &numbers,
                     mlir::RankedTensorType type);

/// The transform of a list; short prime divisors of its length save time.
ComplexNumbers transformedNumbers(const ComplexNumbers &numbers);

/// What keeps sources and results of these types from being a transform along a
/// dimension and its result; empty if nothing does. Sizes that are open fit.
std::string whyNoFourier(mlir::TypeRange sources, mlir::TypeRange results,
                         int64_t axis);

/// How many elements are transformed: of the real side, or of both.
int64_t fourierLength(mlir::TypeRange sources, mlir::TypeRange results,
                      int64_t axis);

} // namespace kiln

#endif // KILN_INTERFACES_FOURIER_H
