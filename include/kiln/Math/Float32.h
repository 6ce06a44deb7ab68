//===- Float32.h - Functions of f32 as polynomials --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for functions of f32, on scalars or vectors, without branches: arith
// operations and math's fma, absf and copysign, which every family has
// instructions for. Errors are below 2.5 units in the last place, subnormal
// numbers, infinities and NaN included, where nothing else is said;
// coefficients are weighted minimax fits.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MATH_FLOAT32_H
#define KILN_MATH_FLOAT32_H

#include "kiln/Math/Lanes.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace kiln::functions {

/// Short names for operations on values of one shape.
class FloatLanes : public Lanes {
public:
  using Value = mlir::Value;
  using CmpF = mlir::arith::CmpFPredicate;
  using Lanes::Lanes;

  Value fma(Value x, Value y, Value z) const {
    return mlir::math::FmaOp::create(b, loc, x, y, z);
  }
  Value mul(Value x, Value y) const {
    return mlir::arith::MulFOp::create(b, loc, x, y);
  }
  Value add(Value x, Value y) const {
    return mlir::arith::AddFOp::create(b, loc, x, y);
  }
  Value sub(Value x, Value y) const {
    return mlir::arith::SubFOp::create(b, loc, x, y);
  }
  Value abs(Value x) const { return mlir::math::AbsFOp::create(b, loc, x); }
  Value compare(CmpF predicate, Value x, Value y) const {
    return mlir::arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value less(Value x, Value y) const { return compare(CmpF::OLT, x, y); }
  Value select(Value c, Value x, Value y) const {
    return mlir::arith::SelectOp::create(b, loc, c, x, y);
  }
  Value copysign(Value x, Value y) const {
    return mlir::math::CopySignOp::create(b, loc, x, y);
  }
  Value bits(Value x) const {
    return mlir::arith::BitcastOp::create(b, loc, type(b.getI32Type()), x);
  }
  Value float_(Value x) const {
    return mlir::arith::BitcastOp::create(b, loc, type(b.getF32Type()), x);
  }
  Value addi(Value x, Value y) const {
    return mlir::arith::AddIOp::create(b, loc, x, y);
  }
  Value subi(Value x, Value y) const {
    return mlir::arith::SubIOp::create(b, loc, x, y);
  }
  Value shl(Value x, int64_t by) const {
    return mlir::arith::ShLIOp::create(b, loc, x, i32(by));
  }
  Value sar(Value x, int64_t by) const {
    return mlir::arith::ShRSIOp::create(b, loc, x, i32(by));
  }
};

/// Functions of f32. A family derives from it where it has something better.
class Float32 : public FloatLanes {
public:
  using FloatLanes::FloatLanes;
  virtual ~Float32();

  /// Horner's rule, lowest coefficient first.
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) const;
  /// 2^n for n in [-126, 127].
  Value power(Value n) const { return float_(shl(addi(n, i32(127)), 23)); }
  /// Rounds x * scale, of at most 2^22, to an integer: its value, and as i32 in
  /// `integer`. NaN gives NaN and some integer.
  Value nearest(Value x, double scale, Value &integer) const;

  /// e^x as y * 2^n, with y near 1 and n = `shifted` modulo 2^9. For x in
  /// [-104, 89].
  Value expParts(Value x, Value &shifted) const;
  /// e^x.
  virtual Value exp(Value x) const;
  /// e^x - 1, to 1.5 units.
  Value expm1(Value x) const;

  /// A positive number as (1 + f) * 2^e with f in [sqrt(1/2), sqrt(2)) - 1.
  struct LogParts {
    Value f;    ///< f32
    Value e;    ///< an integer as f32
    Value tail; ///< log(1 + f) - f
  };
  /// Zero and what is no positive number give nonsense.
  LogParts logParts(Value x) const;
  /// `y` where x is positive and finite, else what a logarithm gives there.
  Value logEnds(Value x, Value y) const;
  Value log(Value x) const;
  /// To 1 unit.
  Value log2(Value x) const;
  Value log10(Value x) const;
  /// log(1 + x), to 1.5 units.
  Value log1p(Value x) const;

  Value tanh(Value x) const;
  Value erf(Value x) const;

  /// Where the reduction of sin and cos to a quarter turn stays exact.
  static constexpr double kTrigLimit = 30000.0;
  /// x less the nearest quarter turns, |x| at most kTrigLimit.
  struct Turn {
    Value r;        ///< within [-pi / 4, pi / 4]
    Value quarters; ///< their number, i32
    Value rest;     ///< what r lacks, f32; null where not asked for
  };
  Turn quarterTurn(Value x, bool withRest = false) const;
  /// The sine of r + quarters * pi / 2.
  Value sineOfTurn(Value r, Value quarters) const;
  /// The tangent, to 1.2 units where the turn has a rest.
  Value tangentOfTurn(const Turn &turn) const;
  /// sin for `quarter` 0, cos for 1; |x| at most kTrigLimit.
  Value trigonometric(Value x, int64_t quarter) const;
  /// tan; |x| at most kTrigLimit.
  Value tan(Value x) const;

protected:
  /// 1 / x to 1 unit, for normal numbers with normal results, and for infinity.
  virtual Value reciprocal(Value x) const;

private:
  /// log(1 + f) - f for f in [sqrt(1/2), sqrt(2)) - 1.
  Value logTail(Value f) const;
  /// f + tail times a number that is given as a sum of two.
  Value scaledLog(Value f, Value tail, double high, double low,
                  Value &rest) const;
};

} // namespace kiln::functions

#endif // KILN_MATH_FLOAT32_H
