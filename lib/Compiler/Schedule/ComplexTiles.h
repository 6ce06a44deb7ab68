//===- ComplexTiles.h - Arithmetic of tiles of complex numbers --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_COMPLEXTILES_H
#define KILN_LIB_SCHEDULE_COMPLEXTILES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace kiln::schedule {

/// Tiles of real and imaginary parts; no imaginary part is zero.
struct Complex {
  mlir::Value re, im;
};
using ComplexLine = llvm::SmallVector<Complex>;

/// Arithmetic of tiles of complex numbers.
class ComplexBuilder {
public:
  ComplexBuilder(mlir::OpBuilder &b, mlir::Location loc, bool isInverse)
      : b(b), loc(loc), isInverse(isInverse) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  bool isInverse;

  Complex add(const Complex &x, const Complex &y) {
    return {addParts(x.re, y.re), addParts(x.im, y.im)};
  }
  Complex sub(const Complex &x, const Complex &y) {
    return {subParts(x.re, y.re), subParts(x.im, y.im)};
  }
  Complex mul(const Complex &x, const Complex &y);
  /// Multiplies by the root of `number` of a period.
  Complex mulRoot(const Complex &x, int64_t number, int64_t period);
  /// The transform of a few elements, whose number is a power of two.
  ComplexLine transform(const ComplexLine &line);
  mlir::Value zeroLike(mlir::Value x) { return constant(x, 0); }
  mlir::Value negate(mlir::Value x) {
    return x ? mlir::arith::NegFOp::create(b, loc, x).getResult()
             : mlir::Value();
  }

private:
  mlir::Value addParts(mlir::Value x, mlir::Value y) {
    return x && y ? mlir::arith::AddFOp::create(b, loc, x, y) : x ? x : y;
  }
  mlir::Value subParts(mlir::Value x, mlir::Value y) {
    return x && y ? mlir::arith::SubFOp::create(b, loc, x, y)
           : x    ? x
                  : negate(y);
  }
  mlir::Value times(mlir::Value x, mlir::Value y) {
    return x ? mlir::arith::MulFOp::create(b, loc, x, y).getResult()
             : mlir::Value();
  }
  /// x * y + z, where x and z may be zero.
  mlir::Value timesPlus(mlir::Value x, mlir::Value y, mlir::Value z) {
    if (!x || !z)
      return x ? times(x, y) : z;
    return mlir::math::FmaOp::create(b, loc, x, y, z);
  }
  mlir::Value constant(mlir::Value like, double value) {
    auto type = mlir::cast<mlir::RankedTensorType>(like.getType());
    return mlir::arith::ConstantOp::create(
        b, loc,
        mlir::DenseElementsAttr::get(
            type, static_cast<mlir::Attribute>(
                      mlir::FloatAttr::get(type.getElementType(), value))));
  }
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_COMPLEXTILES_H
