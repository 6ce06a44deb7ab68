// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions over values, for the expansions of functions.
#ifndef KILN_MATH_TERM_H
#define KILN_MATH_TERM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace kiln::functions {

/// A scalar or tile with the operators of C++. Numbers on their right side
/// become constants of its type; integers are signed where it matters, and
/// comparisons of floats are false for NaN.
class Term {
public:
  Term(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value)
      : builder(&builder), loc(loc), value(value) {}

  mlir::Value getValue() const { return value; }
  mlir::Type getElement() const {
    return mlir::getElementTypeOrSelf(value.getType());
  }
  unsigned getWidth() const { return getElement().getIntOrFloatBitWidth(); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(getElement()); }
  mlir::Type f32() const { return builder->getF32Type(); }
  mlir::Type f64() const { return builder->getF64Type(); }
  mlir::Type integer(unsigned width) const {
    return builder->getIntegerType(width);
  }
  mlir::Type boolean() const { return builder->getI1Type(); }

  /// The type of this shape with the given elements.
  mlir::Type typeOf(mlir::Type element) const {
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(value.getType()))
      return tensor.clone(element);
    return element;
  }
  /// Makes an operation whose elements are of the given type.
  template <typename OpTy, typename... Terms>
  Term make(mlir::Type element, Terms... operands) const {
    return {*builder, loc,
            OpTy::create(*builder, loc, mlir::TypeRange{typeOf(element)},
                         mlir::ValueRange{operands.value...})};
  }
  template <typename OpTy, typename Predicate>
  Term compare(Predicate predicate, Term other) const {
    return {*builder, loc,
            OpTy::create(*builder, loc, predicate, value, other.value)};
  }
  /// The upper half of a product; `OpTy` gives both halves.
  template <typename OpTy> Term highProduct(Term other) const {
    return {*builder, loc,
            OpTy::create(*builder, loc, value, other.value).getHigh()};
  }
  /// A call of a function of C (see tile.call_extern) on f32 or f64.
  static Term callC(llvm::StringRef name, llvm::ArrayRef<Term> operands,
                    mlir::Type element);

  /// A constant of the given elements in this shape.
  Term constant(mlir::TypedAttr attr) const {
    mlir::Type type = typeOf(attr.getType());
    if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(type))
      attr = mlir::DenseElementsAttr::get(shaped, mlir::Attribute(attr));
    return {*builder, loc,
            mlir::arith::ConstantOp::create(*builder, loc, attr)};
  }
  Term number(double x) const {
    return isFloat() ? constant(builder->getFloatAttr(getElement(), x))
                     : bits(static_cast<uint64_t>(static_cast<int64_t>(x)));
  }
  Term bits(uint64_t x) const {
    return constant(builder->getIntegerAttr(
        getElement(), llvm::APInt(64, x).zextOrTrunc(getWidth())));
  }

  // Conversions of elements.
  Term bitcastTo(mlir::Type type) const {
    return make<mlir::arith::BitcastOp>(type, *this);
  }
  /// A float as another float, or an integer as a wider or narrower one.
  Term extendTo(mlir::Type type, bool isSigned = true) const;
  Term signedTo(mlir::Type type) const {
    return make<mlir::arith::SIToFPOp>(type, *this);
  }
  Term unsignedTo(mlir::Type type) const {
    return make<mlir::arith::UIToFPOp>(type, *this);
  }

private:
  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value value;
};

template <typename FloatOp, typename IntOp> Term combine(Term a, Term b) {
  return a.isFloat() ? a.make<FloatOp>(a.getElement(), a, b)
                     : a.make<IntOp>(a.getElement(), a, b);
}

inline Term operator+(Term a, Term b) {
  return combine<mlir::arith::AddFOp, mlir::arith::AddIOp>(a, b);
}
inline Term operator-(Term a, Term b) {
  return combine<mlir::arith::SubFOp, mlir::arith::SubIOp>(a, b);
}
inline Term operator*(Term a, Term b) {
  return combine<mlir::arith::MulFOp, mlir::arith::MulIOp>(a, b);
}
inline Term operator/(Term a, Term b) {
  return combine<mlir::arith::DivFOp, mlir::arith::DivSIOp>(a, b);
}
inline Term operator&(Term a, Term b) {
  return a.make<mlir::arith::AndIOp>(a.getElement(), a, b);
}
inline Term operator|(Term a, Term b) {
  return a.make<mlir::arith::OrIOp>(a.getElement(), a, b);
}
inline Term operator^(Term a, Term b) {
  return a.make<mlir::arith::XOrIOp>(a.getElement(), a, b);
}
inline Term operator<<(Term a, Term b) {
  return a.make<mlir::arith::ShLIOp>(a.getElement(), a, b);
}
/// Shifts the sign in.
inline Term operator>>(Term a, Term b) {
  return a.make<mlir::arith::ShRSIOp>(a.getElement(), a, b);
}
/// Shifts zeros in.
inline Term shiftRight(Term a, Term b) {
  return a.make<mlir::arith::ShRUIOp>(a.getElement(), a, b);
}
inline Term shiftRight(Term a, double b) { return shiftRight(a, a.number(b)); }

