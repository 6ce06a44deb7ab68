//===- TileMath.h - Short names for arith on tiles --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_TILEMATH_H
#define KILN_LIB_SCHEDULE_TILEMATH_H

#include "kiln/Schedule/TileBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace kiln::schedule {

/// Builds arith on tiles, or on scalars, at one location.
struct TileMath {
  mlir::OpBuilder &b;
  mlir::Location loc;

  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(b, loc, std::forward<Args>(args)...).getResult();
  }
  static mlir::Type element(mlir::Value v) {
    return mlir::getElementTypeOrSelf(v.getType());
  }
  /// The type of `like` with other elements.
  static mlir::Type as(mlir::Value like, mlir::Type element) {
    if (auto tile = mlir::dyn_cast<mlir::RankedTensorType>(like.getType()))
      return tile.clone(element);
    return element;
  }

  /// A constant like `like`.
  mlir::Value real(mlir::Value like, double value) {
    return splat(like, b.getFloatAttr(element(like), value));
  }
  mlir::Value integer(mlir::Value like, int64_t value) {
    unsigned width = element(like).getIntOrFloatBitWidth();
    return splat(like,
                 b.getIntegerAttr(element(like),
                                  llvm::APInt(width, value, /*isSigned=*/true,
                                              /*implicitTrunc=*/true)));
  }
  mlir::Value splat(mlir::Value like, mlir::Attribute value) {
    if (auto tile = mlir::dyn_cast<mlir::RankedTensorType>(like.getType()))
      value = mlir::DenseElementsAttr::get(tile, value);
    return make<mlir::arith::ConstantOp>(mlir::cast<mlir::TypedAttr>(value));
  }
  mlir::Value compare(mlir::arith::CmpFPredicate p, mlir::Value x,
                      mlir::Value y) {
    return make<mlir::arith::CmpFOp>(p, x, y);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate p, mlir::Value x,
                      mlir::Value y) {
    return make<mlir::arith::CmpIOp>(p, x, y);
  }
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y) {
    return make<mlir::arith::SelectOp>(c, x, y);
  }
  mlir::Value both(mlir::Value x, mlir::Value y) {
    return make<mlir::arith::AndIOp>(x, y);
  }
  mlir::Value either(mlir::Value x, mlir::Value y) {
    return make<mlir::arith::OrIOp>(x, y);
  }
  /// The bits of floats as integers.
  mlir::Value bits(mlir::Value x) {
    mlir::Type integers = b.getIntegerType(element(x).getIntOrFloatBitWidth());
    return make<mlir::arith::BitcastOp>(as(x, integers), x);
  }
  /// Half types and smaller ones as f32; others stay.
  mlir::Value widen(mlir::Value x) {
    mlir::Type e = element(x);
    if (!mlir::isa<mlir::FloatType>(e) || e.getIntOrFloatBitWidth() > 16)
      return x;
    return make<mlir::arith::ExtFOp>(as(x, b.getF32Type()), x);
  }
  /// Rounds to `to` if that is narrower.
  mlir::Value narrow(mlir::Value x, mlir::Type to) {
    if (element(x) == to)
      return x;
    return make<mlir::arith::TruncFOp>(as(x, to), x);
  }
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_TILEMATH_H
