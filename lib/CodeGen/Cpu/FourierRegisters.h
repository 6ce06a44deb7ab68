//===- FourierRegisters.h - Short transforms in registers -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_FOURIERREGISTERS_H
#define KILN_LIB_CPU_FOURIERREGISTERS_H

#include "mlir/IR/Builders.h"
#include <complex>
#include <vector>

namespace kiln::cpu {

/// The parts of a complex number in registers, or their addresses; null: zero.
struct Complex {
  mlir::Value re, im;
};

/// Emits butterflies: transforms of a few numbers, each of which is a register
/// for many lines. Zeros are not computed with.
class Butterflies {
public:
  Butterflies(mlir::OpBuilder &b, mlir::Location loc, bool isInverse)
      : b(b), loc(loc), isInverse(isInverse) {}

  using List = llvm::SmallVector<Complex, 16>;

  /// The transform of a list; its length has small factors.
  List transform(llvm::ArrayRef<Complex> x);

  Complex add(Complex x, Complex y) {
    return {add(x.re, y.re), add(x.im, y.im)};
  }
  Complex sub(Complex x, Complex y) {
    return {sub(x.re, y.re), sub(x.im, y.im)};
  }
  Complex conj(Complex x) { return {x.re, negate(x.im)}; }
  Complex mul(Complex x, Complex y);
  /// Times exp(-2 pi i number / period), or its inverse.
  Complex turn(Complex x, int64_t number, int64_t period);
  /// Times a number.
  Complex scale(Complex x, double by);
  /// The number itself where both parts are finite; otherwise both parts are
  /// NaN, or not finite. A real result has a cosine of one part and a sine of
  /// the other, and one of them may be zero.
  Complex spread(Complex x);

  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value negate(mlir::Value x);

private:
  mlir::Value scale(mlir::Value x, double by);
  mlir::Value product(mlir::Value x, double by);
  List odd(llvm::ArrayRef<Complex> x);
  List factored(llvm::ArrayRef<Complex> x, int64_t parts);

  mlir::OpBuilder &b;
  mlir::Location loc;
  bool isInverse;
};

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_FOURIERREGISTERS_H