inline Term operator+(Term a, double b) { return a + a.number(b); }
inline Term operator-(Term a, double b) { return a - a.number(b); }
inline Term operator-(double a, Term b) { return b.number(a) - b; }
inline Term operator*(Term a, double b) { return a * a.number(b); }
inline Term operator/(Term a, double b) { return a / a.number(b); }
inline Term operator/(double a, Term b) { return b.number(a) / b; }
inline Term operator<<(Term a, double b) { return a << a.number(b); }
inline Term operator>>(Term a, double b) { return a >> a.number(b); }
inline Term operator-(Term a) {
  return a.isFloat() ? a.make<mlir::arith::NegFOp>(a.getElement(), a)
                     : a.number(0) - a;
}

inline Term compare(Term a, mlir::arith::CmpFPredicate onFloats,
                    mlir::arith::CmpIPredicate onIntegers, Term b) {
  return a.isFloat() ? a.compare<mlir::arith::CmpFOp>(onFloats, b)
                     : a.compare<mlir::arith::CmpIOp>(onIntegers, b);
}
inline Term operator<(Term a, Term b) {
  return compare(a, mlir::arith::CmpFPredicate::OLT,
                 mlir::arith::CmpIPredicate::slt, b);
}
inline Term operator>(Term a, Term b) { return b < a; }
inline Term operator>=(Term a, Term b) {
  return compare(a, mlir::arith::CmpFPredicate::OGE,
                 mlir::arith::CmpIPredicate::sge, b);
}
inline Term operator<=(Term a, Term b) { return b >= a; }
inline Term operator==(Term a, Term b) {
  return compare(a, mlir::arith::CmpFPredicate::OEQ,
                 mlir::arith::CmpIPredicate::eq, b);
}
inline Term operator!=(Term a, Term b) {
  return compare(a, mlir::arith::CmpFPredicate::UNE,
                 mlir::arith::CmpIPredicate::ne, b);
}
inline Term operator<(Term a, double b) { return a < a.number(b); }
inline Term operator>(Term a, double b) { return a > a.number(b); }
inline Term operator<=(Term a, double b) { return a <= a.number(b); }
inline Term operator>=(Term a, double b) { return a >= a.number(b); }
inline Term operator==(Term a, double b) { return a == a.number(b); }
inline Term operator!=(Term a, double b) { return a != a.number(b); }

inline Term select(Term condition, Term a, Term b) {
  return a.make<mlir::arith::SelectOp>(a.getElement(), condition, a, b);
}
inline Term select(Term condition, Term a, double b) {
  return select(condition, a, a.number(b));
}
inline Term select(Term condition, double a, Term b) {
  return select(condition, b.number(a), b);
}

/// A function of `math` with the operand's type.
template <typename OpTy, typename... Terms> Term apply(Term a, Terms... rest) {
  return a.make<OpTy>(a.getElement(), a, rest...);
}
inline Term abs(Term a) { return apply<mlir::math::AbsFOp>(a); }
inline Term sqrt(Term a) { return apply<mlir::math::SqrtOp>(a); }
inline Term exp(Term a) { return apply<mlir::math::ExpOp>(a); }
inline Term fma(Term a, Term b, Term c) {
  return apply<mlir::math::FmaOp>(a, b, c);
}
inline Term copysign(Term a, Term b) {
  return apply<mlir::math::CopySignOp>(a, b);
}
inline Term isNaN(Term a) { return a != a; }
/// Whether the sign bit is set; that of a NaN and of a zero, too.
inline Term isNegative(Term a) {
  Term raw = a.bitcastTo(a.integer(a.getWidth()));
  return raw < 0;
}
/// A product that is never fused with a following sum.
inline Term product(Term a, Term b) { return fma(a, b, a.number(-0.0)); }

/// Horner's rule, lowest coefficient first.
Term polynomial(Term x, llvm::ArrayRef<double> coefficients);

} // namespace kiln::functions

#endif // KILN_MATH_TERM_H
