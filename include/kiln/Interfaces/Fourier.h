//===- Fourier.h - Facts of discrete Fourier transforms ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers that prim.fourier and tile.fourier share: checks of their types and
// sizes, roots of unity, and the transform itself on the host, for constants.
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

/// Returns exp(2 pi i number / period). The angle is reduced to an eighth of a
/// turn in integers before it is rounded. So parts that are exactly 0 or 1 are
/// exact, and roots that mirror each other have equal parts.
std::complex<double> rootOfUnity(int64_t number, int64_t period);

/// The root by which a transform multiplies: exp(-2 pi i number / period), or
/// exp(2 pi i number / period) for the inverse transform.
std::complex<double> transformRoot(int64_t number, int64_t period,
                                   bool isInverse);

/// The real and the imaginary parts of complex numbers, as two constants of one
/// type.
struct ComplexTable {
  mlir::DenseElementsAttr re, im;
};

/// Returns the numbers, in row-major order, as two constants of `type`, whose
/// elements are f32 or f64. Each number is rounded once.
ComplexTable tableOf(const ComplexNumbers &numbers,
                     mlir::RankedTensorType type);

/// Returns the discrete Fourier transform of a list, computed in f64. The time
/// grows with the prime divisors of its length: small ones are fast.
ComplexNumbers transformedNumbers(const ComplexNumbers &numbers);

/// Returns why operands (`sources`) and results of these types are no transform
/// along the dimension `axis`, as text for a message; empty if they are one.
/// A dynamic size fits any other.
std::string whyNoFourier(mlir::TypeRange sources, mlir::TypeRange results,
                         int64_t axis);

/// Returns the length n of the transform along `axis`: the size of the operand
/// or result that is real, or of both if both are complex.
int64_t fourierLength(mlir::TypeRange sources, mlir::TypeRange results,
                      int64_t axis);

} // namespace kiln

#endif // KILN_INTERFACES_FOURIER_H
