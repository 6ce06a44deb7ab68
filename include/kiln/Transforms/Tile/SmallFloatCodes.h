//===- SmallFloatCodes.h - Floats of at most 8 bits as bytes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_TILE_SMALLFLOATCODES_H
#define KILN_TRANSFORMS_TILE_SMALLFLOATCODES_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln::tile {

/// A float format of at most 8 bits. A number takes the low bits of its byte;
/// its code is that byte.
struct SmallFloatFormat {
  /// Returns the format of an MLIR float type.
  static SmallFloatFormat of(mlir::Type element);

  /// Returns the code of the sign bit.
  int64_t sign() const { return int64_t(1) << (width - 1); }

  int width = 0, mantissaBits = 0, bias = 0;
  int64_t largest = 0;  ///< code of the largest finite value
  int64_t overflow = 0; ///< code of the result of an overflow
  int64_t nan = 0;      ///< code of NaN; 0 in formats without NaN
  bool hasInfinity = false, hasNan = false;
  bool unsignedZero = false; ///< no negative zero; its code is NaN
  bool isScale = false;      ///< powers of two without a sign
};

/// Emits conversions between bytes and f32, on scalars or tiles. What it makes
/// is recorded.
class SmallFloatCodes {
public:
  SmallFloatCodes(mlir::OpBuilder &b, mlir::Location loc,
                  llvm::DenseSet<mlir::Operation *> &created)
      : b(b), loc(loc), created(created) {}

  /// The f32 value of each byte; NaN keep their sign.
  mlir::Value decode(mlir::Value bytes, mlir::Type element);
  /// The byte of each f32 value, rounded to nearest, ties to even, or towards
  /// zero. Overflow gives the largest number if it saturates.
  mlir::Value encode(mlir::Value value, mlir::Type element, bool saturate,
                     bool towardZero);

private:
  mlir::Value decodeScale(mlir::Value code);
  mlir::Value encodeScale(mlir::Value magnitude, bool saturate,
                          bool towardZero);

  template <typename OpT, typename... Args> mlir::Value make(Args &&...args) {
    auto op = OpT::create(b, loc, std::forward<Args>(args)...);
    created.insert(op);
    return op->getResult(0);
  }
  mlir::Type like(mlir::Type shape, mlir::Type element);
  mlir::Value constant(mlir::Type type, mlir::Attribute value);
  mlir::Value i32(mlir::Value like, int64_t value);
  mlir::Value f32(mlir::Value like, float value);

  mlir::OpBuilder &b;
  mlir::Location loc;
  llvm::DenseSet<mlir::Operation *> &created;
};

} // namespace kiln::tile

#endif // KILN_TRANSFORMS_TILE_SMALLFLOATCODES_H
